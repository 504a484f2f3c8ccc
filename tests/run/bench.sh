#!/bin/bash
# bench/compare runs and fills its table: one short round, whose figures say
# nothing and are not judged.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if timeout -k 5 240 "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 1 --processes 2 \
    --keep "$work/kept" --markdown "$work/table.md" >"$work/log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "bench/compare" "$work/log"
fi
# The figures that were kept give the same table, and the document gets it.
printf 'before\n<!-- bench/compare: collectives -->\nold\n<!-- end -->\nafter\n' >"$work/document.md"
if "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 0 --keep "$work/kept" \
    --markdown "$work/again.md" --document "$work/document.md" >"$work/log" 2>&1 &&
    cmp "$work/table.md" "$work/again.md" >>"$work/log"; then
    ob_pass
else
    ob_fail "bench/compare --keep" "$work/log"
fi
if grep -qE '^\| sum / better MPI, 2 .*\| [*0-9]+\.' "$work/document.md" && grep -q '^after$' "$work/document.md" &&
    ! grep -q '^old$' "$work/document.md"; then
    ob_pass
else
    ob_fail "the document got no table" "$work/document.md"
fi
echo stale >"$work/stale"
if "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 0 --keep "$work/stale" >"$work/log" 2>&1; then
    ob_fail "figures of another build were taken" "$work/log"
else
    ob_pass
fi
for row in "start-up/4" "pdgetrf" "echo/2 | 8 " "echo/2 | 16M-columns-of-64" "sum/2 | 64K" "amx | 2 | 4K" "broadcast | 2 | 8"; do
    if grep -F -e "| $row" "$work/table.md" | grep -qE '\| +[0-9.]+ \|'; then
        ob_pass
    else
        ob_fail "the table has no figures for $row" "$work/log"
    fi
done
# No message of 8 bytes takes a millisecond: nothing is that far apart, and all is nearer.
for distance in "--above 1000:7 of 7 runs were dropped" "--below 1000:echo/2 "; do
    timeout -k 5 120 "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 1 --processes 2 --only echo \
        ${distance%%:*} >"$work/log" 2>&1 </dev/null
    if grep -q "${distance#*:}" "$work/log"; then
        ob_pass
    else
        ob_fail "bench/compare ${distance%%:*}" "$work/log"
    fi
done
# The MLACS' program by itself: what it is compared with takes half a minute.
if timeout -k 5 60 "$(ob_obrun)" -n 2 "$OB_BUILD/bench/bench_mlacs" >"$work/log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "bench_mlacs" "$work/log"
fi
for row in "isend/2 512x512-trapezoid" "overlap/2 8M-both" "outstanding/2 10000" "maxloc/2 512x512"; do
    if grep -qE "^$row [0-9.]+\$" "$work/log"; then
        ob_pass
    else
        ob_fail "bench_mlacs printed no figure for $row" "$work/log"
    fi
done
if grep -qE '^geometric mean of .*: [0-9.]+$' "$work/table.md"; then
    ob_pass
else
    ob_fail "no geometric mean" "$work/log"
fi
ob_tally
