#!/bin/bash
# Two builds of the same sources are equal byte for byte, wherever sources and build folders are: all that is
# installed of them, and no file of it names these folders.
#
#   tests/install/equal.sh [make] [OPTION-FOR-CMAKE...]    make: by make, else by ninja
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
generator=Ninja
if [ "${1-}" = make ]; then
    generator="Unix Makefiles"
    shift
fi
export CCACHE_DISABLE=1 # or the second build takes what the first has made

# Debug information has the names of folders, if anything has; without optimisation it is there sooner. A build for
# debugging would keep the names, one for least size asks for no optimisation of its own.
build() { # SOURCES BUILD PREFIX [OPTION...]
    local from=$1 to=$2 prefix=$3
    mkdir -p "$from"
    (cd "$ob_root" && tar -c --exclude='./build*' --exclude=./.git .) | tar -x -C "$from" &&
        cmake -G "$generator" -S "$from" -B "$to" -DCMAKE_BUILD_TYPE=MinSizeRel \
            -DCMAKE_C_FLAGS_MINSIZEREL=-g -DCMAKE_Fortran_FLAGS_MINSIZEREL=-g \
            -DOPENBLACS_TESTS=OFF -DOPENBLACS_BENCH=OFF -DOPENBLACS_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr "${@:4}" &&
        cmake --build "$to" --parallel "$ob_cores" && DESTDIR=$prefix cmake --install "$to"
}
if (build "$work/one" "$work/one/build" "$work/first" "$@") >"$log" 2>&1 </dev/null; then ob_pass; else ob_fail "the first build" "$log"; fi
if (build "$work/another/place" "$work/far/away/out" "$work/second" "$@") >"$log" 2>&1 </dev/null; then ob_pass; else ob_fail "the second build" "$log"; fi
if [ -e "$work/first/usr/bin/obrun" ] && diff -r --no-dereference "$work/first" "$work/second" >"$log" 2>&1; then
    ob_pass
else
    ob_fail "two builds in two folders are equal" "$log"
fi
if ! grep -rlF -e "$work" "$work/first" >"$log" 2>&1; then ob_pass; else ob_fail "no installed file names the folders of its build" "$log"; fi
# And a file that differs is noticed.
printf x >>"$work/second/usr/bin/obrun"
if ! diff -r --no-dereference "$work/first" "$work/second" >"$log" 2>&1; then ob_pass; else ob_fail "a difference is found"; fi
ob_tally
