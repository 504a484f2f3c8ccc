// Supersteps: what each took beside w + g h + l. A bar for each, or for several where there are too many.
function superstepBars(d, width) {
  const all = d.meta.supersteps, group = Math.max(1, Math.ceil(all.length / Math.max(1, width / 5))), bars = [];
  all.forEach((s, i) => {
    const b = bars[Math.floor(i / group)] = bars[Math.floor(i / group)] || { first: i, count: 0, mean: 0, work: 0, sync: 0, predicted: 0, wait: 0, h: 0, slowest: s.slowest, most: -1 };
    b.count++; b.mean += s.mean; b.work += s.work; b.sync += s.end - s.came; b.wait += s.wait; b.h += s.h;
    b.predicted += s.work + d.meta.gap * s.h + d.meta.latency;
    if (s.work > b.most) { b.most = s.work; b.slowest = s.slowest; }
  });
  return bars;
}
function drawSupersteps(d, canvas) {
  const g = prepare(canvas), { c } = g, box = area(g, 84, 50), bars = superstepBars(d, box.w), each = box.w / Math.max(1, bars.length);
  if (!bars.length) { c.fillStyle = theme.soft; c.fillText("No supersteps in this trace.", box.x, box.y + 20); canvas.at = () => -1; return; }
  const most = Math.max(...bars.map(b => Math.max(b.work + b.sync, b.predicted))) || 1, tall = v => v / most * box.h, gap = each > 6 ? 2 : 0;
  valueAxis(g, box, most, showTime);
  const every = Math.max(1, 2 ** Math.ceil(Math.log2(40 / each)));
  c.textAlign = "center";
  bars.forEach((b, i) => {
    const x = box.x + i * each, w = Math.max(1, each - gap), base = box.y + box.h;
    c.fillStyle = theme.computing; c.fillRect(x, base - tall(b.mean), w, tall(b.mean));
    c.fillStyle = theme.receive; c.fillRect(x, base - tall(b.work), w, tall(b.work - b.mean));
    c.fillStyle = theme.library; c.fillRect(x, base - tall(b.work + b.sync), w, tall(b.sync));
    c.fillStyle = theme.ink; c.fillRect(x, base - tall(b.predicted) - 1, w, 2);
    c.fillStyle = theme.soft;
    if (i % every === 0) c.fillText(b.first, x + w / 2, base + 15);
  });
  c.textAlign = "right"; c.fillText("superstep", box.x + box.w, box.y + box.h + 36);
  canvas.bars = bars;
  canvas.at = x => { const i = Math.floor((x - box.x) / each); return i >= 0 && i < bars.length ? i : -1; };
  canvas.middle = i => [box.x + (i + .5) * each, box.y + box.h / 3];
  canvas.text = i => {
    const b = bars[i];
    return `superstep ${b.first}${b.count > 1 ? " to " + (b.first + b.count - 1) : ""}\nw ${showTime(b.work)}, mean ${showTime(b.mean)}; slowest ${d.processes[b.slowest].name}\n` +
      `until all had their data ${showTime(b.sync)}\nw + g h + l ${showTime(b.predicted)}; h ${showBytes(b.h)}`;
  };
}
function partTable(d) {
  byId("tab-parts-view").hidden = !d.meta.parts.length;
  table(byId("parts-table"), d.meta.parts, [["part", r => r.name], ["times", r => r.times, showCount], ["mean", r => r.time / d.active, showTime], ["most", r => r.most, showTime],
    ["of", r => r.slowest, v => d.processes[v].name], ["", r => r.time / d.active / (r.most || 1), v => partBar([[v, "computing"], [1 - v, "receive"]])]], 2);
}
function superstepTable(d) {
  const all = d.meta.supersteps.map((s, number) => ({ ...s, number }));
  byId("tab-supersteps").hidden = !all.length;
  if (!all.length) return;
  const sum = f => all.reduce((s, r) => s + f(r), 0), works = sum(r => r.work), syncs = sum(r => r.end - r.came);
  byId("superstep-note").textContent = `${showCount(all.length)} supersteps: w is ${showTime(works)} in all (with even work ${showTime(sum(r => r.mean))}), the syncs ${showTime(syncs)}. ` +
    (d.meta.apart ? `Medians of these supersteps: g = ${+d.meta.gap.toPrecision(3)} ns a byte, l = ${showTime(d.meta.latency)}.` : `Their median is l = ${showTime(d.meta.latency)}; all move about as much, so g cannot be told from l.`);
  table(byId("superstep-table"), all, [["superstep", r => r.number, (v, r) => stretch(d, { process: r.slowest, begin: r.begin, end: r.end }, v)], ["ended by", r => r.call],
    ["w", r => r.work, showTime], ["mean work", r => r.mean, showTime], ["slowest", r => r.slowest, v => d.processes[v].name], ["mean wait", r => r.wait, showTime],
    ["not running", r => r.stopped, showTime], ["h", r => r.h, showBytes], ["sync", r => r.end - r.came, showTime], ["g h + l", r => d.meta.gap * r.h + d.meta.latency, showTime],
    ["", r => r.work, (v, r) => partBar([[v / (v + r.end - r.came || 1), "computing"], [(r.end - r.came) / (v + r.end - r.came || 1), "library"]])]], 0);
}
