#!/bin/bash
# Tests libpicl: the manual's programs, every record, the levels, buffers, errors; with a
# host that starts its nodes, under obrun and inside MPI jobs.
#   tests/picl/run.sh      the build is $OB_BUILD
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
p=$OB_BUILD/tests/picl/picl

tally() { # NAME STATUS: the program has counted itself
    local passed failed
    read -r passed failed < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$work/out")
    if [ "$2" = 0 ] && [ "${failed:-1}" = 0 ] && [ "${passed:-0}" -gt 0 ]; then
        ob_pass "$passed"
    else
        ob_fail "$1 (status $2)" "$work/out"
    fi
}
run() { # NAME COMMAND...
    local name=$1
    shift
    timeout -k 5 $((60 * OB_SLOW)) "$@" >"$work/out" 2>&1 <> <(:)
    tally "$name" $?
}

run format "${p}_format"
for n in 1 2 3 5 8; do
    run "figures 1 and 2, $n nodes" "${p}_sums_host" $n
    run "figures 3 and 4, $n nodes" "${p}_global_host" $n
done
run "loading again" "${p}_again" host
for pair in sums global; do
    for how in obrun $ob_mpis; do
        ob_first $how 3 "${p}_${pair}_host 3" "${p}_${pair}_node"
        run "$pair under $how" "${ob_command[@]}"
    done
done

# ------------------------------------------------------------------- traces
trace() { # EVENT COMPSTATS COMMSTATS [SIZE FLUSH NODES]: leaves $work/trace
    rm -f "$work/trace"
    timeout -k 5 $((60 * OB_SLOW)) "${p}_trace_host" "$work/trace" 1 "$@" >"$work/out" 2>&1 </dev/null ||
        ob_fail "trace $*" "$work/out"
}
# Records of a kind (an extended regular expression) of a processor.
count() { grep -cE "^($2) clock [0-9]+ [0-9]+ node $1( |\$)" "$work/trace"; }
counts() { # NAME PROCESSOR KIND=NUMBER...
    local name=$1 node=$2 pair got
    shift 2
    for pair; do
        got=$(count "$node" "${pair%=*}")
        if [ "$got" = "${pair##*=}" ]; then ob_pass
        else ob_fail "$name: processor $node has $got records ${pair%=*}, not ${pair##*=}" "$work/trace"; fi
    done
}
always="trace_start=1 trace_exit=1 trace_stop=0"
for level in 0 1 2 3; do
    # By level: marks; sends; receives; begun and ended blocks; syncs.
    marks=(0 1 1 1) sends=(0 0 6 7) receives=(0 0 6 8) blocks=(0 0 2 2) syncs=(0 0 1 1)
    trace $level 0 0
    counts "event level $level" 1 $always close=1 trace_message=1 compstats=0 commstats=0 \
        trace_mark=${marks[level]} send=${sends[level]} "recv|recv_waking"=${receives[level]} \
        block_begin=${blocks[level]} block_end=${blocks[level]} sync=${syncs[level]}
    hosts=(0 0 3 4)
    counts "event level $level" -32768 trace_start=1 trace_exit=1 open=1 trace_flush=1 \
        trace_mark=${marks[level]} load=${marks[level]} send=${hosts[level]}
    # Statistics: 3 at ends and marks; 2 at each message, setarc0's, sync0; 1 at each end of a block.
    stats=(0 3 33 39)
    trace 0 $level 0
    counts "compstats level $level" 1 $always close=1 compstats=${stats[level]} commstats=0 send=0
    # open0; a mark and the end; send0; two receives; setarc0; load0; a broadcast's ends; its message.
    hosts=(0 4 18 20)
    counts "compstats level $level" -32768 $always compstats=${hosts[level]} commstats=0
    trace 0 0 $level
    counts "commstats level $level" 1 $always close=1 commstats=${stats[level]} compstats=0 send=0
done

# What the records say: the sums at the end, busy and idle, order, matching.
trace 3 3 3
says() { # NAME PATTERN
    if grep -qxE -e "$2" "$work/trace"; then ob_pass; else ob_fail "no record: $1" "$work/trace"; fi
}
says "a host's open" "open clock 0 [0-9]+ node -32768 allocating 2 processors"
says "a send" "send clock [0-9]+ [0-9]+ node 1 to 0 type 5 lth 4"
says "a send to the host" "send clock [0-9]+ [0-9]+ node 0 to -32768 type 2 lth 4"
says "a send to all" "send clock [0-9]+ [0-9]+ node -32768 to -1 type 1 lth 24"
says "a broadcast" "block_begin clock [0-9]+ [0-9]+ node 1 block_type -2 location_type 3 parameter_type -32768"
says "a barrier" "block_end clock [0-9]+ [0-9]+ node 0 block_type -1 location_type [0-9]+ parameter_type 0"
says "a text" "trace_message clock 0 [0-9]+ node 1 This is a test of tracemsg."
says "all that the host did" "commstats clock .* node -32768 received 2 volume 8 sent 5 volume 84 probed 0"
says "all that node 1 did" "commstats clock .* node 1 received 9 volume 41 sent 8 volume 25 probed 1"
awk '$1 == "compstats" && $5 == "node" {
         if ($3 * 1000000 + $4 - ($8 + $11) * 1000000 - $9 - $12 > 2) bad = 1; n++ }
     END { exit bad || !n }' "$work/trace" && ob_pass || ob_fail "busy and idle are not all" "$work/trace"
# The k-th message of type 5 from one node to the other: sent, then received.
awk '$1 == "send" && $9 == "type" && $10 == 5 { s[$6, $8, ++ns[$6, $8]] = $3 * 1000000 + $4 }
     $1 ~ /^recv(_waking)?$/ && $10 == 5 { r[$8, $6, ++nr[$8, $6]] = $3 * 1000000 + $4 }
     END { for (k in r) { n++; if (!(k in s) || r[k] < s[k]) bad = 1 } exit bad || n != 10 }' \
    "$work/trace" && ob_pass || ob_fail "a message comes before it was sent" "$work/trace"
# Both formats, one into the other.
timeout $((60 * OB_SLOW)) "${p}_trace_host" "$work/compact" 0 3 3 3 >/dev/null 2>&1
awk '!/^[0-9]+ [0-9]+ [0-9]+ -?[0-9]+/ { bad = 1 } END { exit bad || NR < 100 }' "$work/compact" &&
    ob_pass || ob_fail "the compact trace" "$work/compact"
if "$OB_BUILD/obtrace" convert "$work/trace" -o "$work/c.picl" --to compact >"$work/out" 2>&1; then
    ob_pass
else
    ob_fail "obtrace does not read the trace" "$work/out"
fi

# Buffers: full and stopped, full and written.
trace 3 3 3 208 0
counts "a full buffer" 0 trace_start=1 trace_stop=1 trace_exit=1 send=1
trace 3 3 3 208 1
counts "a full buffer that is written" 0 trace_start=1 trace_stop=0 trace_exit=1 send=8 close=1
[ "$(count 0 trace_flush)" -gt 5 ] && ob_pass || ob_fail "written too seldom" "$work/trace"
for how in obrun $ob_mpis; do
    rm -f "$work/trace"
    ob_first $how 2 "${p}_trace_host $work/trace 1 3 3 3 100000 0 2" "${p}_trace_node"
    timeout -k 5 $((60 * OB_SLOW)) "${ob_command[@]}" >"$work/out" 2>&1 <> <(:) || ob_fail "trace under $how" "$work/out"
    counts "under $how" 1 $always send=7 close=1 compstats=39
done

# The library's own trace of a PICL program: every message has two ends, and its own routine.
OPENBLACS_TRACE=$work/own.trace timeout -k 5 $((60 * OB_SLOW)) "${p}_global_host" 3 >"$work/out" 2>&1 </dev/null
"$OB_BUILD/obtrace" stat --plain "$work/own.trace" >"$work/own.stat" 2>&1
for line in "processes 4" "unreceived 0" "unsent 0" "routine bcast1 calls .*" "routine setarc0 calls .*"; do
    if grep -qxE -e "$line" "$work/own.stat"; then ob_pass; else ob_fail "own trace: no '$line'" "$work/own.stat"; fi
done
if grep -q '^routine send0 ' "$work/own.stat"; then ob_fail "own trace: bcast1 counts as send0" "$work/own.stat"; else ob_pass; fi

# A full disk costs the trace, not the program.
timeout -k 5 $((60 * OB_SLOW)) "${p}_trace_host" /dev/full 1 3 3 3 >"$work/out" 2>&1 </dev/null
status=$?
if [ "$status" = 0 ] && [ "$(grep -c "the trace file '/dev/full' cannot be written: No space left" "$work/out")" = 1 ]; then
    ob_pass
else
    ob_fail "a full disk (status $status)" "$work/out"
fi

. "$(dirname "$0")/rules.sh"

# A host with the module picl and a node in the Fortran of 1990, by every launcher.
if [ -x "${p}_fortran_host" ]; then
    for how in plain obrun $ob_mpis; do
        rm -f "$work/trace"
        host="${p}_fortran_host ${p}_fortran_node 3 $work/trace"
        if [ $how = plain ]; then ob_command=($host); else ob_first $how 3 "$host" "${p}_fortran_node"; fi
        run "Fortran, $how" "${ob_command[@]}"
        if grep -qx "a host before open0" "$work/out" && grep -qx "a line of node 0" "$work/out" &&
            ! grep -q FAIL "$work/out"; then ob_pass; else ob_fail "Fortran's lines, $how" "$work/out"; fi
        counts "Fortran's trace, $how" -32768 trace_start=1 load=1 send=22 trace_mark=1 trace_message=1
        counts "Fortran's trace, $how" 2 trace_start=1 open=1 sync=1 block_begin=16 trace_exit=1
        judged "Fortran's text, $how" '/^trace_message .* a text of a host$/ { n++ } END { exit n != 1 }'
    done
fi

# ------------------------------------------------------------------- errors
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    if timeout -k 5 $((30 * OB_SLOW)) "${p}_misuse" "$@" >"$work/out" 2>&1 </dev/null; then
        ob_fail "misuse $*: no error" "$work/out"
    elif grep -qE -e "^OpenBLACS: $text" "$work/out"; then
        ob_pass
    else
        ob_fail "misuse $*: no line '$text'" "$work/out"
    fi
}
for call in send recv probe who close load recvinfo setarc; do
    refused "${call}0: communication is not open: call open0 first; the host" $call before
done
refused "load0: /nowhere/program: not found" missing
refused "send0: argument 3 .type. is 900000000, must be 0 .. 899999999; the host" type
refused "send0: argument 4 .dest. is 2, must be -1 .. 1; the host" dest
refused "send0: argument 2 .bytes. is -1" bytes
refused "recv0: argument 1 .buf. is NULL" null
refused "load0: argument 2 .node. is -1, but the program on node 0 still runs" again
refused "sync0: only nodes may call it; the host" sync
refused "setarc0: argument 1 .nprocs. is 3, must be 0 .. 2; the host" used
refused "bcast0: argument 4 .root. is 1: the host takes part only as the root" root
refused "close0: the program on node [01] (has ended without close0|ended with status 3)" exit
refused "close0: the program on node [01] has ended without close0" noclose
refused "close0: (node 1 was ended by signal 6|the program on node 1 has ended)" signal
refused "gsum0: waits for a message of type 5 from processor 1, which is in a call with type 6" twotypes
refused "gsum0: the message of type 5 from node 1 has 4 bytes, and there is room for 0; node 0" lengths
refused "gsum0: its data are int, those of processor 1 float; node 0" datatypes
refused "exit: the program ends without close0; the host" leaves
refused "load0: only the host may call it; node [01]" load
refused "open0: communication is open already: call close0 first; node [01]" twice
refused "barrier0: no nodes are in use: call setarc0 first; node [01]" barrier
together='is called between a begin and an end of calls that are put together, where what it receives would not be there yet; call it before the begin or behind the end'
refused "recv0: $together; node [01]" together
refused "sync0: $together; node [01]" together-sync
refused "recv0: the message of type 2 from the host has 16 bytes, and there is room for 2; node [01]" long
# All wait for each other: the host says who for what. "slow" only looks like that.
refused "close0: all processors wait for each other: the host waits in close0 for node 0, node 0 for a message of type 7 from anybody, node 1 for a message of type 8 from anybody; the host" mutual
refused "recv0: all processors wait for each other: the host waits for a message of type 9 from anybody, node 0 in close0 for the host, node 1 for a message of type 3 from anybody; the host" half
refused "close0: all processors wait for each other: the host waits in close0 for node 0, node 0 in a global operation for node 1, node 1 for a message of type 3 from anybody; the host" meet
for how in obrun $ob_mpis; do
    if ob_launch $how 3 30 -- "${p}_misuse" mutual launched >"$work/out" 2>&1; then
        ob_fail "a hang under $how: no error" "$work/out"
    elif grep -q "^OpenBLACS: close0: all processors wait for each other: the host" "$work/out"; then
        ob_pass
    else
        ob_fail "a hang under $how" "$work/out"
    fi
done
for how in obrun $ob_mpis; do
    if ob_launch $how 3 30 -- "${p}_misuse" reopen launched >"$work/out" 2>&1; then
        ob_fail "a host that opens again under $how: no error" "$work/out"
    elif grep -q "OpenBLACS: open0: the nodes of a launcher can open communication once, .*; the host" "$work/out"; then
        ob_pass
    else
        ob_fail "a host that opens again under $how" "$work/out"
    fi
    for which in noclose leaves; do
        if ob_launch $how 3 30 -- "${p}_misuse" $which launched >"$work/out" 2>&1; then
            ob_fail "$which under $how: no error" "$work/out"
        elif grep -qE "OpenBLACS: exit: the program ends without close0; (the host|node [01])" "$work/out"; then
            ob_pass
        else
            ob_fail "$which under $how" "$work/out"
        fi
    done
done
for fine in fine promiscuous slow; do
    if timeout -k 5 $((30 * OB_SLOW)) "${p}_misuse" $fine >"$work/out" 2>&1 </dev/null &&
        [ "$(cat "$work/out")" = "ended well" ]; then ob_pass; else ob_fail "$fine" "$work/out"; fi
done
ob_tally
