#!/bin/bash
# Memory orders (docs/reliability.md): all executions of small models of the library's protocols
# under C11's rules, and planted weaker orders, each of which must be found or stand in
# tests/orders/argued.
#   tests/run/orders.sh [long]
set -u
. "$(dirname "$0")/../../scripts/common.sh"
build=$OB_BUILD/orders
log=$OB_BUILD/orders.log
mkdir -p "$build"
if ! { cmake -G Ninja -S "$ob_root/tests/orders" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_C_FLAGS=-Werror &&
    nice cmake --build "$build" --parallel "$ob_cores"; } >"$log" 2>&1 </dev/null; then
    ob_fail "build with clang" "$log"
    ob_tally
    exit 1
fi
exec "$build/orders" ${1:+--long} --argued="$ob_root/tests/orders/argued"
