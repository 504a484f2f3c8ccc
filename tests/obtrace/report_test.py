#!/usr/bin/env python3
"""Opens reports in headless Chromium, clicks through every view in both themes, and compares
what the page shows with `obtrace stat --plain`, which computes it another way.

    report_test.py OBTRACE [--pictures FOLDER] TRACE...

Every trace is one of synthetic.py's, or any other. Without chromium and chromedriver
it says so and counts one failure: ./check installs them.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from browser import Browser

ENTER, SHIFT, TAB, HOME, ESCAPE = "\ue007", "\ue008", "\ue004", "\ue011", "\ue00c"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"

passed = failed = 0
TABS = ["summary", "space", "gantt", "concurrency", "kiviat", "matrix", "lengths", "queues",
        "path", "waits", "supersteps", "parts-view", "routines", "processes", "balance", "animation",
        "phase"]
CANVASES = {"space": 1, "gantt": 2, "concurrency": 1, "kiviat": 1, "matrix": 1, "lengths": 1,
            "queues": 1, "path": 1, "balance": 1, "supersteps": 1, "parts-view": 1, "animation": 1,
            "phase": 1}


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
                          timeout=60).stdout
    one = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+) (\d+)$", text, re.M)}
    one["states"] = {m[1]: int(m[2]) for m in re.finditer(r"^state ([\w-]+) (\d+)$", text, re.M)}
    one["processes_"] = [list(map(int, re.findall(r"-?\d+", line)))
                         for line in text.splitlines() if line.startswith("process ")]
    one["routines"] = {m[1]: list(map(int, m.groups()[1:])) for m in re.finditer(
        r"^routine (.*) calls (\d+) time (\d+) blocked (\d+) bytes (-?\d+)$", text, re.M)}
    bsp = subprocess.run([obtrace, "supersteps", "--plain", trace], stdout=subprocess.PIPE, text=True,
                         timeout=60).stdout
    one["supersteps"] = [dict(zip(line.split()[2::2], line.split()[3::2]))
                         for line in bsp.splitlines() if line.startswith("superstep ")]
    one["parts"] = {m[1]: int(m[2]) for m in re.finditer(r"^part (.*) times \d+ time (\d+) ", bsp, re.M)}
    one["why"] = [int(t) for t in re.findall(r"^why (\d+) waits", text, re.M)]
    one["delay"] = [list(map(int, m)) for m in re.findall(
        r"^delay (\d+) process (-?\d+) begin (\d+) end (\d+) ", text, re.M)]
    return one


def check_data(b, want):
    """The arrays that the views are drawn from, added up in the page."""
    equal(b.run("return d.active"), want["processes"], "processes")
    equal(b.run("return d.length"), want["length"], "length")
    equal(b.run("return d.messages.count"), want["messages"], "messages")
    equal(b.run("return d.meta.ideal"), want["ideal"], "the run without communication")
    equal(b.run("return byId('efficiency').children.length"), 5, "efficiencies")
    equal(b.run("return d.messages.bytes.reduce((a, v) => a + v, 0)"), want["bytes"], "bytes")
    found = b.run("""const sums = new Array(d.states.length).fill(0);
        for (let p = 0; p < d.active; p++)
            for (let i = d.first[p]; i + 1 < d.first[p + 1]; i++) sums[d.state[i]] += d.time[i + 1] - d.time[i];
        return d.states.map((s, i) => [s, sums[i]])""")
    for name, value in found[1:]:
        equal(value, want["states"][name], "time in state " + name)
    for key, field in (("sent", 5), ("received", 7)):
        equal(b.run(f"return d.processes.slice(0, d.active).map(p => p.{key})"),
              [p[4 if key == "sent" else 6] for p in want["processes_"]], key + " by process")
    equal(b.run("return d.pairs.reduce((a, p) => a + p.messages, 0)"), want["messages"], "pairs")
    path = b.run("return d.steps.filter(s => s.from >= 0).reduce((a, s) => a + s.end - s.begin, 0)")
    equal(path, want["path_messages"], "messages on the critical path")
    check(b.run("""return d.steps.every((s, i) => !i || (d.steps[i - 1].end === s.begin &&
        (s.from >= 0 ? s.from : s.process) === d.steps[i - 1].process))"""), "the path has a gap")
    # It begins where its first process does.
    equal(b.run("return d.steps.length ? d.steps[d.steps.length - 1].end : 0"), want["length"], "the end of the critical path")
    equal(b.run("return d.steps[0].begin"), b.run("return d.time[d.first[d.steps[0].process]]"), "the begin of the critical path")


def check_drawings(b, want):
    """What the drawings themselves add up to."""
    b.click("#tab-gantt")
    b.frame()
    wide = b.run("return byId('count-canvas').sums.length / d.states.length")
    mean = b.run("""const s = byId('count-canvas').sums, n = d.states.length; let sum = 0;
        for (let i = 1; i < s.length; i += n) sum += s[i]; return sum""") / wide * want["length"]
    equal(mean, want["computing"], "computing in the utilization count", want["computing"] * 2e-3 + 1)
    b.click("#tab-concurrency")
    note = b.run("return byId('concurrency-note').textContent")
    equal(float(re.search(r"average ([\d.]+)", note)[1]),
          round(want["computing"] / want["length"], 1), "mean concurrency", 0.051)
    b.click("#tab-matrix")
    for i, key in enumerate(("bytes", "messages")):
        b.click(f"#matrix-choice button:nth-child({i + 1})")
        equal(b.run("return byId('matrix-canvas').total"), want[key], "matrix of " + key)
    b.click("#matrix-choice button:nth-child(3)")
    check(b.run("return byId('matrix-canvas').total") <= want["blocked"], "matrix of time blocked")
    b.click("#tab-lengths")
    equal(b.run("return d.meta.lengths.reduce((a, v) => a + v, 0)"), want["messages"], "lengths")
    b.click("#lengths-choice button:nth-child(2)")
    b.click("#tab-queues")
    longest = b.run("""let most = 0; for (let p = 0; p < Math.min(d.active, 24); p++) {
        drawQueue(d, byId('queue-canvas'), p);
        most = Math.max(most, byId('queue-canvas').longest - d.processes[p].queue); } return most""")
    equal(longest, 0, "longest queues")
    b.click("#tab-routines")
    rows = b.run("return [...document.querySelectorAll('#routine-table tbody tr')].map("
                 "r => [r.cells[0].textContent, r.cells[1].textContent])")
    equal({name: int(re.sub(r"\D", "", calls)) for name, calls in rows},
          {name: values[0] for name, values in want["routines"].items()}, "table of routines")
    b.click("#tab-processes")
    equal(b.run("return document.querySelectorAll('#process-table tbody tr').length"),
          want["processes"], "rows of the table of processes")
    b.click("#process-table th:nth-child(2)")
    shares = b.run("return [...document.querySelectorAll('#process-table tbody tr')].map("
                   "r => parseFloat(r.cells[1].textContent))")
    check(shares == sorted(shares, reverse=True), "sorting by a click")


def check_waits(b, want):
    """The tables of waits, and where their stretches lead."""
    b.click("#tab-waits")
    for name, rows in (("late", want["why"]), ("delay", want["delay"])):
        equal(b.run(f"return document.querySelectorAll('#{name}-table tbody tr').length"), min(len(rows), 1000),
              f"rows of the {name} table")
    equal(b.run("return d.meta.late"), want["late"], "late waiting")
    equal(b.run("return d.meta.delays.map(r => r.cost)"), [r[0] for r in want["delay"]][:1000], "costs of delays")
    if want["delay"]:
        cost, process, begin, end = want["delay"][0]
        b.click("#delay-table .stretch")
        b.frame()
        check(b.run("return choice.tab") == "space", "a stretch leads to the space-time diagram")
        found = b.run("return [view.begin, view.end, view.top, view.bottom]")
        check(found[0] <= begin and found[1] >= end, f"the stretch {begin} to {end} is in view: {found}")
        check(b.run("const k = d.processes.findIndex(p => p.id === arguments[0]); return view.top <= k && k < view.bottom",
                    process), "its process is in view")


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


def check_links(b, want):
    """An address names a view and a moment; what is shown has an address."""
    go(b, f"#space-time@0s-{want['length'] / 2e9}s")
    equal(b.run("return choice.tab"), "space", "a link to a view")
    equal(b.run("return view.end"), want["length"] / 2, "a link to a moment", 1000)
    go(b, "#routines")
    equal(b.run("return choice.tab"), "routines", "a link to a table")
    b.click("#tab-gantt")
    check(soon(b, "location.hash.startsWith('#utilization@0s-')"), "the address of what is shown")
    go(b, "#nonsense@1x")
    equal(b.run("return choice.tab"), "gantt", "a link to nothing changes nothing")
    b.click("#tab-space")
    b.click("[data-zoom=all]")


def check_search(b, want):
    """A search leads to views, processes, routines and call sites, by the keyboard alone."""
    def search(text):
        b.run("document.activeElement.blur(); window.scrollTo(0, 0)")
        b.keys("/", *text)
        rows = b.run("return [...byId('found').children].map(e => e.textContent)")
        b.keys(ENTER)
        b.frame()
        return rows

    rows = search("kiviat")
    check(rows and rows[0].startswith("Kiviat"), f"a search for a view finds {rows}")
    equal(b.run("return choice.tab"), "kiviat", "a search for a view")
    last = want["processes_"][-1][0]
    rows = search(f"process {last}")
    check(rows and str(last) in rows[0], f"a search for a process finds {rows}")
    check(b.run("const k = d.processes.findIndex(p => p.id === arguments[0]); return choice.tab === 'space' && view.top <= k && k < view.bottom",
                last), "a search for a process shows it")
    check(str(last) in b.run("return byId('tip').hidden ? byId('space-canvas').title || 'process ' + d.processes[space.cursor.p].id : byId('tip').textContent"),
          "the cursor is on the process")
    name = max(want["routines"], key=lambda r: want["routines"][r][1])
    rows = search(name)
    check(any(r.startswith(name) for r in rows), f"a search for a routine finds {rows}")
    equal(b.run("return view.routine ? d.meta.routines[view.routine - 1].name : ''"), name, "only this routine")
    coloured = b.run("""const s = new Float32Array(8 * d.states.length), v = { begin: 0, end: d.length }; let sum = 0;
        for (let p = 0; p < d.active; p++) addStates(d, p, v, 8, s, view.routine);
        s.forEach((x, i) => { if (i % d.states.length) sum += x; }); return sum / 8 * d.length""")
    equal(coloured, want["routines"][name][1], "what stays coloured is the routine's time", want["routines"][name][1] * 1e-3 + 1)
    b.keys(ESCAPE)
    equal(b.run("return view.routine"), 0, "Escape shows all routines")
    call = b.run("return d.meta.places[0].call")
    rows = search(call + " call site")
    check(call in " ".join(rows), f"a search for a call site finds {rows}")
    check(b.run("const r = d.meta.places[0]; return view.begin <= r.begin && view.end >= r.end && view.top <= r.process && r.process < view.bottom"),
          "a search for a call site shows its longest call")
    b.keys(ESCAPE)
    equal(sum(b.run("return d.meta.places.map(r => r.calls)")), want["calls"], "calls of all call sites")
    rows = search("no such thing")
    equal(rows, ["nothing of this name"], "a search for nothing")
    b.keys(ESCAPE)
    b.run("byId('search').blur()")


def check_keys(b, want):
    """All can be reached and read without a mouse."""
    b.click("#tab-summary")
    b.keys("]")
    equal(b.run("return choice.tab"), "space", "the next view")
    b.keys("[")
    equal(b.run("return choice.tab"), "summary", "the view before")
    b.keys("?")
    check(not b.run("return byId('keys').hidden"), "? tells the keys")
    b.keys(ESCAPE)
    check(b.run("return byId('keys').hidden"), "Escape closes them")
    b.run("show('space'); byId('space-canvas').focus(); showAll(d); redraw()")
    # From the begin of the process with the most stretches: of a busy machine's run one may have a single long one.
    b.run("""const stretches = p => { let n = 0; for (let t = 0, s; t < d.length - 1 && n < 9; n++) { s = spanAt(d, p, t); t = s.end > t ? s.end : t + 1 } return n };
             const all = [...Array(d.active).keys()]; const most = Math.max(...all.map(stretches));
             space.cursor = { p: all.find(p => stretches(p) === most), t: 0 }""")
    b.frame()
    b.keys(RIGHT, RIGHT)
    b.frame()
    first = b.run("return [space.cursor.t, space.cursor.p, byId('tip').textContent]")
    b.keys(RIGHT, DOWN)
    b.frame()
    second = b.run("return [space.cursor.t, space.cursor.p, byId('tip').textContent]")
    check("from" in first[2] and second[0] > first[0], f"arrows lead from stretch to stretch: {first}, {second}")
    equal(second[1], min(first[1] + 1, want["processes"] - 1), "arrows lead from process to process")
    b.keys("+")
    check(b.run("return view.end - view.begin") < want["length"], "+ zooms in")
    begin = b.run("return view.begin")
    b.keys((SHIFT, RIGHT))
    check(b.run("return view.begin") > begin, "Shift and an arrow move")
    b.keys(HOME)
    equal(b.run("return view.end - view.begin"), want["length"], "Home shows all")
    b.run("show('lengths'); byId('lengths-canvas').focus()")
    b.keys(RIGHT)
    check("messages" in b.run("return byId('tip').textContent"), "an arrow reads a bar")
    b.run("show('routines'); document.querySelector('#routine-table th').focus()")
    b.keys(ENTER)
    names = b.run("return [...document.querySelectorAll('#routine-table tbody tr')].map(r => r.cells[0].textContent)")
    check(names in (sorted(names), sorted(names, reverse=True)), "Enter on a title sorts")
    b.run("byId('tab-routines').focus()")
    b.keys(LEFT)
    check(b.run("return document.activeElement.id === 'tab-' + choice.tab && choice.tab !== 'routines'"), "arrows lead along the tabs")
    seen = b.run("return [...document.querySelectorAll('canvas')].filter(c => !['count-canvas', 'matrix-canvas', 'kiviat-canvas', 'queue-canvas', 'animation-canvas', 'phase-canvas'].includes(c.id) && c.tabIndex !== 0).map(c => c.id)")
    equal(seen, [], "canvases that keys do not reach")


def check_pairs(b, want):
    """The messages of one process, and of a pair, on their own."""
    count = """const m = d.messages, [of, other] = arguments; let n = 0; for (let i = 0; i < m.count; i++) {
        const a = m.from[i], b = m.to[i];
        n += other < 0 ? a === of || b === of : a === of && b === other || a === other && b === of; } return n"""
    b.click("#tab-space")
    b.run("showAll(d)")
    pair = b.run("return d.pairs.length ? d.pairs.map(p => [p.messages, p.from, p.to]).sort((a, b) => b[0] - a[0])[0].slice(1) : null")
    if not pair or max(pair) >= want["processes"]:
        return
    ids = b.run("return arguments[0].map(k => d.processes[k].id)", pair)
    for address, of, other in ((f"/of={ids[0]}", pair[0], -1), (f"/of={ids[0]}/with={ids[1]}", pair[0], pair[1])):
        go(b, "#space-time" + address)
        equal(b.run("return space.seen"), b.run(count, of, other), "messages" + address)
    check(soon(b, f"location.hash.includes('/of={ids[0]}/with={ids[1]}')"), "the address names the pair")
    go(b, "#space-time")


def check_moment(b, want):
    """The animation and the phase portrait, against the trace's own numbers."""
    for part in (0.31, 0.77):
        go(b, f"#animation@{want['length'] * part / 1e9:.9f}s")
        shown = b.run("return [byId('animation-canvas').computing, byId('animation-canvas').under, animation.time]")
        counted = b.run("""const t = animation.time, m = d.messages; let computing = 0, under = 0;
            for (let p = 0; p < d.active; p++) for (let i = d.first[p]; i + 1 < d.first[p + 1]; i++)
                computing += d.state[i] === 1 && d.time[i] <= t && t < d.time[i + 1];
            for (let i = 0; i < m.count; i++) under += m.sent[i] <= t && m.received[i] >= t && m.from[i] < d.active && m.to[i] < d.active;
            return [computing, under]""")
        equal(shown[0], counted[0], "processes computing at a moment")
        check(abs(shown[1] - counted[1]) <= 1, f"messages under way at a moment: {shown[1]}, counted {counted[1]}")
    for shape in ("ring", "hypercube", "grid"):
        b.run("byId('animation-shape').value = arguments[0]; byId('animation-shape').dispatchEvent(new Event('change'))", shape)
        places = b.run("return animationPlaces(d, arguments[0]).places.map(p => p.map(v => Math.round(v * 1e6)).join())", shape)
        equal(len(set(places)), want["processes"], f"every process has its place on the {shape}")
    b.run("showAll(d); show('phase')")
    b.frame()
    mean = b.run("const p = byId('phase-canvas').points; return p.reduce((s, q) => s + q[0], 0) / p.length")
    equal(mean, want["computing"] / want["length"], "mean of the phase portrait", 0.01 * want["processes"])


def check_supersteps(b, want):
    equal(b.run("return byId('tab-supersteps').hidden"), not want["supersteps"], "the view of supersteps")
    equal(b.run("return d.meta.supersteps.map(s => s.work)"), [int(s["work"]) for s in want["supersteps"]], "work of supersteps")
    if want["supersteps"]:
        b.run("show('supersteps')")
        equal(b.run("return byId('superstep-canvas').bars.reduce((s, b) => s + b.work, 0)"),
              sum(int(s["work"]) for s in want["supersteps"]), "work of all bars")
        equal(b.run("return document.querySelectorAll('#superstep-table tbody tr').length"), len(want["supersteps"]), "rows of supersteps")
    found = b.run("""const o = d.own, sums = {}; for (let p = 0; p < d.active; p++) for (let i = o.first[p]; i + 1 < o.first[p + 1]; i++)
        if (o.state[i]) sums[o.states[o.state[i]]] = (sums[o.states[o.state[i]]] || 0) + o.time[i + 1] - o.time[i];
        return sums""")
    equal(found, want["parts"], "time of parts")


def check_hands(b, want):
    """Zooming, moving, and what the pointer shows."""
    b.click("#tab-space")
    b.frame()
    box = b.run("const r = byId('space-canvas').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]")
    x, y = box[0] + box[2] * .5, box[1] + box[3] * .5
    # The longest message that is drawn, at its middle.
    at = b.run("""const m = d.messages, t = space; if (!t.shown.length) return null;
        const i = t.shown.reduce((a, k) => m.received[k] - m.sent[k] > m.received[a] - m.sent[a] ? k : a);
        const r = byId('space-canvas').getBoundingClientRect();
        return [r.x + (t.xOf(m.sent[i]) + t.xOf(m.received[i])) / 2, r.y + (t.yOf(m.from[i]) + t.yOf(m.to[i])) / 2]""")
    if at:
        b.move(*at)
        check("sent" in b.run("return byId('tip').textContent"), "hovering shows a message")
    b.move(x, y)
    text = b.run("return byId('tip').textContent")
    check("process" in text or "host" in text or not text, "hovering shows a process")
    b.wheel(x, y, -400)
    b.frame()
    width = b.run("return view.end - view.begin")
    check(width < want["length"] / 2, "the wheel zooms in")
    before = b.run("return view.begin")
    b.mouse({"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 0, "x": int(x - 120), "y": int(y)},
            {"type": "pointerUp", "button": 0})
    b.frame()
    check(b.run("return view.begin") > before, "dragging moves")
    equal(round(b.run("return view.end - view.begin")), round(width), "dragging does not zoom")
    inside = b.run("""const m = d.messages; let n = 0; for (let i = 0; i < m.count; i++)
        n += m.sent[i] <= view.end && m.received[i] >= view.begin && m.from[i] < d.active; return [n, space.seen]""")
    equal(inside[1], inside[0], "messages in view")
    b.click("[data-zoom=all]")
    b.frame()
    equal(b.run("return view.end - view.begin"), want["length"], "all in view again")


def check_views(b, pictures, name):
    for theme in ("light", "dark"):
        if b.run("return document.documentElement.dataset.theme") != theme:
            b.click("#theme")
        for tab in TABS:
            if b.run("return byId('tab-' + arguments[0]).hidden", tab):
                check(tab in ("supersteps", "parts-view"), f"{tab} is not there")
                continue
            b.click("#tab-" + tab)
            b.frame()
            check(b.run("return byId(arguments[0]).classList.contains('shown') && "
                        "byId(arguments[0]).getBoundingClientRect().height > 80", tab), f"{tab} shown")
            about = b.run("const a = byId(arguments[0]).querySelector('.about'); return a ? a.textContent : ''", tab)
            check(about.strip().endswith(".") and len(about) > 40, f"{tab} is explained in a sentence")
            # Something is drawn: more than one colour.
            colours = b.run("""return [...byId(arguments[0]).querySelectorAll('canvas')].map(c => {
                const p = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
                return new Set(p.filter((v, i) => i % 7 === 0)).size; })""", tab)
            check(len(colours) == CANVASES.get(tab, 0) and all(n > 3 for n in colours),
                  f"{tab} in {theme}: drawn in {colours} colours")
            if pictures:
                b.picture(os.path.join(pictures, f"{name}-{tab}-{theme}.png"))


def check_report(b, obtrace, trace, pictures, scratch):
    name = os.path.splitext(os.path.basename(trace))[0]
    page = os.path.join(scratch, name + ".html")
    subprocess.run([obtrace, "report", trace, "-o", page], timeout=60, check=True)
    with open(page, encoding="utf-8") as f:
        check(not re.search(r"(src|href)\s*=|https?://|@import", f.read()), "the page needs something else")
    want = read_plain(obtrace, trace)
    b.open(page)
    ready = b.run("return window.ready")
    check(ready is not None, "the page's script came to its end")
    print(f"{name}: {want['events']} events, {want['processes']} processes, open after {ready or 0:.0f} ms")
    check_data(b, want)
    check_hands(b, want)
    check_drawings(b, want)
    check_waits(b, want)
    check_links(b, want)
    check_search(b, want)
    check_keys(b, want)
    check_pairs(b, want)
    check_moment(b, want)
    check_supersteps(b, want)
    check_views(b, pictures, name)
    found = b.run("return [...byId('findings').children, ...byId('advice').children].map(e => e.textContent)")
    said = subprocess.run([obtrace, "stat", trace], stdout=subprocess.PIPE, text=True).stdout
    check(len(found) >= 2 and all(t in said or t == "Nothing stands out." for t in found), "the summary")
    if want["messages"] > 0:
        draw = b.run("show('space'); const t = performance.now(); draw(); return performance.now() - t")
        print(f"{name}: the space-time diagram is drawn in {draw:.0f} ms")
    # Reading canvases back is this test's doing.
    errors = [e for e in b.log() if "willReadFrequently" not in e["message"]]
    check(errors == [], f"the browser complains: {errors}")


def main():
    words = sys.argv[1:]
    pictures = None
    if "--pictures" in words:
        at = words.index("--pictures")
        pictures = words[at + 1]
        del words[at:at + 2]
        os.makedirs(pictures, exist_ok=True)
    # Ended by a time limit it still ends the browser.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        b = Browser()
    except (OSError, RuntimeError) as e:
        print(f"FAIL no browser: {e}\n0 passed, 1 failed")
        return 1
    try:
        with tempfile.TemporaryDirectory() as scratch:
            for trace in words[1:]:
                check_report(b, words[0], trace, pictures, scratch)
    finally:
        b.close()
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
