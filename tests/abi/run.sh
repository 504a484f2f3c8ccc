#!/bin/bash
# The binary interface of the libraries against that of the last release: abidiff must find no incompatible change,
# unless the library's SONAME changed. Added, removed and changed functions are listed.
#   tests/abi/run.sh BUILD_DIR
# The release is the newest tag vX.Y.Z that HEAD descends from; it is built in a worktree of its own. Where there is none
# yet, only the planted libraries are compared.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$1
work=$(mktemp -d)
trap 'git -C "$ob_root" worktree remove --force "$work/old" 2>/dev/null; rm -rf "$work"' EXIT

soname() { # LIBRARY
    readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'
}

# compatible OLD NEW OLD_INCLUDE NEW_INCLUDE: abidiff's status has bit 4 for any change that is no addition, bit 8 where it
# is sure that programs break, 1 and 2 for its own failures. All of them count: many layouts that grow have bit 4 alone.
# What counts is what public headers show: a layout that programs only have pointers to may change, and so may our hooks.
compatible() {
    local status
    touch "$work/hooks"
    [ ! -d "$3/hooks" ] || cat "$3"/hooks/*.h | sed -nE 's/^extern OB_API .*[ *]([a-z0-9_]+);$/[suppress_variable]\nsymbol_name = \1/p
        s/^OB_API [^(]*[ *]([a-z0-9_]+)\(.*/[suppress_function]\nsymbol_name = \1/p' >"$work/hooks"
    abidiff --no-added-syms --headers-dir1 "$3/openblacs" --headers-dir2 "$4/openblacs" --suppressions "$work/hooks" \
        "$1" "$2" >"$work/report" 2>&1
    status=$?
    [ $((status & 3)) = 0 ] || return 1
    if [ $status = 0 ]; then return 0; fi
    [ "$(soname "$1")" != "$(soname "$2")" ]
}

# A library with a public header and a hook.
planted() { # NAME HEADER SOURCE [SONAME]
    mkdir -p "$work/$1/openblacs" "$work/$1/hooks"
    echo "$2" >"$work/$1/openblacs/planted.h"
    echo 'OB_API int hook(void);' >"$work/$1/hooks/planted.h"
    printf '#include "%s"\n%s\n' "$work/$1/openblacs/planted.h" "$3" >"$work/$1.c"
    gcc -g -shared -fPIC -Wl,-soname,"${4-libplanted.so.0}" "$work/$1.c" -o "$work/$1.so"
}

expect() { # yes|no NEW WHAT
    local answer=no
    if compatible "$work/base.so" "$work/$2.so" "$work/base" "$work/$2"; then answer=yes; fi
    if [ $answer = "$1" ]; then ob_pass; else ob_fail "$3" "$work/report"; fi
}

header='typedef struct pair { int x, y; } pair; typedef struct hidden hidden;'
private='struct hidden { int a; };'
f='int f(pair *p, hidden *h) { return p->x + h->a; }'
g='int g(void) { return 1; }'
hook='int hook(void) { return 2; }'
planted base "$header" "$private $f $g $hook"
planted same "$header" "$private $f $g $hook"
planted more "$header" "$private $f $g $hook int more(void) { return 2; }"
planted less "$header" "$private $f $hook"
planted wider "${header/int x/long x}" "$private ${f/return/return (int)} $g $hook"
planted private "$header" "${private/int a/long b[8], a} ${f/return/return (int)} $g $hook"
planted hookless "$header" "$private $f $g"
planted renamed "$header" "$private $f $hook" libplanted.so.1
expect yes same "the same library is taken for another"
expect yes more "a function more is taken for incompatible"
expect no less "a function less is not seen"
expect no wider "a type that a caller fills has grown, and it is not seen"
expect yes private "a type that callers only point to may not grow"
expect yes hookless "a hook may not go"
expect yes renamed "a new SONAME does not allow a function less"

tag=$(git -C "$ob_root" describe --tags --abbrev=0 --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null)
if [ -z "$tag" ]; then
    echo "no tag vX.Y.Z yet: no release to compare with"
    ob_tally
    exit
fi
if ! git -C "$ob_root" worktree add --detach "$work/old" "$tag" >"$work/log" 2>&1 ||
    ! cmake -G Ninja -S "$work/old" -B "$work/old/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=gcc \
        -DOPENBLACS_TESTS=OFF -DOPENBLACS_BENCH=OFF >"$work/log" 2>&1 ||
    ! cmake --build "$work/old/build" --parallel "$ob_cores" >"$work/log" 2>&1; then
    ob_fail "$tag cannot be built" "$work/log"
    ob_tally
    exit
fi
while read -r old; do
    new=$(find "$build" -name "$(basename "$old")" -print -quit)
    if [ -z "$new" ]; then
        ob_fail "$(basename "$old") of $tag is gone"
        continue
    fi
    abidiff --headers-dir1 "$work/old/include/openblacs" --headers-dir2 "$ob_root/include/openblacs" "$old" "$new" |
        sed "s/^/    $(basename "$old"): /"
    if compatible "$old" "$new" "$work/old/include" "$ob_root/include"; then ob_pass; else ob_fail "$(basename "$old") is incompatible with $tag" "$work/report"; fi
done < <(find "$work/old/build" -name 'lib*.so' | sort)
ob_tally
