#!/bin/bash
# Runs Debian's ScaLAPACK test drivers (package scalapack-mpi-test) with
# libopenblacs in front, on 4 processes, three ways: mpirun.openmpi,
# mpirun.mpich, and obrun with no MPI started. Each must finish, pass 240
# residual checks or more, and fail none. Inputs: scalapack/*.dat.
#
# ScaLAPACK 2.2.0 to 2.2.2 reads an output argument of P?LACON before it is set;
# the LU and LLT drivers hang on that now and then on any BLACS. lacon.c takes the
# accident out; --plain leaves it in.
#
#   tests/debian/scalapack.sh [--netlib|--factor] [--plain|--debian|--turn] [DRIVER ...]
#     DRIVER    xdlu xslu xclu xzlu xdqr unless named; also xdllt and the others
#               of the LU, QR and LLT families
#     --netlib  on Debian's own BLACS instead, to compare
#     --factor  with libopenblacs_factor in front, under one MPI and obrun; as many checks must pass as without it
#     --plain   without lacon.c
#     --debian  on the input files that Debian ships
#     --turn    each driver in one of the ways, which go round; --debian has all of both
#   SCALAPACK_WAYS="openmpi mpich obrun" SCALAPACK_REPEAT=1 SCALAPACK_SECONDS=240
#   SCALAPACK_TRACE=FILE: leaves the trace of the last run there
#   SCALAPACK_INPUTS=FOLDER SCALAPACK_LEAST=240: the input files, and how many checks must pass
set -u
. "$(dirname "$0")/../../scripts/common.sh"
: "${SCALAPACK_REPEAT:=1}" "${SCALAPACK_SECONDS:=240}"
least=${SCALAPACK_LEAST:-240}

netlib=
factor=
plain=
turn=
if [ "${1-}" = --netlib ]; then netlib=1; shift; fi
if [ "${1-}" = --factor ]; then
    factor=1
    : "${SCALAPACK_WAYS:=${ob_mpis%% *} obrun}"
    shift
fi
: "${SCALAPACK_WAYS:=$ob_mpis obrun}"
inputs=${SCALAPACK_INPUTS:-$ob_root/tests/debian/scalapack}
case ${1-} in
--plain) plain=1; shift ;;
--debian) inputs=/usr/share/scalapack; shift ;;
--turn) turn=0; shift ;;
esac
drivers=${*:-xdlu xslu xclu xzlu xdqr}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$inputs"/*.dat "$work"
[ -e "$work/LS.dat" ] || cp /usr/share/scalapack/LS.dat "$work"

library=$(ob_library)
if [ -z "$netlib$library" ]; then
    echo "no libopenblacs.so under $OB_BUILD"
    echo "0 passed, 1 failed"
    exit 1
fi

preload=
if [ -z "$netlib" ]; then preload=$library; fi
if [ -z "$plain" ]; then
    ${CC:-gcc} -std=c11 -O1 -shared -fPIC -o "$work/lacon.so" "$ob_root/tests/debian/lacon.c" -ldl ||
        { echo "lacon.c does not compile"; echo "0 passed, 1 failed"; exit 1; }
    preload=$work/lacon.so${preload:+:$preload}
fi

# The result column of the table (its CPU lines repeat the WALL lines, where the
# BLACS can tell processor time); the closing lines say how many
# tests it thinks it ran.
count() {
    awk '$1 == "WALL" {
             for (i = 2; i <= NF; i++) { if ($i == "PASSED") p++; if ($i == "FAILED") f++ } }
         /tests completed and failed residual checks/ && $1 > 0 { bad = 1 }
         /END OF TESTS/ { end = 1 }
         END { if (bad && !f) f = 1; print p + 0, f + 0, end + 0 }' "$1"
}

# A call that is passed on has one combine of up to 472 bytes by the routine's name; one that is carried out, longer ones.
is_ours() {
    awk '$1 ~ /^p[sdcz](getrf|potrf|geqrf|gels)$/ && NF == 10 && $9 > 472 { found = 1 } END { exit !found }' "$1"
}

launch_driver() {
    (cd "$work" && ob_launch "$way" 4 "$SCALAPACK_SECONDS" "${settings[@]}" -- \
        "$ob_lib_dir/scalapack/$flavour-tests/$driver") >"$work/out" 2>"$work/err"
}

# check WAY DRIVER. Debian has no build without MPI; under obrun the Open MPI
# build runs, whose MPI_Init must never be called.
check() {
    local way=$1 driver=$2 settings=() flavour=$1 passed failed ended without= start=$SECONDS
    local starter=MPI
    if [ "$way" = obrun ]; then flavour=openmpi starter=obrun; fi
    settings=(OPENBLACS_VERBOSE=1)
    [ -z "$preload" ] || settings+=("LD_PRELOAD=$preload")
    [ -z "${SCALAPACK_TRACE-}" ] || settings+=("OPENBLACS_TRACE=$SCALAPACK_TRACE")
    if [ -n "$factor" ]; then
        launch_driver
        read -r without _ < <(count "$work/out")
        settings+=("LD_PRELOAD=$(dirname "$library")/libopenblacs_factor.so:$preload" OPENBLACS_STATS=1)
    fi
    launch_driver
    read -r passed failed ended < <(count "$work/out")
    cat "$work/err" >>"$work/out"
    ob_pass "$passed"
    echo "$driver, $way: $passed passed, $failed failed, $((SECONDS - start)) s"
    if [ "$failed" != 0 ]; then
        ob_failed=$((ob_failed + failed - 1))
        ob_fail "$driver, $way: $failed residual checks failed" "$work/out"
    elif [ "$ended" = 0 ]; then
        ob_fail "$driver, $way: did not come to its end in $SCALAPACK_SECONDS s" "$work/out"
    elif [ "${without:-$passed}" != "$passed" ]; then
        ob_fail "$driver, $way: $passed residual checks, without libopenblacs_factor $without" "$work/out"
    elif [ -n "$factor" ] && ! is_ours "$work/err"; then
        ob_fail "$driver, $way: libopenblacs_factor carried out nothing" "$work/out"
    elif [ "$passed" -lt $least ]; then
        ob_fail "$driver, $way: only $passed residual checks" "$work/out"
    elif [ -z "$netlib" ] && ! grep -q "^OpenBLACS.*started by $starter" "$work/err"; then
        ob_fail "$driver, $way: libopenblacs does not say it was started by $starter" "$work/out"
    fi
}

for _ in $(seq "$SCALAPACK_REPEAT"); do
    for driver in $drivers; do
        # shellcheck disable=SC2206 # words
        ways=($SCALAPACK_WAYS)
        [ -z "$turn" ] || ways=("${ways[turn++ % ${#ways[@]}]}")
        for way in "${ways[@]}"; do
            check "$way" "$driver"
        done
    done
done
ob_tally
