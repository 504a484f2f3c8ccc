#!/bin/bash
# Tests libopenblacs_lu (tests/lu): against LAPACK alone, under obrun and under both MPIs, with our
# shared memory and with every message through MPI, and against ScaLAPACK. One program
# started one way is one test.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
programs=$OB_BUILD/tests/lu
# all: every number of processes, for ./check --long
if [ "${1-}" = all ]; then LU_PROCESSES="1 2 3 4 5 6 7 8 9" LU_SCALAPACK="1 4 6"; fi
: "${LU_PROCESSES:=2 4 6}" "${LU_SCALAPACK:=4}"
: "${LU_WAYS:=self obrun openmpi mpich}"

try() { # NAME HOW PROCESSES [NAME=VALUE ...] -- PROGRAM
    local name="$1 ($2, $3 processes)"
    shift
    if ob_launch "$1" "$2" 120 "${@:3}" >"$log" 2>&1 && grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log"; then
        ob_pass
    else
        ob_fail "$name" "$log"
    fi
}
if [ ! -x "$programs/lu_lapack" ]; then
    ob_fail "libopenblacs_lu was not built: no BLAS"
    ob_tally
    exit 1
fi
if [ -x "$programs/lu_fortran" ]; then
    for how in $LU_WAYS; do
        try "from Fortran" "$how" "$([ "$how" = self ] && echo 1 || echo 4)" -- "$programs/lu_fortran"
    done
fi
# Of the example the line, since it counts nothing.
example=$OB_BUILD/examples/lu_solve
for n in 1 4; do
    if ob_launch obrun "$n" 60 -- "$example" 200 >"$log" 2>&1 &&
        grep -qE '^200 equations on [0-9]+ x [0-9]+ processes: error [0-9.]+e-(09|1[0-9]), [0-9.]+ ms$' "$log"; then
        ob_pass
    else
        ob_fail "lu_solve ($n processes)" "$log"
    fi
done
if [ -x "${example}_fortran" ]; then
    if ob_launch obrun 4 60 -- "${example}_fortran" >"$log" 2>&1 &&
        grep -qE '^500 equations on 2 x 2 processes: error +[0-9.]+E-(09|1[0-9])$' "$log"; then
        ob_pass
    else
        ob_fail "lu_solve_fortran" "$log"
    fi
fi
if ! ob_launch obrun 2 60 -- "$programs/lu_lapack" settings >"$log" 2>&1 &&
    grep -q '^OpenBLACS: bsp_pdgetrf: the processes have set different algorithmic blocks' "$log"; then
    ob_pass
else
    ob_fail "settings that differ" "$log"
fi
while IFS='|' read -r what line; do
    if ! ob_launch obrun 2 60 -- "$programs/lu_pieces" $what >"$log" 2>&1 && grep -qF "OpenBLACS: bsp_pd$line" "$log"; then
        ob_pass
    else
        ob_fail "the LU's pieces, misuse: $what" "$log"
    fi
done <<'END'
swap|swap: argument 1 is wrong (info -1); process number
increment|swap: argument 6 is wrong (info -6); process number
amax|amax: argument 5 is wrong (info -5); process number
differ|amax: argument 1 is not the same on all processes (info -1); process number
direction|laswp: argument 1 is wrong (info -1); process number
lines|laswp: argument 8 is wrong (info -8); process number
pivots|laswp: argument 10 names a line that the array does not have (info -10); process number
END
for how in $LU_WAYS; do
    try "the LU's pieces" "$how" "$([ "$how" = self ] && echo 1 || echo 4)" -- "$programs/lu_pieces"
done
try "the LU's pieces" obrun 6 -- "$programs/lu_pieces"
for how in $LU_WAYS; do
    case $how in
    self) try "LAPACK" self 1 -- "$programs/lu_lapack" ;;
    obrun) for n in $LU_PROCESSES; do try "LAPACK" obrun "$n" -- "$programs/lu_lapack"; done ;;
    *)
        try "LAPACK" "$how" 4 -- "$programs/lu_lapack"
        try "LAPACK, all through MPI" "$how" 3 OPENBLACS_TRANSPORT=mpi -- "$programs/lu_lapack"
        [ -x "$programs/lu_scalapack_$how" ] || continue
        for n in $LU_SCALAPACK; do try "ScaLAPACK" "$how" "$n" -- "$programs/lu_scalapack_$how"; done
        ;;
    esac
done
ob_tally
