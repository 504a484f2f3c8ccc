#!/bin/bash
# obbench: golden outputs from recorded points, what it refuses, and short runs
# that really measure, alone, under obrun and under the MPI launchers at hand.
#
#   tests/obbench/run.sh BUILD_DIR
#   tests/obbench/run.sh BUILD_DIR --update     rewrites golden/: look at the difference
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$(cd "${1:?usage: tests/obbench/run.sh BUILD_DIR [--update]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C HOME=$work XDG_CACHE_HOME=
unset OPENBLACS_PROFILE
obbench=$build/obbench
OB_BUILD=$build

[ "${2-}" = --update ] && update=1

judge() { # STATUS NAME [LOG]
    if [ "$1" = 0 ]; then ob_pass; else ob_fail "$2" "${3-}"; fi
}

# ------------------------------------------------------------- fitting, and the order
for part in fit order model; do
    [ -x "$build/tests/obbench_${part}_test" ] || continue
    timeout $((200 * OB_SLOW)) "$build/tests/obbench_${part}_test" >"$work/unit" 2>&1
    status=$?
    passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) test\(s\).*/\1/p' "$work/unit" | head -1)
    ob_pass "${passed:-0}"
    [ $status = 0 ] || ob_fail "obbench_${part}_test" "$work/unit"
done

# ------------------------------------------------- what every tool says of itself
same_as_golden() { # NAME: of $work/out
    if [ "${update-}" = 1 ]; then cp "$work/out" "$here/golden/$1"; fi
    diff -u "$here/golden/$1" "$work/out" >"$work/diff" 2>&1
    judge $? "golden $1" "$work/diff"
}
version=$(sed -nE 's/^#define OB_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' \
    "$here/../../include/openblacs/core.h" | paste -sd.)
for tool in obrun obbench obtrace obinfo; do
    timeout $((20 * OB_SLOW)) "$build/$tool" -h >"$work/help" 2>"$work/err" && [ ! -s "$work/err" ] &&
        timeout $((20 * OB_SLOW)) "$build/$tool" --help 2>&1 | cmp -s - "$work/help"
    judge $? "$tool: -h and --help say the same, on standard output" "$work/err"
    grep -v '^  otf2 ' "$work/help" >"$work/out" # only where OTF2 is installed
    same_as_golden "help-$tool.txt"
    for option in -h --help --version; do
        grep -qE -- "(^|[ ,])$option( |,|\$)" "$work/help"
        judge $? "$tool --help names $option" "$work/help"
    done
    [ "$(timeout $((20 * OB_SLOW)) "$build/$tool" --version 2>&1)" = "$tool (OpenBLACS) $version" ]
    judge $? "$tool --version"
    timeout $((20 * OB_SLOW)) "$build/$tool" --no-such-option >"$work/out" 2>"$work/err"
    [ $? != 0 ] && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
        grep -qE "^$tool: .*no-such-option.*$tool --help" "$work/err"
    judge $? "$tool: a wrong option is one line that leads to --help" "$work/err"
done

# ------------------------------------------------------------------------ obinfo
timeout $((20 * OB_SLOW)) "$build/obinfo" --build-module >"$work/out" 2>&1
[ $? = 2 ] && grep -qx "obinfo: --build-module takes an MPI compiler wrapper, alone; see obinfo --help \[OB-9601\]" "$work/out"
judge $? "obinfo --build-module without its value" "$work/out"
timeout $((20 * OB_SLOW)) "$build/obinfo" >"$work/out" 2>&1 &&
    [ "$(grep -cE '^one copy: (possible; .* [0-9]+ us from its own memory, [0-9]+ us from shared memory|not possible, .*)$' "$work/out")" = 1 ]
judge $? "obinfo says whether one copy is possible" "$work/out"
real=$(realpath "$build")
grep -qx "library: $real/libopenblacs.so.0" "$work/out"
judge $? "obinfo says where its library lies" "$work/out"
for module in "$real"/mpi-*.so; do
    [ -e "$module" ] || continue
    [ "$(grep '^MPI modules: ' "$work/out" | tr ' ' '\n' | grep -cx "$module")" = 1 ]
    judge $? "obinfo says where $module lies" "$work/out"
done
OPENBLACS_MODULES=$work/none timeout $((20 * OB_SLOW)) "$build/obinfo" >"$work/none.out" 2>&1
grep -qx "MPI modules: none (obinfo --build-module makes one)" "$work/none.out"
judge $? "obinfo says that there is no module" "$work/none.out"
# A ScaLAPACK of the loader's cache: whether the BLACS are in it, as nm says, and what puts its programs on ours.
if ! grep -q "^ScaLAPACK programs of this system run on" "$work/out"; then
    for scalapack in $(/sbin/ldconfig -p | sed -n 's/^\tlibscalapack.* => //p' | xargs -r realpath | sort -u); do
        blacs="which takes its BLACS from another library"
        [ "$(nm -D --defined-only "$scalapack" | grep -cw Cblacs_gridinit)" = 0 ] || blacs="with a BLACS of its own"
        [ "$(grep -cFx "ScaLAPACK: $scalapack, $blacs" "$work/out")" = 1 ] &&
            { [ "$blacs" != "with a BLACS of its own" ] || grep -qF "LD_PRELOAD=$real/libopenblacs.so.0" "$work/out"; }
        judge $? "obinfo says whose BLACS $scalapack has" "$work/out"
    done
fi
# A group on nodes: what its leaders are asked for, in the words that OPENBLACS_PLAN takes.
explain() { # ARGUMENTS...
    timeout $((20 * OB_SLOW)) "$build/obinfo" --profile "$here/machine.profile" --explain "$@" >"$work/out" 2>&1
}
# The last line is for a shell: what it sets there is the choice, bars and all.
as_a_shell_reads() {
    (unset OPENBLACS_PLAN; eval "$(grep '^OPENBLACS_PLAN=' "$work/out")" && printf '%s' "$OPENBLACS_PLAN") 2>&1
}
for operation in broadcast combine combine-all scatter gather collect distribute; do
    explain "$operation" --bytes 100000 --group 4 && cp "$work/out" "$work/four"
    explain "$operation" --bytes 100000 --group 4x8 --nodes 4 &&
        grep -q 'between the 4 leaders, one of each node, 1 time:' "$work/out" &&
        tail -n +3 "$work/out" | diff - "$work/four" >"$work/diff" &&
        [ "$(as_a_shell_reads)" = "$operation=$(sed -n 's/^\*.* us  //p' "$work/out")" ]
    judge $? "obinfo --explain $operation --nodes 4" "$work/out"
done
explain broadcast --bytes 1M --group 32 --nodes 4 && grep -q ' 5 times:' "$work/out" &&
    explain broadcast --bytes 1M --group 32 --nodes 1 && ! grep -q OPENBLACS_PLAN "$work/out"
judge $? "obinfo --nodes" "$work/out"
explain combine-all --bytes 1M --group 2x2 --torus && grep -q '^\*.*|' "$work/out" &&
    [ "$(as_a_shell_reads)" = "combine-all=$(sed -n 's/^\*.* us  //p' "$work/out")" ]
judge $? "obinfo quotes the bars of two colours" "$work/out"
for wrong in 0 33 -1 x 4x; do
    explain broadcast --bytes 8 --group 32 --nodes $wrong
    [ $? = 2 ] && grep -q '^obinfo: ' "$work/out"
    judge $? "obinfo --nodes $wrong" "$work/out"
done
# What is wrong, and what would be right, in the first line.
wrong() { # LINE ARGUMENTS...
    local line=$1
    shift
    timeout $((20 * OB_SLOW)) "$build/obinfo" "$@" >"$work/out" 2>&1
    [ $? = 2 ] && head -n 1 "$work/out" | grep -qxF -e "obinfo: $line [OB-9601]"
    judge $? "obinfo $*" "$work/out"
}
wrong "--explain is 'barrier', must be broadcast, combine, combine-all, scatter, gather, collect or distribute" \
    --explain barrier --bytes 8 --group 4
wrong "--bytes is '1k', must be a whole number, 0 or more, with K, M or G behind it or not" \
    --explain broadcast --bytes 1k --group 4
wrong "--bytes has no value, must be a whole number, 0 or more, with K, M or G behind it or not" \
    --explain broadcast --group 4 --bytes
wrong "--group is '65536x65536', must be members or RxC, 1 to 2^24 in all" \
    --explain broadcast --bytes 8 --group 65536x65536
wrong "--root is '-1', must be a whole number, 0 or more" --explain gather --bytes 8 --group 4 --root -1
wrong "--root is '9', must be 0 to 3 in a group of 4" --explain broadcast --bytes 8 --group 2x2 --root 9
wrong "--nodes is '5', must be 1 to 4 for a group of 4" --explain broadcast --bytes 8 --group 4 --nodes 5
wrong "--profile has no value, must be a file" --profile
wrong "there is no option 'extra'; see obinfo --help" --explain broadcast --bytes 8 --group 4 extra
wrong "--explain needs --bytes and --group; see obinfo --help" --explain broadcast --bytes 8
wrong "all options but --profile go with --explain; see obinfo --help" --bytes 8 --group 4
explain broadcast --bytes 8 --group 1 && grep -qx 'one member: nothing is sent' "$work/out"
judge $? "obinfo for one member" "$work/out"
# Every candidate: every form that the planner looks at, not the best of each stage alone; the
# fastest first, marked, and in words that OPENBLACS_PLAN takes.
explain broadcast --bytes 64K --group 5 --all &&
    awk 'NR == 1 && $0 != "broadcast of 65536 bytes in a group of 1 x 5, profile golden" { bad = 1 }
         /^\*/ { stars += 1; best = $4; if (NR != 2) bad = 1 }
         / us  / { at = $1 == "*" ? $2 : $1; if (at < before) bad = 1; before = at; candidates += 1 }
         /^OPENBLACS_PLAN=/ { bad = bad || $0 != "OPENBLACS_PLAN=\047broadcast=" best "\047"; last = NR }
         END { exit bad || stars != 1 || candidates < 10 || last != NR }' "$work/out"
judge $? "obinfo --all lists candidates, the fastest first" "$work/out"
for form in tree postal chain double; do
    grep -q "us  broadcast5@1:$form" "$work/out"; judge $? "obinfo --all shows a broadcast by $form" "$work/out"
done
# The manual has every word of a scheme.
words=$(cd "$here/../../src/collective/scheme" && { sed -n '/act_names\[/,/;/p' words.c; grep -h '\.word = ' ./*.c; } | grep -oE '"[a-z]+"' | tr -d '"')
[ "$(wc -w <<< "$words")" -ge 16 ]; judge $? "the words of schemes are found in the sources"
for word in $words; do
    grep -q "^\.It Cm $word\b" "$here/../../man/obinfo.1"; judge $? "obinfo(1) explains '$word'"
done

# ----------------------------------------------------------------- golden outputs
golden() { # NAME ARGUMENTS...
    local name=$1
    shift
    (cd "$here" && timeout $((60 * OB_SLOW)) "$obbench" "$@" --input points.csv --profile machine.profile) \
        >"$work/out" 2>&1
    same_as_golden "$name"
}
golden table.txt predict
golden root.txt predict --show root
golden points.json predict --format json
golden points.csv predict --format csv
golden measured.txt broadcast combine --format table

# LAWN 73's own lines come back as its own tables, errors and all.
python3 "$here/lawn73.py" >"$work/lawn73.csv"
tables() { # NAME ARGUMENTS...: without the points themselves
    local name=$1
    shift
    (cd "$here" && timeout $((60 * OB_SLOW)) "$obbench" tables --input "$work/lawn73.csv" --profile i860.profile "$@") 2>&1 |
        sed -n "/^LAWN 73's tables/,\$p" >"$work/out"
    same_as_golden "$name"
}
tables tables.txt --assume no-overlap
tables tables-buffers.txt --assume buffers --from 160000 --to 400000
printed() { # TABLE SYSTEM TOPOLOGY ALPHA BETA ERROR, as the paper prints them
    awk -v table="$1" -v system_name="$2" -v top="$3" -v alpha="$4" -v beta="$5" -v error="$6" '
        /^[A-Z]/ { here = index($0, table) }
        here { sub(/^[* ]*/, "") }
        here && $1 == system_name && $0 ~ " " top " " && $(NF - 3) == alpha && $(NF - 2) == beta &&
            $(NF - 1) == error { found = 1 }
        END { exit !found }' "$here/golden/tables.txt"
    judge $? "LAWN 73, $1: $2 $4 $5 $6"
}
printed "tables 5" nx 0-1 200 2.8576 0.06%
printed "tables 5" openblacs 0-1 211 2.8576 5.93%
printed "tables 6" nx 0-1 48 2.8573 6.73%
printed "table 7" openblacs "" -152 0.7248 1.54%
printed "table 14" openblacs "" -14 0.4145 1.00%
printed "table 12" nx p 557 14.2976 3.69%
printed "table 12" openblacs h 1086 14.3598 3.78%
printed "table 16" nx p -214 33.1828 3.60%
printed "table 16" openblacs 1 2828 30.9618 0.66%
(cd "$here" && "$obbench" tables --input "$work/lawn73.csv" --profile i860.profile --format json) >"$work/json" 2>&1
python3 -c 'import json,sys; l=json.load(open(sys.argv[1]))["lines"]; assert any(x["what"] == "combine-all" and \
x["topology"] == "1" and (x["alpha_us"], x["beta_us_per_double"], x["relative_error"]) == (2828, 30.9618, .0066) for x in l)' \
    "$work/json" >"$work/log" 2>&1
judge $? "the lines as JSON" "$work/log"
# Its figures of variance: what gnuplot is told, every repeated time a point of its own.
mkdir "$work/stub" "$work/figures"
printf '#!/bin/sh\ncat >"$STUB"\n' >"$work/stub/gnuplot" && chmod +x "$work/stub/gnuplot"
(cd "$work" && STUB=$work/told PATH=$work/stub:$PATH timeout $((20 * OB_SLOW)) "$obbench" tables --input lawn73.csv \
    --profile "$here/i860.profile" --plot figures --axes linear) >"$work/log" 2>&1
sed -n '/variance-/,/unset output/p' "$work/told" >"$work/out"
same_as_golden variance.gnuplot
grep -qc 'variance-combine-all-32.svg' "$work/log"; judge $? "obbench names the figures of variance" "$work/log"

# What was written as CSV is read again, and says the same.
(cd "$here" && "$obbench" predict --profile machine.profile --input golden/points.csv --format csv) \
    >"$work/again" 2>&1
diff "$here/golden/points.csv" "$work/again" >"$work/diff"; judge $? "CSV is read as written" "$work/diff"
python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert len(d["points"]) == 13 and \
d["profile"]["host"] == "golden" and d["points"][3]["model_max_us"] is None' \
    "$here/golden/points.json" >"$work/log" 2>&1
judge $? "the JSON is JSON" "$work/log"

# ------------------------------------------------------------- processors that move
near() { # MICROSECONDS...
    sed -n 1p "$here/golden/points.csv"
    for us; do echo "openblacs,near,,,2,0,8,1,$us,$us,$us,$us,,,,,,,"; done
}
near 0.064 0.09 >"$work/steady.csv"
near 0.064 0.27 >"$work/moved.csv"
"$obbench" tc --input "$work/steady.csv" >"$work/out" 2>"$work/err"
[ ! -s "$work/err" ]; judge $? "nothing is said of processors that stayed" "$work/err"
"$obbench" tc --input "$work/moved.csv" >"$work/out" 2>"$work/err"
grep -qF "8 bytes took 0.064 us at one time and 0.270 at another" "$work/err"
judge $? "processors that moved are named" "$work/err"

# ---------------------------------------------------------------------- refusals
refuses() { # PART OF THE LINE, ARGUMENTS...
    local part=$1
    shift
    timeout $((20 * OB_SLOW)) "$obbench" "$@" >"$work/out" 2>"$work/err"
    local status=$?
    [ $status = 2 ] && grep -F -- "$part" "$work/err" | grep -qE "\[OB-[0-9]{4}\]$" && [ "$(wc -l <"$work/err")" = 1 ]
    judge $? "obbench $*: '$part' (status $status)" "$work/err"
}
refuses "what shall be measured" --rounds 2
refuses "is no command" latency
refuses "is no option" tc --bogus 3
refuses "lacks its value" tc --rounds
refuses "must be a whole number" tc --rounds none
refuses "must be a whole number" tc --rounds 0
refuses "must be a whole number" all --time -1
refuses "must be one of" tc --format xml
refuses "must be bytes" tc --lengths 8,-1
refuses "must be bytes" tc --lengths x
refuses "more than can be measured" tc --lengths 99999999G
refuses "is larger than" tc --from 4K --to 8
refuses "more than 256 lengths" tc --from 1 --to 1M --step 1
refuses "must be letters" broadcast --top xyz
for pair in 1 1,1 0,x -1,0 0,1,2; do
    refuses "must be the numbers of two processes" tc --pair $pair
done
refuses "a job of 2 processes has no pair 0,2" tc -n 2 --pair 0,2
refuses "must be one of none, buffers" tables --assume nothing
refuses "must be ROWSxCOLUMNS" broadcast --grid 2by2
refuses "cannot be read" predict --input "$work/none.csv"
refuses "cannot be written" tc --input "$here/points.csv" --output "$work/none/x"
refuses "cannot be read" predict --input "$here/points.csv" --profile "$work/none.profile"
sed 's/machine that/x/; s/^processors 2/processors 0/' "$here/machine.profile" >"$work/bad.profile"
refuses "is not between" predict --input "$here/points.csv" --profile "$work/bad.profile"
for line in 'openblacs,tc,,,2,0,8' '' 'a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u' \
    'openblacs,tc,,,0,0,8,1,1,1,1,1,,,,,,,' 'openblacs,tc,,,2,5,8,1,1,1,1,1,,,,,,,' \
    'openblacs,xx,,,2,0,8,1,1,1,1,1,,,,,,,' 'openblacs,tc,,,2,0,-8,1,1,1,1,1,,,,,,,' \
    'openblacs,tc,,,2,0,8,1,1,1,nan,1,,,,,,,' 'OPEN;BLACS,tc,,,2,0,8,1,1,1,1,1,,,,,,,' \
    'openblacs,broadcast,?,all,2,0,8,1,1,1,1,1,,,,,,,' \
    'openblacs,broadcast,m0,all,2,0,8,1,1,1,1,1,,,,,,,' \
    'openblacs,tc,,,2,0,8,1,1,1,1,1,,,,,,,,2,' 'openblacs,tc,,,2,0,8,1,1,1,1,1,,,,,,,,1,1 x' \
    'openblacs,tc,,,2,0,8,1,1,1,1,1,,,,,,,,1,1  2' 'openblacs,tc,,,2,0,8,1,1,1,1,1,,,,,,,,1,-1' \
    'openblacs,to,,,2,0,8,1,1,1,1,1,,,,,,,,1,' 'openblacs,tc,,,2,0,8,1,1,1,1,1,,,,,,,,1,1,' \
    'openblacs,broadcast,i,some,2,0,8,1,1,1,1,1,,,,,,,'; do
    printf '%s\n' "$line" >"$work/bad.csv"
    refuses "is no measurement" predict --input "$work/bad.csv"
done
head -c 3000 /dev/urandom >"$work/bad.csv"
timeout $((20 * OB_SLOW)) "$obbench" predict --input "$work/bad.csv" >"$work/log" 2>&1
[ $? = 2 ]; judge $? "noise in place of measurements" "$work/log"
# Places are tried before anything is measured: these would measure for minutes.
long="--rounds 1000 --sample 100000"
refuses "cannot be written" all $long --output "$work/none/x"
refuses "cannot be written" all $long --output "$work"
refuses "is no folder" all $long --plot "$here/points.csv"
refuses "cannot be made" all $long --plot "$work/none/deeper"
refuses "cannot be read" all $long --against "$work/none.profile"
refuses "cannot be read" predict $long --profile "$work/none.profile"
refuses "is no folder" fit $long --profile "$here/points.csv/x.profile"
refuses "is a folder" fit $long --profile "$work"
refuses "No such file" fit $long --profile "$work/none/2/3/4/x.profile"
cp "$here/points.csv" "$work/kept.csv"
timeout $((20 * OB_SLOW)) "$obbench" tc --input "$work/kept.csv" --output "$work/kept.csv" --format csv &&
    cmp -s <("$obbench" tc --input "$here/points.csv" --format csv) "$work/kept.csv"
judge $? "--output may be the file of --input"

# --------------------------------------------------------------------- real runs
short="--rounds 1 --reps 2 --again 2 --sample 50 -q"
# Every time is a number above 0, and there are so many lines of each system.
sound() { # NAME EXPECTED-LINES SYSTEM
    awk -F, -v system_name="$3" -v wanted="$2" '
        NR == 1 { if ($1 != "system") exit 1; next }
        $1 != system_name { next }
        { n++; for (i = 9; i <= 12; i++) if ($i !~ /^[0-9.e+-]+$/ || $i < 0) bad++
          if ($11 < $10) bad++ }
        END { exit !(n == wanted && !bad) }' "$work/out"
    judge $? "$1: $2 sound points of $3" "$work/out"
}
runs() { # NAME COMMAND...: to $work/out
    local name=$1
    shift
    timeout $((120 * OB_SLOW)) "$@" >"$work/out" 2>"$work/err" </dev/null
    judge $? "$name" "$work/err"
}
lengths="--lengths 8,4K,600K"
everything="tc ts tm to broadcast combine barrier"
# tc 3, ts 3 + 3, tm 3 + 1, to 3; broadcasts 10 tops, combines 3 + 3, 3 lengths, 2 modes; barrier 2
runs "alone, 2 processes" "$obbench" $everything $short $lengths -n 2 --format csv
sound "alone" $((16 + 6 * 16 + 2)) openblacs
runs "alone, 3 and 4 processes" "$obbench" broadcast $short --lengths 64 --top i1 -n 3,4 --format csv
sound "3 and 4 processes" 8 openblacs
runs "alone, 1 process" "$obbench" tm to broadcast $short --lengths 64 -n 1 --top 1 --format csv
sound "1 process" 5 openblacs
runs "rows of a grid" "$obbench" broadcast combine $short --lengths 64 -n 4 --grid 2x2 --scope row \
    --top 1 --root 1 --leave one --mode single --type z --format csv
sound "rows of a grid" 2 openblacs
grep -q '^openblacs,broadcast,1,row,2,1,64,1,' "$work/out"; judge $? "a row has 2 processes" "$work/out"
for type in i s c; do
    runs "type $type" "$obbench" combine $short --lengths 64 -n 2 --top 1h --op max --type $type \
        --format csv
    sound "type $type" 8 openblacs
done
# Any two processes; the sender's number stands under root, the receiver's under partner.
runs "a pair without process 0" "$obbench" tc ts $short --lengths 8,4K -n 4 --pair 3,1 --format csv
sound "a pair without process 0" 6 openblacs
[ "$(grep -c '^openblacs,t[csr],,,4,3,.*,1,[0-9. e-]*$' "$work/out")" = 6 ]; judge $? "from 3 to 1" "$work/out"
runs "a pair that ends at process 0" "$obbench" tc tm $short --lengths 8 -n 3 --pair 2,0 --format csv
sound "a pair that ends at process 0" 3 openblacs
# A thousand rounds of two samples of 0.1 s would take more than three minutes.
runs "--time ends it" "$obbench" tc --rounds 1000 --sample 100000 --lengths 8,64 -n 2 --mode single --time 3 --format csv
# Three hundred broadcasts of each of six lengths, 50 GB from memory, do not fit into a second: some lengths are left out, which a line
# says, and no others.
thin="broadcast -n 2 --reps 300 --mode single --top 1 --lengths 8M,16M,24M,32M,40M,48M --time 1 --format csv"
runs "lengths that do not fit into --time" "$obbench" $thin
sed -nE 's/^obbench: the first round had no time for collective calls of (.*) bytes; they are left out .*\[OB-9608\]$/\1/p' "$work/err" |
    sed 's/, /\n/g' >"$work/left"
cut -d, -f7 "$work/out" | tail -n +2 >"$work/measured"
[ -s "$work/left" ] && [ -s "$work/measured" ] &&
    [ "$(sort -n "$work/left" "$work/measured" | paste -sd,)" = "$(seq 8388608 8388608 50331648 | paste -sd,)" ]
judge $? "each length is measured or said to be left out" "$work/err"
runs "--rounds leaves out none" "$obbench" ${thin/300/2} --rounds 1
sound "--rounds leaves out none" 6 openblacs
! grep -q 'no time for' "$work/err"
judge $? "and says nothing of it" "$work/err"
runs "every pair" "$obbench" tc $short --lengths 8 -n 4 --pair all --format csv
sound "every pair" 6 openblacs
[ "$(cut -d, -f6,20 "$work/out" | tail -n +2 | sort | paste -sd' ')" = "0,1 0,2 0,3 1,2 1,3 2,3" ]
judge $? "every pair once" "$work/out"
runs "tables" "$obbench" tables $short --lengths 0,8,4K,64K -n 2 --top i1
for table in "tables 5" "tables 6" "table 7" "table 14" "table 12" "table 16" "table 11" "table 15"; do
    grep -qE "^[^ *].*\(${table}[ )]" "$work/out"; judge $? "obbench tables prints $table" "$work/out"
done
runs "under obrun" "$build/obrun" -n 3 "$obbench" tc broadcast $short $lengths --top 1 --format csv
sound "under obrun" 9 openblacs
for mpi in $ob_mpis; do
    [ -e "$build/obbench-$mpi.so" ] && command -v mpirun.$mpi >/dev/null || continue
    ob_launch $mpi 2 120 -- "$obbench" tc ts broadcast combine barrier $short $lengths --top 1 \
        --format csv >"$work/out" 2>"$work/err"
    judge $? "under $mpi" "$work/err"
    sound "under $mpi" $((9 + 3 * 6 + 2)) openblacs
    sound "under $mpi" $((6 + 3 * 6 + 2)) $mpi
    ob_launch $mpi 3 120 -- "$obbench" tc $short --lengths 8,4K --pair 2,1 --format csv >"$work/out" 2>"$work/err"
    judge $? "a pair under $mpi" "$work/err"
    sound "a pair under $mpi" 2 openblacs
    sound "a pair under $mpi" 2 $mpi
done
# What a job cannot do is said once, and before anything is measured.
for wrong in "process 7 is not in a scope of 2:--root 7" "a grid of 2 x 2 does not hold 2 processes:--grid 2x2" \
    "must be ROWSxCOLUMNS:--grid 2by2"; do
    refuses "${wrong%:*}" broadcast $short -n 2 ${wrong#*:}
    for launcher in obrun $ob_mpis; do
        case $launcher in
        obrun) timeout $((60 * OB_SLOW)) "$build/obrun" -n 2 "$obbench" broadcast $short ${wrong#*:} >"$work/out" 2>"$work/err" ;;
        *)
            [ -e "$build/obbench-$launcher.so" ] && command -v mpirun.$launcher >/dev/null || continue
            ob_launch $launcher 2 60 -- "$obbench" broadcast $short ${wrong#*:} >"$work/out" 2>"$work/err"
            ;;
        esac
        [ $? != 0 ] && [ "$(grep -c '^obbench: ' "$work/err")" = 1 ] && grep -qF "${wrong%:*}" "$work/err"
        judge $? "$launcher: ${wrong%:*}" "$work/err"
    done
done

# Earlier measurements are shown once, too.
runs "--input under obrun" "$build/obrun" -n 3 "$obbench" tc --input "$here/points.csv" --format csv
"$obbench" tc --input "$here/points.csv" --format csv | cmp -s - "$work/out"
judge $? "--input under obrun says it once" "$work/out"

# Whoever stops it finds no bar on the terminal.
cat >"$work/stop.py" <<'END'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while b"[#" not in seen and b"[." not in seen:
    seen += os.read(terminal, 1000)
os.kill(pid, signal.SIGINT)
try:
    while more := os.read(terminal, 1000):
        seen += more
except OSError:
    pass
_, status = os.waitpid(pid, 0)
assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status
assert seen.endswith(b"\r" + b" " * 70 + b"\r"), seen[-200:]
END
timeout $((60 * OB_SLOW)) python3 "$work/stop.py" "$obbench" all -n 2 --rounds 1000 >"$work/log" 2>&1
judge $? "SIGINT wipes the bar" "$work/log"

# --------------------------------------------------------------- the profile's life
runs "fit" "$obbench" fit --rounds 1 --reps 2 --again 2 --sample 50 -q -n 2 --lengths 8,64,512,4K,32K,256K --top 1
profile=$(find "$work/.cache/openblacs" -name '*.profile' 2>/dev/null)
[ -n "$profile" ] && head -1 "$profile" | grep -qx 'openblacs-profile 1'
judge $? "fit writes this machine's profile" "$work/err"
grep -qE '^bsp 2 [0-9.]+ [0-9.e-]+ [0-9.e-]+$' "$profile"; judge $? "fit writes the BSP parameters" "$profile"
runs "predict uses it" "$obbench" predict tc --input "$here/points.csv"
! grep -q 'built-in' "$work/err"; judge $? "predict finds the profile" "$work/err"
runs "a profile is near itself" "$obbench" tc --input "$here/points.csv" --profile "$profile" --against "$profile"
grep -q 'T_c  median 0.0 %, largest 0.0 %' "$work/out"; judge $? "no difference to itself" "$work/out"
for format in csv json; do
    runs "--against beside $format" "$obbench" tc --input "$here/points.csv" --profile "$profile" \
        --against "$profile" --format $format
    grep -q 'T_c  median 0.0 %' "$work/err" && "$obbench" tc --input "$here/points.csv" --format $format |
        cmp -s - "$work/out"
    judge $? "--against leaves $format alone" "$work/out"
done
cp "$profile" "$work/kept"
runs "--no-write" "$obbench" fit --input "$here/points.csv" --no-write
cmp -s "$profile" "$work/kept"; judge $? "--no-write writes nothing"
head -c 300 "$work/kept" >"$profile"
timeout $((20 * OB_SLOW)) "$obbench" predict --input "$here/points.csv" >"$work/out" 2>"$work/err" &&
    grep -qF "$profile" "$work/err" && grep -q 'is ignored' "$work/err" && grep -q built-in "$work/err"
judge $? "a cut profile is named and ignored" "$work/err"

# Numbers that nobody measured are not written as this machine's.
rm "$profile"
refuses "T_c, T_s, T_r: not measured" fit $short -n 1 --lengths 8 --top 1
[ ! -e "$profile" ]; judge $? "no profile from one process"
runs "--no-write from one process" "$obbench" fit $short -n 1 --lengths 8 --top 1 --no-write
grep -q 'T_c, T_s, T_r: not measured; the built-in numbers' "$work/err"; judge $? "it says so" "$work/err"
refuses "nothing was measured" tc ts $short -n 1

# ------------------------------------------------------------------------- figures
mkdir "$work/empty"
timeout $((20 * OB_SLOW)) env PATH="$work/empty" "$obbench" broadcast --input "$here/points.csv" --plot "$work/none" \
    >"$work/out" 2>"$work/err"
[ $? = 1 ] && [ "$(grep -c 'needs gnuplot, which is not installed' "$work/err")" = 1 ]
judge $? "--plot without gnuplot says so" "$work/err"
if command -v gnuplot >/dev/null; then
    for axes in log linear; do
        runs "--plot, $axes axes" "$obbench" predict --input "$here/points.csv" --profile \
            "$here/machine.profile" --plot "$work/it's" --axes $axes
        grep -q '</svg>' "$work/it's/messages-2.svg" && grep -q 'Length (bytes)' "$work/it's/messages-2.svg" &&
            grep -q 'Time (microseconds)' "$work/it's/messages-2.svg" && grep -q 'T_c' "$work/it's/messages-2.svg"
        judge $? "the figure has axes, units and a legend ($axes)" "$work/err"
    done
else
    echo "SKIP figures: no gnuplot"
fi
ob_tally
