#!/bin/bash
# Real launchers on two nodes (network, host name and process namespaces of this machine): Slurm's srun
# with PMI2 and PMIx, sbatch, and the mpiruns over ssh. Needs root and Debian's slurmctld, slurmd,
# slurm-client, munge and openssh-server. What is missing or does not come up is named, and fails.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
name=obl$$ dir=$(mktemp -d) log=$(mktemp) pids=
program=$OB_BUILD/tests/mpi/mpi_traffic grids=$OB_BUILD/tests/mpi/mpi_grid_comm
chmod 755 "$dir"

down() {
    local k pid
    for pid in $pids; do kill "$pid" 2>/dev/null; done
    [ ! -s "$dir/munge.pid" ] || kill "$(cat "$dir/munge.pid")"
    for k in 1 2; do
        for pid in $(ip netns pids $name-$k 2>/dev/null); do kill -9 "$pid" 2>/dev/null; done
        ip netns del $name-$k 2>/dev/null
    done
    wait 2>/dev/null
    rm -rf "$dir" "$log"
}
# The last line is the tally's, not the shell's word about those that down ends.
trap 'down 2>/dev/null' EXIT

give_up() { # WHY [LOG]
    ob_fail "$@"
    ob_tally
    exit
}

for k in slurmctld slurmd srun munged sshd ssh ssh-keygen ip nsenter unshare; do
    command -v $k >/dev/null ||
        give_up "there is no program $k; apt-get install slurmctld slurmd slurm-client munge openssh-server openssh-client iproute2"
done

# enter NODE COMMAND...: on the node, whose folders of Slurm are its own. (ip netns exec would hide
# /sys/fs/cgroup.)
cat >"$dir/enter" <<END
#!/bin/sh
k=\$1
shift
exec nsenter --net=/run/netns/$name-\$k unshare --uts --ipc --pid --fork --kill-child --mount --mount-proc \\
    sh -c 'k=\$1; shift; hostname $name-\$k && mount --bind $dir/tmp\$k $dir/tmp && exec "\$@"' sh \$k "\$@"
END
chmod +x "$dir/enter"
nodes() {
    local k
    mkdir -p "$dir/tmp" "$dir/state" || return 1
    for k in 1 2; do
        mkdir -p "$dir/tmp$k" "$dir/spool.$name-$k" && ip netns add $name-$k || return 1
    done
    ip link add eth0 netns $name-1 type veth peer name eth0 netns $name-2 || return 1
    for k in 1 2; do
        ip -n $name-$k link set lo up && ip -n $name-$k addr add 10.213.79.$k/24 dev eth0 &&
            ip -n $name-$k link set eth0 up || return 1
    done
    "$dir/enter" 2 true
}
nodes >"$log" 2>&1 || give_up "this user may not make nodes" "$log"

# comes COMMAND...: it succeeds at one of 60 looks, of a loaded machine more.
comes() {
    local looks=0
    until "$@"; do
        ob_slow
        looks=$((looks + 1))
        [ "$looks" -lt $((60 * OB_SLOW)) ] || return 1
        sleep 0.5
    done
}

# passes NAME COMMAND...: all received what they should, on two nodes.
passes() {
    local what=$1
    shift
    ob_slow
    OPENBLACS_VERBOSE=1 timeout -k 5 $((300 * OB_SLOW)) "$@" >"$log" 2>&1 </dev/null
    if grep -q '^passed$' "$log" && grep -q 'network between 2 nodes' "$log"; then
        ob_pass
        echo "$what: passed"
    else
        ob_fail "$what" "$log"
    fi
}

# -------------------------------------------------------------------- ssh
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
cp "$dir/key.pub" "$dir/authorized"
for k in 1 2; do
    printf '%s\n' "HostKey $dir/key" "AuthorizedKeysFile $dir/authorized" 'StrictModes no' \
        'PermitRootLogin yes' 'UsePAM no' "PidFile $dir/sshd.$k.pid" >"$dir/sshd.$k.conf"
    "$dir/enter" $k "$(command -v sshd)" -D -f "$dir/sshd.$k.conf" >"$dir/sshd.$k.log" 2>&1 &
    pids="$pids $!"
done
printf '%s\n' '#!/bin/sh' "exec ssh -q -i $dir/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \"\$@\"" \
    >"$dir/ssh"
chmod +x "$dir/ssh"
on_1="$dir/enter 1"
for k in 1 2; do
    comes $on_1 timeout $((10 * OB_SLOW)) "$dir/ssh" 10.213.79.$k true </dev/null >"$log" 2>&1 ||
        give_up "sshd of node $k does not answer" "$dir/sshd.$k.log"
done
for each in 1 2; do
    passes "mpirun of Open MPI over ssh, $each on each node" $on_1 mpirun.openmpi \
        --host "10.213.79.1:$each,10.213.79.2:$each" -n $((2 * each)) --mca plm_rsh_agent "$dir/ssh" \
        --mca btl tcp,vader,self --mca btl_tcp_if_include 10.213.79.0/24 \
        --mca oob_tcp_if_include 10.213.79.0/24 --mca mpi_yield_when_idle 1 --bind-to none \
        -x OPENBLACS_VERBOSE "${program}_openmpi"
    # Its UCX polls: more processes than processors do not come to an end in time.
    [ $((2 * each)) -le "$ob_cores" ] || continue
    passes "mpirun of MPICH over ssh, $each on each node" $on_1 mpirun.mpich \
        -hosts "10.213.79.1:$each,10.213.79.2:$each" -n $((2 * each)) -launcher ssh -launcher-exec "$dir/ssh" \
        -iface eth0 "${program}_mpich"
done

# ------------------------------------------------------------------ Slurm
dd if=/dev/urandom of="$dir/munge.key" bs=1024 count=1 2>/dev/null
chmod 600 "$dir/munge.key"
munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munge.log" --seed-file="$dir/munge.seed" || give_up "munged does not start" "$dir/munge.log"
cat >"$dir/slurm.conf" <<END
ClusterName=ob
SlurmctldHost=$name-1(10.213.79.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CredType=cred/munge
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmdSpoolDir=$dir/spool.%n
StateSaveLocation=$dir/state
SlurmctldLogFile=$dir/ctld.log
SlurmdLogFile=$dir/slurmd.%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
NodeName=$name-1 NodeAddr=10.213.79.1 CPUs=2 State=UNKNOWN
NodeName=$name-2 NodeAddr=10.213.79.2 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
END
printf '%s\n' CgroupAutomount=yes IgnoreSystemd=yes CgroupMountpoint=/sys/fs/cgroup >"$dir/cgroup.conf"
echo "PMIxCliTmpDirBase=$dir/tmp" >"$dir/mpi.conf"
export SLURM_CONF=$dir/slurm.conf
$on_1 slurmctld -D >"$dir/ctld.out" 2>&1 &
pids="$pids $!"
for k in 1 2; do
    "$dir/enter" $k slurmd -D >"$dir/slurmd.$k.out" 2>&1 &
    pids="$pids $!"
done
slurm_is_up() { [ "$($on_1 sinfo -h -o '%D %t' 2>"$dir/sinfo.out")" = '2 idle' ]; }
comes slurm_is_up || { cat "$dir"/*.out >"$log"; give_up "Slurm's nodes do not come up" "$log"; }
passes "srun with PMI2, MPICH" $on_1 srun --mpi=pmi2 -N 2 -n 4 "${program}_mpich"
export OMPI_MCA_btl=tcp,vader,self OMPI_MCA_btl_tcp_if_include=10.213.79.0/24 PMIX_MCA_gds=hash
passes "srun with PMIx, Open MPI" $on_1 srun --mpi=pmix -N 2 -n 4 "${program}_openmpi"
printf '%s\n' '#!/bin/sh' "srun --mpi=pmi2 ${program}_mpich" "srun --mpi=pmi2 ${grids}_mpich order" >"$dir/batch"
if $on_1 timeout $((120 * OB_SLOW)) sbatch --wait -N 2 -n 4 -o "$dir/batch.out" "$dir/batch" >"$log" 2>&1 &&
    [ "$(grep -c '^passed$' "$dir/batch.out")" = 2 ]; then
    ob_pass
    echo "sbatch: passed"
else
    cat "$dir/batch.out" >>"$log"
    ob_fail "sbatch" "$log"
fi
ob_tally
