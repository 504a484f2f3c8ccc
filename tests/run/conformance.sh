#!/bin/bash
# Runs the conformance programs of tests/core, tests/blacs and tests/bsp on every transport:
# self (one process, no launcher), shm (under obrun), and MPI, both with our
# shared memory within the node (auto) and with every message through MPI (mpi).
# One program on one transport with one number of processes is one test.
#
#   tests/run/conformance.sh [all]   all: every number of processes in every way
#   CONFORMANCE_PROCESSES="1 2 3 4 5 6 7 8 9"
#   CONFORMANCE_OPENMPI="1 3 5 7 9"  of these, the ones for each MPI: between them
#   CONFORMANCE_MPICH="2 4 6 8"      they cover all numbers (any other MPI: as MPICH)
#   CONFORMANCE_AUTO="1 2 4 9"       of those, the ones for the ways :auto, which
#                                    differ from obrun only in how they start
#   CONFORMANCE_BSP="2 5 9"          the ones for tests/bsp on the ways :mpi, of which
#                                    those for :auto are 2 and 4
#   CONFORMANCE_ONE="2 5"            the ones for obrun:one, where long messages are copied straight
#   CONFORMANCE_PLAN="2 5"           the ones for obrun:plan, where the letters of topologies do not count
#   CONFORMANCE_TIERS="7"            the ones for obrun:tiers, where two share a board
#   CONFORMANCE_WAYS="self obrun obrun:one obrun:plan obrun:tiers openmpi:auto openmpi:mpi mpich:auto mpich:mpi": of each MPI of OB_MPIS
set -u
. "$(dirname "$0")/../../scripts/common.sh"
: "${CONFORMANCE_PROCESSES:=1 2 3 4 5 6 7 8 9}" "${CONFORMANCE_SECONDS:=120}"
if [ "${1-}" = all ]; then
    CONFORMANCE_AUTO="1 2 3 4 5 6 7 8 9"
    CONFORMANCE_OPENMPI=$CONFORMANCE_AUTO CONFORMANCE_MPICH=$CONFORMANCE_AUTO
fi
: "${CONFORMANCE_AUTO:=1 2 4 9}" "${CONFORMANCE_BSP:=2 5 9}"
: "${CONFORMANCE_OPENMPI:=1 3 5 7 9}" "${CONFORMANCE_MPICH:=2 4 6 8}"
: "${CONFORMANCE_ONE:=2 5}" "${CONFORMANCE_PLAN:=5}" "${CONFORMANCE_TIERS:=7}"
: "${CONFORMANCE_WAYS:=self obrun obrun:one obrun:plan obrun:tiers $ob_mpi_ways}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Fortran client is built here: its test is that the module compiles, too.
fortran=
if [ -f "$OB_BUILD/fortran/blacs.mod" ]; then
    fortran=$work/blacs_fortran
    if ! gfortran -Wall -Werror -J"$work" -I"$OB_BUILD/fortran" "$ob_root/tests/blacs/fortran.f90" \
        -o "$fortran" -L"$OB_BUILD" -lopenblacs_fortran -lopenblacs -Wl,-rpath,"$OB_BUILD" \
        >"$work/log" 2>&1; then
        ob_fail "tests/blacs/fortran.f90 does not compile" "$work/log"
        fortran=
    fi
fi

# Its integers made 64 bits wide by an option, over libopenblacs64; what becomes of real numbers is not asked.
fortran64=
if [ -n "$fortran" ] && [ -f "$OB_BUILD/fortran64/blacs.mod" ]; then
    fortran64=$work/blacs_fortran64
    if ! gfortran -fdefault-integer-8 -Wall -Wno-conversion -Werror -J"$work" -I"$OB_BUILD/fortran64" \
        "$ob_root/tests/blacs/fortran.f90" -o "$fortran64" -L"$OB_BUILD" -lopenblacs64_fortran -lopenblacs64 \
        -Wl,-rpath,"$OB_BUILD" >"$work/log" 2>&1; then
        ob_fail "tests/blacs/fortran.f90 does not compile with 64-bit integers" "$work/log"
        fortran64=
    fi
fi

programs() {
    local source room
    for source in "$ob_root"/tests/core/*.c "$ob_root"/tests/blacs/*.c; do
        room=$(basename "$(dirname "$source")")
        # bad_* make one mistake at a time, driven by tests/run/bad_input.sh;
        # big takes minutes and gigabytes: tests/run/long.sh.
        case $source in */bad_*.c | */big.c) continue ;; esac
        echo "$OB_BUILD/tests/${room}_$(basename "$source" .c)"
    done
    source=all
    # The messages below them are the other programs' business: few numbers will do.
    case $way in
    *:mpi) [[ " $CONFORMANCE_BSP " == *" $processes "* ]] || source=none ;;
    *:auto) [[ " $CONFORMANCE_BSP 4 " == *" $processes "* ]] && [ "$processes" -lt 5 ] || source=none ;;
    esac
    for source in $([ "$source" = none ] || echo "$ob_root"/tests/bsp/*.c); do
        case $source in */bad_*.c | */starts.c | */hello.c) continue ;; esac # tests/run/bsp.sh has these
        # bsp_direct_get reads another process's memory, which qemu-user has no call for.
        [ -z "$OB_EMULATOR" ] || [ "$processes" = 1 ] || [ "$(basename "$source")" != dialects.c ] || continue
        echo "$OB_BUILD/tests/bsp/bsp_$(basename "$source" .c)"
    done
    echo $fortran $fortran64
}

# A program says "N passed, N failed" for all its checks, and nothing else counts.
try() { # WAY PROCESSES PROGRAM
    local launcher=${1%:*} settings=() name
    name="$(basename "$3") on $1, $2 processes"
    case $1 in
    *:one) settings=(OPENBLACS_ONE_COPY=1) ;;
    *:plan) settings=(OPENBLACS_TOPOLOGY=plan) ;;
    *:tiers) settings=(OPENBLACS_TIERS=2) ;;
    *:*) settings=("OPENBLACS_TRANSPORT=${1#*:}") ;;
    esac
    if ob_launch "$launcher" "$2" "$CONFORMANCE_SECONDS" "${settings[@]}" -- "$3" >"$work/log" 2>&1 &&
        grep -qE '^[1-9][0-9]* passed, 0 failed$' "$work/log"; then
        ob_pass
    else
        ob_fail "$name" "$work/log"
    fi
}

wanted() { # WAY PROCESSES
    case $1 in
    self) [ "$2" = 1 ] || return ;;
    *:one) [[ " $CONFORMANCE_ONE " == *" $2 "* ]] || return ;;
    *:plan) [[ " $CONFORMANCE_PLAN " == *" $2 "* ]] || return ;;
    *:tiers) [[ " $CONFORMANCE_TIERS " == *" $2 "* ]] || return ;;
    openmpi:*) [[ " $CONFORMANCE_OPENMPI " == *" $2 "* ]] || return ;;
    *:*) [[ " $CONFORMANCE_MPICH " == *" $2 "* ]] || return ;;
    esac
    case $1 in *:auto) [[ " $CONFORMANCE_AUTO " == *" $2 "* ]] ;; esac
}

for way in $CONFORMANCE_WAYS; do
    start=$SECONDS before=$((ob_passed + ob_failed))
    for processes in $CONFORMANCE_PROCESSES; do
        wanted "$way" "$processes" || continue
        for program in $(programs); do
            try "$way" "$processes" "$program"
        done
    done
    echo "$way: $((ob_passed + ob_failed - before)) runs, $((SECONDS - start)) s"
done
ob_tally
