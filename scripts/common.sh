# shellcheck shell=bash disable=SC2034 # who sources it uses its names
# Shell helpers for ./demo, ./check, bench and tests (to be sourced by bash).
# They know where a build keeps its things, start programs under each launcher
# alike, and count what passed and failed.

ob_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${OB_BUILD:=$ob_root/build-check}"
ob_lib_dir=/usr/lib/$(uname -m)-linux-gnu

# More processes than cores, perhaps as root in a container: Open MPI refuses
# both unless told. One BLAS thread per process, or the cores are fought over.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# Of a caller's Python: unbuffered, it writes a line and its end apart, and lines of several processes mix; optimized, no
# assertion of a test is looked at.
unset PYTHONUNBUFFERED PYTHONOPTIMIZE
# nproc takes OMP_NUM_THREADS for its answer.
ob_cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)

# The MPI libraries that tests run under. NAME stands for mpirun.NAME, mpicc.NAME and the module mpi-NAME.so.
# OB_MPIS=NAME ./check STEP runs under another one.
ob_mpis=${OB_MPIS:-openmpi mpich}
# Each with our shared memory within the node, and with every message through MPI.
ob_mpi_ways=$(for mpi in $ob_mpis; do echo "$mpi:auto $mpi:mpi"; done | xargs)

# The shared library and obrun of a build folder, wherever its CMake put them.
ob_library() {
    find "${1:-$OB_BUILD}" -maxdepth 2 -name libopenblacs.so -print -quit 2>/dev/null
}
ob_obrun() {
    local build=${1:-$OB_BUILD}
    # Where ours puts it: a search takes some 7 ms, and there are thousands of launches.
    if [ -f "$build/obrun" ] && [ -x "$build/obrun" ]; then
        echo "$build/obrun"
    else
        find "$build" -maxdepth 3 -name obrun -type f -perm -u+x -print -quit 2>/dev/null
    fi
}

# ob_renew FOLDER [GENERATOR]: a build folder that was copied or moved along with its tree
# still names the old place, and CMake refuses it, as one of another generator. It is
# emptied, but for log/.
ob_renew() {
    local cache=$1/CMakeCache.txt built from
    grep -qx 'CMAKE_PROJECT_NAME:STATIC=openblacs' "$cache" 2>/dev/null || return 0
    built=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache")
    from=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache")
    if [ ! "$built" -ef "$1" ] || [ ! "$from" -ef "$ob_root" ] ||
        { [ -n "${2-}" ] && ! grep -qx "CMAKE_GENERATOR:INTERNAL=$2" "$cache"; }; then
        find "$1" -mindepth 1 -maxdepth 1 ! -name log -exec rm -rf {} +
    fi
}

# How many times slower than an idle machine this one is (./check says so): time limits are as many times
# longer. What ./check has found since is in OB_SLOW_FILE; each launch looks there.
: "${OB_SLOW:=1}"
export OB_SLOW
ob_slow() {
    if [ -r "${OB_SLOW_FILE-}" ]; then read -r OB_SLOW <"$OB_SLOW_FILE"; fi
}

# In front of each program of a cross build, and of obrun, which starts them (tests/run/processors.sh).
: "${OB_EMULATOR:=}"

# ob_launch HOW PROCESSES SECONDS [NAME=VALUE ...] -- PROGRAM [ARGS]
# runs a program under one of $ob_mpis, obrun, or alone (HOW = self) with these
# variables set in its processes only, and ends it after SECONDS. Its input is the file
# ob_input, or nothing. With OB_THREADS=BUILD, a program that starts a thread is BUILD's, which is made for it.
# Nothing is a pipe that is empty and stays open: MPICH's mpirun sends the end of its input to a process that may
# have ended already, and dies of SIGPIPE without a word (9 of 960 runs of sh -c 'exit 2' with </dev/null). For that
# mpirun a file's text is in such a pipe, too. The pipe's writer becomes the shell's $!: who waits for another process
# keeps its number before.
ob_launch() {
    if [ -n "${OB_THREADS-}" ]; then
        if ob_one_thread "$@"; then return "$ob_status"; fi
        ob_with_threads "$@"
    elif [ -z "${ob_input-}" ]; then
        ob_launch_fed "$@" <> <(:)
    elif [ "$1" = mpich ]; then
        ob_launch_fed "$@" <> <(cat "$ob_input")
    else
        ob_launch_fed "$@" <"$ob_input"
    fi
}
ob_launch_fed() {
    local how=$1 processes=$2 seconds options=() settings=()
    ob_slow
    seconds=$(($3 * OB_SLOW))
    shift 3
    while [ "$1" != -- ]; do
        settings+=("$1")
        case $how in
        openmpi) options+=(-x "$1") ;;
        mpich) options+=(-genv "${1%%=*}" "${1#*=}") ;;
        esac
        shift
    done
    shift
    case $how in
    openmpi) timeout -k 5 "$seconds" mpirun.openmpi -n "$processes" "${options[@]}" "$@" ;;
    mpich) timeout -k 5 "$seconds" mpirun.mpich "${options[@]}" -n "$processes" "$@" ;;
    obrun) timeout -k 5 "$seconds" $OB_EMULATOR "$(ob_obrun)" -n "$processes" env "${settings[@]}" $OB_EMULATOR "$@" ;;
    self) timeout -k 5 "$seconds" env "${settings[@]}" $OB_EMULATOR "$@" ;;
    *)
        if ! command -v "mpirun.$how" >/dev/null; then
            echo "ob_launch: no launcher is called '$how'" >&2
            return 2
        fi
        timeout -k 5 "$seconds" "mpirun.$how" -n "$processes" env "${settings[@]}" "$@"
        ;;
    esac
}

# ob_one_thread, with ob_launch's words, runs the program so that each of its processes ends where it would start a
# thread. False, with nothing written, when one did; else the status of ob_launch is in ob_status.
ob_one_thread() {
    local work started=
    work=$(mktemp -d)
    OB_THREADS='' ob_launch "${@:1:3}" "LD_PRELOAD=$OB_BUILD/tests/one_thread.so" "ONE_THREAD=$work/started" "${@:4}" \
        >"$work/out" 2>"$work/err"
    ob_status=$?
    if [ -e "$work/started" ]; then
        started=yes
    else
        cat "$work/out"
        cat "$work/err" >&2
    fi
    rm -r "$work"
    [ -z "$started" ]
}

# ob_with_threads, with ob_launch's words, makes and runs the program of $OB_THREADS in place of $OB_BUILD's.
ob_with_threads() {
    local word before='' build=$OB_THREADS
    for word; do
        if [ "$before" = -- ]; then break; fi
        before=$word
    done
    nice cmake --build "$build" --parallel "$ob_cores" --target "${word#"$OB_BUILD"/}" </dev/null &&
        set -- "${@/#"$OB_BUILD"/$build}" && OB_BUILD=$build OB_THREADS='' ob_launch "$@"
}

# ob_first HOW OTHERS FIRST OTHER: leaves in ob_command a command that runs FIRST as process 0 and OTHER as
# the OTHERS processes behind it, each a program and its arguments. The mpirun of Debian 13's Open MPI ends
# with a segmentation fault at every ":": there a shell chooses, as under obrun.
ob_first() {
    local choice="in 0) exec $3 ;; *) exec $4 ;; esac"
    if [ "$1" = openmpi ] && [ -z "${ob_colon-}" ]; then
        if mpirun.openmpi -n 1 true : -n 1 true >/dev/null 2>&1 </dev/null; then ob_colon=yes; else ob_colon=no; fi
    fi
    # shellcheck disable=SC2206 # words
    case $1:${ob_colon-} in
    obrun:*) ob_command=("$(ob_obrun)" -n $(($2 + 1)) sh -c "case \${OPENBLACS_JOB#*:} $choice") ;;
    openmpi:no) ob_command=(mpirun.openmpi -n $(($2 + 1)) sh -c "case \$OMPI_COMM_WORLD_RANK $choice") ;;
    *) ob_command=("mpirun.$1" -n 1 $3 : -n "$2" $4) ;;
    esac
}

# Warnings as errors: the option for a C compiler. gcc before 11 warns of what is right, too.
ob_strict() {
    local version
    version=$("$1" -dumpversion)
    case $1 in
    *gcc*) [ "${version%%.*}" -lt 11 ] || echo "-Werror" ;;
    *) echo "-Werror" ;;
    esac
}

# Counting. A test script ends with ob_tally, whose line ./check adds up.
ob_passed=0
ob_failed=0
ob_pass() { ob_passed=$((ob_passed + ${1:-1})); }
# ob_fail NAME [LOG]: names the failure and shows the end of its output, and in front of it what OpenBLACS and the
# program said: launchers write more than that behind it.
ob_fail() {
    ob_failed=$((ob_failed + 1))
    echo "FAILED  $1"
    [ -n "${2-}" ] && [ -f "$2" ] || return 0
    # A sanitizer's report is there once, perhaps, and says nothing without its first lines.
    sed -n '/\(WARNING\|ERROR\): [A-Za-z]*Sanitizer/,/^SUMMARY: /p' "$2" | head -n 150 | sed 's/^/    | /'
    { head -n -12 "$2" | grep -aE '^OpenBLACS|FAILED|\[ +(ERROR|LINE) +\]|^[0-9]+ passed, |process rank|exited on' | head -n 12; tail -n 12 "$2"; } | sed 's/^/    | /'
}
ob_tally() {
    echo "$ob_passed passed, $ob_failed failed"
    [ "$ob_failed" = 0 ] && [ "$ob_passed" -gt 0 ]
}
