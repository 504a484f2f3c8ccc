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

import page_common
from browser import SLOW, Browser
from page_colours import check_colours
from page_common import TABS, check, equal, go, read_plain, soon
from page_hands import check_hands, check_keys, check_links, check_pairs, check_search
from page_planted import check_planted
from page_waits import check_supersteps, check_waits, check_words

CANVASES = {"space": 1, "gantt": 2, "concurrency": 1, "kiviat": 1, "matrix": 1, "lengths": 1,
            "queues": 1, "path": 1, "balance": 1, "supersteps": 1, "parts-view": 1, "animation": 1,
            "phase": 1}


def check_data(b, want):
    """The arrays that the views are drawn from, added up in the page."""
    equal(b.run("return d.active"), want["processes"], "processes")
    equal(b.run("return d.length"), want["length"], "length")
    equal(b.run("return d.messages.count"), want["messages"], "messages")
    equal(b.run("return d.meta.ideal"), want["ideal"], "the run without communication")
    check_efficiencies(b, want)
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


def check_efficiencies(b, want):
    """On five cards; where computing is little of the run in one sentence, and cards are of what the bars show."""
    slept = want["slept"] + want["unsure"]
    sleeps = slept > want["computing"]
    all_time = sum(want["states"].values())
    names = ["load-balance", "communication", "parallel", "serialisation", "transfer"]
    shares = [f"{100 * want['efficiency'][name]:.1f}" for name in names]
    cards, said = b.run("""return [[...byId('efficiency').querySelectorAll('b')].map(e => e.textContent), byId('efficiency-note').textContent]""")
    if not sleeps and want["computing"] >= 0.05 * all_time:
        equal([c.split()[0] for c in cards], shares, "efficiencies")
        equal(said, "", "a sentence instead of efficiencies")
        return
    told = re.findall(r"([\d.]+) %", said)
    equal(told, [f"{100 * want['computing'] / all_time:.1f}"] + shares, "efficiencies in a sentence")
    b.run("show('balance')")
    b.frame()
    bars = b.run("return byId('balance-canvas').values")
    equal(sum(bars), want["computing"] + slept * sleeps, "the bars")
    equal([c.split()[0] for c in cards], [f"{100 * v:.1f}" for v in (
        sum(bars) / max(bars) / len(bars), max(bars) / want["length"], sum(bars) / want["length"] / len(bars))] if sleeps else [],
          "cards of the same numbers as the bars")
    check(("asleep" in b.run("return byId('kiviat-title').textContent")) == sleeps, "the Kiviat diagram's title says what it shows")


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
          {name: values[0] for name, values in want["routines"].items()}
          | {name: sum(int(calls) for calls, n in want["asks"] if n == name) for _, name in want["asks"]}, "table of routines")
    b.click("#tab-processes")
    equal(b.run("return document.querySelectorAll('#process-table tbody tr').length"),
          want["processes"], "rows of the table of processes")
    b.click("#process-table th:nth-child(2)")
    shares = b.run("return [...document.querySelectorAll('#process-table tbody tr')].map("
                   "r => parseFloat(r.cells[1].textContent))")
    check(shares == sorted(shares, reverse=True), "sorting by a click")


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
            check(b.run("return [...byId(arguments[0]).querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth)", tab), f"{tab}: no table scrolls sideways")
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


def check_figures(b, said):
    """Times and bytes are written as `obtrace stat` writes them, everywhere."""
    costs = re.findall(r"^ +([\d.]+ \w+) +[\d.]+ %  (?:process|the host)", said, re.M)
    equal(b.run("return d.meta.delays.slice(0, arguments[0]).map(r => showTime(r.cost))", len(costs)), costs, "costs of delays in words")
    shown = b.run("""show('waits'); return [...document.querySelectorAll('#waits td')].map(e => e.textContent)""")
    odd = [text for text in shown for figure, unit in re.findall(r"([\d.]+) (us|ms|s|KiB|MiB)\b", text)
           if len(figure.replace(".", "")) != 3 and " to " not in text]
    equal(odd, [], "figures that are not three")
    check("\u00b5s" not in b.run("return document.body.textContent.split('const units')[0]"), "microseconds have one name")
    equal(b.run("return [1e3, 9994, 9996, 999499, 999500, 12e6, 999499999, 999500000].map(showTime)"),
          ["1.00 us", "9.99 us", "10.0 us", "999 us", "1.00 ms", "12.0 ms", "999 ms", "1.00 s"], "times")
    equal(b.run("return [0, 1000, 1023, 1024, 1023487, 2 ** 20, 1e9].map(showBytes)"),
          ["0 B", "1000 B", "1023 B", "1.00 KiB", "999 KiB", "1.00 MiB", "954 MiB"], "bytes")


def check_report(b, obtrace, trace, pictures, scratch):
    name = os.path.splitext(os.path.basename(trace))[0]
    page = os.path.join(scratch, name + ".html")
    subprocess.run([obtrace, "report", trace, "-o", page], timeout=60 * SLOW, check=True)
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
    check_words(b, want)
    check_links(b, want)
    check_search(b, want)
    check_keys(b, want)
    check_pairs(b, want)
    check_moment(b, want)
    check_supersteps(b, want)
    check_colours(b)
    check_planted(b, name, want)
    check_views(b, pictures, name)
    b.open(page + "#waits")
    check(soon(b, "window.ready"), "a page that is opened by a link")
    equal(b.run("return window.scrollY"), 0, "it begins at its top")
    found = b.run("return [...byId('findings').children, ...byId('advice').children].map(e => e.textContent)")
    said = subprocess.run([obtrace, "stat", trace], stdout=subprocess.PIPE, text=True).stdout
    check_figures(b, said)
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
    print(f"{page_common.passed} passed, {page_common.failed} failed")
    return page_common.failed > 0


sys.exit(main())
