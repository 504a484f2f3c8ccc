#!/bin/bash
# The demo solves the matrix it ships with and others named to it, and says
# clearly what is wrong with a matrix that cannot be solved.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # NAME STATUS TEXT COMMAND...: exit status zero or not, and a text
    local name=$1 wanted=$2 text=$3 status
    shift 3
    timeout -k 5 $((300 * OB_SLOW)) "$@" >"$work/log" 2>&1 </dev/null
    status=$?
    [ $status = 0 ] || status=1
    says "$name" "$text" $status "$wanted"
}
says() { # NAME TEXT [STATUS WANTED]: of the last command
    if [ "${3-}" = "${4-}" ] && grep -qF -e "$2" "$work/log"; then ob_pass; else ob_fail "$1" "$work/log"; fi
}
# Each call of the demo looks at packages and build again, so for most matrices its last command alone is run.
demo=$ob_root/demo
solve() { # NAME STATUS TEXT: with this matrix
    expect "$1" "$2" "$3" "$ob_root/build-demo/obrun" --timeout 600 -n 4 "$ob_root/build-demo/examples/solve" "$work/$1"
}

matrix() { # FILE HEADER LINE...
    local file=$1 header=$2
    shift 2
    printf '%%%%MatrixMarket matrix %s\n%% comment\n' "$header" >"$work/$file"
    printf '%s\n' "$@" >>"$work/$file"
}

matrix array.mtx "array real general" "3 3" 4 1 0.5 -1 5 2e0 0 1 3
matrix coordinate.mtx "coordinate integer general" "2 2 3" "1 1 2" "2 1 1" "2 2 -3"
matrix symmetric.mtx "array real symmetric" "2 2" 2 1 3
matrix skew.mtx "coordinate real skew-symmetric" "2 2 1" "2 1 5"
matrix singular.mtx "array real general" "2 2" 1 2 2 4
matrix oblong.mtx "array real general" "2 3" 1 2 3 4 5 6
matrix complex.mtx "array complex general" "1 1" "1 0"
matrix short.mtx "array real general" "2 2" 1 2 3
matrix outside.mtx "coordinate real general" "2 2 1" "3 1 1"

# Several numbers to a line, Fortran's exponents, comments and blank lines anywhere.
matrix words.mtx "array real general" "2 2" "1D0 -.5d+1" "% note" "" "  2.5E-1	3"
matrix triplets.mtx "coordinate real general" "2 2 3" "1 1 2 2 2" "-3" "2 1 1" "" "% end"
matrix junk.mtx "array real general" "2 2" 1 2 0.1x7 4
matrix hex.mtx "array real general" "2 2" 1 2 0x10 4
matrix nan.mtx "array real general" "2 2" 1 2 3 nan
matrix inf.mtx "array real general" "2 2" 1 -inf 3 4
matrix huge.mtx "array real general" "2 2" 1 2 3 1e999
matrix whole.mtx "array integer general" "2 2" 1 2 3 4.5
matrix exponent.mtx "array real general" "2 2" 1 2 3 4e
matrix index.mtx "coordinate real general" "2 2 2" "1 1.5 5" "2 2 1"
matrix behind.mtx "coordinate real general" "2 2 2" "1 1 5 junk" "2 2 1"
matrix more.mtx "coordinate real general" "2 2 1" "1 1 5" "2 2 1"
matrix longer.mtx "array real general" "2 2" "1 2 3 4 5"
matrix fewer.mtx "coordinate real general" "2 2 3" "1 1 5" "2 2 1"
matrix size.mtx "array real general" "2 2 4" 1 2 3 4
# Sound numbers whose solution is not: sums beyond the largest double, and pivots
# that grow too fast.
matrix overflow.mtx "array real general" "2 2" 1e308 1e308 1e308 -1e308
matrix growth.mtx "array real general" "100 100" "$(awk 'BEGIN {
    for (j = 1; j <= 100; j++)
        for (i = 1; i <= 100; i++)
            print(i == j ? 1 : j == 100 ? 0.7 + 0.01 * (i % 7) : i > j ? -0.99 : 0) }')"

expect "the matrix it ships with" 0 "PASSED (below 16)" "$demo"
says "started by obrun, no MPI" "started by obrun, 4 processes"
says "a table of who sent to whom" "from    3"
expect "a matrix of the user's" 0 "PASSED (below 16)" "$demo" "$work/array.mtx"
expect "a matrix that has no solution" 1 "the matrix is singular: pivot 2 is zero" "$demo" "$work/singular.mtx"
for name in array coordinate symmetric skew words triplets; do
    solve $name.mtx 0 "PASSED (below 16)"
done
solve singular.mtx 1 "the matrix is singular: pivot 2 is zero"
solve oblong.mtx 1 "the matrix is 2 x 3; a system to solve must be square"
solve complex.mtx 1 "values are 'complex'; known are real and integer"
solve short.mtx 1 "the file ends too early"
solve outside.mtx 1 "element (3, 1) lies outside the 2 x 2 matrix"
solve junk.mtx 1 "junk.mtx, line 6: expected a number, found '0.1x7'"
solve hex.mtx 1 "hex.mtx, line 6: expected a number, found '0x10'"
solve nan.mtx 1 "nan.mtx, line 7: expected a number, found 'nan'"
solve inf.mtx 1 "inf.mtx, line 5: expected a number, found '-inf'"
solve huge.mtx 1 "huge.mtx, line 7: 1e999 is too large"
solve whole.mtx 1 "whole.mtx, line 7: expected a whole number, found '4.5'"
solve exponent.mtx 1 "exponent.mtx, line 7: expected a number, found '4e'"
solve index.mtx 1 "index.mtx, line 4: expected a column number, found '1.5'"
solve behind.mtx 1 "behind.mtx, line 4: expected a row number, found 'junk'"
solve more.mtx 1 "more.mtx, line 5: '2' follows the last of the 1 entries"
solve longer.mtx 1 "longer.mtx, line 4: '5' follows the last of the 4 values"
solve fewer.mtx 1 "fewer.mtx, line 5: the file ends too early"
solve size.mtx 1 "size.mtx, line 3: expected the size: rows columns"
# The verdict must come before the job ends.
solve overflow.mtx 1 "FAILED (must be below 16, and all numbers finite)"
solve growth.mtx 1 "FAILED (must be below 16, and all numbers finite)"
expect "a file that is not there" 1 "cannot read" "$demo" "$work/none.mtx"
OB_PROCESSES=6 expect "on 6 processes" 0 "2 x 3 grid" "$demo"
expect "help" 0 "FILE.mtx is a matrix of your own" "$demo" --help

# What docs/threads.md says of ScaLAPACK and threads.
threads=$OB_BUILD/examples/scalapack_threads
if [ -x "$threads" ]; then
    for mode in turns rings; do
        OPENBLAS_NUM_THREADS=1 timeout $((60 * OB_SLOW)) "$OB_BUILD/obrun" -n 4 "$threads" $mode >"$work/log" 2>&1 &&
            [ "$(grep -c '^process [0-3]: right$' "$work/log")" = 4 ] && ob_pass || ob_fail "PDGEMM from threads: $mode" "$work/log"
    done
    "$OB_BUILD/obrun" -n 1 "$threads" state >"$work/log" 2>&1
    grep -q "grid 0 is set to 'D', and grid 1 has 'D'" "$work/log" && ob_pass ||
        ob_fail "a topology of ScaLAPACK is of the process" "$work/log"
else
    echo "SKIP ScaLAPACK and threads: no ScaLAPACK"
fi

# A build folder that names another place is emptied, but for its logs; one that
# does not is left alone, and so is another project's.
cache() { # PROJECT BUILT_IN BUILT_FROM [GENERATOR]
    rm -rf "$work/build"
    mkdir -p "$work/build/log" "$work/build/CMakeFiles"
    printf '%s\n' "CMAKE_PROJECT_NAME:STATIC=$1" "CMAKE_CACHEFILE_DIR:INTERNAL=$2" \
        "CMAKE_HOME_DIRECTORY:INTERNAL=$3" ${4:+"CMAKE_GENERATOR:INTERNAL=$4"} >"$work/build/CMakeCache.txt"
}
renewed() { # NAME WHAT_IS_LEFT [GENERATOR]
    ob_renew "$work/build" ${3:+"$3"}
    ls "$work/build" >"$work/log"
    if [ "$(paste -sd " " "$work/log")" = "$2" ]; then ob_pass; else ob_fail "$1" "$work/log"; fi
}
all="CMakeCache.txt CMakeFiles log"
cache openblacs "$work/build" "$ob_root"
renewed "a build folder in its place" "$all"
cache openblacs /elsewhere/build "$ob_root"
renewed "a build folder that was copied" "log"
cache openblacs "$work/build" /elsewhere
renewed "a build folder of another tree" "log"
cache openblacs "$work/build" "$ob_root" "Unix Makefiles"
renewed "a build folder of another generator" "log" Ninja
cache openblacs "$work/build" "$ob_root" Ninja
renewed "a build folder of the generator that is wanted" "$all" Ninja
cache other /elsewhere/build /elsewhere
renewed "a build folder of another project" "$all"
ob_tally
