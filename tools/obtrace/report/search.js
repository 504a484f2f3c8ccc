// Searching for views, processes, routines and call sites; and what the keys do everywhere.
function searchable(d) {
  const all = tabs.map(([id, text]) => ({ what: "view", name: text, go: () => show(id) }));
  d.processes.slice(0, d.active).forEach((p, i) => all.push({ what: "process", name: p.name, go: () => showProcess(d, i) }));
  d.meta.routines.forEach((r, i) => { if (r.calls) all.push({ what: "routine", name: r.name, more: `${showCount(r.calls)} calls, ${showTime(r.time)}`, go: () => showRoutine(i + 1) }); });
  for (const r of d.meta.asked) all.push({ what: "call site", name: r.call, more: `${showCount(r.calls)} calls, ${showBytes(r.bytes)}`, go: showAsked });
  for (const name of new Set(d.meta.asked.map(r => r.routine))) all.push({ what: "routine", name, more: "asks the end of a superstep for data", go: showAsked });
  for (const r of d.meta.places)
    all.push({ what: "call site", name: r.call, more: `${showCount(r.calls)} calls, ${showTime(r.time)}`, go: () => { showRoutine(r.routine); showStretch(d, r); } });
  return all;
}
// Words in any order; what begins with the first one comes first.
function found(all, text) {
  const words = text.toLowerCase().split(/\s+/).filter(w => w);
  if (!words.length) return [];
  const fits = all.filter(e => words.every(w => (e.name + " " + e.what).toLowerCase().includes(w)));
  const rank = e => { const n = e.name.toLowerCase(); return n === words.join(" ") ? 0 : n.split(/[ (,)]/).includes(words[0]) ? 1 : n.startsWith(words[0]) ? 2 : 3; };
  return fits.map(e => [rank(e), e]).sort((a, b) => a[0] - b[0]).map(r => r[1]);
}
function showProcess(d, p) {
  const tall = Math.min(d.active, Math.max(4, Math.min(view.bottom - view.top, 16)));
  panProcesses(d, 0);
  view.top = Math.max(0, Math.min(d.active - tall, p + .5 - tall / 2));
  view.bottom = view.top + tall;
  show("space");
  space.cursor = { p, t: (view.begin + view.end) / 2 };
  byId("space-canvas").focus();
  redraw();
}
// The call sites that asked supersteps for data.
function showAsked() {
  show("supersteps");
  byId("asked").scrollIntoView();
}
// Only what one routine did stays coloured; 0: all does.
function showRoutine(routine) {
  view.routine = routine;
  byId("routine-only").hidden = !routine;
  byId("routine-only").textContent = routine ? `only ${d.meta.routines[routine - 1].name}: show all` : "";
  show("space");
}
function openSearch(d) {
  const input = byId("search"), list = byId("found"), all = searchable(d);
  let shown = [], at = 0;
  const mark = () => [...list.children].forEach((e, i) => e.setAttribute("aria-selected", i === at));
  const close = () => { list.hidden = true; shown = []; input.setAttribute("aria-expanded", "false"); };
  const go = i => { const e = shown[i]; input.value = ""; close(); if (e) { input.blur(); e.go(); } };
  const fill = () => {
    shown = found(all, input.value).slice(0, 14);
    at = 0;
    list.textContent = "";
    shown.forEach((e, i) => {
      const li = element("li", e.name, list);
      li.setAttribute("role", "option");
      element("span", e.more ? `${e.what}, ${e.more}` : e.what, li);
      li.addEventListener("pointerdown", ev => { ev.preventDefault(); go(i); });
    });
    if (!shown.length && input.value.trim()) element("li", "nothing of this name", list);
    list.hidden = !list.children.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  };
  input.addEventListener("input", fill);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", e => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") { at = (at + (e.key === "ArrowDown" ? 1 : shown.length - 1)) % (shown.length || 1); mark(); }
    else if (e.key === "Enter") go(at);
    else if (e.key === "Escape") { input.value = ""; close(); input.blur(); }
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
}

// Charts that are read with the arrow keys: canvas.stops says how many places there are, how many in a row, and of
// each where it is and what it tells. A chart over time (timed) zooms and moves as the space-time diagram does.
function readable(d, canvas, timed) {
  canvas.tabIndex = 0;
  let at = -1;
  canvas.addEventListener("keydown", e => {
    const s = canvas.stops, arrow = /^Arrow(Left|Right|Up|Down)$/.exec(e.key);
    if (timed && timeKey(d, e, (view.begin + view.end) / 2)) { at = -1; showTip(null, ""); redraw(); e.preventDefault(); return; }
    if (!s || !s.count || !arrow) return;
    e.preventDefault();
    const columns = s.columns || s.count, next = at < 0 ? 0 : at + { Left: -1, Right: 1, Up: -columns, Down: columns }[arrow[1]];
    at = Math.min(next >= 0 && next < s.count ? next : at, s.count - 1);
    const box = canvas.getBoundingClientRect(), [x, y, text] = s.at(at);
    showTip({ clientX: box.x + x, clientY: box.y + y }, text);
  });
  canvas.addEventListener("blur", () => { at = -1; showTip(null, ""); });
}
function nextTab(by) {
  const seen = tabs.filter(([id]) => !byId("tab-" + id).hidden), k = seen.findIndex(([id]) => id === choice.tab);
  show(seen[(k + by + seen.length) % seen.length][0]);
}
function keysEverywhere() {
  window.addEventListener("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    if (e.key === "/") byId("search").focus();
    else if (e.key === "?") byId("keys").hidden = !byId("keys").hidden;
    else if (e.key === "[" || e.key === "]") nextTab(e.key === "[" ? -1 : 1);
    else if (e.key === "Escape") { byId("keys").hidden = true; view.marked = null; if (view.routine) showRoutine(0); else redraw(); }
    else return;
    e.preventDefault();
  });
  byId("tabs").addEventListener("keydown", e => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    e.preventDefault();
    nextTab(e.key === "ArrowLeft" ? -1 : 1);
    byId("tab-" + choice.tab).focus();
  });
}
