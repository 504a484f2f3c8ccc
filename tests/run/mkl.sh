#!/bin/bash
# Intel's ScaLAPACK on OpenBLACS, where it is installed (Debian, section non-free: libmkl-scalapack-lp64,
# -core, -sequential, -intel-lp64, -avx2, -def, and libmkl-blacs-openmpi-lp64 and -intelmpi-lp64 for
# the functions by which it reaches an MPI); elsewhere a line says that it is not.
# Every driver of tests/mkl/drivers.c on 1, 2, 4 and 6 processes, with libopenblacs and with libopenblacs_factor
# in front of it, under Open MPI as a position-independent program and as none, under MPICH, and with no MPI under
# obrun.
#
#   tests/run/mkl.sh [N NB ROUNDS [DRIVER ...]]
#     with arguments: prints times, too, and those on MKL's own BLACS (order, block, rounds)
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libraries="-lmkl_scalapack_lp64 -lmkl_intel_lp64 -lmkl_sequential -lmkl_core"
library=$(ob_library)
if ! /sbin/ldconfig -p | grep -q libmkl_scalapack_lp64.so; then
    echo "skipped: no libmkl_scalapack_lp64.so here (Debian's package libmkl-scalapack-lp64, non-free)"
    echo "0 passed, 0 failed"
    exit 0
fi

# build OUT WRAPPER BLACS OPTION...
build() {
    local out=$1 wrapper=$2 blacs=$3
    shift 3
    # shellcheck disable=SC2086
    "$wrapper" -std=gnu11 -O2 "$@" -o "$work/$out" "$ob_root/tests/mkl/drivers.c" \
        -Wl,--no-as-needed $libraries "-l$blacs" -lm -ldl -lpthread
}

# one HOW PROGRAM PROCESSES PRELOAD ARGUMENTS...
one() {
    local how=$1 program=$2 processes=$3 preload=$4
    shift 4
    ob_launch "$how" "$processes" 300 ${preload:+"LD_PRELOAD=$preload"} -- "$work/$program" "$@" \
        >"$work/out" 2>&1 </dev/null
}

for way in openmpi:pie openmpi:no-pie mpich:pie obrun:pie; do
    how=${way%:*} program=$how-${way#*:}
    case $how in
    openmpi) build "$program" mpicc.openmpi mkl_blacs_openmpi_lp64 -fPIE "-${way#*:}" ;;
    *) build "$program" mpicc.mpich mkl_blacs_intelmpi_lp64 -fPIE "-${way#*:}" ;;
    esac || { ob_fail "$way: the drivers do not compile with MKL"; continue; }
    if [ $# -gt 0 ]; then
        one "$how" "$program" 4 "$library" "$@" && cp "$work/out" "$work/ours"
        [ "$how" = obrun ] || one "$how" "$program" 4 "" "$@"
        echo "$way: driver, error and microseconds on OpenBLACS; on MKL's BLACS"
        paste "$work/ours" "$work/out"
        continue
    fi
    # MKL calls its own routines by name, too, so those of libopenblacs_factor take their places within it.
    for preload in "$library" "${library%/*}/libopenblacs_factor.so:$library"; do
        for processes in 1 2 4 6; do
            if one "$how" "$program" $processes "$preload" 70 8 && grep -q "^all answers are right" "$work/out"; then
                ob_pass "$(grep -c '^p' "$work/out")"
            else
                ob_fail "$way, $processes processes, $preload" "$work/out"
            fi
        done
    done
done
[ $# -gt 0 ] || ob_tally
