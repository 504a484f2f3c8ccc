#!/bin/bash
# Wrong programs and legal ones at the debug levels (OPENBLACS_CHECK). Every wrong
# program of misuse.c must end by itself with the lines that `catalogue` has for it; legal
# programs drawn by lot (legal.c) must give no alarm.
#
#   tests/misuse/run.sh           the catalogue under obrun at level 3; a few seconds of lots
#   tests/misuse/run.sh lots      only the lots
#   tests/misuse/run.sh long      at levels 1 to 3 on every transport; ten minutes of lots.
#                                 Not with nice on a busy machine: mpirun then needs minutes
#   MISUSE_MPIS="openmpi mpich"   the MPIs that a few cases run under, too
#
# The catalogue has a line for each case and level: case, level, kind, text, between tabs.
#   all    each of these lines is printed
#   any    one of these lines is printed, by whoever comes first
#   shm    the same, under obrun; elsewhere it ends
#   one    the same, and it is the only line of the whole job: a mismatch is said once
#   ends   it ends: what it does wrong is not noticed, or not always; at level 1 run under obrun alone
#   waits  it would wait for ever; not run
# "for N s now" is left out of lines; where all goes through MPI also for whom processes wait.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
catalogue=$ob_root/tests/misuse/catalogue
limit=0.5
: "${MISUSE_MPIS=$ob_mpis}"

processes_of() { case $1 in *_3) echo 3 ;; *_4) echo 4 ;; *) echo 2 ;; esac }

# When all goes through MPI, collectives wait for other members than on one node.
alike() { # WAY
    case $1 in
    *:mpi) sed -E 's/^(OpenBLACS: hang: process .* waits in .*\)) for .*( \[OB-5101\])$/\1\2/; s/(in a circle):.*( \[OB-5101\])$/\1\2/' ;;
    *) cat ;;
    esac
}

# One case at one level in one way; called for several at a time.
one() { # WAY CASE LEVEL
    local way=$1 case=$2 level=$3 log kind wrong= settings status
    log=$(mktemp)
    settings=("OPENBLACS_CHECK=$level" "OPENBLACS_CHECK_SECONDS=$limit")
    case $way in *:mpi) settings+=(OPENBLACS_TRANSPORT=mpi) ;; esac
    ob_launch "${way%:*}" "$(processes_of "$case")" 60 "${settings[@]}" -- \
        "$OB_BUILD/tests/misuse/misuse" "$case" >"$log" 2>&1
    status=$?
    [ $status != 124 ] && [ $status != 137 ] || wrong="does not end"
    sed -E 's/, for [0-9.]* s now( \[OB-5101\])$/\1/' "$log" | alike "$way" >"$log.lines"
    kind=$(awk -F'\t' -v c="$case" -v l="$level" '$1 == c && $2 == l { print $3; exit }' "$catalogue")
    case $kind in
    shm) [ "$way" = obrun ] && kind=any || kind=ends ;;
    one)
        [ "$way" = obrun ] && kind=any || kind=ends
        [ $kind = ends ] || [ "$(grep -c '^OpenBLACS' "$log")" = 1 ] || wrong="is not one line" ;;
    esac
    local found=0 missing=0
    while IFS= read -r line; do
        if grep -qFx -- "$line" "$log.lines"; then found=$((found + 1)); else missing=$((missing + 1)); fi
    done < <(awk -F'\t' -v c="$case" -v l="$level" '$1 == c && $2 == l { print $4 }' "$catalogue" | alike "$way")
    case $kind in
    all) [ $missing = 0 ] && [ $status != 0 ] || wrong="${wrong:-lacks a line}" ;;
    any) [ $found -gt 0 ] && [ $status != 0 ] || wrong="${wrong:-has none of the lines}" ;;
    ends) ;;
    *) wrong="is not in the catalogue" ;;
    esac
    ! grep -qE 'Sanitizer|runtime error:' "$log" || wrong="has a sanitizer's report"
    if [ -z "$wrong" ]; then
        echo "pass"
    else
        echo "FAILED  $case at level $level, $way: $wrong (status $status)"
        tail -n 30 "$log" | sed 's/^/    | /'
    fi
    rm -f "$log" "$log.lines"
}

if [ "${1-}" = one ]; then
    one "$2" "$3" "$4"
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Most of the time goes in waiting: several at a time.
catalogue_on() { # WAY LEVELS [KIND]
    local case level kind
    cut -f 1-3 "$catalogue" | sort -u | while IFS=$'\t' read -r case level kind; do
        [[ " $2 " == *" $level "* ]] && [ "$kind" != waits ] || continue
        [ -z "${3-}" ] || [ "$kind" = "$3" ] || continue
        # By messages between two, what is not noticed at level 1 may wait for ever.
        [ "$1$level" = obrun1 ] || [ "$level" != 1 ] || [ "$kind" = all ] || [ "$kind" = any ] || continue
        echo "$1 $case $level"
    done | xargs -P 4 -L 1 "$0" one >"$work/results" 2>&1
    ob_pass "$(grep -c '^pass$' "$work/results")"
    ob_failed=$((ob_failed + $(grep -c '^FAILED' "$work/results")))
    grep -v '^pass$' "$work/results"
}

legal() { # WAY PROCESSES LEVEL ALARM LIMIT ARGUMENT...
    local settings=("OPENBLACS_CHECK=$3" "OPENBLACS_CHECK_SECONDS=$4")
    case $1 in *:mpi) settings+=(OPENBLACS_TRANSPORT=mpi) ;; esac
    ob_launch "${1%:*}" "$2" "$5" "${settings[@]}" -- "$OB_BUILD/tests/misuse/legal" "${@:6}" \
        >"$work/log" 2>&1
    if [ $? = 0 ] && grep -qE '^[1-9][0-9]* passed, 0 failed$' "$work/log" &&
        ! grep -q '^OpenBLACS' "$work/log"; then
        ob_pass
    else
        ob_fail "legal ${*:6} at level $3, $1, $2 processes" "$work/log"
    fi
}

lots() { # WAY PROCESSES LEVEL SEED SECONDS
    legal "$1" "$2" "$3" 20 $(($5 + 120)) "$4" "$5"
}

# At the level that everybody has, who waits for long where nobody can go on is told once a job, and
# the job goes on; who is only slow is not.
# Programs in supersteps end.
note() { # WAY CASE ROUTINE ROUTINE [ends]
    local child who="has waited for process" in="in ($3|$4), called from stall\\+0x[0-9a-f]+"
    local mark=" note:" end="OPENBLACS_CHECK=2 tells why, and ends the run"
    [ -z "${5-}" ] || mark="" end="the run ends"
    local line="OpenBLACS:$mark process ([01]) $who ([01]) for [0-9]+ s, $in; process \\2 $who \\1"
    line="$line for [0-9]+ s, $in; none of them computes or can go on; $end \\[OB-5104\\]"
    : >"$work/log" # or the line of the case before would be taken for this one's
    ob_launch "${1%:*}" 2 60 OPENBLACS_CHECK_SECONDS=$limit -- "$OB_BUILD/tests/misuse/stall" "$2" \
        >"$work/log" 2>&1 &
    child=$!
    until grep -q "^OpenBLACS: " "$work/log" || ! kill -0 $child 2>/dev/null; do sleep 0.1; done
    sleep 1
    pkill -TERM -P $child
    wait $child 2>/dev/null
    if [ "$(grep -c '^OpenBLACS' "$work/log")" = 1 ] && grep -qxE "$line" "$work/log"; then
        ob_pass
    else
        ob_fail "a hang that nobody looks for, $1, $2" "$work/log"
    fi
}

quiet() { # WAY CASE
    ob_launch "$1" 2 60 OPENBLACS_CHECK_SECONDS=$limit -- "$OB_BUILD/tests/misuse/stall" "$2" \
        >"$work/log" 2>&1
    if [ $? = 0 ] && [ "$(grep -o 'done' "$work/log" | wc -l)" = 2 ] && ! grep -q '^OpenBLACS' "$work/log"; then
        ob_pass
    else
        ob_fail "one who is only slow, $1, $2" "$work/log"
    fi
}

left() { # WAY
    ob_launch "$1" 2 60 OPENBLACS_CHECK=1 -- "$OB_BUILD/tests/misuse/stall" left_mlacs >"$work/log" 2>&1
    if [ "$(cat "$work/log")" = "OpenBLACS: warning: mlacs_exit: 1 message was never received; \
OPENBLACS_CHECK=3 says which; process number 1 [OB-5013]" ]; then
        ob_pass
    else
        ob_fail "a message of the MLACS that nobody received, $1" "$work/log"
    fi
}

slow_ones() {
    local way case
    for way in obrun $MISUSE_MPIS; do left $way; done
    for way in obrun $MISUSE_MPIS; do
        note $way hang_blacs Cdgerv2d Cdgerv2d
        for case in sleeps computes; do quiet $way still_$case; done
    done
    note obrun hang_blacs_and_barrier Cdgerv2d Cblacs_barrier
    note obrun hang_mlacs mlacs_recv mlacs_recv
    [ -z "$MISUSE_MPIS" ] || note "${MISUSE_MPIS%% *}" hang_mlacs mlacs_recv mlacs_recv
    note obrun hang_icc iCC_gsync Cdgerv2d
    note obrun hang_bsp "bsp_sync|a call of the library" Cdgerv2d ends
    for case in reads stopped a_thread; do quiet obrun still_$case; done
}

if [ "${1-}" = long ]; then
    for way in obrun ${ob_mpi_ways//:auto/}; do
        catalogue_on $way "1 2 3"
    done
    for way in obrun ${ob_mpi_ways//:auto/}; do
        legal $way 2 2 0.3 30 threads
    done
    for processes in 2 3 4 5 6 7 8 9; do
        lots obrun $processes $((2 + processes % 2)) $processes 45
        lots openmpi $processes 3 $((100 + processes)) 12
        lots mpich:mpi $processes 2 $((200 + processes)) 12
        lots openmpi:mpi $processes 3 $((300 + processes)) 12
    done
else
    [ "${1-}" = lots ] || {
        catalogue_on obrun 3
        catalogue_on obrun 1 one
        slow_ones
    }
    legal obrun 2 2 0.3 30 threads
    lots obrun 3 3 1 1
    lots obrun 4 2 2 1
fi
ob_tally
