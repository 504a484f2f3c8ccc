# shellcheck shell=bash
# Root file systems of Debian in folders, for tests (to be sourced by bash). Needs root.
# What is mounted for a command is so for its processes alone, and is gone with them.

# Where this machine gets its packages from.
ob_mirror() {
    sed -nE 's/^URIs: *(http[^ ]*debian)\/?$/\1/p; s/^deb (\[[^]]*\] )?(http[^ ]*debian)\/? .*/\2/p' \
        /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -n 1
}

# ob_mounted FOLDER COMMAND...: from here, with the folder's /proc, /sys, /dev and /dev/shm
ob_mounted() {
    # shellcheck disable=SC2016 # they are for the inner shell
    unshare --mount --pid --fork --kill-child sh -c '
        mount --make-rprivate / && mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" &&
        mount -t proc proc /proc && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec "$@"' "$@" </dev/null
}

# ob_inside FOLDER [NAME=VALUE...] COMMAND...: in that system, as its root
ob_inside() {
    local folder=$1
    shift
    ob_mounted "$folder" chroot "$folder" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        DEBIAN_FRONTEND=noninteractive "$@"
}
