#!/bin/bash
# Installs the Debian packages that a part of the project needs and that this
# machine lacks:  scripts/setup.sh demo|bench|check|compilers|processors
# Does nothing, and asks for no rights, when all of them are there.
set -u

demo_packages="gcc libc6-dev make cmake pkg-config openmpi-bin libopenmpi-dev
    libscalapack-openmpi-dev libopenblas-dev"
bench_packages="$demo_packages mpich libmpich-dev libscalapack-mpich-dev python3"
check_packages="$bench_packages ninja-build libsimgrid-dev g++ gfortran clang libcmocka-dev scalapack-mpi-test
    gnuplot-nox chromium chromium-driver libotf2-trace-dev otf2-tools mandoc man-db binutils procps util-linux iproute2
    libblas3 liblapack3 libclang-rt-dev clang-format clang-tidy shellcheck abigail-tools doxygen mkdocs mkdocs-material bash-completion
    python3-numpy python3-pytest python3-mpi4py python3-pip python3-ipykernel python3-jupyter-client mypy musl-tools lld llvm debootstrap dpkg-dev git
    debhelper autopkgtest guile-3.0 nix-bin python3-yaml black flake8 isort fish zsh
    environment-modules lua5.3"
# For ./check processors alone.
processors_packages="qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
    gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"

case ${1-} in
demo) wanted=$demo_packages ;;
bench) wanted=$bench_packages ;;
check) wanted=$check_packages ;;
compilers) wanted="gcc-11 clang-13 clang-15 clang-16" ;; # for ./check --long
processors) wanted=$processors_packages ;;
*) echo "usage: scripts/setup.sh demo|bench|check|compilers|processors" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this is not a Debian machine (no apt-get); please install the" \
         "equivalents of:" $wanted >&2
    exit 0
fi

installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p')
missing=
for package in $wanted; do
    [[ $'\n'$installed$'\n' == *$'\n'$package$'\n'* ]] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "setup: packages are missing and neither root nor password-less sudo" \
             "is at hand; as root run: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo -n"
fi

# APT waits for a lock that an unattended upgrade holds instead of failing.
apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
     -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "setup: installing$missing"
if ! $apt update >"$log" 2>&1 </dev/null ||
   ! $apt install -y --no-install-recommends $missing >>"$log" 2>&1 </dev/null; then
    tail -20 "$log" >&2
    echo "setup: apt-get failed; the lines above are its last words" >&2
    exit 1
fi
