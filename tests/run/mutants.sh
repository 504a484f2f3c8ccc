#!/bin/bash
# Small bugs are planted, one at a time, and the fast tests must find each (tests/mutants/run.py says how, and has
# the options). What a run before has found out of these sources is not found out again.
#   tests/run/mutants.sh [OPTION ...]
set -u
. "$(dirname "$0")/../../scripts/common.sh"
exec nice "$ob_root/tests/mutants/run.py" "$OB_BUILD" "$@"
