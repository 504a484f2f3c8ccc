// Processes as rows over time: the space-time diagram, the utilization Gantt chart and
// the critical path are one drawing with different things on top. All share one view.
// routine: only what this routine did is shown; 0 all. marked: the stretch that a link led to, if any.
const view = { begin: 0, end: 1, top: 0, bottom: 1, routine: 0, marked: null };
const frameWork = 7; // milliseconds of a frame for making pictures
const undrawn = 2000; // more messages than this are not drawn at once: nobody could read them

class Timeline {
  constructor(d, canvas, options) {
    Object.assign(this, { d, canvas }, options);
    canvas.addEventListener("wheel", e => this.wheel(e), { passive: false });
    canvas.addEventListener("pointerdown", e => { this.from = { x: e.offsetX, y: e.offsetY, ...view }; canvas.setPointerCapture(e.pointerId); showTip(e, ""); });
    canvas.addEventListener("pointerup", () => { this.from = null; });
    canvas.addEventListener("pointermove", e => this.move(e));
    canvas.addEventListener("mouseleave", e => showTip(e, ""));
    canvas.addEventListener("dblclick", () => { showAll(d); redraw(); });
    canvas.addEventListener("blur", () => { this.cursor = null; showTip(null, ""); redraw(); });
    canvas.addEventListener("keydown", e => this.key(e));
  }
  place(g) {
    this.wide = this.wide || Math.max(...this.d.processes.slice(0, this.d.active).map(p => p.label.length));
    const left = Math.min(130, 22 + 7.5 * this.wide);
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
  // Without Shift the arrows lead from stretch to stretch and from process to process, with it they move the view.
  key(e) {
    const w = view.end - view.begin, d = this.d, side = e.key.endsWith("Left") || e.key.endsWith("Up") ? -1 : 1, arrow = e.key.startsWith("Arrow");
    const across = e.key === "ArrowLeft" || e.key === "ArrowRight", at = this.cursor && this.cursor.t >= view.begin && this.cursor.t <= view.end ? this.cursor : { t: view.begin + w / 2, p: Math.floor((view.top + view.bottom) / 2) };
    if (timeKey(d, e, at.t)) {}
    else if (e.key === "m" || e.key === "M") this.stepMessage(at, e.key === "m" ? 1 : -1);
    else if (e.key === "PageUp" || e.key === "PageDown") zoomProcesses(d, at.p + .5, side < 0 ? .6 : 1.6);
    else if (arrow && e.shiftKey) panProcesses(d, view.top + side * Math.max(1, Math.round(.15 * (view.bottom - view.top))));
    else if (arrow) this.step(at, across ? side : 0, across ? 0 : side);
    else if (e.key === "Enter" && this.cursor) showStretch(d, { ...spanAt(d, at.p, at.t), process: at.p }, choice.tab);
    else return;
    e.preventDefault();
    redraw();
  }
  step(from, along, across) {
    const d = this.d, p = Math.max(0, Math.min(d.active - 1, from.p + across));
    let t = from.t, s = spanAt(d, p, t);
    if (along && this.cursor) {
      t = along > 0 ? (s.end > t ? s.end : t + 1) : s.begin - 1e-3; // a stretch may have no length
      s = spanAt(d, p, Math.max(0, Math.min(d.length - 1, t)));
    }
    if (along) t = (s.begin + s.end) / 2;
    this.cursor = { p, t };
    if (t < view.begin || t > view.end) panTime(d, t - (view.end - view.begin) / 2);
    if (p < view.top || p + 1 > view.bottom) panProcesses(d, across < 0 ? p : p + 1 - (view.bottom - view.top));
    const box = this.canvas.getBoundingClientRect();
    showTip({ clientX: box.x + this.xOf(t), clientY: box.y + this.yOf(p) }, spanText(d, p, t));
  }
  // To the next message, of those that are drawn, which the process at the cursor sends or receives.
  stepMessage(from, side) {
    const m = this.d.messages, timeOf = i => m.from[i] === from.p ? m.sent[i] : m.received[i], later = (i, k) => side * (timeOf(i) - timeOf(k)) || side * (i - k);
    const now = this.cursor ? this.cursor.message : undefined, is = i => now === undefined || now < 0 ? side * (timeOf(i) - from.t) >= 0 : later(i, now) > 0;
    const next = this.shown.filter(i => (m.from[i] === from.p || m.to[i] === from.p) && is(i)).sort(later)[0];
    if (next === undefined) return;
    this.cursor = { p: from.p, t: timeOf(next), message: next };
    const box = this.canvas.getBoundingClientRect();
    showTip({ clientX: box.x + this.xOf(this.cursor.t), clientY: box.y + this.yOf(from.p) }, messageText(this.d, next));
  }
  // The begin of each call, where few are in view: most are shorter than a pixel.
  drawTicks(c) {
    const d = this.d, each = this.box.h / (view.bottom - view.top), at = [];
    if (!this.thin || each < 14) return;
    for (let p = Math.floor(view.top); p < Math.min(d.active, view.bottom); p++) {
      const first = d.first[p], last = d.first[p + 1] - 1, i = Math.max(first, above(d.time, view.begin, first, last) - 1), end = above(d.time, view.end, i, last);
      if (end - i > this.box.w / 4) return;
      for (let k = i; k < end; k++) if (d.call[k] && (k === first || d.call[k - 1] !== d.call[k])) at.push([this.xOf(d.time[k]), this.yOf(p)]);
    }
    c.fillStyle = theme.soft;
    for (const [x, y] of at) c.fillRect(x - .5, y - each / 2, 1, each * .2);
  }
  // The stretch that a link led to.
  drawMark(c) {
    const r = view.marked, each = this.box.h / (view.bottom - view.top);
    if (!r) return;
    const x = this.xOf(r.begin), w = Math.max(3, this.xOf(r.end) - x), y = this.yOf(r.process) - each / 2;
    c.strokeStyle = theme.path; c.lineWidth = 2.5; c.strokeRect(x, y + 1, w, Math.max(3, each - 2));
  }
  drawCursor(c) {
    if (!this.cursor || document.activeElement !== this.canvas) return;
    if (this.cursor.message >= 0) {
      const m = this.d.messages, i = this.cursor.message;
      c.strokeStyle = theme.path; c.lineWidth = 2.5; c.beginPath();
      c.moveTo(this.xOf(m.sent[i]), this.yOf(m.from[i])); c.lineTo(this.xOf(m.received[i]), this.yOf(m.to[i])); c.stroke();
      return;
    }
    const { p, t } = this.cursor, each = this.box.h / (view.bottom - view.top), y = this.yOf(p) - each / 2, s = spanAt(this.d, p, t);
    c.strokeStyle = theme.ink; c.lineWidth = 2;
    c.strokeRect(this.xOf(s.begin), y, Math.max(3, this.xOf(s.end) - this.xOf(s.begin)), Math.max(3, each));
  }
  move(e) {
    if (!this.from && this.cursor && !e.movementX && !e.movementY) return; // the page moved, not the pointer: the tip is the cursor's
    if (!this.from) { showTip(e, this.textAt(e.offsetX, e.offsetY)); return; }
    const f = this.from, rows = f.bottom - f.top;
    panTime(this.d, f.begin - (e.offsetX - f.x) / this.box.w * (f.end - f.begin));
    panProcesses(this.d, f.top - (e.offsetY - f.y) / this.box.h * rows);
    redraw();
  }

  draw() {
    const g = prepare(this.canvas);
    this.place(g);
    this.drawRows(g);
    const { c } = g, { x, y, w, h } = this.box;
    c.save();
    c.beginPath(); c.rect(x, y, w, h); c.clip();
    if (this.messages && this.messages()) this.drawMessages(c);
    if (this.path && this.path()) this.drawPath(c);
    this.drawTicks(c);
    this.drawMark(c);
    this.drawCursor(c);
    c.restore();
    this.drawLabels(c);
    timeAxis(g, this.box, view);
    if (this.after) this.after(this);
  }

  // What is drawn is made a few milliseconds a frame. Until the picture of this view is ready, an
  // older one is shown where it belongs now, over the picture of everything, so that moving and
  // zooming never wait for a large trace.
  drawRows(g) {
    const { c, ratio } = g, { x, y, w, h } = this.box;
    const like = [Math.round(w * ratio), Math.round(h * ratio), document.documentElement.dataset.theme, view.routine, this.selection()].join();
    const wanted = { like, ...view };
    if (this.like !== like) { this.all = this.ready = this.work = null; this.like = like; }
    const same = p => p && p.begin === view.begin && p.end === view.end && p.top === view.top && p.bottom === view.bottom;
    if (!same(this.ready) && !this.work) this.work = this.prepare(wanted, Math.round(w * ratio), Math.round(h * ratio), ratio);
    for (const end = performance.now() + frameWork; this.work && performance.now() < end;)
      if (this.work.next().done) this.work = null;
    if (!same(this.ready)) redraw();
    c.fillStyle = theme.card; c.fillRect(x, y, w, h);
    c.save();
    c.beginPath(); c.rect(x, y, w, h); c.clip();
    for (const p of same(this.ready) ? [this.ready] : [this.all, this.ready]) {
      if (!p) continue;
      const at = this.xOf(p.begin), top = this.yOf(p.top - .5);
      if (same(p)) c.drawImage(p.image, x, y, w, h);
      else c.drawImage(p.image, at, top, this.xOf(p.end) - at, this.yOf(p.bottom - .5) - top);
    }
    c.restore();
  }
  selection() { return this.pair ? this.pair().join("-") : ""; }

  // Every pixel is the mixture of what happened in its time, in all processes it stands for.
  *prepare(v, w, h, r) {
    const d = this.d, n = d.states.length, image = document.createElement("canvas");
    image.width = w; image.height = h;
    const c = image.getContext("2d"), pixels = c.createImageData(w, h);
    const out = new Uint32Array(pixels.data.buffer), sums = new Float32Array(w * n);
    const empty = pack(rgb(theme.card)), parts = this.parts ? this.parts() : theme.parts;
    const fade = this.fade ? rgb(theme.card) : null;
    out.fill(empty);
    const each = h / (v.bottom - v.top);
    const gap = each < 6 * r ? 0 : this.thin && each >= 24 * r ? Math.round(each * .55) : Math.max(1, Math.round(r));
    let line = -1;
    for (let p = Math.floor(v.top); p < Math.min(d.active, Math.ceil(v.bottom)); p++) {
      const y0 = Math.max(0, Math.round((p - v.top) * each)), y1 = Math.min(h, Math.round((p + 1 - v.top) * each));
      if (y0 !== line) sums.fill(0);
      line = y0;
      addStates(d, p, v, w, sums, v.routine);
      yield;
      const first = Math.min(h - 1, y0 + (gap >> 1)), end = Math.max(first + 1, y1 - gap + (gap >> 1));
      if (y0 >= h) break;
      mixRow(out, first * w, w, sums, n, parts, empty, fade);
      for (let y = first + 1; y < Math.min(end, h); y++) out.copyWithin(y * w, first * w, first * w + w);
    }
    c.putImageData(pixels, 0, 0);
    const ready = { ...v, image, shown: [], seen: 0 };
    if (this.messages) yield* this.choose(ready);
    this.ready = ready;
    if (v.begin === 0 && v.end === d.length && v.top === 0 && v.bottom === d.active) this.all = ready;
  }
  get shown() { return this.ready && this.messages && this.messages() ? this.ready.shown : []; }
  get seen() { return this.ready ? this.ready.seen : 0; }

  drawLabels(c) {
    const d = this.d, rows = view.bottom - view.top, each = this.box.h / rows;
    const step = Math.max(1, 2 ** Math.ceil(Math.log2(15 / each)));
    c.fillStyle = theme.soft; c.textAlign = "right";
    for (let p = Math.ceil(view.top / step) * step; p < Math.min(d.active, view.bottom); p += step)
      if (this.yOf(p) > this.box.y && this.yOf(p) < this.box.y + this.box.h)
        c.fillText(d.processes[p].label, this.box.x - 8, this.yOf(p));
  }

  // Of the messages in view all, or those whose receivers waited longest and a few of the others.
  *choose(v) {
    const m = this.d.messages, count = new Uint32Array(34), [of, other] = this.pair ? this.pair() : [-1, -1], one = of < 0 ? other : of;
    const first = above(m.sent, v.begin - m.longest - 1, 0, m.count), last = above(m.sent, v.end, 0, m.count), active = this.d.active;
    const inView = i => {
      const a = m.from[i], b = m.to[i];
      return m.received[i] >= v.begin && a < active && b < active && Math.max(a, b) >= v.top - 1 && Math.min(a, b) <= v.bottom &&
             (one < 0 || (of < 0 || other < 0 ? a === one || b === one : (a === of && b === other) || (a === other && b === of)));
    };
    const waited = i => 32 - Math.clz32(Math.min(m.blocked[i] / 16, 4294967295));
    for (let i = first; i < last; i++) {
      if ((i & 16383) === 0) yield;
      if (inView(i)) { v.seen++; count[waited(i)]++; }
    }
    let least = 32, sum = count[32] || 0;
    while (least >= 0 && sum <= undrawn) sum += least > 0 ? count[--least] : (least--, 0);
    const some = [], step = Math.ceil(v.seen / undrawn);
    for (let i = first, k = 0; i < last; i++) {
      if ((i & 16383) === 0) yield;
      if (!inView(i)) continue;
      if (waited(i) > least) v.shown.push(i);
      else if (k % step === 0) some.push(i);
      k++;
    }
    if (v.shown.length <= undrawn / 4) v.shown = v.shown.concat(some);
  }
  drawMessages(c) {
    const m = this.d.messages;
    const many = this.shown.length;
    c.strokeStyle = theme.message; c.lineWidth = many > 600 ? .6 : 1; c.globalAlpha = many > 600 ? .3 : many > 150 ? .5 : .8;
    // Those that are much longer than the mean are thick.
    for (const long of [false, true]) {
      c.beginPath();
      for (const i of this.shown) if (m.bytes[i] > 4 * m.mean === long) { c.moveTo(this.xOf(m.sent[i]), this.yOf(m.from[i])); c.lineTo(this.xOf(m.received[i]), this.yOf(m.to[i])); }
      c.lineWidth *= long ? 3 : 1;
      c.stroke();
    }
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
    const { box } = this, near = 3; // a message of the first or last process lies at the edge
    if (!box || x < box.x - near || x > box.x + box.w + near || y < box.y - near || y > box.y + box.h + near) return "";
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
// The keys that zoom and move in time, wherever time goes to the right. False: it is another key.
function timeKey(d, e, at) {
  if (e.key === "+" || e.key === "-") zoomTime(d, at, e.key === "+" ? .6 : 1.6);
  else if (e.key === "Home") showAll(d);
  else if (e.shiftKey && (e.key === "ArrowLeft" || e.key === "ArrowRight")) panTime(d, view.begin + (e.key === "ArrowLeft" ? -.15 : .15) * (view.end - view.begin));
  else return false;
  return true;
}
function panTime(d, begin) {
  const w = view.end - view.begin;
  view.begin = Math.max(0, Math.min(d.length - w, begin));
  view.end = view.begin + w;
}
function panProcesses(d, top) {
  const rows = view.bottom - view.top;
  view.top = Math.max(0, Math.min(d.active - rows, top));
  view.bottom = view.top + rows;
}
function showAll(d) { Object.assign(view, { begin: 0, end: d.length, top: 0, bottom: d.active }); }
function zoomProcesses(d, at, factor) {
  const rows = Math.max(Math.min(2, d.active), Math.min(d.active, (view.bottom - view.top) * factor));
  const part = (at - view.top) / (view.bottom - view.top);
  view.top = Math.max(0, Math.min(d.active - rows, at - part * rows));
  view.bottom = view.top + rows;
}

function messageText(d, i) {
  const m = d.messages;
  // Which calls it was sent and received in: many are the library's own, within a broadcast or a superstep.
  const within = (p, t) => { const s = spanAt(d, p, t); return s.i !== undefined && d.call[s.i] ? ` in ${callName(d, d.call[s.i])}` : ""; };
  return `${d.processes[m.from[i]].name} to ${d.processes[m.to[i]].name}, ${showBytes(m.bytes[i])}\n` +
    `sent ${showMoment(m.sent[i])}${within(m.from[i], m.sent[i])}\nreceived ${showMoment(m.received[i])}${within(m.to[i], m.received[i] - 1)}, ${showTime(m.received[i] - m.sent[i])} later\n` +
    (m.blocked[i] ? `its receiver waited ${showTime(m.blocked[i])} for it` : "its receiver did not wait for it: it took it when it came to it");
}
// The stretch of process p at time t, and its index. Before its first and behind its last one there is a span without a state.
function spanAt(d, p, t) {
  const first = d.first[p], last = d.first[p + 1] - 1, i = above(d.time, t, first, last) - 1;
  if (last < first) return { begin: 0, end: d.length };
  if (i < first) return { begin: 0, end: d.time[first] };
  return t >= d.time[last] ? { begin: d.time[last], end: d.length } : { begin: d.time[i], end: d.time[i + 1], state: d.state[i], i };
}
function callName(d, call) { const n = d.meta.places.length; return call > n ? d.meta.routines[call - n - 1].name : d.meta.places[call - 1].call; }
// Between which calls a stretch outside of calls lies, and how long it is in all: it may have several parts.
function between(d, p, i) {
  const first = d.first[p], last = d.first[p + 1] - 1, name = k => k >= first && k < last && d.call[k] ? callName(d, d.call[k]) : "";
  let a = i, b = i;
  while (a > first && !d.call[a - 1] && d.state[a - 1]) a--;
  while (b + 1 < last && !d.call[b + 1] && d.state[b + 1]) b++;
  return `between ${name(a - 1) || "its begin"}\nand ${name(b + 1) || "its end"}${b > a ? `: ${showTime(d.time[b + 1] - d.time[a])} in all` : ""}, in their caller, at an end of theirs, or in a function called there that does not communicate`;
}
function spanText(d, p, t) {
  const s = spanAt(d, p, t), name = d.processes[p].name, when = `${showTime(s.end - s.begin)}, from ${showMoment(s.begin)}`;
  if (s.state === undefined || d.parts) return `${name}: ${s.state === undefined ? "nothing is recorded" : d.states[s.state]}\n${when}`;
  return `${name}: ${stateName(d, s.state)}\n${when}\n` + (!s.state ? "" : d.call[s.i] ? `in ${callName(d, d.call[s.i])}` : between(d, p, s.i)) +
    whomText(d, s);
}
// For whom a process waits; and what the rest of the wait is, when that had come.
function whomText(d, s) {
  const whom = d.whom[s.i], who = whom ? d.processes[(whom - 1) >> 1].name : "", late = whom && (whom - 1) & 1;
  const rest = s.end - s.begin - (late ? d.late[s.i] : 0), does = ["waits for data under way", "could go on, and did so late", "could go on, and had no processor"][d.rest[s.i]];
  if (!late) return !whom && !d.rest[s.i] ? "" : d.rest[s.i] ? `\nnobody was late: it ${does}` : `\nfor data of ${who} that was under way`;
  if (rest > d.late[s.i]) return `\n${who} came last, after ${showTime(d.late[s.i])}; then it ${does}`;
  return (rest > d.late[s.i] / 10 ? `\nthe last ${showTime(rest)} of it, it ${does}; before that` : "") + `\nfor ${who}, which came late` +
    (d.because[s.i] === (whom - 1) >> 1 ? "" : ` because of ${d.processes[d.because[s.i]].name}`);
}
