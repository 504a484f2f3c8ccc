#!/bin/bash
# Tests the Python package (tests/python, with pytest): alone, under obrun and under each MPI, the one of mpi4py with its
# own tests too; and its types, with mypy. All processes of a job run the same tests. A test that all of
# them pass counts as one.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$ob_root" || exit 1
# Debian's, that the packages are for, whatever else PATH has.
python=/usr/bin/python3
build=$(dirname "$(ob_library)")
export PYTHONPATH=$ob_root/python LD_LIBRARY_PATH=$build PATH=$build:$PATH PYTHONDONTWRITEBYTECODE=1 OB_PYTHON=$python
# Jupyter's kernel and pip keep things there.
export HOME=$work
pytest=("$python" -m pytest -q -x --color=no -p no:cacheprovider)

try() { # NAME HOW PROCESSES TESTS [NAME=VALUE ...]
    local log=$work/log passed
    ob_launch "$2" "$3" 120 "${@:5}" -- "${pytest[@]}" "$4" >"$log" 2>&1
    # Lines of several processes may mix.
    passed=$(grep -oE '[0-9]+ passed in' "$log" | uniq -c)
    if [[ $passed =~ ^\ *$3\ ([1-9][0-9]*)\ passed\ in$ ]] && ! grep -qE '[0-9]+ (failed|error)|^FAILED' "$log"; then
        ob_pass "${BASH_REMATCH[1]}"
    else
        grep -E -A 3 '^(E |FAILED|OpenBLACS)' "$log" >"$work/short"
        [ -s "$work/short" ] || cp "$log" "$work/short"
        ob_fail "$1 ($2, $3 processes)" "$work/short"
    fi
}

# One in ten of Open MPI 4.1's spawns hangs or ends with a signal (tests/mpi/run.sh). What fails is tried again, up to
# three times, where not all four had begun, or where a plain MPI program that spawns fails at the same time, too.
plain_spawns() { # MPI
    local program=$OB_BUILD/tests/mpi/mpi_spawn_$1
    [ -x "$program" ] || return 0
    for _ in {1..20}; do
        ob_launch "$1" 2 30 -- "$program" >"$work/plain" 2>&1 && grep -q passed "$work/plain" || return 1
    done
}
try_spawned() { # MPI
    for _ in 1 2 3; do
        ob_launch "$1" 2 30 -- "$python" tests/python/spawned.py >"$work/log" 2>&1
        [ "$(grep -o passed "$work/log" | wc -l)" != 4 ] || { ob_pass; return; }
        [ "$(grep -o begun "$work/log" | wc -l)" -ge 4 ] && plain_spawns "$1" && break
    done
    ob_fail "grids with spawned processes ($1, 2 and 2 processes)" "$work/log"
}

# pip's package, made from a copy of the sources, in a Python of its own.
by_pip() { # FOLDER
    mkdir -p "$1/source" && cp -r python/pyproject.toml python/openblacs "$1/source" &&
        "$python" -m venv --system-site-packages --without-pip "$1/venv" &&
        "$1/venv/bin/python" -m pip install -q --no-build-isolation --no-index "$1/source" &&
        (cd "$1" && unset PYTHONPATH && venv/bin/python -c 'import openblacs, os, sys
files = lambda folder: sorted(name for name in os.listdir(folder) if name != "__pycache__")
folder = os.path.dirname(openblacs.__file__)
assert folder.startswith(sys.prefix + os.sep), folder
assert files(folder) == files(sys.argv[1]), files(folder)
with openblacs.launch(2) as job:
    assert job.run("(openblacs.__file__, openblacs.Grid().sum(1))") == 2 * [(openblacs.__file__, 2)]' "$ob_root/python/openblacs")
}

# The MPI that mpi4py is linked with, "" without it.
mpi4py=$("$python" -c 'from mpi4py import rc; rc.initialize = False
from mpi4py import MPI; print(MPI.get_vendor()[0].replace(" ", "").lower())' 2>/dev/null)

try "tests of every process" self 1 tests/python/job
for n in 4 6; do try "tests of every process" obrun "$n" tests/python/job; done
for mpi in $ob_mpis; do
    if [ "$mpi" = "$mpi4py" ]; then
        try "with mpi4py" "$mpi" 4 tests/python/mpi4py
        # MPICH of Debian 12 cannot spawn.
        [ "$mpi" = mpich ] || try_spawned "$mpi"
    fi
    try "tests of every process" "$mpi" 2 tests/python/job
done
if by_pip "$work/pip" >"$work/log" 2>&1; then ob_pass; else ob_fail "pip install ./python, into a venv" "$work/log"; fi
try "tests of this machine" self 1 tests/python/alone
# With a Python that has no openblacs, or whatever this one has; and with one that has an installed one, as cmake --install
# leaves it.
echo 'LIBRARIES = PROGRAMS = ".."' >"$(echo "$work"/pip/venv/lib/python3*/site-packages/openblacs)/_installed.py"
for its in "$python" "$work/pip/venv/bin/python"; do
    if mypy --strict --no-error-summary --cache-dir="$work/mypy-cache" --python-executable "$its" python/openblacs >"$work/mypy" 2>&1; then
        ob_pass
    else
        ob_fail "mypy --strict python/openblacs, for $its" "$work/mypy"
    fi
done
ob_tally
