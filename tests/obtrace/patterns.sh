#!/bin/bash
# Wait states of programs that have exactly so much of them, in simulated time.
#   tests/obtrace/patterns.sh BUILD_DIR SIMULATED_BUILD_DIR
# Each run of patterns.c on four nodes makes others wait for so many milliseconds in one pattern;
# what messages need is far less than one. The cost of the delay is one process's, to the millisecond.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
obtrace=$(cd "${1:?usage: tests/obtrace/patterns.sh BUILD_DIR SIMULATED_BUILD_DIR}" && pwd)/obtrace
simulated=$(cd "${2:?usage: tests/obtrace/patterns.sh BUILD_DIR SIMULATED_BUILD_DIR}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for i in 0 1 2 3; do echo "n-$i"; done >"$work/hosts"

# about NAME WANTED FOUND: in milliseconds; what is found is in nanoseconds.
about() {
    if awk -v want="$2" -v found="${3:-0}" 'BEGIN {d = found / 1e6 - want; exit !(d > -1 && d < 1)}'; then
        ob_pass
    else
        ob_fail "$1: $2 ms wanted, ${3:-none} ns found" "$work/plain"
    fi
}

# pattern NAME PATTERN MILLISECONDS PROCESS [COST [DOING]]: COST where it is another figure, DOING where
# the process did not compute.
pattern() {
    local name=$1
    if ! OPENBLACS_TRACE=$work/$name.trace OPENBLACS_TRACE_BUFFER=1M timeout -k 5 $((60 * OB_SLOW)) smpirun -np 4 \
        -platform "$ob_root/bench/sim/platforms/mesh-4x8.xml" -hostfile "$work/hosts" \
        --cfg=smpi/tmpdir:"$work" --log=root.thres:critical "$simulated/obtrace_patterns" "$name" \
        >"$work/log" 2>&1 </dev/null; then
        ob_fail "patterns $name" "$work/log"
        return
    fi
    "$obtrace" stat --plain "$work/$name.trace" >"$work/plain" 2>&1
    about "$name: $2" "$3" "$(sed -n "s/^pattern \([0-9]*\) $2$/\1/p" "$work/plain")"
    about "$name: all patterns" "$3" "$(sed -n 's/^late //p' "$work/plain")"
    about "$name: what process $4 costs others" "${5:-$3}" \
        "$(awk -v p="$4" -v doing="${6:-computing}" '$1 == "delay" && $4 == p && $0 ~ doing {sum += $2} END {print sum + 0}' "$work/plain")"
}
pattern late-sender "late sender" 1000 0
pattern wrong-order "wrong order" 1000 0
pattern late-receiver "late receiver" 1000 1
pattern late-broadcast "late broadcast" 3000 0
pattern begun-broadcast "late broadcast" 2100 0
pattern early-reduce "early reduce" 1000 3
pattern n-by-n "wait at N x N" 3000 2
pattern barrier "wait at a barrier" 3000 1
# The others wait for it where the grid is made.
pattern late-start "wait at N x N" 3000 2 3000 "late start"
# Before they wait, the three send to each other: 0.4 ms.
pattern superstep "wait at a superstep's end" 2999 2
pattern superstep-reading "wait at a superstep's end" 2999 2 2999 "work in"
# 1 waits for 600, 2 for 700 and 3 for 800; 100 of each of the two is 1's own, 100 of one 2's.
pattern chain "late sender" 2100 0 1800
ob_tally
