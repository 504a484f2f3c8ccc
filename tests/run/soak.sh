#!/bin/bash
# Hours of random legal programs, in all interfaces, launchers and sizes, beside neighbours' jobs whose processes are
# stopped and killed. Each program checks all that it gets. Every minute a line says what there was, and memory,
# descriptors, processes and files of ours are counted; at the end they must be what they were at the beginning.
#
#   tests/run/soak.sh [HOURS]     8; .05 is a try of three minutes
#   SEED=n repeats the random choices
set -u
. "$(dirname "$0")/../../scripts/common.sh"
hours=${1:-8}
seed=${SEED:-$RANDOM}
RANDOM=$seed
work=$(mktemp -d)
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
token=soak-$$-$RANDOM
end=$((SECONDS + $(awk "BEGIN { printf \"%d\", $hours * 3600 }")))
echo "seed $seed (SEED=$seed repeats it), $hours hours"

# PROGRAM [ARGUMENTS], a line each. The first is random traffic: it comes as often as all others together.
traffic=$OB_BUILD/tests/core_stress
programs=()
for program in core_collective core_conform blacs_point blacs_broadcast blacs_combine blacs_grids blacs_barrier \
    blacs_reproducible mlacs/mlacs_grids mlacs/mlacs_point mlacs/mlacs_modes mlacs/mlacs_collective mlacs/mlacs_stress \
    bsp/bsp_registers bsp/bsp_grids bsp/bsp_level1 icc/icc_move icc/icc_combine; do
    [ -x "$OB_BUILD/tests/$program" ] && programs+=("$OB_BUILD/tests/$program")
done
settings=(OPENBLACS_VERBOSE=0 OPENBLACS_ONE_COPY=1 OPENBLACS_ONE_COPY=0 OPENBLACS_TIERS=2 OPENBLACS_SPIN=0
    OPENBLACS_STEP=64 OPENBLACS_HEAP=256M OPENBLACS_TOPOLOGY=plan OPENBLACS_CHECK=2 OPENBLACS_STATS=1
    OPENBLACS_TRANSPORT=auto OPENBLACS_REPRODUCIBLE=0 "OPENBLACS_TRACE=$TMPDIR/trace")
ways=(obrun obrun obrun obrun self $ob_mpis)

one_of() { # WORDS: sets `chosen`
    local words=("$@")
    chosen=${words[RANDOM % ${#words[@]}]}
}

# What the machine has of ours: processes with the token, files in /dev/shm and TMPDIR.
ours() {
    local dir count=0
    for dir in /proc/[0-9]*; do
        if grep -qz "^SOAK=$token\$" "$dir/environ" 2>/dev/null && ! grep -q '^State:.Z' "$dir/status" 2>/dev/null; then
            count=$((count + 1))
        fi
    done
    echo "$count"
}
files() { find "$TMPDIR" /dev/shm -name '*openblacs*' 2>/dev/null | wc -l; }
megabytes() { awk '/^MemAvailable/ { printf "%d", $2 / 1024 }' /proc/meminfo; }
descriptors() { awk '{ print $1 }' /proc/sys/fs/file-nr; }

# So many seconds, and more where other programs want the processors, too: this one is the nicest.
patient() { echo $(($1 + $1 * $(cut -d. -f1 /proc/loadavg) / ob_cores)); }

# A neighbour: random traffic under obrun, one of whose processes is stopped for a while or killed.
neighbour() {
    local how=$1 pids hit=""
    env SOAK="$token" SOAK_NEIGHBOUR="$token" timeout -k 5 "$(patient 120)" "$(ob_obrun)" -n 3 "$traffic" "$RANDOM" 4 400000 >"$work/neighbour" 2>&1 </dev/null &
    local job=$!
    for _ in {1..30}; do
        sleep 1
        mapfile -t pids < <(grep -lz "^SOAK_NEIGHBOUR=$token\$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 |
            while read -r pid; do [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = core_stress ] && echo "$pid"; done)
        if [ ${#pids[@]} -gt 0 ] || ! kill -0 $job 2>/dev/null; then break; fi
    done
    # It may have ended by itself meanwhile: then nothing was tried.
    if [ ${#pids[@]} -gt 0 ] && ! grep -q '^State:.Z' "/proc/${pids[0]}/status" 2>/dev/null &&
        kill "-$how" "${pids[0]}" 2>/dev/null; then
        hit=yes
        sleep 2
        kill -CONT "${pids[0]}" 2>/dev/null
    fi
    wait $job
    local status=$?
    [ -n "$hit" ] || how=NONE
    case $how:$status in
    STOP:0 | NONE:0) ob_pass ;;
    KILL:0 | *:124 | STOP:* | NONE:*)
        ob_fail "neighbour, one process got SIG$how: status $status" "$work/neighbour"
        keep "$work/neighbour"
        ;;
    *) ob_pass ;;
    esac
}

kept=$OB_BUILD/log/soak-failed # a night's work: what is seen once in it is not seen again at will, so nothing removes it
keep() { # LOG
    mkdir -p "$kept" && cp "$1" "$kept/$seed.$runs" && echo "        whole: $kept/$seed.$runs"
}
before_memory=$(megabytes) before_descriptors=$(descriptors) before_files=$(files)
minute=$SECONDS runs=0
while [ "$SECONDS" -lt "$end" ]; do
    one_of "${ways[@]}" && way=$chosen
    one_of "${settings[@]}" && setting=$chosen
    processes=$((RANDOM % 9 + 1))
    [ $way != self ] || processes=1
    # Without shared memory more processes than processors only take long.
    case $way in openmpi | mpich) processes=$((processes % 4 + 1)) ;; esac
    if ((RANDOM % 2)); then
        command=("$traffic" $((RANDOM + 1)) 2 $((RANDOM % 3 ? 400000 : 9000000)))
    else
        one_of "${programs[@]}" && command=("$chosen")
    fi
    if ! SOAK=$token ob_launch "$way" "$processes" "$(patient 180)" "$setting" -- "${command[@]}" >"$work/log" 2>&1 ||
        ! grep -qE '^[1-9][0-9]* passed, 0 failed$' "$work/log"; then
        ob_fail "${command[*]##*/} under $way, $processes processes, $setting" "$work/log"
        keep "$work/log"
    else
        ob_pass
    fi
    runs=$((runs + 1))
    if [ $((SECONDS - minute)) -ge 60 ]; then
        one_of STOP KILL && neighbour "$chosen"
        minute=$SECONDS
        echo "$runs runs, $ob_failed failed; $(megabytes) MB free, $(descriptors) descriptors, $(files) files," \
            "$(ours) processes; $(((end - SECONDS) / 60)) minutes to go"
    fi
done

sleep 3
if [ "$(ours)" = 0 ]; then ob_pass; else ob_fail "$(ours) processes are left"; fi
rm -f "$TMPDIR"/trace*
if [ "$(files)" -le "$before_files" ]; then ob_pass; else ob_fail "$(files) files are left, $before_files before"; fi
# Others use the machine, too: what a leak of a page or a descriptor a run would make of it is far more.
if [ $((before_memory - $(megabytes))) -lt $((200 + runs / 10)) ]; then ob_pass; else ob_fail "$(megabytes) MB free, $before_memory before"; fi
if [ $(($(descriptors) - before_descriptors)) -lt $((500 + runs / 10)) ]; then ob_pass; else ob_fail "$(descriptors) descriptors, $before_descriptors before"; fi
rm -rf "$work"
ob_tally
