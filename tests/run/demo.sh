#!/bin/bash
# The demo solves the matrix it ships with and others named to it, and says
# clearly what is wrong with a matrix that cannot be solved.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # NAME STATUS TEXT ARGUMENT...: exit status zero or not, and a text
    local name=$1 wanted=$2 text=$3 status
    shift 3
    timeout -k 5 300 "$ob_root/demo" "$@" >"$work/log" 2>&1 </dev/null
    status=$?
    [ $status = 0 ] || status=1
    if [ $status = "$wanted" ] && grep -qF -e "$text" "$work/log"; then
        ob_pass
    else
        ob_fail "$name" "$work/log"
    fi
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

expect "the matrix it ships with" 0 "PASSED (below 16)"
expect "started by obrun, no MPI" 0 "started by obrun, 4 processes"
expect "a table of who sent to whom" 0 "from    3"
for name in array coordinate symmetric skew; do
    expect "$name.mtx" 0 "PASSED (below 16)" "$work/$name.mtx"
done
expect singular.mtx 1 "the matrix is singular: pivot 2 is zero" "$work/singular.mtx"
expect oblong.mtx 1 "the matrix is 2 x 3; a system to solve must be square" "$work/oblong.mtx"
expect complex.mtx 1 "values are 'complex'; known are real and integer" "$work/complex.mtx"
expect short.mtx 1 "the file ends too early" "$work/short.mtx"
expect outside.mtx 1 "element (3, 1) lies outside the 2 x 2 matrix" "$work/outside.mtx"
expect "a file that is not there" 1 "cannot read" "$work/none.mtx"
OB_PROCESSES=6 expect "on 6 processes" 0 "2 x 3 grid"
ob_tally
