#!/bin/bash
# Debian's BLACS testers on the BLACS that examples/blacs_on_mlacs writes on the MLACS
# alone (Walker's section 5), in place of ours; they must pass what the netlib BLACS pass.
#   tests/run/blacs_on_mlacs.sh [long]     long: 1 to 9 processes under both MPIs
set -u
. "$(dirname "$0")/../../scripts/common.sh"
export BLACS_LIBRARY=$OB_BUILD/examples/libblacs_on_mlacs.so
if [ ! -e "$BLACS_LIBRARY" ]; then
    ob_fail "the build left no $BLACS_LIBRARY"
    ob_tally
    exit
fi
if [ -n "${1-}" ]; then exec "$ob_root/tests/debian/blacs.sh" --all; fi
# The C testers and the Fortran testers pass through the same code but for one call.
BLACS_PROCESSES="1 4 9" BLACS_TESTERS=${BLACS_TESTERS:-xFbtest} exec "$ob_root/tests/debian/blacs.sh"
