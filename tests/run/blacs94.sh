#!/bin/bash
# libblacs94: its routines on several transports, wrong uses, and the programs of LAWN 73's
# appendices A and D (examples/blacs94).
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

try() { # NAME TEXT HOW PROCESSES [NAME=VALUE ...] -- PROGRAM...
    local name="$1 ($3, $4 processes)" text=$2
    shift 2
    ob_launch "$1" "$2" 60 "${@:3}" >"$work/log" 2>&1
    if grep -qE -e "$text" "$work/log"; then ob_pass; else ob_fail "$name: no line '$text'" "$work/log"; fi
}
passed='^[1-9][0-9]* passed, 0 failed$'
try routines "$passed" self 1 -- "$OB_BUILD/tests/blacs94/blacs94_routines"
for n in 2 3 7; do
    try routines "$passed" obrun $n -- "$OB_BUILD/tests/blacs94/blacs94_routines"
done
try routines "$passed" openmpi 4 -- "$OB_BUILD/tests/blacs94/blacs94_routines"
try routines "$passed" mpich 3 OPENBLACS_TRANSPORT=mpi -- "$OB_BUILD/tests/blacs94/blacs94_routines"

# libopenblacs64 in front of libopenblacs has routines of 64-bit integers by its names; libblacs94 is served all the same.
if cc "$ob_root/tests/blacs94/routines.c" -w -I"$ob_root/include" -o "$work/beside" -L"$OB_BUILD" \
    -Wl,--no-as-needed -lblacs94 -lopenblacs64 -lopenblacs -Wl,-rpath,"$OB_BUILD" >"$work/log" 2>&1; then
    try "beside libopenblacs64" "$passed" obrun 3 -- "$work/beside"
else
    ob_fail "libblacs94 beside libopenblacs64 is not linked" "$work/log"
fi

# One line, under the name and with the argument numbers of this interface, and no context.
wrong() { # NAME LINE
    try "wrong $1" "^OpenBLACS: $2\$" obrun 2 -- "$OB_BUILD/tests/blacs94/blacs94_wrong" "$1"
    if [ "$(grep -cE '^OpenBLACS:|context|blacs_' "$work/log")" -gt 2 ]; then
        ob_fail "wrong $1: more than a line for each process" "$work/log"
    fi
}
by='process \{0,[01]\} \(number [01]\)'
wrong early 'dgesd2d: there is no grid yet; call blacsinit or gridmap first; process number [01] \[OB-7301\]'
wrong outside 'barrier: this process is not in the grid and must not communicate there; process number 1 \[OB-7301\]'
wrong tasks 'setpvmtids: argument 1 \(NTASKS\) is 5, must be 1 to 2, the processes that the launcher has started; process number [01] \[OB-7303\]'
wrong nprow 'blacsinit: argument 1 \(NPROW\) is 0, must be at least 1; process number [01] \[OB-1012\]'
wrong large 'blacsinit: arguments 1 and 2 \(NPROW, NPCOL\) are 2 and 2: that takes 4 processes, the job has 2; process number [01] \[OB-1011\]'
wrong twice 'gridmap: argument 1 \(USERMAP\) has process 0 at \(0,1\) a second time; process number [01] \[OB-1014\]'
wrong ranges 'shift_range: arguments 1 to 4 \(MINSND, MAXSND, MINBS, MAXBS\) are 0 to 5 and 1 to 5; the ranges of messages and of broadcasts must not overlap; process number [01] \[OB-7304\]'
wrong branches 'setbranches: argument 1 \(BRANCHES\) is 0, must be at least 1; process number [01] \[OB-1008\]'
wrong m "dgesd2d: argument 1 \(M\) is -1, must not be negative; $by \[OB-1003\]"
wrong lda "dgerv2d: argument 4 \(LDA\) is 1, must be at least M = 2; $by \[OB-1004\]"
wrong cdest "dgesd2d: argument 6 \(CDEST\) is 2, must be 0 to 1 in a 1 x 2 grid; $by \[OB-1009\]"
wrong uplo "dtrsd2d: argument 1 \(UPLO\) is 'X', must be U or L; $by \[OB-1006\]"
wrong scope "dgsum2d: argument 1 \(SCOPE\) is 'Q', must be R, C or A; $by \[OB-1007\]"
wrong top "dgebs2d: argument 2 \(TOP\) is '\?', must be blank, [A-Z, ]+ or 1 to 9; $by \[OB-1008\]"
wrong source "dgebr2d: arguments 7 and 8 \(RSRC, CSRC\) are 0 and [01], the caller itself; the source of a broadcast calls dgebs2d; $by \[OB-1010\]"
wrong ldia "dgmax2d: argument 9 \(LDIA\) is 1, must be -1 or at least M = 2; $by \[OB-1020\]"
wrong rdest "igmin2d: argument 10 \(RDEST\) is 5, must be 0 to 0 in a 1 x 2 grid; $by \[OB-1009\]"
wrong barrier "barrier: argument 1 \(SCOPE\) is 'Q', must be R, C or A; $by \[OB-1007\]"
wrong kbsid "kbsid: argument 1 \(SCOPE\) is 'Q', must be R, C or A; process number [01] \[OB-1007\]"
wrong krecvid "krecvid: process \{5,0\} is outside the 1 x 2 grid; process number [01] \[OB-1009\]"

# 6.2.2: how long a send waits for memory is the user's to set.
for how in obrun $ob_mpis; do
    for transport in auto mpi; do
        [ $how/$transport != obrun/mpi ] || continue
        sets="OPENBLACS_HEAP=1M OPENBLACS_TRANSPORT=$transport"
        ob_launch $how 2 60 $sets OPENBLACS_HEAP_SECONDS=50 -- "$OB_BUILD/tests/blacs94/blacs94_wrong" \
            late >"$work/log" 2>&1 && ob_pass || ob_fail "a send waits for memory ($how, $transport)" "$work/log"
        try "a send does not wait for memory, $transport" \
            '^OpenBLACS: dgesd2d: process \{0,0\} \(number 0\) cannot keep .*OPENBLACS_HEAP_SECONDS' $how 2 $sets \
            OPENBLACS_HEAP_SECONDS=0 -- "$OB_BUILD/tests/blacs94/blacs94_wrong" late
    done
done

examples=$OB_BUILD/examples
if [ -x "$examples/blacs94_mvmult" ]; then
    for n in 1 4 6; do
        how=obrun; [ $n = 1 ] && how=self
        try mvmult '^\|\|b\|\| lies in process row [0-9] of [0-9]$' $how $n -- "$examples/blacs94_mvmult"
        if grep -q ERROR "$work/log"; then ob_fail "mvmult: norms differ" "$work/log"; fi
    done
    # Which processes have which pieces does not matter to the norm of a 100 x 100 matrix.
    try "mvmult, 2 x 2" '^\|\|A\|\| = +[0-9.]+' mpich 4 -- "$examples/blacs94_mvmult"
fi
end='^End of run\.$'
# Says what the last timing program printed: how many lines of a kind.
lines() { # NAME COUNT PATTERN [FILE]
    local found
    found=$(grep -cE -e "$3" "${4-$work/log}")
    if [ "$found" = "$2" ]; then ob_pass; else ob_fail "$1: $found lines like '$3', not $2" "$work/log"; fi
}
try tc "$end" obrun 3 -- "$examples/blacs94_tc" 4 64 0 5
lines "tc to all others, lengths doubled" 10 '^0 to [12]: length = (4|8|16|32|64), Tc = '
try "tc, FIRST 0" "$end" obrun 2 -- "$examples/blacs94_tc" 0 16 0 5
lines "tc ends with FIRST 0" 4 '^0 to 1: length = (0|4|8|16), Tc = '
try "tc, increment" "$end" openmpi 2 -- "$examples/blacs94_tc" 0 64 30 5 1
lines "tc from the sender" 3 '^1 to 0: length = (0|30|60), Tc = '
try "tc, range" "$end" obrun 5 -- "$examples/blacs94_tc" 8 8 0 5 0 1 4 2
lines "tc to a range by a step" 2 '^0 to [13]: '
ob_launch obrun 5 60 -- "$examples/blacs94_tc" 8 8 0 5 1 1 4 0 "$work/times" >"$work/log" 2>&1
lines "tc with doubled receivers, into a file" 1 '^1 to 3: ' "$work/times"
lines "tc prints nothing beside the file" 0 .
try ts "$end" obrun 4 -- "$examples/blacs94_ts" stdout 6 0 64 0 2 3 0
lines "ts says to whom" 1 '^Receivers: 3 0$'
lines "ts from the sender, FIRST 0" 6 '^2: length = (0|4|8|16|32|64), Ts = '
try "ts to all others" '^Receivers: 1 2$' obrun 3 -- "$examples/blacs94_ts"
try "ts to itself" "^the sender as RECEIVER '2' cannot be; usage: ts " obrun 3 -- \
    "$examples/blacs94_ts" stdout 6 0 64 0 2 0 2
for top in i m h t; do
    try "broadcast, top $top" "$end" obrun 4 -- "$examples/blacs94_broadcast" $top 0 64 0 3 2 stdout 2
    lines "broadcast ends with FIRST 0" 8 '^ +[0-9]+ '
done
ob_launch obrun 3 60 -- "$examples/blacs94_broadcast" h 1 64 0 3 2 "$work/times" >"$work/log" 2>&1
lines "broadcast into a file" 7 '^ +[0-9]+ ' "$work/times"
for top in h t; do
    try "combine, top $top" "$end" obrun 3 -- "$examples/blacs94_combine" + $top 0 64 0 3 -1 stdout 2
    lines "combine ends with FIRST 0" 8 '^ +[0-9]+ '
    # Each process once for each length, for the table, beside the 4 that are timed.
    for pair in '>:dgmax2d' '<:dgmin2d'; do
        try "combine ${pair%:*}, top $top" "$end" obrun 3 OPENBLACS_STATS=1 -- "$examples/blacs94_combine" \
            "${pair%:*}" $top 1 64 0 4 1 stdout 2
        sed -n '/^by routine, all/,/^by routine and/p' "$work/log" >"$work/routines"
        lines "combine '${pair%:*}' times ${pair#*:}" 1 "^${pair#*:} +$((3 * 7 * (4 + 1))) " "$work/routines"
    done
done
try "combine, no operation" "^OPERATION 'x' cannot be; usage: combine " obrun 2 -- "$examples/blacs94_combine" x
ob_launch obrun 3 60 -- "$examples/blacs94_combine" + h 1 64 0 3 -1 "$work/times" >"$work/log" 2>&1
lines "combine into a file" 7 '^ +[0-9]+ ' "$work/times"
# TOP p: the MPI library's own calls, where the program is built with one.
try "no primitive" "^no MPI was this program built with: TOP 'p'" obrun 2 -- "$examples/blacs94_broadcast" p
for kind in $ob_mpis; do
    [ -x "$examples/blacs94_broadcast_$kind" ] || continue
    try "primitive broadcast" "$end" $kind 2 OPENBLACS_STATS=1 -- "$examples/blacs94_broadcast_$kind" p 0 16 0 3 1
    lines "primitive broadcast, not ours" 0 '^dgebs2d'
    lines "primitive broadcast is named" 1 'of a primitive broadcast of doubles'
    for operation in + '>' '<'; do
        try "primitive combine $operation" "$end" $kind 2 OPENBLACS_STATS=1 -- \
            "$examples/blacs94_combine_$kind" "$operation" p 0 16 0 3 $((${#operation} - 2))
        sed -n '/^by routine, all/,/^by routine and/p' "$work/log" >"$work/routines"
        lines "primitive combine, not ours" 3 "^dg(sum|max|min)2d +$((2 * 6)) " "$work/routines"
    done
done
ob_tally
