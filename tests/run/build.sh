#!/bin/bash
# Builds everything with gcc into $OB_BUILD, warnings being errors. A report of a failure needs no more than functions and
# lines (-g1), which take a seventh less time. Each part of the build counts as one test.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
mkdir -p "$OB_BUILD"
ob_renew "$OB_BUILD" Ninja
log=$OB_BUILD/build.log

part() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$log" 2>&1 </dev/null; then ob_pass; else ob_fail "$name" "$log"; fi
}
part configure cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_COMPILER=gcc -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g1 -DNDEBUG" -DCMAKE_C_FLAGS="$(ob_strict gcc)" \
    -DCMAKE_Fortran_FLAGS=-Werror
part compile cmake --build "$OB_BUILD" --parallel "$ob_cores"
for file in "$(ob_library)" "$(ob_obrun)" "$OB_BUILD/mpi-openmpi.so" "$OB_BUILD/mpi-mpich.so" \
    "$OB_BUILD/libicc.so" "$OB_BUILD/libmlacs.so" "$OB_BUILD/libicc-mpi-openmpi.so" "$OB_BUILD/libicc-mpi-mpich.so"; do
    if [ -n "$file" ] && [ -s "$file" ]; then ob_pass; else ob_fail "the build left no ${file:-library or no obrun}"; fi
done
ob_tally
