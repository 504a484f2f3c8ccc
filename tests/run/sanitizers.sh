#!/bin/bash
# Builds with AddressSanitizer and UndefinedBehaviorSanitizer, then with
# ThreadSanitizer, and runs the unit tests and the conformance programs alone and
# under obrun. Any report ends a program with a failure.
#   tests/run/sanitizers.sh [address,undefined] [thread]
set -u
. "$(dirname "$0")/../../scripts/common.sh"
base=$OB_BUILD
# many_grids measures its memory, which freed blocks kept for inspection swell.
export ASAN_OPTIONS=abort_on_error=0:exitcode=99:detect_leaks=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99
# What ThreadSanitizer knows of up to 2 MiB of fresh memory is written, not mapped anew: a page mapped anew costs two faults
# and, in the second, an interrupt of each processor that has the program.
export TSAN_OPTIONS=exitcode=99:halt_on_error=1:clear_shadow_mmap_threshold=$((4 << 20))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

add() { # NAME: adds the last line of the log to the sums
    sed '$d' "$log"
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        echo "$1: ${BASH_REMATCH[0]}"
        ob_passed=$((ob_passed + BASH_REMATCH[1]))
        ob_failed=$((ob_failed + BASH_REMATCH[2]))
    else
        ob_fail "$1: did not come to its end" "$log"
    fi
}

# What is run below, which no MPI launcher starts; the steps build and clang compile the rest.
targets() { # SANITIZERS
    UNIT_THREADS=$(threads "$1") "$ob_root/tests/run/unit.sh" list | sed 's/^/openblacs_test_/'
    # Of the others those that start a thread are made when they do.
    if [ "$1" = thread ]; then
        echo openblacs_obrun
        return
    fi
    # Nothing here runs programs that are wrong, or take gigabytes.
    (cd "$ob_root/tests" && ls core/*.c blacs/*.c trace/examine.c) | grep -vE '/(bad_.*|big)[.]c$' |
        sed 's|^\(.*\)/\(.*\)\.c$|openblacs_test_\1_\2|'
    # obtrace reads another's OTF2.
    ! grep -qx 'OB_OTF2_FITS:INTERNAL=1' "$OB_BUILD/CMakeCache.txt" || echo openblacs_test_obtrace_otf2_other
    echo openblacs_obrun tools/obtrace/all tests/{bsp,mlacs,misuse,lu}/all openblacs_example_{ring,lu_solve,cholesky_solve,least_squares}
}

# Where there is one thread there is no race, only time to lose.
threads() { # SANITIZERS
    [ "$1" != thread ] || echo 1
}

# Line numbers, which reports have, need no more than -g1. Clang's ThreadSanitizer takes half the time of gcc 12's, which is
# an older one; gcc compiles faster for the other two.
build() { # SANITIZERS
    local compiler=gcc
    [ "$1" != thread ] || compiler=clang
    ob_renew "$OB_BUILD" Ninja
    # shellcheck disable=SC2046 # words
    cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" -DCMAKE_C_COMPILER=$compiler -DOPENBLACS_SANITIZE="$1" \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" \
        -DCMAKE_C_FLAGS=-fno-sanitize-recover=all -DOPENBLACS_BENCH=OFF -DOPENBLACS_FORTRAN=OFF -DOPENBLACS_MPI=OFF &&
        nice cmake --build "$OB_BUILD" --parallel "$ob_cores" --target $(targets "$1")
}

# ThreadSanitizer wants its address ranges free, which address randomisation on
# new kernels does not grant.
fixed() {
    if setarch -R true 2>/dev/null; then setarch -R "$@"; else "$@"; fi
}

[ $# != 0 ] || set -- address,undefined thread
for sanitizers; do
    export OB_BUILD=$base-${sanitizers//,/-}
    if ! build "$sanitizers" >"$log" 2>&1 </dev/null; then
        ob_fail "build with $sanitizers" "$log"
        continue
    fi
    UNIT_THREADS=$(threads "$sanitizers") fixed "$ob_root/tests/run/unit.sh" >"$log" 2>&1
    add "$sanitizers, unit tests"
    if [ "$sanitizers" != thread ]; then
        "$ob_root/tests/obtrace/run.sh" "$OB_BUILD" >"$log" 2>&1
        add "$sanitizers, obtrace"
    else
        # Each of the programs below is first the usual build's, whose processes end where they would start a thread. One
        # that starts none has shown that, and counts; one that does is run again with the sanitizer.
        export OB_THREADS=$OB_BUILD OB_BUILD=$base
        ! ob_one_thread self 1 60 -- "$OB_BUILD/tests/blacs_threads" >"$log" 2>&1 ||
            ob_fail "blacs_threads is taken to start no thread" "$log"
    fi
    CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="1 2 5" \
        fixed "$ob_root/tests/run/conformance.sh" >"$log" 2>&1
    add "$sanitizers, conformance"
    # Its threads meet within one process.
    MLACS_WAYS=$([ "$sanitizers" = thread ] && echo self || echo self obrun) MLACS_PROCESSES=3 fixed "$ob_root/tests/run/mlacs.sh" >"$log" 2>&1
    add "$sanitizers, MLACS"
    # MPI libraries leak.
    MISUSE_MPIS="" fixed "$ob_root/tests/misuse/run.sh" $([ "$sanitizers" != thread ] || echo lots) >"$log" 2>&1
    add "$sanitizers, misuse"
    # Libraries cannot be put in front of a sanitizer's, and it looks into no kernels of a BLAS. Only lu_cholesky starts a
    # thread, on 2 processes as on 6: the others show on 2 that they start none, and on 6 it takes the quickest kernels.
    export LU_WAYS="self obrun" LU_PROCESSES="2 6" LU_PLAIN="" LU_KERNELS=""
    if [ "$sanitizers" = thread ]; then
        export LU_WAYS=obrun
        if grep -qw avx2 /proc/cpuinfo; then unset LU_KERNELS && LU_PROCESSES=2; fi
    fi
    fixed "$ob_root/tests/run/lu.sh" >"$log" 2>&1
    add "$sanitizers, LU"
    unset OB_THREADS
done
ob_tally
