#!/bin/bash
# The build for simulations (docs/simulation.md) on a machine of 32 nodes: the
# conformance programs give right results, every figure of bench/sim repeats to the digit,
# and the driver fills its table. One program on one number of processes is one test.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
base=$OB_BUILD
export OB_BUILD=$OB_BUILD-sim
mkdir -p "$OB_BUILD"
ob_renew "$OB_BUILD" Ninja
log=$OB_BUILD/log
platform=$ob_root/bench/sim/platforms/mesh-4x8.xml
unset SMPI_PRETEND_CC

if ! command -v smpicc >/dev/null; then
    ob_fail "smpicc is not installed (libsimgrid-dev)"
    ob_tally
    exit 1
fi
if cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" -DCMAKE_C_COMPILER=smpicc \
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG" >"$log" 2>&1 </dev/null &&
    nice cmake --build "$OB_BUILD" --parallel "$ob_cores" >"$log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "build with smpicc" "$log"
    ob_tally
    exit 1
fi
if grep -q 'warning:' "$log"; then
    ob_fail "smpicc warns" "$log"
else
    ob_pass
fi
hosts=$OB_BUILD/hosts
for i in $(seq 0 31); do echo "n-$i"; done >"$hosts"

simulate() { # PROCESSES PROGRAM ARGS...
    local processes=$1
    shift
    timeout -k 5 $((200 * OB_SLOW)) smpirun -np "$processes" -platform "$platform" -hostfile "$hosts" \
        --cfg=smpi/tmpdir:"$OB_BUILD" --log=root.thres:critical "$@" </dev/null
}

conform() { # PROGRAM PROCESSES...
    local program=$1 processes
    shift
    for processes; do
        if simulate "$processes" "$OB_BUILD/$program" >"$log" 2>&1 &&
            grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log"; then
            ob_pass
        else
            ob_fail "$program, $processes simulated processes" "$log"
        fi
    done
}
conform core_conform 1 4
conform core_collective 1 7 16
conform core_stress 8
conform blacs_point 6
conform blacs_broadcast 8
conform blacs_combine 6
conform blacs_grids 8
conform blacs_many_grids 8
conform blacs_barrier 12

# All operations, twice, in two simulations: the same bytes.
for run in 1 2; do
    simulate 32 "$OB_BUILD/bench/sim/collectives" library 4x8:torus all 8,1000,65536,1048576 \
        >"$OB_BUILD/times.$run" 2>"$log"
done
if [ "$(wc -l <"$OB_BUILD/times.1")" = 41 ] && cmp "$OB_BUILD/times.1" "$OB_BUILD/times.2" >"$log"; then
    ob_pass
else
    ob_fail "two runs of bench/sim/collectives differ" "$log"
fi

# Long vectors carry no contents: 16 MiB on 32 processes in memory that has room for far less
# than their messages. And a wrong result of an imitation is found: this one leaves messages out.
(
    ulimit -v 700000
    simulate 32 --cfg=contexts/stack-size:512 "$OB_BUILD/bench/sim/collectives" library 4x8:torus all 16777216
) >"$log" 2>&1
if [ "$(grep -cE '^[a-z-]+,16777216,[1-9][0-9.]*,' "$log")" = 10 ]; then
    ob_pass
else
    ob_fail "16 MiB on 32 simulated processes" "$log"
fi
simulate 32 --cfg=smpi/coll-selector:ompi "$OB_BUILD/bench/sim/collectives" mpi 4x8:torus distribute 128,4096 \
    >"$log" 2>&1
if grep -qE '^distribute,128,[0-9.]+,wrong$' "$log" && grep -qE '^distribute,4096,[0-9.]+,$' "$log"; then
    ob_pass
else
    ob_fail "a wrong result of SMPI's Open MPI" "$log"
fi

# What it costs to send one message is known: 100 us at each side, 1 us of the
# link, 16 bytes at 40 MB/s.
one=$(simulate 2 "$OB_BUILD/bench/sim/collectives" library 1x2 broadcast 16 2>"$log" | cut -d, -f3)
if [ "$one" = 201.8 ]; then
    ob_pass
else
    ob_fail "one message takes '$one' us, not 201.8" "$log"
fi

# Long messages to several children go one after the other: on 8 processes three of 1 MiB, each 26 ms of
# the link, and one combine more when they come in; all at once take five. Who is first is taken first.
simulate 8 "$OB_BUILD/bench/sim/letters" 1 8 broadcast,sum,sum-all 12H 16,1048576 >"$log" 2>&1
for line in broadcast,1,1048576,78951.410 broadcast,2,1048576,105267.210 sum,1,1048576,78951.410 \
    sum,2,16,506.610 sum-all,1,1048576,157902.810; do
    if grep -qxF "$line" "$log"; then ob_pass; else ob_fail "a named topology does not take $line" "$log"; fi
done

# OPENBLACS_TOPOLOGY=plan: whatever the letter, it is the planner's choice and takes its time. Between
# nodes broadcasts along rings stay what they are.
OPENBLACS_TOPOLOGY=plan simulate 8 "$OB_BUILD/bench/sim/letters" 1 8 broadcast,sum,sum-all 12HIS 16,1048576 >"$log" 2>&1
if [ "$(grep -cE '^(broadcast|sum|sum-all),.,[0-9]+,[0-9.]+$' "$log")" = 30 ] &&
    [ "$(grep -vE '^broadcast,[IS],' "$log" | sed -nE 's/^([a-z-]+),.,/\1,/p' | sort -u | wc -l)" = 6 ]; then
    ob_pass
else
    ob_fail "letters differ though all topologies are planned" "$log"
fi
grep -E '^broadcast,[IS],' "$log" >"$OB_BUILD/planned"
simulate 8 "$OB_BUILD/bench/sim/letters" 1 8 broadcast IS 16,1048576 >"$log" 2>&1
if [ -s "$OB_BUILD/planned" ] && grep -E '^broadcast,[IS],' "$log" | cmp -s - "$OB_BUILD/planned"; then
    ob_pass
else
    ob_fail "OPENBLACS_TOPOLOGY=plan: broadcasts along rings between nodes are others than without" "$log"
fi

# Several processes on a machine of the platform are a node: they share boards, and one of them
# speaks to other nodes. A message takes 201.8 us: a broadcast to two nodes of 4 takes one, not three.
hosts=$OB_BUILD/hosts4
for i in $(seq 0 31); do echo "n-$((i / 4))"; done >"$hosts"
conform core_conform 4
conform core_collective 4 7 16
conform core_stress 8
conform blacs_point 6
conform blacs_broadcast 8
conform blacs_combine 6 8
conform blacs_many_grids 8
conform blacs_barrier 12
OPENBLACS_TOPOLOGY=plan simulate 8 "$OB_BUILD/bench/sim/letters" 1 8 broadcast 1 16 >"$log" 2>&1
if awk -F, '/^broadcast,1,16,/ {us = $4} END {exit !(us > 200 && us < 300)}' "$log"; then
    ob_pass
else
    ob_fail "a broadcast to two nodes of 4 takes something else than one message between them" "$log"
fi
# Memory of a node costs its readers what they read of it, which of a combine is a part of each member's
# values. 64 KiB are 8 us at 8 GB/s: a sum on 32 processes takes some of these, not 32.
hosts=$OB_BUILD/hosts1
for i in $(seq 0 31); do echo n-0; done >"$hosts"
platform=${platform%/*}/cluster-2x32.xml simulate 32 "$OB_BUILD/bench/sim/collectives" library 1x32 combine-all,distribute 65536 \
    >"$log" 2>&1
if awk -F, '/^(combine-all|distribute),65536,/ {n += $3 > 20 && $3 < 120} END {exit n != 2}' "$log"; then
    ob_pass
else
    ob_fail "sums on 32 processes of a node cost more than what they read" "$log"
fi
hosts=$OB_BUILD/hosts

# A trace of 512 simulated processes, in simulated time: all messages have both ends, none comes
# too early. tests/obtrace/report.sh opens it.
for i in $(seq 0 511); do echo "n-$i"; done >"$OB_BUILD/hosts512"
rm -f "$OB_BUILD/multiply.trace"
if OPENBLACS_TRACE=$OB_BUILD/multiply.new.trace OPENBLACS_TRACE_BUFFER=512K timeout -k 5 $((200 * OB_SLOW)) smpirun -np 512 \
    -platform "$ob_root/bench/sim/platforms/mesh-16x32.xml" -hostfile "$OB_BUILD/hosts512" \
    --cfg=smpi/tmpdir:"$OB_BUILD" --log=root.thres:critical "$OB_BUILD/bench/sim/multiply" 16 32 32 \
    >"$log" 2>&1 </dev/null && grep -qx '1024 passed, 0 failed' "$log" &&
    mv "$OB_BUILD/multiply.new.trace" "$OB_BUILD/multiply.trace"; then
    ob_pass
else
    ob_fail "a trace of 512 simulated processes" "$log"
fi
"$base/obtrace" stat --plain "$OB_BUILD/multiply.trace" >"$log" 2>&1
for line in 'processes 512' 'messages 31743' 'bytes 378876' 'unsent 0' 'unreceived 0' 'early 0'; do
    if grep -qx "$line" "$log"; then ob_pass; else ob_fail "the simulated trace: no '$line'" "$log"; fi
done

# The LU's lookahead hides its blocks' way to the others. Blocks that members forward come only after these members' updates,
# and hide nothing.
if [ -x "$OB_BUILD/bench/sim/lu_bsp" ]; then
    for i in $(seq 0 63); do echo "n-$i"; done >"$OB_BUILD/hosts64"
    factor() { # PLATFORM N WORD ...
        timeout -k 5 $((200 * OB_SLOW)) smpirun -np 64 -platform "$ob_root/bench/sim/platforms/$1.xml" -hostfile "$OB_BUILD/hosts64" \
            --cfg=smpi/tmpdir:"$OB_BUILD" --log=root.thres:critical "$OB_BUILD/bench/sim/lu_bsp" "$2" 32 8 8 charge-only "${@:3}" </dev/null
    }
    { factor fat-tree-1024 1000 && factor fat-tree-1024 1000 in-step; } >"$log" 2>&1
    if awk -F, '/,1000,32,8x8,/ {time[n++] = $5} END {exit !(n == 2 && time[0] > 0 && time[0] < .85 * time[1])}' "$log"; then
        ob_pass
    else
        ob_fail "the LU's lookahead on 64 nodes of a fat tree, in step" "$log"
    fi
    # Cholesky's takes hardly longer than its longest work, at 1 Gflop/s: nobody waits for one who is in its update.
    factor fat-tree-1024 2000 potrf >"$log" 2>&1
    if awk -F, '/^bsp_pdpotrf,2000,/ {ok = $5 > 1e-9 * $6 && $5 < 1.1e-9 * $6} END {exit !ok}' "$log"; then
        ob_pass
    else
        ob_fail "Cholesky's lookahead on 64 nodes of a fat tree" "$log"
    fi
    # QR's blocks are sooner factored by 8 processes than by one, whom others wait for.
    { factor t3e-8x8 1000 geqrf && factor t3e-8x8 1000 geqrf alone; } >"$log" 2>&1
    if awk -F, '/,1000,32,8x8,/ {time[n++] = $5} END {exit !(n == 2 && time[0] > 0 && time[0] < .8 * time[1])}' "$log"; then
        ob_pass
    else
        ob_fail "QR by process columns on a T3E, alone" "$log"
    fi
fi

# Redistribution between grids of which one has fewer processes: every element is compared there.
if simulate 12 "$OB_BUILD/bench/sim/redist_ours" 200 8 3 4 5 2 3 >"$log" 2>&1 &&
    grep -qE '^redist,200,8,3x4,5,2x3,0\.[0-9]*[1-9][0-9]*$' "$log"; then
    ob_pass
else
    ob_fail "a simulated redistribution" "$log"
fi

# Programs with exactly one wait state each.
if "$ob_root/tests/obtrace/patterns.sh" "$base" "$OB_BUILD" >"$log" 2>&1; then
    ob_pass "$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log")"
else
    ob_fail "wait states" "$log"
fi

# What a replay predicts, and what a second run takes.
if "$ob_root/tests/obtrace/replays.sh" "$base" "$OB_BUILD" >"$log" 2>&1; then
    ob_pass "$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log")"
else
    ob_fail "predictions" "$log"
fi

# The driver: a table and a CSV with every operation and length; and it says so when
# an operation is none.
if timeout -k 5 $((300 * OB_SLOW)) "$ob_root/bench/sim/compare" --build "$OB_BUILD" --platform "$platform" \
    --bytes 16,65536 --candidates 2 --csv "$OB_BUILD/table.csv" >"$log" 2>&1 </dev/null &&
    grep -qE '^largest ratio to the best of the other libraries: [0-9.]+$' "$log"; then
    ob_pass
else
    ob_fail "bench/sim/compare" "$log"
fi
for operation in broadcast combine combine-all scatter gather collect distribute; do
    for who in planner ompi mpich mvapich2 candidate; do
        if grep -qE "^$operation,65536,$who,[1-9][0-9.]*," "$OB_BUILD/table.csv"; then
            ob_pass
        else
            ob_fail "no figure for $operation by $who" "$log"
        fi
    done
done
# What the others take is read from a file, or simulated and kept there; tables go between marks.
printf '%s\n' platform,processes,library,operation,bytes,microseconds \
    mesh-4x8,32,ompi,gather,4096,2000 mesh-4x8,32,mpich,gather,4096, >"$OB_BUILD/peers.csv"
printf '%s\n' before '<!-- bench/sim/compare: mesh-4x8 -->' old '<!-- end -->' after >"$OB_BUILD/table.md"
if timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/compare" --build "$OB_BUILD" --platform "$platform" --keep \
    --operations gather,barrier --libraries ompi,mpich --peers "$OB_BUILD/peers.csv" \
    --markdown "$OB_BUILD/table.md" >"$log" 2>&1 </dev/null &&
    grep -qE '^\| gather \| 0\.50 \|$' "$OB_BUILD/table.md" && ! grep -q old "$OB_BUILD/table.md" &&
    [ "$(sed -n '1p;$p' "$OB_BUILD/table.md" | xargs)" = 'before after' ] &&
    grep -qE '^mesh-4x8,32,mpich,barrier,0,[1-9]' "$OB_BUILD/peers.csv"; then
    ob_pass
else
    ob_fail "bench/sim/compare with a file of the others' figures" "$log"
fi
if "$ob_root/bench/sim/compare" --build "$OB_BUILD" --markdown "$OB_BUILD/table.md" >"$log" 2>&1 ||
    ! grep -q "table.md has no line '<!-- bench/sim/compare: mesh-16x32 -->'" "$log"; then
    ob_fail "bench/sim/compare takes a document without the machine's marks" "$log"
else
    ob_pass
fi
if "$ob_root/bench/sim/compare" --build "$OB_BUILD" --operations nonsense >"$log" 2>&1 ||
    ! grep -q 'no operation nonsense' "$log"; then
    ob_fail "bench/sim/compare takes an operation that is none" "$log"
else
    ob_pass
fi
# The table of the iCC paper, of a small mesh: a tree takes at least twice as long for what is long.
if timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/icc-table" --build "$OB_BUILD" --platform "$platform" --bytes 16,65536 \
    >"$log" 2>&1 </dev/null &&
    [ "$(grep -cE '^\| (the whole mesh, 32|a row, 8|a column, 4) nodes \| (broadcast|sum to all) \| [0-9]+ \| [1-9][0-9]* \| [1-9][0-9]* \|' "$log")" = 12 ] &&
    grep -qE '^\| the whole mesh, 32 nodes \| sum to all \| 65536 \| [0-9]+ \| [0-9]+ \| [2-9]\.[0-9]+ \|  \|$' "$log"; then
    ob_pass
else
    ob_fail "bench/sim/icc-table" "$log"
fi
# The LU in supersteps, with blocks factored by process columns; without a ScaLAPACK for the
# simulator its columns stay empty.
if timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/lu-table" --build "$OB_BUILD" --orders 200,230 --grids 4x4 --charge-only 230 >"$log" 2>&1 </dev/null &&
    grep -qE '^\| 200 \| [0-9.]+ \| - \| - \| [0-9.]+ \| - \| [0-9.]+ ' "$log" &&
    grep -qE '^\| 230 \(charged only\) \| [0-9.]+ \| - ' "$log"; then
    ob_pass
else
    ob_fail "bench/sim/lu-table" "$log"
fi
# The same on a cluster with 32 processes a node, and ScaLAPACK beside it where there is one.
if timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/scalapack-table" --build "$OB_BUILD" --drivers getrf --orders 64 --blocks 4 \
    --keep "$OB_BUILD/scalapack.csv" >"$log" 2>&1 </dev/null &&
    grep -qE '^\| getrf \| 8x8 \| 64 \| - \| - \| - \| - \| [0-9.]+ \| [0-9.]+ \| - ' "$log" &&
    "$ob_root/bench/sim/scalapack-table" --known --drivers getrf --orders 64 --blocks 4 --keep "$OB_BUILD/scalapack.csv" |
    cmp - "$log" >"$OB_BUILD/differ" 2>&1; then
    ob_pass
else
    ob_fail "bench/sim/scalapack-table" "$log"
fi
# A sweep over grids and blocks keeps its figures, goes on from them, and prints them without a build.
rm -f "$OB_BUILD/lu.csv"
sweep="--orders 64,96 --grids 2x2,4x1 --rates --keep $OB_BUILD/lu.csv"
# shellcheck disable=SC2086 # a list of words
if timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/lu-table" --build "$OB_BUILD" $sweep --blocks 16 >"$log" 2>&1 </dev/null &&
    cp "$OB_BUILD/lu.csv" "$OB_BUILD/lu.before.csv" &&
    timeout -k 5 $((100 * OB_SLOW)) "$ob_root/bench/sim/lu-table" --build "$OB_BUILD" $sweep --blocks 16,32 >"$log" 2>&1 </dev/null &&
    [ "$(wc -l <"$OB_BUILD/lu.csv")" = 9 ] && [ "$(head -5 "$OB_BUILD/lu.csv")" = "$(cat "$OB_BUILD/lu.before.csv")" ] &&
    "$ob_root/bench/sim/lu-table" --known $sweep --blocks 16,32,48 >"$OB_BUILD/lu.known" 2>&1 &&
    grep -qE '^\| n = 96 \| nb = 16 \| nb = 32 \| nb = 48 \|$' "$OB_BUILD/lu.known" &&
    [ "$(grep -cE '^\| (2x2|4x1) \| [0-9.*]+ / - / - \| [0-9.*]+ / - / - \| - / - / - \|$' "$OB_BUILD/lu.known")" = 4 ]; then
    ob_pass
else
    ob_fail "bench/sim/lu-table, a sweep that is kept" "$log"
fi
ob_tally
