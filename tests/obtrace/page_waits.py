"""Why processes waited: tables, marks, explanations, supersteps."""
from page_common import ESCAPE, check, equal, go, soon


def check_waits(b, want):
    """The tables of waits, and where their stretches lead."""
    b.click("#tab-waits")
    for name, rows in (("late", want["why"]), ("delay", [row[0] for row in want["delay"]])):
        folded = b.run(f"return document.querySelector('#{name}-table .rest') !== null")
        shown = b.run(f"return document.querySelectorAll('#{name}-table tbody tr').length")
        if folded:
            small = [t for t in rows[:1000] if t < 0.005 * want["blocked"]]
            equal(shown, min(len(rows), 1000) - len(small) + 1, f"rows of the {name} table, small ones as one")
            check(f"{len(small)} rows" in b.run(f"return document.querySelector('#{name}-table .rest').textContent").replace("\u202f", ""),
                  f"the rest of the {name} table")
            b.run(f"document.querySelector('#{name}-table .rest').click()")
            shown = b.run(f"return document.querySelectorAll('#{name}-table tbody tr').length")
        equal(shown, min(len(rows), 1000), f"rows of the {name} table")
    equal(sum(want["why"]), want["blocked"], "all waiting is in the table of wait states")
    equal(b.run("return d.processes.reduce((s, p) => s + p.caused, 0)"), want["late"], "what processes made others wait")
    equal(b.run("return d.meta.late"), want["late"], "late waiting")
    equal(b.run("return d.meta.delays.map(r => r.cost)"), [r[0] for r in want["delay"]][:1000], "costs of delays")
    if want["delay"]:
        cost, process, begin, end = want["delay"][0]
        b.click("#delay-table td:last-child .stretch")
        b.frame()
        check(b.run("return choice.tab") == "space", "a stretch leads to the space-time diagram")
        found = b.run("return [view.begin, view.end, view.top, view.bottom]")
        check(found[0] <= begin and found[1] >= end, f"the stretch {begin} to {end} is in view: {found}")
        check(b.run("const k = d.processes.findIndex(p => p.id === arguments[0]); return view.top <= k && k < view.bottom",
                    process), "its process is in view")
        check_mark(b, process, begin, end)


def check_mark(b, process, begin, end):
    """The stretch that a link led to is marked, its address says so, and Escape takes the mark away."""
    equal(b.run("return [d.processes[view.marked.process].id, view.marked.begin, view.marked.end]"), [process, begin, end], "the mark")
    marked = """const c = byId('space-canvas'), r = window.devicePixelRatio, at = view.marked, p = rgb(theme.path);
        const x = Math.round((space.xOf(at.begin) + Math.max(3, space.xOf(at.end) - space.xOf(at.begin)) / 2) * r);
        const y = (space.yOf(at.process) - space.box.h / (view.bottom - view.top) / 2 + 1) * r;
        const q = c.getContext('2d').getImageData(x, Math.round(y) - 2, 1, 4).data;
        return [0, 1, 2, 3].some(i => [0, 1, 2].every(k => Math.abs(q[4 * i + k] - p[k]) < 40))"""
    check(b.run(marked), "the mark is drawn")
    check(soon(b, f"location.hash.includes('/mark={process}@')"), "the address tells the mark")
    address = b.run("return location.hash")
    b.run("document.activeElement.blur()")
    b.keys(ESCAPE)
    equal(b.run("return view.marked"), None, "Escape takes the mark away")
    check(soon(b, "!location.hash.includes('mark')"), "the address tells of no mark")
    go(b, address)
    equal(b.run("return view.marked && [d.processes[view.marked.process].id, Math.abs(view.marked.begin - arguments[0]) < 100]", begin),
          [process, True], "a link to a marked stretch")
    b.run("view.marked = null; redraw()")


def check_words(b, want):
    """Titles of columns are explained, to a pointer and to the keyboard; tips tell places, and for whom a process waits."""
    bare = b.run("""return [...document.querySelectorAll('th')].filter(t => t.textContent && (t.title.length < 12 || t.tabIndex !== 0))
        .map(t => t.closest('table').id + ': ' + t.textContent)""")
    equal(bare, [], "titles of columns without an explanation")
    b.run("show('processes')")
    b.frame()
    b.run("document.querySelector('#process-table th').focus()")
    equal(b.run("return byId('tip').hidden ? '' : byId('tip').textContent"), b.run("return document.querySelector('#process-table th').title"), "a focused title tells what it is")
    b.run("document.activeElement.blur()")
    # What the page says of each wait of the run, and of each stretch outside of calls.
    told = b.run("""const lines = { late: 0, way: 0, none: 0, calls: 0, places: 0 };
        for (let p = 0; p < d.active; p++) for (let i = d.first[p]; i + 1 < d.first[p + 1]; i++) {
            const text = d.time[i + 1] > d.time[i] && d.first[p + 1] - d.first[p] < 3000 ? spanText(d, p, d.time[i]) : '';
            if (text && d.state[i] >= firstWait) lines[text.includes('which came late') ? 'late' : text.includes('that was under way') ? 'way' : 'none']++;
            if (text && d.call[i]) { lines.calls++; lines.places += text.includes('in ' + callName(d, d.call[i])); }
            else if (text && d.state[i]) { lines.calls++; lines.places += text.includes('between ') && text.includes('\\nand '); }
        } return lines""")
    equal(told["places"], told["calls"], "tips that tell where in the program")
    check(told["late"] > 0 or not want["late"], f"tips tell for whom a process waits: {told}")
    # Fine enough for what is in view: two moments a hundredth of it apart are told as two.
    b.run("show('space'); view.begin = d.length * .5; view.end = d.length * .5001; redraw()")
    b.frame()
    check(b.run("const w = (view.end - view.begin) / 100; return w < 1 || showMoment(view.begin) !== showMoment(view.begin + w)"), "times are finer when zoomed in")
    b.run("showAll(d); redraw()")
    # The typical stretch stands beside the costliest.
    rows = b.run("return d.meta.delays.slice(0, 20).map(r => [r.times || 0, r.typical, r.to - r.from])")
    check(all(times == 0 or length >= typical for times, typical, length in rows), f"typical stretches: {rows}")
    b.run("show('matrix')")
    for i, part in enumerate(("sender", "sender", "waited for")):
        b.click(f"#matrix-choice button:nth-child({i + 1})")
        check(part in b.run("return byId('matrix-about').textContent"), "the matrix's caption is that of its choice")
    b.click("#matrix-choice button:nth-child(1)")


def check_supersteps(b, want):
    equal(b.run("return byId('tab-supersteps').hidden"), not want["supersteps"], "the view of supersteps")
    equal(b.run("return d.meta.supersteps.map(s => s.work)"), [int(s["work"]) for s in want["supersteps"]], "work of supersteps")
    if want["supersteps"]:
        b.run("show('supersteps')")
        equal(b.run("return byId('superstep-canvas').bars.reduce((s, b) => s + b.work, 0)"),
              sum(int(s["work"]) for s in want["supersteps"]), "work of all bars")
        equal(b.run("return document.querySelectorAll('#superstep-table tbody tr').length"), len(want["supersteps"]), "rows of supersteps")
        for key, name in (("last", "last"), ("most", "most")):
            equal(b.run("return d.meta.supersteps.map(s => d.processes[s[arguments[0]]].id)", key), [int(s[name]) for s in want["supersteps"]], f"{key} of supersteps")
        equal(b.run("return d.meta.supersteps.map(s => s.asleep)"), [int(s["slept"]) // int(s["members"]) for s in want["supersteps"]], "sleep of supersteps")
        equal(b.run("return d.meta.supersteps.map(s => s.notRunning)"), [(int(s["stopped"]) - int(s["slept"]) - int(s["unsure"])) // int(s["members"]) for s in want["supersteps"]], "not running in supersteps")
        equal(b.run("return d.meta.supersteps.map(s => s.unsure)"), [int(s["unsure"]) // int(s["members"]) for s in want["supersteps"]], "asleep or not running in supersteps")
        equal(b.run("return d.meta.supersteps.map(s => [s.by, s.lastStopped])"), [[int(s["by"]), int(s["last-stopped"])] for s in want["supersteps"]], "how late the last one came, and its stops")
        equal(b.run("return d.meta.supersteps.map(s => s.meanH)"), [int(s["mean-h"]) for s in want["supersteps"]], "mean h of supersteps")
        equal(b.run("return d.meta.asked.map(r => [r.bytes, r.calls, r.most, d.processes[r.to].id, r.itself])"), want["asked"], "what supersteps were asked for")
    found = b.run("""const o = d.own, sums = {}; for (let p = 0; p < d.active; p++) for (let i = o.first[p]; i + 1 < o.first[p + 1]; i++)
        if (o.state[i]) sums[o.states[o.state[i]]] = (sums[o.states[o.state[i]]] || 0) + o.time[i + 1] - o.time[i];
        return sums""")
    equal(found, want["parts"], "time of parts")
