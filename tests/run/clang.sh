#!/bin/bash
# Builds everything with clang, warnings being errors, and runs the unit tests and
# the conformance programs alone and under obrun.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
export OB_BUILD=$OB_BUILD-clang
mkdir -p "$OB_BUILD"
ob_renew "$OB_BUILD" Ninja
log=$OB_BUILD/log
if cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-Werror \
    -DOPENBLACS_FORTRAN=OFF >"$log" 2>&1 </dev/null &&
    nice cmake --build "$OB_BUILD" --parallel "$ob_cores" >"$log" 2>&1 </dev/null; then
    ob_pass
else
    ob_fail "build with clang" "$log"
    ob_tally
    exit 1
fi
for run in unit conformance; do
    CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="1 3" "$ob_root/tests/run/$run.sh" >"$log" 2>&1
    sed '$d' "$log"
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        ob_passed=$((ob_passed + BASH_REMATCH[1]))
        ob_failed=$((ob_failed + BASH_REMATCH[2]))
    else
        ob_fail "$run: did not come to its end" "$log"
    fi
done
ob_tally
