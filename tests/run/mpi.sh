#!/bin/bash
# Runs the tests of the MPI modules (tests/mpi) for Open MPI and MPICH.
#   tests/run/mpi.sh [all]     all: with every number of processes
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for mpi in $ob_mpis; do
    timeout -k 5 $((600 * OB_SLOW)) sh "$ob_root/tests/mpi/run.sh" "$OB_BUILD" "$OB_BUILD/tests/mpi" $mpi mpicc.$mpi "$@" \
        >"$log" 2>&1
    if [[ $(tail -n 1 "$log") =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        ob_pass "${BASH_REMATCH[1]}"
        [ "${BASH_REMATCH[2]}" = 0 ] || ob_fail "$mpi: ${BASH_REMATCH[2]} failed" "$log"
    else
        ob_fail "$mpi: did not come to its end" "$log"
    fi
done
ob_tally
