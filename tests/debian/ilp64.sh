#!/bin/bash
# Runs the testers of a ScaLAPACK with 64-bit integers on libopenblacs64: netlib's BLACS tester, and each driver of
# its TESTING folder on 4 processes. Debian's packages have none, so OB_ILP64_SCALAPACK names the folder that
# ScaLAPACK 2.2.1 was built in by its own CMake: shared, for Open MPI (mpicc.openmpi, mpif90.openmpi), with
# SCALAPACK_BUILD_TESTS and SCALAPACK_BUILD_TESTING on, -DInt=long for C, -fdefault-integer-8 for Fortran, and a BLAS
# and LAPACK with 64-bit integers (libopenblas64-dev). Where TESTING's sources have INTGSZ = 4, make it 8: the
# drivers take room for their integers by it, and write beyond it else (xdlu, xzlu, xdsep). -finit-local-zero takes
# out two accidents: drivers compare bounds that nobody has set (xcheevr), and P?LACON's output is read before it is
# set (xslu hangs).
#
#   OB_ILP64_SCALAPACK=FOLDER tests/debian/ilp64.sh [--netlib] [DRIVER ...]
#     --netlib  the drivers on the BLACS in that ScaLAPACK instead, to compare
#   ILP64_SECONDS=300  for each driver
set -u
. "$(dirname "$0")/../../scripts/common.sh"
folder=${OB_ILP64_SCALAPACK-}
if [ -z "$folder" ]; then
    echo "left out: no ScaLAPACK with 64-bit integers; build one, as tests/debian/ilp64.sh says, and set" \
        "OB_ILP64_SCALAPACK to its build folder (Debian: libopenblas64-dev, libopenmpi-dev, gfortran)"
    echo "0 passed, 0 failed"
    exit 0
fi
netlib=
if [ "${1-}" = --netlib ]; then netlib=1; shift; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$OB_BUILD/libopenblacs64.so
[ -e "$library" ] || ob_fail "there is no $library"
[ -x "$folder/TESTING/xdlu" ] || ob_fail "there is no $folder/TESTING/xdlu"

# Of a driver: its sums, or the lines of one that gives none.
count() { # OUTPUT
    awk '/tests completed and passed/ { p += $1; sums = 1 }
         /tests completed and failed/ { f += $1 }
         /^ *Passed |PASSED *$/ { lines++ }
         /^ *Failed |FAILED *$/ { bad++ }
         END { print sums ? p + 0 : lines + 0, sums ? f + 0 : bad + 0 }' "$1"
}

drive() { # DRIVER
    local settings=() passed failed start=$SECONDS
    [ -n "$netlib" ] || settings=("LD_PRELOAD=$library")
    (cd "$work" && ob_launch openmpi 4 "${ILP64_SECONDS:-300}" "${settings[@]}" -- "$folder/TESTING/$1") \
        >"$work/out" 2>"$work/err"
    local status=$?
    read -r passed failed < <(count "$work/out")
    cat "$work/err" >>"$work/out"
    echo "$1: $passed passed, $failed failed, $((SECONDS - start)) s"
    ob_pass "$passed"
    if [ "$failed" != 0 ] || [ "$passed" = 0 ] || [ $status != 0 ]; then
        ob_fail "$1: $passed passed, $failed failed, status $status" "$work/out"
    fi
}

# The BLACS tester sends its own results by MPI's Fortran routines, whose integers have 32 bits.
blacs() {
    local mpi64=$work/mpi64.so
    mkdir "$work/testers" && ln -s "$folder/TESTING" "$work/testers/openmpi-tests"
    if ! mpicc.openmpi -std=c11 -O1 -Wall -shared -fPIC -o "$mpi64" "$ob_root/tests/debian/mpi64.c" >"$work/out" 2>&1; then
        ob_fail "mpi64.c does not compile" "$work/out"
        return
    fi
    BLACS_FOLDER=$work/testers BLACS_LIBRARY=$library:$mpi64 BLACS_PROCESSES="1 2 3 4 6 9" BLACS_TESTERS="xCbtest xFbtest" \
        "$ob_root/tests/debian/blacs.sh" openmpi >"$work/out"
    local sums
    sums=$(tail -n 1 "$work/out")
    if [[ $sums =~ ^([1-9][0-9]*)\ passed,\ 0\ failed$ ]]; then
        echo "xCbtest, xFbtest: $sums"
        ob_pass "${BASH_REMATCH[1]}"
    else
        ob_fail "BLACS tester: $sums" "$work/out"
    fi
}

if [ "$ob_failed" = 0 ]; then
    cp "$folder"/TESTING/*.dat "$work"
    # Inputs of Debian's package are short ones; ours for the LU, QR and LLT are larger.
    cp "$ob_root"/tests/debian/scalapack/*.dat "$work"
    [ -n "$netlib$*" ] || blacs
    drivers=${*:-$(cd "$folder/TESTING" && ls x* | grep -v btest)}
    for driver in $drivers; do drive "$driver"; done
fi
ob_tally
