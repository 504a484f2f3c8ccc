#!/bin/bash
# Traces programs under every launcher, unchanged, and checks what the files hold:
# structure, order, matching, numbers of calls and bytes (trace_examine); what is kept of
# processes that end badly; levels, buffers, chosen processes; the report of statistics;
# and ScaLAPACK's own driver xdlu, where Debian's package is installed.
#   tests/trace/run.sh [all]      the build is $OB_BUILD; all: xdlu with all that scalapack.sh tries, traces of 50 MB
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
talk=$OB_BUILD/tests/trace_talk
file=$work/run.trace
export TMPDIR=$work

# The facts of the trace that the last program left must have each of these lines.
facts() { # NAME LINE...: extended regular expressions, of whole lines
    local name=$1 line
    shift
    if ! "$OB_BUILD/tests/trace_examine" "$file" >"$work/facts" 2>&1; then
        ob_fail "$name: the trace is wrong" "$work/facts"
        return
    fi
    for line; do
        if grep -qxE -e "$line" "$work/facts"; then
            ob_pass
        else
            ob_fail "$name: no line '$line'" "$work/facts"
        fi
    done
}

# Of each process: rounds and broadcasts of trace_talk.
calls() { # NUMBER
    local broadcast=sgebr2d
    [ "$1" = 0 ] && broadcast=sgebs2d
    echo "$1 calls dgesd2d 10 bytes 320" "$1 calls dgerv2d 10 bytes 320" \
        "$1 calls dgsum2d 10 bytes 240" "$1 calls $broadcast 8 bytes 128" \
        "$1 calls blacs_barrier 2 bytes 0" "$1 calls ob_isend 3 bytes 12" \
        "$1 calls ob_wait 6 bytes 12" "$1 text half way" "$1 part to many" | sed "s/ \($1 \(calls\|text\|part\)\)/\n\1/g"
}

talk_as() { # NAME HOW PROCESSES END [NAME=VALUE ...]
    local name=$1 how=$2 processes=$3 end=$4 expected=()
    shift 4
    rm -f "$file"
    ob_launch "$how" "$processes" 60 OPENBLACS_TRACE="$file" "$@" -- "$talk" "$end" \
        >"$work/out" 2>&1
}

whole() { # NAME PROCESSES: all is there
    local name=$1 processes=$2 expected=() n
    for ((n = 0; n < processes; n++)); do
        while read -r line; do expected+=("$line"); done < <(calls $n)
        expected+=("$n events .* dropped 0 .* marks 1 .* signal 0 tops _IDSMHF[1-9T] scopes (RA|AR)")
    done
    facts "$name" "processes $processes" "written $processes" "finished 1" "${expected[@]}"
    [ "$(sed -n 's/^sends //p' "$work/facts")" = "$(sed -n 's/^matched //p' "$work/facts")" ] &&
        ob_pass || ob_fail "$name: a message has no other end" "$work/facts"
}

talk_as alone self 1 exit
whole alone 1
for n in 2 3 4 7; do
    talk_as "obrun, $n" obrun $n exit
    whole "obrun, $n" $n
done
talk_as "obrun, no blacs_exit" obrun 3 plain
whole "obrun, no blacs_exit" 3
for mpi in $ob_mpis; do
    for transport in auto mpi; do
        talk_as "$mpi, $transport" $mpi 3 exit OPENBLACS_TRANSPORT=$transport
        whole "$mpi, $transport" 3
    done
done

# One message for two is two events, of which the first has the time of both.
talk_as "one for many" obrun 3 long
facts "one for many" "0 calls ob_send 2 bytes 8" "1 calls ob_recv 1 bytes 4" "2 calls ob_recv 1 bytes 4"

# A program of the core alone: a thread's first event is none of an interface's routine.
for how in obrun $ob_mpis; do
    rm -f "$file"
    ob_launch $how 3 60 OPENBLACS_TRACE="$file" -- "$OB_BUILD/tests/core_descriptors" >"$work/out" 2>&1 || ob_fail "core_descriptors, $how" "$work/out"
    facts "core_descriptors, $how" "processes 3" "finished 1"
done

# The other interfaces: names, calls, bytes, scopes, roots and partners, and call sites in
# the program, also through Fortran's names (icc_bcast_ in C) and for who joins the job.
for way in "obrun auto" "openmpi mpi"; do
    rm -f "$file"
    ob_launch ${way% *} 4 60 OPENBLACS_TRACE="$file" OPENBLACS_TRANSPORT=${way#* } -- \
        "$OB_BUILD/tests/trace_faces" >"$work/out" 2>&1 || ob_fail "trace_faces, $way" "$work/out"
    facts "trace_faces, $way" "processes 4" "finished 1" \
        "0 first mlacs_gridinit kind 12 scope - peer -1 top - at trace_faces" \
        "2 calls mlacs_bcast 1 bytes 48" "2 first mlacs_bcast kind 5 scope R peer 3 top _ at trace_faces" \
        "3 calls mlacs_reduce_sum 1 bytes 24" "3 first mlacs_reduce_sum kind 6 scope C peer 1 top _ at trace_faces" \
        "1 first mlacs_allreduce_maxloc kind 6 scope A peer -1 top _ at trace_faces" \
        "1 first mlacs_irecv kind 3 scope - peer 0 top - at trace_faces" \
        "3 calls mlacs_send 1 bytes 16" "3 first mlacs_send kind 1 scope - peer 0 top - at trace_faces" \
        "2 calls mlacs_wait 1 bytes 16" "2 first mlacs_wait kind 2 scope - peer 1 top - at trace_faces" \
        "2 calls mlacs_ibcast 1 bytes 48" "2 first mlacs_ibcast kind 5 scope R peer 2 top - at trace_faces" \
        "3 first mlacs_waitall kind 13 scope - peer -1 top - at trace_faces" \
        "0 first mlacs_barrier kind 11 scope A peer -1 top _ at trace_faces" \
        "1 calls iCC_bcast 1 bytes 5" "1 first iCC_bcast .* at trace_faces" \
        "1 calls iCC_gdsum 1 bytes 16" "1 first iCC_gdsum kind 6 scope - peer -1 top _ at trace_faces" \
        "1 calls iCC_g_gdsum1 1 bytes 8" "1 first iCC_g_gdsum1 kind 6 scope - peer 3 .*" \
        "0 calls iCC_gcolx 1 bytes 32" "2 first iCC_scatter kind 7 scope - peer 1 top _ at trace_faces" \
        "3 calls iCC_gsync 1 bytes 0" "0 calls bsp_sync 2 bytes 16" "3 calls bsp_sync 2 bytes 0" \
        "0 first bsp_sync kind 14 scope - peer -1 top _ at trace_faces" \
        "3 first bsp2d_bcast kind 7 scope R peer 2 top _ at trace_faces" \
        "0 asked bsp_put peer 1 calls 1 bytes 8 at trace_faces" "2 asked bsp2d_hpsend peer 3 calls 2 bytes 64 at trace_faces" \
        "3 asked bsp2d_hpsend peer 0 calls 2 bytes 64 at trace_faces" "1 asked bsp2d_send peer 1 calls 1 bytes 32 at trace_faces" \
        "1 first bsp2d_gridexit kind 14 .*" "0 first bsp_end kind 14 .*"
    [ "$(sed -n 's/^sends //p' "$work/facts")" = "$(sed -n 's/^matched //p' "$work/facts")" ] &&
        ob_pass || ob_fail "trace_faces, $way: a message has no other end" "$work/facts"
done

# What libicc-mpi serves of an MPI program has the names of MPI's calls, and what it passes on, here those of a
# datatype of the program's own, a name of its own.
summary() { # MPI [SETTING]
    rm -f "$file"
    ob_launch "$1" 2 60 LD_PRELOAD="$OB_BUILD/libicc-mpi-$1.so" OPENBLACS_TRACE="$file" ${2:+"$2"} -- \
        "$OB_BUILD/tests/icc/icc_mpi_other_$1" summary >"$work/out" 2>&1 || ob_fail "libicc-mpi, $1" "$work/out"
}
for mpi in $ob_mpis; do
    summary $mpi
    facts "libicc-mpi, $mpi" "processes 2" "finished 1" "0 calls MPI_Bcast 4 bytes 16" \
        "1 first MPI_Bcast kind 5 scope - peer 0 top _ at icc_mpi_other_$mpi" \
        "1 calls MPI_Allreduce 3 bytes 12" "0 calls MPI_Gather 1 bytes 8"
    summary $mpi OPENBLACS_ICC_MPI_DERIVED=pass
    facts "libicc-mpi, $mpi" "1 calls MPI_Bcast \(MPI\) 1 bytes 0" "1 calls MPI_Allreduce 2 bytes 8" \
        "1 calls MPI_Allreduce \(MPI\) 1 bytes 0" \
        "0 first MPI_Allreduce \(MPI\) kind 15 scope - peer -1 top - at icc_mpi_other_$mpi"
    # All of what was passed on counts as waiting, but for what is rounded in each call.
    "$OB_BUILD/obtrace" stat --plain "$file" >"$work/stat" 2>&1
    awk '/^routine MPI_Allreduce \(MPI\) calls 2 / && $6 == "time" && $9 > 0 && $7 - $9 <= $5 { good = 1 } END { exit !good }' "$work/stat" &&
        ob_pass || ob_fail "libicc-mpi, $mpi: what was passed on is no waiting" "$work/stat"
done

# Whom a call worked for: the routine that a programmer knows, and who called it, also where the stacks of two
# callers look alike, where a function's part of the stack has no fixed size, and in a second thread.
rm -f "$file"
ob_launch obrun 1 60 OPENBLACS_TRACE="$file" OPENBLACS_STATS=1 -- "$OB_BUILD/tests/trace_origins" >"$work/out" 2>&1
facts "origins" "0 within PDOUTER of PDFIRST calls dgesd2d 20" "0 within PDOUTER of PDSECOND calls dgesd2d 17" \
    "0 within PDOUTER of PDROOMY calls dgerv2d 30" "0 within helper of main calls dgsum2d 30"
for line in "dgesd2d +20 .* PDOUTER called from PDFIRST\+0x[0-9a-f]+ \(trace_origins\)" \
    "dgesd2d +17 .* PDOUTER called from PDSECOND\+0x[0-9a-f]+ \(trace_origins\)" \
    "dgsum2d +30 .* helper\+0x[0-9a-f]+ called from main\+0x[0-9a-f]+ \(trace_origins\)"; do
    grep -qxE -e "$line" "$work/out" && ob_pass || ob_fail "statistics of origins: no line '$line'" "$work/out"
done
"$OB_BUILD/obtrace" report "$file" -o "$work/run.html" >"$work/stat" 2>&1
for text in "dgesd2d in PDOUTER called from PDFIRST+0x" "dgsum2d in helper+0x"; do
    grep -qF -e "$text" "$work/run.html" && ob_pass || ob_fail "origins: the report has no '$text'" "$work/stat"
done
ob_launch obrun 1 60 OPENBLACS_STATS=json:"$work/origins.json" -- "$OB_BUILD/tests/trace_origins" >"$work/out" 2>&1
python3 -c 'import json, sys
rows = {(r["routine"][-7:], r["function"], r["caller"]): r for r in json.load(open(sys.argv[1]))["by_site"]}
row = rows["dgesd2d", "PDOUTER", "PDFIRST"]
sys.exit(not (row["calls"] == 20 and row["offset"] == 0 and row["caller_offset"] > 0 and row["caller_object"].endswith("trace_origins")))' \
    "$work/origins.json" >>"$work/out" 2>&1 && ob_pass || ob_fail "origins as JSON" "$work/out"
# The same where one name of a routine calls the other, as in builds that inline nothing: the call is the program's.
if echo '#include <dlfcn.h>
static const void *volatile stays;
void Cdgsum2d(int c, const char *scope, const char *top, int m, int n, double *a, int lda, int row, int column)
{
    void (*of_ours)(int, const char *, const char *, int, int, double *, int, int, int);
    *(void **)&of_ours = dlsym(RTLD_NEXT, "Cdgsum2d");
    of_ours(c, scope, top, m, n, a, lda, row, column);
    stays = a;
}' | cc -shared -fPIC -D_GNU_SOURCE -x c - -o "$work/libicc-between.so" -ldl >"$work/out" 2>&1; then
    ob_launch obrun 1 60 LD_PRELOAD="$work/libicc-between.so" OPENBLACS_STATS=1 -- "$OB_BUILD/tests/trace_origins" >"$work/out" 2>&1
    grep -qE "dgsum2d +30 .* helper\+0x[0-9a-f]+ called from main\+0x[0-9a-f]+ \(trace_origins\)" "$work/out" && ob_pass ||
        ob_fail "origins behind a second name of the routine" "$work/out"
else
    ob_fail "a library with a second name of a routine" "$work/out"
fi
# More ways through the program than are told apart: those that are not stand at the place of the call itself.
ob_launch obrun 1 60 OPENBLACS_STATS=1 -- "$OB_BUILD/tests/trace_origins" deep >"$work/out" 2>&1
awk '/dgesd2d .* called from PDFIRST/ { told += $2 } /dgesd2d .* PB_Csend\+/ { plain += $2 } END { exit !(told > 20 && plain > 0 && told + plain == 6020) }' \
    "$work/out" && ob_pass || ob_fail "more origins than there is room for" "$work/out"

# A process that a signal ends writes first; SIGKILL it does not notice.
talk_as term obrun 3 term
facts "SIGTERM of one" "joined 3" "1 events .* signal 15 .*" "0 events .* marks 1 .*"
talk_as "SIGTERM with a small buffer" obrun 3 term OPENBLACS_TRACE_BUFFER=4096
grep -q "events are missing in the trace" "$work/out" && ob_pass ||
    ob_fail "SIGTERM with a small buffer: no line about it" "$work/out"
talk_as kill obrun 3 kill
facts "SIGKILL of one" "joined 3" "written 2" "0 events .* marks 1 .*" "1 events 0 .*"
if "$OB_BUILD/obtrace" stat "$file" >"$work/stat" 2>"$work/err" &&
    grep -qxE "  The run was not finished: 2 of 3 processes have written, and a signal ended 2 of these\." "$work/stat" &&
    ! grep -q "could not be read" "$work/stat" "$work/err"; then ob_pass; else ob_fail "stat of a run that was not finished" "$work/stat"; fi
talk_as abort obrun 3 abort
facts abort "joined 3" "1 events .* marks 1 .* signal 0 .*" "0 events .* marks 1 .*"
# The next run replaces what such a one has left.
ob_launch obrun 2 60 OPENBLACS_TRACE="$file" -- "$talk" exit >"$work/out" 2>&1
facts "an old file" "processes 2" "joined 2" "written 2" "finished 1"

# A signal that comes while a process writes waits until it has: here the file is locked meanwhile.
rm -f "$file"
OPENBLACS_TRACE=$file "$talk" late >"$work/out" 2>&1 &
late=$!
until [ -s "$file" ]; do sleep 0.01; done
exec 8<"$file"
flock 8
until readlink /proc/"$late"/fd/* 2>/dev/null | grep -qxF "$file" || ! kill -0 "$late" 2>/dev/null; do sleep 0.01; done
kill -TERM "$late"
sleep 0.2
exec 8<&-
wait "$late"
facts "SIGTERM while it writes" "joined 1" "written 1" "finished 1" "0 events .* marks 1 .*"

# A name without folder means the folder in which the program began.
rm -f "$file"
(cd "$work" && ob_launch obrun 2 60 OPENBLACS_TRACE=run.trace -- "$talk" away) >"$work/out" 2>&1
whole "another folder" 2

# Levels, buffers, chosen processes.
talk_as "level 1" obrun 2 exit OPENBLACS_TRACE_LEVEL=1
facts "level 1" "0 events .* inside 0 .*" "1 calls dgesd2d 10 bytes 320"
talk_as "level 0" obrun 2 exit OPENBLACS_TRACE_LEVEL=0
facts "level 0" "0 events 2 .* marks 1 .*" "sends 0"
# One that the program sets counts from there on: of two more sums one.
talk_as "levels" obrun 2 levels
facts "levels" "finished 1" "0 level 0" "1 level 1" "1 level 2" "0 calls dgsum2d 11 bytes 248" "1 calls dgsum2d 11 bytes 248"
if grep -q wrong "$work/out" || grep -qvE '^[01] level [012]$' <(grep ' level ' "$work/facts"); then ob_fail "levels: others than were set" "$work/out"; else ob_pass; fi
talk_as "more texts than there is room for" self 1 texts
facts "more texts than there is room for" "0 events .* dropped 8 .*" "finished 1" "0 text half way"
talk_as "a small buffer" obrun 2 late OPENBLACS_TRACE_BUFFER=4096
grep -q "events are missing in the trace .*; set OPENBLACS_TRACE_BUFFER=1M" "$work/out" &&
    ob_pass || ob_fail "a small buffer: no line about it" "$work/out"
facts "a small buffer" "0 events 42 dropped [1-9][0-9]* .*" "finished 1"
"$OB_BUILD/obtrace" stat "$file" >"$work/stat" 2>&1
grep -q "events found no room in their buffers and are missing; what is said here ends where" "$work/stat" &&
    ob_pass || ob_fail "a small buffer: the summary does not say so" "$work/stat"
# The program sleeps at its end, which is not computing that the trace knows of.
"$OB_BUILD/obtrace" stat --plain "$file" >"$work/stat" 2>&1
awk '$1 == "length" { l = $2 } END { exit !(l > 0 && l < 2e9) }' "$work/stat" &&
    ob_pass || ob_fail "a small buffer: time is counted of which nothing is known" "$work/stat"
talk_as "chosen processes" obrun 4 exit OPENBLACS_TRACE_RANKS=0,2-3
facts "chosen processes" "joined 3" "written 3" "finished 1" "2 calls dgesd2d 10 bytes 320"

# Computing and not running: what the program computes is its processor time, however busy the machine is. Of
# the time that passes between two readings a sleep is no computing, and a processor that others have is none.
naps() { # NAME EXPRESSION: of awk, over computing c, not running n, slept s, in ms
    "$OB_BUILD/tests/trace_examine" "$file" >"$work/facts" 2>&1 || ob_fail "$1: the trace is wrong" "$work/facts"
    { "$OB_BUILD/obtrace" stat --plain "$file" && "$OB_BUILD/obtrace" stat "$file"; } >"$work/stat" 2>&1
    awk '$1 == "computing" { c = $2 / 1e6 } $1 == "slept" { s = $2 / 1e6 } $1 == "state" && $2 == "not-running" { n = $3 / 1e6 }
         END { exit !('"$2"') }' "$work/stat" && ob_pass || ob_fail "$1: not $2" "$work/stat"
}
for n in 1 2; do
    rm -f "$file"
    ob_launch obrun $n 60 OPENBLACS_TRACE="$file" -- "$OB_BUILD/tests/trace_naps" >"$work/out" 2>&1
    naps "naps of $n" "c >= 240 * $n && c <= 300 * $n && n >= 240 * $n && s > 0"
done
rm -f "$file"
(taskset -p -c "$(taskset -c -p $BASHPID | sed 's/.*: //; s/[-,].*//')" $BASHPID >/dev/null
    ob_launch obrun 4 60 OPENBLACS_TRACE="$file" -- "$OB_BUILD/tests/trace_naps" awake) >"$work/out" 2>&1
naps "four on one processor" "c >= 960 && c <= 1200 && n >= 200"
grep -qE "^  More processes than processors: 4 processes share 1 processor of .*\. For [1-9][0-9]? % of the time" "$work/stat" &&
    ob_pass || ob_fail "four on one processor: the summary does not say so" "$work/stat"
# What waits for the processor is told from what sleeps, where the system tells threads how long they waited.
if [ -r /proc/thread-self/schedstat ]; then
    rm -f "$file"
    (taskset -p -c "$(taskset -c -p $BASHPID | sed 's/.*: //; s/[-,].*//')" $BASHPID >/dev/null
        ob_launch obrun 4 60 OPENBLACS_TRACE="$file" -- "$OB_BUILD/tests/trace_naps") >"$work/out" 2>&1
    naps "four naps on one processor" "c >= 960 && c <= 1200 && s >= 960 && s <= 1200 && n - s >= 200"
fi
# Those of a simulated run are none of the simulated machine; at level 0 there are none either.
rm -f "$file"
ob_launch obrun 1 60 OPENBLACS_TRACE="$file" OPENBLACS_TRACE_LEVEL=0 -- "$OB_BUILD/tests/trace_naps" >"$work/out" 2>&1
facts "naps at level 0" "0 events 0 .*"

# A setting that is none, and a file that cannot be, end the program with a line.
refused() { # TEXT NAME=VALUE...
    local text=$1
    shift
    if ob_launch obrun 2 60 "$@" -- "$talk" exit >"$work/out" 2>&1; then
        ob_fail "$* was taken" "$work/out"
    elif grep -qF -e "$text" "$work/out"; then
        ob_pass
    else
        ob_fail "$*: no line with '$text'" "$work/out"
    fi
}
refused "OPENBLACS_TRACE_RANKS is '3-1'" OPENBLACS_TRACE="$file" OPENBLACS_TRACE_RANKS=3-1
refused "OPENBLACS_TRACE_RANKS is '2-7', and none of the 2 processes is among them" \
    OPENBLACS_TRACE="$file" OPENBLACS_TRACE_RANKS=2-7
echo "what somebody needs" >"$work/text"
refused "'$work/text', cannot be written: there is a file that is no trace" OPENBLACS_TRACE="$work/text"
[ "$(cat "$work/text")" = "what somebody needs" ] && ob_pass || ob_fail "a text was written over" "$work/text"
# Whoever may read a file may hold its lock, and so nobody else may read it unless it is there before.
[ "$(stat -c %a "$file")" = 600 ] && ob_pass || ob_fail "others may read a trace: mode $(stat -c %a "$file")"
flock -s "$file" sleep 300 &
holder=$!
until ! flock -n "$file" true; do sleep 0.01; done
refused "$file', cannot be written: another process holds its lock and does not write" OPENBLACS_TRACE="$file"
pkill -P $holder
kill $holder 2>/dev/null
refused "OPENBLACS_TRACE_RANKS is '1,x'" OPENBLACS_TRACE="$file" OPENBLACS_TRACE_RANKS=1,x
refused "OPENBLACS_TRACE_RANKS is 'a', must be process numbers" OPENBLACS_TRACE_RANKS=a
refused "OPENBLACS_PLAN is 'x=y'" OPENBLACS_PLAN=x=y
refused "OPENBLACS_TRACE_RANKS is '7-3', must be process numbers" OPENBLACS_TRACE_RANKS=7-3
refused "OPENBLACS_PLAN is 'broadcast=nonsense'; at 'broadcast=nonsense' it must be" \
    OPENBLACS_PLAN=broadcast=nonsense
refused "OPENBLACS_TRACE_LEVEL is '4', must be 0, 1, 2 or 3" OPENBLACS_TRACE_LEVEL=4
refused "OPENBLACS_TRACE_BUFFER is '12'" OPENBLACS_TRACE_BUFFER=12
refused "OPENBLACS_STATS is 'yes', must be 0, 1, line or json; behind" OPENBLACS_STATS=yes
refused "OPENBLACS_STATS is 'line:', must be 0, 1, line or json; behind" OPENBLACS_STATS=line:
refused "OPENBLACS_STATS is 'jsonl', must be 0, 1, line or json; behind" OPENBLACS_STATS=jsonl
refused "/nowhere/x', cannot be written: No such file" OPENBLACS_STATS="json:$work/nowhere/x"
refused "/nowhere/x', cannot be written" OPENBLACS_TRACE="$work/nowhere/x"

# Statistics, with and without a trace; nothing is left behind.
for settings in "OPENBLACS_STATS=1" "OPENBLACS_STATS=1 OPENBLACS_TRACE=$file"; do
    for how in self obrun $ob_mpis; do
        n=3
        [ $how = self ] && n=1
        ob_launch $how $n 60 $settings -- "$talk" exit >"$work/out" 2>&1
        for line in "OpenBLACS statistics: .*trace_talk, $n process(es)?" \
            "dgesd2d +$((10 * n)) .* $((320 * n)) +32 +32\.0 +32 +[01]\.[0-9]+" \
            "dgsum2d +$((10 * n)) .* $((240 * n)) +24 +24\.0 +24 .*" \
            "dgesd2d .* (main|rounds)\+0x[0-9a-f]+( called from .*)? \\(trace_talk\\)" " +0 +[0-9.]+ .*"; do
            if [ "$(grep -cxE -e "$line" "$work/out")" -ge 1 ]; then
                ob_pass
            else
                ob_fail "statistics, $how, $settings: no line '$line'" "$work/out"
            fi
        done
    done
done

# The same as a line and as JSON: on standard error, and in a file, to which each run adds. The last process writes
# it, whatever its language is; of a run in which a process is killed, obrun does.
for how in self obrun $ob_mpis; do
    n=3
    [ $how = self ] && n=1
    rm -f "$work"/log.*
    ob_launch $how $n 60 OPENBLACS_STATS="line:$work/log.%h" -- "$talk" away >"$work/out" 2>&1
    ob_launch $how $n 60 OPENBLACS_STATS="line" -- "$talk" exit >"$work/err" 2>&1
    cat "$work"/log.* "$work/err" >"$work/lines"
    [ "$(grep -cxE "OpenBLACS statistics: .*trace_talk, $n process(es)?, [0-9]+\.[0-9]{3} s, [0-9]+\.[0-9] % computing, [0-9]+\.[0-9] % communicating, [0-9]+\.[0-9] % waiting, [1-9][0-9]* messages, [1-9][0-9]* bytes" "$work/lines")" = 2 ] &&
        ! grep -q "OpenBLACS" "$work/out" && ob_pass || ob_fail "statistics as a line, $how" "$work/lines"
    rm -f "$work/json"
    ob_launch $how $n 60 OPENBLACS_STATS="json:$work/json" -- "$talk" exit >"$work/out" 2>&1
    ob_launch $how $n 60 OPENBLACS_STATS="json" -- "$talk" exit 2>&1 | grep '^{' >>"$work/json"
    if python3 "$ob_root/tests/trace/stats_json.py" $n "$work/json" 2 >"$work/out" 2>&1; then ob_pass; else
        ob_fail "statistics as JSON, $how" "$work/out"
    fi
done
# A pipe gets it, though nobody opens it before the end. One that nobody reads is a line, and no end that never comes.
mkfifo "$work/pipe"
timeout -s KILL $((60 * OB_SLOW)) cat "$work/pipe" >"$work/json" &
reader=$!
ob_launch obrun 3 60 OPENBLACS_STATS="json:$work/pipe" -- "$talk" exit >"$work/out" 2>&1
wait $reader
if python3 "$ob_root/tests/trace/stats_json.py" 3 "$work/json" 1 >"$work/out" 2>&1; then ob_pass; else
    ob_fail "statistics into a pipe" "$work/out"
fi
ob_launch obrun 3 60 OPENBLACS_STATS="json:$work/pipe" -- "$talk" exit >"$work/out" 2>&1 &&
    grep -q "'$work/pipe', cannot be written: No such device or address \[OB-8001\]" "$work/out" &&
    ob_pass || ob_fail "statistics into a pipe that nobody reads" "$work/out"
rm -f "$work/pipe"
rm -f "$work/json"
ob_launch obrun 3 60 OPENBLACS_STATS="json:$work/json" -- "$talk" kill >"$work/out" 2>&1
if python3 "$ob_root/tests/trace/stats_json.py" 3 "$work/json" 1 killed >"$work/out" 2>&1; then ob_pass; else
    ob_fail "statistics as JSON, of a run in which a process is killed" "$work/out"
fi

# Which way long messages and collective calls took: each one or the other, and by no means the one
# that is forbidden.
ways() { # WHAT
    awk -v what="($1:" 'index($0, what) == 1 && $NF != "-" { sub(/^[^)]*\)/, ""); n += $1 }
                        END { print n + 0 }' "$work/out"
}
for choice in 0 1; do
    ob_launch obrun 2 60 OPENBLACS_STATS=1 OPENBLACS_ONE_COPY=$choice -- "$talk" long >"$work/out" 2>&1
    if [ "$(ways "long messages"),$(ways "long collectives")" = 20,20 ] &&
        { [ $choice = 1 ] || ! grep -q "one copy)" "$work/out"; }; then
        ob_pass
    else
        ob_fail "statistics of ways with OPENBLACS_ONE_COPY=$choice" "$work/out"
    fi
done

# One report a job, however its processes come and go: when each joins after the one before has
# ended, when one never joins, when one ends by a signal, an abort or a status. MPICH's launcher
# kills the others so that they cannot write.
one_report() { # HOW END TITLE
    rm -f "$work"/pid.*
    local file=
    case $2 in apart | never) file=$work/pid ;; esac
    if [ -n "$file" ] && [ "$1" != obrun ]; then
        # Launchers of MPI may end a job one of whose processes leaves without MPI_Finalize: a shell stays.
        ob_launch "$1" 3 60 OPENBLACS_STATS=1 -- sh -c '"$@"; : >"$3.left.$$"
            until [ "$(ls "$3".left.* | wc -l)" = 3 ]; do sleep 0.05; done' \
            sh "${talk}_$1" "$2" "$file" >"$work/out" 2>&1
    else
        ob_launch "$1" 3 60 OPENBLACS_STATS=1 -- "$talk" "$2" $file >"$work/out" 2>&1
    fi
    if [ "$(grep -c '^OpenBLACS statistics:' "$work/out")" = 1 ] &&
        grep -qE "^OpenBLACS statistics: .*trace_talk[a-z_]*, $3\$" "$work/out"; then
        ob_pass
    else
        ob_fail "one report, $1, $2: not one of '$3'" "$work/out"
    fi
}
# Open MPI's launcher kills what has not ended a second after its SIGTERM; on a busy machine writing may take longer.
export OMPI_MCA_odls_base_sigkill_timeout=5
for how in obrun $ob_mpis; do
    one_report $how apart "3 processes"
    one_report $how never "2 of 3 processes"
done
for how in obrun openmpi; do
    for end in plain term abort fail; do
        [ "$how$end" = openmpiplain ] || one_report $how $end "3 processes"
    done
    one_report $how kill "2 of 3 processes"
    grep -qx "1 of 3 processes ended without leaving their statistics" "$work/out" && ob_pass ||
        ob_fail "one report, $how: nothing about the one that was killed" "$work/out"
done
# What MPICH's launcher killed before it could write: the next run removes it, but not what runs.
ob_launch mpich 3 60 OPENBLACS_STATS=1 -- "$talk" abort >"$work/out" 2>&1
ob_launch mpich 3 60 OPENBLACS_STATS=1 -- "$talk" late >"$work/late" 2>&1 &
late=$!
sleep 1
ob_launch openmpi 3 60 OPENBLACS_STATS=1 -- "$talk" exit >"$work/out" 2>&1
wait $late
for log in late out; do
    grep -qE "^OpenBLACS statistics: .*trace_talk, 3 processes$" "$work/$log" && ob_pass ||
        ob_fail "a run beside one that was killed: no report ($log)" "$work/$log"
done
# A run that looks for what others have left, and takes long, is not taken for a process that may still join: it has
# not the roll of a job that runs.
if echo '#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int unlink(const char *name)
{
    if (strstr(name, ".roll"))
        sleep(6);
    return (int)syscall(SYS_unlinkat, -100, name, 0);
}' | cc -shared -fPIC -D_GNU_SOURCE -x c - -o "$work/slow.so" >"$work/out" 2>&1; then
    for mpi in $ob_mpis; do
        : >"$work/late"
        ob_launch $mpi 2 60 OPENBLACS_STATS=1 -- "$talk" late >"$work/late" 2>&1 &
        late=$!
        until cat "$work"/*.stats >"$work/joined" 2>/dev/null && "$OB_BUILD/tests/trace_examine" "$work/joined" 2>&1 | grep -qx "joined 2" ||
            ! kill -0 $late 2>/dev/null; do
            sleep 0.05
        done
        ob_launch self 1 60 LD_PRELOAD="$work/slow.so" OPENBLACS_STATS=1 -- "$talk" exit >"$work/out" 2>&1
        wait $late
        grep -qE "^OpenBLACS statistics: .*trace_talk, 2 processes$" "$work/late" && ob_pass ||
            ob_fail "a run beside one that looks for what was left, $mpi: no report" "$work/late"
    done
else
    ob_fail "a library in which removing takes long" "$work/out"
fi
# A program that has taken the number of a descriptor of ours for a file of its own, before it joins, too.
for how in obrun $ob_mpis; do
    ob_launch $how 3 60 OPENBLACS_STATS=1 -- "$OB_BUILD/tests/core_descriptors" >"$work/out" 2>&1
    if grep -qx "[1-9][0-9]* passed, 0 failed" "$work/out" &&
        grep -qE "^OpenBLACS statistics: .*core_descriptors, 3 processes$" "$work/out"; then
        ob_pass
    else
        ob_fail "descriptors taken by the program, $how" "$work/out"
    fi
done
left=$(find "$work" -name '*.stats' -o -name '*.roll')
[ -z "$left" ] && ob_pass || ob_fail "left behind: $left"

# ScaLAPACK under LD_PRELOAD, as scalapack.sh runs it; on two matrices and two grids, for obtrace reads each trace three
# times.
if [ "${1-}" != all ]; then export SCALAPACK_INPUTS=$ob_root/tests/trace SCALAPACK_LEAST=6; fi
for way in obrun $ob_mpis; do
    rm -f "$file"
    SCALAPACK_TRACE=$file SCALAPACK_WAYS=$way "$ob_root/tests/debian/scalapack.sh" xdlu \
        >"$work/out" 2>&1 || ob_fail "xdlu under $way with a trace" "$work/out"
    facts "xdlu, $way" "processes 4" "written 4" "finished 1" \
        "0 events [0-9]+ dropped [0-9]+ .* signal 0 .*" "3 calls dgesd2d [1-9][0-9]* .*" \
        "0 calls dge?bs2d [1-9].*"
    # Its calls are those of PBLAS' and ScaLAPACK's routines.
    "$OB_BUILD/obtrace" stat --plain "$file" >"$work/stat" 2>&1
    for text in "d[a-z0-9]* in PDTRSM called from PDGETRF" "d[a-z0-9]* in PDGEMM called from PDGETRF" "igebr2d in PDGETF2+0x[0-9a-f]* called from PDGETRF"; do
        grep -q -e "^why .* in $text+0x" "$work/stat" && ob_pass || ob_fail "xdlu, $way: no wait in $text" "$work/stat"
    done
    ! grep -q " in PB_" "$work/stat" && ob_pass || ob_fail "xdlu, $way: helpers of the PBLAS are named" "$work/stat"
    # And looked at: no message comes before it was sent, and there is a page of it.
    "$OB_BUILD/obtrace" stat "$file" >>"$work/stat" 2>&1
    for line in 'processes 4' 'early 0' 'routine dgesd2d calls .*' \
        '  4 processes, .* % of their time is computing, .* waiting for others\.' '  The critical path runs through process .*'; do
        if grep -qxE -e "$line" "$work/stat"; then ob_pass; else ob_fail "xdlu, $way: stat has no '$line'" "$work/stat"; fi
    done
    if "$OB_BUILD/obtrace" report "$file" -o "$work/run.html" >"$work/out" 2>&1 &&
        [ "$(wc -c <"$work/run.html")" -gt 100000 ]; then ob_pass; else ob_fail "xdlu, $way: report" "$work/out"; fi
done
ob_tally
