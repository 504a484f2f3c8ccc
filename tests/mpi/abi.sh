#!/bin/bash
# The standard binary interface of MPI 5: the module that obinfo builds for it, and programs of this folder compiled
# for it. Debian's MPICH has it from 5.0 on, so tests/systems/run.sh sid runs this. The build is $OB_BUILD. (The wrappers
# of Debian's 5.0.2-2 take MPICH's own header and library, or the static library, which lacks others: so one of ours.)
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '#!/bin/sh\nexec cc -I%s "$@" -lmpi_abi\n' /usr/lib/*/mpi_abi_mpich/include >"$work/mpicc"
chmod +x "$work/mpicc"
export HOME=$work LD_LIBRARY_PATH=$work/lib

expect() { # NAME TEXT COMMAND...: it succeeds, and says this
    local name=$1 text=$2
    shift 2
    if timeout -k 5 $((60 * OB_SLOW)) "$@" >"$work/log" 2>&1 </dev/null && grep -q -e "$text" "$work/log"; then
        ob_pass
    else
        ob_fail "$name" "$work/log"
    fi
}

compile() { # PROGRAM COMPILER [OPTION]...
    if "${@:2}" -std=gnu11 -D_GNU_SOURCE -I"$ob_root/include" -rdynamic "$ob_root/tests/mpi/$1.c" -o "$work/$1" \
        -L"$LD_LIBRARY_PATH" -lopenblacs >"$work/log" 2>&1; then
        ob_pass
    else
        ob_fail "compile $1" "$work/log"
    fi
}

cmake --install "$OB_BUILD" --prefix "$work" >"$work/log" 2>&1 || ob_fail "cmake --install" "$work/log"
LD_LIBRARY_PATH=$(dirname "$(find "$work" -name libopenblacs.so.0)")
expect "obinfo --build-module" "mpi-abi.so is for MPICH" "$work/bin/obinfo" --build-module "$work/mpicc"
for name in traffic beside threads grid_comm; do
    # Such a program names communicators by the standard's own integers.
    compile "$name" "$work/mpicc" -pthread -DMPI_Comm_c2f=MPI_Comm_toint -DMPI_Comm_f2c=MPI_Comm_fromint
done
compile bare cc
for OPENBLACS_TRANSPORT in auto mpi; do
    export OPENBLACS_TRANSPORT
    for n in 1 2 3 4; do
        expect "traffic, $n processes" passed mpirun.mpich -n "$n" "$work/traffic"
    done
    for test in wildcard progress system finalize-first ours left; do
        for n in 2 3; do expect "$test, $n processes" passed mpirun.mpich -n "$n" "$work/beside" $test; done
    done
    for level in single multiple; do
        expect "threads, $level" passed mpirun.mpich -n 2 "$work/threads" $level
    done
    for test in order private; do expect "$test" passed mpirun.mpich -n 4 "$work/grid_comm" $test; done
    # Loaded by a plug-in, by the name that programs are linked with and by that of the file.
    for file in /usr/lib/*/libmpi_abi.so.1 /usr/lib/*/libmpi_abi_mpich.so.1.*; do
        for n in 1 3; do
            expect "$file, $n processes" passed mpirun.mpich -n "$n" "$work/bare" "$n" "$file" init
        done
    done
done
ob_tally
