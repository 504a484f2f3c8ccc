#!/bin/bash
# Random traffic under obrun while processes are stopped, continued and killed.
#
#   tests/stress/run.sh OBRUN [SECONDS]      (OBRUN: its path; 40 seconds in all)
#
# The traffic is tests/core/stress.c, built as tests/core_stress beside obrun, or
# named by STRESS. SEED=n repeats the random choices of a run.
set -u
obrun=$(command -v "${1:-${OBRUN:-obrun}}") || { echo "run.sh: no obrun at '${1-}'"; exit 2; }
obrun=$(realpath "$obrun")
total=${2:-40}
slow=${OB_SLOW:-1} # how many times longer limits last (./check)
stress=${STRESS:-$(dirname "$obrun")/tests/core_stress}
[ -x "$stress" ] || { echo "run.sh: no traffic program at '$stress'"; exit 2; }
seed=${SEED:-$RANDOM}
RANDOM=$seed
log=$(mktemp)
token="stress-$$-$RANDOM"
passed=0 failed=0
echo "seed $seed (SEED=$seed repeats it)"

# Whoever carries the token in its environment. One search: one a process would take longer than the traffic.
carriers() {
    grep -lz "^STRESS_TOKEN=$token\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

# The processes of the running case.
comm=$(basename "$stress" | cut -c1-15)
processes() {
    local pid name
    for pid in $(carriers); do
        name=
        { read -r name <"/proc/$pid/comm"; } 2>/dev/null
        [ "$name" != "$comm" ] || echo "$pid"
    done
}

# Whatever else carries the token: the launcher and its helpers too.
left() {
    local pid stat
    for pid in $(carriers); do
        stat=
        { read -r stat <"/proc/$pid/stat"; } 2>/dev/null
        [ -n "$stat" ] || continue
        stat=${stat##*) }
        [ "${stat%% *}" = Z ] || echo "$pid"
    done
}

nothing_left() {
    local i
    for ((i = 0; i < 60 * slow; i++)); do
        [ -z "$(left)" ] && return 0
        sleep 0.05
    done
    echo "left: $(left | tr '\n' ' ')" >> "$log"
    # shellcheck disable=SC2046
    kill -CONT $(left) 2>/dev/null
    # shellcheck disable=SC2046
    kill -KILL $(left) 2>/dev/null
    return 1
}

verdict() { # verdict STATUS NAME
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "PASS $2"
    else
        failed=$((failed + 1))
        echo "FAIL $2"
        tail -n 15 "$log" | sed 's/^/    | /'
    fi
}

job=
start() { # start PROCESSES SECONDS BYTES [NAME=VALUE...]
    local n=$1 seconds=$2 bytes=$3
    shift 3
    env STRESS_TOKEN="$token" "$@" "$obrun" --timeout $(((total + 60) * slow)) -n "$n" "$stress" \
        $((RANDOM + 1)) "$seconds" "$bytes" > "$log" 2>&1 &
    job=$!
}

# Waits for the job, at most so many seconds of an idle machine; its exit status, or 124.
outcome() {
    local limit=$(($1 * slow)) i
    for ((i = 0; i < limit * 20; i++)); do
        kill -0 "$job" 2>/dev/null || { wait "$job"; return; }
        sleep 0.05
    done
    echo "no end within $limit s" >> "$log"
    return 124
}

all_good() { # the job ended well, all its checks passed, nothing is left
    outcome "$1"
    local status=$?
    nothing_left && [ $status = 0 ] && grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log"
}

pick() { # one of the processes at random
    local list
    mapfile -t list < <(processes)
    [ ${#list[@]} -gt 0 ] && echo "${list[RANDOM % ${#list[@]}]}"
}

# Stops and continues processes at random as long as the job runs.
disturb() { # disturb SECONDS
    local end=$((SECONDS + $1)) pid other
    while [ "$SECONDS" -lt "$end" ] && kill -0 "$job" 2>/dev/null; do
        pid=$(pick) && kill -STOP "$pid" 2>/dev/null
        if ((RANDOM % 3 == 0)); then other=$(pick) && kill -STOP "$other" 2>/dev/null; fi
        sleep 0.0$((RANDOM % 9 + 1))
        [ -n "$pid" ] && kill -CONT "$pid" 2>/dev/null
        [ -n "${other-}" ] && kill -CONT "$other" 2>/dev/null
        pid='' other=''
    done
}

trap 'nothing_left; rm -f "$log"' EXIT
each=$((total / 20))
[ "$each" -ge 1 ] || each=1
milli=$((total * 20))
short=$(printf '%d.%03d' $((milli / 1000)) $((milli % 1000)))

for n in 1 2 3 4 5 6 7 8 9; do
    start "$n" "$short" 400000
    all_good 30
    verdict $? "$n processes"
done

for setting in OPENBLACS_SPIN=0 OPENBLACS_SPIN=1000000 OPENBLACS_STEP=64 OPENBLACS_STEP=65536 \
               OPENBLACS_HEAP=256M OPENBLACS_ONE_COPY=1; do
    start 3 1 400000 "$setting"
    all_good 30
    verdict $? "3 processes, $setting"
done

start 2 1 9000000
all_good 30
verdict $? "2 processes, messages of up to 9 MB"
start 2 1 9000000 OPENBLACS_ONE_COPY=1
disturb 1
all_good 30
verdict $? "2 processes, messages of up to 9 MB straight, stopped and continued at random"

for n in 2 4 7; do
    start $n $((2 * each)) 400000
    disturb $((2 * each))
    all_good 30
    verdict $? "$n processes, stopped and continued at random"
done

# A process is killed: the job ends soon, with its number and signal in one
# line, and nothing stays behind, stopped processes included.
killed() { # killed PROCESSES STOPPED NAME [NAME=VALUE...]
    local n=$1 victim other status lines i
    start "$n" $((60 * slow)) 400000 "${@:4}"
    for ((i = 0; i < 200 * slow; i++)); do
        [ "$(processes | wc -l)" != "$n" ] || break
        sleep 0.05
    done
    sleep 0.$((RANDOM % 5 + 3))
    victim=$(pick)
    other=$(processes | grep -vx "$victim" | head -n 1)
    [ "$2" = 1 ] && kill -STOP "$other"
    kill -KILL "$victim"
    outcome 10
    status=$?
    lines=$(grep -cE 'process [0-9]+.*(SIGKILL|signal 9|[Kk]illed)' "$log")
    echo "status $status, $lines lines about it" >> "$log"
    nothing_left && [ "$status" != 0 ] && [ "$status" != 124 ] && [ "$lines" = 1 ]
    verdict $? "$3"
}
killed 2 0 "2 processes, one killed"
killed 4 0 "4 processes, one killed"
killed 4 1 "4 processes, one stopped, one killed"
killed 9 0 "9 processes, one killed"
killed 2 0 "2 processes, one killed, long messages straight" OPENBLACS_ONE_COPY=1
killed 3 1 "3 processes, one stopped, one killed, long messages straight" OPENBLACS_ONE_COPY=1

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
