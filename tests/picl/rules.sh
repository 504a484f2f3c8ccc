# shellcheck shell=bash disable=SC2154 # names of run.sh
# The manual's rules one by one (rules.c). Sourced by run.sh.

# rule NAME HOW NODES TEXT: the program prints that whole line (an extended regular expression)
# and, unless that begins with OpenBLACS, ends well. Leaves $work/out, $work/err and $work/trace.
rule() {
    local name=$1 how=$2 nodes=$3 text=$4 status host="${p}_rules host $work/trace $3"
    rm -f "$work/trace"
    export PICL_RULE=$name
    if [ $how = plain ]; then ob_command=($host); else ob_first $how "$nodes" "$host" "${p}_rules"; fi
    timeout -k 5 $((40 * ${OB_SLOW:-1})) "${ob_command[@]}" >"$work/out" 2>"$work/err" <> <(:)
    status=$?
    unset PICL_RULE
    if [ $status = 124 ]; then
        ob_fail "$name, $how: it hangs" "$work/out"
    elif ! grep -qxE -e "$text" "$work/out"; then
        ob_fail "$name, $how: no line '$text'" "$work/out"
    elif [[ $text != OpenBLACS* && $status != 0 ]] || grep -q '^wrong:' "$work/out"; then
        ob_fail "$name, $how (status $status)" "$work/out"
    else
        ob_pass
    fi
}
# judged NAME AWK-PROGRAM: of the trace.
judged() {
    if awk "$2" "$work/trace"; then ob_pass; else ob_fail "$1" "$work/trace"; fi
}
empty() { # NAME FILE
    if [ -s "$2" ]; then ob_fail "$1" "$2"; else ob_pass; fi
}

for how in plain obrun $ob_mpis; do
    # Whatever main returns after close0.
    rule returns $how 2 "ended well"
    # Before open0: tracenode, tracemark, tracemsg, traceflush; the host's message0.
    for name in early early-together; do
        rule $name $how 2 "a host before open0"
        for n in 0 1; do
            counts "$name, $how" $n trace_start=1 trace_mark=1 open=1 trace_exit=1 \
                "trace_message=1"
        done
        judged "$name, $how: the text" \
            '/^trace_message .* words before open0$/ { n++ } END { exit n != 2 }'
    done
    rule message $how 2 "OpenBLACS: message0: communication is not open: call open0 first; node [01] \\[OB-7001\\]"
    [ $how != plain ] || empty "an error line on standard error" "$work/err"
    # Wrong uses of the tracing routines.
    rule wrong-traces $how 2 "ended well"
    for line in "traceenable: argument 1 .tracefile. is NULL; the host.*" \
        "traceenable: argument 1 .tracefile. is '/nowhere/trace', which cannot be written: .*" \
        "traceenable: only the host may call it; node [01] \\[OB-7005\\]" "tracenode: only nodes may call it; .*" \
        "tracehost: only the host may call it; node [01] \\[OB-7005\\]" "traceinfo: an argument is NULL; .*"; do
        if grep -qxE "OpenBLACS: $line" "$work/out"; then ob_pass; else ob_fail "$how: no line $line" "$work/out"; fi
    done
done

# traceexit ends it: what follows does nothing, what was recorded is there.
rule exit plain 2 "ended well"
counts "after traceexit" 1 trace_start=1 trace_mark=1 trace_exit=1
counts "after traceexit" -32768 trace_start=1 trace_mark=1 trace_exit=1
judged "marks after traceexit" '/^trace_mark .* type (2|12)$/ { exit 1 }'
# With traceflush between it begins again, in another file if one likes.
rule again plain 2 "ended well"
counts "after traceexit and traceflush" 1 trace_start=2 trace_mark=2 trace_exit=2 trace_flush=1

# A full buffer stops the records until traceflush, and no longer.
rule full plain 2 "ended well"
counts "after a full buffer and traceflush" 1 trace_start=1 trace_stop=1 trace_flush=1 trace_exit=1
judged "marks after a full buffer and traceflush" '
    /^trace_mark .* node 1 type 1$/ { full++ } /^trace_mark .* node 1 type 2$/ { on++ }
    END { exit full >= 20 || on != 1 }'

# The order of a call's records: the record at its begin, the statistics of then, those of its
# end; what was idle between them is the call. A receive that waits has its end between the two.
for how in plain obrun $ob_mpis; do
    rule order $how 2 "ended well"
    judged "order of records, $how" '
        { at = $3 * 1000000 + $4; node = $6 }
        $1 ~ /^(open|load|send|recv|recv_blocking|sync|close)$/ || ($1 == "message" && node >= 0) {
            if ($1 == "close" && node >= 0) next
            what[node] = $1; begun[node] = at; seen[node] = 0 }
        $1 == "recv_waking" {
            if (what[node] != "recv_blocking" || seen[node] != 1) bad = bad " " NR
            woken[node] = at; what[node] = $1 }
        $1 == "compstats" && what[node] {
            idle = $11 * 1000000 + $12
            if (++seen[node] == 1) {
                if (at != begun[node]) bad = bad " " NR
                before[node] = idle
            } else {
                d = idle - before[node] - (at - begun[node])
                if (d > 2 || d < -2 || (what[node] == "recv_waking" && at != woken[node])) bad = bad " " NR
                whole[what[node]]++
                what[node] = ""
            } }
        END {
            for (k in whole) kinds++
            if (bad) print "lines" bad
            exit bad || whole["recv_waking"] < 3 || !whole["recv"] || whole["sync"] != 2 ||
                 whole["message"] != 2 || !whole["load"] || !whole["open"] || whole["close"] != 1 }'
    # setarc0 is a send of the host and a receive of the node, which waits.
    judged "setarc0, $how" '
        /^send .* node -32768 to [01] type 900000000 lth 16$/ { sent++ }
        /^recv_waking .* node [01] from -32768 type 900000000 lth 16$/ { got++ }
        END { exit sent != 2 || got != 2 }'
    # One of the ring, one to the host, sync0 (a byte), message0 (with its end of 18 bytes);
    # one of the ring, setarc0, sync0.
    judged "counts of messages, $how" '
        /^commstats .* node [01] / { last[$6] = $0 }
        END { for (n in last) { k++; if (last[n] !~ /received 3 volume 21 sent 4 volume 27 probed 0$/) exit 1 }
              exit k != 2 }'
done

# Cube edges alone, whatever the root and the number of nodes.
rule trees plain 9 "ended well"
judged "edges of a hypercube" '
    function power(a, b,  i, n) { for (i = 1; i < 16; i *= 2) n += int(a / i) % 2 != int(b / i) % 2; return n == 1 }
    $1 == "send" && $6 >= 0 && $8 >= 0 { n++; if (!power($6, $8)) bad = 1 }
    END { exit bad || n != 3 * (9*8 + 8*7 + 7*6 + 6*5 + 5*4 + 4*3 + 3*2 + 2) }'

# After close0 with 1 there may be more nodes than before; with 0 there may not. What the program's
# environment is warned of is said once, though each larger set is a job of its own.
OPENBLACS_NONSENSE=1 PICL_RULE=sets timeout -k 5 $((60 * ${OB_SLOW:-1})) "${p}_rules" host >"$work/out" 2>"$work/err" </dev/null
printf '%s\n' "a host before open0" "2 nodes, sum 3" "5 nodes, sum 15" "3 nodes, sum 6" "9 nodes, sum 45" \
    "4 nodes, sum 10" "OpenBLACS: open0: argument 1 (numproc) asks for 10 nodes; there are 9 since the last set was made, give 0 or at most 9, or close0 with 1 before; the host (number -32768) [OB-7010]" |
    diff - "$work/out" >"$work/diff" && ob_pass || ob_fail "larger sets" "$work/out"
if [ "$(sed 's/ is not a setting.*//' "$work/err")" = "OpenBLACS: warning: OPENBLACS_NONSENSE" ]; then ob_pass
else ob_fail "larger sets: not one warning" "$work/err"; fi
if OPENBLACS_TRACE=$work/own PICL_RULE=sets timeout -k 5 $((60 * ${OB_SLOW:-1})) "${p}_rules" host >"$work/out" 2>&1 </dev/null; then
    ob_fail "a larger set under OPENBLACS_TRACE" "$work/out"
elif grep -q "^OpenBLACS: open0: OPENBLACS_TRACE or OPENBLACS_STATS is for one job" "$work/out"; then
    ob_pass
else
    ob_fail "a larger set under OPENBLACS_TRACE" "$work/out"
fi
