#!/bin/bash
# Tests of libopenblacs_bsp beside its conformance programs (tests/run/conformance.sh has
# those): ways to begin and end, and wrong programs, each of which must end with its line.
#   tests/run/bsp.sh [library]   library: without the header, the commands, examples and benchmarks
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=$OB_BUILD/tests/bsp

# The output must have the text, an extended regular expression, in some line; the status
# must be 0, or for error lines not 0.
try() { # NAME TEXT HOW PROCESSES [NAME=VALUE ...] -- PROGRAM...
    local name="$1 ($3, $4 processes)" text=$2 how=$3 processes=$4 status
    shift 4
    ob_launch "$how" "$processes" 60 "$@" >"$work/log" 2>&1
    status=$?
    case $text in
    OpenBLACS:* | stopped*) [ $status = 0 ] && status=-1 || status=0 ;;
    esac
    if grep -qE -e "$text" "$work/log" && [ $status = 0 ]; then
        ob_pass
    else
        ob_fail "$name: no line '$text' or status $status" "$work/log"
    fi
}

passed='^[1-9][0-9]* passed, 0 failed$'
for how in obrun $ob_mpis; do
    try "sequential beginning and end" '^sequential end, 3 of 3 processes$' $how 3 -- "$programs/bsp_rules" sequential
    try "fewer processes than there are" "$passed" $how 4 -- "$programs/bsp_rules" few 3
done
if [ -x "$programs/bsp_fortran" ]; then
    for how in obrun $ob_mpis; do
        try "BSP2D from Fortran" "$passed" $how 4 -- "$programs/bsp_fortran"
    done
    try "BSP2D from Fortran" "$passed" self 1 -- "$programs/bsp_fortran"
fi
try "a direct get takes nothing of the superstep before" "$passed" obrun 2 -- "$programs/bsp_reads"
try "sequential beginning and end" '^sequential end, 1 of 1 processes$' self 1 -- "$programs/bsp_rules" sequential

echo 2 >"$work/two"
echo 0 >"$work/none"
for how in obrun $ob_mpis; do
    ob_input=$work/two try "process 0 alone reads how many processes begin" '^2 of 2 processes$' $how 3 -- "$programs/bsp_starts" reads
    ob_input=$work/none try "process 0 alone reads that none begins" 'OpenBLACS: bsp_begin: asks for 0 processes; at least 1; process number 0 \[OB-6001\]$' $how 3 -- "$programs/bsp_starts" reads
    try "of unequal numbers of processes that of process 0 counts" '^2 of 2 processes$' $how 3 -- "$programs/bsp_starts" unequal
    try "process 0 returns and never begins, the others leave" '^process 0 returns$' $how 3 -- "$programs/bsp_starts" process-0-returns
    try "nobody begins after bsp_init" '^process 0 returns$' $how 3 -- "$programs/bsp_starts" none-begins
    try "process 0 alone begins" 'OpenBLACS: bsp_init: the function has returned without bsp_begin; process number 1 \[OB-6002\]$' $how 2 -- "$programs/bsp_starts" process-0-alone-begins
    try "a program that only asks for the number of processes ends with 0" '^there are 2 processes$' $how 2 -- "$programs/bsp_starts" asks
done
for program in registers dialects level1; do
    try "$program alone" "$passed" self 1 -- "$programs/bsp_$program"
done
try "a program that only asks for the number of processes ends with 0" '^there are 1 processes$' self 1 -- "$programs/bsp_starts" asks
ob_input=$work/two try "process 0 alone reads how many processes begin" '^1 of 1 processes$' self 1 -- "$programs/bsp_starts" reads

# bsprun -prof prints the supersteps of an unchanged program, and leaves nothing.
if [ "${1-}" != library ]; then
    TMPDIR=$work "$OB_BUILD/bsprun" -n 3 -prof "$programs/bsp_rules" few 3 >"$work/log" 2>"$work/err"
    status=$?
    if [ $status = 0 ] && grep -qE ': [0-9]+ supersteps, .* of work \(w\)' "$work/err" && grep -q 'g h + l  ended by' "$work/err" &&
        [ -z "$(find "$work" -name 'bsprun.*')" ]; then
        ob_pass
    else
        ob_fail "bsprun -prof: status $status" "$work/err"
    fi
    "$OB_BUILD/bsprun" -n 2 "--prof=$work/kept.trace" "$programs/bsp_rules" few 2 >"$work/log" 2>&1
    if [ -s "$work/kept.trace" ]; then ob_pass; else ob_fail "bsprun --prof=FILE keeps the trace" "$work/log"; fi
    TMPDIR=$work "$OB_BUILD/bsprun" -n 2 -prof sh -c 'exit 3' >"$work/log" 2>&1
    status=$?
    if [ $status = 3 ] && grep -q 'bsprun: sh has left no trace' "$work/log" && [ -z "$(find "$work" -name 'bsprun.*')" ]; then
        ob_pass
    else
        ob_fail "bsprun -prof of a program without the library: status $status" "$work/log"
    fi
fi

bad() { # NAME LINE [HOW]
    try "bad_input $1" "${2/#/OpenBLACS: }" "${3-obrun}" 2 -- "$programs/bsp_bad_input" "$1"
}
bad pid 'bsp_put: there is no process 2; they are 0 .. 1; process [01] of 2 \[OB-1009\]$'
bad negative-pid 'bsp_send: there is no process -1; they are 0 .. 1; process [01] of 2 \[OB-1009\]$'
bad unregistered 'bsp_put: address 0x[0-9a-f]+ is not registered \(a registration counts from the sync after bsp_push_reg on\); process [01] of 2 \[OB-6006\]$'
bad too-soon 'bsp_get: address 0x[0-9a-f]+ is not registered'
bad inside 'bsp_put: address 0x[0-9a-f]+ is not registered'
bad popped 'bsp_put: address 0x[0-9a-f]+ is not registered'
bad null 'bsp_put: 4 bytes at address NULL; process [01] of 2 \[OB-1002\]$'
bad length 'bsp_hpput: the length is -4 bytes; it must be 0 or more; process [01] of 2 \[OB-1003\]$'
bad offset 'bsp_get: the offset is -8 bytes; it must be 0 or more; process [01] of 2 \[OB-1003\]$'
bad put-beyond "bsp_sync: process 1's put of 8 bytes at offset 12 does not fit into the 16 bytes that process 0 has registered; process 0 of 2 \[OB-6007\]\$"
bad long-put-beyond "bsp_sync: process 1's put of 70000 bytes at offset 0 does not fit into the 16 bytes that process 0 has registered; process 0 of 2 \[OB-6007\]\$"
bad word-beyond "bsp_sync: process 1's put of 8 bytes at offset 9 does not fit into the 16 bytes that process 0 has registered; process 0 of 2 \[OB-6007\]\$"
bad get-beyond "bsp_sync: process 0's get of 4 bytes at offset 16 does not fit into the 16 bytes that process 1 has registered; process 1 of 2 \[OB-6007\]\$"
bad hpput-own 'bsp_hpput: 16 bytes at offset 8 of its own registration of 16 bytes; process [01] of 2 \[OB-6007\]$'
bad null-target "bsp_sync: process 0's put of 4 bytes goes to memory that process 1 has registered as NULL; process 1 of 2 \[OB-6007\]\$"
bad null-source "bsp_sync: process 0's get of 4 bytes goes to memory that process 1 has registered as NULL; process 1 of 2 \[OB-6007\]\$"
bad put-null 'bsp_put: NULL names no registration, also where this process has registered NULL; process 1 of 2 \[OB-6006\]$'
bad get-null 'bsp_get: NULL names no registration, also where this process has registered NULL; process 1 of 2 \[OB-6006\]$'
bad pop-null-none 'bsp_pop_reg: address \(nil\) has no registration left to take back; process 1 of 2 \[OB-6006\]$'
bad pop-null-twice 'bsp_pop_reg: address \(nil\) has no registration left to take back; process [01] of 2 \[OB-6006\]$'
bad pop-null-again 'bsp_pop_reg: address \(nil\) has no registration left to take back; process [01] of 2 \[OB-6006\]$'
not_null='NULL was popped here, but what the others have popped together with it is no registration of NULL here'
bad pop-null-of-x "bsp_sync: $not_null; process 1 of 2 \[OB-6005\]\$"
bad pop-null-nowhere 'bsp_sync: all processes have popped NULL, but no registration left is NULL on all of them; process 0 of 2 \[OB-6005\]$'
bad pop-other-beside-null 'bsp_sync: processes 0 and 1 have popped registrations that do not belong together; process 0 of 2 \[OB-6005\]$'
bad tag-size-beside-null 'bsp_sync: process 0 wants tags of 4 bytes, process 1 of 8; process 0 of 2 \[OB-6004\]$'
bad push-size 'bsp_push_reg: the size is -1 bytes; it must be 0 or more; process [01] of 2 \[OB-1003\]$'
bad push-alone 'bsp_sync: in this superstep process 0 has pushed 0 and popped 0 registrations, process 1 1 and 0; all processes register together; process 0 of 2 \[OB-6005\]$'
bad pop-none 'bsp_pop_reg: address 0x[0-9a-f]+ has no registration left to take back; process [01] of 2 \[OB-6006\]$'
bad pop-twice 'bsp_pop_reg: address 0x[0-9a-f]+ has no registration left to take back; process [01] of 2 \[OB-6006\]$'
bad pop-other 'bsp_sync: processes 0 and 1 have popped registrations that do not belong together, pushed and popped in another order, or asked for different buffers; process 0 of 2 \[OB-6005\]$'
bad tag-size 'bsp_sync: process 0 wants tags of 4 bytes, process 1 of 8; process 0 of 2 \[OB-6004\]$'
bad tag-negative 'bsp_set_tagsize: needs a size of 0 or more, not -1; process [01] of 2 \[OB-6009\]$'
bad tag-size-null 'bsp_set_tagsize: the address of the size is NULL; process [01] of 2 \[OB-1001\]$'
bad tag-null 'bsp_send: the tag is at address NULL but has 4 bytes; process [01] of 2 \[OB-1002\]$'
bad payload-null 'bsp_send: the payload is at address NULL but has 4 bytes; process [01] of 2 \[OB-1002\]$'
bad payload 'bsp_send: a payload of 2147483648 bytes; it has at most 2147483647; process [01] of 2 \[OB-6009\]$'
bad move 'bsp_move: the queue is empty \(bsp_get_tag gives -1 then\); process [01] of 2 \[OB-6008\]$'
bad move-null 'bsp_move: 4 bytes to address NULL; process [01] of 2 \[OB-1002\]$'
bad hpmove-null 'bsp_hpmove: tag is NULL; process [01] of 2 \[OB-1001\]$'
bad status-null 'bsp_get_tag: status is NULL; process [01] of 2 \[OB-1001\]$'
bad tag-to-null 'bsp_get_tag: the tag goes to address NULL but has 4 bytes; process [01] of 2 \[OB-1002\]$'
together='is called between a begin and an end of calls that are put together, where what it receives would not be there yet; call it before the begin or behind the end'
bad together "bsp_sync: $together; process [01] of 2 \\[OB-2525\\]\$"
bad together-bcast "bsp_bcast: $together; process [01] of 2 \\[OB-2525\\]\$"
bad together-begin "bsp_begin: $together \\[OB-2525\\]\$"
bad level1-root 'bsp_bcast: there is no process 2; they are 0 .. 1; process [01] of 2 \[OB-1009\]$'
bad level1-operator 'bsp_fold: the operator is NULL \(4 bytes\); process [01] of 2 \[OB-1001\]$'
bad level1-differs 'bsp_sync: since the sync before, processes 0 and 1 have called collectives of different scopes, or'
bad direct-beyond 'bsp_direct_get: 8 bytes at offset 12 do not fit into the 16 bytes that process [01] has registered; process [01] of 2 \[OB-6007\]$'
bad end 'bsp_(sync|end): process 0 calls a sync while process 1 calls bsp_end; process 0 of 2 \[OB-6003\]$'
bad begin 'bsp_begin: called a second time; a program has one parallel part; process [01] of 2 \[OB-6001\]$'
bad leave 'bsp_begin: the process ends without bsp_end; process 1 of 2 \[OB-6002\]$'
bad leave-all 'bsp_begin: the process ends without bsp_end; process [01] of 2 \[OB-6002\]$'
for how in $ob_mpis; do bad leave-all 'bsp_begin: the process ends without bsp_end; process [01] of 2 \[OB-6002\]$' $how; done
bad before 'bsp_sync: called before bsp_begin; process number [01] \[OB-6001\]$'
bad time 'bsp_time: called before bsp_begin; process number [01] \[OB-6001\]$'
bad none 'bsp_begin: asks for 0 processes; at least 1; process number 0 \[OB-6001\]$'
bad after 'bsp_sync: called after bsp_end; process number [01] \[OB-6001\]$'
bad init-null 'bsp_init: the function is NULL \[OB-6001\]$'
bad init-after 'bsp_init: called after bsp_end; a program has one parallel part \[OB-6001\]$'
bad init-twice 'bsp_init: called twice; it is the first statement of main \[OB-6001\]$'
bad no-end 'bsp_init: the function has returned without bsp_end; process 1 of 2 \[OB-6002\]$'

grid() { # NAME LINE
    try "bad_grids $1" "${2/#/OpenBLACS: }" obrun 2 -- "$programs/bsp_bad_grids" "$1"
}
of='process [01] of 2'
grid shape 'bsp2d_gridinit: a grid of 0 x 2, but there are 2 processes; process number [01] \[OB-1011\]$'
grid shapes 'bsp2d_sync: process 0 has made a grid of 1 x 2, process 1 of 2 x 1; process 0 of 2 \[OB-6004\]$'
differ='since the sync before, processes 0 and 1 have called collectives of different scopes, or of the grid with different roots'
grid roots "bsp2d_sync: $differ; process 0 of 2 \[OB-6004\]\$"
grid scopes "bsp2d_sync: $differ; process 0 of 2 \[OB-6004\]\$"
grid order "bsp2d_gridinit: the order is 'Q'; R or C \[OB-1007\]\$"
grid large 'bsp2d_gridinit: a grid of 3 x 2, but there are 2 processes; process number [01] \[OB-1011\]$'
grid twice 'bsp2d_gridmap: ob_group_create: process 0 is named twice'
grid map 'bsp2d_gridmap: the map is at \(nil\) with leading dimension 1 for 1 rows \[OB-1001\]$'
grid null 'bsp2d_sync: the grid is NULL \[OB-1001\]$'
grid place "bsp2d_send: there is no process \(1,0\) on a grid of 1 x 2; $of \\[OB-1009\\]\$"
grid pid "bsp2d_put: there is no process 2; they are 0 .. 1; $of \\[OB-1009\\]\$"
grid ld "bsp2d_send: the matrix has 4 rows but a leading dimension of 2; $of \\[OB-1004\\]\$"
grid none "bsp2d_move: no message of process \(0,1\) waits; $of \\[OB-6008\\]\$"
grid hpnone "bsp2d_hpmove: no message of process \(0,0\) waits; $of \\[OB-6008\\]\$"
grid count "bsp2d_move: process \(0,[01]\) has sent 4 elements of type double precision, wanted are 3 of type double precision; $of \\[OB-6008\\]\$"
grid type "bsp2d_move: process \(0,[01]\) has sent 4 elements of type double precision, wanted are 4 of type integer; $of \\[OB-6008\\]\$"
grid scope "bsp2d_bcast: the scope is 'Z'; R, C or A; $of \\[OB-1007\\]\$"
grid unregistered 'bsp2d_put: address 0x[0-9a-f]+ is not registered'
grid beyond "bsp2d_sync: process 1's put of a matrix of 32 bytes at offset 8 does not fit into the 32 bytes that process 0 has registered; process 0 of 2 \[OB-6007\]\$"
grid buffers 'bsp2d_sync: processes 0 and 1 have .* asked for different buffers; process 0 of 2 \[OB-6005\]$'
grid buffer "bsp2d_buffer_free: address 0x[0-9a-f]+ is no buffer in use; $of \\[OB-6011\\]\$"
grid together-bcast "bsp2d_bcast: $together; $of \\[OB-2525\\]\$"
grid together-reduce "bsp2d_reduce: $together; $of \\[OB-2525\\]\$"
grid operation "bsp2d_reduce_by: the operation is NULL; $of \\[OB-1001\\]\$"
grid exit 'bsp2d_sync: process 0 calls a sync while process 1 calls bsp2d_gridexit; process 0 of 2 \[OB-6003\]$'
hang() { # NAME LINE
    try "level 2 names the routine: $1" "OpenBLACS: hang: $2" obrun 2 OPENBLACS_CHECK=2 OPENBLACS_CHECK_SECONDS=2 -- "$programs/bsp_bad_grids" "$1"
}
hang sync-meets-broadcast 'process number 1 waits in bsp2d_bcast \(its call [0-9]+\) for process number 0'
hang sync-meets-broadcast 'process number 0 waits in bsp2d_sync \(its call [0-9]+\) for process number 1'
# Without OPENBLACS_CHECK, too: a little later, since it costs nothing before.
meets() { # NAME ROUTINE OF 0, OF 1
    local how
    for how in obrun $ob_mpis; do
        try "$how, different collective calls that meet end the run: $1" \
            "OpenBLACS: process [01] has waited .*in ($2|$3), .*in ($2|$3), .*none of them computes or can go on; the run ends" \
            $how 2 OPENBLACS_CHECK_SECONDS=1 -- "$programs/bsp_bad_grids" "$1"
    done
}
meets sync-meets-broadcast bsp2d_sync bsp2d_bcast
meets bsp-meets-bsp2d bsp_sync bsp2d_sync
meets scopes-differ bsp2d_bcast bsp2d_reduce
try "bad_input abort" 'stopped by 1 of 2$' obrun 2 -- "$programs/bsp_bad_input" abort
try "bad_input vabort" 'stopped by 1 of 2$' obrun 2 -- "$programs/bsp_bad_input" vabort
for how in $ob_mpis; do
    bad put-beyond "bsp_sync: process 1's put of 8 bytes at offset 12 does not fit" $how
    bad push-alone 'bsp_sync: in this superstep process 0 has pushed 0 and popped 0' $how
    try "bad_input abort" 'stopped by 1 of 2$' $how 2 -- "$programs/bsp_bad_input" abort
done
if [ "${1-}" = library ]; then
    ob_tally
    exit
fi
# The header in the oldest and newest C and C++ there are, with and without the part that gathers words.
printf '#include <bsp_level1.h>\nint main(void)\n{\n    double x = 0;\n    bsp_begin(2);\n    bsp_push_reg(&x, sizeof x);\n    bsp_sync();\n    bsp_put(0, &x, &x, 0, sizeof x);\n    bsp_end();\n    return 0;\n}\n' >"$work/header.c"
header() { # COMPILER...
    if "$@" -Wall -Wextra -pedantic -Werror -I"$ob_root/include" -c "$work/header.c" -o "$work/header.o" >"$work/log" 2>&1; then
        ob_pass
    else
        ob_fail "bsp.h with $*" "$work/log"
    fi
}
for level in -O0 -O2; do
    for more in -DBSP_WIDE_TYPES -DPLAIN; do
        for standard in c89 c99 c17; do header cc -std=$standard $level $more; done
        for standard in c++98 c++20; do header c++ -x c++ -std=$standard $level $more; done
    done
done

# The thin commands.
command_says() { # NAME PATTERN COMMAND...
    local name=$1 pattern=$2 status
    shift 2
    "$@" >"$work/log" 2>&1
    status=$?
    if [ $status = 0 ] && { [ -z "$pattern" ] || grep -qE -e "$pattern" "$work/log"; }; then ob_pass; else ob_fail "$name: status $status" "$work/log"; fi
}
for name in bspcc bsprun; do
    command_says "$name --version" "^$name \\(OpenBLACS\\) [0-9]" "$OB_BUILD/$name" --version
    command_says "$name -h" "^usage: $name" "$OB_BUILD/$name" -h
done
command_says "bspcc compiles and links" "" "$OB_BUILD/bspcc" -std=c89 -O2 "$ob_root/tests/bsp/hello.c" -o "$work/hello"
command_says "bsprun starts processes" '^3 processes$' "$OB_BUILD/bsprun" -n 3 "$work/hello"
# BSPedupack's Makefile has such options.
command_says "bspcc takes the Oxford toolset's options" "" "$OB_BUILD/bspcc" -O3 -flibrary-level 2 -bspfifo 10000 -fcombine-puts -fcombine-puts-buffer 256K,128M,4K -mpi "$ob_root/tests/bsp/hello.c" -o "$work/hello"
command_says "bspcc leaves the others' values" '-O2 -I 2 -lm' "$OB_BUILD/bspcc" --show -bspbuffer 4K -O2 -I 2 -lm -device mpi
command_says "bspcc --mcbsp" '^8 bytes for a size$' env CC="${CC-cc}" sh -c "'$OB_BUILD/bspcc' --mcbsp '$ob_root/tests/bsp/hello.c' -o '$work/hello' && '$OB_BUILD/bsprun' --nprocs=1 '$work/hello' sizes"
# make gives its CC to what it starts: bspcc is then its own CC.
cp "$ob_root/tests/bsp/hello.c" "$work/made.c"
for cc in "$OB_BUILD/bspcc --mcbsp" "env PATH=$OB_BUILD:$PATH bspcc --mcbsp"; do
    rm -f "$work/made"
    command_says "make CC='${cc##*/}'" "" timeout $((60 * OB_SLOW)) make -C "$work" CC="$cc" CFLAGS="-O2 -Wall" made
    command_says "what make CC='${cc##*/}' has built" '^8 bytes for a size$' "$OB_BUILD/bsprun" -n 1 "$work/made" sizes
done

for example in inner_product two_phase; do
    try "example $example" '[0-9] us( |$)' self 1 -- "$OB_BUILD/examples/$example"
    try "example $example" '[0-9] us( |$)' obrun 3 -- "$OB_BUILD/examples/$example" 1001
    try "example $example" '[0-9] us( |$)' mpich 2 -- "$OB_BUILD/examples/$example" 1001
done
try "obbench bsp_probe" '^ +2 +[1-9][0-9]* +[0-9.]+ \( *[0-9.]+\) +[0-9.]+ \( *[0-9]+\)$' obrun 2 -- "$OB_BUILD/obbench" bsp_probe
# More processes than processors: what a double takes must still be more than nothing.
try "obbench bsp_probe" '^ +8 +[1-9][0-9]* +[0-9.]*[1-9][0-9]* \( *[0-9.]+\) +[0-9.]+ \( *[0-9]+\)$' obrun 8 -- "$OB_BUILD/obbench" bsp_probe
try "bench" '^bsp/2 puts-in-a-row [0-9.]+$' obrun 2 -- "$OB_BUILD/bench/bench_bsp"
ob_tally
