#!/bin/bash
# Tests libopenblacs_lu (tests/lu): against LAPACK alone, under obrun and under both MPIs, with our
# shared memory and with every message through MPI, and against ScaLAPACK; and libopenblacs_factor,
# which has its names. One program started one way is one test.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log" "$log.trace"' EXIT
programs=$OB_BUILD/tests/lu
plain=$ob_lib_dir/lapack/liblapack.so.3:$ob_lib_dir/blas/libblas.so.3
# all: every number of processes, and both transports of each MPI, for ./check --long
all=${1-} turn=0
if [ "$all" = all ]; then LU_PROCESSES="1 2 3 4 5 6 7 8 9" LU_SCALAPACK="1 4 6" LU_PLAIN="obrun $ob_mpis"; fi
: "${LU_PROCESSES:=2 4 6}" "${LU_SCALAPACK:=4}"
: "${LU_WAYS:=self obrun $ob_mpis}" "${LU_PLAIN=obrun}"

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
for program in lu_fortran lu_fortran64; do
    [ -x "$programs/$program" ] || continue
    for how in $LU_WAYS; do
        try "from Fortran, $program" "$how" "$([ "$how" = self ] && echo 1 || echo 4)" -- "$programs/$program"
    done
done
# Of the examples the line, since they count nothing.
example=$OB_BUILD/examples/lu_solve
for program in "$example" "$OB_BUILD/examples/cholesky_solve"; do
    for n in 1 4; do
        if ob_launch obrun "$n" 60 -- "$program" 200 >"$log" 2>&1 &&
            grep -qE '^200 equations on [0-9]+ x [0-9]+ processes: error [0-9.]+e([+]00|-09|-1[0-9]), [0-9.]+ ms$' "$log"; then
            ob_pass
        else
            ob_fail "$(basename "$program") ($n processes)" "$log"
        fi
    done
done
# The best polynomial of degree 7 for e^x misses it by 2e-7 at most.
for n in 1 4; do
    if ob_launch obrun "$n" 60 -- "$OB_BUILD/examples/least_squares" 500 8 >"$log" 2>&1 &&
        grep -qE '^500 equations in 8 unknowns on [0-9] x [0-9] processes: error 1[.]2e-07, [0-9.]+ ms$' "$log"; then
        ob_pass
    else
        ob_fail "least_squares ($n processes)" "$log"
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
for setting in settings measure; do
    if ! ob_launch obrun 2 60 -- "$programs/lu_lapack" "$setting" >"$log" 2>&1 &&
        grep -q '^OpenBLACS: bsp_pdgetrf: the processes have set different algorithmic blocks' "$log"; then
        ob_pass
    else
        ob_fail "$setting that differ" "$log"
    fi
done
# Each broadcast that a lookahead has begun is waited for, and both have their names in a trace.
if ob_launch obrun 6 60 OPENBLACS_TRACE="$log.trace" -- "$programs/lu_lapack" ahead >"$log" 2>&1 &&
    "$OB_BUILD/tests/trace_examine" "$log.trace" >>"$log" &&
    [ "$(grep -cE '^[0-5] calls (ob_ibroadcast|ob_wait) 8 bytes' "$log")" = 12 ]; then
    ob_pass
else
    ob_fail "the trace of an LU with a lookahead" "$log"
fi
# The same bits in each run, with a BLAS that takes other kernels for other shapes of a product: here those for the
# widest vectors, which OpenBLAS does not choose on processors it has not heard of. LU_KERNELS="" leaves them out.
for core in ${LU_KERNELS-SKYLAKEX:avx512vl HASWELL:avx2}; do
    if grep -qw "${core#*:}" /proc/cpuinfo; then
        try "Cholesky with kernels for ${core%:*}" obrun 6 OPENBLAS_CORETYPE="${core%:*}" -- "$programs/lu_cholesky"
        break
    fi
done
# Lines along rows go in a ring, and messages across in pieces.
[[ " $LU_WAYS " != *" openmpi "* ]] ||
    try "Cholesky all through MPI" openmpi 6 OPENBLACS_TRANSPORT=mpi -- "$programs/lu_cholesky"
# What copies in wider blocks need is not there.
[[ " $LU_WAYS " != *" obrun "* ]] || try "Cholesky with small heaps" obrun 3 OPENBLACS_HEAP=1M -- "$programs/lu_cholesky"
# Without a PBLAS.
if [ -x "$programs/lu_behind" ] && [[ " $LU_WAYS " == *" obrun "* ]]; then
    try "a product without a PBLAS" obrun 2 -- "$programs/lu_behind"
fi
# One line a job, whoever finds it.
refused() { # HOW WHAT LINE [PROGRAM]
    local code=6101
    case $3 in *"the same on all"*) code=6102 ;; *"stands behind"*) code=6103 ;; *"put together"*) code=2524 ;; esac
    if ! ob_launch "$1" 2 60 -- "$programs/${4-lu_pieces}" "$2" >"$log" 2>&1 &&
        [ "$(grep -c '^OpenBLACS: ' "$log")" = 1 ] && grep -qE "^OpenBLACS: (bsp_)?pd$3(; called from .*)? \\[OB-$code\\]\$" "$log"; then
        ob_pass
    else
        ob_fail "the LU's refusal, $1: $2, not one line '$3'" "$log"
    fi
}
while IFS='|' read -r what line; do
    for how in $LU_WAYS; do
        case $how/$what in obrun/* | [!s]*/alone | [!s]*/block) refused "$how" "$what" "$line" ;; esac
    done
done <<'END'
swap|swap: argument 1 \(N\) is 9, must be at most 8, for the array has 8 and 0 stand before \(info -1\); process number [01]
increment|swap: argument 6 \(INCX\) is 2, must be 1, for a column, or 8 \(M_\), for a row \(info -6\); process number [01]
directions|swap: argument 11 \(INCY\) is 1 on one process and 8 on another, must be the same on all \(info -11\); process number 0
amax|amax: argument 5 \(IX\) is 0, must be at least 1 \(info -5\); process number 0
alone|amax: argument 5 \(IX\) is 9, must be 1 to 8 \(info -5\); process number 1
differ|amax: argument 1 \(N\) is 2 on one process and 3 on another, must be the same on all \(info -1\); process number 0
direction|laswp: argument 1 \(DIREC\) is 'X', must be F or B \(info -1\); process number 0
lines|laswp: argument 8 \(K1\) is 0, must be 1 to 8 \(info -8\); process number 0
columns|laswp: argument 9 \(K2\) is 9, must be at most 8 \(info -9\); process number 0
beginnings|laswp: argument 8 \(K1\) is 1 on one process and 2 on another, must be the same on all \(info -8\); process number 0
letters|laswp: argument 1 \(DIREC\) is 'B' on one process and 'F' on another, must be the same on all \(info -1\); process number 0
pivots|laswp: argument 10 \(IPIV\) is 99 for row 1, must be 1 to 8 \(info -10\); process number [01]
block|getf2: argument 2 \(N\) is 9, must be at most 8, for the array has 8 and 0 stand before \(info -2\); process number 0
alone-ld|getrf: entry 9 \(LLD_\) of argument 6 \(DESCA\) is 3, must be at least 8 \(info -609\); process number 1
trans|getrs: argument 1 \(TRANS\) is 'x', must be N, T or C \(info -1\); process number 0
permuted|getrs: argument 8 \(IPIV\) is 0 for row 1, must be 1 to 8 \(info -8\); process number [01]
permuted-by-all|getrs: argument 8 \(IPIV\) is 0 for row 1, must be 1 to 8 \(info -8\); process number [01]
transposed|getrs: argument 1 \(TRANS\) is 'N' on one process and 'T' on another, must be the same on all \(info -1\); process number 0
sides|gesv: entry 6 \(NB_\) of argument 11 \(DESCB\) stands for entry 5 \(MB_\), which is 3, must be 2, as entry 6 \(NB_\) of DESCA \(info -1106\); process number 0
END
[ ! -x "$programs/lu_behind" ] ||
    refused obrun order "gemm: has arguments that are ScaLAPACK's .* stands behind libopenblacs_factor; link one behind it; process number [01]" lu_behind
while IFS='|' read -r what line; do
    refused obrun "$what" "$line" lu_cholesky
done <<'END'
triangle|potrf: argument 1 \(UPLO\) is 'x', must be U or L \(info -1\); process number 0
triangles|posv: argument 1 \(UPLO\) is 'L' on one process and 'U' on another, must be the same on all \(info -1\); process number 0
together|potrf: is called between a begin and an end of calls that are put together, where its own calls would be, too; call it before or behind; process number [01]
sides|potrs: argument 3 \(NRHS\) is 9, must be at most 8, for the array has 8 and 0 stand before \(info -3\); process number 0
END
refused obrun work "geqrf: argument 9 \\(LWORK\\) is 0, must be at least 1, or -1 to ask \\(info -9\\); process number 0" lu_qr
while IFS='|' read -r what line; do
    refused obrun "$what" "gels: $line; process number 0" lu_least
done <<'END'
letter|argument 1 \(TRANS\) is 'C', must be N or T \(info -1\)
beginning|argument 10 \(IB\) is 2, with 1 of its block before it, must have 0, as IA \(info -10\)
blocks|entry 5 \(MB_\) of argument 12 \(DESCB\) is 2, must be 4, as entry 5 \(MB_\) of DESCA \(info -1205\)
work|argument 14 \(LWORK\) is 0, must be at least 1, or -1 to ask \(info -14\)
END
# With 64-bit integers.
wide=1099511627776
while IFS='|' read -r what line; do
    refused obrun "$what" "getrf: $line \\(info -[0-9]+\\); process number 0" lu_ilp64
done <<END
long|argument 1 \\(M\\) is $wide, must be at most 2146435071, for the BLAS take 32-bit integers
array|argument 2 \\(N\\) is $wide, must be at most 6, for the array has $wide and 1099511627770 stand before
halves|entry 6 \\(NB_\\) of argument 6 \\(DESCA\\) is 8 on one process and 4294967304 on another, must be the same on all
END
# Without a grid there is nobody to agree with: each process says it.
line='entry 2 \(CTXT_\) of argument 6 \(DESCA\) is -1, must be the context of a grid that the process is in'
if ! ob_launch obrun 2 60 -- "$programs/lu_pieces" context >"$log" 2>&1 &&
    [ "$(grep -cE "^OpenBLACS: bsp_pdgesv: $line \(info -602\); process number [01]" "$log")" = 2 ]; then
    ob_pass
else
    ob_fail "the LU's refusal: no context" "$log"
fi
for program in lu_pieces lu_ilp64; do
    for how in $LU_WAYS; do
        try "the LU's pieces, $program" "$how" "$([ "$how" = self ] && echo 1 || echo 4)" -- "$programs/$program"
    done
done
[[ " $LU_WAYS " != *" self "* ]] || try "short triangles" self 1 -- "$programs/lu_short"
try "the LU with 64-bit integers" obrun 5 -- "$programs/lu_ilp64"
try "the LU's pieces" obrun 6 -- "$programs/lu_pieces"
for how in $LU_WAYS; do
    case $how in
    self) for program in lu_lapack lu_cholesky lu_qr lu_least; do try "LAPACK, $program" self 1 -- "$programs/$program"; done ;;
    obrun)
        for mpi in $ob_mpis; do
            [ -x "$programs/lu_factor_$mpi" ] || continue
            for n in 1 $LU_PROCESSES; do
                try "ScaLAPACK's names" obrun "$n" -- "$programs/lu_factor_$mpi" 12 "1$n"
                try "PBLAS' names" obrun "$n" -- "$programs/lu_product_$mpi" 40 "$n"
                try "Q times a matrix" obrun "$n" -- "$programs/lu_transform_$mpi" 30 "$n"
                try "secular equations" obrun "$n" -- "$programs/lu_secular_$mpi" 30 "$n"
                try "tridiagonal matrices" obrun "$n" -- "$programs/lu_tridiagonal_$mpi" 30 "$n"
                try "bidiagonal matrices" obrun "$n" -- "$programs/lu_bidiagonal_$mpi" 20 "$n"
                try "singular values" obrun "$n" -- "$programs/lu_singular_$mpi" 12 "$n"
            done
            break
        done
        for n in $LU_PROCESSES; do
            for program in lu_lapack lu_cholesky lu_qr lu_least; do try "LAPACK, $program" obrun "$n" -- "$programs/$program"; done
        done
        ;;
    *)
        # Each program under each MPI, with our shared memory and all through MPI in turn; the next MPI begins with the
        # other one.
        turn=$((turn + 1))
        for program in lu_lapack lu_cholesky lu_qr lu_least; do
            turn=$((turn + 1))
            [ -z "$all" ] && [ $((turn % 2)) = 1 ] || try "LAPACK, $program" "$how" 4 -- "$programs/$program"
            [ -z "$all" ] && [ $((turn % 2)) = 0 ] ||
                try "LAPACK, all through MPI, $program" "$how" 3 OPENBLACS_TRANSPORT=mpi -- "$programs/$program"
        done
        [ -x "$programs/lu_scalapack_$how" ] || continue
        for n in $LU_SCALAPACK; do
            try "ScaLAPACK" "$how" "$n" -- "$programs/lu_scalapack_$how"
            try "ScaLAPACK's names" "$how" "$n" -- "$programs/lu_factor_$how" 12 "$n"
            try "PBLAS' names" "$how" "$n" -- "$programs/lu_product_$how" 40 "$n"
            try "Q times a matrix" "$how" "$n" -- "$programs/lu_transform_$how" 20 "$n"
            try "tridiagonal matrices" "$how" "$n" -- "$programs/lu_tridiagonal_$how" 20 "$n"
            try "secular equations" "$how" "$n" -- "$programs/lu_secular_$how" 20 "$n"
            try "secular equations, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_secular_$how" 20 "$n"
            try "tridiagonal matrices, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_tridiagonal_$how" 20 "$n"
            try "bidiagonal matrices" "$how" "$n" -- "$programs/lu_bidiagonal_$how" 12 "$n"
            try "bidiagonal matrices, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_bidiagonal_$how" 12 "$n"
            try "singular values" "$how" "$n" -- "$programs/lu_singular_$how" 10 "$n"
            try "singular values, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_singular_$how" 10 "$n"
            try "Q times a matrix, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_transform_$how" 20 "$n"
            try "PBLAS' names, all through MPI" "$how" "$n" OPENBLACS_TRANSPORT=mpi -- "$programs/lu_product_$how" 40 "$n"
            try "ScaLAPACK opened by a library alone" "$how" "$n" -- "$programs/lu_local_$how"
        done
        ;;
    esac
done
# Another BLAS and LAPACK, which look at more of their arguments than OpenBLAS does.
for how in $LU_PLAIN; do
    [ -e "${plain##*:}" ] || break
    for program in lu_lapack lu_cholesky lu_qr lu_least; do try "plain BLAS, $program" "$how" 3 LD_PRELOAD="$plain" -- "$programs/$program"; done
done
ob_tally
