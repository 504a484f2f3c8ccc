// Processes as rows over time: the space-time diagram, the utilization Gantt chart and
// the critical path are one drawing with different things on top. All share one view.
const view = { begin: 0, end: 1, top: 0, bottom: 1 };
const undrawn = 2000; // more messages than this are not drawn at once: nobody could read them

class Timeline {
  constructor(d, canvas, options) {
    Object.assign(this, { d, canvas, shown: [] }, options);
    canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
    canvas.addEventListener("pointerdown", e => { this.from = { x: e.offsetX, y: e.offsetY, ...view }; canvas.setPointerCapture(e.pointerId); showTip(e, ""); });
    canvas.addEventListener("pointerup", () => { this.from = null; });
    canvas.addEventListener("pointermove", e => this.move(e));
    canvas.addEventListener("mouseleave", e => showTip(e, ""));
    canvas.addEventListener("dblclick", () => { Object.assign(view, { begin: 0, end: d.length, top: 0, bottom: d.active }); redraw(); });
    canvas.addEventListener("keydown", e => this.key(e));
  }
  place(g) {
    const left = Math.min(110, 22 + 8 * Math.max(...this.d.processes.slice(0, this.d.active).map(p => p.label.length)));
    this.box = { x: left, y: 8, w: g.w - left - 12, h: g.h - 38 };
  }
  xOf(t) { return this.box.x + (t - view.begin) / (view.end - view.begin) * this.box.w; }
  yOf(p) { return this.box.y + (p + .5 - view.top) / (view.bottom - view.top) * this.box.h; }
  timeAt(x) { return view.begin + (x - this.box.x) / this.box.w * (view.end - view.begin); }
  rowAt(y) { return view.top + (y - this.box.y) / this.box.h * (view.bottom - view.top); }

  wheel(e) {
    e.preventDefault();
    const factor = Math.exp(Math.max(-1, Math.min(1, e.deltaY / 200))), d = this.d;
    if (e.shiftKey) zoomProcesses(d, this.rowAt(e.offsetY), Math.exp(Math.max(-1, Math.min(1, (e.deltaY || e.deltaX) / 200))));
    else zoomTime(d, this.timeAt(e.offsetX), factor);
    redraw();
  }
  key(e) {
    const w = view.end - view.begin;
    if (e.key === "+" || e.key === "-") zoomTime(this.d, view.begin + w / 2, e.key === "+" ? .6 : 1.6);
    else if (e.key === "ArrowLeft" || e.key === "ArrowRight") panTime(this.d, view.begin + (e.key === "ArrowLeft" ? -.15 : .15) * w);
    else return;
    redraw();
  }
  move(e) {
    if (!this.from) { showTip(e, this.textAt(e.offsetX, e.offsetY)); return; }
    const f = this.from, rows = f.bottom - f.top;
    panTime(this.d, f.begin - (e.offsetX - f.x) / this.box.w * (f.end - f.begin));
    view.top = Math.max(0, Math.min(this.d.active - rows, f.top - (e.offsetY - f.y) / this.box.h * rows));
    view.bottom = view.top + rows;
    redraw();
  }

  draw() {
    const g = prepare(this.canvas);
    this.place(g);
    this.drawRows(g);
    const { c } = g, { x, y, w, h } = this.box;
    c.save();
    c.beginPath(); c.rect(x, y, w, h); c.clip();
    if (this.messages && this.messages()) this.drawMessages(c); else this.shown = [];
    if (this.path && this.path()) this.drawPath(c);
    c.restore();
    this.drawLabels(c);
    timeAxis(g, this.box, view);
    if (this.after) this.after(this);
  }

  // Every pixel is the mixture of what happened in its time, in all processes it stands for.
  drawRows(g) {
    const d = this.d, n = d.states.length, r = g.ratio;
    const w = Math.round(this.box.w * r), h = Math.round(this.box.h * r);
    if (!this.image || this.image.width !== w || this.image.height !== h) this.image = g.c.createImageData(w, h);
    const out = new Uint32Array(this.image.data.buffer), sums = new Float32Array(w * n);
    const empty = pack(rgb(theme.card)), parts = this.parts ? this.parts() : theme.parts;
    const fade = this.fade ? rgb(theme.card) : null;
    out.fill(empty);
    const rows = view.bottom - view.top, each = h / rows;
    const gap = each < 6 * r ? 0 : this.thin && each >= 24 * r ? Math.round(each * .55) : Math.max(1, Math.round(r));
    let line = -1;
    for (let p = Math.floor(view.top); p < Math.min(d.active, Math.ceil(view.bottom)); p++) {
      const y0 = Math.max(0, Math.round((p - view.top) * each)), y1 = Math.min(h, Math.round((p + 1 - view.top) * each));
      if (y0 !== line) sums.fill(0);
      line = y0;
      addStates(d, p, view, w, sums);
      const first = Math.min(h - 1, y0 + (gap >> 1)), end = Math.max(first + 1, y1 - gap + (gap >> 1));
      if (y0 >= h) break;
      mixRow(out, first * w, w, sums, n, parts, empty, fade);
      for (let y = first + 1; y < Math.min(end, h); y++) out.copyWithin(y * w, first * w, first * w + w);
    }
    g.c.putImageData(this.image, Math.round(this.box.x * r), Math.round(this.box.y * r));
  }

  drawLabels(c) {
    const d = this.d, rows = view.bottom - view.top, each = this.box.h / rows;
    const step = Math.max(1, 2 ** Math.ceil(Math.log2(15 / each)));
    c.fillStyle = theme.soft; c.textAlign = "right";
    for (let p = Math.ceil(view.top / step) * step; p < Math.min(d.active, view.bottom); p += step)
      if (this.yOf(p) > this.box.y && this.yOf(p) < this.box.y + this.box.h)
        c.fillText(d.processes[p].label, this.box.x - 8, this.yOf(p));
  }

  // In view all messages, or those whose receivers waited longest.
  choose() {
    const m = this.d.messages, seen = [], count = new Uint32Array(64);
    const first = above(m.sent, view.begin - m.longest - 1, 0, m.count), last = above(m.sent, view.end, 0, m.count);
    for (let i = first; i < last; i++)
      if (this.inView(i)) { seen.push(i); count[Math.ceil(Math.log2(m.blocked[i] + 1))]++; }
    this.seen = seen.length;
    if (seen.length <= undrawn) return seen;
    let least = 63, sum = 0;
    while (least > 0 && sum + count[least] <= undrawn) sum += count[least--];
    const chosen = seen.filter(i => Math.ceil(Math.log2(m.blocked[i] + 1)) > least);
    if (chosen.length > undrawn / 4) return chosen;
    const step = Math.ceil(seen.length / undrawn);
    return chosen.concat(seen.filter((i, k) => k % step === 0));
  }
  inView(i) {
    const m = this.d.messages, a = m.from[i], b = m.to[i];
    return m.received[i] >= view.begin && a < this.d.active && b < this.d.active &&
           Math.max(a, b) >= view.top - 1 && Math.min(a, b) <= view.bottom;
  }
  drawMessages(c) {
    const m = this.d.messages;
    this.shown = this.choose();
    const many = this.shown.length;
    c.strokeStyle = theme.message; c.lineWidth = many > 600 ? .6 : 1; c.globalAlpha = many > 600 ? .3 : many > 150 ? .5 : .8;
    c.beginPath();
    for (const i of this.shown) { c.moveTo(this.xOf(m.sent[i]), this.yOf(m.from[i])); c.lineTo(this.xOf(m.received[i]), this.yOf(m.to[i])); }
    c.stroke();
    c.globalAlpha = 1;
  }
  drawPath(c) {
    c.strokeStyle = theme.path; c.lineJoin = "round";
    const seen = this.d.steps.filter(s => s.end >= view.begin && s.begin <= view.end);
    const line = s => {
      c.moveTo(this.xOf(s.begin), this.yOf(s.from >= 0 ? s.from : s.process));
      c.lineTo(this.xOf(s.end), this.yOf(s.process));
    };
    // Where messages follow closer than points some of them, faintly, show where they are many.
    const dense = seen.length > this.box.w / 4, every = dense ? Math.ceil(seen.length / 4000) : 1;
    c.lineWidth = dense ? .5 : 2.2;
    c.globalAlpha = dense ? Math.min(.5, this.box.w * every / 4 / seen.length + .03) : 1;
    seen.filter(s => s.from >= 0).forEach((s, k) => {
      if (k % every) return;
      c.beginPath(); line(s); c.stroke();
    });
    c.lineWidth = 2.2; c.globalAlpha = 1;
    c.beginPath();
    for (const s of seen) if (s.from < 0) line(s);
    c.stroke();
  }

  textAt(x, y) {
    if (!this.box || x < this.box.x || x > this.box.x + this.box.w || y < this.box.y || y > this.box.y + this.box.h) return "";
    const message = this.messageAt(x, y);
    if (message >= 0) return messageText(this.d, message);
    const p = Math.floor(this.rowAt(y)), t = this.timeAt(x);
    return p >= 0 && p < this.d.active ? spanText(this.d, p, t) : "";
  }
  messageAt(x, y) {
    const m = this.d.messages;
    let best = -1, nearest = 5;
    for (const i of this.shown) {
      const x0 = this.xOf(m.sent[i]), y0 = this.yOf(m.from[i]), dx = this.xOf(m.received[i]) - x0, dy = this.yOf(m.to[i]) - y0;
      const f = Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
      const distance = Math.hypot(x - x0 - f * dx, y - y0 - f * dy);
      if (distance < nearest) { nearest = distance; best = i; }
    }
    return best;
  }
}

function pack(c) { return (255 << 24 | c[2] << 16 | c[1] << 8 | c[0]) >>> 0; }

function mixRow(out, at, w, sums, n, parts, empty, fade) {
  const keep = fade ? .3 : 1;
  for (let x = 0; x < w; x++) {
    let r = 0, g = 0, b = 0, all = 0;
    for (let s = 1, k = x * n + 1; s < n; s++, k++) {
      const v = sums[k];
      if (v > 0) { r += v * parts[s][0]; g += v * parts[s][1]; b += v * parts[s][2]; all += v; }
    }
    if (all < 1e-6) { out[at + x] = empty; continue; }
    r /= all; g /= all; b /= all;
    if (fade) { r = r * keep + fade[0] * (1 - keep); g = g * keep + fade[1] * (1 - keep); b = b * keep + fade[2] * (1 - keep); }
    out[at + x] = (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  }
}

function zoomTime(d, at, factor) {
  const w = Math.max(Math.min(20, d.length), Math.min(d.length, (view.end - view.begin) * factor));
  const part = (at - view.begin) / (view.end - view.begin);
  view.begin = at - part * w;
  view.end = view.begin + w;
  panTime(d, view.begin);
}
function panTime(d, begin) {
  const w = view.end - view.begin;
  view.begin = Math.max(0, Math.min(d.length - w, begin));
  view.end = view.begin + w;
}
function zoomProcesses(d, at, factor) {
  const rows = Math.max(Math.min(2, d.active), Math.min(d.active, (view.bottom - view.top) * factor));
  const part = (at - view.top) / (view.bottom - view.top);
  view.top = Math.max(0, Math.min(d.active - rows, at - part * rows));
  view.bottom = view.top + rows;
}

function messageText(d, i) {
  const m = d.messages;
  return `${d.processes[m.from[i]].name} to ${d.processes[m.to[i]].name}, ${showBytes(m.bytes[i])}\n` +
    `sent ${showTime(m.sent[i])}, received ${showTime(m.received[i])}\nunder way ${showTime(m.received[i] - m.sent[i])}` +
    (m.blocked[i] ? `, receiver waited ${showTime(m.blocked[i])}` : "");
}
function spanText(d, p, t) {
  const last = d.first[p + 1] - 1, i = above(d.time, t, d.first[p], last) - 1;
  if (i < d.first[p] || i >= last) return "";
  const r = d.routine[i];
  const what = stateName(d, d.state[i]);
  return `${d.processes[p].name}: ${what}${r ? "\n" + d.meta.routines[r - 1].name : ""}\n` +
    `${showTime(d.time[i + 1] - d.time[i])}, from ${showTime(d.time[i])}`;
}
