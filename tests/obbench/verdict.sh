#!/bin/bash
# obbench verdict: what it says of recorded figures, what it refuses, and short runs that really measure, with
# and without an MPI, a ScaLAPACK and gnuplot, on a quiet and on a busy machine, and stopped halfway.
#
#   tests/obbench/verdict.sh BUILD_DIR
#   tests/obbench/verdict.sh BUILD_DIR --update     rewrites golden/: look at the difference
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$(cd "${1:?usage: tests/obbench/verdict.sh BUILD_DIR [--update]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
loops=()
trap '[ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C HOME=$work XDG_CACHE_HOME=
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset OPENBLACS_PROFILE
obbench=$build/obbench
OB_BUILD=$build
cd "$work" || exit 1
mkdir empty

judge() { # STATUS NAME [LOG]
    if [ "$1" = 0 ]; then ob_pass; else ob_fail "$2" "${3-}"; fi
}
same_as_golden() { # NAME: of out
    if [ "${update-}" = 1 ]; then cp out "$here/golden/$1"; fi
    diff -u "$here/golden/$1" out >changes 2>&1
    judge $? "golden $1" changes
}
verdict() { # NAME WORD...: succeeds; out and err
    local name=$1
    shift
    timeout $((120 * OB_SLOW)) env PATH="${path:-$PATH}" "$obbench" verdict "$@" >out 2>err </dev/null
    judge $? "$name" err
}
refuses() { # TEXT WORD...: one line with the text
    local text=$1
    shift
    timeout $((20 * OB_SLOW)) "$obbench" verdict "$@" >out 2>err </dev/null
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -F -- "$text" err | grep -qE "\[OB-[0-9]{4}\]$"
    judge $? "refused: $*" err
}
[ "${2-}" = --update ] && update=1

# --------------------------------------------------------------------- without measuring
verdict "--help" --help
same_as_golden help-verdict.txt
"$obbench" verdict -h | cmp -s - out
judge $? "-h and --help say the same"
path=$work/empty verdict "recorded figures, without gnuplot" --input "$here/verdict.csv"
same_as_golden verdict.txt
judge "$([ ! -e verdict.svg ] && echo 0 || echo 1)" "no picture without gnuplot"
if command -v gnuplot >/dev/null; then
    verdict "recorded figures" --input "$here/verdict.csv" --picture "it's"
    sed -n '/^Some Processor/,$p' "$here/golden/verdict.txt" | cmp -s - out
    judge $? "the same paragraph" out
    grep -q '</svg>' "it's.svg" && grep -q 'near message, 64 KiB' "it's.svg" && grep -q 'netlib, Open MPI' "it's.svg" &&
        head -c 4 "it's.png" | grep -q PNG
    judge $? "the picture" err
else
    echo "SKIP the picture: no gnuplot"
fi
verdict "figures are written as they were read" --input "$here/verdict.csv" --figures copy.csv
cmp -s copy.csv "$here/verdict.csv"
judge $? "the same figures" copy.csv
sed '5s/,/;/' "$here/verdict.csv" >broken.csv
refuses "broken.csv, line 5: not a file" --input broken.csv
# One line too many, each of its own kind.
head -n 3 "$here/verdict.csv" >good.csv
for line in openmpi,mpi,message,2,8,nan openmpi,mpi,message,2,8,-5 openmpi,mpi,message,2,8,1x other,mpi,message,2,8,1 \
    openmpi,mpi,message,2,eight,1 openmpi,mpi,message,2,8-columns,1 openmpi,mpi,pdgetrf,2,8,1 openmpi,mpi,message,0,8,1 \
    "openmpi,mpi,message,2,8,1$(printf '%300s' '')"; do
    { cat good.csv && printf '%s\n' "$line"; } >broken.csv
    refuses "broken.csv, line 4: not a file" --input broken.csv
done
# 1.04 is not said to be faster, 0.004 is no 0.00, the least count of rounds is that of the netlib BLACS, nothing is
# said of other work, which was not looked for.
{
    head -n 2 "$here/verdict.csv"
    printf 'openmpi,openblacs,message,2,8,%s\n' 0.004 0.004
    printf 'openmpi,mpi,message,2,8,1\nopenmpi,mpi,broadcast,2,8,1\nopenmpi,openblacs,broadcast,2,8,1.04\n'
} >few.csv
verdict "few figures" --input few.csv --picture few
tr '\n' ' ' <out >words
grep -q 'takes 0.004 of the time of .* 1.04 for broadcasts. In no row is it more than 5 % slower' words &&
    grep -q 'medians of 1 or more rounds\?\. *$' words
judge $? "figures of few rounds" words
sed 's/lost,4,-,.*/lost,4,-,0.3/' "$here/verdict.csv" >noisy.csv
verdict "noisy figures" --input noisy.csv --picture noisy
tr '\n' ' ' <out | grep -q 'This verdict is doubtful, because the machine was too noisy: .* took 30 %' &&
    { ! command -v gnuplot >/dev/null || grep -q 'doubtful' noisy.svg; }
judge $? "they are said to be doubtful" out
head -n 2 "$here/verdict.csv" >none.csv
refuses "none.csv has no figures" --input none.csv
refuses "nowhere.csv cannot be read" --input nowhere.csv
refuses "--only stories" --only messages,stories
refuses "--only: must be of messages" --only ""
refuses "--rows all: must be one of short, long" --rows all
refuses "--time 0: must be a whole number" --time 0
refuses "--no-such-option is no option of verdict" --no-such-option
refuses "cannot be written" --figures /dev/null/figures.csv
mkdir taken.png
refuses "taken.png cannot be written" --picture taken
refuses "cannot be written" --picture made/verdict --figures /dev/null/figures.csv
judge "$([ ! -e made ] && echo 0 || echo 1)" "no folder is left"

# -------------------------------------------------------------------------- short runs
short="--time 2 --rounds 1 --order 60 --block 8 -n 2 --no-write -q"
has() { # FILE LAUNCHER WAY WORK: one positive time at least, or none with "no" before it
    if [ "$1" = no ]; then
        shift
        ! grep -q "^$2,$3,$4,2," "$1"
        judge $? "$2: no $4 of $3" "$1"
    else
        grep -qE "^$2,$3,$4,2,[^,]*,[0-9.e+-]*[1-9]" "$1"
        judge $? "$2: $4 of $3" "$1"
    fi
}
can_netlib() { # MPI: its ScaLAPACK is installed, as the loader says
    ldconfig -p | grep -q "libscalapack-$1\.so"
}
there=
for mpi in $ob_mpis; do
    [ ! -e "$build/obbench-$mpi.so" ] || ! command -v "mpirun.$mpi" >/dev/null || there="$there $mpi"
done
verdict "everything" $short --noise 100 --figures all.csv
for how in obrun $there; do
    for kind in message broadcast sum; do
        has all.csv "$how" openblacs $kind
        [ "$how" = obrun ] || has all.csv "$how" mpi $kind
        if [ "$how" != obrun ] && can_netlib "$how"; then has all.csv "$how" netlib $kind; fi
    done
    if [ "$how" != obrun ] && can_netlib "$how"; then
        has all.csv "$how" openblacs pdgetrf
        has all.csv "$how" netlib pdgetrf
    fi
done
! grep -q 'too noisy' err && [ ! -e .cache ]
judge $? "--noise 100 finds none, --no-write writes no profile" err
# Where rows do not fit into the time a line names them, and no others lack their figures; --rounds leaves out none.
! grep -q 'no time for' err
judge $? "--rounds leaves out no row" err
verdict "all rows in a second" --time 1 --rows long --only messages,broadcasts,sums -n 2 --no-write -q --noise 100 --figures thin.csv
for how in obrun $there; do
    rows=$(grep "^$how,openblacs," thin.csv | cut -d, -f3,5 | sort -u | wc -l)
    left=$(sed -nE "s/^obbench: under $how the first round had no time for these rows, which are left out: (.*) \(--time .*\[OB-9608\]\$/\1/p" err |
        sed 's/; /\n/g' | wc -l)
    # 10 messages, 8 lengths each of broadcasts, sums, repeatable sums and largest values; a far pair has messages of its own.
    [ "$rows" -gt 0 ] && { [ $((rows + left)) = 42 ] || [ $((rows + left)) = 52 ]; }
    judge $? "$how: $rows rows are measured, and $left said to be left out" err
done
# What is missing is said before anything is measured.
path=$work/empty verdict "all lengths, no MPI, no gnuplot" $short --rows long --only messages,sums --figures long.csv
for kind in message,2,16M-columns-of-64 sum,2,256K amx,2,4K sum-repeatable,2,8; do
    grep -q "^obrun,openblacs,$kind," long.csv
    judge $? "--rows long has $kind" long.csv
done
has no long.csv obrun openblacs broadcast
for line in "no mpirun of Open MPI" "no mpirun of MPICH" "no MPI: OpenBLACS is measured alone" "no gnuplot"; do
    grep -q "$line" err
    judge $? "it says: $line" err
done
grep -q 'Nothing was there to compare' out && grep -q '^  OpenBLACS .* us  ##*$' out
judge $? "bars, and nothing compared" out
verdict "no ScaLAPACK" $short --only messages,lu --scalapack "$work/none.so" --figures bare.csv
for how in obrun $there; do
    has no bare.csv "$how" netlib message
    has no bare.csv "$how" openblacs pdgetrf
done
grep -q 'no ScaLAPACK' err
judge $? "it says so" err

# In a job of somebody's.
for how in obrun $there; do
    ob_launch "$how" 2 120 -- "$obbench" verdict $short --only messages,lu --figures "$work/$how.csv" >out 2>err
    judge $? "under $how" err
    has "$how.csv" "$how" openblacs message
    grep -q 'processes\.' out
    judge $? "one paragraph under $how" out
done

# One process cannot measure, and starts no jobs within a job.
for how in obrun $there; do
    ob_launch "$how" 1 60 -- "$obbench" verdict $short --only messages >out 2>err
    [ $? != 0 ] && grep -q 'needs two processes' err && [ ! -s out ]
    judge $? "one process under $how" err
done
# An mpirun that fails: how is said, and the rest is measured. Its input stays open: at the end of its input MPICH's may die.
for mpi in $there; do
    mkdir -p fake
    printf '#!/bin/bash\nread -rt 1; [ $? -gt 128 ] && exit 7\necho "the end of the input"\n' >"fake/mpirun.$mpi"
    chmod +x "fake/mpirun.$mpi"
    path=$work/fake:$PATH verdict "an mpirun of $mpi that fails" $short --only messages --figures "$work/fails.csv"
    rm -r fake
    grep -q '^obbench: mpirun of .* ended with status 7 \[OB-9607\]$' err && grep -q '^obrun,openblacs,message,2' fails.csv
    judge $? "its status is said, and obrun's figures are there" err
done
# A fit that fails loses nothing of what was measured.
mkdir profiles
timeout $((120 * OB_SLOW)) "$obbench" verdict --time 6 --rounds 1 --only messages --noise 100 --figures kept.csv \
    --profile "$work/profiles/own.profile" >out 2>err </dev/null &
loops=($!)
for ((i = 0; i < 600 * OB_SLOW; i++)); do
    [ ! -s kept.csv ] || break
    sleep 0.1
done
rm -rf profiles
: >profiles # no folder any more
wait "${loops[@]}"
[ $? != 0 ] && grep -q 'own.profile cannot be written' err && grep -q '^obrun,openblacs,message,' kept.csv && grep -q 'processes\.' out
judge $? "a profile that cannot be written" err
loops=()

# --------------------------------------------------------------------------- noise
for ((i = 0; i < 2 * ob_cores; i++)); do
    timeout $((150 * OB_SLOW)) sh -c 'while :; do :; done' &
    loops+=($!)
done
verdict "a busy machine" --time 2 --rounds 1 --only messages --noise 20
kill "${loops[@]}"
wait "${loops[@]}" 2>/dev/null
loops=()
grep -q 'the machine is too noisy: .* no profile is written' err && [ -z "$(find .cache -name '*.profile' 2>/dev/null)" ]
judge $? "noise is found, and no profile is written" err
verdict "a profile" --time 2 --rounds 1 --only messages --noise 100 --profile "$work/own.profile"
head -n 1 own.profile | grep -qx 'openblacs-profile 1' && grep -q "the profile is $work/own.profile" err
judge $? "the profile is written, and it says where" err

# ------------------------------------------------------------------------- stopped
mkdir stopped
cat >stop.py <<'END'
import os, signal, subprocess, sys, time
def children():
    mark = b"OB_VERDICT_TEST=%d" % os.getpid()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in open(f"/proc/{pid}/environ", "rb").read() and int(pid) != os.getpid():
                found.append(pid)
        except OSError:
            pass
    return found
environment = dict(os.environ, OB_VERDICT_TEST=str(os.getpid()))
for wanted in sys.argv[2:]:
    p = subprocess.Popen([sys.argv[1], "verdict", "--time", "60", "--only", "messages", "--figures", "f.csv"],
                         stderr=subprocess.PIPE, cwd="stopped", env=environment)
    # A job of this launcher runs.
    deadline = time.time() + 60 * int(os.environ["OB_SLOW"])
    while time.time() < deadline:
        commands = []
        for pid in children():
            try:
                commands.append(open(f"/proc/{pid}/cmdline", "rb").read())
            except OSError:
                pass
        if any(b"--as-process" in c for c in commands) and (wanted == "obrun" or any(wanted.encode() in c for c in commands)):
            break
        time.sleep(0.05)
    p.send_signal(signal.SIGINT)
    p.communicate()
    assert p.returncode == -signal.SIGINT, (wanted, p.returncode)
    deadline = time.time() + 20 * int(os.environ["OB_SLOW"])
    while children() and time.time() < deadline:
        time.sleep(0.1)
    assert not children(), (wanted, children())
    assert os.listdir("stopped") == [], (wanted, os.listdir("stopped"))
END
set -- obrun
for mpi in $there; do set -- "$@" "mpirun.$mpi"; done
timeout $((200 * OB_SLOW)) python3 stop.py "$obbench" "$@" >log 2>&1
judge $? "SIGINT leaves no process and no file behind" log
ob_tally
