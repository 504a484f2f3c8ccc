#!/bin/bash
# The recipes of packaging/ are of this version and sound as far as what Debian packages can tell: the linters that
# Spack and EasyBuild ask for, YAML (conda), Guile's reader (Guix), Nix itself, with packages that are only names; they
# and the container file name only options and files that there are.
#
#   tests/packages/recipes.sh
set -u
. "$(dirname "$0")/../../scripts/common.sh"
cd "$ob_root/packaging" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
export HOME=$work XDG_CACHE_HOME=$work # what the tools keep
version=$(sed -n 's/^project(openblacs VERSION \([0-9.]*\).*/\1/p' ../CMakeLists.txt)
recipes="spack/package.py easybuild/OpenBLACS-$version-gfbf-2023a.eb conda/meta.yaml conda/build.sh guix/openblacs.scm
    nix/default.nix container/Containerfile"

sound() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then ob_pass; else ob_fail "$name" "$log"; fi
}

sound "Python's grammar" python3 -c '
import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name).read(), name)' spack/package.py easybuild/*.eb
# What "spack style" runs, with its settings; the names of Spack's are not seen.
sound "black" black --check -q -l 99 spack/package.py
sound "isort" isort --check --profile black -l 99 spack/package.py
sound "flake8" /usr/bin/python3 -m flake8 --isolated --max-line-length 99 --ignore=F403,F405 spack/package.py
# What "eb --check-style" runs.
sound "pycodestyle" /usr/bin/python3 -m pycodestyle --max-line-length=120 easybuild/*.eb
# What conda fills in is taken for a word.
sound "YAML" python3 -c '
import re, yaml
recipe = yaml.safe_load(re.sub(r"\{\{.*?\}\}", "word", open("conda/meta.yaml").read()))
assert set(recipe) == {"package", "source", "build", "requirements", "test", "about"}, recipe'
# shellcheck disable=SC2016 # the parentheses are Scheme
sound "Guile's reader" guile --no-auto-compile -c '
(read-hash-extend #\~ (lambda (character port) (list (quote gexp) (read port)))) ; of Guix
(call-with-input-file "guix/openblacs.scm"
  (lambda (port) (let loop ((form (read port)) (n 0)) (if (eof-object? form) (exit (= n 3)) (loop (read port) (+ n 1))))))'
names='{ stdenv.mkDerivation = it: it; cmake = "cmake"; gfortran = "gfortran"; mpi = "mpi"; openblas = "openblas";
    lib = { cleanSource = toString; licenses.bsd3 = "BSD-3-Clause"; platforms.linux = [ "x86_64-linux" ]; }; }'
sound "Nix" sh -c 'nix-instantiate --store dummy:// --eval --strict --json --arg pkgs "$1" nix/default.nix >"$2" &&
    grep -q "\"src\":\"$(cd .. && pwd)\"" "$2"' sh "$names" "$work/nix"

for file in spack/package.py easybuild/*.eb conda/meta.yaml guix/openblacs.scm nix/default.nix; do
    sound "$file is of version $version" grep -qE "version[^0-9]*$version" "$file"
done
# shellcheck disable=SC2086 # a list
grep -ohE '\<OPENBLACS_[A-Z_]+' $recipes | sort -u | while read -r option; do
    grep -rqE "(option|set)\($option\>" ../CMakeLists.txt ../cmake || echo "there is no option $option"
done >"$log"
if [ -s "$log" ]; then ob_fail "options" "$log"; else ob_pass; fi
ob_tally
