#!/bin/bash
# Tests libicc and the replacement library libicc-mpi (tests/icc): the iCC routines alone,
# under obrun and inside MPI jobs; MPI programs in C and Fortran with the replacement
# library before them, and some without it, which shows that the programs are right.
#   tests/run/icc.sh [long]     long: more processes, lengths and gigabytes
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
long=${1-}
programs=$OB_BUILD/tests/icc

# The output must have the text, an extended regular expression, in some line, and the
# status must be 0 for `passed` and other programs' last lines, not 0 for error lines.
try() { # NAME TEXT HOW PROCESSES [NAME=VALUE ...] -- PROGRAM...
    local name="$1 ($3, $4 processes)" text=$2 how=$3 processes=$4 status
    shift 4
    ob_launch "$how" "$processes" 120 "$@" >"$work/log" 2>&1
    status=$?
    case $text in
    passed) text='^[1-9][0-9]* passed, 0 failed$' ;;
    OpenBLACS:*) [ $status != 0 ] && status=0 ;;
    esac
    if grep -qE -e "$text" "$work/log" && [ $status = 0 ]; then
        ob_pass
    else
        ob_fail "$name: no line '$text' or status $status" "$work/log"
    fi
}

also() { # NAME TEXT: the output of the last one has this text, too
    if grep -qE -e "$2" "$work/log"; then ob_pass; else ob_fail "$1: no line '$2'" "$work/log"; fi
}

section() { # NAME: how long the part before took
    echo "$1 after $SECONDS s: $ob_passed passed, $ob_failed failed"
}

fortran() { # COMPILER OUTPUT OPTIONS...
    local compiler=$1 output=$2
    shift 2
    if ! "$compiler" -o "$output" "$@" >"$work/log" 2>&1; then
        ob_fail "$output does not compile" "$work/log"
        return 1
    fi
}

# ------------------------------------------------------------------- libicc
icc_programs=("$programs/icc_combine" "$programs/icc_move" "$programs/icc_ilp64")
if [ -f "$OB_BUILD/fortran/icc.mod" ] &&
    fortran gfortran "$work/icc_fortran" -Wall -Werror -I"$OB_BUILD/fortran" \
        "$ob_root/tests/icc/fortran.f90" -L"$OB_BUILD" -licc_fortran -licc -lopenblacs \
        -Wl,-rpath,"$OB_BUILD"; then
    icc_programs+=("$work/icc_fortran")
fi
for program in "${icc_programs[@]}"; do
    name=$(basename "$program")
    try "$name" passed self 1 -- "$program"
    for processes in 1 2 3 4 5 6 7 8 9; do
        try "$name" passed obrun $processes -- "$program" ${long:+long}
    done
    for mpi in $ob_mpis; do
        for transport in auto mpi; do
            try "$name, $transport" passed $mpi 3 OPENBLACS_TRANSPORT=$transport -- "$program"
        done
    done
done
section "libicc"

bad() { # NAME PROCESSES LINE
    try "bad_input $1" "OpenBLACS: $3" obrun "$2" -- "$programs/icc_bad_input" "$1"
}
bad length 1 'iCC_gdsum: argument 2 \(n\) is -1, must not be negative; process 0 \[OB-1003\]$'
bad null 1 'iCC_gdsum: argument 1 \(x\) is NULL, but there are 24 bytes; process 0 \[OB-1002\]$'
bad root 2 'iCC_bcast: argument 3 \(root\) is 7, must be 0 to 1; process [01] \[OB-1009\]$'
bad group 1 'iCC_g_gsync: argument 1 \(group\) is 5, must be iCC_ALL, iCC_ROW, iCC_COLUMN or what iCC_group gave; process 0 \[OB-7101\]$'
bad none 1 'iCC_g_bcast: argument 4 \(group\) is -1, must be iCC_ALL, iCC_ROW, iCC_COLUMN or what'
bad mesh 2 'iCC_mesh: arguments 1 and 2 \(rows, columns\) are 3 and 5, must have the product 2, the number'
bad meshes 2 'iCC_mesh: arguments 1 and 2 \(rows, columns\) are [12] and [12], but [12] and [12] on another node; all nodes must name the same mesh; process [01] \[OB-7102\]$'
bad nodes 2 'iCC_group: argument 1 \(nodes\) has 99 at position 1, must be 0 to 1; process [01] \[OB-1013\]$'
bad size 1 'iCC_group: argument 2 \(size\) is 2, must be 1 to 1; process 0 \[OB-1011\]$'
bad twice 2 'iCC_group: ob_group_create: process 0 is named twice; process 0 \[OB-1014\]$'
bad free 1 'iCC_group_free: argument 1 \(group\) is 1, which is not the program.s to free; process 0 \[OB-7101\]$'
bad lens 1 'iCC_gatherx: argument 2 \(lens\) is NULL; process 0 \[OB-1001\]$'
bad negative 1 'iCC_gdsumx: argument 2 \(ns\) has -4 for position 0, must not be negative; process 0 \[OB-1003\]$'
bad huge 1 'iCC_gzsum: argument 2 \(n\) is 9223372036854775807, more than memory can hold; process 0 \[OB-1005\]$'
bad alltoall 1 'iCC_alltoall: argument 2 \(len\) is -1, must not be negative; process 0 \[OB-1003\]$'
bad alltoallx 1 'iCC_alltoallx: argument 4 \(ylens\) is NULL; process 0 \[OB-1001\]$'
bad own 1 'iCC_alltoallx: ob_all_to_all: the own piece has 8 bytes, its place 4; process 0; process 0 \[OB-1024\]$'
bad gop 1 'iCC_gop: argument 1 \(x\) is NULL, but there are 24 bytes; process 0 \[OB-1002\]$'
bad gop1 1 'iCC_gop1: argument 6 \(root\) is 4, must be 0 to 0; process 0 \[OB-1009\]$'
bad gopx 1 'iCC_gopx: ob_operation_of: elements of kind [0-9]+ have no operator [0-9]+; process 0 \[OB-1019\]$'
bad gopf 1 'iCC_gopf: argument 5 \(function\) is NULL; process 0 \[OB-1021\]$'
bad gopfsize 1 'iCC_gopf: argument 4 \(size\) is 8193, must be 1 to 8192; process 0 \[OB-1021\]$'
bad gopfzero 1 'iCC_gopfx: argument 4 \(size\) is 0, must be 1 to 8192; process 0 \[OB-1021\]$'
bad gopf1 2 'iCC_gopf1: argument 7 \(root\) is -1, must be 0 to 1; process [01] \[OB-1009\]$'
bad gopfx 1 'iCC_gopfx: argument 2 \(ns\) is NULL; process 0 \[OB-1001\]$'
bad gopfn 1 'iCC_gopf: argument 2 \(n\) is -2, must not be negative; process 0 \[OB-1003\]$'
bad room 1 'iCC_gcol: argument 4 \(ylen\) is 7, but the pieces have 8 bytes; process 0 \[OB-1024\]$'
together='is called between a begin and an end of calls that are put together, where what it receives would not be there yet; call it before the begin or behind the end'
bad together 2 "iCC_bcast: $together; process [01] \\[OB-2525\\]\$"
bad "together mesh" 2 "iCC_mesh: $together; process [01] \\[OB-2525\\]\$"
section "wrong calls"

# -------------------------------------------------------------------- libnx
for program in nx_program nx_fortran; do
    program=$OB_BUILD/tests/nx/$program
    [ -x "$program" ] || continue
    name=$(basename "$program")
    try "$name" passed self 1 -- "$program"
    for processes in 2 3 4 7; do
        try "$name" passed obrun $processes -- "$program"
    done
    for mpi in $ob_mpis; do
        for transport in auto mpi; do
            try "$name, $transport" passed $mpi 3 OPENBLACS_TRANSPORT=$transport -- "$program"
        done
    done
done
# libicc64 in front has routines of 64-bit integers by the names of libicc; libnx is served all the same.
if cc "$ob_root/tests/nx/program.c" -D_GNU_SOURCE -w -I"$ob_root/include" -o "$work/nx_beside" -rdynamic -L"$OB_BUILD" \
    -Wl,--no-as-needed -licc64 -licc -lnx -lopenblacs -Wl,-rpath,"$OB_BUILD" >"$work/log" 2>&1; then
    try "nx beside libicc64" passed obrun 3 -- "$work/nx_beside"
else
    ob_fail "libnx beside libicc64 is not linked" "$work/log"
fi
bad_nx() { # NAME PROCESSES LINE, without the caller, CODE
    try "nx_program $1" "OpenBLACS: $3; called from wrong_call \\[OB-$4\\]$" obrun "$2" -- "$OB_BUILD/tests/nx/nx_program" "$1"
}
bad_nx length 2 'gdsum: argument 2 \(n\) is -1, must not be negative; process [01]' 1003
bad_nx fortran 2 'gssum: argument 2 \(n\) is -1, must not be negative; process [01]' 1003
bad_nx integers 1 'gisum: argument 2 \(n\) is -3, must not be negative; process 0' 1003
bad_nx null 1 'gihigh: argument 1 is NULL, but there are 32 bytes; process 0' 1002
bad_nx work 2 'gopf: argument 3 \(work\) is NULL, but there are 8 bytes; process [01]' 1002
bad_nx function 1 'gopf: argument 4 \(function\) is NULL; process 0' 1021
bad_nx room 1 'gcol: argument 4 \(ylen\) is 7, but the pieces have 8 bytes; process 0' 1024
bad_nx room_ 1 'gcol: argument 4 \(ylen\) is 7, but the pieces have 8 bytes; process 0' 1024
bad_nx pieces 2 'gcolx: argument 2 \(xlens\) has -8 for position 1, must not be negative; process [01]' 1003
bad_nx pieces_ 2 'gcolx: argument 1 \(x\) is NULL, but there are 8 bytes; process [01]' 1002
bad_nx together 2 "crecv: $together; process [01]" 2525
bad_nx "together gopf" 2 "gopf: $together; process [01]" 2525
bad_nx "together_" 2 "crecv: $together; process [01]" 2525
# Who cannot join a job says it in the name of the routine that wanted to, whichever library of ours joins.
for routine in gdsum gcol gcolx; do
    try "nx_program that cannot join, $routine" "OpenBLACS: $routine: OPENBLACS_CHECK is 'x'" self 1 OPENBLACS_CHECK=x -- \
        "$OB_BUILD/tests/nx/nx_program" "join $routine"
done
# Traces and statistics name them, too, and where in the program they were called.
OPENBLACS_TRACE=$work/nx.trace "$OB_BUILD/obrun" -n 2 "$OB_BUILD/tests/nx/nx_program" names >"$work/log" 2>&1
"$OB_BUILD/tests/trace_examine" "$work/nx.trace" >"$work/facts" 2>&1
for routine in gcol gcolx gdsum gsync csend icc_scatter_:iCC_scatter; do
    if grep -qE "^0 first ${routine#*:} .* at nx_program$" "$work/facts"; then
        ob_pass
    else
        ob_fail "a trace of $routine" "$work/facts"
    fi
done
if grep -E '^0 first iCC_g' "$work/facts"; then ob_fail "a trace names what libnx calls" "$work/facts"; else ob_pass; fi
bad_nx type 1 'csend: argument 1 \(type\) is -5, must be 0 to 999999999; process 0' 1022
bad_nx node 2 'csend: argument 4 names node 77, must be 0 to 1; process [01]' 1009
bad_nx list 1 'gsendx: argument 4 names node 99, must be 0 to 0; process 0' 1009
bad_nx count 1 'gsendx: argument 5 \(count\) is -1, must not be negative; process 0' 1003
bad_nx long 1 'crecv: .*32.*8.*; process 0' 5001
bad_nx receive 1 'crecv: argument 1 \(type\) is -2, must be -1 to 999999999; process 0' 1022
section "libnx"

# --------------------------------------------------------------- libicc-mpi
# The calls that wait. Programs that compare them with calls that do not have only these served.
waiting=barrier,bcast,reduce,allreduce,allgather,allgatherv,reduce_scatter,reduce_scatter_block
waiting=OPENBLACS_ICC_MPI=$waiting,scatter,scatterv,gather,gatherv,alltoall,alltoallv,alltoallw,scan,exscan
# All, also those that would be left to the MPI library, where that is faster.
all=OPENBLACS_ICC_MPI=all
# Rows of the summary: call, taken, passed, reasons.
differing() { # NAME NAME=VALUE PROGRAM...: the first of two processes of $mpi has the setting
    local name=$1 setting=$2
    shift 2
    if [ "$mpi" = openmpi ]; then
        try "$name" passed self 1 -- mpirun.openmpi -n 1 -x "$setting" -x "$preload" "$@" : -n 1 -x "$preload" "$@"
    else
        try "$name" passed self 1 -- mpirun.mpich -n 1 -env "${setting%%=*}" "${setting#*=}" \
            -env "${preload%%=*}" "${preload#*=}" "$@" : -n 1 -env "${preload%%=*}" "${preload#*=}" "$@"
    fi
}
row() { # MPI TEXT [NAME=VALUE ...]: the summary of `other summary` on 2 processes has this line
    local mpi=$1 text=$2
    shift 2
    try "summary, $*" "^OpenBLACS:   $text" "$mpi" 2 "LD_PRELOAD=$OB_BUILD/libicc-mpi-$mpi.so" \
        OPENBLACS_VERBOSE=1 "$@" -- "$programs/icc_mpi_other_$mpi" summary
}

replaced() { # MPI
    local mpi=$1 preload=LD_PRELOAD=$OB_BUILD/libicc-mpi-$1.so name processes
    for name in reduce move types; do
        try "$name without" passed "$mpi" 2 -- "$programs/icc_mpi_${name}_$mpi" own
        for processes in 1 2 3 ${long:+5 9}; do
            try "$name" passed "$mpi" $processes "$preload" "$waiting" -- \
                "$programs/icc_mpi_${name}_$mpi" ${long:+long}
        done
        try "$name, all through MPI" passed "$mpi" 2 "$preload" "$waiting" OPENBLACS_TRANSPORT=mpi -- \
            "$programs/icc_mpi_${name}_$mpi"
    done
    for processes in 1 2 3 5 ${long:+8}; do
        try "begun" passed "$mpi" $processes "$preload" "$all" -- "$programs/icc_mpi_begun_$mpi" replaced
    done
    # Members decide alike who serves a call: else these wait for ever.
    for processes in 1 2 3 ${long:+5}; do
        try "alike" passed "$mpi" $processes "$preload" OPENBLACS_VERBOSE=1 -- "$programs/icc_mpi_alike_$mpi"
    done
    # Where processes outnumber processors all of MPICH's are ours.
    [ "$mpi" != openmpi ] ||
        also "alike, is left" '^OpenBLACS:   MPI_Ibcast +0 +[1-9][0-9]*  faster in the MPI library [1-9][0-9]*$'
    try "alike, all" passed "$mpi" 2 "$preload" "$all" OPENBLACS_VERBOSE=1 -- "$programs/icc_mpi_alike_$mpi"
    for name in Ibcast Iallreduce Iallgatherv Igatherv Ialltoallw; do
        also "alike, all, $name" "^OpenBLACS:   MPI_$name +[1-9][0-9]* +0( |\$)"
    done
    # One process wants all, the other those that are faster; one compares calls.
    differing "alike, different settings" "$all" "$programs/icc_mpi_alike_$mpi"
    differing "turns, one compares" OPENBLACS_CHECK=3 "$programs/icc_mpi_other_$mpi" turns
    if [ "$mpi" = openmpi ]; then
        try "begun, the faster" passed "$mpi" 2 "$preload" -- "$programs/icc_mpi_begun_$mpi"
    fi
    # Debian's MPICH 4.0 by itself fails in MPI_Testall of a persistent call and others.
    if [ "$mpi" = openmpi ]; then
        try "begun without" passed "$mpi" 2 -- "$programs/icc_mpi_begun_$mpi"
        try "begun, all through MPI" passed "$mpi" 2 "$preload" OPENBLACS_TRANSPORT=mpi -- "$programs/icc_mpi_begun_$mpi"
        try "begun, all through MPI, is passed" '^OpenBLACS:   MPI_Igatherv +0 +[1-9][0-9]*  members on several nodes [1-9][0-9]*$' \
            "$mpi" 2 "$preload" OPENBLACS_TRANSPORT=mpi OPENBLACS_VERBOSE=1 -- "$programs/icc_mpi_begun_$mpi"
    fi
    # Three of MPICH, whose threads all spin, take 20 s of the processors.
    for processes in 1 2 $([ "$mpi" = mpich ] && [ -z "$long" ] || echo 3); do
        try "begun by threads" passed "$mpi" $processes "$preload" "$all" -- "$programs/icc_mpi_threads_$mpi" replaced
    done
    # Debian's MPICH 4.0 by itself cannot: it takes a persistent call that has ended for active.
    [ "$mpi" != openmpi ] || try "begun by threads without" passed "$mpi" 2 -- "$programs/icc_mpi_threads_$mpi"
    try "begun calls are met" passed "$mpi" 2 "$preload" "$all" OPENBLACS_VERBOSE=1 -- "$programs/icc_mpi_begun_$mpi"
    for name in Iallreduce Ibcast Ialltoallw Ireduce_scatter Iscan Allgather_init Exscan_init; do
        also "$name is met" "^OpenBLACS:   MPI_$name +[1-9][0-9]* +0( |\$)"
    done
    try "files" passed "$mpi" 2 "$preload" -- "$programs/icc_mpi_move_$mpi" short "$work/file"
    # Debian's MPICH 4.0 spawns nothing, whatever is preloaded.
    if [ "$mpi" = openmpi ] ||
        ob_launch "$mpi" 1 60 -- "$programs/icc_mpi_move_$mpi" spawn >"$work/log" 2>&1; then
        try "spawned processes" passed "$mpi" 1 "$preload" -- "$programs/icc_mpi_move_$mpi" spawn
    else
        echo "this $mpi cannot spawn processes at all: left out"
    fi
    for name in errors uncommitted first sizes threads memory; do
        try "$name" passed "$mpi" 2 "$preload" -- "$programs/icc_mpi_other_$mpi" $name
    done
    for call in Bcast Ibcast; do
        name=none
        [ $call = Bcast ] || name=none-begun
        try "$name" "OpenBLACS: MPI_$call: the message from process 0 has 0 byte elements .*, the receive expects 16 byte elements .*OB-5001" \
            "$mpi" 2 "$preload" OPENBLACS_CHECK=3 -- "$programs/icc_mpi_other_$mpi" "$name"
    done
    for processes in 2 3; do
        try "nothing" passed "$mpi" $processes "$preload" -- "$programs/icc_mpi_other_$mpi" nothing
    done
    try "nan" passed "$mpi" 3 "$preload" -- "$programs/icc_mpi_other_$mpi" nan
    try "threads" passed "$mpi" 3 "$preload" -- "$programs/icc_mpi_other_$mpi" threads
    [ -z "$long" ] || try "large" passed "$mpi" 2 "$preload" -- "$programs/icc_mpi_other_$mpi" large
    row "$mpi" 'MPI_Bcast +8 +0  taken by packing a derived type 2$'
    also "summary" '^OpenBLACS:   MPI_Allreduce +6 +0$'
    row "$mpi" 'MPI_Allreduce +4 +2  derived type 2$' OPENBLACS_ICC_MPI_DERIVED=pass
    also "summary, derived types passed" '^OpenBLACS:   MPI_Bcast +6 +2  derived type 2$'
    also "summary, derived types passed" '^OpenBLACS:   MPI_Gather +2 +0$'
    # What none of the calls of `types` is passed on for: a type or an operation.
    try "any type" passed "$mpi" 3 "$preload" OPENBLACS_VERBOSE=1 -- "$programs/icc_mpi_types_$mpi"
    for name in Allreduce Reduce Reduce_scatter Reduce_scatter_block Alltoall Alltoallv Alltoallw; do
        also "$name of any type" "^OpenBLACS:   MPI_$name +[1-9][0-9]* +0( |\$)"
    done
    # Members that describe the same data by different types, in all mixtures.
    try "move, derived types passed" passed "$mpi" 2 "$preload" OPENBLACS_ICC_MPI_DERIVED=pass -- \
        "$programs/icc_mpi_move_$mpi" own
    for name in errors uncommitted first threads; do
        try "$name, derived types passed" passed "$mpi" 2 "$preload" OPENBLACS_ICC_MPI_DERIVED=pass -- \
            "$programs/icc_mpi_other_$mpi" $name
    done
    try "a word that is no way" "OpenBLACS: libicc-mpi: OPENBLACS_ICC_MPI_DERIVED is 'no', must be pack or pass" \
        "$mpi" 2 "$preload" OPENBLACS_ICC_MPI_DERIVED=no -- "$programs/icc_mpi_other_$mpi" summary
    row "$mpi" 'MPI_Gather +0 +2  not in OPENBLACS_ICC_MPI 2$' OPENBLACS_ICC_MPI=bcast,allreduce
    row "$mpi" 'MPI_Bcast +0 +8  not in OPENBLACS_ICC_MPI 8$' OPENBLACS_ICC_MPI=none
    row "$mpi" 'MPI_Gather +2 +0$' OPENBLACS_ICC_MPI=all
    try "a word that is no call" "OpenBLACS: OPENBLACS_ICC_MPI is 'bcast,al', and 'al' is no call; must be" \
        "$mpi" 2 "$preload" OPENBLACS_ICC_MPI=bcast,al -- "$programs/icc_mpi_other_$mpi" summary
    # One process has another list: the members of a communicator agree on what both have.
    if [ "$mpi" = openmpi ]; then
        try "different lists" passed self 1 -- mpirun.openmpi -n 1 \
            -x OPENBLACS_ICC_MPI=bcast,allreduce -x "$preload" "$programs/icc_mpi_move_$mpi" : \
            -n 1 -x "$preload" "$programs/icc_mpi_move_$mpi"
    else
        try "different lists" passed self 1 -- mpirun.mpich -n 1 -env OPENBLACS_ICC_MPI bcast \
            -env "${preload%%=*}" "${preload#*=}" "$programs/icc_mpi_move_$mpi" own : \
            -n 1 -env "${preload%%=*}" "${preload#*=}" "$programs/icc_mpi_move_$mpi" own
    fi
    for option in "" -DF08; do
        if command -v mpifort.$mpi >/dev/null && fortran mpifort.$mpi "$work/f_$mpi" -w $option \
            "$ob_root/tests/icc/mpi_calls.F90"; then
            try "Fortran $option" passed "$mpi" 2 "$preload" OPENBLACS_VERBOSE=1 -- "$work/f_$mpi"
            also "Fortran $option is met" '^OpenBLACS:   MPI_Allreduce +12 +0$'
        fi
    done
    extension=
    [ "$mpi" != openmpi ] || ! mpirun.openmpi --version 2>&1 | grep -q ') 4\.' || extension=-DMPIX
    for option in "" -DF08 -DMPIF; do
        if command -v mpifort.$mpi >/dev/null && fortran mpifort.$mpi "$work/b_$mpi" -w $option $extension \
            "$ob_root/tests/icc/mpi_begun.F90"; then
            try "Fortran $option, begun without" passed "$mpi" 2 -- "$work/b_$mpi"
            for processes in 1 3; do
                try "Fortran $option, begun" passed "$mpi" $processes "$preload" "$all" -- "$work/b_$mpi"
            done
            try "Fortran $option, begun, is met" '^OpenBLACS:   MPI_Ialltoall +6 +0$' "$mpi" 2 "$preload" "$all" \
                OPENBLACS_VERBOSE=1 -- "$work/b_$mpi"
            also "Fortran $option, prepared, is met" '^OpenBLACS:   MPI_Allreduce_init +2 +0$'
        fi
    done
}
for mpi in $ob_mpis; do
    [ -f "$OB_BUILD/libicc-mpi-$mpi.so" ] || { echo "no libicc-mpi-$mpi.so: left out"; continue; }
    replaced $mpi
    section "libicc-mpi, $mpi"
done
wrong_one() { # MPI OTHER LINE: a line, and no crash in the other library's MPI_Abort
    try "the wrong one" "OpenBLACS: this is libicc-mpi-$2.so, but the program runs $3.*; preload libicc-mpi-$1.so" "$1" 2 \
        "LD_PRELOAD=$OB_BUILD/libicc-mpi-$2.so" -- "$programs/icc_mpi_other_$1" summary
    if grep -qiE 'segmentation|signal' "$work/log"; then
        ob_fail "the wrong one ends by a signal ($1)" "$work/log"
    else
        ob_pass
    fi
}
if [ -f "$OB_BUILD/libicc-mpi-openmpi.so" ] && [ -f "$OB_BUILD/libicc-mpi-mpich.so" ]; then
    wrong_one mpich openmpi MPICH
    wrong_one openmpi mpich 'Open MPI'
fi
# A program that calls srand must find its own numbers, whatever is preloaded.
for library in "$OB_BUILD"/lib*.so; do
    if nm -D --undefined-only "$library" | grep -wE 'rand|srand|random|srandom|drand48' >"$work/log"; then
        ob_fail "${library##*/} draws from the program's random numbers" "$work/log"
    else
        ob_pass
    fi
done
ob_tally
