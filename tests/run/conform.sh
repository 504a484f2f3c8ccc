#!/bin/bash
# The conformance programs (tests/core, tests/blacs) on every transport: alone,
# shared memory (obrun), and both MPI libraries with and without shared memory.
# The core's suite runs on all with 1 to 9 processes; the BLACS' on 1 to 9
# under obrun and on a few job sizes under MPI (all of them with OB_LONG=1).
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
all="1 2 3 4 5 6 7 8 9"
few="2 4 7"
[ -z "${OB_LONG-}" ] || few=$all

# one PROGRAM HOW PROCESSES [SETTING]
one() {
    local program=$1 how=$2 processes=$3 setting=(${4-}) line
    ob_launch "$how" "$processes" 120 "${setting[@]}" -- "$OB_BUILD/tests/$program" >"$log" 2>&1
    local status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
    local p=${line%% *} f
    f=$(sed -nE 's/.* ([0-9]+) failed.*/\1/p' <<<"$line")
    if [ $status = 0 ] && [ "${f:-1}" = 0 ] && [ "${p:-0}" -gt 0 ]; then
        ob_pass
    else
        ob_fail "$program, $how, $processes processes ${4-}" "$log"
    fi
}

each() {
    local how=$1 sizes=$2 setting=${3-}
    shift 3
    for program in "$@"; do
        for processes in $sizes; do
            one "$program" "$how" "$processes" "$setting"
        done
    done
}

cd "$OB_BUILD/tests" || exit 1
core=$(ls -d core_* | grep -v -e '\.' -e core_big)
blacs=$(ls -d blacs_* | grep -v -e '\.' -e bad_input -e '_blacs$')
cd / || exit 1
each self 1 "" $core $blacs
each obrun "$all" "" $core $blacs
for mpi in openmpi mpich; do
    each $mpi "$all" "" $core
    each $mpi "$few" "" $blacs
    each $mpi "$all" OPENBLACS_TRANSPORT=mpi $core
    each $mpi "2 4" OPENBLACS_TRANSPORT=mpi $blacs
done
ob_tally
