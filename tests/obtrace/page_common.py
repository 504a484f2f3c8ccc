"""What all tests of a report's page share: counting, what the trace says itself, links and waiting."""
import re
import subprocess
import time

from browser import SLOW

ENTER, SHIFT, TAB, HOME, ESCAPE = "\ue007", "\ue008", "\ue004", "\ue011", "\ue00c"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"

passed = failed = 0
TABS = ["summary", "space", "gantt", "concurrency", "kiviat", "matrix", "lengths", "queues",
        "path", "waits", "supersteps", "parts-view", "routines", "processes", "balance", "animation",
        "phase"]


def check(good, name):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print("FAIL " + name)


def equal(found, expected, name, within=0.0):
    good = found == expected or (isinstance(found, (int, float)) and isinstance(expected, (int, float))
                                 and abs(found - expected) <= within)
    check(good, f"{name}: the page has {found}, the trace {expected}")


def read_plain(obtrace, trace):
    text = subprocess.run([obtrace, "stat", "--plain", trace], stdout=subprocess.PIPE, text=True,
                          timeout=60 * SLOW).stdout
    one = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+) (\d+)$", text, re.M)}
    one["states"] = {m[1]: int(m[2]) for m in re.finditer(r"^state ([\w-]+) (\d+)$", text, re.M)}
    # The page tells asleep and unsure, which are parts of not running.
    for key in "slept", "unsure":
        one["states"]["asleep" if key == "slept" else key] = one[key]
        one["states"]["not-running"] -= one[key]
    one["processes_"] = [list(map(int, re.findall(r"-?\d+", line)))
                         for line in text.splitlines() if line.startswith("process ")]
    one["routines"] = {m[1]: list(map(int, m.groups()[1:])) for m in re.finditer(
        r"^routine (.*) calls (\d+) time (\d+) blocked (\d+) bytes (-?\d+)$", text, re.M)}
    bsp = subprocess.run([obtrace, "supersteps", "--plain", trace], stdout=subprocess.PIPE, text=True,
                         timeout=60 * SLOW).stdout
    one["supersteps"] = [dict(zip(line.split()[2::2], line.split()[3::2]))
                         for line in bsp.splitlines() if line.startswith("superstep ")]
    one["parts"] = {m[1]: int(m[2]) for m in re.finditer(r"^part (.*) times \d+ time (\d+) ", bsp, re.M)}
    one["asked"] = [list(map(int, m)) for m in re.findall(r"^asked (\d+) calls (\d+) most (\d+) to (\d+) itself (\d+) ", text, re.M)]
    one["asks"] = re.findall(r"^asked \d+ calls (\d+) most \d+ to \d+ itself \d+ (\S+)", text, re.M)
    one["efficiency"] = {m[1]: float(m[2]) for m in re.finditer(r"^efficiency ([\w-]+) ([\d.]+)$", text, re.M)}
    one["why"] = [int(t) for t in re.findall(r"^why (\d+) waits", text, re.M)]
    one["delay"] = [list(map(int, m)) for m in re.findall(
        r"^delay (\d+) process (-?\d+) begin (\d+) end (\d+) ", text, re.M)]
    return one


def soon(b, condition):
    """Whether it becomes true; the page writes its address a moment after it has drawn."""
    for _ in range(100):
        if b.run("return " + condition):
            return True
        time.sleep(0.1)
    return False


def go(b, address):
    """Follows a link within the page, and waits until what it leads to is drawn."""
    b.call("POST", "/execute/async", {"script": """const done = arguments[1];
        if (location.hash === arguments[0]) { done(); return; }
        addEventListener("hashchange", () => requestAnimationFrame(() => done()), { once: true });
        location.hash = arguments[0];""", "args": [address]})
    b.frame()


def views(b):
    return [t for t in TABS if not b.run("return byId('tab-' + arguments[0]).hidden", t)]
