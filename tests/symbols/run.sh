#!/bin/bash
# Only documented symbols are exported: what the shared libraries (libopenblacs,
# libicc, libmlacs) export is compared, both ways, with the functions that the public headers
# declare and the Fortran twins of the BLACS; and, of libopenblacs, with what include/hooks marks with
# OB_API: each of these is needed by another library or tool of ours. The static library cannot hide anything: there
# every other symbol must begin with ob_ (or obl_, inside interfaces/blacs).
#
#   tests/symbols/run.sh BUILD_DIR     (needs gcc, for its list of prototypes)
set -u
build=${1:?usage: tests/symbols/run.sh BUILD_DIR}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C CCACHE_DISABLE=1 # a gcc that is ccache lists no prototypes the second time

passed=0 failed=0
report() # STATUS NAME [FILE WITH THE OFFENDERS]
{
    if [ "$1" = 0 ]; then passed=$((passed + 1)); echo "PASS $2"
    else failed=$((failed + 1)); echo "FAIL $2"; [ -n "${3:-}" ] && sed 's/^/  /' "$3"; fi
}

# gcc lists the prototype of every function a header declares, macros expanded:
#   /* FILE:LINE:NC */ extern int name (...);
declared_functions() # HEADER...
{
    local header
    for header in "$@"; do
        printf '#include "%s"\n' "$header"
    done > "$work/all.c"
    gcc -std=c11 -D_GNU_SOURCE -I"$root/include" -fsyntax-only \
        -aux-info "$work/prototypes" "$work/all.c" || return 1
    grep -F "$root/include/openblacs/" "$work/prototypes" | grep -vF '*/ static ' |
        sed -E 's/^\/\*[^*]*\*\/ //; s/ \(.*//; s/.*[ *]//' | sort -u
}

# And its variables: extern OB_API TYPE NAME;
declared_variables() # HEADER...
{
    sed -nE 's/^extern OB_API .*[ *]([a-z0-9_]+);$/\1/p' "$@"
}

# What the hooks export. Their other functions are for the BLACS' interface, which lies in the library.
declared_hooks() # HEADER...
{
    { declared_variables "$@"
      sed -nE 's/^OB_API [^(]*[ *]([a-z0-9_]+)\(.*/\1/p' "$@"; } | sort -u
}

# Cdgesd2d has the Fortran twin dgesd2d_, Cblacs_get blacs_get_ and so on. With 64-bit integers
# Cdgesd2d64_ has dgesd2d_64_, and dgesd2d64_.
fortran_twins() { sed -nE '/64_$/{s/^C([a-z0-9_]+)64_$/\1_64_\n\164_/p;d}; s/^C([a-z0-9_]+)$/\1_/p' "$1"; }
# Of a list with both, the names with 32-bit integers.
plain() { grep -v '64_$' "$1"; }

# The BLACS also have the names that other Fortran compilers give them: NAME, name, NAME_ and,
# where there is an underscore inside, name__.
other_names() # LIST OF name_
{
    sed 's/_$//' "$1"
    sed 's/_$//' "$1" | tr a-z A-Z
    tr a-z A-Z < "$1"
    sed -n 's/^.*_.*_$/&_/p' "$1"
}

dynamic_symbols() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u; }

check_shared() # LIBRARY
{
    dynamic_symbols "$1" > "$work/exported"
    comm -23 "$work/documented" "$work/exported" > "$work/missing"
    [ ! -s "$work/missing" ]
    report $? "every documented function is exported ($(wc -l < "$work/documented") names)" "$work/missing"
    comm -13 "$work/documented" "$work/exported" > "$work/extra"
    [ ! -s "$work/extra" ]
    report $? "nothing else is exported" "$work/extra"
}

check_static() # ARCHIVE PREFIXES
{
    nm --defined-only --extern-only "$1" | awk 'NF == 3 { print $3 }' | sort -u > "$work/defined"
    comm -13 "$work/documented" "$work/defined" | grep -vE "^($2)_" > "$work/foreign"
    [ ! -s "$work/foreign" ]
    report $? "other symbols of $(basename "$1") begin with $2 and _" "$work/foreign"
    comm -23 "$work/documented" "$work/defined" > "$work/missing"
    [ ! -s "$work/missing" ]
    report $? "every documented function is in $(basename "$1")" "$work/missing"
}

# libNAME64 has the plain name of each routine that libNAME has with 64-bit integers, and no other; of the BLACS
# also other compilers' names: one that it left out would be libopenblacs's, with 32-bit integers.
check_64() # NAME LIST
{
    sed -nE 's/^(.*_)64_$/\1/p; s/^([Cibo].*[a-z0-9])64_$/\1/p' "$2" | sort -u > "$work/wide"
    comm -12 "$work/wide" "$2" > "$work/plain_names"
    grep '_$' "$work/plain_names" | grep -E "$(sed 's/^/^/; s/$/$/' "$work/blacs_fortran")" > "$work/in_blacs"
    { other_names "$work/in_blacs"; echo "link_with_lib${1}64"; } | sort - "$work/plain_names" | sort -u > "$work/wanted_64"
    dynamic_symbols "$build/lib${1}64.so" > "$work/exported"
    diff "$work/wanted_64" "$work/exported" > "$work/differ" && [ "$(wc -l < "$work/exported")" -ge 20 ]
    report $? "lib${1}64 exports the $(wc -l < "$work/wanted_64") plain names with 64-bit integers" "$work/differ"
}

# libNAME64.a takes its 64_ names from libNAME.a: those objects, and what they need, must define none of the plain
# names, which libNAME64.a defines too.
check_64_static() # NAME
{
    dynamic_symbols "$build/lib${1}64.so" > "$work/plain_names"
    nm --extern-only "$build/lib$1.a" | awk -v plain="$work/plain_names" '
        BEGIN { while ((getline name < plain) > 0) is_plain[name] = 1 }
        /:$/ { object++ }
        NF == 2 { needed[object] = needed[object] " " $2 }
        NF == 3 { where[$3] = object; if ($3 in is_plain) forbidden[object] = 1 }
        NF == 3 && /64_$/ { queue[++last] = object }
        END { while (at < last) {
                  o = queue[++at]
                  if (done[o]++) continue
                  n = split(needed[o], names, " ")
                  for (i = 1; i <= n; i++)
                      if (where[names[i]] in forbidden) print names[i]
                      else if (names[i] in where) queue[++last] = where[names[i]]
              } }' | sort -u > "$work/entangled"
    [ -s "$work/plain_names" ] && [ ! -s "$work/entangled" ]
    report $? "nothing in lib$1.a needs an object with plain names, so lib${1}64.a goes before it" "$work/entangled"
}

# None of our other libraries calls a routine by its plain name: beside libopenblacs64 and its like that is theirs, with
# 64-bit integers.
check_called()
{
    local library
    for library in "$build"/lib*64.so; do dynamic_symbols "$library"; done | sort -u > "$work/plain_names"
    for library in "$build"/lib*.so; do
        nm -D --undefined-only "$library" | awk '{ print $2 }' | sort -u | comm -12 - "$work/plain_names" |
            sed "s/^/$(basename "$library") calls /"
    done > "$work/called"
    [ -s "$work/plain_names" ] && [ ! -s "$work/called" ]
    report $? "no library of ours calls a routine that libopenblacs64, libicc64 and their like may have" "$work/called"
}

# The Fortran modules of a library (made from *.f90.in) have an interface for each routine that its headers
# declare, and for nothing else. Those with bind(c) may have more: helpers of their own.
check_modules() # FORTRAN NAMES  MODULE...
{
    local names=$1 module
    shift
    for module in "$@"; do
        sed -nE '/^ *end /Id; s/^ *([a-z].* )?(subroutine|function) +([a-z0-9_]+).*/\3/Ip' "$build/fortran/$module.f90"
    done | sort -u > "$work/interfaces"
    comm -23 "$names" "$work/interfaces" | sed 's/$/ is in no module/' > "$work/differ"
    grep -qi 'bind(c)' "$build/fortran/$1.f90" ||
        comm -13 "$names" "$work/interfaces" | sed 's/$/ is in no header/' >> "$work/differ"
    [ -s "$names" ] && [ ! -s "$work/differ" ]
    report $? "modules $*: interfaces of the $(wc -l < "$names") routines" "$work/differ"
}
fortran_names() { plain "$1" | sed -n 's/_$//p' | tr A-Z a-z | sort -u; }

# The checks above must find a symbol too many and one too few.
check_itself()
{
    local functions
    functions=$(sed '1d; s/.*/void &(void) {}/' "$work/documented")
    printf '%s\nvoid planted(void) {}\n' "$functions" > "$work/fake.c"
    gcc -w -fno-builtin -shared -fPIC -o "$work/libfake.so" "$work/fake.c" || return 1
    dynamic_symbols "$work/libfake.so" > "$work/fake"
    comm -13 "$work/documented" "$work/fake" | grep -qx planted &&
        comm -23 "$work/documented" "$work/fake" | grep -qx "$(head -1 "$work/documented")"
}

# Layouts and numbers that programs have built in (layout.c), for 64-bit machines; and in a copy of the
# headers with two members the other way round the change must be noticed.
if [ "$(getconf LONG_BIT)" = 64 ]; then
    gcc -std=c11 -I"$root/include" -fsyntax-only "$root/tests/symbols/layout.c" > "$work/layout" 2>&1
    report $? "layouts and numbers in public headers are as they were" "$work/layout"
    cp -r "$root/include" "$work/changed"
    sed -i 's/size_t m, n;/size_t n, m;/' "$work/changed/openblacs/core.h"
    gcc -std=c11 -I"$work/changed" -fsyntax-only "$root/tests/symbols/layout.c" 2>&1 | grep -q 'ob_view.m lies elsewhere'
    report $? "a changed layout is noticed"
else
    echo "SKIP layouts: not a 64-bit machine"
fi

# Libraries of their own have headers of their own; all others are libopenblacs's.
declared_functions "$root/include/openblacs/icc.h" > "$work/icc"
report $? "icc.h compiles alone"
declared_functions "$root/include/openblacs/nx.h" > "$work/nx"
report $? "nx.h compiles alone"
declared_functions "$root"/include/openblacs/bsp.h "$root"/include/openblacs/bsp_level1.h \
    "$root"/include/openblacs/bsp2d.h > "$work/bsp"
report $? "the headers of BSP compile alone"
declared_functions "$root/include/openblacs/mlacs.h" | grep '^mlacs_' > "$work/mlacs"
report $? "mlacs.h compiles alone"
declared_functions "$root/include/openblacs/picl.h" | grep -v '^ob_' > "$work/picl"
report $? "picl.h compiles alone"
# mlacs_mpi.h needs an MPI, and declares nothing that is exported.
declared_functions $(ls "$root"/include/openblacs/*.h | grep -vE 'mlacs_mpi|blacs94') > "$work/all"
report $? "the public headers compile together"
comm -23 "$work/bsp" <(declared_functions "$root/include/openblacs/core.h") > "$work/bsp_own"
declared_functions "$root/include/openblacs/bsp_lu.h" > "$work/lu"
report $? "bsp_lu.h compiles alone"
comm -23 "$work/lu" <(declared_functions "$root/include/openblacs/core.h") > "$work/lu_own"
declared_functions "$root/include/openblacs/redist.h" > "$work/redist"
report $? "redist.h compiles alone"
comm -23 "$work/redist" <(declared_functions "$root/include/openblacs/core.h") > "$work/redist_own"
declared_functions "$root/include/openblacs/factor.h" > "$work/factor"
report $? "factor.h compiles alone"
sort "$work/icc" "$work/nx" "$work/bsp_own" "$work/lu_own" "$work/redist_own" "$work/factor" "$work/mlacs" "$work/picl" | comm -23 "$work/all" - > "$work/declared"
declared_functions "$root/include/openblacs/blacs.h" > "$work/blacs"
plain "$work/blacs" > "$work/blacs_plain"
sed -n 's/64_$//p' "$work/blacs" | sort > "$work/with_64"
[ -s "$work/with_64" ] && diff "$work/with_64" "$work/blacs_plain" > "$work/differ"
report $? "every routine of blacs.h is declared with 64-bit integers, too" "$work/differ"
fortran_twins "$work/blacs_plain" > "$work/blacs_fortran"
{ cat "$work/declared"; fortran_twins "$work/declared"; other_names "$work/blacs_fortran"
  declared_variables $(ls "$root"/include/openblacs/*.h | grep -v '/bsp\.h$'); } | sort -u > "$work/documented"
[ "$(grep -c '^C' "$work/declared")" -ge 55 ]
report $? "the headers declare the 55 communication routines and more"

declared_hooks "$root"/include/hooks/*.h > "$work/hooks"
declared_hooks "$root/interfaces/common/offer.h" > "$work/lu_hooks" # libopenblacs_lu's
declared_hooks "$root/interfaces/common/lent.h" > "$work/bsp_hooks" # libopenblacs_bsp's
sort "$work/hooks" "$work/lu_hooks" | comm -12 - "$work/documented" > "$work/both"
[ "$(wc -l < "$work/hooks")" -ge 30 ] && [ ! -s "$work/both" ]
report $? "no public header declares one of the $(wc -l < "$work/hooks") hooks" "$work/both"
for user in "$build"/lib*.so "$build"/obrun "$build"/obinfo "$build"/obbench "$build"/obtrace; do
    [ "$user" = "$build/libopenblacs.so" ] || nm -D --undefined-only "$user" | awk '{ print $2 }'
done | sort -u > "$work/needed"
comm -23 "$work/hooks" "$work/needed" > "$work/idle"
[ ! -s "$work/idle" ]
report $? "every hook is needed outside libopenblacs" "$work/idle"
sort "$work/hooks" "$work/documented" > "$work/exports" && mv "$work/exports" "$work/documented"
check_shared "$build/libopenblacs.so"
check_64 openblacs "$work/documented"
check_64_static openblacs
check_static "$build/libopenblacs.a" "ob|obl"
for module in $(find "$build" -name 'mpi-*.so'); do
    dynamic_symbols "$module" > "$work/exported"
    [ "$(wc -l < "$work/exported")" = 1 ] && grep -q '^ob_' "$work/exported"
    report $? "$(basename "$module") exports one ob_ symbol" "$work/exported"
done
# Of the replacement library MPI's names alone are seen, each also with its P; of Open MPI's extension, too.
for library in "$build"/libicc-mpi-*.so; do
    dynamic_symbols "$library" > "$work/exported"
    sed -nE 's/^P(MPIX?_)/\1/p' "$work/exported" | sort > "$work/second"
    grep -vE '^PMPIX?_' "$work/exported" | grep -vE '^MPI_|^MPIX_[A-Za-z_]*_init$' > "$work/foreign"
    grep -E '^MPIX?_' "$work/exported" | comm -3 - "$work/second" >> "$work/foreign"
    [ ! -s "$work/foreign" ] && [ "$(wc -l < "$work/second")" -ge 13 ]
    report $? "$(basename "$library") exports MPI's names and nothing else" "$work/foreign"
done
check_itself
report $? "one symbol too many and one too few are noticed"
# Every iCC routine has its Fortran twin in lower case.
cp "$work/icc" "$work/documented"
sed -n 's/^iCC_/icc_/p' "$work/icc" | sed -E 's/64_$/_64/; s/$/_/' | sort > "$work/twins"
grep '^icc_' "$work/icc" | sort | comm -3 - "$work/twins" > "$work/missing"
[ "$(wc -l < "$work/twins")" -ge 150 ] && [ ! -s "$work/missing" ]
report $? "icc.h declares the Fortran twin of each routine" "$work/missing"
sort "$work/bsp_own" "$work/bsp_hooks" > "$work/documented"
[ "$(declared_functions "$root/include/openblacs/bsp.h" | grep '^bsp_' | grep -vcE '^bsp_put_|_wide$')" = 23 ]
report $? "bsp.h declares the 20 primitives of BSPlib and 3 more"
[ -z "$(declared_variables "$root/include/openblacs/bsp.h")" ]
report $? "bsp.h declares no variable of the library"
check_shared "$build/libopenblacs_bsp.so"
check_static "$build/libopenblacs_bsp.a" "bspm"
if [ -e "$build/libopenblacs_lu.so" ]; then
    sort "$work/lu_own" "$work/lu_hooks" > "$work/documented"
    check_shared "$build/libopenblacs_lu.so"
    check_static "$build/libopenblacs_lu.a" "oblu|lu"
    check_64 openblacs_lu "$work/lu_own"
    check_64_static openblacs_lu
    comm -23 "$work/lu_hooks" <(nm -D --undefined-only "$build/libopenblacs_factor.so" | awk '{ print $2 }' | sort -u) > "$work/idle"
    [ -s "$work/lu_hooks" ] && [ ! -s "$work/idle" ]
    report $? "every hook of libopenblacs_lu is needed by libopenblacs_factor" "$work/idle"
    cp "$work/factor" "$work/documented"
    [ "$(wc -l < "$work/factor")" = 34 ]
    report $? "factor.h declares 34 routines"
    check_shared "$build/libopenblacs_factor.so"
    check_static "$build/libopenblacs_factor.a" "obfa"
fi
cp "$work/redist_own" "$work/documented"
check_shared "$build/libopenblacs_redist.so"
check_static "$build/libopenblacs_redist.a" "obrd|redist"
check_64 openblacs_redist "$work/redist_own"
check_64_static openblacs_redist
# The interface of 1994 has names of blacs.h with other arguments; so it stands alone.
declared_functions "$root/include/openblacs/blacs94.h" | grep -v '^d[a-z]*time00_$' > "$work/documented"
[ "$(wc -l < "$work/documented")" = 73 ]
report $? "blacs94.h declares 73 routines"
check_shared "$build/libblacs94.so"
cp "$work/icc" "$work/documented"
check_shared "$build/libicc.so"
check_64 icc "$work/icc"
check_64_static icc
check_called
check_static "$build/libicc.a" "icc"
# Every routine of NX has its Fortran twin.
grep -v '_$' "$work/nx" | sed 's/$/_/' | sort > "$work/twins"
grep '_$' "$work/nx" | sort | comm -3 - "$work/twins" > "$work/missing"
[ "$(wc -l < "$work/twins")" -ge 30 ] && [ ! -s "$work/missing" ]
report $? "nx.h declares the Fortran twin of each routine" "$work/missing"
cp "$work/nx" "$work/documented"
check_shared "$build/libnx.so"
check_static "$build/libnx.a" "nx"
# As of the MLACS, every routine has a Fortran twin.
{ cat "$work/picl"; sed 's/$/_/' "$work/picl"; } | sort > "$work/documented"
check_shared "$build/libpicl.so"
check_static "$build/libpicl.a" "picl"
# Every MLACS routine has a Fortran twin, its name with an underscore.
[ "$(wc -l < "$work/mlacs")" -ge 50 ]
report $? "mlacs.h declares $(wc -l < "$work/mlacs") functions, at least 50"
{ cat "$work/mlacs"; sed 's/$/_/' "$work/mlacs"; } | sort > "$work/documented"
check_shared "$build/libmlacs.so"
check_static "$build/libmlacs.a" "obm"

# (blacs_mkl.h is for Intel's library, not for programs.)
declared_functions "$root"/include/openblacs/blacs.h "$root"/include/openblacs/blacs_extensions.h > "$work/with_extensions"
fortran_names "$work/with_extensions" > "$work/names"
check_modules "$work/names" blacs blacs_extensions
cmp -s "$build/fortran/blacs.f90" "$build/fortran64/blacs.f90"
report $? "the module for 64-bit integers is made of the same source"
fortran_names "$work/icc" > "$work/names"
check_modules "$work/names" icc
check_modules "$work/mlacs" mlacs
check_modules "$work/picl" picl
grep '^bsp2d_' "$work/bsp_own" > "$work/names"
check_modules "$work/names" bsp2d
fortran_names "$work/lu_own" > "$work/names"
check_modules "$work/names" bsp_lu
fortran_names "$work/redist_own" > "$work/names"
check_modules "$work/names" redist

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
