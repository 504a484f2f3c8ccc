// Wait states, and what made others wait: tables whose stretches lead to the space-time diagram.
function stretch(d, r, text = `${d.processes[r.process].label}: ${showTime(r.begin)} to ${showTime(r.end)}`) {
  return link(text, () => showStretch(d, r));
}
// The stretch in the middle third of the time in view, and its process in the middle.
function showStretch(d, r, tab = "space") {
  const length = Math.max(r.end - r.begin, 100), tall = Math.min(d.active, Math.max(view.bottom - view.top, 8));
  view.begin = Math.max(0, r.begin - length);
  view.end = Math.min(d.length, r.end + length);
  view.top = Math.max(0, Math.min(d.active - tall, r.process + .5 - tall / 2));
  view.bottom = view.top + tall;
  show(tab);
}
function waitTables(d) {
  const blocked = d.processes.reduce((s, p) => s + p.state.slice(firstWait).reduce((a, v) => a + v, 0), 0), late = d.meta.late;
  table(byId("late-table"), d.meta.lateRows, [["pattern", r => r.pattern], ["in", r => r.call], ["waits", r => r.waits, showCount], ["time", r => r.time, showTime],
    ["of all waiting", r => r.time / (blocked || 1), v => (100 * v).toFixed(1) + " %"], ["", r => r.time, v => partBar([[v / (blocked || 1), "receive"]])],
    ["longest", r => r.end - r.begin, (v, r) => stretch(d, r)]], 3);
  table(byId("delay-table"), d.meta.delays, [["what it did for longer", r => r.what, (v, r) => `${d.processes[r.process].name}: ${v}`], ["cost", r => r.cost, showTime],
    ["of late waiting", r => r.cost / (late || 1), v => (100 * v).toFixed(1) + " %"], ["", r => r.cost, v => partBar([[v / (late || 1), "computing"]])],
    ["costliest stretch", r => r.begin, (v, r) => stretch(d, r)]], 1);
  byId("delay-note").textContent = late ? `${showTime(late)} of ${showTime(blocked)} of waiting was for those who came late. The cost of a stretch is the waiting of all others that would not have been without it, also of those that waited for others who waited; where several have part in a wait it is divided.`
    : "Nobody waited for anybody who came late.";
}
