#!/bin/bash
# Builds the Debian packages (packaging/debian) in a clean Debian, asks lintian, installs them in another clean one and
# runs their own tests there: systems solved under obrun and both MPIs, and Debian's ScaLAPACK programs put on OpenBLACS
# and back. Needs root, and minutes.
#
#   tests/packages/debian.sh [SUITE]      that of this machine; SYSTEMS_DIR=/var/tmp/openblacs-systems
#
# The clean system is made by debootstrap where it is not there; every run unpacks it anew.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
. "$ob_root/tests/systems/chroot.sh"
. "$ob_root/tests/packages/source.sh"
suite=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
systems=${SYSTEMS_DIR:-/var/tmp/openblacs-systems}
clean=$systems/$suite-clean.tar build=$systems/$suite-build root=$systems/$suite-packages
mkdir -p "$systems/archives"
log=$(mktemp)
trap 'rm -rf "$log" "$build" "$root"' EXIT

try() { # NAME COMMAND...: ends all where it fails
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        ob_pass
        echo "passed: $name"
    else
        ob_fail "$name" "$log"
        ob_tally
        exit 1
    fi
}

make_clean() {
    [ -e "$clean" ] && return
    rm -rf "$root" && debootstrap --variant=minbase "$suite" "$root" "$(ob_mirror)" && tar -cf "$clean.new" -C "$root" . &&
        mv "$clean.new" "$clean"
}

fresh() { # FOLDER: packages that were fetched before are not fetched again
    rm -rf "$1" && mkdir -p "$1" && tar -xf "$clean" -C "$1" && rm -f "$1/etc/apt/apt.conf.d/docker-clean" &&
        cp -l "$systems"/archives/*.deb "$1/var/cache/apt/archives/" 2>/dev/null
    ob_inside "$1" apt-get -qq update
}

install_in() { # FOLDER WHAT...: apt-get's words
    local folder=$1
    shift
    ob_inside "$folder" apt-get -q -y --no-install-recommends -o APT::Keep-Downloaded-Packages=1 "$@" &&
        cp -ln "$folder"/var/cache/apt/archives/*.deb "$systems/archives/"
}

build_packages() {
    local name
    mkdir "$build/source" && name=$(ob_debian_source "$build/source") && install_in "$build" install build-essential lintian &&
        install_in "$build" build-dep "/source/$name" &&
        ob_inside "$build" DEB_BUILD_OPTIONS="parallel=$ob_cores" \
            sh -c "cd '/source/$name' && dpkg-buildpackage --no-sign"
}

own_tests() {
    ob_mounted "$root" autopkgtest --no-built-binaries --timeout-factor "$OB_SLOW" --env OB_SLOW="$OB_SLOW" \
        "$build"/source/openblacs_*.changes -- chroot "$root"
}

try "a clean $suite" make_clean
try "another one to build in" fresh "$build"
try "dpkg-buildpackage" build_packages
try "lintian" ob_inside "$build" sh -c 'lintian --allow-root --display-info --fail-on error,warning,info /source/*.changes'
try "a clean one to install in" fresh "$root"
try "autopkgtest" own_tests
sed -nE '/^autopkgtest .*summary/,$p' "$log"
ob_tally
