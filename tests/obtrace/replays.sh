#!/bin/bash
# What obtrace whatif predicts, beside what a second run takes: in simulated time, which is exact.
#   tests/obtrace/replays.sh BUILD_DIR SIMULATED_BUILD_DIR [--table]
# SUMMA (bench/sim/multiply) with other topologies, the planner's choice, without latency, with
# infinite bandwidth and on a faster network; the LU, the LU in step, and PDGETRF where the simulated
# build has ScaLAPACK. Errors are at most 15 %; --table prints them for docs/tracing.md.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
usage="usage: tests/obtrace/replays.sh BUILD_DIR SIMULATED_BUILD_DIR [--table]"
obtrace=$(cd "${1:?$usage}" && pwd)/obtrace
simulated=$(cd "${2:?$usage}" && pwd)
table=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in $(seq 0 31); do echo "n-$i"; done >"$work/hosts"
for i in $(seq 0 31); do echo "n-0"; done >"$work/one-node"
cp "$ob_root/bench/sim/platforms/cluster-2x32.xml" "$work/node.xml"
hosts=$work/hosts
mesh=$ob_root/bench/sim/platforms/mesh-4x8.xml

# machine NAME SENDER_AND_RECEIVER_SECONDS LATENCY BANDWIDTH: the mesh with another network, or a switch instead.
machine() {
    local torus='topology="TORUS" topo_parameters="8,4"'
    [ "${1#switch}" = "$1" ] && torus=none
    sed "s/$torus//; s/0:1e-4:0/0:$2:0/; s/lat=\"1us\"/lat=\"$3\"/; s/ bw=\"40MBps\"/ bw=\"$4\"/" "$mesh" >"$work/$1.xml"
}
machine mesh 1e-4 1us 40MBps
machine no-latency 0 0us 40MBps
machine no-bytes 1e-4 1us 1e9MBps
machine faster 2e-5 1us 200MBps
# Without latency the LU's messages come so thick that it counts which links they share: those of the mesh (torus), or a
# node's one way out at a switch.
torus="--torus 4x8"
machine switch 1e-4 1us 40MBps
machine switch-no-latency 0 0us 40MBps

# simulate MACHINE PROCESSES TRACE PROGRAM ARGS...
simulate() {
    local machine=$1 processes=$2 trace=$3 program=$4 status
    shift 4
    OPENBLACS_TRACE=$work/$trace.trace OPENBLACS_TRACE_BUFFER=4M OPENBLACS_MEASURE=0 timeout -k 5 $((200 * OB_SLOW)) smpirun \
        -np "$processes" -platform "$work/$machine.xml" -hostfile "$hosts" --cfg=smpi/tmpdir:"$work" \
        --log=root.thres:critical "$simulated/bench/sim/$program" "$@" >"$work/log" 2>&1 </dev/null
    status=$?
    if [ $status != 0 ] || [ ! -s "$work/$trace.trace" ]; then ob_fail "$program $* on $machine" "$work/log"; fi
}
profile() { # MACHINE
    timeout -k 5 $((100 * OB_SLOW)) smpirun -np 2 -platform "$work/$1.xml" -hostfile "$work/hosts" --cfg=smpi/tmpdir:"$work" \
        --log=root.thres:critical "$simulated/bench/sim/profile" 65536 "$work/$1.profile" >"$work/log" 2>&1 </dev/null ||
        ob_fail "the profile of $1" "$work/log"
}

# checked WHAT TRACE RERUN SKIP CHANGES...: SKIP are nanoseconds of both runs in which nothing is done.
checked() {
    local what=$1 trace=$2 rerun=$3 skip=$4 before predicted measured error
    shift 4
    before=$("$obtrace" stat --plain "$work/$trace.trace" 2>/dev/null | sed -n 's/^length //p')
    measured=$("$obtrace" stat --plain "$work/$rerun.trace" 2>/dev/null | sed -n 's/^length //p')
    predicted=$("$obtrace" whatif --plain "$@" "$work/$trace.trace" 2>"$work/log" | sed -n 's/^changed //p')
    error=$(awk -v b="${before:-0}" -v p="${predicted:-0}" -v m="${measured:-0}" -v s="$skip" 'BEGIN {
        b -= s; p -= s; m -= s
        if (b <= 0 || p <= 0 || m <= 0) exit 1
        printf "%.4g ms | %.4g ms | %.4g ms | %+.1f %%", b / 1e6, p / 1e6, m / 1e6, 100 * (p - m) / m }')
    if awk -v e="${error##*| }" 'BEGIN {
        sub(/ %/, "", e)
        exit !(e != "" && e + 0 <= 15 && e + 0 >= -15) }'; then
        ob_pass
    else
        ob_fail "$what: before | predicted | measured | error: ${error:-none}" "$work/log"
    fi
    [ -z "$table" ] || echo "| $what | ${error:-none} |"
}

# asked WHAT TRACE RERUN SKIP MACHINE CHANGES...: with costs from the machine's profile; and with those that the trace
# tells, where they are not to be compared with another profile's.
asked() {
    local what=$1 run=("$2" "$3" "$4") here=$work/$5.profile
    shift 5
    checked "$what" "${run[@]}" "$@" --here "$here"
    [ "$1" = --profile ] || checked "$what, costs found in the trace" "${run[@]}" "$@"
}

[ -z "$table" ] || printf '%s\n' "| run, and what is changed | before | predicted | measured | error |" "|---|---|---|---|---|"
profile mesh
profile faster
profile switch
for top in I S 1 H 2 D; do simulate mesh 32 "summa-$top" multiply 4 8 64 $top 3000; done
for from in I 1 H; do
    for to in I S 1 H 2 D; do
        [ $from = $to ] || checked "SUMMA, TOP = '$from': '$to'" "summa-$from" "summa-$to" 0 --topology broadcast=$to
    done
done
OPENBLACS_PROFILE=$work/mesh.profile OPENBLACS_TOPOLOGY=plan simulate mesh 32 summa-plan multiply 4 8 64 1 3000
checked "SUMMA, TOP = '1': OPENBLACS_TOPOLOGY=plan" summa-1 summa-plan 0 --plan --here "$work/mesh.profile"
hosts=$work/one-node
simulate node 16 near multiply 4 4 64 I 1000
OPENBLACS_TOPOLOGY=plan simulate node 16 near-plan multiply 4 4 64 I 1000
checked "SUMMA within a node, TOP = 'I': OPENBLACS_TOPOLOGY=plan" near near-plan 0 --plan
hosts=$work/hosts
simulate mesh 32 startup startup
simulate mesh 32 startup-ring startup I
checked "the start of a program: TOP = 'I'" startup startup-ring 0 --topology broadcast=I
simulate mesh 16 lu lu_bsp 256 32 4 4
simulate switch 16 lu-switch lu_bsp 256 32 4 4
simulate mesh 16 lu-step lu_bsp 256 32 4 4 in-step
[ ! -x "$simulated/bench/sim/lu_scalapack" ] || simulate mesh 16 getrf lu_scalapack 256 32 4 4
for machine in no-latency:--zero-latency no-bytes:--infinite-bandwidth faster:--profile; do
    how=${machine#*:} machine=${machine%:*}
    words=$how
    [ "$how" = --profile ] && how="--profile $work/$machine.profile" && words="a faster network"
    simulate $machine 32 summa-new multiply 4 8 64 I 3000
    # shellcheck disable=SC2086 # a list of words
    asked "SUMMA, TOP = 'I': $words" summa-I summa-new 0 mesh $how $torus
    # Their clock begins after 4 s.
    simulate $machine 16 lu-new lu_bsp 256 32 4 4
    # shellcheck disable=SC2086
    asked "LU: $words" lu lu-new 4000000000 mesh $how $torus
    if [ $machine = no-latency ]; then
        simulate switch-no-latency 16 lu-new lu_bsp 256 32 4 4
        asked "LU at a switch: $words" lu-switch lu-new 4000000000 switch $how
    fi
    simulate $machine 16 lu-step-new lu_bsp 256 32 4 4 in-step
    # shellcheck disable=SC2086
    asked "LU in step: $words" lu-step lu-step-new 4000000000 mesh $how $torus
    if [ -x "$simulated/bench/sim/lu_scalapack" ]; then
        simulate $machine 16 getrf-new lu_scalapack 256 32 4 4
        # shellcheck disable=SC2086
        asked "PDGETRF: $words" getrf getrf-new 4000000000 mesh $how $torus
    fi
done
ob_tally
