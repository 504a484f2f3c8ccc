#!/bin/bash
# The unit tests (processes as threads there) and the conformance programs
# under the sanitizers: address and undefined together, thread alone.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

build() {
    cmake -S "$ob_root" -B "$1" -DOPENBLACS_SANITIZE="$2" -DCMAKE_C_COMPILER=clang \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g" \
        -DOPENBLACS_BENCH=OFF -DOPENBLACS_FORTRAN=OFF &&
        cmake --build "$1" -j "$(nproc)"
}

units() {
    local program name count
    for program in "$1"/tests/*_test; do
        name=$(basename "$program")
        timeout -k 5 240 "$program" >"$log" 2>&1
        local status=$?
        count=$(sed -nE 's/.*\[  PASSED  \] ([0-9]+) test.*/\1/p' "$log" | tail -1)
        if [ $status = 0 ] && [ "${count:-0}" -gt 0 ]; then
            ob_pass
        else
            ob_fail "$name, $2 sanitizer" "$log"
        fi
    done
}

programs() {
    local build=$1 kind=$2 sizes=$3 program processes
    shift 3
    for program in "$@"; do
        for processes in $sizes; do
            if timeout -k 5 180 "$build/obrun" -n "$processes" "$build/tests/$program" >"$log" 2>&1; then
                ob_pass
            else
                ob_fail "$program, $processes processes, $kind sanitizer" "$log"
            fi
        done
    done
}

address=$OB_BUILD-address
thread=$OB_BUILD-thread
if build "$address" address,undefined; then
    units "$address" address
    programs "$address" address "1 3" core_conform blacs_point blacs_broadcast blacs_combine \
        blacs_grids
else
    ob_fail "build with address sanitizer"
fi
if build "$thread" thread; then
    units "$thread" thread
    programs "$thread" thread "1 3" blacs_threads
else
    ob_fail "build with thread sanitizer"
fi
ob_tally
