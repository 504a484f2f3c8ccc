"""What the pages of planted.c's programs have to show."""
import re

from page_common import check, equal


def check_planted(b, name, want):
    if name not in ("chain", "hot"):
        return
    check_title(b, name)
    check_layout(b)
    if name == "chain":
        check_because(b)
        check_where(b)
        check_own_messages(b)
        check_advice(b, want)
    if name == "hot":
        check_sleep_in_supersteps(b)
        check_to_itself(b, want)
        check_asked(b)


def check_title(b, name):
    """The page is called after the program, not after where it lies."""
    equal(b.run("return [byId('title').textContent, document.title]"), ["obtrace_planted"] * 2, "the program's name")
    check(("(BSP)" in b.run("return byId('subtitle').textContent")) == (name == "hot"), "a BSP program is called so")


def check_sleep_in_supersteps(b):
    """Sleep is in no w, but it is most of the run: the bars, the legend, the sums and a column of its own show it."""
    b.run("show('supersteps')")
    b.frame()
    slept, worked = b.run("const s = d.meta.supersteps; return [s.reduce((n, r) => n + r.asleep, 0), s.reduce((n, r) => n + r.mean, 0)]")
    check(slept > worked, f"the program sleeps for longer than it works: {slept}, {worked}")
    equal(b.run("return byId('superstep-canvas').bars.reduce((n, r) => n + r.asleep, 0)"), slept, "sleep in the bars")
    drawn = b.run("""const c = byId('superstep-canvas'), k = c.bars.reduce((a, r, i) => r.asleep > c.bars[a].asleep ? i : a, 0), [x] = c.stops.at(k), r = devicePixelRatio;
        const p = c.getContext('2d').getImageData(Math.round(x * r), 0, 1, c.height).data, want = rgb(theme.states[asleep]);
        let n = 0; for (let i = 0; i < p.length; i += 4) n += [0, 1, 2].every(j => p[i + j] === want[j]); return n / c.height""")
    check(drawn > 0.1, f"sleep is drawn: {drawn} of the drawing's height")
    check("asleep" in b.run("return document.querySelector('.legend.supersteps').textContent"), "the legend has sleep")
    check(b.run("return showTime(d.meta.supersteps.reduce((n, r) => n + r.asleep, 0))") in b.run("return byId('superstep-note').textContent"), "the sum of sleep is told")
    heads = b.run("return [...document.querySelectorAll('#superstep-table th')].map(t => [t.textContent.trim(), t.title])")
    check(any(t.startswith("asleep") for t, _ in heads) and all("asleep or not" not in title for _, title in heads), f"asleep and not running are two columns: {heads}")


def check_asked(b):
    """Puts are found by their name, in the table of routines and by the search, though they have no times."""
    rows = b.run("show('routines'); return [...document.querySelectorAll('#routine-table tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    put = [r for r in rows if r[0] == "bsp_put"]
    check(len(put) == 1 and put[0][1:4] == ["48", "–", "–"], f"bsp_put among the routines: {rows}")
    found = b.run("return found(searchable(d), 'bsp_put').map(e => e.what + ' ' + e.name)")
    check(found and found[0] == "routine bsp_put" and any(f.startswith("call site bsp_put in") or f.startswith("call site bsp_put called") for f in found), f"a search for bsp_put: {found}")
    b.run("found(searchable(d), 'bsp_put')[0].go()")
    equal(b.run("return choice.tab"), "supersteps", "where a put leads to")


def check_because(b):
    """Who waits for the root of a broadcast that waited itself is told because of whom."""
    tips = b.run("""const tips = {}, p = d.processes.findIndex(q => q.id === 2);
        for (let i = d.first[p]; i + 1 < d.first[p + 1]; i++) if (d.states[d.state[i]] === 'broadcast') {
            const last = spanText(d, p, d.time[i]).split('\\n').pop();
            tips[last] = (tips[last] || 0) + d.time[i + 1] - d.time[i];
        } return tips""")
    longest = max(tips, key=tips.get)
    check(re.fullmatch(r"for process 0 \(0,0\), which came late because of process 1 \(0,1\)", longest), f"tips of process 2's waits: {tips}")
    rows = b.run("""show('waits'); return [...document.querySelectorAll('#late-table tbody tr')].map(r => [...r.cells].map(c => c.textContent))""")
    row = next(r for r in rows if r[0].startswith("late broadcast"))
    check(any(cell.startswith("process 1 (0,1): ") for cell in row), f"the late broadcasts are because of process 1: {row}")


def check_where(b):
    """A stretch between two calls is that of the function that made both, or of one that it calls: in words."""
    place = r"in (\w+) between \1\+0x[0-9a-f]+ and \1\+0x[0-9a-f]+"
    cells = b.run("show('waits'); return [...document.querySelectorAll('#delay-table tbody td:first-child')].map(e => e.textContent)")
    check(re.search(place, cells[0]), f"the costliest row tells where in the program it lies: {cells[0]}")
    found = b.run("return [...byId('findings').children].map(e => e.textContent)")
    check(any(re.match(f"That time lies {place}.*or in a function called there that does not communicate", t) for t in found), f"so does the summary: {found}")
    check("counts the same waiting" in b.run("return byId('waits').textContent"), "two countings of the same waiting are said to be so")
    tip = b.run("const p = d.processes.findIndex(q => q.id === 1), i = [...d.state].findIndex((s, k) => k >= d.first[p] && s === asleep); return spanText(d, p, d.time[i])")
    check("in their caller" in tip and tip.endswith("or in a function called there that does not communicate"), f"the tip of a stretch between calls: {tip}")


def check_own_messages(b):
    """Short messages that the program did not send are told to be the library's beside the matrix, and are too little for
    the summary; a message's tip tells its calls."""
    found = b.run("return [...byId('findings').children].map(e => e.textContent)")
    check(any(re.fullmatch(r"39 messages carried [\d.]+ MiB\.", t) for t in found), f"all messages: {found}")
    b.run("show('matrix')")
    b.frame()
    note = b.run("return byId('matrix-note').textContent")
    check(", 3 of them (24 B) within broadcasts" in note, f"messages that the program did not send: {note}")
    check(not any("time is blocked in" in t for t in found), f"who waits most, where the cause is known: {found}")
    tips = b.run("const m = d.messages, all = [...m.bytes.keys()]; return [all.find(i => m.bytes[i] > 100), all.find(i => m.bytes[i] === 8)].map(i => messageText(d, i))")
    check(re.search(r"sent .* in dgesd2d.*\nreceived .* in dgerv2d", tips[0]), f"the tip of the program's message: {tips[0]}")
    check(re.search(r"sent .* in dgebs2d.*\nreceived .* in dgebr2d", tips[1]), f"the tip of the library's message: {tips[1]}")


def check_to_itself(b, want):
    """What a process puts to itself is no message: the bytes asked for are those of messages and these."""
    asked, itself = (sum(row[k] for row in want["asked"]) for k in (0, 4))
    equal(itself, 12 << 18, "bytes of puts to oneself")
    found = b.run("return [...byId('findings').children].map(e => e.textContent)")
    check(any(t.startswith("Processes moved 3.00 MiB to themselves") for t in found), f"puts to oneself in the summary: {found}")
    check(asked - itself <= want["bytes"] < asked, f"bytes of messages: {want['bytes']}; asked for: {asked}, of oneself {itself}")
    cells = b.run("return [...document.querySelectorAll('#asked-table tbody tr')].map(r => r.textContent)")
    check(any("3.00 MiB" in c for c in cells), f"puts to oneself in the table: {cells}")


def check_advice(b, want):
    """What gains most comes first; what is known to gain less than a hundredth of the run is no advice."""
    gains, found, tries = b.run("""return [d.meta.gains.filter((g, i) => d.meta.texts[i].startsWith('Try ')),
        ...['findings', 'advice'].map(id => [...byId(id).children].map(e => e.textContent))]""")
    check(tries[0].startswith("Try to find out why process 1 sleeps between"), f"the first advice: {tries}")
    check(all(g < 0 or g >= want["length"] / 100 for g in gains), f"gains of what is advised: {gains}")
    replayed = "f it took there what the others take, the run would take "
    row = b.run("show('waits'); return document.querySelector('#delay-table tbody td').textContent")
    check("I" + replayed in tries[0] and "i" + replayed in row, f"one replay has one name: {tries[0]}; {row}")
    order = b.run("return [...byId('advice').children].map(e => d.meta.gains[d.meta.texts.indexOf(e.textContent)])")
    equal(order, sorted(order, reverse=True), "advice by its gain")
    check(any("wrong order" in t and "gain next to nothing" in t for t in found), f"another order gains next to nothing: {found}")
    check(not any("in the order in which they come" in t for t in tries), f"and is no advice: {tries}")


def check_layout(b):
    """What a reader looks for first is seen without scrolling."""
    # A page that is opened at its first view shows it.
    b.run("byId('summary').classList.remove('shown'); choice.tab = 'summary'; location.hash = '#summary'; followLink()")
    check(b.run("return byId('summary').classList.contains('shown')"), "a link to the summary shows it")
    b.run("window.scrollTo(0, 0); show('summary')")
    tops = b.run("return [...byId('tiles').children].map(e => Math.round(e.getBoundingClientRect().top))")
    equal(len(set(tops)), 1, "rows of tiles")
    places = b.run("return ['advice', 'findings'].map(id => byId(id).getBoundingClientRect()).map(r => [r.left, r.top])")
    check(places[0][0] < places[1][0] or places[0][1] < places[1][1], f"advice comes before findings: {places}")
    b.run("show('space')")
    b.frame()
    bottom, height = b.run("return [Math.max(...[...byId('space').querySelectorAll('.note')].map(e => e.getBoundingClientRect().bottom)), innerHeight]")
    check(bottom <= height, f"the help below the space-time diagram ends at {bottom} of {height}")
