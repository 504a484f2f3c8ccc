#!/bin/bash
# The manual pages are complete and sound: every function of the public headers
# answers to `man` under its C and its Fortran name, no page names a function that is not
# there, references lead somewhere, every OPENBLACS_ setting is described, and
# a formatter has nothing to complain of.
#
#   tests/man/run.sh BUILD_DIR     (a configured one: it holds the alias pages)
set -u
build=${1:?usage: tests/man/run.sh BUILD_DIR}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C CCACHE_DISABLE=1 # a gcc that is ccache lists no prototypes the second time

passed=0 failed=0 skipped=0
report() # STATUS NAME [FILE WITH THE OFFENDERS]
{
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "PASS $2"
    else failed=$((failed + 1)); echo "FAIL $2"; [ -n "${3:-}" ] && sed 's/^/  /' "$3"; fi
}

# The functions of blacs.h and blacs_extensions.h, as gcc lists them (see tests/symbols/run.sh).
echo '#include "openblacs/blacs_extensions.h"' > "$work/all.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/all.c"
report $? "blacs_extensions.h compiles"
grep -E "$root/include/openblacs/blacs(_extensions)?.h:" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//' | grep '^C' | grep -v '64_$' | sort -u > "$work/c"
[ "$(wc -l < "$work/c")" -ge 75 ]
report $? "blacs.h declares $(wc -l < "$work/c") C functions, at least 75"
# iCC's two names differ in case alone; Fortran's end with an underscore in C.
echo '#include "openblacs/icc.h"' > "$work/icc.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/icc.c"
report $? "icc.h compiles"
grep -F "$root/include/openblacs/icc.h:" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//; /64_$/d; s/_$//' | sort -u > "$work/icc"
[ "$(wc -l < "$work/icc")" -ge 300 ]
report $? "icc.h declares $(wc -l < "$work/icc") functions, at least 300"
echo '#include "openblacs/mlacs.h"' > "$work/mlacs.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/mlacs.c"
report $? "mlacs.h compiles"
grep -F "$root/include/openblacs/mlacs.h:" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//' | sort -u > "$work/mlacs"
[ "$(wc -l < "$work/mlacs")" -ge 50 ]
report $? "mlacs.h declares $(wc -l < "$work/mlacs") functions, at least 50"
sed -nE 's/^OB_API .*[ *]([a-z]+[01])\(.*/\1/p; s/^OB_API void (trace[a-z]+)\(.*/\1/p' \
    "$root/include/openblacs/picl.h" | sort -u > "$work/picl"
[ "$(wc -l < "$work/picl")" -ge 37 ]
report $? "picl.h declares $(wc -l < "$work/picl") functions, at least 37"
# bsp_put_call and bsp_put_gather are parts of bsp_put.
printf '#include "openblacs/%s.h"\n' bsp bsp_level1 bsp2d bsp_lu > "$work/bsp.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/bsp.c"
report $? "bsp.h, bsp2d.h and bsp_lu.h compile"
grep -F "$root/include/openblacs/bsp" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//; /64_$/d; s/_$//' | grep -v '^bsp_put_\(call\|gather\)$' | sort -u > "$work/bsp"
[ "$(wc -l < "$work/bsp")" -ge 102 ]
report $? "bsp.h, bsp2d.h and bsp_lu.h declare $(wc -l < "$work/bsp") functions, at least 102"
echo '#include "openblacs/redist.h"' > "$work/redist.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/redist.c"
report $? "redist.h compiles"
grep -F "$root/include/openblacs/redist.h:" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//; /64_$/d; s/_$//' | sort -u > "$work/redist"
[ "$(wc -l < "$work/redist")" = 44 ]
report $? "redist.h declares 44 routines, by $(wc -l < "$work/redist") names"
echo '#include "openblacs/factor.h"' > "$work/factor.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/factor.c"
report $? "factor.h compiles"
grep -F "$root/include/openblacs/factor.h:" "$work/prototypes" | sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//; s/_$//' |
    sort -u > "$work/factor"
[ "$(wc -l < "$work/factor")" = 34 ]
report $? "factor.h declares 34 routines, by $(wc -l < "$work/factor") names"
# The core, and what stands beside it.
printf '#include "openblacs/%s.h"\n' core together launch profile trace > "$work/core.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/core.c"
report $? "core.h, together.h, launch.h, profile.h and trace.h compile"
grep -E "$root/include/openblacs/(core|together|launch|profile|trace)\.h:" "$work/prototypes" |
    sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//' | sort -u > "$work/core"
[ "$(wc -l < "$work/core")" -ge 86 ]
report $? "core.h and the four declare $(wc -l < "$work/core") functions, at least 86"
# And those with 64-bit integers. Fortran's of the BLACS are in no header: dgesd2d64_ and dgesd2d_64_.
printf '#include "openblacs/%s.h"\n' blacs_extensions icc bsp_lu redist > "$work/wide.c"
gcc -std=c11 -I"$root/include" -fsyntax-only -aux-info "$work/prototypes" "$work/wide.c"
grep -F "$root/include/openblacs/" "$work/prototypes" |
    sed -nE 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//; s/^C(.*)64_$/&\n\164_\n\1_64_/; /64_$/p' | sort -u > "$work/wide"
[ "$(wc -l < "$work/wide")" -ge 600 ]
report $? "headers declare $(wc -l < "$work/wide") names with 64-bit integers, at least 600"
{ cat "$work/c" "$work/core" "$work/icc" "$work/mlacs" "$work/picl" "$work/bsp" "$work/redist" "$work/factor"; sed 's/^C//' "$work/c"; cat "$work/wide"; } | sort -u > "$work/wanted"

# Pages there are, but for the family names (gesd2d for dgesd2d and so on).
ls "$root"/man/*.3 "$build"/man3/*.3 | sed 's/.*\///; s/\.3$//' | sort -u > "$work/pages"
comm -23 "$work/wanted" "$work/pages" > "$work/missing"
[ ! -s "$work/missing" ]
report $? "every function has a page" "$work/missing"
comm -13 "$work/wanted" "$work/pages" | while read -r name; do
    grep -qxE "[isdcz]$name" "$work/wanted" || echo "$name"
done > "$work/extra"
[ ! -s "$work/extra" ]
report $? "no page is about a function that is not there" "$work/extra"

# What the modules of the LU and of redistribution declare stands in their pages as calls, by the names for double
# precision: "call bsp_pdgetrf(m, n, ...)".
perl -0777 -ne 's/&\n\s*//g; while (/^\s*subroutine ([\w@]+)(\([^)]*\))/gm) {
    ($name, $list) = ($1, $2); $name =~ s/\@NAME\@$/dtran/; $name =~ s/\@NAME\@/d/; print "call $name$list\n" }' \
    "$root"/lu/bsp_lu.f90.in "$root"/redist/redist.f90.in | sort -u > "$work/calls"
cat "$root"/man/bsp_*.3 "$root"/man/pd*.3 "$root"/man/ob_redist_*.3 | grep '^call ' | sort -u > "$work/shown"
comm -23 "$work/calls" "$work/shown" > "$work/missing"
[ "$(wc -l < "$work/calls")" -ge 21 ] && [ ! -s "$work/missing" ]
report $? "pages show the $(wc -l < "$work/calls") calls from Fortran that the modules of the LU and of redistribution declare" "$work/missing"

for alias in "$build"/man3/*.3; do
    target=$(sed -n 's/^\.so man3\///p' "$alias")
    [ -n "$target" ] && [ -e "$root/man/$target" ] || echo "$alias"
done > "$work/dangling"
[ ! -s "$work/dangling" ]
report $? "every alias leads to a page" "$work/dangling"

sed -nE 's/^\.Xr ([^ ]+) ([0-9]).*/\1.\2/p' "$root"/man/*.[1357] | sort -u > "$work/references"
while read -r page; do
    [ -e "$root/man/$page" ] || [ -e "$build/man3/$page" ] || echo "$page"
done < "$work/references" > "$work/dangling"
[ ! -s "$work/dangling" ]
report $? "every reference leads to a page" "$work/dangling"

# Types that a page shows are those of the headers, member for member.
types_of() # FILE...
{
    perl -0777 -ne 's{/\*.*?\*/}{}gs; while (/typedef (?:enum|struct) \w+ \{.*?\} \w+;/gs) {
        ($type = $&) =~ s/\s+/ /g; print "$type\n" }' "$@" | sort -u
}
types_of "$root"/include/openblacs/*.h > "$work/types"
types_of "$root"/man/*.[37] > "$work/shown"
comm -13 "$work/types" "$work/shown" > "$work/differ"
[ -s "$work/shown" ] && [ ! -s "$work/differ" ]
report $? "the $(wc -l < "$work/shown") types that pages show are those of the headers" "$work/differ"

# The environment, as the table in src/core/settings.c has it. Hidden ones are no user's.
sed -nE '/\.hidden/d; s/^ *\{"([A-Z_]+)", .*\},$/OPENBLACS_\1/p' "$root/src/core/settings.c" |
    sort -u > "$work/settings"
for text in man/openblacs.7 docs/environment.md; do
    while read -r name; do grep -qw "$name" "$root/$text" || echo "$name"; done \
        < "$work/settings" > "$work/missing"
    [ -s "$work/settings" ] && [ ! -s "$work/missing" ]
    report $? "$text describes all $(wc -l < "$work/settings") settings" "$work/missing"
done
# And the names for pkg-config.
(cd "$build" && ls ./*.pc) | sed 's|^\./||; s/\.pc$//' > "$work/packages"
while read -r name; do
    for text in docs man; do
        cat "$root/$text"/* 2> /dev/null | sed 's/\\-/-/g' | grep -qE "(^|[^A-Za-z0-9-])$name([^A-Za-z0-9-]|\$)" || echo "$name is not in $text/"
    done
done < "$work/packages" > "$work/missing"
[ -s "$work/packages" ] && [ ! -s "$work/missing" ]
report $? "docs and pages name the $(wc -l < "$work/packages") packages of pkg-config" "$work/missing"
# And the variables of MPI launchers, as the list in include/hooks/mpi.h has them.
grep -oE '"[A-Z]+(_[A-Z]+)+"' "$root/include/hooks/mpi.h" | tr -d '"' | sort -u > "$work/launchers"
while read -r name; do grep -qw "$name" "$root/docs/environment.md" || echo "$name"; done \
    < "$work/launchers" > "$work/missing"
[ -s "$work/launchers" ] && [ ! -s "$work/missing" ]
report $? "docs/environment.md names all $(wc -l < "$work/launchers") variables of MPI launchers" "$work/missing"

formatters=
if command -v mandoc > /dev/null; then
    formatters=mandoc
    mandoc -Tlint -W warning "$root"/man/*.[1357] > "$work/lint" 2>&1
    [ ! -s "$work/lint" ]; report $? "mandoc has no warning" "$work/lint"
fi
if command -v groff > /dev/null; then
    formatters="$formatters groff"
    for page in "$root"/man/*.[1357]; do groff -mandoc -ww -Tutf8 -z "$page"; done > "$work/lint" 2>&1
    [ ! -s "$work/lint" ]; report $? "groff has no warning" "$work/lint"
fi
[ -n "$formatters" ] || { skipped=1; echo "SKIP no formatter (mandoc or groff)"; }
# A text that only one formatter shows is lost to those who use the other ("An" in a title is a
# macro's name); in a synopsis a function's name amid a sentence becomes a prototype.
if [ "$formatters" = "mandoc groff" ]; then
    # Words of the first text that are nowhere in the second, whose words may be hyphenated.
    lost() { # TEXT TEXT
        awk 'NR == FNR { all = all $0; next }
             FNR == 1 { gsub(/[^A-Za-z0-9_]/, "", all) }
             { n = split($0, word, /[^A-Za-z0-9_]+/)
               for (i = 1; i <= n; i++) if (!index(all, word[i])) print word[i] }' "$2" "$1"
    }
    for page in "$root"/man/*.[1357]; do
        mandoc -Tascii -Owidth=400 "$page" | col -b > "$work/of_mandoc"
        # Its footer says BSD.
        groff -mandoc -rHY=0 -rLL=400n -Tascii -P-c "$page" 2> /dev/null | col -b |
            sed 's/BSD//; s/-$//' > "$work/of_groff"
        lost "$work/of_mandoc" "$work/of_groff" | sed "s|^|${page##*/}, lost to groff: |"
        tr -s '\n' ' ' < "$work/of_mandoc" > "$work/one_line"
        # Parts of hyphenated words are in the whole ones.
        lost "$work/of_groff" "$work/one_line" | sed "s|^|${page##*/}, lost to mandoc: |"
    done > "$work/lost"
    [ ! -s "$work/lost" ]; report $? "both formatters show the same words" "$work/lost"
    for page in "$root"/man/*.3; do
        mandoc -Tascii "$page" | col -b | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | grep -nE '^ *[,.]( |$)|\(\);,' |
            sed "s|^|${page##*/}: |"
    done > "$work/lost"
    [ ! -s "$work/lost" ]; report $? "no prototype is made of a sentence in a synopsis" "$work/lost"
fi

if [ $skipped = 0 ]; then echo "$passed passed, $failed failed"
else echo "$passed passed, $failed failed, $skipped skipped"; fi
[ "$failed" = 0 ]
