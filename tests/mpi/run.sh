#!/bin/sh
# Runs the MPI programs of this folder: run.sh BUILD PROGRAMS KIND WRAPPER
# BUILD holds libopenblacs.so and the modules, PROGRAMS the programs, KIND is
# openmpi or mpich, WRAPPER the compiler wrapper whose launcher is to be used.
set -u
build=$1 programs=$2 kind=$3 wrapper=$4
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
good=0 bad=0 out=$(mktemp)
trap 'rm -f "$out"' EXIT

# try SECONDS PROCESSES TEXT PROGRAM [ARGUMENT]: the output must have the text
# as a line's part, and the launcher must succeed when it is "passed".
try() {
    seconds=$1 n=$2 text=$3
    shift 3
    timeout -k 5 "$seconds" "$launcher" $options -n "$n" "$@" >"$out" 2>&1 </dev/null
    status=$?
    if grep -q -e "$text" "$out" && { [ "$text" != passed ] || [ $status -eq 0 ]; }; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "FAILED (status $status): $kind, $n processes, ${OPENBLACS_TRANSPORT:-auto}: $*"
        tail -n 20 "$out"
    fi
}

for OPENBLACS_TRANSPORT in auto mpi; do
    export OPENBLACS_TRANSPORT
    for n in 1 2 3 4; do
        try 120 $n passed "$programs/mpi_traffic_$kind"
        for test in wildcard progress system finalize-first ours; do
            try 60 $n passed "$programs/mpi_beside_$kind" $test
        done
    done
    for n in 1 3; do
        try 60 $n passed "$programs/mpi_bare" $n
    done
done

# What is missing or wrong is named.
OPENBLACS_TRANSPORT=auto OPENBLACS_MODULES=/nowhere
export OPENBLACS_MODULES
try 60 1 "mpi-$kind.so is not in /nowhere" "$programs/mpi_beside_$kind" system
empty=$(mktemp -d)
: >"$empty/mpi-$kind.so"
OPENBLACS_MODULES=$empty
try 60 1 "cannot load the MPI module $empty/mpi-$kind.so" "$programs/mpi_beside_$kind" system
rm -r "$empty"
unset OPENBLACS_MODULES
OPENBLACS_HEAP=1M OPENBLACS_TRANSPORT=mpi
export OPENBLACS_HEAP OPENBLACS_TRANSPORT
try 60 2 "process 0 cannot keep .* bytes more for process 1" "$programs/mpi_beside_$kind" finalize-first

echo "mpi/$kind: $good passed, $bad failed"
[ $bad -eq 0 ]
