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

# compatible OLD NEW: abidiff's status has bit 4 for any change that is no addition, bit 8 where it is sure that programs
# break, 1 and 2 for its own failures. All of them count: many layouts that grow have bit 4 alone.
compatible() {
    local status
    abidiff --no-added-syms "$1" "$2" >"$work/report" 2>&1
    status=$?
    [ $((status & 3)) = 0 ] || return 1
    if [ $status = 0 ]; then return 0; fi
    [ "$(soname "$1")" != "$(soname "$2")" ]
}

planted() { # NAME SOURCE [SONAME]
    printf '%s\n' "$2" >"$work/$1.c"
    gcc -g -shared -fPIC -Wl,-soname,"${3-libplanted.so.0}" "$work/$1.c" -o "$work/$1.so"
}

expect() { # yes|no NEW WHAT
    local answer=no
    if compatible "$work/base.so" "$work/$2.so"; then answer=yes; fi
    if [ $answer = "$1" ]; then ob_pass; else ob_fail "$3" "$work/report"; fi
}

type='typedef struct place { int x, y; } place;'
both="$type int f(place *p) { return p->x; } int g(void) { return 1; }"
planted base "$both"
planted same "$both"
planted more "$both int h(void) { return 2; }"
planted less "$type int f(place *p) { return p->x; }"
planted wider "typedef struct place { long x, y; } place; int f(place *p) { return (int)p->x; } int g(void) { return 1; }"
planted renamed "$type int f(place *p) { return p->x; }" libplanted.so.1
expect yes same "the same library is taken for another"
expect yes more "a function more is taken for incompatible"
expect no less "a function less is not seen"
expect no wider "a type that a caller fills has grown, and it is not seen"
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
    abidiff "$old" "$new" | sed "s/^/    $(basename "$old"): /"
    if compatible "$old" "$new"; then ob_pass; else ob_fail "$(basename "$old") is incompatible with $tag" "$work/report"; fi
done < <(find "$work/old/build" -name 'lib*.so' | sort)
ob_tally
