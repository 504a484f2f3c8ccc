// The page: tabs, tables, and drawing what is shown.
const tabs = [["summary", "Summary"], ["space", "Space-time"], ["gantt", "Utilization"], ["concurrency", "Concurrency"],
  ["kiviat", "Kiviat"], ["matrix", "Matrix"], ["lengths", "Lengths"], ["queues", "Queues"], ["path", "Critical path"],
  ["waits", "Waits"], ["supersteps", "Supersteps"], ["parts-view", "Parts"], ["routines", "Routines"], ["processes", "Processes"], ["balance", "Balance"],
  ["animation", "Animation"], ["phase", "Phases"]];
const byId = id => document.getElementById(id);
const d = readTrace();
const choice = { matrix: "bytes", lengths: "messages", queue: -1, tab: "summary", of: -1, with: -1 };
Object.assign(view, { begin: 0, end: d.length, top: 0, bottom: d.active });

// Of its recorded time: library, computing, waiting, not running.
for (const p of d.processes) {
  const all = p.state.slice(1).reduce((s, v) => s + v, 0) || 1;
  p.share = [p.state[2] / all, p.state[1] / all, p.state.slice(firstWait).reduce((s, v) => s + v, 0) / all, p.state[notRunning] / all];
}

const space = new Timeline(d, byId("space-canvas"), {
  thin: true, messages: () => byId("show-messages").checked, path: () => byId("show-path").checked, pair: () => [choice.of, choice.with],
  after(t) {
    if (t.work) return;
    const all = !t.messages() ? "" : t.shown.length < t.seen
      ? `${showCount(t.shown.length)} of ${showCount(t.seen)} messages in view are drawn, those with the longest waits first; zoom in for the others.`
      : `${showCount(t.seen)} messages in view.`;
    byId("space-note").textContent = `${showTime(view.end - view.begin)} in view, from ${showTime(view.begin)}. ${all}`;
  } });
const gantt = new Timeline(d, byId("gantt-canvas"), {
  parts: () => d.states.map((s, i) => i < firstWait ? theme.parts[i] : theme.parts[firstWait]),
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
      swatch(place, "var(--computing)", "computing"); swatch(place, "var(--library)", "library: copying, combining"); swatch(place, "var(--receive)", "waiting");
      if (used[notRunning]) swatch(place, "var(--not-running)", "not running");
    } else if (place.classList.contains("supersteps")) {
      swatch(place, "var(--computing)", "mean work"); swatch(place, "var(--receive)", "more work of the slowest"); swatch(place, "var(--library)", "sync, after the last one has come"); swatch(place, "var(--ink)", "w + g h + l");
    } else if (place.classList.contains("parts")) {
      d.own.parts.forEach((name, i) => swatch(place, `var(--${partColours[i % partColours.length]})`, name));
    } else if (place.classList.contains("kiviat")) {
      swatch(place, "var(--accent)", "computing"); swatch(place, "var(--receive)", "waiting");
    } else {
      d.states.forEach((s, i) => { if (i && used[i]) swatch(place, `var(--${s})`, i === 2 ? "library: copying, combining" : stateName(d, i)); });
      if (!place.closest("#summary")) swatch(place, "var(--message)", "message");
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
  byId("subtitle").textContent = d.meta.subtitle;
  const all = d.states.map((s, i) => d.processes.reduce((sum, p) => sum + p.state[i], 0));
  const sum = all.slice(1).reduce((s, v) => s + v, 0) || 1, waiting = all.slice(firstWait).reduce((s, v) => s + v, 0);
  tile(byId("tiles"), d.active, d.active === 1 ? "process" : "processes");
  tile(byId("tiles"), showTime(d.length), "from first to last event");
  tile(byId("tiles"), showShare(all[1], sum), "computing");
  if (all[notRunning]) tile(byId("tiles"), showShare(all[notRunning], sum), "not running");
  tile(byId("tiles"), showShare(all[2], sum), "in the library");
  tile(byId("tiles"), showShare(waiting, sum), "waiting");
  tile(byId("tiles"), showCount(d.messages.count), "messages");
  tile(byId("tiles"), showBytes(d.meta.bytes), "in messages");
  for (const text of d.meta.texts) element("li", text.replace(/^Try /, "Try "), byId(text.startsWith("Try ") ? "advice" : "findings"));
  if (!byId("advice").children.length) element("li", "Nothing stands out.", byId("advice"));
  all.forEach((v, i) => {
    if (!i || !v) return;
    const part = element("div", undefined, byId("share"));
    part.style.cssText = `width:${100 * v / sum}%;background:var(--${d.states[i]})`;
    part.title = `${stateName(d, i)}: ${showShare(v, sum)}, ${showTime(v)}`;
  });
}

// columns: [title, value of a row, text of a value]; a click on a title sorts.
function table(place, rows, columns, sortBy) {
  const head = element("tr", undefined, element("thead", undefined, place)), body = element("tbody", undefined, place);
  let down = true, by = sortBy;
  const fill = () => {
    body.textContent = "";
    const value = columns[by][1];
    rows.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (down ? -1 : 1));
    for (const row of rows) {
      const tr = element("tr", undefined, body);
      for (const [, get, text] of columns) {
        const shown = text ? text(get(row), row) : get(row), td = element("td", undefined, tr);
        if (shown instanceof Node) td.append(shown); else td.textContent = shown;
      }
    }
    [...head.children].forEach((th, i) => i === by ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
  };
  columns.forEach(([title], i) => {
    const th = element("th", title, head), sort = () => { down = by === i ? !down : i > 0; by = i; fill(); };
    if (title) th.tabIndex = 0;
    th.addEventListener("click", sort);
    th.addEventListener("keydown", e => { if (e.key === "Enter") sort(); });
  });
  if (sortBy === 0) down = false;
  fill();
}
function partBar(parts) {
  const bar = element("span", undefined, undefined, "part");
  for (const [share, colour] of parts) { const i = element("i", undefined, bar); i.style.cssText = `width:${100 * share}%;background:var(--${colour})`; }
  return bar;
}
function link(text, go) {
  const b = element("button", text, undefined, "stretch");
  b.type = "button";
  b.addEventListener("click", go);
  return b;
}
function tables() {
  table(byId("place-table"), d.meta.places, [["called", r => r.call, (v, r) => link(v, () => { showRoutine(r.routine); showStretch(d, r); })], ["calls", r => r.calls, showCount],
    ["time", r => r.time, showTime], ["waiting", r => r.blocked, showTime], ["", r => r.blocked / (r.time || 1), v => partBar([[v, "receive"], [1 - v, "library"]])],
    ["bytes", r => r.bytes, showBytes], ["longest", r => r.end - r.begin, (v, r) => stretch(d, r)]], 2);
  table(byId("routine-table"), d.meta.routines.map((r, i) => ({ ...r, i })).filter(r => r.calls), [["routine", r => r.name, (v, r) => link(v, () => showRoutine(r.i + 1))], ["calls", r => r.calls, showCount], ["time", r => r.time, showTime],
    ["waiting", r => r.blocked, showTime], ["", r => r.blocked / (r.time || 1), (v) => partBar([[v, "receive"], [1 - v, "library"]])],
    ["copying", r => r.packing, v => v ? showTime(v) : "–"], ["longest", r => r.longest, showTime], ["bytes", r => r.bytes, showBytes],
    ["least", r => r.least, showBytes], ["mean", r => r.bytes / r.calls, v => showBytes(Math.round(v))], ["most", r => r.most, showBytes]], 2);
  table(byId("process-table"), d.processes.slice(0, d.active).map((p, i) => ({ ...p, i })), [["process", p => p.i, (v, p) => link(p.name, () => showProcess(d, p.i))],
    ["computing", p => p.share[1], v => (100 * v).toFixed(1) + " %"], ["library", p => p.share[0], v => (100 * v).toFixed(1) + " %"], ["waiting", p => p.share[2], v => (100 * v).toFixed(1) + " %"],
    ["not running", p => p.share[3], v => (100 * v).toFixed(1) + " %"],
    ["", p => p.share[1], (v, p) => partBar([[p.share[1], "computing"], [p.share[0], "library"], [p.share[2], "receive"], [p.share[3], "not-running"]])],
    ["calls", p => p.calls, showCount], ["sent", p => p.sent, showCount], ["bytes sent", p => p.sentBytes, showBytes], ["received", p => p.received, showCount],
    ["bytes received", p => p.receivedBytes, showBytes], ["longest queue", p => p.queue, showCount], ["critical path", p => p.path, v => showShare(v, d.length)]], 0);
}

function sides() {
  const own = d.processes.slice(0, d.active), most = Math.max(...own.map(p => p.state[1])), mean = own.reduce((s, p) => s + p.state[1], 0) / d.active;
  tile(byId("efficiency"), showShare(mean, most), "load balance: mean by longest computing");
  tile(byId("efficiency"), showShare(most, d.length), "communication efficiency: longest computing by run");
  tile(byId("efficiency"), showShare(mean, d.length), "parallel efficiency: the product");
  tile(byId("efficiency"), showShare(most, d.meta.ideal), `serialisation: longest computing by the run without communication, ${showTime(d.meta.ideal)}`);
  tile(byId("efficiency"), showShare(d.meta.ideal, d.length), "transfer: that run by the real one");
  byId("path-note").textContent = `Through ${d.steps.length} stretches; ${showShare(d.meta.pathMessage, d.length)} of it are messages under way. Making anything else faster does not end the run earlier.`;
  const top = own.filter(p => p.path > 0).sort((a, b) => b.path - a.path).slice(0, 12);
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
for (const id of ["concurrency", "lengths", "balance", "superstep"]) readable(byId(id + "-canvas"), () => { const k = byId(id + "-canvas"); let n = 0, x = k.clientWidth; while (x > 0 && k.at(x) < 0) x--; n = k.at(x) + 1; return n; });
for (const id of ["concurrency", "lengths", "balance", "superstep"]) hover(byId(id + "-canvas"), x => { const k = byId(id + "-canvas"), i = k.at(x); return i >= 0 ? k.text(i) : ""; });
for (const id of ["kiviat", "matrix", "animation", "phase"]) hover(byId(id + "-canvas"), (x, y) => byId(id + "-canvas").textAt(x, y));
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
