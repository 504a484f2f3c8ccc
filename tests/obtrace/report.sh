#!/bin/bash
# obtrace report in headless Chromium, with 4 (all until the end, and one that ends early) and with 512 processes, and with the trace of 512
# simulated processes that tests/run/sim.sh leaves.
#   tests/obtrace/report.sh BUILD_DIR [FOLDER]    FOLDER: where pictures of every view go
#   OBTRACE_STEPS=230 tests/obtrace/report.sh BUILD_DIR     512 processes and a million events
set -u
build=$(cd "${1:?usage: tests/obtrace/report.sh BUILD_DIR [FOLDER]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/synthetic.py" 2 2 20 compact >"$work/four.picl" 2>/dev/null
"$here/synthetic.py" 16 32 "${OBTRACE_STEPS:-12}" compact >"$work/many.picl" 2>/dev/null
"$here/synthetic.py" 2 2 20 compact early >"$work/early.picl" 2>/dev/null
simulated=$build-sim/multiply.trace
[ -f "$simulated" ] || { simulated=; echo "no simulated trace: ./check simulation leaves one"; }
# A BSP program on a grid: it has supersteps, parts and places. A small matrix would go to one process, without supersteps.
OPENBLACS_TRACE=$work/lu.trace "$build/obrun" -n 4 "$build/examples/lu_solve" 240 >/dev/null || echo "FAIL lu_solve does not run"
# Two that sleep, one of them with supersteps, whose cause is planted: recorded once, on an idle machine, by
#   OPENBLACS_TRACE=NAME.trace obrun -n 4 obtrace_planted NAME
for name in chain hot; do
    gzip -dc "$here/golden/$name.trace.gz" >"$work/$name.trace" || echo "FAIL golden/$name.trace.gz is not read"
done
# On a machine that does not know localhost: the line says so. (Some know it without /etc/hosts.)
nameless() { unshare -m sh -c 'mount --bind /dev/null /etc/hosts && exec "$@"' sh "$@"; }
if nameless sh -c '! getent hosts localhost' >/dev/null 2>&1; then
    nameless "$here/report_test.py" "$build/obtrace" "$work/four.picl" >"$work/said" 2>&1
    if ! grep -q '^FAIL no browser: this machine does not know the name localhost' "$work/said"; then
        echo "FAIL without localhost no line says so: $(head -n 1 "$work/said")"
        echo "0 passed, 1 failed"
        exit 1
    fi
fi
"$here/report_test.py" "$build/obtrace" ${2:+--pictures "$2"} "$work/four.picl" "$work/early.picl" "$work/many.picl" "$work/lu.trace" "$work/chain.trace" "$work/hot.trace" \
    ${simulated:+"$simulated"}
