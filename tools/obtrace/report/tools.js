// Words for numbers, colours of the theme, canvases that fit the screen, the tip.
// Three figures, and units, as obtrace's sentences have them.
function figures(v, unit) { return `${v.toFixed(v < 9.995 ? 2 : v < 99.95 ? 1 : 0)} ${unit}`; }
function showTime(ns) {
  return ns < 1e3 ? `${Math.round(ns)} ns` : ns < 999500 ? figures(ns / 1e3, "us") : ns < 999500000 ? figures(ns / 1e6, "ms") : figures(ns / 1e9, "s");
}
// A moment, as finely as a thousandth of what is in view, or a part of `step`.
function showMoment(ns, step = (view.end - view.begin) / 1000) {
  const [scale, unit] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "us"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return (ns / scale).toFixed(Math.max(0, Math.min(9, Math.ceil(Math.log10(scale / Math.max(step, 1)))))) + " " + unit;
}
function showRange(begin, end) { const step = Math.max(1, (end - begin) / 100); return `${showMoment(begin, step)} to ${showMoment(end, step)}`; }
function plural(n, one, many = one + "s") { return `${showCount(n)} ${n === 1 ? one : many}`; }
function showBytes(n) {
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  if (n < 1024) return n + " B";
  let u = 0;
  for (n /= 1024; n >= 1000 && u < 5; u++) n /= 1024;
  return figures(n, units[u]);
}
function shortBytes(n) { const [v, unit] = showBytes(n).split(" "); return +v + " " + unit; }
function showCount(n) { return Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f"); }
function showShare(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(1) + " %" : "–"; }
// A time on an axis: as many figures as the step between ticks needs.
function showTick(ns, step) {
  const unit = step < 1e3 ? [1, "ns"] : step < 1e6 ? [1e3, "us"] : step < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return (Math.round(ns / step) * step / unit[0]).toFixed(0) + " " + unit[1];
}
function roundStep(about) {
  const power = 10 ** Math.floor(Math.log10(Math.max(about, 1e-9)));
  return [1, 2, 5, 10].map(k => k * power).find(v => v >= about);
}

function powerOfTwo(about) { return 2 ** Math.ceil(Math.log2(Math.max(about, 1))); }

const theme = {};
function hex(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
function rgb(colour) { return [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)); }
function readTheme(states) {
  for (const name of ["paper", "card", "ink", "soft", "line", "accent", "off", "message", "path", "low", "high", "computing", "library", "waiting", "work", "excess", "sync"])
    theme[name] = hex(name);
  theme.states = states.map((s, i) => hex(i ? s : "off"));
  theme.parts = theme.states.map(rgb);
}

function element(name, text, parent, className) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  if (parent) parent.append(e);
  return e;
}

// A canvas as large as its place, in points; draw in points, the screen may have more.
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const w = Math.max(60, box.width), h = Math.max(60, box.height);
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  c.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  c.textBaseline = "middle";
  return { c, w, h, ratio };
}

function showTip(event, text) {
  const tip = document.getElementById("tip");
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.height - 8)) + "px";
}
function hover(canvas, textAt) {
  canvas.addEventListener("mousemove", e => showTip(e, textAt(e.offsetX, e.offsetY)));
  canvas.addEventListener("mouseleave", e => showTip(e, ""));
}

// Axes: lines across at round values of y, with labels on the left.
function valueAxis(g, box, most, label, round = roundStep) {
  const { c } = g, step = round(most / Math.max(2, box.h / 55));
  c.strokeStyle = theme.line; c.fillStyle = theme.soft; c.textAlign = "right"; c.lineWidth = 1;
  for (let v = 0; v <= most * 1.0001; v += step) {
    const y = Math.round(box.y + box.h - v / most * box.h) + .5;
    c.beginPath(); c.moveTo(box.x, y); c.lineTo(box.x + box.w, y); c.stroke();
    c.fillText(label(v, step), box.x - 8, y);
  }
}
function timeAxis(g, box, view) {
  const { c } = g, step = roundStep((view.end - view.begin) / Math.max(2, box.w / 130));
  c.strokeStyle = theme.line; c.fillStyle = theme.soft; c.textAlign = "center"; c.lineWidth = 1;
  for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step) {
    const x = Math.round(box.x + (t - view.begin) / (view.end - view.begin) * box.w) + .5;
    c.beginPath(); c.moveTo(x, box.y + box.h); c.lineTo(x, box.y + box.h + 5); c.stroke();
    c.fillText(showTick(t, step), Math.min(x, box.x + box.w - 22), box.y + box.h + 16);
  }
}
