// Supersteps: what each took beside w + g h + l. A bar for each, or for several where there are too many.
function superstepBars(d, width) {
  const all = d.meta.supersteps, group = Math.max(1, Math.ceil(all.length / Math.max(1, width / 5))), bars = [];
  all.forEach((s, i) => {
    const b = bars[Math.floor(i / group)] = bars[Math.floor(i / group)] || { first: i, count: 0, mean: 0, work: 0, sync: 0, asleep: 0, notRunning: 0, unsure: 0, predicted: 0, wait: 0, by: 0, stopped: 0, h: 0, slowest: s.slowest, most: -1, last: s.last, longest: -1 };
    b.count++; b.mean += s.mean; b.work += s.work; b.sync += s.end - s.came; b.asleep += s.asleep; b.notRunning += s.notRunning; b.unsure += s.unsure; b.wait += s.wait; b.h += s.h;
    b.predicted += s.work + d.meta.gap * s.h + d.meta.latency;
    if (s.wait > b.longest) { b.longest = s.wait; b.last = s.last; b.by = s.by; b.stopped = s.lastStopped; }
    if (s.work > b.most) { b.most = s.work; b.slowest = s.slowest; }
  });
  return bars;
}
function drawSupersteps(d, canvas) {
  const g = prepare(canvas), { c } = g, box = area(g, 84, 50), bars = superstepBars(d, box.w), each = box.w / Math.max(1, bars.length);
  if (!bars.length) { c.fillStyle = theme.soft; c.fillText("No supersteps in this trace.", box.x, box.y + 20); canvas.at = () => -1; return; }
  const most = Math.max(...bars.map(b => Math.max(b.work + b.sync + b.asleep + b.notRunning + b.unsure, b.predicted))) || 1, tall = v => v / most * box.h, gap = each > 6 ? 2 : 0;
  valueAxis(g, box, most, showTick);
  const every = Math.max(1, 2 ** Math.ceil(Math.log2(40 / each)));
  c.textAlign = "center";
  bars.forEach((b, i) => {
    const x = box.x + i * each, w = Math.max(1, each - gap), base = box.y + box.h;
    let top = 0;
    for (const [colour, v] of [[theme.work, b.mean], [theme.excess, b.work - b.mean], [theme.sync, b.sync], [theme.states[asleep], b.asleep], [theme.states[unsure], b.unsure], [theme.states[notRunning], b.notRunning]]) {
      c.fillStyle = colour; c.fillRect(x, base - tall(top + v), w, tall(v));
      top += v;
    }
    c.fillStyle = theme.ink; c.fillRect(x, base - tall(b.predicted) - 1, w, 2);
    c.fillStyle = theme.soft;
    if (i % every === 0) c.fillText(b.first, x + w / 2, base + 15);
  });
  c.textAlign = "right"; c.fillText("superstep", box.x + box.w, box.y + box.h + 36);
  canvas.bars = bars;
  canvas.at = x => { const i = Math.floor((x - box.x) / each); return i >= 0 && i < bars.length ? i : -1; };
  canvas.stops = { count: bars.length, at: i => [box.x + (i + .5) * each, box.y + box.h / 3, canvas.text(i)] };
  canvas.text = i => {
    const b = bars[i];
    return `superstep ${b.first}${b.count > 1 ? " to " + (b.first + b.count - 1) : ""}\nw ${showTime(b.work)}, mean ${showTime(b.mean)}; most work ${d.processes[b.slowest].name}; came last ${d.processes[b.last].name}, ${showTime(b.by)} after the last but one${b.stopped ? `; asleep, or without a processor, for ${showTime(b.stopped)} before` : ""}\n` +
      `until all had their data ${showTime(b.sync)}\na process in the mean: asleep ${showTime(b.asleep)}, not running ${showTime(b.notRunning)}${b.unsure ? `, either ${showTime(b.unsure)}` : ""}; w has neither\nw + g h + l ${showTime(b.predicted)}; h ${showBytes(b.h)}\nwaited for the last one ${showTime(b.wait)} in the mean`;
  };
}
function partTable(d) {
  byId("tab-parts-view").hidden = !d.meta.parts.length;
  table(byId("parts-table"), d.meta.parts, [["part", r => r.name, null, "the name that the program, or its library, gives to a part of its work"], ["times", r => r.times, showCount, "how often it was done, by all processes"], ["mean", r => r.time / d.active, showTime, "time in it, of a process in the mean"], ["most", r => r.most, showTime, "time in it, of the process that took longest"],
    ["of", r => r.slowest, v => d.processes[v].name, "the process that took longest"], ["", r => r.time / d.active / (r.most || 1), v => partBar([[v, "work"], [1 - v, "excess"]])]], 2);
}
function superstepTable(d) {
  const all = d.meta.supersteps.map((s, number) => ({ ...s, number }));
  byId("tab-supersteps").hidden = !all.length;
  if (!all.length) return;
  byId("asked").hidden = !d.meta.asked.length;
  const asked = d.meta.asked.reduce((n, r) => n + r.bytes, 0) || 1;
  table(byId("asked-table"), d.meta.asked, [["call site", r => r.call, null, "the routine, and where the program called it"], ["calls", r => r.calls, showCount, "how often, by all processes"], ["bytes", r => r.bytes, showBytes, "what these calls asked for, in all"],
    ["of all", r => r.bytes / asked, v => (100 * v).toFixed(1) + " %", "share of what all call sites asked for"],
    ["", r => r.bytes / asked, v => partBar([[v, "accent"]])],
    ["to itself", r => r.itself, v => v ? showBytes(v) : "–", "what processes asked to be moved to themselves: it is copied, and is no message"],
    ["most to", r => r.to, v => d.processes[v].name, "the process that got most of it"],
    ["its part", r => r.most / r.bytes, v => (100 * v).toFixed(1) + " %", "share of it that this process got"]], 2);
  const sum = f => all.reduce((s, r) => s + f(r), 0), works = sum(r => r.work), syncs = sum(r => r.end - r.came);
  byId("superstep-note").textContent = `${showCount(all.length)} supersteps: w is ${showTime(works)} in all (with even work ${showTime(sum(r => r.mean))}), the syncs ${showTime(syncs)}. A process was asleep for ${showTime(sum(r => r.asleep))} and not running for ${showTime(sum(r => r.notRunning))}${sum(r => r.unsure) ? `, and either for ${showTime(sum(r => r.unsure))}` : ""}, in the mean; w has neither. ` +
    (d.meta.apart ? `Medians of these supersteps: ${d.meta.gap > 0 ? `g = ${+d.meta.gap.toPrecision(3)} ns a byte` : "g is too small to be told (0)"}, l = ${showTime(d.meta.latency)}.` : `Their median is l = ${showTime(d.meta.latency)}; all move about as much, so g cannot be told from l.`) +
    " What a process copies in a sync after the last one has come counts as sync; others may already wait in the next superstep, so the same time may be mean wait there.";
  const hot = all.filter(r => r.h > 65536 && r.h >= 1.5 * r.meanH), who = new Set(hot.map(r => r.most));
  if (hot.length && who.size === 1) byId("superstep-note").textContent += ` In ${plural(hot.length, "superstep")} ${d.processes[hot[0].most].name} sends or receives much more than the mean (h beside mean h): a hot spot.`;
  table(byId("superstep-table"), all, [["superstep", r => r.number, (v, r) => stretch(d, { process: r.last, begin: r.begin, end: r.end }, v), "its number; leads to it, at the process that came last"], ["ended by", r => r.call, null, "the call that ended it, of the process that came last"],
    ["w", r => r.work, showTime, "work of the process that worked longest since its last superstep: computing and the library's own work, without waiting, without sleep, without time on no processor"], ["mean work", r => r.mean, showTime, "work of a process, in the mean: w is as long only if the work is even"], ["most work", r => r.slowest, v => d.processes[v].name, "the process whose work is w"],
    ["came last", r => r.last, v => d.processes[v].name, "the process that all others waited for, whatever it did: it may have slept, or copied what it was sent in the superstep before; the bars tell how late"], ["mean wait", r => r.wait, showTime, "how long a process waited for the last one to come, in the mean"],
    ["asleep", r => r.asleep, showTime, "how long a process had left its processor by itself before it came, in the mean: sleep, files, other libraries; w has it not"], ["not running", r => r.notRunning, showTime, "how long another had the processor of a process before it came, in the mean; w has it not"],
    ...all.some(r => r.unsure) ? [["either", r => r.unsure, showTime, "how long a process was asleep or not running before it came, in the mean; the trace does not tell which"]] : [], ["h", r => r.h, showBytes, "bytes that one process sent or received, the most of all"], ["of", r => r.most, (v, r) => r.meanH === r.h ? r.h ? "all" : "–" : d.processes[v].name, "the process that sent or received these"],
    ["mean h", r => r.meanH, showBytes, "bytes that a process sent or received, in the mean: if h is much more, one process is a hot spot"], ["sync", r => r.end - r.came, showTime, "from when the last process had come until the last one went on: data moves, is copied"], ["model: g h + l", r => d.meta.gap * r.h + d.meta.latency, showTime, "what BSP's model says the sync takes: g for each byte of h, and l"]], 0);
}
