#!/bin/bash
# Wrong calls print one clear line and end the job: alone, under obrun, and under
# both MPI launchers.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
program=$OB_BUILD/tests/blacs_bad_input

# The script's own last line counts the wrong calls.
try() { # NAME PROCESSES LAUNCHER...
    local name=$1 processes=$2 line
    shift 2
    PROCESSES=$processes timeout -k 5 600 sh "$ob_root/tests/blacs/bad_input.sh" "$program" "$@" \
        >"$log" 2>&1 </dev/null
    line=$(tail -n 1 "$log")
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        ob_pass "${BASH_REMATCH[1]}"
        [ "${BASH_REMATCH[2]}" = 0 ] || ob_fail "$name: ${BASH_REMATCH[2]} wrong calls" "$log"
    else
        ob_fail "$name: did not come to its end" "$log"
    fi
}
try alone 1
try obrun 2 "$(ob_obrun)" -n 2
try openmpi 2 mpirun.openmpi -n 2
try mpich 2 mpirun.mpich -n 2

# A setting that the way of starting cannot give.
setting() { # HOW LINE
    ob_launch "$1" 1 60 OPENBLACS_TRANSPORT=mpi -- "$program" none >"$log" 2>&1
    if [ $? != 0 ] && grep -qF "OpenBLACS: blacs_pinfo: $2" "$log"; then
        ob_pass
    else
        ob_fail "OPENBLACS_TRANSPORT=mpi, $1" "$log"
    fi
}
setting self "OPENBLACS_TRANSPORT is 'mpi', but this program has no MPI; use auto or shm"
setting obrun "OPENBLACS_TRANSPORT is 'mpi', but this process was started by obrun, which has no MPI; use auto or shm; process number 0"
ob_tally
