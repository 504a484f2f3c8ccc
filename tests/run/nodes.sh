#!/bin/bash
# Collective calls on two nodes (scripts/nodes.sh), Open MPI over TCP between them: tests/nodes
# with 1, 2 and 3 processes on each; members that disagree; schemes that are asked for; MPI
# programs under libicc-mpi. Left out, with the reason, where nodes cannot be made.
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
done
try "all through MPI" 2 -x OPENBLACS_TRANSPORT=mpi "$program"
# Schemes for all four members, which have no levels then.
try "a scheme for all" 2 -x "OPENBLACS_PLAN=broadcast=broadcast4@1:tree,combine-all=exchange4@1:halving" \
    "$program"
# Members whose chunks are as long, but not as many.
for scheme in broadcast=broadcast2@1:tree,combine-all=exchange2@1:halving combine-all=combine2@1:tree+broadcast2@1:tree; do
    try "disagreement, $scheme" 1 -x "OPENBLACS_PLAN=$scheme" "$program" disagree
done
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
