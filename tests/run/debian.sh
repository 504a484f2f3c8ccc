#!/bin/bash
# Debian's own test programs: the BLACS testers and the ScaLAPACK drivers.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() {
    local line
    "$@" >"$log" 2>&1
    cat "$log"
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
    if [ -z "$line" ]; then ob_fail "$*"; return; fi
    ob_pass "${line%% *}"
    line=${line#* passed, }
    ob_failed=$((ob_failed + ${line%% *}))
}
run "$ob_root/tests/debian/blacs.sh"
run "$ob_root/tests/debian/scalapack.sh"
ob_tally
