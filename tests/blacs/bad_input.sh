#!/bin/sh
# Makes each wrong call in a job of its own and compares the line it prints,
# word by word, and the exit status.
#   bad_input.sh PROGRAM [LAUNCHER...]
# PROGRAM is the built bad_input.c; LAUNCHER, for example "obrun -n 2", starts
# it; PROCESSES says how many processes that makes (default 1). Exit status 0:
# all as they should be.
program=$1
shift
passed=0 failed=0
processes=${PROCESSES:-1}
launch=$*
# The letters that the table of the topologies has.
tops=$(sed -nE "s/^ *\[OB_TOP_[A-Z_]+\] = \{'([A-Z])'.*/\1/p" \
    "$(dirname "$0")/../../src/collective/topology/topologies.c" | paste -sd, | sed 's/,/, /g')
at='; process {0,0} (number 0) in context 1'
sender='process {0,0} (number 0)'
alone=
[ -n "$launch" ] || alone='; the program runs alone: start it with obrun -n or mpirun -n'

case $launch in
*mpirun* | *mpiexec*) bare= ;;
*) bare='; this run has no MPI: start a program that calls MPI itself with its mpirun' ;;
esac

# expect NAME STATUS LINE: STATUS is 0, or 1 for any failure
expect() {
    output=$(timeout $((60 * ${OB_SLOW:-1})) $launch "$program" "$1" 2>&1)
    status=$?
    [ "$status" -eq 0 ] || status=1
    lines=$(printf '%s\n' "$output" | grep -c '^OpenBLACS: ')
    if [ "$status" -eq "$2" ] && [ "$lines" -eq 1 ] &&
        printf '%s\n' "$output" | grep -Fxq "OpenBLACS: $3"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1 (status $status)"
        echo "  want: OpenBLACS: $3"
        printf '%s\n' "$output" | sed 's/^/  got:  /'
    fi
}

expect negative-m 1 "dgesd2d: argument 2 (M) is -1, must not be negative$at [OB-1003]"
expect negative-n 1 "dgesd2d: argument 3 (N) is -3, must not be negative$at [OB-1003]"
expect both-negative 1 "igerv2d: argument 2 (M) is -2, must not be negative$at [OB-1003]"
expect lda 1 "dgesd2d: argument 5 (LDA) is 3, must be at least M = 4$at [OB-1004]"
expect trapezoid-lda 1 "ztrrv2d: argument 7 (LDA) is 3, must be at least M = 4$at [OB-1004]"
expect null 1 "sgesd2d: argument 4 (A) is NULL, but the matrix has 2 x 3 elements$at [OB-1002]"
expect uplo 1 "dtrsd2d: argument 2 (UPLO) is 'G', must be U or L$at [OB-1006]"
expect diag 1 "dtrsd2d: argument 3 (DIAG) is blank, must be U or N$at [OB-1006]"
expect rdest 1 "igesd2d: argument 6 (RDEST) is 1, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect cdest 1 "ctrsd2d: argument 9 (CDEST) is -1, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect rsrc 1 "dtrrv2d: argument 8 (RSRC) is -7, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect csrc 1 "dgerv2d: argument 7 (CSRC) is 9, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"

expect size-shorter 1 "dgerv2d: the message from $sender has 6 double precision elements (48 bytes), the receive expects 4 double precision elements (32 bytes)$at [OB-5001]"
expect size-longer 1 "dgerv2d: the message from $sender has 1 integer element (4 bytes), the receive expects 4 double precision elements (32 bytes)$at [OB-5001]"

# The same number of bytes, but of another type.
expect type-integers 1 "igerv2d: the message from $sender has 2 double precision elements (16 bytes), the receive expects 4 integer elements (16 bytes)$at [OB-5001]"
expect type-complex 1 "ztrrv2d: the message from $sender has 2 double precision elements (16 bytes), the receive expects 1 double complex element (16 bytes)$at [OB-5001]"

expect scope 1 "dgebs2d: argument 2 (SCOPE) is 'X', must be R, C or A$at [OB-1007]"
expect barrier-scope 1 "blacs_barrier: argument 2 (SCOPE) is character 0, must be R, C or A$at [OB-1007]"
expect broadcast-top 1 "dgebs2d: argument 3 (TOP) is '?', must be blank, $tops or 1 to 9$at [OB-1008]"
expect combine-top 1 "igsum2d: argument 3 (TOP) is '0', must be blank, $tops or 1 to 9$at [OB-1008]"
expect broadcast-lda 1 "dgebs2d: argument 7 (LDA) is 2, must be at least M = 3$at [OB-1004]"
expect broadcast-n 1 "dtrbs2d: argument 7 (N) is -1, must not be negative$at [OB-1003]"
expect broadcast-uplo 1 "dtrbs2d: argument 4 (UPLO) is 'X', must be U or L$at [OB-1006]"
expect broadcast-src 1 "dgebr2d: argument 9 (CSRC) is 2, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect broadcast-trapezoid-src 1 "dtrbr2d: argument 10 (RSRC) is 3, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect broadcast-own 1 "dgebr2d: arguments 8 and 9 (RSRC, CSRC) are 0 and 0, the caller itself; the source of a broadcast calls dgebs2d$at [OB-1010]"
expect broadcast-own-row 1 "igebr2d: argument 9 (CSRC) is 0, the caller itself; the source of a broadcast calls igebs2d$at [OB-1010]"
expect broadcast-own-column 1 "ztrbr2d: argument 10 (RSRC) is 0, the caller itself; the source of a broadcast calls ztrbs2d$at [OB-1010]"
expect sum-dest 1 "dgsum2d: argument 9 (CDEST) is 1, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect sum-null 1 "zgsum2d: argument 6 (A) is NULL, but the matrix has 1 x 1 elements$at [OB-1002]"
expect extreme-dest 1 "dgamx2d: argument 11 (RDEST) is 4, must be 0 to 0 in a 1 x 1 grid$at [OB-1009]"
expect ldia 1 "igamn2d: argument 10 (LDIA) is 2, must be -1 or at least M = 3$at [OB-1020]"
expect ra-null 1 "igamn2d: argument 8 (RA) is NULL, but LDIA is 1, not -1$at [OB-1020]"

number='; process number 0'
expect context-unknown 1 "dgesd2d: argument 1 (ICONTXT) is 77, which is no grid of this process$number [OB-1016]"
expect context-negative 1 "blacs_barrier: argument 1 (ICONTXT) is -5, which is no grid of this process$number [OB-1016]"
expect context-outside 1 "dgsum2d: argument 1 (ICONTXT) is -1, which says that this process is not in the grid; it must not communicate there$number [OB-1016]"
expect context-released 1 "dgebs2d: argument 1 (ICONTXT) is 1, which is a grid that blacs_gridexit has released$at [OB-1016]"
expect gridexit-twice 1 "blacs_gridexit: argument 1 (ICONTXT) is 1, which is a grid that blacs_gridexit has released$at [OB-1016]"
expect pnum-context 1 "blacs_pnum: argument 1 (ICONTXT) is 99, which is no grid of this process$number [OB-1016]"
expect get-context 1 "blacs_get: argument 1 (ICONTXT) is 99, which is no grid of this process$number [OB-1016]"
expect before-grid 1 "dgesd2d: argument 1 (ICONTXT) is 0, which cannot be used before a grid exists: call blacs_gridinit or blacs_gridmap first$number [OB-1016]"
expect after-exit 1 "dgesd2d: argument 1 (ICONTXT) is 1, which cannot be used: blacs_exit has released all grids$number [OB-1016]"
early="dgesd2d: argument 1 (ICONTXT) is 0, which cannot be used before a grid exists: call blacs_gridinit or blacs_gridmap first"
if [ "$processes" -eq 1 ]; then
    expect before-pinfo 1 "$early [OB-1016]"
fi
case $launch in
*obrun*)
    expect before-pinfo-1 1 "$early; process number 1 [OB-1016]"
    expect before-pinfo-abort 1 "blacs_abort: process {-1,-1} (number 1) in context -1 ends the job with code 3 [OB-2011]"
    ;;
esac
expect abort 1 "blacs_abort: process {0,0} (number 0) in context 1 ends the job with code 7 [OB-2011]"

expect nprow 1 "blacs_gridinit: argument 3 (NPROW) is 0, must be at least 1$number [OB-1012]"
expect npcol 1 "blacs_gridmap: argument 5 (NPCOL) is -2, must be at least 1$number [OB-1012]"
expect too-many 1 "blacs_gridinit: arguments 3 and 4 (NPROW, NPCOL) are 100 and 3: that takes 300 processes, the system context has $processes$alone$number [OB-1011]"
expect system 1 "blacs_gridinit: argument 1 (ICONTXT) is 4711, which is no system context; use what blacs_get or sys2blacs_handle gave$bare$number [OB-1017]"
expect map-range 1 "blacs_gridmap: argument 2 (USERMAP) has -1 at (0,0), must be 0 to $((processes - 1)), the processes of the system context$number [OB-1013]"
if [ "$processes" -gt 1 ]; then
    expect map-twice 1 "blacs_gridmap: argument 2 (USERMAP) has process 0 at (1,0) a second time$number [OB-1014]"
fi
expect ldumap 1 "blacs_gridmap: argument 3 (LDUMAP) is 1, must be at least NPROW = 2$number [OB-1004]"
expect map-null 1 "blacs_gridmap: argument 2 (USERMAP) is NULL$number [OB-1001]"
expect grid-gone 1 "blacs_gridinit: argument 1 (ICONTXT) is 1526726658, the system context of grid 2, which was released$number [OB-1017]"

expect set-system 0 "warning: blacs_set: argument 2 (WHAT) is 0: the system context cannot be set; nothing done$at [OB-1025]"
expect set-ids 0 "warning: blacs_set: argument 2 (WHAT) is 1: the range of message ids, which are not used, cannot be set; nothing done$number [OB-1025]"
expect set-debug 0 "warning: blacs_set: argument 2 (WHAT) is 2: the debug level cannot be set; nothing done$at [OB-1025]"
expect set-grid 0 "warning: blacs_set: argument 2 (WHAT) is 10: the system context of a grid cannot be set; nothing done$at [OB-1025]"
expect set-rings 0 "warning: blacs_set: argument 3 (VAL) is 0, the number of rings must not be 0; nothing done$at [OB-1025]"
expect set-branches 0 "warning: blacs_set: argument 3 (VAL) is -2, the number of branches must be at least 1; nothing done$at [OB-1025]"
expect set-unknown 0 "warning: blacs_set: argument 2 (WHAT) is 19, must be 0, 1, 2 or 10 to 18; nothing done$at [OB-1025]"
expect get-unknown 0 "warning: blacs_get: argument 2 (WHAT) is 3, must be 0, 1, 2 or 10 to 18; nothing done$number [OB-1025]"
expect pinfo-null 1 "blacs_pinfo: argument 1 (MYPNUM) is NULL, must be where the result goes$number [OB-1001]"
expect setup-null 1 "blacs_setup: argument 2 (NPROCS) is NULL, must be where the result goes$number [OB-1001]"
expect get-null 1 "blacs_get: argument 3 (VAL) is NULL, must be where the result goes$number [OB-1001]"
expect set-null 1 "blacs_set: argument 3 (VAL) is NULL, must be where the value is$at [OB-1001]"
expect gridinfo-null 1 "blacs_gridinfo: argument 4 (MYPROW) is NULL, must be where the result goes$at [OB-1001]"
expect pcoord-null 1 "blacs_pcoord: argument 4 (PCOL) is NULL, must be where the result goes$at [OB-1001]"

# Grids that were never released are counted when asked for, and only then.
leak=$(OPENBLACS_VERBOSE=1 timeout $((60 * ${OB_SLOW:-1})) $launch "$program" leak 2>&1 | grep -c '^OpenBLACS: 2 grids were never released; process number 0 \[OB-5014]$')
quiet=$(timeout $((60 * ${OB_SLOW:-1})) $launch "$program" leak 2>&1 | grep -c 'never released')
clean=$(OPENBLACS_VERBOSE=1 timeout $((60 * ${OB_SLOW:-1})) $launch "$program" none 2>&1 | grep -c 'never released')
if [ "$leak $quiet $clean" = "1 0 0" ]; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: leak report: $leak $quiet $clean lines, not 1 0 0"
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
