# shellcheck shell=bash disable=SC2154 # names of common.sh
# Two nodes on one machine, to be sourced after common.sh: two network namespaces joined by a
# pair of virtual links, each with a host name, processes and one processor of its own, so that
# neither Open MPI nor OpenBLACS finds memory that they have in common. Needs root.

ob_nodes_dir=
ob_nodes_name=ob$$

# Makes them. When that is not possible says why, and is false.
ob_nodes_up() {
    local why k old
    for k in ip unshare taskset mpirun.openmpi; do
        command -v "$k" >/dev/null || { echo "no two nodes: there is no program $k"; return 1; }
    done
    for old in $(ip netns list 2>/dev/null | sed -n 's/^\(ob[0-9]*\)-[12].*/\1/p'); do
        kill -0 "${old#ob}" 2>/dev/null || ip netns del "$old-1" 2>/dev/null || ip netns del "$old-2"
    done
    ob_nodes_dir=$(mktemp -d)
    if ! why=$(ob_nodes_make 2>&1); then
        echo "no two nodes: this user may not make network namespaces (${why//$'\n'/; })"
        ob_nodes_down
        return 1
    fi
}

ob_nodes_make() {
    local k
    for k in 1 2; do
        ip netns add "$ob_nodes_name-$k" || return 1
    done
    ip link add eth0 netns "$ob_nodes_name-1" type veth peer name eth0 netns "$ob_nodes_name-2" || return 1
    for k in 1 2; do
        ip -n "$ob_nodes_name-$k" link set lo up &&
            ip -n "$ob_nodes_name-$k" addr add "10.213.77.$k/24" dev eth0 &&
            ip -n "$ob_nodes_name-$k" link set eth0 up || return 1
    done
    # What Open MPI calls in place of ssh: enter ADDRESS COMMAND... Node k has processor k - 1.
    cat >"$ob_nodes_dir/enter" <<END
#!/bin/sh
node=\${1##*.}
shift
exec ip netns exec $ob_nodes_name-\$node unshare --uts --ipc --pid --fork --kill-child --mount-proc \\
    sh -c "hostname $ob_nodes_name-\$node; exec taskset -c \$(((node - 1) % $ob_cores)) sh -c '\$*'"
END
    chmod +x "$ob_nodes_dir/enter"
    "$ob_nodes_dir/enter" 10.213.77.2 true
}

ob_nodes_down() {
    ip netns del "$ob_nodes_name-1" 2>/dev/null
    ip netns del "$ob_nodes_name-2" 2>/dev/null
    [ -z "$ob_nodes_dir" ] || rm -rf "$ob_nodes_dir"
}

# ob_nodes_run PER_NODE SECONDS [OPTIONS OF MPIRUN] PROGRAM [ARGS]: so many processes on each, for so many seconds of
# an idle machine. Open MPI waits as it does where processes outnumber processors.
ob_nodes_run() {
    local each=$1 seconds=$(($2 * OB_SLOW))
    shift 2
    timeout -k 5 "$seconds" ip netns exec "$ob_nodes_name-1" \
        unshare --uts --ipc --pid --fork --kill-child --mount-proc \
        sh -c "hostname $ob_nodes_name-1; exec taskset -c 0 \"\$@\"" sh \
        mpirun.openmpi --host "10.213.77.1:$each,10.213.77.2:$each" -n $((2 * each)) \
        --mca plm_rsh_agent "$ob_nodes_dir/enter" --mca btl tcp,vader,self \
        --mca btl_tcp_if_include 10.213.77.0/24 --mca oob_tcp_if_include 10.213.77.0/24 \
        --mca mpi_yield_when_idle 1 --bind-to none "$@" </dev/null
}
