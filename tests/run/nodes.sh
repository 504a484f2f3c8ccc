#!/bin/bash
# Collective calls on two nodes (scripts/nodes.sh), Open MPI over TCP between them: tests/nodes
# with 1, 2 and 3 processes on each; members that disagree; schemes that are asked for;
# redistribution; MPI programs under libicc-mpi. Left out, with the reason, where nodes cannot be made.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
. "$ob_root/scripts/nodes.sh"
log=$(mktemp)
trap 'ob_nodes_down; rm -f "$log"' EXIT
program=$OB_BUILD/tests/nodes/nodes_test
if ! ob_nodes_up; then
    echo "0 passed, 0 failed"
    exit 0
fi
[ -x "$program" ] || ob_fail "there is no $program"

# The last line of the program counts.
try() { # NAME PER_NODE [OPTIONS] PROGRAM [ARGS]
    local name="$1 (2 nodes, $2 processes on each)" each=$2
    shift 2
    if ob_nodes_run "$each" 100 "$@" >"$log" 2>&1 &&
        [[ $(tail -n 1 "$log") =~ ^([1-9][0-9]*)\ passed,\ 0\ failed$ ]]; then
        ob_pass "${BASH_REMATCH[1]}"
    else
        ob_fail "$name" "$log"
    fi
}

for each in 1 2 3; do
    try "collective calls" $each "$program"
    try "disagreement" $each "$program" disagree
    try "levels" $each "$program" levels
done
# Where three of a node are too many for one board.
try "collective calls, tiers" 3 -x OPENBLACS_TIERS=2 "$program"
try "disagreement, tiers" 3 -x OPENBLACS_TIERS=2 "$program" disagree
for each in 1 2 3; do
    try "collective calls that do not wait" $each "$OB_BUILD/tests/core_overlap"
    try "the BLACS' calls that do not wait" $each "$OB_BUILD/tests/blacs_begun"
    try "calls that are put together" $each "$OB_BUILD/tests/core_together"
done
# The MPI library's own calls between the nodes' leaders; every letter, too.
native=broadcast=native,combine=native,combine-all=native,scatter=native,gather=native,collect=native,distribute=native
for each in 1 2; do
    try "native calls" $each -x "OPENBLACS_PLAN=$native" "$program"
    try "disagreement, native calls" $each -x "OPENBLACS_PLAN=$native" "$program" disagree
done
# The planner takes them where a profile says that they win, and nowhere else.
profile() { # FILE MICROSECONDS
    sed '/^end /d' "$ob_root/tests/obbench/machine.profile" >"$1"
    for task in broadcast combine combine-all; do echo "native $task 2 0 $2 0"; done >>"$1"
    echo "end $(wc -l <"$1")" >>"$1"
}
planted=$ob_nodes_dir/profile
for each in 1 2; do
    for us in 0 1e9; do
        profile "$planted" $us
        word=wins
        [ $us = 0 ] || word=loses
        if ob_nodes_run $each 100 -x OPENBLACS_PROFILE="$planted" "$OB_BUILD/tests/mpi/mpi_native_openmpi" $word \
            >"$log" 2>&1 && grep -qx passed "$log" && ! grep -q OpenBLACS: "$log"; then
            ob_pass
        else
            ob_fail "a profile in which native $word ($each)" "$log"
        fi
    done
    profile "$planted" 0
    try "a profile in which native wins" $each -x OPENBLACS_PROFILE="$planted" "$program"
    try "disagreement, native wins" $each -x OPENBLACS_PROFILE="$planted" "$program" disagree
done
# obbench measures them between the nodes' first processes, and messages, too.
file=$ob_nodes_dir/measured
if ob_nodes_run 2 300 "$OB_BUILD/obbench" fit --rounds 1 --again 0 --reps 3 --top 1 --lengths 8,4K -q --no-mpi \
    --profile "$file" --format csv --output "$file.csv" >"$log" 2>&1 &&
    [ "$(grep -c '^native ' "$file")" -ge 3 ] && [ "$(grep -c '^openblacs,.*,n,nodes,2,0,.*' "$file.csv")" = 6 ] &&
    grep -q '^openblacs,tc,,,4,0,.*,2,' "$file.csv" &&
    "$OB_BUILD/obinfo" --profile "$file" | grep -q '^native combine-all, 2 nodes: from 0:'; then
    ob_pass
else
    ob_fail "obbench fit on two nodes" "$log"
fi
try "every letter" 2 "$OB_BUILD/tests/core_collective"
try "all through MPI" 2 -x OPENBLACS_TRANSPORT=mpi "$program"
# Schemes for all four members, which have no levels then.
try "a scheme for all" 2 -x "OPENBLACS_PLAN=broadcast=broadcast4@1:tree,combine-all=exchange4@1:halving" \
    "$program"
# Members whose chunks are as long, but not as many.
for scheme in broadcast=broadcast2@1:tree,combine-all=exchange2@1:halving combine-all=combine2@1:tree+broadcast2@1:tree; do
    try "disagreement, $scheme" 1 -x "OPENBLACS_PLAN=$scheme" "$program" disagree
done
# Redistribution, where some are on our node and others are not; in the smallest heap, too.
for each in 1 2 3; do
    try "redistribution" $each "$OB_BUILD/tests/redist/redist_moves" 30 $each
    try "redistribution in short pieces" $each "$OB_BUILD/tests/redist/redist_moves_short" 30 $each
done
if ob_nodes_run 2 100 -x OPENBLACS_HEAP=1M -x OPENBLACS_HEAP_SECONDS=2 "$OB_BUILD/examples/new_grid" 2000 \
    >"$log" 2>&1 && grep -q '^2000 x 2000 .*: all elements are there, ' "$log"; then
    ob_pass
else
    ob_fail "new_grid in a heap of 1 MiB on two nodes" "$log"
fi
# Its broadcasts go on, or do not, by where the processes of a column are.
[ ! -x "$OB_BUILD/tests/lu/lu_cholesky" ] || try "Cholesky" 3 -x OPENBLAS_NUM_THREADS=1 "$OB_BUILD/tests/lu/lu_cholesky"
for name in reduce move; do
    try "libicc-mpi, $name" 2 -x "LD_PRELOAD=$OB_BUILD/libicc-mpi-openmpi.so" \
        "$OB_BUILD/tests/icc/icc_mpi_${name}_openmpi"
done

# Traces of two nodes whose clocks are 5000 s apart (a time namespace): a reading at the begin and one
# at the end, of which obtrace makes one clock, and no message that comes before it was sent. Of a run
# that a signal has ended the first reading is enough.
file=$(mktemp)
later=$ob_nodes_dir/later
cat >"$later" <<'END'
#!/bin/sh
case $(hostname) in *-2) exec unshare --time --fork --kill-child --monotonic 5000 "$@" ;; esac
exec "$@"
END
chmod +x "$later"
if unshare --time --fork --monotonic 5000 true 2>/dev/null; then
    export OMPI_MCA_odls_base_sigkill_timeout=5
    for run in "1 exit 2" "3 exit 2" "1 term 1"; do
        read -r each end readings <<<"$run"
        rm -f "$file"
        ob_nodes_run $each 60 -x OPENBLACS_TRACE="$file" "$later" "$OB_BUILD/tests/trace_talk" $end >"$log" 2>&1 ||
            [ $end = term ] || ob_fail "a trace of two nodes" "$log"
        "$OB_BUILD/tests/trace_examine" "$file" >"$log" 2>&1 || ob_fail "a trace of two nodes is wrong" "$log"
        for line in "written $((2 * each))" 'finished 1' "$each readings of clocks $readings"; do
            if grep -qxF -e "$line" "$log"; then ob_pass; else ob_fail "trace of two nodes: no line '$line'" "$log"; fi
        done
        "$OB_BUILD/obtrace" stat --plain "$file" >"$log" 2>&1
        for line in 'early 0' "clock $each offset -(4999|5000)[0-9]{9} error [0-9]{1,8}"; do
            if grep -qxE -e "$line" "$log"; then ob_pass; else ob_fail "trace of two nodes: stat has no line '$line'" "$log"; fi
        done
        length=$(sed -n 's/^length //p' "$log")
        if [ "${length:-0}" -gt 0 ] && [ "$length" -lt 60000000000 ]; then
            ob_pass
        else
            ob_fail "trace of two nodes: $length ns long" "$log"
        fi
    done
else
    echo "no two clocks: this user may not make time namespaces"
fi
rm -f "$file"
ob_tally
