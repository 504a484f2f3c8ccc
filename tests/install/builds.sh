#!/bin/bash
# The builds that a user may ask for beside the usual one: OpenBLACS as a part of another project
# (add_subdirectory, FetchContent), presets, BUILD_SHARED_LIBS, OPENBLACS_MPI, cross builds, and folders
# given as absolute paths. What is installed by them is used by the clients beside this file.
#
#   tests/install/builds.sh
set -u
. "$(dirname "$0")/../../scripts/common.sh"
here=$ob_root/tests/install
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
tree=$work/tree
mkdir "$tree"
(cd "$ob_root" && tar -c --exclude='./build*' --exclude=./.git .) | tar -x -C "$tree"
export CMAKE_GENERATOR=Ninja

right() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$log" 2>&1 </dev/null; then ob_pass; else ob_fail "$name" "$log"; fi
}
refused() { # NAME WORDS COMMAND...: it fails and says this
    local name=$1 words=$2
    shift 2
    if "$@" >"$log" 2>&1 </dev/null || ! tr -s '\n ' ' ' <"$log" | grep -qF "$words"; then
        ob_fail "$name" "$log"
    else
        ob_pass
    fi
}
none() { # NAME PATTERN COMMAND...: it succeeds and no line of it has the pattern
    local name=$1 pattern=$2
    shift 2
    if "$@" >"$log" 2>&1 </dev/null && ! grep -E "$pattern" "$log" >&2; then ob_pass; else ob_fail "$name" "$log"; fi
}
# How fast it runs is not asked, and nobody debugs it.
quick=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_Fortran_FLAGS_DEBUG=-O0)
build() { cmake --build "$1" --parallel "$ob_cores" "${@:2}"; }
found() { # PREFIX CLIENT [OPTION]...: built by find_package, run alone; several clients of one language with ; between
    local client
    rm -rf "$work/found"
    cmake -S "$here" -B "$work/found" "-DCLIENTS=$2" -DCMAKE_PREFIX_PATH="$1" "${@:3}" && cmake --build "$work/found" || return
    for client in ${2//;/ }; do
        [ "$("$work/found/$client/client")" = "right: 1 processes" ] || { echo "$client is not right"; return 1; }
    done
}
linked() { # PKG-CONFIG FOLDER CLIENT PACKAGE: built by pkg-config, run alone
    # shellcheck disable=SC2046 # a list of options
    cc "$here/$2.c" -o "$work/$2" $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs "$3") "-Wl,-rpath,${1%/pkgconfig}" &&
        [ "$("$work/$2")" = "right: 1 processes" ]
}

# ------------------------------------------------- a part of another project
# Only libraries, static as that project wants them, all targets prefixed; they work.
for way in add_subdirectory FetchContent; do
    right "$way" cmake -S "$here/part" -B "$work/$way" -DWAY=$way -DTREE="$tree" -DBUILD_SHARED_LIBS=OFF \
        "${quick[@]}" -DOPENBLACS_MPI=OFF
    sed -n 's/^-- target //p' "$log" | sort >"$work/targets"
    if grep -qx openblacs "$work/targets" && grep -qx openblacs_icc "$work/targets" &&
        ! grep -qvE '^(client|openblacs(_[a-z0-9]+)*)$' "$work/targets" &&
        ! grep -qE '_(test|example|bench|obrun|obinfo|obbench|obtrace|untraced|mpi|fortran)(_|$)' "$work/targets"; then
        ob_pass
    else
        ob_fail "$way: the targets" "$work/targets"
    fi
done
right "a program on a part" build "$work/FetchContent"
if [ "$("$work/FetchContent/client")" = "right: 1 processes" ]; then ob_pass; else ob_fail "the program on a part runs"; fi
none "nothing shared in it" 'libopenblacs|libicc' ldd "$work/FetchContent/client"
right "the whole is installed" cmake --install "$work/FetchContent" --prefix "$work/whole"
none "OpenBLACS not with it" 'blacs|libicc|obrun' find "$work/whole"
# With all that is off, and still no name that another project would have.
right "a part with everything" cmake -S "$here/part" -B "$work/all" -DWAY=add_subdirectory -DTREE="$tree" \
    -DOPENBLACS_TESTS=ON -DOPENBLACS_BENCH=ON -DOPENBLACS_EXAMPLES=ON -DOPENBLACS_TOOLS=ON -DOPENBLACS_INSTALL=ON
sed -n 's/^-- target //p' "$log" >"$work/targets"
none "its targets are prefixed" '^' sh -c "! grep -vE '^(client|openblacs(_[A-Za-z0-9]+)*)\$' '$work/targets'"
if grep -qx openblacs_obrun "$work/targets" && grep -qx openblacs_test_core_conform "$work/targets"; then
    ob_pass
else
    ob_fail "a part with everything has obrun and the tests" "$work/targets"
fi

# ----------------------------------------------------------- static libraries
# The same build, installed from a prefix of its own.
static=$work/static
right "static libraries to install" cmake -S "$here/part" -B "$work/FetchContent" -DOPENBLACS_INSTALL=ON \
    -DOPENBLACS_TOOLS=ON -DCMAKE_INSTALL_LIBDIR=lib
right "static libraries and tools" build "$work/FetchContent"
right "static libraries are installed" cmake --install "$work/FetchContent" --prefix "$static"
none "no shared library, no module among them" '\.so' find "$static"
right "BUILD_SHARED_LIBS=OFF: clients by find_package" found "$static" "c;static;icc;icc_static;icc64;openblacs64;lu;bsp_static"
for client in client=openblacs client_icc=icc client_icc64=icc64 client_openblacs64=openblacs64 client_lu=openblacs-lu client_picl=picl; do
    right "BUILD_SHARED_LIBS=OFF: $client by pkg-config" linked "$static/lib/pkgconfig" ${client%=*} ${client#*=}
done
if [ "$("$static/bin/obrun" -n 2 "$work/client")" = "right: 2 processes" ]; then ob_pass; else ob_fail "static obrun"; fi
refused "a component that is not there" "has no openblacs::blacs94: it was built without it" \
    found "$static" c -DMORE=blacs94
refused "a component that is none" "has no openblacs::nonsense" found "$static" c -DMORE=nonsense

# -------------------------- a preset, shared libraries alone, absolute folders
far=$work/far
right "preset libraries" env -C "$tree" cmake --preset libraries "${quick[@]}" -DBUILD_SHARED_LIBS=ON \
    -DOPENBLACS_MPI=openmpi -DCMAKE_INSTALL_PREFIX="$work/near" -DCMAKE_INSTALL_LIBDIR="$far/lib64" \
    -DCMAKE_INSTALL_INCLUDEDIR="$far/include" -DOPENBLACS_PYTHON_DIR=OFF
right "build preset libraries" env -C "$tree" cmake --build --preset libraries --parallel "$ob_cores"
right "absolute folders are installed" cmake --install "$tree/build-libraries"
if [ -e "$far/lib64/libopenblacs.so.0" ] && [ -e "$far/lib64/openblacs/mpi-openmpi.so" ] &&
    [ -e "$far/include/openblacs/blacs.h" ] && [ ! -e "$work/near/lib" ] && [ ! -e "$work/near/include" ]; then
    ob_pass
else
    ob_fail "what is in absolute folders"
fi
none "BUILD_SHARED_LIBS=ON, OPENBLACS_MPI=openmpi: no archive, no MPICH" \
    'lib(openblacs|icc|picl|mlacs|nx|openblacs_bsp|openblacs_lu)\.a$|mpich' find "$far" "$work/near"
rm -rf "$tree/build-libraries" # nobody leans on it
for clients in "c;icc" fortran; do
    right "absolute folders: $clients by find_package" found "$far/lib64/cmake" "$clients"
done
right "absolute folders: by pkg-config" linked "$far/lib64/pkgconfig" client_mlacs mlacs
if [ "$("$work/near/bin/obrun" -n 2 "$work/client_mlacs")" = "right: 2 processes" ] &&
    "$work/near/bin/bspcc" "$here/client_bsp.c" -o "$work/by_bspcc" >"$log" 2>&1 &&
    [ "$("$work/near/bin/bsprun" -n 2 "$work/by_bspcc")" = "right: 2 processes" ]; then
    ob_pass
else
    ob_fail "absolute folders: obrun, bspcc, bsprun" "$log"
fi
right "absolute folders: obinfo --build-module" env HOME="$work/home" "$work/near/bin/obinfo" --build-module mpicc.openmpi
if timeout -k 5 $((60 * OB_SLOW)) mpirun.openmpi -n 2 "$work/near/bin/obbench" --help >"$log" 2>&1 &&
    [ "$(timeout -k 5 $((60 * OB_SLOW)) mpirun.openmpi -n 2 "$work/client_mlacs" 2>>"$log")" = "right: 2 processes" ]; then
    ob_pass
else
    ob_fail "absolute folders: the MPI module" "$log"
fi

# ----------------------------------------------------------------- OPENBLACS_MPI
right "preset no-mpi" env -C "$tree" cmake --preset no-mpi
none "OPENBLACS_MPI=OFF: nothing of an MPI" 'mpi_(openmpi|mpich)|-openmpi|-mpich' \
    sed '/scalapack/d; /OPENBLACS_EXAMPLE/d' "$tree/build-no-mpi/build.ninja"
mpi() { rm -rf "$work/mpi"; cmake -S "$tree" -B "$work/mpi" -DOPENBLACS_FORTRAN=OFF "$@"; }
refused "an MPI that is none" "it may be AUTO, ON, OFF, openmpi, mpich or 'openmpi;mpich'" mpi -DOPENBLACS_MPI=lam
refused "no MPI, and a wrapper" "contradict each other" mpi -DOPENBLACS_MPI=OFF -DOPENBLACS_MPICC=mpicc.mpich
refused "a wrapper that is not there" "OPENBLACS_MPICC=/nowhere/mpicc: there is no such command" mpi -DOPENBLACS_MPICC=/nowhere/mpicc
refused "a wrapper that is none" "OPENBLACS_MPICC=/bin/false: with -show it does not tell its options" \
    mpi -DOPENBLACS_MPICC=/bin/false
# Some wrappers know no other question, and answer with the compiler's path and with files.
printf '#!/bin/sh\n[ "$*" = -show ] && echo "/usr/bin/cc -Wall $(mpicc.mpich -show) /nowhere/flags $(gcc -print-file-name=libm.so)"\n' \
    >"$work/mpicc.other"
chmod +x "$work/mpicc.other"
right "a wrapper that knows -show alone" mpi -DOPENBLACS_MPI=mpich -DOPENBLACS_MPICC="$work/mpicc.other"
right "a module made with it" build "$work/mpi" --target openblacs_mpi_mpich
# The standard binary interface of MPI 5, known by its header.
mkdir "$work/standard"
echo '#define MPI_ABI_VERSION 1' >"$work/standard/mpi.h"
printf '#!/bin/sh\necho "cc -I%s"\n' "$work/standard" >"$work/mpicc.standard"
chmod +x "$work/mpicc.standard"
right "a wrapper of the standard interface" mpi -DOPENBLACS_MPICC="$work/mpicc.standard"
if grep -qF "MPI module: mpi-abi.so with $work/mpicc.standard" "$log"; then ob_pass; else ob_fail "mpi-abi.so" "$log"; fi
# A cross build, to this machine: its MPI is not looked for, its Fortran not taken, and one line says so.
cross() { mpi -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER=gcc "$@"; }
none "a cross build" 'mpi-(openmpi|mpich)\.so with|Fortran compiler identification' cross -DOPENBLACS_FORTRAN=ON
if [ "$(grep -c 'MPI module' "$log")" = 1 ] && grep -qx 'OPENBLACS_MPI:STRING=OFF' "$work/mpi/CMakeCache.txt" &&
    grep -qF "(OPENBLACS_MPI=OFF; a cross build takes only the MPI that OPENBLACS_MPICC=WRAPPER names)" "$log"; then
    ob_pass
else
    ob_fail "a cross build says that it has no MPI" "$log"
fi
none "a cross build, OPENBLACS_MPI=AUTO" 'mpi-(openmpi|mpich)\.so with' cross -DOPENBLACS_MPI=AUTO
refused "a cross build, OPENBLACS_MPI=ON" "there is no compiler wrapper of an MPI; name it with OPENBLACS_MPICC" \
    cross -DOPENBLACS_MPI=ON
refused "a cross build for an MPI" "there is no compiler wrapper of mpich; name it with OPENBLACS_MPICC" \
    cross -DOPENBLACS_MPI=mpich
refused "a system without a port" "there is no src/core/port_freebsd.c" mpi -DCMAKE_SYSTEM_NAME=FreeBSD -DCMAKE_C_COMPILER=gcc
for options in "" -DOPENBLACS_MPI=ON -DOPENBLACS_MPI=mpich; do
    # shellcheck disable=SC2086 # none or one
    right "a cross build with its wrapper $options" cross $options -DOPENBLACS_MPICC=mpicc.mpich
    if grep -qF "mpi-mpich.so with" "$log" && ! grep -qF "mpi-openmpi.so" "$log"; then
        ob_pass
    else
        ob_fail "a cross build with its wrapper alone $options" "$log"
    fi
done
right "OPENBLACS_MPI=ON" mpi -DOPENBLACS_MPI=ON

# -------------------------------------------------------------------- compilers
# One of two words (as "ccache gcc"), which needs an option; the second ILP64 set is made with it, too. One that
# cannot preprocess the headers is heard.
printf '#!/bin/sh\ncase " $* " in *" -DNEEDED "*) exec gcc "$@" ;; esac\nexit 1\n' >"$work/needing"
printf '#!/bin/sh\ncase "$*" in *prototypes.c*) echo "it is too late" >&2; exit 1 ;; esac\nexec gcc "$@"\n' >"$work/late"
chmod +x "$work/needing" "$work/late"
export CC="env $work/needing"
right "a compiler of two words and an option" mpi -DOPENBLACS_MPI=OFF -DCMAKE_C_FLAGS=-DNEEDED
export CC="$work/late"
refused "a compiler that fails is heard" "it is too late" mpi -DOPENBLACS_MPI=OFF
unset CC

# --------------------------------------------------------------------- presets
right "all presets are known" env -C "$tree" cmake --list-presets=all
for preset in release debug libraries static no-mpi address thread simulation; do
    if [ "$(grep -cF "\"$preset\"" "$log")" = 2 ]; then ob_pass; else ob_fail "preset $preset" "$log"; fi
done
ob_tally
