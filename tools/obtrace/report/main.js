// The page: tabs, tables, and drawing what is shown.
const tabs = [["summary", "Summary"], ["space", "Space-time"], ["gantt", "Utilization"], ["concurrency", "Concurrency"],
  ["kiviat", "Kiviat"], ["matrix", "Matrix"], ["lengths", "Lengths"], ["queues", "Queues"], ["path", "Critical path"],
  ["waits", "Waits"], ["supersteps", "Supersteps"], ["parts-view", "Parts"], ["routines", "Routines"], ["processes", "Processes"], ["balance", "Balance"],
  ["animation", "Animation"], ["phase", "Phases"]];
const byId = id => document.getElementById(id);
const d = readTrace();
const choice = { matrix: "bytes", lengths: "messages", queue: -1, tab: "summary", of: -1, with: -1 };
Object.assign(view, { begin: 0, end: d.length, top: 0, bottom: d.active });

// Of its recorded time: library, computing, waiting, not running, asleep; and outside of the library, or computing.
for (const p of d.processes) {
  const all = p.state.slice(1).reduce((s, v) => s + v, 0) || 1;
  p.share = [p.state[2] / all, p.state[1] / all, p.state.slice(firstWait).reduce((s, v) => s + v, 0) / all, p.state[notRunning] / all, p.state[asleep] / all, p.work / all, p.state[unsure] / all];
}

const space = new Timeline(d, byId("space-canvas"), {
  thin: true, messages: () => byId("show-messages").checked, path: () => byId("show-path").checked, pair: () => [choice.of, choice.with],
  after(t) {
    if (t.work) return;
    const all = !t.messages() ? "" : t.shown.length < t.seen
      ? `${showCount(t.shown.length)} of ${showCount(t.seen)} messages in view are drawn, those with the longest waits first; zoom in for the others.`
      : `${showCount(t.seen)} messages in view.`;
    const r = view.marked;
    byId("space-note").textContent = `${showTime(view.end - view.begin)} in view, from ${showMoment(view.begin)}. ${all}` + (r ? ` Marked: ${d.processes[r.process].name}, ${showRange(r.begin, r.end)} (Escape: no mark).` : "");
  } });
const gantt = new Timeline(d, byId("gantt-canvas"), {
  parts: () => d.states.map((s, i) => i < firstWait ? theme.parts[i] : rgb(theme.waiting)),
  after(t) { byId("count-canvas").left = t.box.x; } });
const path = new Timeline(d, byId("path-canvas"), { fade: true, thin: true, path: () => true });

const partColours = ["computing", "receive", "library", "broadcast", "not-running", "combine", "collective", "barrier"];
const parts = new Timeline(d.own, byId("parts-canvas"), { parts: () => d.own.states.map((s, i) => rgb(i ? hex(partColours[(i - 1) % partColours.length]) : theme.card)) });

const drawings = {
  space: () => space.draw(),
  gantt: () => { gantt.draw(); drawCount(d, byId("count-canvas")); },
  concurrency: () => drawConcurrency(d, byId("concurrency-canvas")),
  kiviat: () => drawKiviat(d, byId("kiviat-canvas")),
  matrix: () => drawMatrix(d, byId("matrix-canvas"), choice.matrix),
  lengths: () => drawLengths(d, byId("lengths-canvas"), choice.lengths),
  queues: () => drawQueue(d, byId("queue-canvas"), choice.queue),
  path: () => path.draw(),
  balance: () => drawBalance(d, byId("balance-canvas")),
  "parts-view": () => parts.draw(),
  supersteps: () => drawSupersteps(d, byId("superstep-canvas")),
  animation: () => drawAnimation(d, byId("animation-canvas")),
  phase: () => drawPhase(d, byId("phase-canvas")),
};
let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; draw(); });
}
function draw() { if (drawings[choice.tab]) drawings[choice.tab](); rememberPlace(); }

function show(tab) {
  choice.tab = tab;
  for (const [id] of tabs) {
    byId(id).classList.toggle("shown", id === tab);
    byId("tab-" + id).setAttribute("aria-selected", id === tab);
    byId("tab-" + id).tabIndex = id === tab ? 0 : -1;
  }
  showTip(null, "");
  draw();
}

function swatch(parent, colour, text) {
  const span = element("span", undefined, parent), i = element("i", undefined, span);
  i.style.background = colour;
  span.append(text);
}
function legends() {
  const used = d.states.map((s, i) => d.processes.some(p => p.state[i] > 0));
  for (const place of document.querySelectorAll(".legend")) {
    place.textContent = "";
    if (place.classList.contains("three")) {
      swatch(place, "var(--computing)", "computing"); swatch(place, "var(--library)", "library: copying, combining"); swatch(place, "var(--waiting)", "waiting");
      for (const i of [notRunning, asleep, unsure]) if (used[i]) swatch(place, `var(--${d.states[i]})`, stateName(d, i));
    } else if (place.classList.contains("supersteps")) {
      swatch(place, "var(--work)", "work: of a process in the mean"); swatch(place, "var(--excess)", "more work of the slowest"); swatch(place, "var(--sync)", "sync, after the last one has come"); for (const [i, of] of [[asleep, "asleep"], [unsure, "unsure"], [notRunning, "notRunning"]]) if (d.meta.supersteps.some(s => s[of])) swatch(place, `var(--${d.states[i]})`, `${d.states[i] === "unsure" ? "asleep or not running" : d.states[i].replace("-", " ")}: a process in the mean`);
      swatch(place, "var(--ink)", "the model: w + g h + l");
    } else if (place.classList.contains("parts")) {
      d.own.parts.forEach((name, i) => swatch(place, `var(--${partColours[i % partColours.length]})`, name));
    } else if (place.classList.contains("balance")) {
      for (const i of d.meta.sleeps ? [1, asleep, unsure] : []) if (used[i]) swatch(place, `var(--${d.states[i]})`, stateName(d, i));
    } else if (place.classList.contains("kiviat")) {
      swatch(place, "var(--work)", `work: ${working}`); swatch(place, "var(--waiting)", "waiting");
    } else {
      d.states.forEach((s, i) => { if (i && used[i]) swatch(place, `var(--${s})`, stateName(d, i)); });
      if (!place.closest("#summary")) swatch(place, "var(--message)", "message, thick: a long one");
    }
  }
}

function tile(parent, value, text) {
  const t = element("div", undefined, parent, "tile");
  element("b", value, t);
  element("span", text, t);
}
function summary() {
  byId("title").textContent = d.meta.title;
  const one = d.processes.slice(0, d.active).reverse().find(p => p.place);
  byId("subtitle").textContent = d.meta.subtitle + (d.meta.supersteps.length ? `, ${plural(d.meta.supersteps.length, "superstep")} (BSP)` : "") + (one ? `; grid of ${d.meta.grid.rows} x ${d.meta.grid.columns}: "${one.label}" is process ${one.id}, in row ${one.place[0]}, column ${one.place[1]}` : "");
  const all = d.states.map((s, i) => d.processes.reduce((sum, p) => sum + p.state[i], 0));
  const sum = all.slice(1).reduce((s, v) => s + v, 0) || 1, waiting = all.slice(firstWait).reduce((s, v) => s + v, 0);
  tile(byId("tiles"), d.active, d.active === 1 ? "process" : "processes");
  tile(byId("tiles"), showTime(d.length), "from first to last event");
  tile(byId("tiles"), showShare(all[1], sum), "computing");
  if (all[notRunning]) tile(byId("tiles"), showShare(all[notRunning], sum), "not running");
  if (all[asleep]) tile(byId("tiles"), showShare(all[asleep], sum), "asleep");
  if (all[unsure]) tile(byId("tiles"), showShare(all[unsure], sum), "asleep or not running");
  tile(byId("tiles"), showShare(all[2], sum), "in the library");
  tile(byId("tiles"), showShare(waiting, sum), "waiting");
  tile(byId("tiles"), showBytes(d.meta.bytes), "in " + plural(d.messages.count, "message"));
  // What gains most comes first, what is not known to gain anything last.
  const told = d.meta.texts.map((text, i) => ({ text, gain: d.meta.gains[i] })), tries = told.filter(t => t.text.startsWith("Try "));
  for (const t of told) if (!tries.includes(t)) element("li", t.text, byId("findings"));
  for (const t of tries.sort((x, y) => y.gain - x.gain)) element("li", t.text, byId("advice"));
  if (!byId("advice").children.length) element("li", "Nothing stands out.", byId("advice"));
  all.forEach((v, i) => {
    if (!i || !v) return;
    const part = element("div", undefined, byId("share"));
    part.style.cssText = `width:${100 * v / sum}%;background:var(--${d.states[i]})`;
    const text = part.title = `${stateName(d, i)}: ${showShare(v, sum)}, ${showTime(v)}`;
    part.tabIndex = 0;
    part.setAttribute("role", "img");
    part.setAttribute("aria-label", text);
    part.addEventListener("focus", () => { const box = part.getBoundingClientRect(); showTip({ clientX: box.x, clientY: box.y }, text); });
    part.addEventListener("blur", () => showTip(null, ""));
  });
}

// columns: [title, value of a row, text of a value, what it is]; a click on a title sorts. Rows that rest.is says are
// small are one, which rest.tell tells of, until it is clicked.
function table(place, rows, columns, sortBy, rest) {
  const head = element("tr", undefined, element("thead", undefined, place)), body = element("tbody", undefined, place);
  const small = rest ? rows.filter(rest.is) : [];
  let down = sortBy > 0, by = sortBy, folded = small.length > 1 && small.length < rows.length;
  rows = [...rows];
  const fill = () => {
    body.textContent = "";
    const value = columns[by][1];
    rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
    for (const row of rows) {
      if (folded && rest.is(row)) continue;
      const tr = element("tr", undefined, body);
      for (const [, get, text] of columns) {
        const shown = text ? text(get(row), row) : get(row), td = element("td", undefined, tr);
        if (shown instanceof Node) td.append(shown); else td.textContent = shown;
      }
    }
    if (folded) {
      const td = element("td", undefined, element("tr", undefined, body));
      td.colSpan = columns.length;
      td.append(link(rest.tell(small), () => { folded = false; fill(); }, "rest"));
    }
    [...head.children].forEach((th, i) => i === by ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
  };
  columns.forEach(([title, , , about], i) => {
    const th = element("th", title, head), sort = () => { down = by === i ? !down : i > 0; by = i; fill(); };
    if (!title) return;
    th.tabIndex = 0;
    if (about) th.title = about;
    th.addEventListener("click", sort);
    th.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
    th.addEventListener("focus", () => { const box = th.getBoundingClientRect(); showTip({ clientX: box.x, clientY: box.bottom }, about || ""); });
    th.addEventListener("blur", () => showTip(null, ""));
  });
  fill();
}
function partBar(parts) {
  const bar = element("span", undefined, undefined, "part");
  for (const [share, colour] of parts) { const i = element("i", undefined, bar); i.style.cssText = `width:${100 * share}%;background:var(--${colour})`; }
  return bar;
}
function link(text, go, kind = "stretch") {
  const b = element("button", text, undefined, "link " + kind);
  b.type = "button";
  b.addEventListener("click", go);
  return b;
}
function tables() {
  const percent = v => (100 * v).toFixed(1) + " %", waitBar = v => partBar([[v, "waiting"], [1 - v, "library"]]);
  table(byId("place-table"), d.meta.places, [["called", r => r.call, (v, r) => link(v, () => { showRoutine(r.routine); showStretch(d, r); }), "the routine, and the place of the program that called it; leads to its longest call"], ["calls", r => r.calls, showCount, "how many calls, of all processes"],
    ["time", r => r.time, showTime, "from begin to end of these calls, all processes together"], ["waiting", r => r.blocked, showTime, "how much of this time they waited for other processes"], ["", r => r.blocked / (r.time || 1), waitBar],
    ["bytes", r => r.bytes, showBytes, "the data of the calls, each process's counted: of a broadcast at its root and at each other member; of a sync what a process sends"], ["longest", r => r.end - r.begin, (v, r) => stretch(d, r), "the longest call: process and time; leads to it"]], 2);
  // Puts, gets and the like have bytes, and no times.
  const asked = new Map(), timed = show => (v, r) => r.asked ? "–" : show(v, r);
  for (const r of d.meta.asked) {
    const sum = asked.get(r.routine) || { name: r.routine, asked: true, calls: 0, time: 0, blocked: 0, packing: 0, longest: 0, bytes: 0, least: 0, most: 0 };
    sum.calls += r.calls; sum.bytes += r.bytes;
    asked.set(r.routine, sum);
  }
  table(byId("routine-table"), [...d.meta.routines.map((r, i) => ({ ...r, i })).filter(r => r.calls), ...asked.values()], [
    ["routine", r => r.name, (v, r) => link(v, () => r.asked ? showAsked() : showRoutine(r.i + 1)), "shows it alone in the space-time diagram; of one that only asks the end of a superstep for data: its call sites"],
    ["calls", r => r.calls, showCount, "how many calls, of all processes"],
    ["time", r => r.time, timed(showTime), "from begin to end of these calls, all processes together; –: the trace has no times of it"],
    ["waiting", r => r.blocked, timed(showTime), "how much of this time they waited for other processes"], ["", r => r.blocked / (r.time || 1), (v, r) => r.asked ? "" : waitBar(v)],
    ["copying", r => r.packing, v => v ? showTime(v) : "–", "how much of it they copied or combined data; –: not known, or none"], ["longest", r => r.longest, timed(showTime), "the longest call"],
    ["bytes", r => r.bytes, showBytes, "the data of the calls, each process's counted: of a broadcast at its root and at each other member; of a sync what a process sends"],
    ["least", r => r.least, timed(showBytes), "bytes of the call with the least data"], ["mean", r => r.bytes / r.calls, v => showBytes(Math.round(v)), "mean bytes of a call"], ["most", r => r.most, timed(showBytes), "bytes of the call with the most data"]], 2);
  const waiting = d.processes.reduce((s, p) => s + p.state.slice(firstWait).reduce((a, v) => a + v, 0), 0);
  table(byId("process-table"), d.processes.slice(0, d.active).map((p, i) => ({ ...p, i })), [["process", p => p.i, (v, p) => link(p.name, () => showProcess(d, p.i)), "leads to it in the space-time diagram; (row,column) in the grid"],
    ["computing", p => p.share[1], percent, "share of its time outside communication routines, on a processor"], ["library", p => p.share[0], percent, "share of its time within communication routines, at work: copying, combining"], ["waiting", p => p.share[2], percent, "share of its time within communication routines, waiting for other processes"],
    ["not running", p => p.share[3], percent, "share of its time outside communication routines in which another had its processor"], ["asleep", p => p.share[4], percent, "share of its time outside communication routines in which it had left its processor by itself: sleep, files, other libraries"],
    ...d.processes.some(p => p.share[6]) ? [["either", p => p.share[6], percent, "share of its time outside communication routines in which it was asleep or not running; the trace does not tell which"]] : [],
    ["", p => p.share[1], (v, p) => partBar([[p.share[1], "computing"], [p.share[0], "library"], [p.share[2], "waiting"], [p.share[3], "not-running"], [p.share[4], "asleep"], [p.share[6], "unsure"]])],
    ["made others wait", p => p.caused, v => `${showTime(v)}, ${showShare(v, waiting)}`, "waiting of other processes that this one's coming late cost, and its share of all waiting; Waits has its parts"],
    ["calls", p => p.calls, showCount, "calls of communication routines"], ["sent", p => p.sent, showCount, "messages that it sent"], ["bytes sent", p => p.sentBytes, showBytes, "bytes in these messages"], ["received", p => p.received, showCount, "messages that it received"],
    ["bytes received", p => p.receivedBytes, showBytes, "bytes in these messages"], ["longest queue", p => p.queue, showCount, "the most messages that were sent to it and not yet received, at one moment"], ["critical path", p => p.path, v => showShare(v, d.length), "for which share of the run the critical path went through it"]], 0);
}
// What computing says little of, where the program slept for longer than it computed.
const working = d.meta.sleeps ? "computing or asleep, outside the library" : "computing";
const sleepNote = d.meta.sleeps ? "This program slept for longer than it computed. Sleep is no computing, so this says little of it: see Balance and Waits." : "";

// The efficiencies count computing alone. Where that is little of the run they are one small sentence; the cards are
// then of what the bars show, if that is more.
function balance() {
  const own = d.processes.slice(0, d.active), all = own.reduce((s, p) => s + p.state.slice(1).reduce((a, v) => a + v, 0), 0);
  const of = value => ({ most: Math.max(...own.map(value)), sum: own.reduce((s, p) => s + value(p), 0) }), computing = of(p => p.state[1]), work = of(p => p.work);
  const little = d.meta.sleeps || computing.sum < .05 * all, by = d.length * d.active;
  const factors = [[showShare(computing.sum, computing.most * d.active), "load balance", "mean by longest computing"], [showShare(computing.most, d.length), "communication efficiency", "longest computing by run"], [showShare(computing.sum, by), "parallel efficiency", "the product"],
    [showShare(computing.most, d.meta.ideal), "serialisation", `longest computing by the run without communication, ${showTime(d.meta.ideal)}`], [showShare(d.meta.ideal, d.length), "transfer", "that run by the real one"]];
  if (!little) for (const [value, name, what] of factors) tile(byId("efficiency"), value, `${name}: ${what}`);
  if (d.meta.sleeps)
    for (const [value, what] of [[showShare(work.sum, work.most * d.active), "balance of the bars: mean by longest"], [showShare(work.most, d.length), "longest bar by run"], [showShare(work.sum, by), "mean bar by run"]]) tile(byId("efficiency"), value, what);
  if (little) byId("efficiency-note").textContent = `Computing is ${showShare(computing.sum, all)} of the processes' time, so the efficiencies, which count computing alone, say little of this run: ${factors.map(([value, name]) => `${name} ${value}`).join(", ")}.`;
  if (d.meta.sleeps) byId("balance-note").textContent = "The bars, and the cards above, are the time in which a process computed or slept: the program slept for longer than it computed.";
}
function sides() {
  balance();
  byId("kiviat-title").textContent = `Share of its time that each process is ${working}, and is waiting`;
  byId("phase-note").textContent = sleepNote;
  const missing = d.steps.length ? d.steps[0].begin : 0;
  byId("path-note").textContent = `Through ${plural(d.steps.length, "stretch", "stretches")}; for ${showShare(d.meta.pathMessage, d.length)} of the run it is a message that was sent and not yet received. Making anything else faster does not end the run earlier. Shares are of the whole run, whatever is in view.` +
    (missing >= .001 * d.length ? ` Those of the processes and of messages do not add up to 100 %: for the first ${showTime(missing)}, ${showShare(missing, d.length)}, there is no path: it begins where its first process does, which joined the others then.` : "");
  const top = d.processes.slice(0, d.active).filter(p => p.path > 0).sort((a, b) => b.path - a.path).slice(0, 12);
  for (const p of top) {
    const row = element("div", undefined, byId("path-shares"));
    element("span", p.name, row);
    element("i", undefined, element("span", undefined, row)).style.width = 100 * p.path / top[0].path + "%";
    element("span", showShare(p.path, d.length), row);
  }
}

function choices(place, names, key) {
  for (const [value, text] of names) {
    const b = element("button", text, byId(place));
    b.type = "button";
    b.dataset.value = value;
    b.setAttribute("aria-pressed", choice[key] === value);
    b.addEventListener("click", () => { choice[key] = value; for (const o of byId(place).children) o.setAttribute("aria-pressed", o === b); draw(); });
  }
}
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  readTheme(d.states);
  draw();
}

for (const [id, text] of tabs) {
  const b = element("button", text, byId("tabs"));
  b.id = "tab-" + id;
  b.type = "button";
  b.setAttribute("role", "tab");
  b.setAttribute("aria-controls", id);
  b.addEventListener("click", () => show(id));
}
choices("matrix-choice", [["bytes", "bytes"], ["messages", "messages"], ["blocked", "time blocked"]], "matrix");
choices("lengths-choice", [["messages", "messages"], ["bytes", "bytes"]], "lengths");
const queueSelect = byId("queue-process");
element("option", "all processes", queueSelect).value = -1;
d.processes.forEach((p, i) => { element("option", p.name, queueSelect).value = i; });
queueSelect.addEventListener("change", () => { choice.queue = Number(queueSelect.value); draw(); });
for (const [id, key, all] of [["messages-of", "of", "all processes"], ["messages-with", "with", "all"]]) {
  element("option", all, byId(id)).value = -1;
  d.processes.slice(0, d.active).forEach((p, i) => { element("option", p.name, byId(id)).value = i; });
  byId(id).addEventListener("change", () => { choice[key] = Number(byId(id).value); redraw(); });
}
byId("routine-only").addEventListener("click", () => showRoutine(0));
for (const [value, text] of [["grid", d.meta.grid.columns ? `grid of ${d.meta.grid.rows} x ${d.meta.grid.columns}` : "rows"], ["ring", "ring"], ["hypercube", "hypercube"]])
  element("option", text, byId("animation-shape")).value = value;
byId("animation-shape").addEventListener("change", e => { animation.shape = e.target.value; draw(); });
byId("animation-time").addEventListener("input", e => { animation.playing = false; animation.time = e.target.value / 1000 * d.length; draw(); });
byId("animation-play").addEventListener("click", () => {
  animation.playing = !animation.playing;
  byId("animation-play").textContent = animation.playing ? "stop" : "play";
  if (animation.playing) playAnimation();
});
for (const id of ["show-messages", "show-path"]) byId(id).addEventListener("change", redraw);
for (const b of document.querySelectorAll("[data-zoom]"))
  b.addEventListener("click", () => {
    if (b.dataset.zoom === "all") showAll(d);
    else zoomTime(d, (view.begin + view.end) / 2, b.dataset.zoom === "in" ? .5 : 2);
    redraw();
  });
byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
for (const id of ["concurrency", "lengths", "balance", "superstep"]) hover(byId(id + "-canvas"), x => { const k = byId(id + "-canvas"), i = k.at(x); return i >= 0 ? k.text(i) : ""; });
for (const id of ["count", "kiviat", "matrix", "queue", "animation", "phase"]) hover(byId(id + "-canvas"), (x, y) => byId(id + "-canvas").textAt(x, y));
for (const canvas of document.querySelectorAll("canvas")) {
  canvas.setAttribute("aria-label", canvas.closest("section").querySelector(".about").textContent);
  if (canvas.tabIndex < 0) readable(d, canvas, ["count-canvas", "queue-canvas", "phase-canvas"].includes(canvas.id));
}
for (const place of document.querySelectorAll(".scroll")) place.tabIndex = 0;
window.addEventListener("resize", redraw);
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", e => setTheme(e.matches ? "dark" : "light"));
summary();
tables();
sides();
waitTables(d);
superstepTable(d);
partTable(d);
openSearch(d);
keysEverywhere();
legends();
setTheme(dark.matches ? "dark" : "light");
if (!followLink()) show("summary");
window.addEventListener("hashchange", followLink);
window.ready = performance.now();
