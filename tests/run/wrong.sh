#!/bin/bash
# Wrong calls of the BLACS: the exact error line of each, on every launcher.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
program=$OB_BUILD/tests/blacs_bad_input
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    local line
    "$ob_root/tests/blacs/bad_input.sh" "$program" "$@" >"$log" 2>&1
    cat "$log"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
    ob_pass "$(sed -nE 's/^([0-9]+) passed.*/\1/p' <<<"$line")"
    local f
    f=$(sed -nE 's/.* ([0-9]+) failed.*/\1/p' <<<"$line")
    ob_failed=$((ob_failed + ${f:-1}))
}
PROCESSES=1 run
PROCESSES=2 run "$OB_BUILD/obrun" -n 2
PROCESSES=2 run mpirun.openmpi -n 2
PROCESSES=2 run mpirun.mpich -n 2
ob_tally
