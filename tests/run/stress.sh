#!/bin/bash
# Random traffic with processes stopped, continued and killed.
set -u
. "$(dirname "$0")/../../scripts/common.sh"
exec "$ob_root/tests/stress/run.sh" "$OB_BUILD/obrun"
