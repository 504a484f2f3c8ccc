#!/bin/bash
# Feeds what reads files, settings and command lines with damaged ones (tests/fuzz, clang's libFuzzer with
# AddressSanitizer and UndefinedBehaviorSanitizer): so many seconds for each target.
#   tests/run/fuzz.sh [SECONDS]
set -u
. "$(dirname "$0")/../../scripts/common.sh"
seconds=${1:-15}
build=$OB_BUILD-fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seeds=$ob_root/tests/fuzz/seeds

# All of "undefined" but pointer-overflow: a null pointer plus nothing is not what is looked for.
undefined='undefined;-fno-sanitize=pointer-overflow'
ob_renew "$build" Ninja
if ! { cmake -G Ninja -S "$ob_root" -B "$build" -DCMAKE_C_COMPILER=clang -DOPENBLACS_FUZZ=ON -DOPENBLACS_FORTRAN=OFF \
    "-DOPENBLACS_SANITIZE=fuzzer-no-link,address,$undefined" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOPENBLACS_BENCH=OFF \
    -DCMAKE_C_FLAGS=-fno-sanitize-recover=all &&
    nice cmake --build "$build" --parallel "$ob_cores" --target openblacs_fuzz; } >"$work/log" 2>&1 </dev/null; then
    ob_fail "build with clang's libFuzzer" "$work/log"
    ob_tally
    exit
fi

# Traces in each format; the first byte is the format's place in the target's list.
trace_seeds() { # FOLDER
    local native=$work/native
    OPENBLACS_TRACE=$native "$(ob_obrun)" -n 2 "$OB_BUILD/tests/blacs_point" >/dev/null 2>&1 </dev/null
    { printf '\0' && cat "$ob_root/tests/obtrace/golden/records.picl"; } >"$1/picl"
    { printf '\0' && cat "$ob_root/tests/obtrace/golden/records.cpicl"; } >"$1/compact"
    { printf '\1' && head -c 60000 "$native"; } >"$1/native"
    for format in json csv; do
        "$OB_BUILD/obtrace" convert "$ob_root/tests/obtrace/golden/records.picl" --to $format -o "$work/out" 2>/dev/null
        { if [ $format = json ]; then printf '\2'; else printf '\3'; fi && cat "$work/out"; } >"$1/$format"
    done
}

fuzz() { # TARGET
    local corpus=$work/$1 log=$work/$1.log
    mkdir -p "$corpus"
    cp "$seeds/$1"/* "$corpus" 2>/dev/null
    case $1 in
    trace) trace_seeds "$corpus" ;;
    profile) cp "$ob_root"/tests/obbench/*.profile "$corpus" ;;
    esac
    # It must neither run out of memory nor take longer than 10 s for one input.
    (cd "$work" && timeout -k 5 $(((seconds + 60) * OB_SLOW)) "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" \
        -timeout=$((10 * OB_SLOW)) -rss_limit_mb=3000 -detect_leaks=0 -max_len=65536 -close_fd_mask=3 \
        -artifact_prefix="$OB_BUILD/log/fuzz-$1-" "$corpus") >"$log" 2>&1 </dev/null
    local status=$? runs
    runs=$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$log")
    if [ $status = 0 ] && [ "${runs:-0}" -gt 0 ]; then
        echo "$1: $runs inputs, $(sed -n 's/.*DONE *cov: \([0-9]*\).*/\1/p' "$log") places reached"
    else
        tail -n 25 "$log"
        echo "FAILED $1: status $status"
    fi
}

mkdir -p "$OB_BUILD/log"
export -f fuzz trace_seeds ob_obrun
export work build seeds seconds ob_root OB_SLOW
while read -r line; do
    case $line in
    *FAILED*) ob_fail "$line" ;;
    *"places reached") echo "$line" && ob_pass ;;
    *) echo "    | $line" ;;
    esac
done < <(printf '%s\n' trace plan profile settings matrix options | xargs -P "$ob_cores" -I{} bash -c 'fuzz {}')
ob_tally
