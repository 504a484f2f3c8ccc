#!/bin/sh
# Runs the MPI programs of this folder: run.sh BUILD PROGRAMS KIND WRAPPER [all]
# BUILD holds libopenblacs.so and the modules, PROGRAMS the programs, KIND is
# openmpi or mpich, WRAPPER the compiler wrapper whose launcher is to be used.
# Tests of processes that leave and of MPI's own collective calls have several numbers of processes: all of
# them; or one of MPI's own calls the least and another one, which goes round from test to test; and one of leaving
# the least within the node and another one with all through MPI, or, under the other MPI, the other way round.
# shellcheck disable=SC2046,SC2086 # option lists are meant to split
set -u
build=$1 programs=$2 kind=$3 wrapper=$4 all=${5-}
launcher=$(echo "$wrapper" | sed 's/mpicc/mpirun/')
command -v "$launcher" >/dev/null || { echo "no launcher $launcher: skipped"; exit 77; }
case $kind in
openmpi)
    options="--oversubscribe"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM ;;
*)
    options= ;;
esac
library=$(ldd "$build/mpi-$kind.so" | awk '/libmpi/ { print $3; exit }')
good=0 bad=0 work=$(mktemp -d) slow=${OB_SLOW:-1}
out=$work/out
trap 'rm -rf "$work"' EXIT
# An input that stays open: MPICH's mpirun may die at the end of its input (ob_launch in scripts/common.sh).
mkfifo "$work/input"
exec <>"$work/input"

# The output has $text as a line's part, and the launcher has succeeded when that is "passed".
is_right() {
    grep -q -e "$text" "$out" && { [ "$text" != passed ] || [ "$status" -eq 0 ]; }
}

# try SECONDS PROCESSES TEXT PROGRAM [ARGUMENT]: for so many seconds of an idle machine.
try() {
    seconds=$1 n=$2 text=$3
    shift 3
    [ ! -r "${OB_SLOW_FILE-}" ] || read -r slow <"$OB_SLOW_FILE" # by now: see ob_slow in scripts/common.sh
    timeout -k 5 $((seconds * slow)) "$launcher" $options -n "$n" "$@" >"$out" 2>&1
    status=$?
    if is_right; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "FAILED (status $status): $kind, $n processes, ${OPENBLACS_TRANSPORT:-auto}: $*"
        tail -n 20 "$out"
    fi
}

case $kind in openmpi) turn=0 ;; *) turn=1 ;; esac
numbers() { # LEAST OTHER...: those for the test whose turn it is
    if [ -n "$all" ]; then
        echo "$@"
        return
    fi
    least=$1
    shift
    shift $((turn % $#))
    echo "$least $1"
}

number() { # LEAST OTHER...: the one for the test whose turn it is
    if [ -n "$all" ]; then
        echo "$@"
        return
    fi
    least=$1
    shift
    shift $((turn / 2 % $#))
    if [ $((turn % 2)) = 0 ]; then echo "$least"; else echo "$1"; fi
}

for OPENBLACS_TRANSPORT in auto mpi; do
    export OPENBLACS_TRANSPORT
    for n in 1 2 3 4; do
        try 120 "$n" passed "$programs/mpi_traffic_$kind"
        [ "$n" -lt 4 ] || continue
        for test in wildcard progress system finalize-first ours left; do
            try 60 "$n" passed "$programs/mpi_beside_$kind" $test
        done
    done
    for n in 1 3; do
        try 60 "$n" passed "$programs/mpi_bare" "$n"
        try 60 "$n" passed "$programs/mpi_bare" "$n" "$library"
    done
    # After blacs_exit(0) has finalized MPI nobody joins again, and half meets the other half.
    try 30 3 "blacs_get: message passing is over: MPI has been finalized" \
        "$build/tests/misuse/misuse" after_the_end
    for level in single multiple; do
        try 60 2 passed "$programs/mpi_threads_$kind" $level
    done
    # Who waits for a process that has left is told so; unreceived messages hold
    # nobody up.
    for test in early unstopped collective last unreceived onesided barrier again buffered; do
        turn=$((turn + 1))
        for n in $(number 2 4 7); do
            case $test in
            early | unstopped | collective | last)
                line="process {0,[0-9]*} (number [0-9]*), which process {0,0} (number 0) waits for, has ended" ;;
            *) line=passed ;;
            esac
            try 30 "$n" "$line" "$programs/mpi_leave_$kind" $test
            if [ $test = last ] && ! grep -q "all received" "$out"; then
                bad=$((bad + 1))
                echo "FAILED: last: not all received"
            fi
        done
    done
done

# The MPI library's own collective calls, in a process's own threads' level, and where threads take
# turns in MPI: then, and on one node, the letter is a blank.
N="$programs/mpi_native_$kind"
OPENBLACS_TRANSPORT=mpi
for test in used pieces unlike answers serialized multiple; do
    turn=$((turn + 1))
    for n in $(numbers 2 3 4 7); do
        try 60 "$n" passed "$N" $test
    done
done
# Where processes outnumber processors the calls are begun and tested, since those that block spin.
one=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
for n in 2 3 5; do
    try 60 "$n" passed taskset -c "$one" "$N" crowded
done
try 60 3 passed taskset -c "$one" "$N" pieces
try 60 2 passed "$N" kept
try 60 3 passed env OPENBLACS_PLAN=broadcast=native,combine=native,combine-all=native "$N" plan
try 60 3 passed env OPENBLACS_TOPOLOGY=plan "$N" plan
OPENBLACS_TRANSPORT=auto
for n in 1 2 5; do
    try 60 "$n" passed "$N" plan
done

# The communicators of grids.
unset OPENBLACS_TRANSPORT
G="$programs/mpi_grid_comm_$kind"
for n in 1 2 3 4; do
    try 60 "$n" passed "$G" order
    try 60 "$n" passed "$G" private
done
try 120 2 passed "$G" many
try 60 4 passed env OPENBLACS_TRANSPORT=mpi "$G" order
alone="the first call for a grid's communicator is made by all of its processes"
try 60 3 "blacs2sys_handle: $alone: process [12], which process 0 waits for, has ended" "$G" absent
try 60 2 "hang.*blacs2sys_handle" env OPENBLACS_CHECK=2 OPENBLACS_CHECK_SECONDS=0.5 "$G" wait

# Programs that spawn: Open MPI 4.1's own spawns hang in PMIx_Init now and then, or end with a signal.
# What fails is tried again where MPI's own start of the four processes was never over, or where a plain MPI program
# that spawns fails at the same time, too.
has_started() {
    [ "$(grep -c -x spawned "$out")" = 2 ] && [ "$(grep -c -x begun "$out")" = 2 ]
}
plain_spawns() {
    for _ in $(seq 40); do
        timeout -k 5 $((20 * slow)) "$launcher" $options -n 2 "$programs/mpi_spawn_$kind" 2>/dev/null |
            grep -q passed || return 1
    done
}
try_spawn() {
    for _ in 1 2 3 4; do
        timeout -k 5 $((20 * slow)) "$launcher" $options -n 2 "$@" >"$out" 2>&1
        status=$?
        ! is_right || break
        ! has_started || ! plain_spawns || break
    done
    if is_right; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "FAILED (status $status): $kind, spawning, ${OPENBLACS_TRANSPORT:-auto}: $*"
        tail -n 20 "$out"
    fi
}

# Members outside MPI_COMM_WORLD. Debian 12's MPICH (of UCX) can neither spawn nor open a port.
E="$programs/mpi_elsewhere_$kind"
for OPENBLACS_TRANSPORT in auto mpi; do
    export OPENBLACS_TRANSPORT
    for test in rounds outlive exit mlacs lu; do
        for n in 2 4; do
            try 60 "$n" passed "$E" planted $test
        done
        [ "$kind" = mpich ] || { text=passed; try_spawn "$E" $test; }
    done
    line="igesd2d: argument 6 (RDEST) is 5, must be 0"
    try 60 2 "$line" "$E" planted wrong
    [ "$kind" = mpich ] || { text=$line; try_spawn "$E" wrong; }
    try 60 2 passed "$E" planted threads
    OPENBLACS_CHECK=2 OPENBLACS_CHECK_SECONDS=0.5
    export OPENBLACS_CHECK OPENBLACS_CHECK_SECONDS
    try 60 3 passed "$E" planted slow
    try 60 4 passed "$E" planted rounds
    unset OPENBLACS_CHECK OPENBLACS_CHECK_SECONDS
    # Ranks elsewhere are not the trace's numbers: it has no messages of them, sent or received.
    trace=$(mktemp)
    try 60 2 passed env "OPENBLACS_TRACE=$trace" "$E" planted outlive
    "$build/obtrace" stat "$trace" >"$out" 2>&1
    if grep -q "2 processes" "$out" && ! grep -q "messages carried\|messages were" "$out"; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "FAILED: $kind: a trace has messages of a job from elsewhere"
        cat "$out"
    fi
    rm "$trace"
    # A session's communicator; all of its processes are in MPI_COMM_WORLD, or every other one is.
    # (Open MPI 4.1 has none.)
    if timeout $((60 * slow)) "$launcher" $options -n 1 "$E" session 2>&1 | grep -q "no sessions"; then
        echo "$kind has no sessions: not tested"
    else
        try 60 3 passed "$E" session
        try 60 3 passed "$E" planted session
    fi
done
unset OPENBLACS_TRANSPORT

# The names of the libraries that have this binary interface: MPICH's, Intel MPI's and MVAPICH's, Cray's; IBM's.
# Loaded by a plug-in that initializes it, each as a link to this library.
case $kind in
mpich) names="libmpich.so.12 libmpi.so.12 libmpi_cray.so.12 libmpi_gnu_123.so.12" ;;
openmpi) names="libmpi.so.40 libmpi_ibm.so.3" ;;
*) names= ;;
esac
family=$(mktemp -d)
for name in $names; do
    ln -s "$library" "$family/$name"
    for n in 1 3; do
        try 60 "$n" passed "$programs/mpi_bare" "$n" "$family/$name" init
    done
    rm "$family/$name"
done
# Intel MPI's and MVAPICH's own name of the library (its soname) is libmpi.so.12, so the module brings MPICH's along:
# a copy of this library that says so of itself, loaded by a plug-in, and by a program that was linked with such a one.
if [ "$kind" = mpich ] && readelf -d "$library" | grep -q 'soname: \[libmpich\.so\.12\]'; then
    for file in "$library" "$programs/mpi_traffic_mpich"; do
        LC_ALL=C sed 's/\x00libmpich\.so\.12\x00/\x00libmpi.so.12\x00\x00\x00/' "$file" >"$family/${file##*/}"
    done
    chmod +x "$family/mpi_traffic_mpich"
    mv "$family/${library##*/}" "$family/libmpi.so.12"
    for OPENBLACS_TRANSPORT in auto mpi; do
        export OPENBLACS_TRANSPORT
        for n in 1 3; do
            try 60 "$n" passed "$programs/mpi_bare" "$n" "$family/libmpi.so.12" init
            try 120 "$n" passed env "LD_LIBRARY_PATH=$family" "$family/mpi_traffic_mpich"
        done
    done
fi
rm -r "$family"

# Processes that cannot share memory with some of the others.
unset OPENBLACS_TRANSPORT
T="$programs/mpi_traffic_$kind"
B="$programs/mpi_beside_$kind"
# The first process goes through MPI, the others as said. (Not by mpirun's ":", at which the one of Debian 13's
# Open MPI ends with a segmentation fault.)
# shellcheck disable=SC2016
by_rank='case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 0) OPENBLACS_TRANSPORT=mpi ;; *) OPENBLACS_TRANSPORT=$0 ;; esac
export OPENBLACS_TRANSPORT
exec "$@"'
try 120 3 passed sh -c "$by_rank" auto "$T"
try 60 3 passed sh -c "$by_rank" auto "$B" progress
try 60 2 passed env OPENBLACS_TRANSPORT=shm "$B" wildcard
try 60 3 "OPENBLACS_TRANSPORT is shm, but" sh -c "$by_rank" shm "$B" wildcard

# What is missing or wrong is named. First a program that the other library's
# launcher started (no launcher here: only its traces).
case $kind in openmpi) trace=PMI_SIZE ;; *) trace=OMPI_COMM_WORLD_SIZE ;; esac
if timeout $((30 * slow)) env "$trace=2" "$B" system 2>&1 | grep -q "launcher of another MPI library"; then
    good=$((good + 1))
else
    bad=$((bad + 1))
    echo "FAILED: $kind: $trace=2 is not noticed"
fi
if OPENBLACS_VERBOSE=1 timeout $((30 * slow)) "$B" system 2>&1 |
    grep -q "^OpenBLACS [0-9.]*: started alone, MPI initialized, 1 process, "; then
    good=$((good + 1))
else
    bad=$((bad + 1))
    echo "FAILED: $kind: without a launcher, the line of OPENBLACS_VERBOSE"
fi
OPENBLACS_TRANSPORT=auto OPENBLACS_MODULES=/nowhere
export OPENBLACS_MODULES
try 60 1 "mpi-$kind.so is not in /nowhere" "$B" system
empty=$(mktemp -d)
: >"$empty/mpi-$kind.so"
OPENBLACS_MODULES=$empty
try 60 1 "cannot load the MPI module $empty/mpi-$kind.so" "$B" system
rm -r "$empty"
unset OPENBLACS_MODULES
OPENBLACS_HEAP=1M OPENBLACS_TRANSPORT=mpi
export OPENBLACS_HEAP OPENBLACS_TRANSPORT
try 60 2 "cannot keep 4194304 bytes more for process [01]: .*OPENBLACS_HEAP" \
    "$B" finalize-first

echo "mpi/$kind: $good passed, $bad failed"
[ $bad -eq 0 ]
