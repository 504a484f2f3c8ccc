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

wrong() { try "wrong $1" "^OpenBLACS: $2\$" obrun 2 -- "$OB_BUILD/tests/blacs94/blacs94_wrong" "$1"; }
wrong early 'dgesd2d: there is no grid yet; call blacsinit or gridmap first; process number [01]'
wrong outside 'barrier: this process is not in the grid and must not communicate there; process number 1'
wrong ranges 'shift_range: the ranges of messages and of broadcasts must not overlap; process number [01]'
wrong branches 'setbranches: the number of branches must be at least 1; process number [01]'
wrong m 'dgesd2d: argument 2 \(M\) is -1, must not be negative; process \{0,0\} \(number 0\) in context 0'

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
try tc "$end" obrun 3 -- "$examples/blacs94_tc" 4 64 0 5
try tc "$end" openmpi 2 -- "$examples/blacs94_tc" 4 64 30 5 1
try ts "$end" obrun 3 -- "$examples/blacs94_ts" 4 64 0 6
for top in i m h t; do
    try "broadcast, top $top" "$end" obrun 4 -- "$examples/blacs94_broadcast" $top 1 64 0 3 2 2
done
for top in h t; do
    try "combine, top $top" "$end" obrun 3 -- "$examples/blacs94_combine" + $top 1 64 0 3 -1 2
    try "combine, top $top" "$end" obrun 3 -- "$examples/blacs94_combine" '>' $top 1 64 0 3 1 2
done
ob_tally
