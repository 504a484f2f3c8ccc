// Links to a view and a moment: #space-time@1.25s, or a stretch, #space-time@1.2s-1.3s. Behind it may stand
// /of=3 or /of=3/with=5 (messages of a process, of a pair), /routine=NAME and /mark=3@1.2s-1.3s (a stretch of a process).
const units = { s: 1e9, ms: 1e6, us: 1e3, "µs": 1e3, ns: 1 };
function timesOf(text) { return (text || "").split("-").map(t => /^([\d.]+)([mun\u00b5]?s)$/.exec(t)).filter(m => m).map(m => m[1] * units[m[2]]); }
function slug(text) { return text.toLowerCase().replace(/ /g, "-"); }
function followLink() {
  let hash = location.hash.slice(1);
  try { hash = decodeURIComponent(hash); } catch { return false; }
  const [place, ...more] = hash.split("/"), [name, when] = place.split("@"), found = tabs.find(([id, text]) => id === name || slug(text) === name);
  if (!found) return false;
  const said = new Map(more.map(m => [m.split("=")[0], m.slice(m.indexOf("=") + 1)]));
  for (const key of ["of", "with"]) {
    choice[key] = said.has(key) ? d.processes.slice(0, d.active).findIndex(p => String(p.id) === said.get(key)) : -1;
    byId("messages-" + key).value = choice[key];
  }
  const routine = d.meta.routines.findIndex(r => r.name === said.get("routine")) + 1;
  if (view.routine !== routine) showRoutine(routine);
  const [whose, stretch] = (said.get("mark") || "").split("@"), marked = timesOf(stretch), p = d.processes.slice(0, d.active).findIndex(q => String(q.id) === whose);
  if (said.has("mark")) view.marked = marked.length > 1 && p >= 0 ? { process: p, begin: marked[0], end: marked[1] } : null;
  const times = timesOf(when);
  if (times.length) {
    const half = d.length / 40, [begin, end] = times.length > 1 ? times : [times[0] - half, times[0] + half];
    if (end > begin && begin < d.length) Object.assign(view, { begin: Math.max(0, begin), end: Math.min(d.length, end) });
    animation.time = Math.min(d.length, times[0]);
  }
  // The first view is chosen, and not shown yet, when a page is opened at it.
  if (choice.tab !== found[0] || !byId(found[0]).classList.contains("shown") || times.length || more.length) show(found[0]);
  return true;
}
// The address names what is shown, so that it can be sent to somebody.
let remembered = 0;
function rememberPlace() {
  clearTimeout(remembered);
  remembered = setTimeout(() => {
    const timed = ["space", "gantt", "queues", "path", "phase"].includes(choice.tab) && (view.begin > 0 || view.end < d.length);
    const seconds = t => +(t / 1e9).toPrecision(9) + "s", name = slug(tabs.find(([id]) => id === choice.tab)[1]);
    if (choice.tab === "summary" && !location.hash) return;
    const when = choice.tab === "animation" ? `@${seconds(animation.time)}` : timed ? `@${seconds(view.begin)}-${seconds(view.end)}` : "";
    const more = choice.tab !== "space" ? "" : ["of", "with"].filter(k => choice[k] >= 0).map(k => `/${k}=${d.processes[choice[k]].id}`).join("") +
      (view.marked ? `/mark=${d.processes[view.marked.process].id}@${seconds(view.marked.begin)}-${seconds(view.marked.end)}` : "") + (view.routine ? `/routine=${encodeURIComponent(d.meta.routines[view.routine - 1].name)}` : "");
    history.replaceState(null, "", `#${name}${when}${more}`);
  }, 300);
}
