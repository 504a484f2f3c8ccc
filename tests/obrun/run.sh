#!/bin/bash
# Tests of obrun: run.sh PATH-OF-OBRUN, or OBRUN=path run.sh. Programs that
# need the library are built against the libopenblacs.so beside obrun (or in
# ../lib), and their cases are skipped when there is none.
set -u
obrun=${1:-${OBRUN:-obrun}}
obrun=$(command -v "$obrun") || { echo "run.sh: no obrun at '${1:-${OBRUN:-obrun}}'"; exit 1; }
obrun=$(realpath "$obrun")
# nproc takes them for its answer.
unset OMP_NUM_THREADS OMP_THREAD_LIMIT
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
slow=${OB_SLOW:-1} # how many times longer limits last (./check)
passed=0 failed=0 skipped=0

# Every process of ours carries this in its environment, however it was started.
token="obrun-test-$$-$RANDOM"

# The processes that a case has started, zombies apart: "pid state command".
left() {
    local dir pid state stat
    for dir in /proc/[0-9]*; do
        pid=${dir#/proc/}
        grep -qz "^OBRUN_TEST_TOKEN=$token-$1\$" "$dir/environ" 2>/dev/null || continue
        stat=$(cat "$dir/stat" 2>/dev/null) || continue
        state=${stat##*) }
        [[ ${state%% *} == Z ]] || echo "$pid ${state%% *} $(cat "$dir/comm" 2>/dev/null)"
    done
}

# Waits until nothing with the case's token is left, two seconds of an idle machine at most.
nothing_left() {
    local i
    for ((i = 0; i < 40 * slow; i++)); do
        [[ -z $(left "$1") ]] && return 0
        sleep 0.05
    done
    echo "  left: $(left "$1" | tr '\n' ';')"
    return 1
}

wait_for() { # wait_for COMMAND...: until it succeeds, five seconds of an idle machine at most
    local i
    for ((i = 0; i < 100 * slow; i++)); do
        "$@" && return 0
        sleep 0.05
    done
    echo "  waited in vain for: $*"
    return 1
}

lines_in() { [[ $(wc -l <"$1") -ge $2 ]]; }
same() { [[ $1 == "$2" ]] || { echo "  is '$1', should be '$2'"; return 1; }; }
matches() { [[ $1 =~ $2 ]] || { echo "  is '$1', should match '$2'"; return 1; }; }
one_line() { [[ $(wc -l <"$1") == 1 ]] || { echo "  not one line: $(cat "$1")"; return 1; }; }

# A case is a function; each runs in a subshell, in a folder and with a token of its own.
run_case() {
    local name=$1 result
    mkdir "$work/$name"
    (
        cd "$work/$name" || exit 1
        export OBRUN_TEST_TOKEN="$token-$name"
        "$name"
    ) >"$work/$name.log" 2>&1
    result=$?
    if [[ $result == 77 ]]; then
        echo "SKIP $name"
        skipped=$((skipped + 1))
        return
    fi
    if ! nothing_left "$name" >>"$work/$name.log"; then
        result=1
        left "$name" | while read -r pid _; do kill -9 "$pid"; done
    fi
    if [[ $result == 0 ]]; then
        echo "PASS $name"
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        failed=$((failed + 1))
        sed 's/^/  /' "$work/$name.log" | head -20
    fi
    grep '^NOTE ' "$work/$name.log"
}

# obrun with a limit, so that a hang is a failure.
run() { timeout --foreground -k 5 $((30 * slow)) "$obrun" "$@"; }
# In a script's background, bash starts commands with SIGINT ignored; obrun
# handles it all the same. exec: $! is obrun itself.
# HUP: ./check itself may run under nohup.
start() { exec env --default-signal=HUP "$obrun" "$@"; }

# shellcheck disable=SC2016 # the processes' shell expands it
number='n=${OPENBLACS_JOB#*:}; '

# ------------------------------------------------------------------- output

# Every line whole, each process's own lines in order and complete. $2: lines
# of each process, every $3-rd of all it numbers.
check_lines() {
    awk -v want="$2" -v step="$3" '
        !/^[0-9]+ [0-9]+ x* end$/ { print "  mixed: " substr($0, 1, 100); bad = 1; exit 1 }
        { if (n[$1]++ && $2 != last[$1] + step) { print "  order: " $1 " " $2; bad = 1; exit 1 }
          last[$1] = $2 }
        END { if (bad) exit 1
              for (i in n) { if (n[i] != want) { print "  lines of " i ": " n[i]; exit 1 } p++ }
              print p > "processes" }' "$1"
}

lines_of_8_unmixed() {
    run -n 8 "$work/lines" 10000 >out 2>err || return 1
    check_lines out 5000 2 && same "$(cat processes)" 8 &&
        check_lines err 5000 2 && same "$(cat processes)" 8
}

both_streams_in_one_file() {
    run -n 4 "$work/lines" 4000 >both 2>&1 || return 1
    awk '!/^[0-9]+ [0-9]+ x* end$/ { exit 1 }' both && same "$(wc -l <both)" 16000
}

both_streams_in_one_pipe() {
    run -n 4 "$work/lines" 4000 2>&1 | cat >both
    awk '!/^[0-9]+ [0-9]+ x* end$/ { exit 1 }' both && same "$(wc -l <both)" 16000
}

very_long_lines() {
    run -n 3 "$work/lines" 3 3000000 >out 2>err || return 1
    check_lines out 2 2 && check_lines err 1 2
}

tag_prefixes_lines() {
    run -n 3 --tag sh -c "$number"'echo "a $n"; echo "b $n" >&2' >out 2>err
    same "$(sort out | tr '\n' ',')" "[0] a 0,[1] a 1,[2] a 2," &&
        same "$(sort err | tr '\n' ',')" "[0] b 0,[1] b 1,[2] b 2,"
}

tag_of_long_output() {
    run -n 2 --tag "$work/lines" 20000 200 >out 2>/dev/null || return 1
    sed -n 's/^\[\([01]\)\] \(\1 .*\)/\2/p' out >plain
    check_lines plain 10000 2
}

binary_passes_unchanged() {
    head -c 1000000 /dev/urandom >data
    printf 'no newline at the end' >>data
    run -n 1 cat data >out && cmp data out
}

last_line_without_newline() {
    run -n 2 sh -c "$number"'[ $n = 0 ] || until [ -s out ]; do sleep 0.05; done; printf "end of %s" $n' >out
    same "$(cat out; echo .)" "$(printf 'end of 0\nend of 1.')" || return 1
    run -n 1 --tag printf 'a\nb' >out
    same "$(cat out; echo .)" "$(printf '[0] a\n[0] b.')"
}

hundred_megabytes() {
    local begin=$EPOCHREALTIME
    run -n 4 sh -c 'yes 0123456789012345678901234567890 | head -c 25600000' >out || return 1
    echo "NOTE 100 MB of lines to a file took $(since "$begin") s"
    same "$(wc -c <out)" 102400000 && same "$(sort -u out)" 0123456789012345678901234567890 ||
        return 1
    begin=$EPOCHREALTIME
    run -n 4 sh -c 'yes 0123456789012345678901234567890 | head -c 25600000' | wc -c >count
    echo "NOTE 100 MB of lines to a pipe took $(since "$begin") s"
    same "$(cat count)" 102400000
}

stdout_closed_by_reader() {
    run -n 4 yes | head -1 >out
    same "${PIPESTATUS[0]} $(cat out)" "141 y"
}

stdout_full() {
    run -n 2 yes >/dev/full 2>err
    same $? 125 && one_line err && matches "$(cat err)" "cannot write to standard output: No space"
}

stdout_stuck_and_timeout() {
    # The reader sleeps; neither the time limit nor a second signal waits for it.
    { timeout $((20 * slow)) "$obrun" -n 2 --timeout 0.3 yes; echo $? >status; } |
        { sleep 8; cat >/dev/null; }
    same "$(cat status)" 124
}

closed_standard_files() {
    run -n 2 sh -c "$number"'echo $n >>file; cat' <&- >&- 2>&-
    same "$? $(sort file | tr '\n' ' ')" "0 0 1 "
}

# -------------------------------------------------------------------- input

stdin_goes_to_process_0() {
    printf 'one\ntwo\n' | run -n 3 --tag wc -l >out
    same "$(sort out | tr '\n' ',')" "[0] 2,[1] 0,[2] 0,"
}

stdin_from_terminal() {
    command -v script >/dev/null || return 77
    { sleep 0.5; echo typed; sleep 0.5; } |
        timeout $((20 * slow)) script -qec "'$obrun' -n 2 --tag head -1" /dev/null >out
    matches "$(tr -d '\r' <out)" '\[0\] typed'
}

environment() {
    run -n 2 -x OB_A=1 -x 'OB_B=x = y' -x HOME sh -c 'echo "$OB_A|$OB_B|$HOME"' >out
    same "$(sort -u out)" "1|x = y|$HOME" && same "$(wc -l <out)" 2
}

job_variable_replaced() {
    OPENBLACS_JOB=77:9 run -n 2 sh -c 'env | grep -c ^OPENBLACS_JOB=; echo $OPENBLACS_JOB' >out
    same "$(sort out | tr '\n' ',' | sed 's/[0-9]*:/fd:/g')" "1,1,fd:0,fd:1,"
}

descriptors_of_processes() {
    # One more than obrun was given: the job's memory.
    ls /proc/self/fd >before
    run -n 2 ls /proc/self/fd >out
    same "$(wc -l <out)" $((2 * $(wc -l <before) + 2)) &&
        same "$(sort -n out | uniq -c | awk '$1 != 2')" ""
}

# ---------------------------------------------------------- ends and failures

status_of_first_failure() {
    run -n 3 sh -c "$number"'[ $n = 1 ] && exit 3; exec sleep 50' 2>err
    same $? 3 && one_line err &&
        matches "$(cat err)" '^obrun: process 1 \(pid [0-9]+\) ended with status 3; ending the other 2 processes \[OB-2008\]$'
}

signal_of_first_failure() {
    run -n 3 sh -c "$number"'ulimit -c 0; [ $n = 2 ] && kill -SEGV $$; sleep 50' 2>err
    same $? 139 && one_line err &&
        matches "$(cat err)" '^obrun: process 2 \(pid [0-9]+\) was ended by signal 11 \(SIGSEGV\); ending'
}

kill_9_of_a_process() {
    start -n 3 sh -c 'echo $$; sleep 50; true' >out 2>err &
    local pid=$!
    wait_for lines_in out 3 && kill -9 "$(head -1 out)"
    wait $pid
    same $? 137 && one_line err && matches "$(cat err)" 'signal 9 \(SIGKILL\)'
}

success_is_0() {
    run -n 4 true 2>err
    same "$?$(cat err)" 0
}

early_end_leaves_others() {
    run -n 3 sh -c "$number"'[ $n = 0 ] || { sleep 0.5; echo late; }' >out 2>err
    same "$? $(wc -l <out)$(cat err)" "0 2"
}

children_are() { # PID COUNT: zombies, too
    [[ $(awk -v p="$1" '{ sub(/.*[)] /, ""); n += $2 == p } END { print n + 0 }' /proc/[0-9]*/stat 2>/dev/null) == "$2" ]]
}

no_zombie_of_an_early_end() {
    start -n 4 sh -c "$number"'[ $n = 0 ] && exec sleep 50; echo $n' >out &
    local pid=$!
    wait_for lines_in out 3 && wait_for children_are $pid 2 # process 0 and obrun's guard
    local result=$?
    kill $pid
    wait $pid
    return $result
}

# They are told, and live for 5 s more: 50 naps, or fewer on a loaded machine.
stubborn_processes_are_killed() {
    run -n 3 sh -c "$number"'if [ $n = 0 ]; then until [ -e up-1 ] && [ -e up-2 ]; do sleep 0.1; done; exit 5; fi
        trap ": >told-$n" TERM; : >up-$n; while :; do sleep 0.1; [ ! -e told-$n ] || echo >>up-$n; done' 2>err
    same $? 5 && [[ -e told-1 && -e told-2 && $(wc -l <up-1) -le 60 && $(wc -l <up-2) -le 60 ]]
}

stopped_process_ends_too() {
    run -n 2 sh -c "$number"'[ $n = 0 ] && { sleep 0.3; exit 6; }; kill -STOP $$' 2>/dev/null
    same $? 6
}

timeout_ends_all() {
    local begin=$EPOCHREALTIME
    run -n 2 --timeout 0.5 sleep 50 2>err
    same $? 124 && below "$(since "$begin")" $((3 * slow)) && one_line err &&
        matches "$(cat err)" '^obrun: the time limit of 0.5 s is over; ending 2 processes \[OB-2007\]$'
}

timeout_not_reached() {
    run -n 2 --timeout 20 true
    same $? 0
}

background_child_ends_with_job() {
    run -n 2 sh -c 'sleep 50 & (trap "" TERM; sleep 50) & echo done' >out
    same "$? $(wc -l <out)" "0 2"
}

late_output_of_a_descendant() {
    run -n 2 sh -c '(sleep 0.3; echo late) & exit 0' >out
    same "$? $(wc -l <out)" "0 2"
}

# ------------------------------------------------------------------- signals

forward_to_handlers() {
    local s
    for s in TERM INT HUP QUIT USR1 USR2; do
        : >out
        start -n 2 sh -c "trap 'echo got; exit 0' $s; echo ready; while :; do sleep 0.05; done" >out 2>err &
        local pid=$!
        wait_for lines_in out 2 && kill -$s $pid
        wait $pid
        same "$s $? $(grep -c got out) $(grep obrun: err)" "$s 0 2 " || return 1
    done
}

forward_default_action() {
    start -n 2 sh -c 'echo ready; exec sleep 50' >out 2>err &
    local pid=$!
    wait_for lines_in out 2 && kill -INT $pid
    wait $pid
    same "$? $(cat err)" "130 "
}

second_signal_kills() {
    local begin=$EPOCHREALTIME
    start -n 2 sh -c 'trap "" TERM INT; echo ready; while :; do sleep 0.1; done' >out 2>err &
    local pid=$!
    # Two that come before obrun gets a processor are one: so more come until it ends.
    wait_for lines_in out 2 && kill -INT $pid && sleep 0.3 && kill -0 $pid && while kill -INT $pid 2>/dev/null; do sleep 0.3; done
    wait $pid
    same $? 130 && below "$(since "$begin")" $((4 * slow))
}

sigterm_that_is_ignored_gets_harder() {
    start -n 2 sh -c 'trap "" TERM; echo ready; while :; do sleep 0.1; done' >out 2>err &
    local pid=$!
    wait_for lines_in out 2 && kill -TERM $pid
    wait $pid
    same $? 143 && grep -q "obrun: 2 processes are still there 5 s after SIGTERM; ending them" err
}

states_of() { # the states of the processes whose ids are in a file
    local pid
    while read -r pid; do awk '{ printf "%s", $3 }' "/proc/$pid/stat"; done <"$1"
}
states_are() { [[ $(states_of pids) == "$1" ]]; }

stopped_process_goes_on() {
    start -n 2 sh -c 'echo $$; until [ -e go ]; do sleep 0.05; done; echo $$' >out &
    local pid=$!
    wait_for lines_in out 2
    local one
    one=$(head -1 out)
    kill -STOP "$one"
    : >go
    wait_for lines_in out 3 || return 1
    sleep 0.3
    kill -0 $pid || return 1
    kill -CONT "$one"
    wait $pid
    same "$? $(wc -l <out)" "0 4"
}

terminal_stop_and_continue() {
    start -n 2 sh -c 'echo $$; until [ -e go ]; do sleep 0.05; done; echo done' >out &
    local pid=$!
    wait_for lines_in out 2
    head -2 out >pids
    echo $pid >>pids
    kill -TSTP $pid
    wait_for states_are TTT || return 1
    : >go
    sleep 0.3
    same "$(states_of pids) $(wc -l <out)" "TTT 2" || return 1
    kill -CONT $pid
    wait $pid
    same "$? $(wc -l <out)" "0 4"
}

# ------------------------------------------------------- obrun itself dies

# Wrappers, a group of its own, a session of its own, a deaf one: none of it
# may survive.
family='sleep 50 & set -m; sleep 51 & setsid sleep 52 & (trap "" TERM HUP; sleep 53) & echo up; wait'

sleepers() { [[ $(left "$1" | grep -c sleep) == "$2" ]]; }

kill_9_of_obrun() {
    start -n 3 sh -c "$family" >out 2>err &
    local pid=$!
    wait_for lines_in out 3 && wait_for sleepers "${FUNCNAME[0]}" 12 || return 1
    kill -9 $pid
    wait $pid
    nothing_left "${FUNCNAME[0]}"
}

kill_9_of_obruns_group() {
    setsid "$obrun" -n 2 sh -c "$family" >out 2>err &
    wait_for lines_in out 2
    local pid
    pid=$(left "${FUNCNAME[0]}" | awk '$3 == "obrun" { print $1 }')
    kill -9 -- "-$pid" && nothing_left "${FUNCNAME[0]}"
}

failure_with_a_family() {
    run -n 3 sh -c "$number"'[ $n = 2 ] && { sleep 0.5; exit 7; };'"$family" >out 2>err
    same $? 7 && nothing_left "${FUNCNAME[0]}"
}

no_shared_memory_left() {
    [[ -x $work/job ]] || return 77
    # MPI programs of others may come and go meanwhile; what other programs have there goes away again.
    names() { find /dev/shm -mindepth 1 2>/dev/null | grep -Ev "vader|mpi|psm|ucx" | sort; }
    # shellcheck disable=SC2317 # wait_for calls it
    nothing_new() { names | comm -13 before - >new && [[ ! -s new ]]; }
    names >before
    start -n 3 "$work/job" wait &
    local pid=$!
    wait_for eval '[[ $(left no_shared_memory_left | grep -c job) == 3 ]]'
    kill -9 $pid
    wait $pid
    nothing_left "${FUNCNAME[0]}" && { wait_for nothing_new || { cat new; false; }; }
}

obrun_inside_obrun() {
    run -n 2 "$obrun" -n 2 --tag sh -c 'echo in' >out
    same "$? $(sort out | tr '\n' ',')" "0 [0] in,[0] in,[1] in,[1] in,"
}

# -------------------------------------------------------- programs and options

not_found() {
    run -n 2 no-such-program-here 2>err
    same "$? $(cat err)" "127 obrun: no-such-program-here: not found in PATH [OB-2001]" || return 1
    run ./none 2>err
    same "$? $(cat err)" "127 obrun: ./none: not found [OB-2001]"
}

not_executable() {
    echo text >plain
    run ./plain 2>err
    same "$? $(cat err)" "126 obrun: ./plain: cannot be executed: Permission denied [OB-2002]" || return 1
    run "$PWD" 2>err
    same $? 126 && one_line err || return 1
    printf '#!/no/such/interpreter\n' >script
    chmod +x script
    run -n 2 ./script 2>err
    same $? 126 && one_line err && matches "$(cat err)" 'interpreter is missing'
}

script_without_interpreter_line() {
    printf 'echo "$0 $1 $2"\n' >script
    chmod +x script
    run -n 1 ./script 'a b' c >out
    same "$? $(cat out)" "0 ./script a b c"
}

path_is_searched() {
    mkdir bin other
    printf '#!/bin/sh\necho mine\n' >bin/my-tool
    echo text >other/my-tool
    chmod +x bin/my-tool
    PATH=$PWD/other:$PWD/bin:$PATH run -n 1 my-tool >out
    same "$? $(cat out)" "0 mine"
}

bad_options() {
    local words
    while read -r -a words; do
        run "${words[@]}" 2>err >out
        same "${words[*]} $?" "${words[*]} 125" && one_line err && matches "$(cat err)" '^obrun: .*; see obrun --help \[OB-9601\]$' ||
            return 1
    done <<'END'
-n 0 true
-n -3 true
-n 1x true
-n 99999999999 true
-n
--no-such true
-q true
--timeout 0 true
--timeout soon true
--bind socket true
-x OB_NOT_SET_ANYWHERE true
-x =3 true
-n 2
END
}

bad_settings() {
    OPENBLACS_HEAP=lots run -n 1 true 2>err
    same $? 125 && one_line err && matches "$(cat err)" "OPENBLACS_HEAP is 'lots'"
}

option_spellings() {
    local words
    while read -r -a words; do
        run "${words[@]}" >out
        same "${words[*]} $? $(wc -l <out)" "${words[*]} 0 2" || return 1
    done <<'END'
-n 2 echo a
-np 2 echo a
--np=2 echo a
-n2 echo a
--timeout=9 -n 2 -- echo a
-n 2 --bind=none --verbose echo a
END
    true
}

help_and_version() {
    run --help >out && grep -q '^usage: obrun' out && run --version >out &&
        matches "$(cat out)" '^obrun \(OpenBLACS\) [0-9]+\.[0-9]+\.[0-9]+$'
}

verbose_names_processes() {
    run -n 2 -v true 2>err
    same "$(grep -Ec '^obrun: process [01] is pid [0-9]+$' err)" 2 &&
        same "$(grep -Ec '^obrun: process [01] \(pid [0-9]+\) has ended: status 0$' err)" 2
}

default_number_of_processes() {
    run echo a >out
    same "$(wc -l <out)" "$(nproc)"
}

bind_to_cores() {
    run -n 5 --bind core grep Cpus_allowed_list /proc/self/status >out
    # Each has a single processor, and all are in use as far as 5 reach.
    local usable
    usable=$(nproc)
    same "$(grep -Ec '[[:space:]][0-9]+$' out)" 5 &&
        same "$(sort -u out | wc -l)" "$((usable < 5 ? usable : 5))"
}

sixty_four_processes() {
    run -n 64 --tag sh -c "$number"'echo $n' >out
    same "$? $(wc -l <out) $(sort -u out | wc -l) $(grep -Ec '^\[([0-9]+)\] \1$' out)" "0 64 64 64"
}

few_open_files_allowed() {
    (ulimit -Sn 64; run -n 80 sh -c 'ulimit -Sn' >out) || return 1
    same "$(wc -l <out) $(sort -u out)" "80 64" || return 1
    (ulimit -n 64; run -n 80 true 2>err)
    same $? 125 && one_line err && matches "$(cat err)" 'Too many open files'
}

# -------------------------------------------------------------- the library

# What the launcher may use is what all have together, even if that is one processor.
a_launcher_bound_to_one_processor() {
    [[ -x $work/job ]] || return 77
    local first
    first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
    OPENBLACS_VERBOSE=1 timeout -k 5 $((30 * slow)) taskset -c "$first" "$obrun" -n 2 "$work/job" gone >out 2>err
    same "$? $(grep -c 'started by obrun, 2 processes (more than processors)' err)" "0 1"
}

abort_through_the_library() {
    [[ -x $work/job ]] || return 77
    run -n 3 "$work/job" abort 7 2>err
    same "$? $(grep -c ^obrun: err)" "7 0" || return 1
    run -n 3 "$work/job" abort 0 2>err
    same "$? $(grep -c ^obrun: err)" "1 0" || return 1
    run -n 3 "$work/job" abort 256 2>err
    same "$? $(grep -c ^obrun: err)" "1 0"
}

waiting_for_an_ended_process() {
    [[ -x $work/job ]] || return 77
    run -n 3 "$work/job" gone >out
    same $? 0 && matches "$(cat out)" '^0: -4 '
}

launcher_as_a_library() {
    [[ -x $work/relaunch ]] || return 77
    timeout $((30 * slow)) "$work/relaunch"
}

startup_times() {
    local begin times=() p
    for p in 1 4 16; do
        times=()
        for _ in {1..21}; do
            begin=$EPOCHREALTIME
            "$obrun" -n $p "$work/nothing" || return 1
            times+=("$(since "$begin")")
        done
        echo "NOTE obrun -n $p of an empty program: median $(printf '%s\n' "${times[@]}" | sort -n | sed -n 11p) s"
    done
}

# -------------------------------------------------------------------- set-up

since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.4f", b - a }'; }
below() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }' || { echo "  took $1 s"; return 1; }; }

build() {
    local cc=${CC:-cc} lib="" dir include=$here/../../include
    "$cc" -O1 -o "$work/lines" "$here/lines.c" || exit 1
    echo 'int main(void) { return 0; }' >"$work/nothing.c"
    "$cc" -O1 -o "$work/nothing" "$work/nothing.c" || exit 1
    for dir in "$(dirname "$obrun")" "$(dirname "$obrun")"/../lib "$(dirname "$obrun")"/../lib/*-linux-gnu*; do
        [[ -e $dir/libopenblacs.so ]] && lib=$(realpath "$dir") && break
    done
    [[ -n $lib ]] || return 0
    for program in job relaunch; do
        # shellcheck disable=SC2086 # CFLAGS are words
        "$cc" ${CFLAGS:-} -std=gnu11 -I"$include" -o "$work/$program" "$here/$program.c" \
            -L"$lib" -lopenblacs -Wl,-rpath,"$lib" || exit 1
    done
}

build
# The cases are the functions of this file between its first and last heading.
cases=$(sed -n '/^# -* output$/,/^# -* set-up$/s/^\([a-z0-9_]*\)() {$/\1/p' "${BASH_SOURCE[0]}" |
    grep -vx 'check_lines\|children_are\|states_of')
for case in ${CASES:-$cases}; do
    run_case "$case"
done
rm -rf "$work"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 ]]
