#!/bin/bash
# obtrace: every record of PICL's formats, conversions there and back, damaged
# files, and the numbers of `obtrace stat`.
#   tests/obtrace/run.sh BUILD_DIR
set -u
. "$(dirname "$0")/../../scripts/common.sh"
OB_BUILD=$(cd "${1:?usage: tests/obtrace/run.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
obtrace=$OB_BUILD/obtrace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

# same NAME FILE FILE: one assertion for every line.
same() {
    if diff -u "$2" "$3" >"$log" 2>&1; then ob_pass "$(wc -l <"$3")"; else ob_fail "$1" "$log"; fi
}
# ends NAME STATUS COMMAND...: runs it, its output is in $work/out and $work/err.
ends() {
    local name=$1 expected=$2 status
    shift 2
    timeout $((60 * OB_SLOW)) "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    cat "$work/out" "$work/err" >"$log"
    if [ $status = "$expected" ]; then ob_pass; else ob_fail "$name: status $status" "$log"; fi
}
says() { # NAME PATTERN [FILE]
    if grep -qE -- "$2" "${3:-$work/err}"; then ob_pass; else ob_fail "$1" "${3:-$work/err}"; fi
}

# --------------------------------------------------- every record, both formats
golden=$here/golden
for from in picl cpicl; do
    for to in verbose:picl compact:cpicl; do
        ends "records.$from to ${to%:*}" 0 "$obtrace" convert "$golden/records.$from" --to "${to%:*}"
        same "records.$from to ${to%:*}" "$golden/records.${to#*:}" "$work/out"
    done
done
# The suffix tells the format; hyphens, blank lines and CR LF are read.
sed 's/_/-/g; s/$/\r/; s/ clock/  clock/' "$golden/records.picl" >"$work/odd.picl"
echo >>"$work/odd.picl"
ends "hyphens" 0 "$obtrace" convert "$work/odd.picl" -o "$work/odd.cpicl"
same "hyphens" "$golden/records.cpicl" "$work/odd.cpicl"
paste -d '\n' "$golden/records.picl" "$golden/records.cpicl" >"$work/mixed.picl"
ends "mixed formats" 0 "$obtrace" convert "$work/mixed.picl" --to compact
same "mixed formats" <(sed p "$golden/records.cpicl") "$work/out"

# As Oak Ridge's library prints them: two blanks behind the keyword, one at the end of a compact
# probe; and a block's line that goes on in the next, as in the manual.
sed 's/ clock/  clock/; s/ parameter_type/\n&/' "$golden/records.picl" >"$work/wrapped.picl"
ends "wrapped block lines" 0 "$obtrace" convert "$work/wrapped.picl" --to compact
same "wrapped block lines" "$golden/records.cpicl" "$work/out"
sed 's/_/-/g; s/ parameter-type/\r\n parameter-type/; s/$/\r/' "$golden/records.picl" >"$work/wrapped.picl"
ends "wrapped, as printed" 0 "$obtrace" convert "$work/wrapped.picl" --to verbose
same "wrapped, as printed" "$golden/records.picl" "$work/out"
sed 's/^5 .*/& /' "$golden/records.cpicl" >"$work/blank.cpicl"
ends "a blank behind a probe" 0 "$obtrace" convert "$work/blank.cpicl" --to verbose
same "a blank behind a probe" "$golden/records.picl" "$work/out"

# ------------------------------------------------------- what is wrong, and where
wrong() { # LINE MESSAGE: the line stands between two good ones, which are kept
    printf 'sync clock 0 1 node 0\n%b\nsync clock 0 2 node 0\n' "$1" >"$work/bad.picl"
    ends "bad line: $1" 1 "$obtrace" convert "$work/bad.picl" --to compact
    says "bad line: $1" "bad.picl:2: $2.* \[OB-8501\]$"
    same "bad line: $1" <(printf '10 0 1 0\n10 0 2 0\n') "$work/out"
}
wrong 'send clock 0 1 node 0 to 1 type 2' "send ends before 'lth'"
wrong 'send clock 0 1 node 0 to 1 type 2 length 3' "send: 'lth' expected, found 'length'"
wrong 'send clock 0 1 node 0 to 1 type 2 lth 3 4' "send: the end of the line expected, found '4'"
wrong 'send clock 0 1 node 0 to 1 type 2 lth -3' 'send: a negative length'
wrong 'send clock 0 1 node 0 to -2 type 2 lth 3' 'send: a partner that is no processor'
wrong 'recv clock 0 1 node 0 from -1 type 2 lth 3' 'recv: a partner that is no processor'
wrong 'send clock 0 1 node -1 to 1 type 2 lth 3' 'send: there is no processor -1'
wrong 'send clock 0 1000000 node 1 to 1 type 2 lth 3' 'send: microseconds is 1000000'
wrong 'send clock -1 1 node 1 to 1 type 2 lth 3' 'send: seconds is -1'
wrong 'send clock 0 x node 1 to 1 type 2 lth 3' "send: microseconds expected, found 'x'"
wrong 'send clock 0 1 node 9999999999 to 1 type 2 lth 3' "send: a processor's number is 9999999999"
wrong 'send clock 0 1 node 99999999999999999999 to 1 type 2 lth 3' 'send: a processor'
wrong 'sent clock 0 1 node 1' "'sent' is no PICL record"
wrong '22 0 1 0 7' "'22' is no PICL record"
wrong '-3 -901 0.001 0 0 0' "record type -3: this is PICL's later trace format"
wrong '11 0 1 0 9 0' 'compstats: idle for longer than the clock says'
wrong 'trace_stop clock 0 1 node 0 : ran out of paper' "trace_stop: 'memory' expected, found 'paper'"
wrong '\001\002\033[2J' "'\?\?\?\[2J' is no PICL record"
printf 'sync clock 0 1 node 0\nsend clock 0 2 no' >"$work/cut.picl"
ends "cut file" 1 "$obtrace" convert "$work/cut.picl" --to compact
says "cut file" "cut.picl:2: send: 'node' expected, found 'no'"
printf 'sync clock 0 1 node 0\nsend clock 0 2 node' >"$work/cut.picl"
ends "cut file" 1 "$obtrace" convert "$work/cut.picl" --to compact
says "cut file" "cut.picl:2: send ends with the file, before a processor's number"
yes 'bad line' | sed 50q >"$work/many.picl"
ends "nothing readable" 1 "$obtrace" convert "$work/many.picl" --to compact
says "nothing readable" 'there is no event in this file that can be read \[OB-8502\]$'
says "many bad lines" 'more such lines are counted, not shown \[OB-8501\]$'
: >"$work/empty.picl"
ends "empty file" 1 "$obtrace" convert "$work/empty.picl" --to compact
says "empty file" 'the file is empty \[OB-8502\]$'
ends "no file" 1 "$obtrace" convert "$work/none.picl" --to compact
says "no file" 'none.picl: cannot be opened: No such file or directory \[OB-9602\]$'
ends "no place" 1 "$obtrace" convert "$golden/records.picl" -o "$work/none/out.picl"
says "no place" 'cannot be written: No such file or directory \[OB-9603\]$'
ends "no command" 2 "$obtrace"
ends "wrong command" 2 "$obtrace" draw "$golden/records.picl"
ends "wrong format" 2 "$obtrace" convert "$golden/records.picl" --to pdf
says "wrong format" 'no format is called pdf; there are picl2, verbose, compact, json, csv, perfetto, paraver, otf2; see'
ends "wrong option" 2 "$obtrace" convert "$golden/records.picl" --loud
ends "help" 0 "$obtrace" --help
says "help" 'convert TRACE' "$work/out"
ends "full device" 1 "$obtrace" convert "$golden/records.picl" --to compact -o /dev/full
says "full device" 'No space left on device \[OB-9603\]$'
if [ -c /dev/full ]; then ob_pass; else ob_fail "the full device was removed"; fi

# -------------------------------------------- the analysis, against what must be found
for shape in "1 1 4" "2 2 20" "3 4 30" "8 16 10"; do
    for form in verbose compact; do
        # shellcheck disable=SC2086
        "$here/synthetic.py" $shape $form >"$work/run.picl" 2>"$work/expected"
        ends "stat of $shape" 0 "$obtrace" stat --plain "$work/run.picl"
        grep -E '^(events|processes|length|computing|library|blocked|messages|bytes|un(received|sent)|early) ' \
            "$work/out" >"$work/found"
        sed -n 's/^\(process .*\) sent .*/\1/p' "$work/out" >>"$work/found"
        same "stat of $shape" "$work/expected" "$work/found"
        [ "$shape" != "2 2 20" ] || cp "$work/run.picl" "$work/four.picl"
    done
done
ends "stat" 0 "$obtrace" stat "$work/run.picl"
says "stat" '128 processes, ' "$work/out"
says "stat" 'row broadcast +1280 ' "$work/out"

# Between trace_stop and trace_flush nothing is recorded: it is not computing. And MPI's names.
cat >"$work/stop.picl" <<END
trace_start clock 0 0 node 0 event 3 compstats 0 commstats 0
send clock 0 100 node 0 to 1 type 1 lth 8
trace_stop clock 0 1000 node 0 : ran out of memory
trace_flush clock 0 9000 node 0 finished 0 9500
close clock 0 10000 node 0
trace_start clock 0 0 node 1 event 3 compstats 0 commstats 0
trace_message clock 0 0 node 1 block_type 7 is MPI_Barrier
block_begin clock 0 40 node 1 block_type 7 location_type 0 parameter_type 0
recv_blocking clock 0 50 node 1 type 1
recv_waking clock 0 150 node 1 from 0 type 1 lth 8
block_end clock 0 160 node 1 block_type 7 location_type 0 parameter_type 0
close clock 0 10000 node 1
END
# sync0 lasts until the last one comes, also where statistics stand behind its record; the bad line
# behind a wrapped one has its number.
cat >"$work/meet.picl" <<END
sync clock 0 100 node 0
compstats clock 0 100 node 0 busy 0 100 idle 0 0
compstats clock 0 400 node 0 busy 0 100 idle 0 300
block_begin clock 0 500 node 0 block_type 7 location_type 0
  parameter_type 0
sunk clock 0 600 node 0
close clock 0 1000 node 0
sync clock 0 400 node 1
compstats clock 0 400 node 1 busy 0 400 idle 0 0
compstats clock 0 401 node 1 busy 0 400 idle 0 1
END
ends "waiting in sync0" 1 "$obtrace" stat --plain "$work/meet.picl"
says "waiting in sync0" '^state barrier 300000$' "$work/out"
says "behind a wrapped line" "meet.picl:6: 'sunk' is no PICL record"
ends "a full buffer" 0 "$obtrace" stat --plain "$work/stop.picl"
says "a full buffer" '^process 0 computing 1500000 ' "$work/out"
says "a wait in MPI_Barrier" '^state barrier 100000$' "$work/out"

# The host's times count from its tracehost, the nodes' from when they met.
for host in -32768 1; do
    printf 'send clock 0 900 node %s to 0 type 1 lth 8\nrecv clock 0 100 node 0 from %s type 1 lth 8\n' $host $host >"$work/host.picl"
    ends "the host's clock" 0 "$obtrace" stat "$work/host.picl"
    text="the clocks disagree, for PICL's host counts from another moment than its nodes[.]$"
    [ $host = -32768 ] || text='the clocks disagree[.]$'
    says "the host's clock" "$text" "$work/out"
done

# ------------------------------------------------------ the library's own traces
ob_launch obrun 4 60 OPENBLACS_TRACE="$work/own.trace" -- "$OB_BUILD/tests/blacs_broadcast" \
    >"$log" 2>&1 || ob_fail "tracing a program" "$log"
ends "own trace" 0 "$obtrace" stat "$work/own.trace"
says "own trace" '^  4 processes, ' "$work/out"
says "own trace" 'dgebr2d ' "$work/out"
# Which sentence says who waited depends on who came late, and so on the machine (late_test); the table has all kinds.
says "own trace" '^  (late broadcast|data under way) .* [isdcz]gebr2d ' "$work/out"
"$obtrace" stat --plain "$work/own.trace" >"$work/own.plain"
says "own trace" '^un(sent|received) 0$' "$work/own.plain"
says "own trace" '^early 0$' "$work/own.plain"
# What PICL can say comes back from it: the same calls and messages.
ends "own trace to PICL" 0 "$obtrace" convert "$work/own.trace" -o "$work/own.picl"
"$obtrace" stat --plain "$work/own.picl" >"$work/again"
for what in messages bytes calls; do
    same "own trace to PICL: $what" <(grep "^$what " "$work/own.plain") <(grep "^$what " "$work/again")
done
head -c 200000 "$work/own.trace" >"$work/part.trace"
ends "cut trace" 1 "$obtrace" stat "$work/part.trace"
says "cut trace" 'at byte [0-9]+: a chunk of [0-9]+ bytes, but the file ends'

# --------------------------------------------------------- formats of other programs
otf2=
if "$obtrace" convert "$golden/records.picl" -o "$work/probe.otf2" 2>"$log"; then
    otf2=otf2
elif ! grep -q 'this obtrace was built without OTF2' "$log"; then
    ob_fail "OTF2" "$log"
fi
for form in csv json $otf2; do
    ends "records to $form" 0 "$obtrace" convert "$golden/records.picl" -o "$work/records.$form"
    ends "records from $form" 0 "$obtrace" convert "$work/records.$form" --to verbose
    same "records through $form" <(sort "$golden/records.picl") <(sort "$work/out")
    ends "own trace to $form" 0 "$obtrace" convert "$work/own.trace" -o "$work/own.$form"
    "$obtrace" stat --plain "$work/own.$form" >"$work/again"
    for what in messages bytes calls unsent unreceived early; do
        same "own trace to $form: $what" <(grep "^$what " "$work/own.plain") <(grep "^$what " "$work/again")
    done
    ends "from $form to csv" 0 "$obtrace" convert "$work/own.$form" -o "$work/$form.csv"
    [ $form = otf2 ] || head -c 200000 "$work/own.$form" >"$work/part.$form"
done
same "csv and json agree" <(sort "$work/csv.csv") <(sort "$work/json.csv")
/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/own.json" >"$log" 2>&1
if [ $? = 0 ]; then ob_pass; else ob_fail "another reader of JSON" "$log"; fi
cat >"$work/other.json" <<'END'
[{"name": "solve", "ph": "X", "ts": 10.5, "dur": "2.250", "pid": 3, "tid": 1, "args": {"a": [1, {"b": "\u0041"}]}},
 {"name": "wait", "ph": "B", "ts": 20, "pid": 3, "tid": 1},
 {"name": "wait", "ph": "E", "ts": 30, "pid": 3, "tid": 1},
 {"name": "wait", "ph": "E", "ts": true, "pid": 3, "tid": 1},
 {"name": "mark", "ph": "i", "ts": 40, "pid": 3, "tid": 1}]
END
ends "JSON of others" 1 "$obtrace" stat --plain "$work/other.json"
says "JSON of others" '^routine solve calls 1 time 2250 ' "$work/out"
says "JSON of others" '^routine wait calls 1 time 10000 ' "$work/out"
says "JSON of others" 'other.json:4: this is no trace event in JSON'

# PICL's later format: what both formats know comes back; files of other programs are read.
ends "records to picl2" 0 "$obtrace" convert "$golden/records.picl" -o "$work/records.picl2"
same "picl2" "$golden/records.picl2" "$work/records.picl2"
ends "records from picl2" 0 "$obtrace" convert "$work/records.picl2" --to verbose
common='^(send|recv|recv_blocking|recv_waking|probe|block_begin|trace_level|trace_mark|trace_message|trace_flush|trace_stop|close|load) '
same "records through picl2" <(grep -E "$common" "$golden/records.picl" | sort) <(grep -E "$common" "$work/out" | grep -v ' block_type -1 ' | sort)
ends "own trace to picl2" 0 "$obtrace" convert "$work/own.trace" -o "$work/own.picl2"
"$obtrace" stat --plain "$work/own.picl2" >"$work/again"
for what in messages bytes calls unsent unreceived early; do
    same "own trace to picl2: $what" <(grep "^$what " "$work/own.plain") <(grep "^$what " "$work/again")
done
sort -c -s -n -k3,3 "$work/own.picl2" 2>"$log"
if [ $? = 0 ]; then ob_pass; else ob_fail "picl2 is ordered by time" "$log"; fi
cat >"$work/other.picl2" <<'END'
-202 -812 0.000000 -1 -1 3 2 0 0 1
-3 -901 0.000000 0 0 0
-3 -901 0.000000 1 0 0
-5 7 0.000000 -1 -1 1 "%s" solve
-3 7 0.000010 0 0 0
-4 7 0.000030 0 0 0
-3 -21 0.000030 0 0 4 2 120 1 1 0
-4 -21 0.000031 0 0 0
-3 -52 0.000010 1 0 3 2 1 0 0
-4 -52 0.000040 1 0 4 2 120 1 0 0
-3 -402 0.000050 0 0 1 2 -1
-3 -402 0.000060 1 0 1 2 -1
-4 -402 0.000061 0 0 0
-4 -402 0.000061 1 0 0
-3 -782 0.000070 0 0 2 2 8 -1
-4 -782 0.000080 0 0 1 2 -1
-3 -601 0.000080 1 0 0
-4 -601 0.000085 1 0 0
-101 7 0.000090 0 0 1 2 20
-4 -901 0.000100 0 0 0
-4 -901 0.000100 1 0 0
-3 -21 soon 0 0 4 2 120 1 1 0
-4 -51 0.0002 1 0 1 2 120
END
ends "picl2 of others" 1 "$obtrace" stat --plain "$work/other.picl2"
for line in 'processes 2' 'messages 1' 'bytes 120' 'routine solve calls 1 time 20000 ' 'routine barrier0 calls 2 time 12000 ' \
    'routine MPI_Allreduce calls 1 time 10000 ' 'state receive 35000' 'length 100000'; do
    says "picl2 of others" "^$line" "$work/out"
done
says "picl2 of others" 'other.picl2:22: its time is no number of seconds from 0 to 1e9'
says "picl2 of others" "other.picl2:23: a message's length, type and partner are missing"

# Calls that take time in files of others: begin to end is time in the routine, a message leaves at
# the begin and comes at the end, and each call counts once. Without a duration nothing is added.
cat >"$work/long.picl2" <<'END'
-3 -901 0.000000 0 0 0
-3 -901 0.000000 1 0 0
-3 -21 0.001000 0 0 4 2 64 1 1 0
-4 -21 0.003000 0 0 0
-3 -27 0.004000 0 0 4 2 64 2 1 0
-4 -27 0.005000 0 0 1 2 0
-3 -51 0.005000 1 0 3 2 1 0 0
-3 -31 0.006000 0 0 1 2 0
-4 -51 0.006000 1 0 4 2 64 1 0 0
-4 -31 0.007000 0 0 0
-3 -57 0.007000 1 0 3 2 2 0 0
-4 -57 0.008000 1 0 1 2 0
-3 -60 0.009000 1 0 1 2 0
-4 -60 0.011000 1 0 4 2 64 2 0 0
-3 -21 0.012000 0 0 4 2 64 3 1 0
-4 -21 0.012000 0 0 0
-3 -53 0.012000 1 0 1 2 3
-4 -53 0.014000 1 0 0
-3 -51 0.015000 1 0 3 2 3 0 0
-4 -51 0.015000 1 0 4 2 64 3 0 0
-4 -901 0.020000 0 0 0
-4 -901 0.020000 1 0 0
END
# As simulators write them: process -1, times as they come, half of the receives' fields.
cat >"$work/half.picl2" <<'END'
-3 -901 0 0 -1 0
-3 -901 0 1 -1 0
-3 -51 0.5 1 -1 1 2 -1
-3 -21 0.75 0 -1 3 2 8 0 1
-4 -21 0.75 0 -1 0
-4 -51 1.0 1 -1 3 2 8 0 0
-4 -901 2.0 0 -1 0
-4 -901 2.0 1 -1 0
END
ends "calls that take time" 0 "$obtrace" stat --plain "$work/long.picl2"
for line in 'computing 30000000' 'library 10000000' 'blocked 0' 'messages 3' 'bytes 192' 'early 0' \
    'process 0 computing 16000000 ' 'process 1 computing 14000000 ' 'routine send0 calls 2 time 2000000 ' \
    'routine send0 begins calls 1 time 1000000 ' 'routine send0 ends calls 1 time 1000000 ' \
    'routine recv0 calls 2 time 1000000 ' 'routine recv0 begins calls 1 time 1000000 ' \
    'routine recv0 ends calls 1 time 2000000 ' 'routine probe0 calls 1 time 2000000 '; do
    says "calls that take time" "^$line" "$work/out"
done
cp "$work/out" "$work/long"
ends "calls that take time, to PICL" 0 "$obtrace" convert "$work/long.picl2" -o "$work/long.picl"
says "a message leaves at the begin" '^send clock 0 4000 node 0 to 1 type 2 lth 64$' "$work/long.picl"
says "a message comes at the end" '^recv clock 0 11000 node 1 from 0 type 2 lth 64$' "$work/long.picl"
# Our later format ends a process's recording with its last event, so how long it computed is not compared.
for form in picl picl2 csv; do
    ends "calls that take time, to $form" 0 "$obtrace" convert "$work/long.picl2" -o "$work/again.$form"
    ends "calls that take time, from $form" 0 "$obtrace" stat --plain "$work/again.$form"
    same "calls that take time: $form" <(grep -E '^(library|blocked|messages|bytes|early|calls) ' "$work/long") \
        <(grep -E '^(library|blocked|messages|bytes|early|calls) ' "$work/out")
done
ends "a simulator's file" 0 "$obtrace" stat --plain "$work/half.picl2"
for line in 'process 0 computing 2000000000 ' 'process 1 computing 1500000000 ' 'routine send0 calls 1 time 0 ' \
    'routine recv0 calls 1 time 500000000 '; do
    says "a simulator's file" "^$line" "$work/out"
done
ends "our own file comes back" 0 "$obtrace" convert "$work/own.picl2" -o "$work/once.picl"
ends "our own file comes back" 0 "$obtrace" convert "$work/once.picl" -o "$work/once.picl2"
ends "our own file comes back" 0 "$obtrace" convert "$work/once.picl2" -o "$work/twice.picl"
same "our own file comes back" <(sort "$work/once.picl") <(sort "$work/twice.picl")

# Perfetto's and Paraver's files, read by a program of ours that knows their formats.
for trace in "$work/own.trace" "$work/four.picl"; do
    /usr/bin/python3 "$here/formats.py" "$obtrace" "$trace" "$work" >"$log" 2>&1
    if [ $? = 0 ]; then ob_pass "$(sed -n 's/ passed.*//p' "$log")"; else ob_fail "Perfetto and Paraver: $trace" "$log"; fi
done
ends "paraver needs a name" 2 "$obtrace" convert "$work/own.trace" --to paraver
ends "no folder for paraver" 1 "$obtrace" convert "$work/own.trace" -o "$work/none/x.prv"
says "no folder for paraver" 'none/x.prv: cannot be written: No such file'
ends "perfetto is not read" 1 "$obtrace" stat "$work/converted.pftrace"

# Supersteps and the LU's parts: of a run (a small matrix would go to one process, without supersteps), and through formats that
# keep all.
ob_launch obrun 4 60 OPENBLACS_TRACE="$work/lu.trace" -- "$OB_BUILD/examples/lu_solve" 240 >"$log" 2>&1 || ob_fail "tracing the LU" "$log"
ends "supersteps" 0 "$obtrace" supersteps "$work/lu.trace"
for text in 'lu.trace: [0-9]+ supersteps, .* of work \(w\)' 'g = .* ns a byte, l = ' 'bsp2d_sync in bsp_pdgesv called from main' '^  update +[0-9]+' '^  swap +' '^  panel +'; do
    says "supersteps" "$text" "$work/out"
done
ends "what supersteps were asked for" 0 "$obtrace" stat "$work/lu.trace"
says "what supersteps were asked for" 'process [0-9]  bsp2d_hpsend in bsp_pdgesv called from main' "$work/out"
ends "supersteps for programs" 0 "$obtrace" supersteps --plain "$work/lu.trace"
cp "$work/out" "$work/steps"
for form in $otf2; do
    ends "the LU to $form" 0 "$obtrace" convert "$work/lu.trace" -o "$work/lu.$form"
    ends "supersteps from $form" 0 "$obtrace" supersteps --plain "$work/lu.$form"
    same "supersteps from $form" "$work/steps" "$work/out"
done
ends "no supersteps" 0 "$obtrace" supersteps "$work/four.picl"
says "no supersteps" 'four.picl: no supersteps: the program called neither bsp_sync nor bsp2d_sync' "$work/out"

# OTF2: all that is in the library's own file, groups and sites too; as its own tool
# sees it; and archives of others.
if [ -n "$otf2" ]; then
    "$obtrace" stat --plain "$work/own.otf2" >"$work/again"
    same "own trace to OTF2: numbers" "$work/own.plain" "$work/again"
    same "own trace to OTF2: words" <("$obtrace" stat "$work/own.trace" | sed 1d) \
        <("$obtrace" stat "$work/own.otf2" | sed 1d)
    ends "an archive is not written over" 1 "$obtrace" convert "$golden/records.picl" -o "$work/own.otf2"
    says "an archive is not written over" 'there is an archive of this name; remove it first'
    ends "no folder" 1 "$obtrace" convert "$golden/records.picl" -o "$work/none/x.otf2"
    says "no folder" 'cannot be written: No such file'
    if command -v otf2-print >/dev/null; then
        otf2-print "$work/own.otf2" >"$work/print" 2>"$log"
        if [ -s "$log" ]; then ob_fail "otf2-print complains" "$log"; else ob_pass; fi
        for end in SEND RECV; do
            same "otf2-print: messages" <(sed -n 's/^messages //p' "$work/own.plain") \
                <(grep -c "^MPI_$end " "$work/print")
        done
        same "otf2-print: bytes" <(sed -n 's/^bytes //p' "$work/own.plain") \
            <(awk '/^MPI_SEND / { n += $(NF) } END { print n }' <(sed -n 's/^\(MPI_SEND .*Length: [0-9]*\).*/\1/p' "$work/print"))
    fi
    ends "another's archive" 0 "$OB_BUILD/tests/obtrace_otf2_other" "$work" other
    ends "another's archive" 1 "$obtrace" stat --plain "$work/other.otf2"
    for line in 'processes 2' 'messages 2' 'bytes 240' 'unsent 0' 'unreceived 0' \
        'routine MPI_Send calls 1 time 500 blocked 0 bytes 240' \
        'routine MPI_Recv calls 1 time 2500 blocked 0 bytes 240'; do
        says "another's archive" "^$line\$" "$work/out"
    done
    says "another's archive" '1 locations are no processor'
    head -c 60 "$work/other.otf2" >"$work/cut.otf2"
    ends "cut archive" 1 "$obtrace" stat "$work/cut.otf2"
    says "cut archive" 'cut.otf2: libotf2: '
    says "cut archive" 'there is no event in this file'
    ends "a small archive" 0 "$obtrace" convert "$work/four.picl" -o "$work/small.otf2"
fi

# ------------------------------------------------------------ what if, and side by side
ends "what if" 0 "$obtrace" whatif "$work/own.trace"
says "what if" '^  as it was: the replay itself +[0-9.]+ [a-z]+ +(9[5-9]|10[0-5])\.[0-9] %$' "$work/out"
says "what if" '^  communication takes no time ' "$work/out"
ends "what if, for programs" 0 "$obtrace" whatif "$work/own.trace" --plain
says "what if, for programs" '^ideal-network [0-9]+$' "$work/out"
says "what if, for programs" '^stuck 0$' "$work/out"
says "what if, for programs" '^costs (trace|host)$' "$work/out"
"$obtrace" stat --plain "$work/own.trace" >"$work/own.plain"
same "the same in obtrace stat" <(sed -n 's/^ideal-network/ideal/p' "$work/out") <(grep '^ideal ' "$work/own.plain")
ends "several changes" 0 "$obtrace" whatif --zero-latency --infinite-bandwidth "$work/own.trace" --plain
same "several changes" <(sed -n 's/^ideal /changed /p' "$work/own.plain") <(grep '^changed ' "$work/out")
ends "nodes of a torus" 0 "$obtrace" whatif --zero-latency --torus 2x2 "$work/four.picl"
# Whose costs the figures rest on, where that is not what the user gave.
profile=$here/../obbench/machine.profile
ends "a trace without waits" 0 "$obtrace" whatif "$golden/records.picl"
says "a trace without waits" "^  what messages cost is this machine's profile, for in the trace too few were waited for" "$work/out"
ends "another network" 0 "$obtrace" whatif --profile "$profile" "$work/four.picl"
says "another network" "^  what messages cost on the trace's own machine is found in the trace; .* far from" "$work/out"
ends "another network, and here" 0 "$obtrace" whatif --profile "$profile" --here "$profile" "$work/four.picl"
if grep -q 'what messages cost' "$work/out"; then ob_fail "another network, and here: a line about costs that were given" "$work/out"; else ob_pass; fi
ends "computing twice as long" 0 "$obtrace" whatif --computing 2 "$work/own.trace"
ends "a topology that nothing has" 0 "$obtrace" whatif --topology row-dnone2d=I "$work/own.trace"
says "a topology that nothing has" 'no call of the trace has another topology by that \[OB-8506\]$'
ends "help of whatif" 0 "$obtrace" whatif --help
says "help of whatif" '--topology CALLS=TOP' "$work/out"
misused() { # MESSAGE ARGUMENTS...: status 2
    local message=$1
    shift
    ends "misuse: $*" 2 "$obtrace" "$@"
    says "misuse: $*" "^obtrace: $message.*; see obtrace --help \[OB-9601\]$"
}
misused 'a trace file is missing' whatif
misused 'one trace at a time: what is b' whatif a b
misused 'what is --loud' whatif --loud a
misused '--computing takes a number from 0.001 to 1000, not fast' whatif --computing fast a
misused '--computing takes a number from 0.001 to 1000, not 0' whatif --computing 0 a
misused '--computing takes a number from 0.001 to 1000, not nan' whatif --computing nan a
misused '--topology takes CALLS=TOP, as row-broadcast=I, not broadcast=[?]' whatif --topology 'broadcast=?' a
for torus in 4x 0x4 4,4 -4x4 1x1x1x1x1x1x4 1024x1025; do
    misused "--torus takes ROWSxCOLUMNS, as 4x8, not $torus" whatif --torus $torus a
done
misused '--torus has 1 places, but the trace has 4 nodes' whatif --torus 1x1 "$work/four.picl"
misused '--topology needs a value' whatif --topology
misused 'scaling needs two traces or more' scaling "$work/own.trace"
misused 'what is --strong' scaling --strong a b
misused 'compare needs two traces' compare a
misused 'compare needs two traces' compare a b c
misused 'compare needs a trace on each side of --' compare a b --
misused 'compare has two sides' compare a -- b -- c
ends "no profile" 1 "$obtrace" whatif --profile "$work/none.profile" "$work/own.trace"
says "no profile" 'none.profile.* \[OB-8101\]$'
printf 'openblacs-profile 1\nend 7\n' >"$work/bad.profile"
ends "a damaged profile" 1 "$obtrace" whatif --profile "$work/bad.profile" "$work/own.trace"
says "a damaged profile" 'bad.profile'
for command in whatif "compare $work/own.trace" "scaling $work/own.trace"; do
    # shellcheck disable=SC2086 # a list of words
    ends "$command of no file" 1 "$obtrace" $command "$work/none.trace"
    says "$command of no file" 'none.trace: cannot be opened: No such file'
    # shellcheck disable=SC2086
    ends "$command of a cut trace" 1 "$obtrace" $command "$work/part.trace"
    says "$command of a cut trace" 'at byte [0-9]+: a chunk of [0-9]+ bytes, but the file ends'
done

# Runs whose scaling is known: each step of a process computes for as long, whatever the grid.
"$here/synthetic.py" 1 2 20 compact >"$work/two.picl" 2>"$log"
"$here/synthetic.py" 2 4 20 compact >"$work/eight.picl" 2>"$log"
ends "scaling" 0 "$obtrace" scaling "$work/eight.picl" "$work/four.picl" "$work/two.picl" -o "$work/scaling.svg"
says "scaling" '^ +2 .*two.picl$' "$work/out"
says "scaling" '^ +8 .*eight.picl$' "$work/out"
says "scaling" '<title>load balance, 8 processes: ' "$work/scaling.svg"
/usr/bin/python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/scaling.svg" >"$log" 2>&1
if [ $? = 0 ]; then ob_pass; else ob_fail "the picture is no XML" "$log"; fi
ends "a run beside itself" 0 "$obtrace" compare "$work/own.trace" "$work/own.trace"
says "a run beside itself" 'nothing differs by more than 0.2 % of the run' "$work/out"
ends "two sides" 0 "$obtrace" compare "$work/four.picl" "$work/four.picl" -- "$work/eight.picl" "$work/eight.picl"
says "two sides" '^A: 2 traces, .*four.picl ..., 4 processes$' "$work/out"
says "two sides" '^B: 2 traces, .*eight.picl ..., 8 processes$' "$work/out"
says "two sides" '^  (slower|faster) .* [a-z]' "$work/out"
ends "a page of two sides" 0 "$obtrace" compare "$work/four.picl" "$work/eight.picl" -o "$work/compare.html"
says "a page of two sides" '^<h1>Two runs side by side</h1>$' "$work/compare.html"

# ----------------------------------------------------------------- damaged files
timeout $((120 * OB_SLOW)) "$here/fuzz.py" "$obtrace" "${OBTRACE_FUZZ:-150}" 1 "$golden/records.picl" \
    "$golden/records.cpicl" "$work/run.picl" "$work/part.trace" \
    "$work/part.csv" "$work/part.json" "$golden/records.picl2" "$work/other.picl2" ${otf2:+"$work/small.otf2"} >"$log" 2>&1
if [ $? = 0 ]; then ob_pass "$(sed -n 's/ passed.*//p' "$log")"; else ob_fail "fuzz" "$log"; fi

ob_tally
