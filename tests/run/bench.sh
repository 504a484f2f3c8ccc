#!/bin/bash
# bench/compare, bench/drivers and bench/factors run and fill their tables: one short round, whose figures say
# nothing and are not judged. Rounds count as near unless a flag takes a second, so none is dropped.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if timeout -k 5 $((240 * OB_SLOW)) "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 1 --processes 2 --near 1e9 \
    --keep "$work/kept" --markdown "$work/table.md" >"$work/log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "bench/compare" "$work/log"
fi
# The figures that were kept give the same table, and the document gets it.
printf 'before\n<!-- bench/compare: collectives -->\nold\n<!-- end -->\nafter\n' >"$work/document.md"
if "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 0 --near 1e9 --keep "$work/kept" \
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
# A row has what the machine itself needs: for 8 bytes a flag's way, for more a copy.
for row in "echo/2 | 8" "sum/2 | 16M"; do
    if grep -F -e "| $row |" "$work/table.md" | grep -qE '^\|[^|]*\|[^|]*\| [0-9.]+ \|'; then
        ob_pass
    else
        ob_fail "the machine's own time is missing beside $row" "$work/table.md"
    fi
done
if grep -q '^Near processors: .* less than 1e+09 ns .*measured: [0-9]' "$work/table.md" &&
    grep -q '^Only near processors were met' "$work/table.md"; then
    ob_pass
else
    ob_fail "the table does not say where the processors were" "$work/table.md"
fi
# Figures of both states have a table each; those of a round in which the state changed have none.
sed -n '1p;s/^figure near obrun echo.2 8 .*/&\n&/p' "$work/kept" |
    sed '3s/near \(obrun.*\) .*/far \1 4711/' >"$work/both"
if "$ob_root/bench/compare" --build "$OB_BUILD" --rounds 0 --near 1e9 --keep "$work/both" >"$work/log" 2>&1 &&
    awk '/^Near/ { near = 1 } /^Far/ { far = near } /echo.* 4711/ { exit !far } ENDFILE { exit 1 }' "$work/log"; then
    ob_pass
else
    ob_fail "near and far figures share a table" "$work/log"
fi
python3 -B - "$ob_root/bench" >"$work/log" 2>&1 <<'END' && ob_pass || ob_fail "a round in which the processors moved" "$work/log"
import sys, types
sys.path.insert(0, sys.argv[1])
import runner
floors = iter(({("floor/flag", "-"): us} for us in (0.05, 0.06, 0.2, 0.3, 0.05)))
runner.Runner.measure_floor = lambda self: next(floors)
r = runner.Runner(types.SimpleNamespace(build=".", calm=0, keep=None, near=100, bind=False, rounds=1))
for us in (1, 2, 3, 4):
    r.round(lambda: r.note("work", "8", "obrun", us))
assert {s: f["work", "8"]["obrun"] for s, f in r.figures.items()} == {"near": [1], "far": [3]}, r.figures
assert r.moved == 2 and "2 of 4 rounds" in r.notes()[0], r.notes()
END
# --bind: each process may use one processor, counted around, whatever the launcher.
processors=$(python3 -c 'import os; p = sorted(os.sched_getaffinity(0)); print(*sorted(p[i % len(p)] for i in range(3)))')
for how in obrun $ob_mpis; do
    python3 -B - "$ob_root/bench" "$OB_BUILD" "$how" >"$work/log" 2>&1 <<'END'
import os, subprocess, sys, types
sys.path.insert(0, sys.argv[1])
import runner
r = runner.Runner(types.SimpleNamespace(build=sys.argv[2], calm=0, keep=None, near=100, bind=True, rounds=0))
words, _ = r.launcher(sys.argv[3], 3, False)
subprocess.run(words + ["grep", "Cpus_allowed_list", "/proc/self/status"], timeout=60, check=True)
END
    if [ "$(awk '{ print $2 }' "$work/log" | sort -n | xargs)" = "$processors" ]; then
        ob_pass
    else
        ob_fail "--bind under $how does not give processors $processors" "$work/log"
    fi
done
# ScaLAPACK's drivers: each result is checked by the program; a wrong one ends it with a failure.
if timeout -k 5 $((240 * OB_SLOW)) "$ob_root/bench/drivers" --build "$OB_BUILD" --rounds 1 --orders 70 --block 8 --grids 1x2 \
    --ways obrun,ours-openmpi,netlib-openmpi \
    --near 1e9 --limit 20 --markdown "$work/drivers.md" >"$work/log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "bench/drivers" "$work/log"
fi
for driver in gemm getrf potrf geqrf syevd gesvd; do
    if grep -qE "^\| pd$driver \|( [0-9.]+ \|){3}.* [0-9.]+ \|( [0-9.]+ \|){2}" "$work/drivers.md"; then
        ob_pass
    else
        ob_fail "bench/drivers has no figures for pd$driver" "$work/log"
    fi
done
# Factorisations in supersteps, beside ScaLAPACK's.
if timeout -k 5 $((240 * OB_SLOW)) "$ob_root/bench/factors" --build "$OB_BUILD" --rounds 1 --orders 70 --block 8 --grids 1x2 \
    --runs 3 --near 1e9 --markdown "$work/factors.md" >"$work/log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "bench/factors" "$work/log"
fi
for routine in potrf-l potrf-u getrf geqrf gels gels-wide gemm gemm-tn gemm-nt gemm-flat ormqr ormqr-t ormqr-right ormqr-below sytrd stedc hetrd gebrd; do
    if grep -qE "^\| $routine \| 70 \|( [0-9.]+ \|){3}" "$work/factors.md"; then
        ob_pass
    else
        ob_fail "bench/factors has no figures for $routine" "$work/log"
    fi
done
# The MLACS' program by itself: what it is compared with takes half a minute.
if timeout -k 5 $((60 * OB_SLOW)) "$(ob_obrun)" -n 2 "$OB_BUILD/bench/bench_mlacs" >"$work/log" 2>&1 </dev/null; then
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
# A sum beside computing, a short one: what it is compared with takes long where others compute.
if timeout -k 5 $((60 * OB_SLOW)) "$(ob_obrun)" -n 2 "$OB_BUILD/bench/bench_overlap" 300000 3 >"$work/log" 2>&1 </dev/null &&
    [ "$(grep -cE '^((waits|sum) 300000|(computing|both|ratio) x(1|4|16)) [0-9.]+$' "$work/log")" = 11 ]; then
    ob_pass
else
    ob_fail "bench_overlap" "$work/log"
fi
# Redistribution, in turn with netlib's, which leaves the same matrix.
if "$ob_root/bench/redist" --build "$OB_BUILD" 200 1 >"$work/log" 2>&1 </dev/null &&
    [ "$(grep -cE '^2 x 2 to (4 x 1|1 x 4), n 200: OpenBLACS +[0-9.]+ ms, +[0-9.]+ of one copy$' "$work/log")" -ge 6 ] &&
    ! grep -q 'RESULTS DIFFER' "$work/log"; then
    ob_pass
else
    ob_fail "bench/redist" "$work/log"
fi
if timeout -k 5 $((60 * OB_SLOW)) "$(ob_obrun)" -n 4 "$OB_BUILD/bench/bench_redist_many" 5 8 3 >"$work/log" 2>&1 </dev/null &&
    grep -qE '^5 matrices of 8 x 8, 4 processes: one by one [0-9.]+ us, together [0-9.]+ us, [0-9.]+ of it$' "$work/log"; then
    ob_pass
else
    ob_fail "bench_redist_many" "$work/log"
fi
if grep -qE '^geometric mean of .*: [0-9.]+$' "$work/table.md"; then
    ob_pass
else
    ob_fail "no geometric mean" "$work/log"
fi
ob_tally
