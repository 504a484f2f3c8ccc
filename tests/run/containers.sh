#!/bin/bash
# In real control groups, and in a container: name spaces of its own for processes, control groups, files and memory
# between processes, its group mounted over /sys/fs/cgroup as the tools for containers do, and 64 MiB in /dev/shm. The
# number of processors is what the group gives; the line about unread messages comes before the group's memory is out. Needs
# root, and groups that may be made; what cannot be made is named and left out.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
name=openblacs-$$ groups=()

# A launcher may come back before its last process has left the group.
remove_groups() {
    local group tries
    for group in "${groups[@]}"; do
        for ((tries = 100 * OB_SLOW; tries; tries--)); do
            rmdir "$group" 2>/dev/null && break
            sleep 0.1
        done
        [ $tries != 0 ] || rmdir "$group"
    done
    rm -f "$log"
}
trap remove_groups EXIT

# group CONTROLLER FILE=VALUE... for version 1, -- FILE=VALUE... for version 2: leaves the group's folder in `group`.
group() {
    local controller=$1 base=/sys/fs/cgroup/$1 setting version=1
    shift
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        base=/sys/fs/cgroup version=2
        echo "+$controller" >$base/cgroup.subtree_control || return 1
    fi
    group=$base/$name-$controller
    mkdir "$group" || return 1
    groups+=("$group")
    for setting; do
        if [ "$setting" = -- ]; then
            [ $version = 2 ] || break
            version=0
        elif [ $version -lt 2 ]; then
            echo "${setting#*=}" >"$group/${setting%%=*}" || return 1
        fi
    done
}

# As these tests are, in the group.
plainly() {
    (echo "$BASHPID" >"$group/cgroup.procs" && "$@")
}

# The mounts of a container: what lies above its group cannot be seen.
# shellcheck disable=SC2016 # the container's shell expands
contained() {
    (echo "$BASHPID" >"$group/cgroup.procs" &&
        exec unshare --cgroup --pid --fork --kill-child --mount --mount-proc --ipc sh -c '
            mount --bind "$1" "$2" && mount -t tmpfs -o size=64m none /dev/shm && shift 2 && exec "$@"' sh \
            "$group" "/sys/fs/cgroup/${controller_mount}" env OB_INSIDE=1 bash "$0" "$@")
}

# Where a container's own group is mounted.
mount_of() { # CONTROLLER
    controller_mount=$1
    [ ! -e /sys/fs/cgroup/cgroup.controllers ] || controller_mount=
}

# In a container this script does what it is told.
if [ -n "${OB_INSIDE-}" ]; then
    "$@"
    exit
fi

try_processors() { # WHERE
    local how said
    for how in obrun $ob_mpis; do
        # Who is bound to one processor under an MPI learns where the others are when they meet, after this line.
        said='started by .*, 2 processes (more than processors)'
        [ $how = obrun ] || [ $controller = cpu ] || said='started by .*, 2 processes'
        if $1 ob_launch $how 2 100 OPENBLACS_VERBOSE=1 -- "$OB_BUILD/tests/core_conform" >"$log" 2>&1 && grep -q "$said" "$log"; then
            ob_pass
        else
            ob_fail "a processor's time for two processes, $1, $how, $controller" "$log"
        fi
    done
}

# Memory between processes that the group still has: what a job kept goes only when its last process has ended, a
# moment after its launcher.
kept() {
    sed -nE 's/^(total_)?shmem ([0-9]+)$/\2/p' "$group/memory.stat" | tail -n 1 | grep . || echo 0
}

try_memory() { # WHERE
    local how transport tries
    for how in obrun $ob_mpis; do
        for transport in auto mpi; do
            [ "$how $transport" != "obrun mpi" ] || continue
            for ((tries = 100 * OB_SLOW; tries && $(kept); tries--)); do
                sleep 0.1
            done
            [ $tries != 0 ] || ob_fail "$(kept) bytes are left in the group before $1, $how, $transport"
            $1 ob_launch $how 2 100 OPENBLACS_HEAP_SECONDS=0 OPENBLACS_TRANSPORT=$transport -- "$OB_BUILD/tests/core_bad_flood" >"$log" 2>&1
            if [ $? != 0 ] && grep -q "dgesd2d: process {0,0} (number 0) cannot keep .*short of memory" "$log"; then
                ob_pass
            else
                ob_fail "a flood of messages in a group of 512 MiB, $1, $how, $transport" "$log"
            fi
        done
    done
}

if [ "$ob_cores" -lt 2 ]; then
    echo "left out: one processor cannot be told from one that a group allows"
elif ob_launch obrun 2 100 OPENBLACS_VERBOSE=1 -- "$OB_BUILD/tests/core_conform" 2>&1 | grep -q 'more than processors'; then
    ob_fail "two processes on $ob_cores processors are said to be too many, before any group is made"
fi
for controller in cpu cpuset memory; do
    case $controller in
    cpu) set -- cpu.cfs_period_us=100000 cpu.cfs_quota_us=100000 -- "cpu.max=100000 100000" ;;
    cpuset) set -- cpuset.cpus=0 cpuset.mems=0 -- cpuset.cpus=0 ;;
    memory) set -- memory.limit_in_bytes=512M -- memory.max=512M ;;
    esac
    if ! group $controller "$@" 2>"$log"; then
        echo "left out: groups of $controller cannot be made here ($(tail -n 1 "$log"))"
        continue
    fi
    mount_of $controller
    for where in plainly contained; do
        if [ $where = contained ] && ! unshare --cgroup --pid --fork --kill-child --mount --mount-proc --ipc true 2>"$log"; then
            echo "left out: a container cannot be made here ($(tail -n 1 "$log"))"
        elif ! $where true >"$log" 2>&1 && [ $where = plainly ]; then
            echo "left out: this process may not enter a group ($(tail -n 1 "$log"))"
        elif [ $controller = memory ]; then
            try_memory $where
        elif [ "$ob_cores" -gt 1 ]; then
            try_processors $where
        fi
    done
done
# Where nothing could be made, that was said.
[ $((ob_passed + ob_failed)) -gt 0 ] || ob_pass
ob_tally
