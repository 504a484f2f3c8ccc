#!/usr/bin/env python3
"""How long a report takes to open in headless Chromium, and how long each frame takes while its
space-time diagram is scrolled and zoomed.

    speed.py REPORT.html [REPORT.html ...]

Times of frames are the browser's own, from one requestAnimationFrame to the next; beside them stands the
processor time of the page's process, which does not depend on what else the machine does.
"""
import os
import subprocess
import sys

from browser import Browser

SCROLL = """const done = arguments[arguments.length - 1], times = [], frames = arguments[0], zoom = arguments[1];
    let k = 0, last = 0;
    const step = now => {
        if (last) times.push(now - last);
        last = now;
        if (k++ === frames) { done(times); return; }
        if (zoom) zoomTime(d, d.length * .6, k % 60 < 30 ? .93 : 1 / .93);
        else panTime(d, view.begin + (k % 120 < 60 ? 1 : -1) * (view.end - view.begin) / 90);
        redraw();
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);"""


def renderers(b):
    """Processor seconds of the pages' processes of this driver's browser."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,args"], stdout=subprocess.PIPE, text=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    family, total = {b.driver.pid}, 0.0
    for _ in range(6):
        family |= {int(pid) for pid, parent, _ in rows if int(parent) in family}
    for pid, _, args in rows:
        if int(pid) in family and "--type=renderer" in args:
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main():
    for page in sys.argv[1:]:
        b = Browser()
        try:
            b.call("POST", "/timeouts", {"script": 300000, "pageLoad": 300000})
            b.open(os.path.abspath(page))
            print(f"{os.path.basename(page)}: open after {b.run('return window.ready') / 1000:.2f} s, "
                  f"{renderers(b):.2f} s of processor time")
            b.run("show('space')")
            b.frame()
            for name, part in (("all", 1.0), ("a tenth", 0.1), ("a thousandth", 0.001)):
                b.run("view.begin = d.length * .4; view.end = view.begin + d.length * arguments[0]; panTime(d, view.begin)", part)
                for what, zoom in (("scrolling", False), ("zooming", True)):
                    before = renderers(b)
                    times = sorted(b.call("POST", "/execute/async", {"script": SCROLL, "args": [180, zoom]}))
                    used = renderers(b) - before
                    print(f"  {what} with {name} in view: {1000 / (sum(times) / len(times)):.0f} frames a second, median "
                          f"{times[len(times) // 2]:.1f} ms, 95 of 100 within {times[len(times) * 95 // 100]:.1f} ms, "
                          f"longest {times[-1]:.1f} ms; {1000 * used / len(times):.1f} ms of processor time a frame")
            b.frame()
        finally:
            b.close()


main()
