#!/bin/bash
# Messages beyond 2^31 bytes and 2^31 elements; needs about 16 GiB of memory.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for program in "$OB_BUILD"/tests/core_big "$OB_BUILD"/tests/blacs_big; do
    [ -x "$program" ] || continue
    if ob_launch obrun 2 1500 -- "$program" >"$log" 2>&1; then ob_pass; else ob_fail "$program" "$log"; fi
    cat "$log"
done
ob_tally
