#!/bin/bash
# Runs the conformance programs of tests/core, tests/blacs and tests/bsp on every transport:
# self (one process, no launcher), shm (under obrun), and MPI, both with our
# shared memory within the node (auto) and with every message through MPI (mpi).
# One program on one transport with one number of processes is one test.
#
# Under obrun each program runs on 1 to 4 processes and on one of 6, 8 and 9, which are more than small machines have
# processors; on 5 and on 7 it runs in the other ways of obrun. What depends on their number alone is the same under an
# MPI, and within the node (auto) so is what messages go through. There each program runs with every message through MPI
# on a small number under one MPI and on a large one under the other, and within the node on a large number where it has
# a small one through MPI. Numbers go round from program to program, under MPIs odd ones for Open MPI and even ones for
# MPICH, so that each number is run on each transport.
#
#   tests/run/conformance.sh [all]   all: every number of processes in every way
#   CONFORMANCE_PROCESSES="1 2 5"    the ones for every program under obrun, and no others in any way
#   CONFORMANCE_MPI="2 5"            the ones for every program under an MPI
#   CONFORMANCE_ONE="2 5"            the ones for obrun:one, where long messages are copied straight
#   CONFORMANCE_PLAN="5"             the ones for obrun:plan, where the letters of topologies do not count
#   CONFORMANCE_TIERS="7"            the ones for obrun:tiers, where two share a board
#   CONFORMANCE_LISTS="5"            the ones for obrun:lists, where most lists of members are not remembered
#   CONFORMANCE_WAYS="self obrun obrun:one obrun:plan obrun:tiers obrun:lists openmpi:auto openmpi:mpi mpich:auto mpich:mpi": of each MPI of OB_MPIS
set -u
. "$(dirname "$0")/../../scripts/common.sh"
: "${CONFORMANCE_SECONDS:=120}"
turns=$([ "${1-}" = all ] || [ -n "${CONFORMANCE_PROCESSES-}" ] || echo yes)
: "${CONFORMANCE_PROCESSES:=1 2 3 4 5 6 7 8 9}"
if [ "${1-}" = all ]; then
    for way in MPI ONE PLAN TIERS LISTS; do declare "CONFORMANCE_$way=$CONFORMANCE_PROCESSES"; done
fi
: "${CONFORMANCE_ONE:=2 5}" "${CONFORMANCE_PLAN:=5}" "${CONFORMANCE_TIERS:=7}" "${CONFORMANCE_LISTS:=5}"
: "${CONFORMANCE_WAYS:=self obrun obrun:one obrun:plan obrun:tiers obrun:lists $ob_mpi_ways}"
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
    for source in "$ob_root"/tests/bsp/*.c; do
        case $source in */bad_*.c | */starts.c | */reads.c | */hello.c) continue ;; esac # tests/run/bsp.sh has these
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
    *:lists) settings=(OPENBLACS_LISTS=2) ;;
    *:*) settings=("OPENBLACS_TRANSPORT=${1#*:}") ;;
    esac
    if ob_launch "$launcher" "$2" "$CONFORMANCE_SECONDS" "${settings[@]}" -- "$3" >"$work/log" 2>&1 &&
        grep -qE '^[1-9][0-9]* passed, 0 failed$' "$work/log"; then
        ob_pass
    else
        ob_fail "$name" "$work/log"
    fi
}

numbers() { # WAY PROGRAM PLACE: of processes, for the program at this place of the list
    local place=$3 small=(2 4) large=(6 8) beyond=(6 8 9)
    case $1 in
    self) echo 1 ;;
    obrun) if [ -n "$turns" ]; then echo 1 2 3 4 "${beyond[place % 3]}"; else echo $CONFORMANCE_PROCESSES; fi ;;
    *:one) echo $CONFORMANCE_ONE ;;
    *:plan) echo $CONFORMANCE_PLAN ;;
    *:tiers) echo $CONFORMANCE_TIERS ;;
    *:lists) echo $CONFORMANCE_LISTS ;;
    *)
        if [ -n "${CONFORMANCE_MPI-}" ]; then
            echo $CONFORMANCE_MPI
            return
        fi
        # One process has nobody to send to, so it is rare where that is what is tried.
        case $1 in
        openmpi:auto) small=(1 3) large=(5 7 9) ;;
        openmpi:*) small=(3 1 3) large=(5 7 9) ;;
        *) place=$((place + 1)) ;;
        esac
        case $1/$((place % 2)) in
        *:auto/0 | *:mpi/1) echo "${small[place / 2 % ${#small[@]}]}" ;;
        *) echo "${large[place / 2 % ${#large[@]}]}" ;;
        esac
        ;;
    esac
}

for way in $CONFORMANCE_WAYS; do
    start=$SECONDS before=$((ob_passed + ob_failed)) place=0
    for program in $(programs); do
        place=$((place + 1))
        for processes in $(numbers "$way" "$program" $place); do
            [[ " $CONFORMANCE_PROCESSES " == *" $processes "* ]] || continue
            # bsp_direct_get reads another process's memory, which qemu-user has no call for.
            if [ -n "$OB_EMULATOR" ] && [ "$processes" != 1 ] && [ "$(basename "$program")" = bsp_dialects ]; then
                echo "left out: bsp_dialects on $way, $processes processes" >&2
                continue
            fi
            try "$way" "$processes" "$program"
        done
    done
    echo "$way: $((ob_passed + ob_failed - before)) runs, $((SECONDS - start)) s"
done
ob_tally
