#!/bin/bash
# Builds and tests OpenBLACS on another Debian, in a folder that holds its root file system; it is made by debootstrap
# where it is not there. That system has its own C library, compilers and MPIs. Needs root, and minutes.
#
#   tests/systems/run.sh SUITE [COMPILER...]     trixie, bullseye, sid, ...; SYSTEMS_DIR=/var/tmp/openblacs-systems
#
# With its gcc: all of tests/run/build.sh, the unit tests, and the conformance programs alone, under obrun and under
# the MPIs of that system. With each COMPILER (a package, as gcc-9): tests/run/ways.sh.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
. "$(dirname "$0")/chroot.sh"
suite=${1:?usage: tests/systems/run.sh SUITE [COMPILER...]}
shift
system=${SYSTEMS_DIR:-/var/tmp/openblacs-systems}/$suite
packages="gcc g++ gfortran make cmake ninja-build pkg-config openmpi-bin libopenmpi-dev mpich libmpich-dev libopenblas-dev
    libcmocka-dev procps python3 util-linux iproute2 binutils $*"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

inside() { # COMMAND...: in that system, as its root
    ob_inside "$system" OB_SLOW="$OB_SLOW" \
        OB_BUILD=/openblacs/build-check CONFORMANCE_PROCESSES="1 3" CONFORMANCE_MPI=3 "$@"
}

prepare() {
    [ -e "$system/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$system" "$(ob_mirror)" || return
    # MPICH 3 asks for the address of this machine's name.
    echo "127.0.0.1 localhost $(hostname)" >"$system/etc/hosts"
    # shellcheck disable=SC2086 # a list
    inside apt-get -qq update && inside apt-get -qq -y --no-install-recommends install $packages
}

ran() { # NAME COMMAND...: adds up what a script of tests says in its last line
    local name=$1
    shift
    inside "$@" >"$log" 2>&1
    grep -A 12 -E '^FAIL' "$log"
    echo "$suite: $name: $(tail -n 1 "$log")"
    if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        ob_passed=$((ob_passed + BASH_REMATCH[1]))
        ob_failed=$((ob_failed + BASH_REMATCH[2]))
    else
        ob_fail "$suite: $name did not come to its end" "$log"
    fi
}

if ! prepare >"$log" 2>&1; then
    ob_fail "a system of $suite in $system" "$log"
    ob_tally
    exit 1
fi
mkdir -p "$system/openblacs"
(cd "$ob_root" && tar -c --exclude='./build*' --exclude=./.git .) | tar -x -C "$system/openblacs"
# shellcheck disable=SC2016
inside sh -c 'echo "$(. /etc/os-release; echo "$PRETTY_NAME"), $(ldd --version | head -n 1), $(gcc --version | head -n 1)"
    mpirun.openmpi --version | head -n 1; mpichversion | sed -n "s/^MPICH Version:[ \t]*/MPICH /p"' 2>/dev/null
ran "build" /openblacs/tests/run/build.sh
if [ $ob_failed = 0 ]; then
    ran "unit tests" /openblacs/tests/run/unit.sh
    ran "conformance" /openblacs/tests/run/conformance.sh
    [ ! -e "$(echo "$system"/usr/lib/*/libmpi_abi.so.1)" ] || ran "MPI 5's interface" /openblacs/tests/mpi/abi.sh
fi
for compiler; do
    ran "$compiler" /openblacs/tests/run/ways.sh "$compiler"
done
ob_tally
