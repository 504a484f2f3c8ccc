// Charts that are no timelines of single processes.
function area(g, left, below = 34) { return { x: left || 64, y: 14, w: g.w - (left || 64) - 12, h: g.h - 14 - below }; }

// How many processes are in each state, over the time in view: stacked.
function* countStates(d, canvas, v, w) {
  const sums = new Float32Array(w * d.states.length);
  for (let p = 0; p < d.active; p++) { addStates(d, p, v, w, sums); yield; }
  Object.assign(canvas, { sums, counted: v });
}
function drawCount(d, canvas) {
  const g = prepare(canvas), { c } = g, box = area(g, canvas.left), n = d.states.length, w = Math.round(box.w);
  const same = v => v && v.begin === view.begin && v.end === view.end && canvas.sums.length === w * n;
  if (!same(canvas.counted) && !canvas.work) canvas.work = countStates(d, canvas, { ...view }, w);
  for (const end = performance.now() + frameWork; canvas.work && performance.now() < end;)
    if (canvas.work.next().done) canvas.work = null;
  if (!same(canvas.counted)) redraw();
  if (!canvas.counted || canvas.sums.length !== w * n) return;
  const sums = canvas.sums, low = new Float32Array(w);
  for (let s = 1; s < n; s++) {
    c.fillStyle = s < firstWait ? theme.states[s] : theme.waiting;
    c.beginPath();
    for (let x = 0; x < w; x++) c.lineTo(box.x + x + .5, box.y + box.h - (low[x] + sums[x * n + s]) / d.active * box.h);
    for (let x = w - 1; x >= 0; x--) { c.lineTo(box.x + x + .5, box.y + box.h - low[x] / d.active * box.h); low[x] += sums[x * n + s]; }
    c.fill();
  }
  valueAxis(g, box, d.active, v => Number.isInteger(v) ? v : "");
  timeAxis(g, box, canvas.counted);
  columnsOver(canvas, box, w, canvas.counted, x => {
    const n0 = x * n, waiting = sums.slice(n0 + firstWait, n0 + n).reduce((a, v) => a + v, 0);
    return `${sums[n0 + 1].toFixed(1)} of ${d.active} computing, ${sums[n0 + 2].toFixed(1)} in the library, ${waiting.toFixed(1)} waiting, ${sums[n0 + notRunning].toFixed(1)} not running, ${sums[n0 + asleep].toFixed(1)} asleep${sums[n0 + unsure] > .05 ? `, ${sums[n0 + unsure].toFixed(1)} either` : ""}`;
  });
}
// What a chart over time tells of its column of pixels x, to the pointer and to the keys.
function columnsOver(canvas, box, w, v, tell) {
  const count = Math.min(w, 120), at = x => `${showTime(v.begin + (x + .5) / w * (v.end - v.begin))}: ${tell(x)}`;
  canvas.textAt = px => { const x = Math.floor(px - box.x); return x < 0 || x >= w ? "" : at(x); };
  canvas.stops = { count, at: i => { const x = Math.floor((i + .5) / count * w); return [box.x + x, box.y + box.h / 3, at(x)]; } };
}

function bars(canvas, values, options) {
  const g = prepare(canvas), { c } = g, box = area(g, 84, options.title ? 50 : 34), most = Math.max(options.most || 0, ...values) || 1;
  valueAxis(g, box, most, options.label, options.round);
  const each = box.w / values.length, gap = each > 6 ? Math.min(6, each * .2) : 0;
  c.textAlign = "center";
  const every = Math.max(1, each > options.wide ? 1 : 2 ** Math.ceil(Math.log2(options.wide / each)));
  values.forEach((v, i) => {
    const x0 = box.x + i * each + gap / 2, x1 = x0 + each - gap;
    let top = box.y + box.h;
    for (const [part, colour] of options.parts ? options.parts(i) : [[v, theme.accent]]) {
      const h = part / most * box.h;
      top -= h;
      c.fillStyle = colour;
      if (gap) c.fillRect(x0, top, x1 - x0, h);
      else c.fillRect(Math.floor(x0), top, Math.max(1, Math.ceil(x1) - Math.floor(x0)), h);
    }
    c.fillStyle = theme.soft;
    if (i % every === 0) c.fillText(options.name(i), box.x + (i + .5) * each, box.y + box.h + 15);
  });
  if (options.title) { c.textAlign = "right"; c.fillText(options.title, box.x + box.w, box.y + box.h + 36); }
  canvas.at = x => { const i = Math.floor((x - box.x) / each); return i >= 0 && i < values.length ? i : -1; };
  canvas.stops = { count: values.length, at: i => [box.x + (i + .5) * each, box.y + box.h / 3, canvas.text(i)] };
  return { g, box, most };
}

function drawConcurrency(d, canvas) {
  const all = d.meta.concurrency, group = Math.max(1, Math.ceil(all.length / 130)), values = [];
  all.forEach((v, k) => { values[Math.floor(k / group)] = (values[Math.floor(k / group)] || 0) + v; });
  bars(canvas, values.map(v => 100 * v / d.length), { label: v => +v.toFixed(2) + " %", name: i => i * group, wide: 34, title: "processes computing" });
  canvas.text = i => `${i * group}${group > 1 ? " to " + Math.min(all.length - 1, i * group + group - 1) : ""} computing: ${showTime(values[i])}, ${showShare(values[i], d.length)} of the run`;
  let mean = 0;
  all.forEach((v, k) => { mean += v * k; });
  document.getElementById("concurrency-note").textContent = `On the average ${(mean / d.length).toFixed(1)} of ${d.active} processes compute. ${sleepNote}`;
}

function drawKiviat(d, canvas) {
  const g = prepare(canvas), { c } = g, x = g.w / 2, y = g.h / 2, radius = Math.min(g.w, g.h) / 2 - 36, n = d.active;
  const at = (p, v) => [x + radius * v * Math.sin(2 * Math.PI * p / n), y - radius * v * Math.cos(2 * Math.PI * p / n)];
  c.strokeStyle = theme.line; c.fillStyle = theme.soft; c.textAlign = "left"; c.lineWidth = 1;
  for (const v of [.25, .5, .75, 1]) {
    c.beginPath(); c.arc(x, y, radius * v, 0, 7); c.stroke();
    c.fillText(100 * v + " %", x + 4, y - radius * v + 9);
  }
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(n / 32)));
  c.textAlign = "center";
  for (let p = 0; p < n; p += step) {
    c.beginPath(); c.moveTo(x, y); c.lineTo(...at(p, 1)); c.stroke();
    if (p) c.fillText(d.processes[p].label, ...at(p, 1 + 18 / radius));
    else c.fillText(d.processes[0].label, x, y - radius - 24);
  }
  const outline = (value, colour) => {
    c.strokeStyle = colour; c.fillStyle = colour; c.lineWidth = n > 100 ? 1.2 : 2;
    c.beginPath();
    for (let p = 0; p < n; p++) c.lineTo(...at(p, value(d.processes[p])));
    c.closePath(); c.globalAlpha = .18; c.fill(); c.globalAlpha = 1; c.stroke();
    if (n < 3) for (let p = 0; p < n; p++) { c.beginPath(); c.arc(...at(p, value(d.processes[p])), 4, 0, 7); c.fill(); }
  };
  outline(p => p.share[5], theme.work);
  outline(p => p.share[2], theme.waiting);
  const tell = p => `${p.name}\n${working} ${(100 * p.share[5]).toFixed(1)} %\nwaiting ${(100 * p.share[2]).toFixed(1)} %`;
  canvas.textAt = (px, py) => {
    const angle = (Math.atan2(px - x, y - py) + 2 * Math.PI) % (2 * Math.PI), p = d.processes[Math.round(angle / 2 / Math.PI * n) % n];
    return Math.hypot(px - x, py - y) > radius + 20 ? "" : tell(p);
  };
  canvas.stops = { count: n, at: p => [...at(p, d.processes[p].share[5]), tell(d.processes[p])] };
}

function drawLengths(d, canvas, what) {
  const all = what === "bytes" ? d.meta.lengthBytes : d.meta.lengths;
  let last = all.length - 1;
  while (last > 0 && !all[last]) last--;
  let first = 0;
  while (first < last && !d.meta.lengths[first]) first++;
  const values = all.slice(first, last + 1), low = k => k ? 2 ** (k - 1) : 0;
  bars(canvas, values, { label: what === "bytes" ? shortBytes : showCount, round: what === "bytes" ? powerOfTwo : roundStep,
    name: i => shortBytes(low(i + first)), wide: 62, title: "length of a message: from this to below twice as much" });
  const most = d.meta.lengthBytes.indexOf(Math.max(...d.meta.lengthBytes)), all2 = d.meta.lengthBytes.reduce((s, v) => s + v, 0);
  document.getElementById("lengths-note").textContent = all2 ? `Messages of ${showBytes(low(most))} to below ${showBytes(2 * low(most) || 1)} carry ${showShare(d.meta.lengthBytes[most], all2)} of all bytes, and are ${showShare(d.meta.lengths[most], d.messages.count)} of all messages.` : "";
  canvas.text = i => { const k = i + first; return `${k < 2 ? k + " B" : showBytes(low(k)) + " to below " + showBytes(2 * low(k))}\n${showCount(d.meta.lengths[k])} messages, ${showBytes(d.meta.lengthBytes[k])}`; };
}

// Messages under way to one process, or to all: steps up where sent, down where received.
function queueOf(d, process) {
  const m = d.messages, up = [], down = [];
  for (let i = 0; i < m.count; i++)
    if (process < 0 || m.to[i] === process) { up.push(m.sent[i]); down.push(Math.max(m.sent[i], m.received[i])); }
  return { up: Float64Array.from(up).sort(), down: Float64Array.from(down).sort() };
}
function drawQueue(d, canvas, process) {
  if (canvas.process !== process) { canvas.queue = queueOf(d, process); canvas.process = process; }
  const { up, down } = canvas.queue, g = prepare(canvas), { c } = g, box = area(g), w = Math.round(box.w), high = new Float64Array(w);
  let i = above(up, view.begin, 0, up.length), k = above(down, view.begin, 0, down.length), now = i - k, most = 1, longest = now;
  for (let x = 0; x < w; x++) {
    const end = view.begin + (x + 1) / w * (view.end - view.begin);
    high[x] = now;
    while ((i < up.length && up[i] <= end) || (k < down.length && down[k] <= end)) {
      if (k < down.length && (i >= up.length || down[k] <= up[i])) { k++; now--; } else { i++; now++; }
      if (now > high[x]) high[x] = now;
    }
    most = Math.max(most, high[x]);
    longest = Math.max(longest, high[x]);
  }
  c.fillStyle = theme.accent; c.globalAlpha = .35;
  c.beginPath(); c.moveTo(box.x, box.y + box.h);
  for (let x = 0; x < w; x++) { const y = box.y + box.h - high[x] / most * box.h; c.lineTo(box.x + x, y); c.lineTo(box.x + x + 1, y); }
  c.lineTo(box.x + box.w, box.y + box.h); c.fill(); c.globalAlpha = 1;
  valueAxis(g, box, most, v => Number.isInteger(v) ? v : "");
  timeAxis(g, box, view);
  columnsOver(canvas, box, w, { ...view }, x => `at most ${high[x]} sent and not yet received`);
  canvas.longest = longest;
  document.getElementById("queue-note").textContent = `At most ${longest} in view. The time in view is that of the space-time diagram.`;
}

function drawBalance(d, canvas) {
  const own = d.processes.slice(0, d.active), group = Math.max(1, Math.ceil(d.active / 800)), shown = [];
  for (let i = 0; i < d.active; i += group) shown.push(own.slice(i, i + group).reduce((a, p) => p.work > a.work ? p : a));
  const values = shown.map(p => p.work), mean = own.reduce((s, p) => s + p.work, 0) / d.active;
  const { g, box, most } = bars(canvas, values, { label: showTick, name: i => own[i * group].label, wide: 40, parts: i => (d.meta.sleeps ? [1, asleep, unsure] : [1]).map(s => [shown[i].state[s], theme.states[s]]), title: "process; the line is the mean" });
  const y = box.y + box.h - mean / most * box.h;
  g.c.strokeStyle = theme.ink; g.c.setLineDash([5, 4]); g.c.beginPath(); g.c.moveTo(box.x, y); g.c.lineTo(box.x + box.w, y); g.c.stroke(); g.c.setLineDash([]);
  canvas.values = values;
  canvas.text = i => `${shown[i].name}: ${working} ${showTime(values[i])}\n${(values[i] / mean).toFixed(2)} times the mean`;
}

// The communication matrix: a cell for each pair, or for several where there are too many.
function drawMatrix(d, canvas, what) {
  const g = prepare(canvas), { c } = g, n = d.processes.length, side = Math.min(g.h - 60, g.w - 220);
  const group = Math.max(1, Math.ceil(n / Math.max(1, side))), cells = Math.ceil(n / group), each = side / cells;
  const box = { x: Math.max(90, (g.w - side) / 2), y: 34 }, values = new Float64Array(cells * cells);
  for (const p of d.pairs) values[Math.floor(p.from / group) * cells + Math.floor(p.to / group)] += p[what];
  let most = 0;
  for (const v of values) if (v > most) most = v;
  const low = rgb(theme.low), high = rgb(theme.high), tone = v => {
    const f = v > 0 ? .12 + .88 * (most > 0 ? Math.log(1 + 1000 * v / most) / Math.log(1001) : 0) : 0;
    return `rgb(${low.map((a, i) => Math.round(a + f * (high[i] - a)))})`;
  };
  c.fillStyle = theme.low; c.fillRect(box.x, box.y, side, side);
  const gap = each > 14 ? 1 : 0;
  for (let y = 0; y < cells; y++)
    for (let x = 0; x < cells; x++)
      if (values[y * cells + x] > 0) { c.fillStyle = tone(values[y * cells + x]); c.fillRect(box.x + x * each, box.y + y * each, Math.max(1, each - gap), Math.max(1, each - gap)); }
  c.fillStyle = theme.soft; c.strokeStyle = theme.line; c.strokeRect(box.x - .5, box.y - .5, side + 1, side + 1);
  const show = v => what === "bytes" ? showBytes(Math.round(v)) : what === "messages" ? showCount(v) : showTime(v);
  // Numbers where they fit, in what can be read on the cell.
  c.textAlign = "center";
  values.forEach((v, i) => {
    if (!(v > 0) || c.measureText(show(v)).width > each - 6 || each < 16) return;
    const tones = tone(v).match(/\d+/g).map(Number), dark = tones[0] + tones[1] + tones[2] < 384, night = rgb(theme.paper)[0] < 128;
    c.fillStyle = dark === night ? theme.ink : theme.card;
    c.fillText(show(v), box.x + (i % cells + .5) * each - gap / 2, box.y + (Math.floor(i / cells) + .5) * each);
  });
  c.fillStyle = theme.soft;
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(30 / each)));
  for (let i = 0; i < cells; i += step) {
    c.textAlign = "right"; c.fillText(d.processes[i * group].label, box.x - 6, box.y + (i + .5) * each);
    c.textAlign = "center"; c.fillText(d.processes[i * group].label, box.x + (i + .5) * each, box.y - 9);
  }
  c.textAlign = "center"; c.fillText(what === "blocked" ? "process that waits, across; that is waited for, down" : "receiver, across; sender, down", box.x + side / 2, Math.min(g.h - 8, box.y + side + 14));
  for (let i = 0; i < 100; i++) { c.fillStyle = tone(most * (Math.exp((i + 1) / 100 * Math.log(1001)) - 1) / 1000); c.fillRect(box.x + side + 18, box.y + 100 - i, 12, 1.5); }
  c.fillStyle = theme.soft; c.textAlign = "left"; 
  // The scale: the most, a tenth, a hundredth and a thousandth of it, where their colours are.
  for (const part of most > 0 ? [1, .1, .01, .001] : [])
    c.fillText(show(what === "messages" ? +(most * part).toPrecision(2) : most * part), box.x + side + 36, box.y + 100 - 99 * Math.log(1 + 1000 * part) / Math.log(1001));
  const names = i => group > 1 ? `${d.processes[i * group].label} to ${d.processes[Math.min(n, i * group + group) - 1].label}` : d.processes[i].name;
  canvas.textAt = (px, py) => {
    const x = Math.floor((px - box.x) / each), y = Math.floor((py - box.y) / each);
    return x < 0 || y < 0 || x >= cells || y >= cells ? "" : what === "blocked" ? `${names(x)} waits for ${names(y)}: ${show(values[y * cells + x])}` : `${names(y)} to ${names(x)}: ${show(values[y * cells + x])}${what === "messages" ? " messages" : ""}`;
  };
  canvas.stops = { count: cells * cells, columns: cells, at: i => {
    const x = box.x + (i % cells + .5) * each, y = box.y + (Math.floor(i / cells) + .5) * each;
    return [x, y, canvas.textAt(x, y)];
  } };
  canvas.total = d.pairs.reduce((s, p) => s + p[what], 0);
  document.getElementById("matrix-title").textContent = what === "blocked" ? "Who waits for whom" : "Who sends to whom";
  document.getElementById("matrix-about").textContent = what === "blocked"
    ? "A row for each process that was waited for, a column for each that waited, for whom it waited at that moment; why that one came late, or whom it waited for itself, is not here: see Waits."
    : "A row for each sender, a column for each receiver. Messages only: broadcasts and combines count as far as they send messages, and not where they go through the memory of one machine.";
  document.getElementById("matrix-note").textContent = `${show(canvas.total)} in all${what === "messages" ? " messages" : ""}${what === "blocked" ? "" : d.meta.own}; colours are logarithmic: the next number of the scale is a tenth.${group > 1 ? ` A cell stands for ${group} x ${group} pairs.` : ""}`;
}
