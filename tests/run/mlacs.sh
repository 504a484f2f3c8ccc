#!/bin/bash
# Tests libmlacs (tests/mlacs): every program alone, under obrun and under both MPIs, with
# our shared memory and with every message through MPI; an MPI program that uses MPI's
# communicators. One program started one way is one test.
#   tests/run/mlacs.sh [long]     long: 1 to 9 processes everywhere, more stress
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
long=${1-}
: "${MLACS_WAYS:=self obrun $ob_mpi_ways}"
programs="grids point modes collective stress"
[ ! -x "$OB_BUILD/tests/mlacs/mlacs_fortran" ] || programs="$programs fortran"

try() { # WAY PROCESSES PROGRAM [WORDS]
    local way=$1 processes=$2 launcher=${1%:*} settings=() name="$3 on $1, $2 processes"
    [ "$way" = "$launcher" ] || settings=("OPENBLACS_TRANSPORT=${way#*:}")
    shift 2
    if ob_launch "$launcher" "$processes" 120 "${settings[@]}" -- "$OB_BUILD/tests/mlacs/mlacs_$1" \
        "${@:2}" >"$work/log" 2>&1 && grep -qE '^[1-9][0-9]* passed, 0 failed$' "$work/log"; then
        ob_pass
    else
        ob_fail "$name" "$work/log"
    fi
}

# The last of two comes to a communicator when the first has said that it waits, or at the end of its time.
waits_said() { # WAY PROGRAM
    local line='^OpenBLACS: process 0 waits in its first call on a communicator of the ' i watcher
    rm -f "$work/come"
    : >"$work/log" # or the line of the way before would be taken for this one's
    (
        for ((i = 0; i < 600 * OB_SLOW; i++)); do
            ! grep -q "$line" "$work/log" || break
            sleep 0.1
        done
        : >"$work/come"
    ) &
    watcher=$!
    OPENBLACS_CHECK_SECONDS=0.2 try "$1" 2 "$2" "$work/come"
    kill $watcher 2>/dev/null
    wait $watcher 2>/dev/null
    if grep -q "$line" "$work/log"; then ob_pass; else ob_fail "who waits for the members of a communicator says so ($1)" "$work/log"; fi
}

# Processes for a way of starting.
counts() { # WAY
    case $1 in
    self) echo 1 ;;
    *) if [ -n "$long" ]; then echo 1 2 3 4 5 6 7 8 9; else short "$1"; fi ;;
    esac
}
short() {
    case $1 in
    obrun) echo ${MLACS_PROCESSES:-1 2 3 4 6 9} ;;
    *:mpi) echo 2 5 ;;
    *) echo 3 ;;
    esac
}

mpi_fortran() { # WAY MPI
    local to=$OB_BUILD/tests/mlacs/mlacs_mpi_types_$2
    [ -f "$OB_BUILD/fortran/mlacs.mod" ] && command -v mpifort.$2 >/dev/null || return 0
    if OMPI_FC=gfortran mpifort.$2 -w -J"$work" -I"$OB_BUILD/fortran" \
        "$ob_root/tests/mlacs/mpi_types.F90" -o "$to" -L"$OB_BUILD" -lmlacs_fortran -lmlacs \
        -lopenblacs -Wl,-rpath,"$OB_BUILD" >"$work/log" 2>&1; then
        for processes in 1 3; do try "$1" $processes mpi_types_$2; done
    else
        ob_fail "mpi_types.F90 compiles for $2" "$work/log"
    fi
}

for way in $MLACS_WAYS; do
    start=$SECONDS
    for processes in $(counts "$way"); do
        for program in $programs; do
            words=()
            # Threads want MPI_THREAD_MULTIPLE when messages go through MPI.
            case $program/$way in
            stress/*:mpi) words=(1 40) ;;
            stress/*) [ -z "$long" ] || words=(8 300) ;;
            esac
            try "$way" "$processes" "$program" "${words[@]}"
        done
    done
    if [ "$way" = obrun ]; then
        for program in point modes stress; do
            export OPENBLACS_BACKGROUND=1
            try "$way" 3 "$program"
            unset OPENBLACS_BACKGROUND
        done
    fi
    case $way in
    *:*)
        for processes in 1 4; do try "$way" $processes mpi_comm_${way%:*}; done
        # Communicators that the program has made, and in Fortran MPI's datatypes.
        # Five of MPICH, whose processes spin in MPI's own calls, take 20 s of the processors: once is enough.
        for processes in 1 2 $([ "$way" = mpich:auto ] && [ -z "$long" ] || echo 5); do
            try "$way" $processes own_comm_${way%:*}
        done
        waits_said "$way" own_comm_${way%:*}
        mpi_fortran "$way" ${way%:*}
        ;;
    esac
    echo "$way: $((SECONDS - start)) s"
done
# The examples check their product themselves.
example() { # HOW PROCESSES PROGRAM
    if [ "$3" = ring_fortran ] && [ ! -x "$OB_BUILD/examples/$3" ]; then
        return # without a Fortran compiler
    fi
    if ob_launch "$1" "$2" 60 -- "$OB_BUILD/examples/$3" 130 >"$work/log" 2>&1 &&
        grep -qE '^n = 130: .* speed-up +[0-9.]+; .*, right *$' "$work/log"; then
        ob_pass
    else
        ob_fail "$3 ($1, $2 processes)" "$work/log"
    fi
}
for program in ring ring_fortran; do
    for way in $MLACS_WAYS; do
        case $way in
        self) example self 1 $program ;;
        obrun) example obrun 4 $program ;;
        *:auto) example "${way%:*}" 3 $program ;;
        esac
    done
done
ob_tally
