#!/bin/bash
# What tools can say about the sources: clang-format (.clang-format), shellcheck (.shellcheckrc) and clang-tidy
# (.clang-tidy). Each of these files says what is off, and why. And errors.py: the codes of error lines.
#   tests/habits/run.sh BUILD_DIR      its build with Ninja says how each file is compiled
#   tests/habits/run.sh BUILD_DIR analyzer     clang-tidy alone, with clang-analyzer, which takes minutes
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$1 analyzer=${2-}
# Other versions of clang-format break some lines elsewhere; Debian 12 has this one.
FORMATTED_BY=14
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$ob_root" || exit 1

sources() { # SUFFIX: a list of files of this tree, with or without git
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard "*$1"
    else
        find . -name "*$1" -not -path './build*' -not -path './.git/*' -printf '%P\n'
    fi | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

check_format() {
    local differ
    { sources .c; sources .h; } | xargs clang-format --dry-run 2>&1 |
        sed -n 's/^\(.*\):[0-9]*:[0-9]*: warning: .*/\1/p' | sort -u >"$work/format"
    differ=$(wc -l <"$work/format")
    if [ "$differ" = 0 ]; then
        ob_pass
    elif clang-format --version | grep -q "version $FORMATTED_BY\."; then
        ob_fail "clang-format would change $differ files (clang-format -i FILE)" "$work/format"
    else
        echo "$(clang-format --version) would change $differ files; the sources are formatted by $FORMATTED_BY"
    fi
}

# All scripts: by their suffix, or by their first line.
check_scripts() {
    sources "" | xargs grep -lIE -m 1 '^#!.*\<(ba)?sh\>' | while read -r file; do
        if head -n 1 "$file" | grep -q '^#!'; then echo "$file"; fi
    done >"$work/scripts"
    sources .sh >>"$work/scripts"
    if sort -u "$work/scripts" | xargs shellcheck -f gcc >"$work/shellcheck"; then
        ob_pass
    else
        ob_fail "shellcheck" "$work/shellcheck"
    fi
}

# Which MPI libraries tests run under says ob_mpis (scripts/common.sh) alone.
check_mpis() {
    if xargs grep -l 'scripts/common\.sh' <"$work/scripts" | xargs grep -nE '^[^#]*openmpi:?[a-z]* mpich' |
        grep -vE '^scripts/common\.sh:|wrong_one' >"$work/mpis"; then
        ob_fail "a list of MPI libraries beside ob_mpis" "$work/mpis"
    else
        ob_pass
    fi
}

# How many processors there are says ob_cores: nproc takes OMP_NUM_THREADS for its answer, which scripts/common.sh sets.
check_nproc() {
    if xargs grep -l 'scripts/common\.sh' <"$work/scripts" | xargs grep -nE '^[^#]*[(]nproc' >"$work/nproc"; then
        ob_fail "nproc beside ob_cores" "$work/nproc"
    else
        ob_pass
    fi
}

# Each limit of a program is longer on a slow machine: see OB_SLOW in scripts/common.sh.
check_limits() {
    if xargs grep -l 'scripts/common\.sh' <"$work/scripts" |
        xargs grep -nE '^([^#]*[^-#])?\<timeout (-k [0-9]+ )?[0-9]+ ' >"$work/limits"; then
        ob_fail "a time limit without OB_SLOW" "$work/limits"
    else
        ob_pass
    fi
}

# MPICH's MPI_Init makes stdout unbuffered, and compilers make puts of a printf of text alone: that writes the line and
# its end apart, and lines of several processes mix.
check_puts() {
    if { sources .c; sources .h; } | grep '^tests/' | xargs grep -nE '(^|[^a-z_])(printf\("[^%"]+\\n"\)|puts\()' >"$work/puts"; then
        ob_fail "a line of text alone is not written with fputs" "$work/puts"
    else
        ob_pass
    fi
}

# A machine that becomes slower while a step runs has longer limits at the next launch, and as before when it is idle again.
check_slower() {
    local times status
    for times in 1 60 1; do
        echo $times >"$work/slower"
        (OB_SLOW_FILE=$work/slower ob_launch self 1 1 -- sleep 3)
        status=$?
        if [ $status = $((times == 1 ? 124 : 0)) ]; then
            ob_pass
        else
            ob_fail "the limit of a launch on a machine that is $times times slower: status $status"
        fi
    done
}

# A failure shows OpenBLACS' line, however much a launcher wrote behind it.
check_shown() {
    { echo "OpenBLACS: a line" && seq 40; } >"$work/shown"
    if (ob_fail "planted" "$work/shown") | grep -q '| OpenBLACS: a line$'; then
        ob_pass
    else
        ob_fail "what ob_fail shows lacks OpenBLACS' line"
    fi
}

# lintian takes a script with a longer line for one that a tool wrote, whose source is missing.
check_lengths() {
    if sources .js | xargs awk 'length > 512 { print FILENAME ":" FNR; found = 1 } END { exit !found }' >"$work/lengths"; then
        ob_fail "lines of more than 512 characters" "$work/lengths"
    else
        ob_pass
    fi
}

# Every error line has a code that docs/errors.md explains.
check_errors() {
    if tests/habits/errors.py "$build" >"$work/errors"; then ob_pass; else ob_fail "codes of error lines" "$work/errors"; fi
}

# Loops with "restrict" are written for the vectoriser: their files, wherever they move, and no others have -O3.
check_vectors() {
    (cd src && sources .c | xargs grep -lw restrict | sort) >"$work/written"
    sed -n '/^set_source_files_properties(/,/:-O3>)/p' src/CMakeLists.txt | grep -o '[a-z_/]*\.c' | sort >"$work/marked"
    if diff "$work/written" "$work/marked" >"$work/vectors"; then
        ob_pass
    else
        ob_fail "files with restrict (<), and with -O3 in src/CMakeLists.txt (>)" "$work/vectors"
    fi
}

# The commands of the build, one for each file, without what clang does not know.
commands() {
    ninja -C "$build" -t compdb >"$work/all.json" && python3 - "$work" <<'END'
import json, re, sys
entries = {}
for e in json.load(open(sys.argv[1] + "/all.json")):
    if e["file"].endswith(".c") and " -c " in e["command"]:
        e["command"] = re.sub(r"^\S*ccache |-fno-semantic-interposition| -Werror\b", "", e["command"])
        entries.setdefault(e["file"], e)
json.dump(list(entries.values()), open(sys.argv[1] + "/compile_commands.json", "w"))
print("\n".join(entries))
END
}

# Of what is built and shipped: tests are left out. A process of clang-analyzer looks at one file: version 14 finds
# va_start by an address that it remembers from the first file, so in any other it may take each va_list for unset.
tidy() { # FILE...
    local checks="-clang-analyzer-*" together=8
    [ -z "$analyzer" ] || checks='' together=1
    printf '%s\n' "$@" | xargs -P "$ob_cores" -n $together clang-tidy -p "$work" --quiet \
        --checks="$checks" >"$work/tidy" 2>/dev/null || echo "error: xargs of clang-tidy ended with [$?]" >>"$work/tidy"
    grep -E '(warning|error): .*\[' "$work/tidy" | sort -u >"$work/told"
    [ ! -s "$work/told" ]
}

check_tidy() {
    sources .c | grep -E '^(src|interfaces|tools|lu|redist)/.*\.c$' |
        grep -v '_test\.c$' | sed "s|^|$ob_root/|" | sort -u >"$work/wanted"
    sort -u "$work/built" | comm -12 - "$work/wanted" >"$work/files"
    mapfile -t files <"$work/files"
    echo "clang-tidy: ${#files[@]} files"
    if [ ${#files[@]} != 0 ] && tidy "${files[@]}"; then ob_pass; else ob_fail "clang-tidy" "$work/told"; fi
}

# Each tool finds what is planted for it.
plant() {
    printf 'int f(int a){return a;}\n' >"$work/planted.c"
    cp .clang-format "$work/"
    if clang-format --dry-run --Werror "$work/planted.c" 2>/dev/null; then
        ob_fail "clang-format does not see a line that is not formatted"
    else
        ob_pass
    fi
    printf '#!/bin/sh\nif [ $missing = 1 ]; then echo; fi\n' >"$work/planted.sh"
    if shellcheck "$work/planted.sh" >/dev/null; then
        ob_fail "shellcheck does not see a variable without a value"
    else
        ob_pass
    fi
    printf '#include <string.h>\nvoid f(int *p);\nvoid f(int *q)\n{\n    memset(q, sizeof *q, 0);\n}\n' >"$work/planted.c"
    cp .clang-tidy "$work/"
    if clang-tidy --quiet "$work/planted.c" -- 2>/dev/null | grep -q 'bugprone-suspicious-memset-usage'; then
        ob_pass
    else
        ob_fail "clang-tidy does not see a memset of 0 bytes"
    fi
    printf 'int f(int a);\nint f(int a)\n{\n    int *p = 0;\n    return a ? *p : 0;\n}\n' >"$work/planted.c"
    if clang-tidy --quiet "$work/planted.c" -- 2>/dev/null | grep -q 'clang-analyzer-core.NullDereference'; then
        ob_pass
    else
        ob_fail "clang-tidy's analyzer does not see that a null pointer is read"
    fi
    plant_lists
    plant_end
}

# A clang-tidy that dies says nothing, and that is no praise.
plant_end() {
    mkdir "$work/dies"
    printf '#!/bin/sh\nkill -KILL $$\n' >"$work/dies/clang-tidy"
    chmod +x "$work/dies/clang-tidy"
    if PATH=$work/dies:$PATH tidy "$work/planted.c"; then ob_fail "a clang-tidy that dies passes"; else ob_pass; fi
}

# What the analyzer says of a file does not depend on the files before it.
plant_lists() {
    local good=() bad=() i analyzer=analyzer
    for i in 1 2 3; do
        good+=("$work/good$i.c") bad+=("$work/bad$i.c")
        {
            printf '#include <stdarg.h>\n#include <stdio.h>\nvoid say%s(const char *format, ...);\n' $i
            printf 'void say%s(const char *format, ...)\n{\n    va_list args;\n    va_start(args, format);\n' $i
            printf '    vprintf(format, args);\n    va_end(args);\n}\n'
        } >"$work/good$i.c"
        grep -v va_start "$work/good$i.c" >"$work/bad$i.c"
    done
    if tidy "${good[@]}"; then ob_pass; else ob_fail "clang-tidy's analyzer takes a va_list that is set for another" "$work/told"; fi
    tidy "${bad[@]}"
    if [ "$(grep -c 'clang-analyzer-valist.Uninitialized' "$work/told")" = 3 ]; then
        ob_pass
    else
        ob_fail "clang-tidy's analyzer does not see each va_list that is not set" "$work/told"
    fi
}

if ! commands >"$work/built"; then
    ob_fail "no commands of the build in $build"
    ob_tally
    exit
fi
if [ -z "$analyzer" ]; then
    plant
    check_format
    check_scripts
    check_mpis
    check_nproc
    check_limits
    check_puts
    check_lengths
    check_slower
    check_shown
    check_errors
    check_vectors
fi
check_tidy
ob_tally
