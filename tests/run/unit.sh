#!/bin/bash
# Runs the unit tests that stand beside the modules (src/**/*_test.c, tools/**/*_test.c),
# tests/lines, and the self test of tests/mutants.
#   tests/run/unit.sh      the build is $OB_BUILD
#   tests/run/unit.sh list prints their names
#   UNIT_THREADS=1         only those that start threads
#   UNIT_SECONDS=300       after which a program is ended
set -u
. "$(dirname "$0")/../../scripts/common.sh"
export CMOCKA_MESSAGE_OUTPUT=STDOUT
: "${UNIT_SECONDS:=300}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# cmocka closes with "[  PASSED  ] 12 test(s)." and, if any, the same of FAILED.
count() {
    sed -nE "s/^\[  $1  \] ([0-9]+) test\(s\).*/\1/p" "$log" | head -1
}

# Under a sanitizer there is no tests/lines, which has an instrumentation of its own.
lines=$(grep -q '^OPENBLACS_SANITIZE:STRING=$' "$OB_BUILD/CMakeCache.txt" && echo "$ob_root/tests/lines")
names() {
    local source
    for source in $(find "$ob_root/src" "$ob_root/tools" $lines -name '*_test.c' | sort); do
        [ -z "${UNIT_THREADS-}" ] || grep -qE 'pthread_create|team_(open|run|try)\b|_test\.h' "$source" || continue
        basename "$source" .c
    done
}
if [ "${1-}" = list ]; then
    names
    exit
fi
for name in $(names); do
    ob_slow
    timeout -k 5 $((UNIT_SECONDS * OB_SLOW)) $OB_EMULATOR "$OB_BUILD/tests/$name" >"$log" 2>&1 </dev/null
    status=$?
    passed=$(count PASSED)
    ob_pass "${passed:-0}"
    [ -z "$OB_EMULATOR" ] || sed -nE "s/^\[  ?SKIPPED  ?\] ([a-z_A-Z0-9]+)$/left out: $name, \1/p" "$log"
    if [ $status != 0 ] || [ -z "$passed" ]; then
        ob_fail "$name (status $status)" "$log"
    fi
done
# The tool that plants bugs (tests/mutants) notices what it is there for.
if [ -n "$lines" ] && [ -z "$OB_EMULATOR" ] && [ -z "${UNIT_THREADS-}" ]; then
    "$ob_root/tests/mutants/run.py" --self-test >"$log" 2>&1
    status=$?
    [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ 0\ failed$ ]] && ob_pass "${BASH_REMATCH[1]}" && [ $status = 0 ] ||
        ob_fail "tests/mutants (status $status)" "$log"
fi
ob_tally
