#!/bin/bash
# Calls of the system and of the C library fail, one after the other, at each place of ours (tests/faults/run.py).
# With `all` in every way in which that program can run, else in those that come to most places. More options are
# handed on.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
ways="obrun,openmpi traced"
[ "${1-}" != all ] || { shift; ways=; }
exec "$ob_root/tests/faults/run.py" "$OB_BUILD" ${ways:+--way "$ways"} "$@"
