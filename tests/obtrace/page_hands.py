"""Finding one's way by mouse, keyboard, search and links."""
from page_common import DOWN, ENTER, ESCAPE, HOME, LEFT, RIGHT, SHIFT, TAB, check, equal, go, soon, views


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
    check_canvases(b)
    check_link_keys(b)
    b.run("showAll(d); show('space'); byId('space-canvas').focus()")
    b.frame()
    if b.run("return space.shown.length"):
        b.run("const i = space.shown[0]; space.cursor = { p: d.messages.from[i], t: d.messages.sent[i] - 1e-3 }")
        b.keys("m")
        first = b.run("return [space.cursor.message, byId('tip').textContent]")
        check("sent" in first[1] and "received" in first[1], f"m tells of a message: {first}")
        b.keys("m")
        second = b.run("return space.cursor.message")
        b.keys((SHIFT, "M"))
        check(b.run("return space.cursor.message") == first[0] or second == first[0], "M leads back")


def check_canvases(b):
    """Each drawing of each view is reached from the tab by Tab alone, and tells what its places are; each time another."""
    b.run("showAll(d); show('summary'); byId('tab-summary').focus()")
    for tab in views(b)[1:]:
        b.keys("]")
        equal(b.run("return choice.tab"), tab, "] leads through all views")
        b.frame()
        waiting = b.run("return [...byId(choice.tab).querySelectorAll('canvas')].map(c => c.id)")
        for canvas in list(waiting):
            b.run("byId('tab-' + choice.tab).focus()")
            steps = 0
            while b.run("return document.activeElement.id") != canvas and steps < 60:
                b.keys(TAB)
                steps += 1
            equal(b.run("return document.activeElement.id"), canvas, f"Tab leads to {canvas}")
            label = b.run("return byId(arguments[0]).getAttribute('aria-label')", canvas)
            check(label and len(label) > 40, f"{canvas} has no label")
            told, places = [], b.run("const s = byId(arguments[0]).stops; return s ? s.count : 3", canvas)
            for _ in range(3):
                b.keys(RIGHT)
                told.append(b.run("return byId('tip').hidden ? '' : byId('tip').textContent"))
            check(all(told), f"arrows tell nothing in {canvas}: {told}")
            check(len(set(told)) > 1 or places < 2 or canvas in ("path-canvas", "space-canvas", "gantt-canvas", "parts-canvas"),
                  f"arrows tell always the same in {canvas}: {told[0]}")
            b.run("document.activeElement.blur()")
            check(b.run("return byId('tip').hidden"), f"what {canvas} told stays")
        b.run("byId('tab-' + choice.tab).focus()")
    b.run("byId('tab-queues').focus(); show('queues')")
    b.frame()
    b.run("byId('queue-canvas').focus()")
    b.keys("+")
    check(b.run("return view.end - view.begin < d.length"), "+ zooms a chart over time")
    b.keys(HOME)
    check(b.run("return view.end - view.begin === d.length"), "Home shows all of it")
    b.run("show('matrix')")
    b.frame()
    if b.run("return byId('matrix-canvas').stops.columns > 1"):
        b.run("byId('matrix-canvas').focus()")
        b.keys(RIGHT, DOWN)
        down = b.run("return byId('tip').textContent")
        equal(down, b.run("const s = byId('matrix-canvas').stops; return s.at(s.columns)[2]"), "an arrow leads to the next row of the matrix")
    b.run("show('summary'); document.querySelector('#share div').focus()")
    check("%" in b.run("return byId('tip').textContent"), "the bar of all processes tells its parts")


def check_link_keys(b):
    """Links in tables lead on with Enter, as with a click; each view is opened by its own address."""
    for table in ("place-table", "routine-table", "process-table", "late-table", "delay-table", "superstep-table"):
        section = b.run("return byId(arguments[0]).closest('section').id", table)
        if not b.run("return byId(arguments[0]).querySelector('td .stretch') !== null", table):
            continue
        b.run("show(arguments[0]); byId(arguments[1]).querySelector('td .stretch').focus()", section, table)
        b.keys(ENTER)
        b.frame()
        equal(b.run("return choice.tab"), "space", f"Enter on a link of the {table}")
        b.run("document.activeElement.blur(); if (view.routine) showRoutine(0); showAll(d)")
    for tab in views(b):
        go(b, "#" + b.run("return slug(tabs.find(([id]) => id === arguments[0])[1])", tab))
        equal(b.run("return choice.tab"), tab, "a link to the view")


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
