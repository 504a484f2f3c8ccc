#!/bin/bash
# Wrong calls print one clear line and end the job: alone, under obrun, and under
# both MPI launchers.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
program=$OB_BUILD/tests/blacs_bad_input

# The script's own last line counts the wrong calls.
try() { # NAME PROCESSES LAUNCHER...
    local name=$1 processes=$2 line
    shift 2
    PROCESSES=$processes timeout -k 5 $((600 * OB_SLOW)) sh "$ob_root/tests/blacs/bad_input.sh" "$program" "$@" \
        >"$log" 2>&1 <> <(:) # as ob_launch
    line=$(tail -n 1 "$log")
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
        ob_pass "${BASH_REMATCH[1]}"
        [ "${BASH_REMATCH[2]}" = 0 ] || ob_fail "$name: ${BASH_REMATCH[2]} wrong calls" "$log"
    else
        ob_fail "$name: did not come to its end" "$log"
    fi
}
try alone 1
try obrun 2 "$(ob_obrun)" -n 2
try openmpi 2 mpirun.openmpi -n 2
try mpich 2 mpirun.mpich -n 2

# A setting that the way of starting cannot give.
setting() { # HOW LINE
    ob_launch "$1" 1 60 OPENBLACS_TRANSPORT=mpi -- "$program" none >"$log" 2>&1
    if [ $? != 0 ] && grep -qF "OpenBLACS: blacs_pinfo: $2" "$log"; then
        ob_pass
    else
        ob_fail "OPENBLACS_TRANSPORT=mpi, $1" "$log"
    fi
}
setting self "OPENBLACS_TRANSPORT is 'mpi', but this program has no MPI; use auto or shm"
setting obrun "OPENBLACS_TRANSPORT is 'mpi', but this process was started by obrun, which has no MPI; use auto or shm; process number 0"

# What needs an MPI, where there is none.
lacks() { # HOW CASE LINE
    ob_launch "$1" 1 60 -- "$program" "$2" >"$log" 2>&1
    if [ $? != 0 ] && grep -qF "OpenBLACS: $3" "$log"; then
        ob_pass
    else
        ob_fail "$2 without MPI, $1" "$log"
    fi
}
for how in self obrun; do
    lacks $how grid-comm "blacs2sys_handle: this program has no MPI, so a grid has no communicator; start it with the mpirun of an MPI library; process {0,0} (number 0) in context 2"
    lacks $how mkl-bcast "MKLMPI_Bcast: this routine of MKL sends MPI messages of its own, and this program has no MPI: start it with the mpirun of an MPI library; process number 0"
done

# Memory that the system refuses: its reason, at once, and not that the heap is full or receivers are slow.
for reason in "28:No space left on device" "12:Cannot allocate memory" "95:Operation not supported"; do
    ob_launch obrun 2 60 LD_PRELOAD="$OB_BUILD/tests/refuse.so" REFUSE="${reason%%:*}" OPENBLACS_HEAP_SECONDS=50 -- \
        "$OB_BUILD/tests/blacs_point" >"$log" 2>&1
    if grep -qE "process \{0,[01]\} \(number [01]\) cannot (keep|lend) [0-9]+ bytes .*: the system has no memory for them \(${reason#*:}\)" "$log" &&
        ! grep -q OPENBLACS_HEAP "$log"; then
        ob_pass
    else
        ob_fail "memory that the system refuses (${reason#*:})" "$log"
    fi
done

# A flood of messages ends while the machine still has memory: a line that says who does not receive.
meminfo=$(mktemp)
printf 'MemTotal: 1600000 kB\nMemAvailable: 101000 kB\n' >"$meminfo"
for how in obrun $ob_mpis; do
    for transport in auto mpi; do
        [ "$how $transport" != "obrun mpi" ] || continue
        ob_launch $how 2 60 LD_PRELOAD="$OB_BUILD/tests/refuse.so" MEMINFO="$meminfo" OPENBLACS_HEAP_SECONDS=0 \
            OPENBLACS_TRANSPORT=$transport -- "$OB_BUILD/tests/core_bad_flood" >"$log" 2>&1
        if [ $? != 0 ] && grep -qE "dgesd2d: process \{0,0\} \(number 0\) cannot keep [0-9]+ bytes more for process \{0,1\} \(number 1\): .*short of memory" "$log"; then
            ob_pass
        else
            ob_fail "a flood of messages, $how, $transport" "$log"
        fi
    done
done
rm -f "$meminfo"

# A program with other rights than its caller's (set-user-ID) takes nothing from the environment: it loads
# no module, writes no trace, keeps no statistics, and is in no job of obrun.
own=$(mktemp -d)
trap 'rm -rf "$log" "$own"' EXIT
chmod 777 "$own"
echo '#include <fcntl.h>
__attribute__((constructor)) static void run(void) { creat("'"$own"'/loaded", 0666); }' |
    cc -shared -fPIC -x c - -o "$own/mpi-mpich.so"
cp "$own/mpi-mpich.so" "$own/mpi-openmpi.so"
# The other user may not read the folder of the build, which may lie in a home.
mkdir "$own/lib"
cp "$OB_BUILD"/libopenblacs.so.0 "$OB_BUILD"/mpi-*.so "$own/lib/"
chmod -R go+rX "$own/lib"
cc -D_GNU_SOURCE -I "$ob_root/include" -I "$ob_root/src" -I "$ob_root/tests" "$ob_root/tests/trace/talk.c" -o "$own/other" \
    -L"$own/lib" -l:libopenblacs.so.0 -Wl,-rpath,"$own/lib" >"$log" 2>&1 || ob_fail "a program for another user" "$log"
root=
[ "$(id -u)" = 0 ] || root="sudo -n"
$root chown 65534 "$own/other"
$root chmod 4755 "$own/other"
for how in self obrun $ob_mpis; do
    ob_launch $how 2 60 OPENBLACS_MODULES="$own" OPENBLACS_TRACE="$own/trace" OPENBLACS_STATS=1 TMPDIR="$own" \
        -- "$own/other" plain >"$log" 2>&1
    if ls "$own"/*trace* "$own"/*stats* "$own"/*roll* "$own/loaded" >>"$log" 2>/dev/null || grep -q "statistics:" "$log" ||
        { [ $how = obrun ] && ! grep -q "with other rights than its caller's (set-user-ID) cannot be in a job of obrun" "$log"; }; then
        ob_fail "a set-user-ID program, $how" "$log"
    else
        ob_pass
    fi
    rm -f "$own"/*trace* "$own"/*stats* "$own"/*roll* "$own/loaded"
done

# Level 2 where processes do not see each other: a line, and the program runs.
hidden="OpenBLACS: warning: OPENBLACS_CHECK=2 finds no hangs here: processes cannot see each other in /proc"
if ! unshare -rm true 2>"$log"; then
    echo "left out: a program that hides /proc from itself ($(cat "$log"))"
    set --
else
    set -- shown hidden
fi
for proc; do
    # shellcheck disable=SC2016 # the inner shell expands it
    ob_launch obrun 2 60 OPENBLACS_CHECK=2 -- unshare -rm sh -c '[ "$0" = shown ] || mount -t tmpfs none /proc; exec "$1"' \
        $proc "$OB_BUILD/tests/core_conform" >"$log" 2>&1
    if grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log" && [ "$(grep -cF "$hidden" "$log")" = $([ $proc = shown ]; echo $?) ]; then
        ob_pass
    else
        ob_fail "level 2 with /proc $proc" "$log"
    fi
done

# Processes that would read the letters of topologies differently: a line and the end, for members that go
# different ways would wait for each other.
for how in obrun $ob_mpis; do
    program=$OB_BUILD/tests/blacs_broadcast
    ob_first $how 1 "env OPENBLACS_TOPOLOGY=named $program" "env OPENBLACS_TOPOLOGY=plan $program"
    timeout -k 5 $((60 * OB_SLOW)) "${ob_command[@]}" >"$log" 2>&1 <> <(:)
    if [ $? != 0 ] && [ "$(grep '^OpenBLACS: ' "$log" | sed 's/; process number.*//' | sort -u | wc -l)" = 1 ] &&
        grep -qE '^OpenBLACS: .*OPENBLACS_TOPOLOGY is (named|plan) at process [01].*; set it for all' "$log"; then
        ob_pass
    else
        ob_fail "OPENBLACS_TOPOLOGY=plan at one of two processes, $how" "$log"
    fi
    ob_first $how 1 "env OPENBLACS_LISTS=9 $program" "$program"
    timeout -k 5 $((60 * OB_SLOW)) "${ob_command[@]}" >"$log" 2>&1 <> <(:)
    if [ $? != 0 ] && grep -qE '^OpenBLACS: .*OPENBLACS_LISTS is (set|unset) at process [01].*; set it for all' "$log"; then
        ob_pass
    else
        ob_fail "OPENBLACS_LISTS=9 at one of two processes, $how" "$log"
    fi
    ob_first $how 3 "env OPENBLACS_TIERS=auto $program" "env OPENBLACS_TIERS=2 $program"
    timeout -k 5 $((60 * OB_SLOW)) "${ob_command[@]}" >"$log" 2>&1 <> <(:)
    if [ $? != 0 ] && grep -qE '^OpenBLACS: .*OPENBLACS_TIERS is (auto|2) at process [0-3].*; set it for all' "$log"; then
        ob_pass
    else
        ob_fail "OPENBLACS_TIERS=2 at three of four processes, $how" "$log"
    fi
done

# A name that is none of ours is no reason to end, and is said once a job, however it was started;
# those that the module files of clusters set are left alone.
unknown="OpenBLACS: warning: OPENBLACS_VERBOS is not a setting and is ignored; the nearest is OPENBLACS_VERBOSE [OB-9011]"
for how in self obrun $ob_mpis; do
    n=3
    [ $how = self ] && n=1
    ob_launch $how $n 60 OPENBLACS_VERBOS=1 OPENBLACS_ROOT=/opt OPENBLACS_DIR=/opt OPENBLACS_HOME=/opt \
        OPENBLACS_VERSION=0.1 -- "$OB_BUILD/tests/trace_talk" exit >"$log" 2>&1
    if [ $? = 0 ] && [ "$(grep OPENBLACS_ "$log")" = "$unknown" ]; then
        ob_pass
    else
        ob_fail "an unknown name, $how" "$log"
    fi
done
ob_tally
