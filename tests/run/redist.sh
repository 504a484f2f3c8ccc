#!/bin/bash
# Tests libopenblacs_redist (tests/redist): random redistributions against what they are defined to be,
# under obrun and under both MPIs, with our shared memory and with every message through MPI, and
# beside ScaLAPACK's own routines. One program started one way is one test.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
programs=$OB_BUILD/tests/redist
# long: more cases, and matrices of more than 2 GB
if [ "${1-}" = long ]; then cases=2000 seeds="1 2 3 4 5"; fi
: "${cases:=150}" "${seeds:=1}" "${REDIST_WAYS:=self obrun $ob_mpis}"

try() { # NAME HOW PROCESSES [NAME=VALUE ...] -- PROGRAM
    local name="$1 ($2, $3 processes)"
    shift
    if ob_launch "$1" "$2" 300 "${@:3}" >"$log" 2>&1 && grep -qE '^[1-9][0-9]* passed, 0 failed$' "$log"; then
        ob_pass
    else
        ob_fail "$name" "$log"
    fi
}
for seed in $seeds; do
    for how in $REDIST_WAYS; do
        case $how in
        self)
            try "moves in short rounds" self 1 -- "$programs/redist_moves_short" $cases "$seed"
            try "moves" self 1 -- "$programs/redist_moves" $cases "$seed"
            ;;
        obrun)
            for n in 1 2 3 4 5 6 7 8 9; do
                try "moves" obrun $n -- "$programs/redist_moves" $cases "$seed$n"
                try "moves in short rounds" obrun $n -- "$programs/redist_moves_short" $cases "$seed$n"
            done
            ;;
        *)
            try "moves" "$how" 6 -- "$programs/redist_moves" $((cases / 2)) "${seed}6"
            try "moves, all through MPI" "$how" 5 OPENBLACS_TRANSPORT=mpi -- \
                "$programs/redist_moves" $((cases / 2)) "${seed}5"
            try "moves in short rounds, all through MPI" "$how" 4 OPENBLACS_TRANSPORT=mpi -- \
                "$programs/redist_moves_short" $((cases / 2)) "${seed}4"
            netlib=$(find "$ob_lib_dir" -name "libscalapack-$how.so.*" -print -quit 2>/dev/null)
            [ -n "$netlib" ] || continue
            for n in 1 4; do
                try "moves beside ScaLAPACK's" "$how" $n -- "$programs/redist_moves" $((cases / 2)) "$seed$n" "$netlib"
                try "replicated arrays are ScaLAPACK's" "$how" $n \
                    LD_PRELOAD="$OB_BUILD/libopenblacs.so:$OB_BUILD/libopenblacs_redist.so:$netlib" -- "$programs/redist_replicated"
            done
            ;;
        esac
    done
done
for program in redist_fortran redist_fortran64; do
    [ -x "$programs/$program" ] || continue
    for how in $REDIST_WAYS; do
        try "from Fortran, $program" "$how" "$([ "$how" = self ] && echo 1 || echo 3)" -- "$programs/$program"
    done
done
try "the far end of 4 GB" obrun 2 -- "$programs/redist_large"
[ "${1-}" != long ] || try "more than 2 GB" obrun 2 -- "$programs/redist_large" whole
# Of the example the line, since it counts nothing.
new_grid() { # HOW PROCESSES N [NAME=VALUE ...]
    if ob_launch "$1" "$2" 60 "${@:4}" -- "$OB_BUILD/examples/new_grid" "$3" >"$log" 2>&1 &&
        grep -qE "^$3 x $3 from [0-9]+ x [0-9]+ to [0-9]+ x [0-9]+ processes: all elements are there, [0-9.]+ ms\$" "$log"; then
        ob_pass
    else
        ob_fail "new_grid $3 ($1, $2 processes${4:+, ${*:4}})" "$log"
    fi
}
for n in 1 4 6; do
    new_grid obrun $n 200
done
# What is not received yet fits into a heap of any size; the smallest is less than a round is elsewhere.
small=(OPENBLACS_HEAP=1M OPENBLACS_HEAP_SECONDS=2)
new_grid obrun 4 2000 "${small[@]}"
for how in $ob_mpis; do
    new_grid "$how" 4 2000 "${small[@]}"
    new_grid "$how" 4 2000 "${small[@]}" OPENBLACS_TRANSPORT=mpi
done
# Put together, 40 small matrices need few messages: not a tenth of those that they need one by one.
messages_of() { # HOW one|together
    rm -f "$log.trace" "$log.csv"
    ob_launch "$1" 4 60 OPENBLACS_TRANSPORT=mpi OPENBLACS_TRACE="$log.trace" -- \
        "$OB_BUILD/bench/bench_redist_many" 40 8 1 "$2" >>"$log" 2>&1 &&
        "$OB_BUILD/obtrace" convert "$log.trace" -o "$log.csv" >>"$log" 2>&1 &&
        awk -F, '$3 == "send"' "$log.csv" | wc -l
}
for how in $ob_mpis; do
    : >"$log"
    one=$(messages_of "$how" one) together=$(messages_of "$how" together)
    echo "messages one by one: $one, together: $together" >>"$log"
    if [ "${one:-0}" -gt 0 ] && [ "${together:-0}" -gt 0 ] && [ $((10 * together)) -lt "$one" ]; then
        ob_pass
    else
        ob_fail "the messages of 40 matrices ($how)" "$log"
    fi
done
rm -f "$log.trace" "$log.csv"
# One line a job, whoever finds it.
while IFS='|' read -r what code line; do
    for how in obrun $ob_mpis; do
        if ! ob_launch "$how" 2 60 -- "$programs/redist_wrong" "$what" >"$log" 2>&1 &&
            [ "$(grep -c '^OpenBLACS: ' "$log")" = 1 ] &&
            grep -qE "^OpenBLACS: $line; process number [01](; called from .*)? \\[OB-$code\\]\$" "$log"; then
            ob_pass
        else
            ob_fail "the refusal of '$what' ($how), not one line '$line'" "$log"
        fi
    done
done <<'END'
rows|3500|pdgemr2d: argument 1 \(M\) is -1, must be at least 0
differ|3501|pdgemr2d: argument 2 \(N\) is 5 on one process and 6 on another, must be the same on all
begin|3500|pdgemr2d: argument 4 \(IA\) is 0, must be 1 to 8
beyond|3500|pdgemr2d: argument 1 \(M\) is 8, must be at most 7, for the array has 8 and 1 stand before
block|3500|pdgemr2d: entry 5 \(MB_\) of argument 6 \(DESCA\) is 0, must be at least 1
alone-ld|3500|pdgemr2d: entry 9 \(LLD_\) of argument 10 \(DESCB\) is 7, must be at least 8
source|3500|pdgemr2d: entry 8 \(CSRC_\) of argument 10 \(DESCB\) is 2, must be 0 to 1
replicated|3500|pdtran: entry 8 \(CSRC_\) of argument 7 \(DESCA\) is -1, must be 0 to 1
type|3500|pdtran: entry 1 \(DTYPE_\) of argument 7 \(DESCA\) is 3, must be 1 to 2
blocks|3501|pdgemr2d: entry 6 \(NB_\) of argument 6 \(DESCA\) is 3 on one process and 4 on another, must be the same on all
together|2524|pdgemr2d: is called between a begin and an end of calls that are put together, where its own calls would be, too; call it before or behind
no-begin|2530|ob_redist_together_end: this thread has made no ob_redist_together_begin that is not ended
counts|2531|ob_redist_together_end: 1 calls of context 0 are put together on one process, and 2 on another; all must put the same calls together
released|2532|pdgemr2d: the context [12] was released between the call and ob_redist_together_end; release it behind the end
end-together|2524|ob_redist_together_end: is called between a begin and an end of calls that are put together, where its own calls would be, too; call it before or behind
second-differs|3501|pdgemr2d: entry 5 \(MB_\) of argument 10 \(DESCB\) is 4 on one process and 5 on another, must be the same on all
nobody|3503|pdgemr2d: entry 2 \(CTXT_\) of argument 6 \(DESCA\) is -1 on all processes that call: none of them is in the matrix's grid
outside|3500|pdgemr2d: entry 2 \(CTXT_\) of argument 6 \(DESCA\) is 77, must be the context of a grid that the process is in, or -1 where it is in none
context|3502|pdgemr2d: argument 11 \(ICTXT\) is 99, must be a context of OpenBLACS that the process is in and has not released; a libscalapack with BLACS of its own must stand behind libopenblacs
uplo|3500|pdtrmr2d: argument 1 \(UPLO\) is 'X', must be U or L
diag|3501|pdtrmr2d: the processes call different routines, or with different UPLO, DIAG, ALPHA or BETA
letters|3501|pdtrmr2d: the processes call different routines, or with different UPLO, DIAG, ALPHA or BETA
routines|3501|pd(ge|tr)mr2d: the processes call different routines, or with different UPLO, DIAG, ALPHA or BETA
types|3501|p[dz]gemr2d: the processes call different routines, or with different UPLO, DIAG, ALPHA or BETA
part|3503|pdgemr2d: entry 2 \(CTXT_\) of argument 10 \(DESCB\) is the context of a grid of 1 x 2, of which 1 processes call; all of them must be in the context that all are in
grids|3503|pdgemr2d: entry 2 \(CTXT_\) of argument 10 \(DESCB\) is a context of several grids: more than one process is at row 0 and column 0 of its grid, must be one grid, and -1 on processes that are not in it
scalars|3501|pdtran: the processes call different routines, or with different UPLO, DIAG, ALPHA or BETA
contexts|3500|pdtran: entry 2 \(CTXT_\) of argument 12 \(DESCC\) is -?[0-9]+, must be that of DESCA, [0-9]+
tran-size|3500|pdtran: argument 2 \(N\) is 9, must be at most 8, for the array has 8 and 0 stand before
END
ob_tally
