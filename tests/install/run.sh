#!/bin/bash
# Installs into an empty prefix and uses the library as a stranger would: C, C++
# and Fortran clients, found through pkg-config and through find_package, run
# alone, under the installed obrun and under the MPI launchers at hand; then all
# of it again after the prefix has been moved.
#
#   tests/install/run.sh BUILD_DIR
set -u
build=$(cd "${1:?usage: tests/install/run.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH LD_PRELOAD OPENBLACS_MODULES
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
: "${OB_SLOW:=1}" # how many times longer limits last (./check)

passed=0 failed=0 skipped=0
report() # STATUS NAME [LOG]
{
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "PASS $2"
    else failed=$((failed + 1)); echo "FAIL $2"; [ -n "${3:-}" ] && tail -20 "$3" | sed 's/^/  /'; fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1"; }

says() # EXPECTED NAME COMMAND...: the command succeeds and prints just this line; its input is as ob_launch's
{
    local expected=$1 name=$2
    shift 2
    timeout $((60 * OB_SLOW)) "$@" > "$work/out" 2> "$work/err" <> <(:) && [ "$(cat "$work/out")" = "$expected" ]
    local status=$?
    cat "$work/out" "$work/err" > "$work/log"
    report $status "$name" "$work/log"
}

pc() { PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config "$@"; }

compile() # CLIENT PROGRAM: through pkg-config
{
    case $1 in
    c) "${CC:-cc}" $(pc --cflags openblacs) "$here/client.c" -o "$2" \
        $(pc --libs openblacs) "-Wl,-rpath,$libdir" ;;
    cxx) "${CXX:-c++}" $(pc --cflags openblacs) "$here/client.cpp" -o "$2" \
        $(pc --libs openblacs) "-Wl,-rpath,$libdir" ;;
    fortran) "${FC:-gfortran}" $(pc --cflags openblacs-fortran) "$here/client.f90" -o "$2" \
        $(pc --libs openblacs-fortran) "-Wl,-rpath,$libdir" ;;
    openblacs64) "${CC:-cc}" $(pc --cflags openblacs64) "$here/client_openblacs64.c" -o "$2" \
        $(pc --libs openblacs64) "-Wl,-rpath,$libdir" ;;
    openblacs64_static) "${CC:-cc}" $(pc --cflags openblacs64) "$here/client_openblacs64.c" -o "$2" \
        $(pc --static --libs openblacs64 |
            sed 's/-lopenblacs64/-l:libopenblacs64.a/; s/-lopenblacs\b/-l:libopenblacs.a/') ;;
    openblacs64_fortran) "${FC:-gfortran}" $(pc --cflags openblacs64-fortran) "$here/client.f90" -o "$2" \
        $(pc --libs openblacs64-fortran) "-Wl,-rpath,$libdir" ;;
    icc) "${CC:-cc}" $(pc --cflags icc) "$here/client_icc.c" -o "$2" \
        $(pc --libs icc) "-Wl,-rpath,$libdir" ;;
    icc_static) "${CC:-cc}" $(pc --cflags icc) "$here/client_icc.c" -o "$2" \
        $(pc --static --libs icc | sed 's/-licc/-l:libicc.a/; s/-lopenblacs/-l:libopenblacs.a/') ;;
    icc64) "${CC:-cc}" $(pc --cflags icc64) "$here/client_icc64.c" -o "$2" \
        $(pc --libs icc64) "-Wl,-rpath,$libdir" ;;
    icc64_static) "${CC:-cc}" $(pc --cflags icc64) "$here/client_icc64.c" -o "$2" \
        $(pc --static --libs icc64 |
            sed 's/-licc64/-l:libicc64.a/; s/-licc\b/-l:libicc.a/; s/-lopenblacs\b/-l:libopenblacs.a/g') ;;
    icc64_fortran) "${FC:-gfortran}" $(pc --cflags icc64-fortran) "$here/client_icc64.f90" -o "$2" \
        $(pc --libs icc64-fortran) "-Wl,-rpath,$libdir" ;;
    bsp) "${CC:-cc}" $(pc --cflags openblacs-bsp) "$here/client_bsp.c" -o "$2" \
        $(pc --libs openblacs-bsp) "-Wl,-rpath,$libdir" ;;
    blacs94) "${CC:-cc}" $(pc --cflags blacs94) "$here/client_blacs94.c" -o "$2" \
        $(pc --libs blacs94) "-Wl,-rpath,$libdir" ;;
    bsp_static) "${CC:-cc}" $(pc --cflags openblacs-bsp) "$here/client_bsp.c" -o "$2" \
        $(pc --static --libs openblacs-bsp |
            sed 's/-lopenblacs_bsp/-l:libopenblacs_bsp.a/; s/-lopenblacs\b/-l:libopenblacs.a/') ;;
    mlacs) "${CC:-cc}" $(pc --cflags mlacs) "$here/client_mlacs.c" -o "$2" \
        $(pc --libs mlacs) "-Wl,-rpath,$libdir" ;;
    mlacs_static) "${CC:-cc}" $(pc --cflags mlacs) "$here/client_mlacs.c" -o "$2" \
        $(pc --static --libs mlacs | sed 's/-lmlacs/-l:libmlacs.a/; s/-lopenblacs/-l:libopenblacs.a/') ;;
    picl) "${CC:-cc}" $(pc --cflags picl) "$here/client_picl.c" -o "$2" \
        $(pc --libs picl) "-Wl,-rpath,$libdir" ;;
    picl_static) "${CC:-cc}" $(pc --cflags picl) "$here/client_picl.c" -o "$2" \
        $(pc --static --libs picl | sed 's/-lpicl/-l:libpicl.a/; s/-lopenblacs/-l:libopenblacs.a/') ;;
    mlacs_fortran) "${FC:-gfortran}" $(pc --cflags mlacs-fortran) "$here/client_mlacs.f90" -o "$2" \
        $(pc --libs mlacs-fortran) "-Wl,-rpath,$libdir" ;;
    lu64_fortran) "${FC:-gfortran}" $(pc --cflags openblacs-lu64-fortran) "$here/client_lu64.f90" -o "$2" \
        $(pc --libs openblacs-lu64-fortran) "-Wl,-rpath,$libdir" ;;
    lu_fortran) "${FC:-gfortran}" $(pc --cflags openblacs-lu-fortran) "$here/client_lu.f90" -o "$2" \
        $(pc --libs openblacs-lu-fortran) "-Wl,-rpath,$libdir" ;;
    picl_fortran) "${FC:-gfortran}" $(pc --cflags picl-fortran) "$here/client_picl.f90" -o "$2" \
        $(pc --libs picl-fortran) "-Wl,-rpath,$libdir" ;;
    factor) "${CC:-cc}" $(pc --cflags openblacs-factor) "$here/client_factor.c" -o "$2" \
        $(pc --libs openblacs-factor) "-Wl,-rpath,$libdir" ;;
    factor_static) "${CC:-cc}" $(pc --cflags openblacs-factor) "$here/client_factor.c" -o "$2" \
        $(pc --static --libs openblacs-factor |
            sed -E 's/-l(openblacs(_factor|_lu|_bsp)?)( |$)/-l:lib\1.a /g') ;;
    redist) "${CC:-cc}" $(pc --cflags openblacs-redist) "$here/client_redist.c" -o "$2" \
        $(pc --libs openblacs-redist) "-Wl,-rpath,$libdir" ;;
    redist_static) "${CC:-cc}" $(pc --cflags openblacs-redist) "$here/client_redist.c" -o "$2" \
        $(pc --static --libs openblacs-redist |
            sed 's/-lopenblacs_redist/-l:libopenblacs_redist.a/; s/-lopenblacs\b/-l:libopenblacs.a/g') ;;
    redist64) "${CC:-cc}" $(pc --cflags openblacs-redist64) "$here/client_redist64.c" -o "$2" \
        $(pc --libs openblacs-redist64) "-Wl,-rpath,$libdir" ;;
    redist_fortran) "${FC:-gfortran}" $(pc --cflags openblacs-redist-fortran) "$here/client_redist.f90" -o "$2" \
        $(pc --libs openblacs-redist-fortran) "-Wl,-rpath,$libdir" ;;
    lu) "${CC:-cc}" $(pc --cflags openblacs-lu) "$here/client_lu.c" -o "$2" \
        $(pc --libs openblacs-lu) "-Wl,-rpath,$libdir" ;;
    lu64) "${CC:-cc}" $(pc --cflags openblacs-lu64) "$here/client_lu64.c" -o "$2" \
        $(pc --libs openblacs-lu64) "-Wl,-rpath,$libdir" ;;
    lu64_static) "${CC:-cc}" $(pc --cflags openblacs-lu64) "$here/client_lu64.c" -o "$2" \
        $(pc --static --libs openblacs-lu64 |
            sed -E 's/-l(openblacs(64|_lu64|_lu|_bsp)?)( |$)/-l:lib\1.a /g') ;;
    lu_static) "${CC:-cc}" $(pc --cflags openblacs-lu) "$here/client_lu.c" -o "$2" \
        $(pc --static --libs openblacs-lu |
            sed 's/-lopenblacs_lu/-l:libopenblacs_lu.a/; s/-lopenblacs_bsp/-l:libopenblacs_bsp.a/
                s/-lopenblacs\b/-l:libopenblacs.a/g') ;;
    static) "${CC:-cc}" $(pc --cflags openblacs) "$here/client.c" -o "$2" \
        $(pc --static --libs openblacs | sed 's/-lopenblacs/-l:libopenblacs.a/') ;;
    esac
}

# Through find_package, all of one language by one project, which is configured once: a client that is not built has no
# program.
configure() # NAME CLIENT...
{
    local tree=$work/found-$1
    shift
    rm -rf "$tree"
    cmake -G Ninja -S "$here" -B "$tree" "-DCLIENTS=$(IFS=';' && echo "$*")" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF && cmake --build "$tree" -- -k 0
}

# Shared clients need the library, static ones must not.
linked_as_meant() # CLIENT PROGRAM
{
    if [[ $1 = *static ]]; then ! ldd "$2" | grep -qE 'libopenblacs|libicc|libmlacs|libpicl'
    else ldd "$2" | grep -qF "$prefix/"; fi
}

try_client() # CLIENT FINDER WHERE
{
    local program=$work/client-$1-$2 name="$1 through $2, $3"
    rm -f "$program"
    if [ "$2" = pkg-config ]; then
        compile "$1" "$program" > "$work/log" 2>&1
    else
        cp "$work/found.log" "$work/log"
        cp "$work"/found-*/"$1"/client "$program" >> "$work/log" 2>&1
    fi && linked_as_meant "$1" "$program" >> "$work/log" 2>&1
    local status=$?
    report $status "build $name" "$work/log"
    [ $status = 0 ] || return
    says "right: 1 processes" "alone $name" "$program"
    says "right: 2 processes" "obrun $name" "$prefix/bin/obrun" -n 2 "$program"
}

# Once a client that knows nothing of MPI, which joins through the launcher, and
# once one that is linked with the MPI library: both need the module found.
try_mpi() # WHERE
{
    local mpi program
    for mpi in openmpi mpich; do
        if [ ! -e "$libdir/openblacs/mpi-$mpi.so" ] || ! command -v mpirun.$mpi > /dev/null; then
            skip "mpirun.$mpi, $1: no module or no launcher"
            continue
        fi
        says "right: 2 processes" "mpirun.$mpi of a client without MPI, $1" \
            mpirun.$mpi -n 2 "$work/client-c-pkg-config"
        program=$work/client-$mpi
        mpicc.$mpi $(pc --cflags openblacs) "$here/client.c" -o "$program" -Wl,--no-as-needed \
            $(pc --libs openblacs) "-Wl,-rpath,$libdir" > "$work/log" 2>&1
        report $? "build with mpicc.$mpi, $1" "$work/log"
        says "right: 2 processes" "mpirun.$mpi of a client with MPI, $1" mpirun.$mpi -n 2 "$program"
        try_preload $mpi "$1"
    done
}

# An MPI library for which there is no module: its user builds one.
try_build_module()
{
    local home=$work/home program=$work/client-mpich
    if ! command -v mpicc.mpich > /dev/null || ! mv "$libdir/openblacs/mpi-mpich.so" "$work/hidden"; then
        skip "obinfo --build-module: no MPICH"
        return
    fi
    HOME=$home timeout $((60 * OB_SLOW)) mpirun.mpich -n 2 "$program" > "$work/log" 2>&1 <> <(:) # as ob_launch
    grep -q 'is not in .*home/.local/lib/openblacs; install it, build it (obinfo --build-module MPICC)' "$work/log"
    report $? "without its module a program names the command" "$work/log"
    HOME=$home "$prefix/bin/obinfo" --build-module mpicc.mpich > "$work/log" 2>&1 &&
        [[ $(cat "$work/log") = "$home/.local/lib/openblacs/mpi-mpich.so is for MPICH Version: "* ]]
    report $? "obinfo --build-module mpicc.mpich" "$work/log"
    says "right: 2 processes" "a client with the module of its user" env HOME="$home" mpirun.mpich -n 2 "$program"
    chmod g+w "$home/.local/lib/openblacs/mpi-mpich.so"
    HOME=$home timeout $((60 * OB_SLOW)) mpirun.mpich -n 2 "$program" > "$work/log" 2>&1 <> <(:) # as ob_launch
    grep -q 'is not used: others may write to it' "$work/log"
    report $? "a module that others can write is refused" "$work/log"
    HOME=$home "$prefix/bin/obinfo" --build-module true > "$work/log" 2>&1
    [ $? = 1 ] && grep -q "^obinfo: --build-module: this is no MPI library's module" "$work/log" &&
        [ "$(ls "$home/.local/lib/openblacs")" = mpi-mpich.so ]
    report $? "a compiler that makes none is an error, and leaves nothing" "$work/log"
    mv "$work/hidden" "$libdir/openblacs/mpi-mpich.so"
}

# A plain MPI program with the replacement library, which says what it took.
try_preload() # MPI WHERE
{
    local library=$libdir/libicc-mpi-$1.so program=$work/plain-$1
    printf '%s\n' '#include <mpi.h>' 'int main(int c, char **v) { MPI_Init(&c, &v);' \
        'MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }' > "$work/plain.c"
    mpicc."$1" "$work/plain.c" -o "$program" > "$work/log" 2>&1 &&
        timeout $((60 * OB_SLOW)) mpirun."$1" -n 2 env LD_PRELOAD="$library" OPENBLACS_VERBOSE=1 "$program" \
            > "$work/log" 2>&1 <> <(:) && grep -qE '^OpenBLACS:   MPI_Barrier +2 +0$' "$work/log"
    report $? "libicc-mpi-$1.so before a program, $2" "$work/log"
}

try_all() # WHERE
{
    local client finder of_c="c static icc icc_static mlacs mlacs_static picl picl_static bsp bsp_static lu lu_static lu64 lu64_static factor factor_static redist redist_static redist64 blacs94 openblacs64 openblacs64_static icc64 icc64_static"
    local of_fortran="fortran openblacs64_fortran icc64_fortran mlacs_fortran picl_fortran lu_fortran lu64_fortran redist_fortran"
    libdir=$(dirname "$(find "$prefix" -name libopenblacs.so | head -1)")
    pc --exists "openblacs >= 0.2"; report $? "pkg-config knows the version, $1"
    if [ ! -e "$libdir/openblacs/fortran/blacs.mod" ]; then
        skip "clients in Fortran, $1: built without a Fortran compiler"
        of_fortran=
    fi
    # shellcheck disable=SC2086 # lists of words
    { configure c $of_c; configure cxx cxx; [ -z "$of_fortran" ] || configure fortran $of_fortran; } > "$work/found.log" 2>&1
    for finder in pkg-config find_package; do
        for client in $of_c cxx $of_fortran; do try_client $client $finder "$1"; done
    done
    try_mpi "$1"
    try_wrong_integers "$1"
}

# A program that is compiled for 64-bit integers is not linked with the library that has 32.
try_wrong_integers() # WHERE
{
    local name file
    for name in openblacs icc openblacs-lu openblacs-redist; do
        file=${name/openblacs-/}
        ! "${CC:-cc}" $(pc --cflags "${name}64") "$here/client_${file}64.c" -o "$work/wrong" $(pc --libs "$name") > "$work/log" 2>&1 &&
            grep -q "link_with_lib${name/-/_}64" "$work/log"
        report $? "integers of 64 bits and lib$name of 32 do not link, $1" "$work/log"
    done
}

try_files() # what else must be there
{
    local file
    for file in bin/obrun include/openblacs/blacs.h include/openblacs/core.h \
                share/man/man3/gesd2d.3 share/man/man3/dgesd2d.3 share/man/man3/Cblacs_gridinit.3 \
                share/man/man7/openblacs.7 share/man/man3/iCC_gdsum.3 \
                include/openblacs/icc.h \
                include/openblacs/picl.h share/man/man3/gsum0.3 \
                include/bsp.h include/bsp2d.h share/man/man3/bsp_put.3 \
                include/openblacs/mlacs.h share/man/man3/mlacs_irecv_trap.3 share/man/man7/libmlacs.7 share/doc/openblacs/LICENSE; do
        [ -s "$prefix/$file" ]; report $? "installed: $file"
    done
    # And the figures and pages that the installed pages name.
    (cd "$prefix/share/doc/openblacs" && find . -name '*.md' | while read -r page; do
        grep -oE '\]\([^)#: ]+[)# ]' "$page" | sed 's/^..//; s/.$//' | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done) > "$work/log"
    [ ! -s "$work/log" ] && [ -s "$prefix/share/doc/openblacs/docs/figures/performance.svg" ]
    report $? "what installed pages name is installed" "$work/log"
    ! grep -rlIF -e "$prefix" -e "$build" "$prefix" > "$work/log"
    report $? "no text file names the prefix or the build folder" "$work/log"
    [ "$(readlink "$libdir/libopenblacs.so")" = libopenblacs.so.0 ]
    report $? "libopenblacs.so leads to libopenblacs.so.0"
}

# Installed examples build where they are copied to, both ways, and run.
try_examples()
{
    local way program
    cp -r "$prefix/share/doc/openblacs/examples" "$work/examples"
    PKG_CONFIG_PATH=$libdir/pkgconfig make -C "$work/examples" all fortran > "$work/log" 2>&1
    report $? "the examples' Makefile" "$work/log"
    cmake -S "$work/examples" -B "$work/examples/build" -DCMAKE_PREFIX_PATH="$prefix" > "$work/log" 2>&1 &&
        cmake --build "$work/examples/build" --parallel 2 >> "$work/log" 2>&1
    report $? "the examples' CMakeLists.txt" "$work/log"
    for way in examples examples/build; do
        for program in core_heat core_gemm core_batch blacs_gemm ring ring_fortran inner_product lu_solve cholesky_solve least_squares; do
            timeout $((60 * OB_SLOW)) "$prefix/bin/obrun" -n 2 "$work/$way/$program" > "$work/log" 2>&1 < /dev/null
            report $? "$way/$program" "$work/log"
        done
    done
}

try_completions()
{
    "$here/completions.sh" "$prefix" > "$work/log" 2>&1
    [ ! -s "$work/log" ]; report $? "bash, fish and zsh complete the tools' words" "$work/log"
}

# As on clusters: by environment-modules, and by Lmod where that is installed in its place.
try_modules()
{
    local command
    for command in /usr/lib/modulecmd.tcl /usr/share/lmod/lmod/libexec/lmod; do
        [ -e "$command" ] || { skip "${command##*/} is not installed"; continue; }
        says "$prefix $prefix/bin/obrun $(sed -nE 's/^Version: //p' "$libdir/pkgconfig/openblacs.pc") $prefix/share/man/man3/gesd2d.3 and others" \
            "module load openblacs, with ${command##*/}" env -u MANPATH MODULEPATH="$prefix/share/modulefiles" bash -c '
                eval "$("$1" bash load openblacs)"
                echo "$OPENBLACS_ROOT $(command -v obrun) $(pkg-config --modversion openblacs) $(man -w gesd2d) $(man -w ls >/dev/null && echo "and others")"' - "$command"
    done
}

# Lmod conflicts with environment-modules, so it is seldom there: its file is Lua, and names folders that there are.
try_lua()
{
    local lua
    lua=$(command -v lua5.3 lua5.4 lua | head -n 1)
    [ -n "$lua" ] || { skip "the file for Lmod: no Lua"; return; }
    cat > "$work/lmod.lua" <<'END'
help, whatis, conflict = print, print, print
function myFileName() return arg[1] end
function setenv(name, value) print(name, value) end
prepend_path = setenv
dofile(arg[1])
END
    "$lua" "$work/lmod.lua" "$prefix"/share/modulefiles/openblacs/*.lua > "$work/log" 2>&1
    report $? "the file for Lmod is Lua" "$work/log"
    local all="CMAKE_PREFIX_PATH CPATH LD_LIBRARY_PATH LIBRARY_PATH MANPATH OPENBLACS_ROOT PATH PKG_CONFIG_PATH PYTHONPATH"
    MANPATH=/usr/share/man "$lua" "$work/lmod.lua" "$prefix"/share/modulefiles/openblacs/*.lua | grep $'^[A-Z_]*\t' > "$work/names"
    cut -f2 "$work/names" | while read -r folder; do [ -d "$folder" ] || echo "no folder $folder"; done > "$work/log"
    [ "$(cut -f1 "$work/names" | LC_ALL=C sort | xargs)" = "$all" ] && [ ! -s "$work/log" ] &&
        grep -qx $'PATH\t'"$prefix/bin" "$work/names" && grep -qx $'LD_LIBRARY_PATH\t'"$libdir" "$work/names"
    report $? "and names the folders of the prefix" "$work/names"
}

# The headers that are installed are those that users may build on, and each stands alone.
try_headers()
{
    local header
    { printf 'openblacs/%s.h\n' api blacs blacs94 blacs_extensions blacs_mkl bsp bsp2d bsp_level1 bsp_lu core factor icc integers \
          launch mlacs mlacs_mpi nx picl profile redist together trace
      printf '%s.h\n' bsp bsp2d bsp_level1 cube nx; } | sort > "$work/public"
    (cd "$prefix/include" && find . -type f | sed 's/^\.\///' | sort) | diff "$work/public" - > "$work/log"
    report $? "only public headers are installed" "$work/log"
    # mlacs_mpi.h needs an MPI.
    grep -v mlacs_mpi "$work/public" | while read -r header; do
        printf '#include <%s>\nextern int a_program_has_more_than_this;\n' "$header" > "$work/alone.c"
        "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror -I"$prefix/include" -fsyntax-only "$work/alone.c" &&
            "${CXX:-c++}" -Wall -Wextra -Werror -I"$prefix/include" -fsyntax-only -x c++ "$work/alone.c" ||
            echo "$header does not stand alone"
    done > "$work/log" 2>&1
    [ ! -s "$work/log" ]; report $? "each public header compiles alone, in C99 and C++" "$work/log"
}

# Another step of the check may install from this build folder at the same moment, and leave its list.
try_uninstall() # PREFIX [DESTDIR]
{
    local third=$1
    for _ in 1 2 3 4 5; do
        DESTDIR=${2-} cmake --install "$build" --prefix "$third" > "$work/log" 2>&1
        cp "$build/install_manifest.txt" "$work/make/"
        grep -q "^$third/" "$work/make/install_manifest.txt" && break
    done
    third=${2-}$third
    touch "$third/include/openblacs/mine.h"
    make -C "$work/make" uninstall DESTDIR="${2-}" > "$work/log" 2>&1
    report $? "make uninstall${2+ with DESTDIR}" "$work/log"
    find "$third" -type f -o -type l -o -path '*/openblacs' -empty > "$work/left"
    [ "$(cat "$work/left")" = "$third/include/openblacs/mine.h" ]
    report $? "uninstall leaves only what it did not install${2+, with DESTDIR}" "$work/left"
}

prefix=$work/first
if ! cmake --install "$build" --prefix "$prefix" > "$work/log" 2>&1; then
    report 1 "cmake --install" "$work/log"
    echo "0 passed, 1 failed"
    exit 1
fi
report 0 "cmake --install"
try_all "installed"
try_files
try_examples
try_completions
try_modules
try_lua
try_headers
cmake -G "Unix Makefiles" -S "$here/../.." -B "$work/make" -DOPENBLACS_MPI=OFF -DOPENBLACS_FORTRAN=OFF -DOPENBLACS_TESTS=OFF \
    -DOPENBLACS_BENCH=OFF -DOPENBLACS_EXAMPLES=OFF > "$work/log" 2>&1
report $? "a build folder of make" "$work/log"
try_uninstall "$work/third"
try_uninstall /opt/openblacs-of-a-test "$work/stage"
mkdir "$work/second" && mv "$prefix" "$work/second/moved"
prefix=$work/second/moved
try_all "moved"
try_build_module

if [ $skipped = 0 ]; then echo "$passed passed, $failed failed"
else echo "$passed passed, $failed failed, $skipped skipped"; fi
[ "$failed" = 0 ]
