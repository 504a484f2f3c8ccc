#!/bin/bash
# scripts/release in a scratch repository of a small library: what it refuses, what its tags and tarballs are. All files of
# this tree that name its version name the same.
#   tests/release/run.sh
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
export HOME=$work GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

if "$ob_root/scripts/release" --versions >"$log" 2>&1; then ob_pass; else ob_fail "files of this tree name different versions" "$log"; fi

# ------------------------------------------------- a library that can be released
scratch=$work/scratch
mkdir -p "$scratch"/{scripts,tests/abi,include/openblacs,python/openblacs}
cp "$ob_root"/scripts/{release,common.sh} "$scratch/scripts/"
cp "$ob_root/tests/abi/run.sh" "$scratch/tests/abi/"
cd "$scratch" || exit 1
printf 'build-*/\n' >.gitignore
cat >check <<'END'
#!/bin/bash
echo run >>build-ran/check
echo "12 passed, $(cat build-ran/failures 2>/dev/null || echo 0) failed"
[ ! -e build-ran/failures ]
END
chmod +x check
mkdir build-ran

# Written by name, since each of these is changed below.
names() { # VERSION
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(openblacs VERSION $1 LANGUAGES C)
include_directories(include)
add_library(openblacs SHARED library.c)
set_target_properties(openblacs PROPERTIES SOVERSION ${soversion-0})
END
    echo "version = \"$1\"" >python/pyproject.toml
    echo "__version__ = \"$1\"" >python/openblacs/__init__.py
    awk -v v="$1" 'BEGIN {split(v, n, "."); print "#define OB_VERSION_MAJOR " n[1] "\n#define OB_VERSION_MINOR " n[2]
        print "#define OB_VERSION_PATCH " n[3]; print "int f(int a);\nint g(int a);"}' >include/openblacs/core.h
}
changes() { # VERSION
    printf '# Changelog\n\n## %s\n\n### Library\n\n- What is new in %s.\n\n' "$1" "$1" | cat - <(tail -n +3 CHANGELOG.md 2>/dev/null) >new
    mv new CHANGELOG.md
}
commit() {
    git add . && git commit -qm "$1"
}

# refused NAME WORDS OPTION...: the release is refused by one line that has these words; nothing is tagged or written.
refused() {
    local name=$1 words=$2 tags
    shift 2
    tags=$(git tag)
    if scripts/release --output "$work/refused" "$@" >"$log" 2>&1; then
        ob_fail "$name: it is released" "$log"
    elif [ "$(grep -c '^release: ' "$log")" != 1 ] || ! grep -q "^release: .*$words" "$log"; then
        ob_fail "$name: not one line with '$words'" "$log"
    elif [ "$tags" != "$(git tag)" ] || [ -e "$work/refused" ]; then
        ob_fail "$name: something is tagged or written" "$log"
    else
        ob_pass
    fi
}
holds() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >>"$log" 2>&1; then ob_pass; else ob_fail "$name" "$log"; fi
}
released() { # NAME OPTION...
    local name=$1
    shift
    if scripts/release --output "$work/out" "$@" >"$log" 2>&1; then ob_pass; else ob_fail "$name" "$log"; fi
}

git init -q -b main .
names 0.1.0
echo 'int f(int a) { return a; } int g(int a) { return a + 1; }' >library.c
commit "Without a changelog"
refused "no section" "CHANGELOG.md has no section '## 0.1.0'" --no-check 0.1.0
printf '# Changelog\n\n## 0.1.0\n\nBetter.\n' >CHANGELOG.md
commit "A changelog without themes"
refused "no themes" "without themes" --no-check 0.1.0
rm CHANGELOG.md
changes 0.1.0
commit "A changelog"

# ------------------------------------------------------------- the first one
refused "no version" "is no version" --no-check 0.1
echo more >>library.c
refused "changes" "not committed" --no-check 0.1.0
git checkout -q library.c
touch stray
refused "a stray file" "not committed" --no-check 0.1.0
rm stray
if (
    # Where nobody can be guessed from the machine's name either.
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.useConfigOnly GIT_CONFIG_VALUE_0=true
    unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
    ob_failed=0
    refused "nobody" "git does not know who you are" --no-check 0.1.0
    exit $ob_failed
); then ob_pass; else ob_fail "a release by nobody"; fi
mkdir "$work/bin" && for tool in bash env git grep sed awk head tail sort paste dirname; do ln -s "$(command -v $tool)" "$work/bin/"; done
PATH=$work/bin refused "no abidiff" "abidiff is missing" --no-check 0.1.0
sed -i 's/0.1.0/0.1.1/' python/pyproject.toml
commit "Another version in one file"
refused "two versions" "python/pyproject.toml names version '0.1.1', not 0.1.0" --no-check 0.1.0
git reset -q --hard HEAD^
echo 1 >build-ran/failures
refused "a failed check" "./check failed: 12 passed, 1 failed" 0.1.0
rm build-ran/failures build-ran/check
scripts/release --dry-run --output "$work/dry" 0.1.0 >"$log" 2>&1
holds "a dry run succeeds and says what would be done" grep -q "would tag v0.1.0 and write $work/dry" "$log"
holds "a dry run does nothing" test -z "$(git tag; ls -A build-ran; ls -d "$work/dry" 2>/dev/null)"

released "0.1.0, with its tests" 0.1.0
holds "./check is run once" test "$(wc -l <build-ran/check)" = 1
holds "the tag is an annotated one" test "$(git cat-file -t v0.1.0)" = tag
git tag -l --format='%(contents)' v0.1.0 >"$work/message"
holds "the tag tells the tests' result" grep -q '^./check: 12 passed, 0 failed' "$work/message"
holds "the tag has the changelog" grep -q '^- What is new in 0.1.0.' "$work/message"
holds "the checksum is the tarball's" sh -c "cd '$work/out' && sha256sum -c openblacs-0.1.0.tar.gz.sha256"
tar -C "$work" -xzf "$work/out/openblacs-0.1.0.tar.gz"
rm -rf "$work/tree" && git worktree add -q --detach "$work/tree" v0.1.0 && rm "$work/tree/.git"
holds "the tarball holds the tag's files" diff -r "$work/tree" "$work/openblacs-0.1.0"
git worktree prune
refused "the same again" "v0.1.0 is tagged already" --no-check 0.1.0

# ------------------------------------------------------------ equal tarballs
# Another clone, user, clock, time zone and umask.
git clone -q "$scratch" "$work/clone"
(cd "$work/clone" && umask 077 && TZ=Asia/Tokyo GIT_COMMITTER_NAME=b scripts/release --tarball --output "$work/again" 0.1.0) >"$log" 2>&1
holds "two tarballs of one tag are equal" cmp "$work/out/openblacs-0.1.0.tar.gz" "$work/again/openblacs-0.1.0.tar.gz"
holds "and so are their checksums" cmp "$work/out/openblacs-0.1.0.tar.gz.sha256" "$work/again/openblacs-0.1.0.tar.gz.sha256"
git clone -q --no-tags --depth 1 "file://$scratch" "$work/shallow"
cd "$work/shallow" && mkdir build-ran
refused "a shallow clone" "this clone is shallow" --no-check 0.1.0
cd "$scratch" || exit 1
if scripts/release --tarball --output "$work/refused" 0.9.0 >"$log" 2>&1; then ob_fail "a tarball without a tag" "$log"; else ob_pass; fi

# --------------------------------------------------------------- the next ones
sed -i '2a\\n## Unreleased\n\n- Later.' CHANGELOG.md
names 0.2.0
commit "Not yet"
refused "no section of its own" "no section '## 0.2.0'" --no-check 0.2.0
git reset -q --hard HEAD^
names 0.0.9
changes 0.0.9
commit "An older one"
refused "an older version" "0.0.9 is older than 0.1.0" --no-check 0.0.9
git reset -q --hard HEAD^
names 0.2.0
changes 0.2.0
sed -i '2a## Unreleased\n\n- Later.\n' CHANGELOG.md
commit "Something above the section"
refused "something newer above" "begins with '## Unreleased'" --no-check 0.2.0
git reset -q --hard HEAD^

names 0.2.0
changes 0.2.0
sed -i '/int g/d' include/openblacs/core.h
echo 'int f(int a) { return a; }' >library.c
commit "A function less"
refused "an incompatible library" "incompatible with those of v0.1.0" --no-check 0.2.0
soversion=1 names 0.2.0
sed -i '/int g/d' include/openblacs/core.h
commit "Another SONAME"
released "an incompatible library of another SONAME" --no-check 0.2.0
git tag -l --format='%(contents)' v0.2.0 >"$work/message"
holds "the tag says that nothing was tested" grep -q 'check was not run (--no-check)' "$work/message"
holds "the tag says what it was compared with" grep -q 'those of v0.1.0' "$work/message"

names 0.3.0
changes 0.3.0
echo 'int f(int a) { return a' >library.c
commit "It does not compile"
refused "a tarball that cannot be built" "cannot be built" --no-check 0.3.0
ob_tally
