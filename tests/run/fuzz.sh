#!/bin/bash
# Feeds what reads files, settings and command lines with damaged ones (tests/fuzz, clang's libFuzzer with
# AddressSanitizer and UndefinedBehaviorSanitizer): so many seconds of a processor for each target. It takes what others
# leave of the processors, and no clock ends it: beside busy programs it lasts longer and does the same.
# The committed seeds are run first, whatever the seconds. Traces have the most code: after 20 s the places reached there are
# 95 % of those after 60 s, and after 8 s those of the other targets are 95 to 100 %. ./check --long gives each ten minutes.
#   tests/run/fuzz.sh [SECONDS [SECONDS OF TRACES]]
set -u
. "$(dirname "$0")/../../scripts/common.sh"
seconds=${1:-20} trace_seconds=${2:-${1:-20}}
build=$OB_BUILD-fuzz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seeds=$ob_root/tests/fuzz/seeds

# The lowest weight, for all that is started here. A session's weight counts where each has one, and is ours to change
# when ./check has made it.
read -r _ _ _ _ _ session _ <"/proc/$$/stat"
[ "$session" != $$ ] || { echo 19 >/proc/self/autogroup; } 2>/dev/null
renice -n 19 -p $$ >/dev/null
! command -v chrt >/dev/null || chrt --idle --pid 0 $$

# All of "undefined" but pointer-overflow: a null pointer plus nothing is not what is looked for.
undefined='undefined;-fno-sanitize=pointer-overflow'
ob_renew "$build" Ninja
if ! { cmake -G Ninja -S "$ob_root" -B "$build" -DCMAKE_C_COMPILER=clang -DOPENBLACS_FUZZ=ON -DOPENBLACS_FORTRAN=OFF \
    "-DOPENBLACS_SANITIZE=fuzzer-no-link,address,$undefined" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DOPENBLACS_BENCH=OFF \
    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" -DCMAKE_C_FLAGS=-fno-sanitize-recover=all &&
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

# No target waits for anything, so one that sleeps for a minute hangs. One that is ready to run does not, however
# long others have the processors.
end_asleep() { # PID
    local had before= still=0
    while sleep "$look" && read -r had _ <"/proc/$1/schedstat" && [ -n "$had" ]; do
        if [ "$had" = "$before" ] && grep -q '^State:.S' "/proc/$1/status"; then still=$((still + 1)); else still=0; fi
        before=$had
        [ $still -lt 6 ] || { kill -ABRT "$1" && still=0; }
    done 2>/dev/null
}

# Its own limits go by the clock, so tests/fuzz/watch.c stands in for them.
run() { # TARGET CORPUS ARTIFACTS
    local pid status
    (cd "$work" && exec "$build/tests/fuzz/fuzz_$1" -timeout=0 -report_slow_units=1000000 -rss_limit_mb=3000 \
        -detect_leaks=0 -max_len=65536 -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$3" "$2") 2>&1 </dev/null &
    pid=$!
    end_asleep $pid &
    wait $pid
    status=$?
    kill $! 2>/dev/null
    return $status
}

fuzz() { # TARGET
    local corpus=$work/$1 log=$work/$1.log share=$seconds
    mkdir -p "$corpus"
    cp "$seeds/$1"/* "$corpus" 2>/dev/null
    case $1 in
    trace) share=$trace_seconds && trace_seeds "$corpus" ;;
    profile) cp "$ob_root"/tests/obbench/*.profile "$corpus" ;;
    esac
    # It must neither run out of memory nor take longer than 10 s for one input.
    FUZZ_SECONDS=$share FUZZ_INPUT_SECONDS=10 run "$1" "$corpus" "$OB_BUILD/log/fuzz-$1-" >"$log"
    local status=$? runs
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $status = 0 ] && grep -q 'exiting as requested' "$log" && [ "${runs:-0}" -gt 0 ]; then
        echo "$1: $runs inputs, $(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) places reached"
    else
        tail -n 25 "$log"
        echo "FAILED $1: status $status"
    fi
}

# A target that hangs is found, and its input kept: one that computes, and one that sleeps.
hangs() { # BYTE
    local corpus=$work/hang-$1 log=$work/hang-$1.log
    mkdir -p "$corpus"
    printf %s "$1" >"$corpus/seed"
    look=1 FUZZ_SECONDS=60 FUZZ_INPUT_SECONDS=1 run hang "$corpus" "$corpus/kept-" >"$log" &&
        echo "FAILED hang: '$1' ended well" && return
    if [ "$(cat "$corpus"/kept-*)" = "$1" ]; then
        echo "hang: '$1' is found"
    else
        tail -n 25 "$log"
        echo "FAILED hang: '$1' is not kept"
    fi
}

mkdir -p "$OB_BUILD/log"
export -f fuzz hangs run end_asleep trace_seeds ob_obrun
export OB_BUILD work build seeds seconds trace_seconds ob_root look=10
while read -r line; do
    case $line in
    *FAILED*) ob_fail "$line" ;;
    *"places reached" | hang:*found) echo "$line" && ob_pass ;;
    *) echo "    | $line" ;;
    esac
done < <(printf '%s\n' 'hangs l' 'hangs s' 'fuzz '{trace,plan,profile,settings,matrix,options} |
    xargs -P "$ob_cores" -I{} bash -c '{}')
ob_tally
