#!/bin/bash
# Tests that take minutes and gigabytes: messages beyond 2^31 bytes and elements,
# and minutes of random traffic.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

try() { # NAME HOW PROCESSES SECONDS [NAME=VALUE ...] -- PROGRAM...
    local name=$1
    shift
    if ob_launch "$@" >"$log" 2>&1 && grep -qE '[1-9][0-9]* passed, 0 failed' "$log"; then
        ob_pass
    else
        ob_fail "$name" "$log"
    fi
    grep -i "left out" "$log"
}
for way in obrun $ob_mpis; do
    try "big messages, $way" $way 2 1800 -- "$OB_BUILD/tests/core_big"
    try "stress, $way" $way 5 300 -- "$OB_BUILD/tests/core_stress" 7 60
done
for way in $ob_mpis; do
    try "big messages, $way, all through MPI" $way 2 1800 OPENBLACS_TRANSPORT=mpi -- \
        "$OB_BUILD/tests/core_big"
done
# With 64-bit integers, more than 2^31 elements in each call.
for way in obrun $ob_mpis; do
    try "BLACS beyond 2^31 elements, $way" $way 2 1800 -- "$OB_BUILD/tests/blacs_big"
done
for way in $ob_mpis; do
    try "BLACS beyond 2^31 elements, $way, all through MPI" $way 2 1800 OPENBLACS_TRANSPORT=mpi -- \
        "$OB_BUILD/tests/blacs_big"
done
# Sizes are told with all their digits.
if ! ob_launch obrun 2 600 -- "$OB_BUILD/tests/blacs_big" 4294967396 >"$log" 2>&1 &&
    grep -q 'has 4294967396 .* elements (17179869584 bytes), the receive expects 100 .* (400 bytes)' "$log"; then
    ob_pass
else
    ob_fail "100 elements and 2^32 + 100 are told apart" "$log"
fi
ob_tally
