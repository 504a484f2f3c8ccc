#!/bin/bash
# Runs Debian's BLACS testers xCbtest and xFbtest (package scalapack-mpi-test)
# with libopenblacs in front, under mpirun.openmpi and mpirun.mpich, on 1 to 9
# processes, with the input sets in blacs/. The tester's PASSED and FAILED are
# counted here, and every run must pass as many tests as the netlib BLACS did on
# the same input (blacs/netlib-counts).
#
#   tests/debian/blacs.sh [MPI ...]           both MPIs unless named; each with half of
#                                             the numbers of processes, each of these with
#                                             one tester of the two in turn
#   tests/debian/blacs.sh --all [MPI ...]     each with all of them and both testers
#   BLACS_TESTERS="xCbtest xFbtest"           each number with these
#   BLACS_LIBRARY=FILE                        with another BLACS in front
#   BLACS_FOLDER=FOLDER                       with the testers in FOLDER/MPI-tests
#   tests/debian/blacs.sh --record [MPI ...]  runs the netlib BLACS and prints
#                                             lines for netlib-counts
set -u
. "$(dirname "$0")/../../scripts/common.sh"
inputs=$ob_root/tests/debian/blacs
testers=${BLACS_FOLDER:-$ob_lib_dir/scalapack}
: "${BLACS_SETS:=topologies shapes auxiliary}"

record=
limit=120
case ${1-} in --record | --all)
    BLACS_PROCESSES="1 2 3 4 5 6 7 8 9" BLACS_TESTERS=${BLACS_TESTERS:-xCbtest xFbtest}
    # Eight processes on two processors that others use, too, take minutes.
    if [ "$1" = --all ]; then limit=600; else record=1 limit=3000; fi
    shift ;;
esac
mpis=${*:-$ob_mpis}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The grids tried with so many processes: both directions, a square one where
# there is one, and one that leaves processes out.
grids() {
    case $1 in
    1) echo "1 1" ;;
    2) echo "2 1,1 2" ;;
    3) echo "3 1,1 3,1 2" ;;
    4) echo "2 2,1 4,3 1" ;;
    5) echo "5 1,1 5,2 2" ;;
    6) echo "2 3,3 2,1 5" ;;
    7) echo "1 7,7 1,3 2" ;;
    8) echo "2 4,8 1,1 6" ;;
    9) echo "3 3,1 9,4 2" ;;
    esac
}

# Three lines of a tester's input: how many grids, their rows, their columns.
grid_lines() {
    grids "$1" | tr ',' '\n' | awk '{ p = p " " $1; q = q " " $2 }
        END { print NR "   Number of grids"; print p "   NPROW"; print q "   NPCOL" }'
}

# write_input SET PROCESSES: the four files the tester reads, in the work folder
write_input() {
    local file
    grid_lines "$2" >"$work/grids"
    cp "$inputs/$1.bt" "$work/bt.dat"
    for file in sdrv bsbr comb; do
        rm -f "$work/$file.dat"
        [ -f "$inputs/$1.$file" ] || continue
        sed -e "/@GRIDS@/{r $work/grids" -e 'd}' "$inputs/$1.$file" >"$work/$file.dat"
    done
}

# count OUTPUT: "passed failed". A summary line counts its tests; of the support
# routines each line is one. The tester skips the repeatable sum when sums were
# equal without asking for it, which depends on timing: that is a pass.
count() {
    awk '/TESTS: PASSED ALL/ { sub(/.*PASSED ALL */, ""); p += $1 + 0; next }
         /TESTS:.*PASSED,/ {
             sub(/.*TESTS; */, ""); p += $1 + 0
             sub(/.*SKIPPED, */, ""); f += $1 + 0; next }
         /^ *PASSED  |^ *SKIPPED REPEATABLE/ { p++ }
         /^ *FAILED  |MISMATCH|INPUT ERROR|Grid creation error/ { f++ }
         END { print p + 0, f + 0 }' "$1"
}

# A run is whole when the tester reached its end: its last line, or, of the
# support routines, the message before it aborts itself.
whole() {
    grep -qE 'THERE WERE NO FAILURES|processes survive the call' "$1"
}

expected() { # SET PROCESSES TESTER
    awk -v s="$1" -v n="$2" -v t="$3" \
        '$1 == s && $2 == n && $3 == t { print $4; exit }' "$inputs/netlib-counts"
}

# run_one MPI SET PROCESSES TESTER: leaves output in $work/out, sets passed, failed
run_one() {
    local preload=()
    write_input "$2" "$3"
    [ -n "$record" ] || preload=("LD_PRELOAD=$library")
    (cd "$work" && ob_launch "$1" "$3" "$limit" "${preload[@]}" -- \
        "$testers/$1-tests/$4") >"$work/out" 2>"$work/err"
    read -r passed failed < <(count "$work/out")
}

# The support routines are tested in seconds of busy waiting: 2, 4 and 9 will do.
wanted() { # SET PROCESSES
    [ "$1" != auxiliary ] || [[ $2 == [249] ]]
}

# check_one MPI SET PROCESSES TESTER
check_one() {
    local name="$4 under $1, set $2, $3 processes" should
    should=$(expected "$2" "$3" "$4")
    run_one "$@"
    cat "$work/err" >>"$work/out"
    ob_pass "$passed"
    if [ "$failed" != 0 ]; then
        ob_failed=$((ob_failed + failed - 1))
        ob_fail "$name: $failed tests failed" "$work/out"
    elif ! whole "$work/out"; then
        ob_fail "$name: did not come to its end" "$work/out"
    elif [ -z "$should" ] || [ "$passed" -lt "$should" ]; then
        ob_fail "$name: $passed passed, ${should:-unknown} on the netlib BLACS" "$work/out"
    fi
}

# Between them the MPIs cover all numbers.
processes_of() { # MPI
    case $1 in openmpi) echo 2 4 6 8 ;; *) echo 1 3 5 7 9 ;; esac
}

# Each tester has small and large numbers in each set under each MPI: the next set begins with the other one.
each_run() { # COMMAND: for every MPI, set, number of processes and tester
    local mpi set processes tester in_turn=(xCbtest xFbtest) first=0 place
    for mpi in $mpis; do
        for set in $BLACS_SETS; do
            place=$((first++))
            for processes in ${BLACS_PROCESSES:-$(processes_of "$mpi")}; do
                wanted "$set" "$processes" || continue
                for tester in ${BLACS_TESTERS:-${in_turn[place++ % 2]}}; do
                    "$1" "$mpi" "$set" "$processes" "$tester"
                done
            done
        done
    done
}

record_one() {
    run_one "$@"
    whole "$work/out" || failed="$failed, unfinished"
    echo "$2 $3 $4 $passed   # $1, $failed failed"
}

for mpi in $mpis; do
    if [ ! -x "$testers/$mpi-tests/xCbtest" ]; then
        echo "blacs.sh: Debian's BLACS tester for $mpi is missing (package scalapack-mpi-test)"
        echo "0 passed, 1 failed"
        exit 1
    fi
done
if [ -n "$record" ]; then
    each_run record_one
    exit
fi
library=${BLACS_LIBRARY:-$(ob_library)}
[ -n "$library" ] || { echo "no libopenblacs.so under $OB_BUILD"; echo "0 passed, 1 failed"; exit 1; }
each_run check_one
ob_tally
