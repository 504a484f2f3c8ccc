#!/bin/bash
# The other processors (docs/platforms.md): a cross build for each, with warnings as errors, its unit tests and the
# conformance programs alone and under obrun, all in qemu-user; and traces that one machine writes and another reads.
#   tests/run/processors.sh [NAME...]    of the presets cross-NAME; all of them without
#   PROCESSORS_PROCESSES="1 2 4"         numbers of processes of the conformance programs
#   PROCESSORS_PARTS="build unit conformance trace"
set -u
. "$(dirname "$0")/../../scripts/common.sh"
own=$OB_BUILD
: "${PROCESSORS_PROCESSES:=1 2 4}" "${PROCESSORS_PARTS:=build unit conformance trace}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An emulator takes about as many times longer.
unset OB_SLOW_FILE
export OB_SLOW=$((OB_SLOW * 10)) UNIT_SECONDS=${UNIT_SECONDS:-60}
if ! "$ob_root/scripts/setup.sh" processors; then
    ob_fail "the cross compilers are not installed"
    ob_tally
    exit 1
fi

# Its last line counts; the others that tell something are shown as they come: a run takes hours, and may be ended.
add() { # NAME COMMAND...
    local name=$1 start=$SECONDS
    shift
    "$@" 2>&1 </dev/null | tee "$work/log" | grep --line-buffered -E '^(FAILED|left out|    \|)'
    if [[ $(tail -n 1 "$work/log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        ob_pass "${BASH_REMATCH[1]}"
        ob_failed=$((ob_failed + BASH_REMATCH[2]))
        echo "$name: ${BASH_REMATCH[0]}, $((SECONDS - start)) s"
    else
        ob_fail "$name" "$work/log"
    fi
}

build() { # NAME: without the user's own launchers of compilers the presets are as they are
    ob_renew "$OB_BUILD" Ninja
    if cmake -G Ninja -S "$ob_root" -B "$OB_BUILD" --preset "cross-$1" -DCMAKE_C_FLAGS=-Werror >"$work/log" 2>&1 &&
        cmake --build "$OB_BUILD" --parallel "$ob_cores" >>"$work/log" 2>&1; then
        ob_pass
        echo "$1: $("$target-gcc" --version | head -n 1)"
    else
        ob_fail "the build for $1" "$work/log"
        return 1
    fi
}

# What one machine writes both read alike.
trace() { # WRITER READER, each: BUILD EMULATOR
    local file=$work/run.trace one two
    rm -f "$file"
    OB_BUILD=$1 OB_EMULATOR=$2 ob_launch obrun 3 60 OPENBLACS_TRACE="$file" -- "$1/tests/trace_talk" exit \
        >"$work/log" 2>&1
    one=$($2 "$1/obtrace" convert "$file" -o "$work/one.csv" 2>&1 && cat "$work/one.csv") &&
        two=$($4 "$3/obtrace" convert "$file" -o "$work/two.csv" 2>&1 && cat "$work/two.csv")
    if [ "$(wc -l <"$work/one.csv")" -gt 20 ] && [ "$one" = "$two" ]; then
        ob_pass
    else
        diff <(echo "$one") <(echo "$two") | tail -n 8 >>"$work/log"
        ob_fail "a trace of ${1##*-} is read by ${3##*-}" "$work/log"
    fi
}

[ $# != 0 ] || set -- aarch64 s390x riscv64 powerpc64le
for name; do
    target=$(sed -n "/\"cross-$name\", \"displayName\"/{n;s/.*\"OPENBLACS_CROSS\": \"\([^\"]*\)\".*/\1/p}" \
        "$ob_root/CMakePresets.json")
    if [ -z "$target" ]; then
        ob_fail "there is no preset cross-$name"
        continue
    fi
    export OB_BUILD=$own-$name OB_EMULATOR="qemu-${name/powerpc/ppc} -L /usr/$target"
    if [[ $PROCESSORS_PARTS == *build* ]]; then build "$name" || continue; fi
    if [[ $PROCESSORS_PARTS == *unit* ]]; then add "$name: unit tests" "$ob_root/tests/run/unit.sh"; fi
    if [[ $PROCESSORS_PARTS == *conformance* ]]; then
        add "$name: conformance" env CONFORMANCE_WAYS="self obrun" CONFORMANCE_PROCESSES="$PROCESSORS_PROCESSES" \
            CONFORMANCE_SECONDS=300 "$ob_root/tests/run/conformance.sh"
    fi
    if [[ $PROCESSORS_PARTS == *trace* ]]; then
        trace "$OB_BUILD" "$OB_EMULATOR" "$own" ""
        trace "$own" "" "$OB_BUILD" "$OB_EMULATOR"
    fi
done
ob_tally
