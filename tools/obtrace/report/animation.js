// What each process does at one moment, drawn where it stands: on the grid, on a ring, or on a hypercube (Gray
// codes: neighbours in a row or column differ in one bit), with the messages that are under way. It can be played.
const animation = { time: -1, shape: "grid", playing: false };
function grayOf(i) { return i ^ i >> 1; }
function animationPlaces(d, shape) {
  const n = d.active, grid = d.meta.grid, places = [];
  if (shape === "ring") {
    for (let p = 0; p < n; p++) places.push([.5 + .5 * Math.sin(2 * Math.PI * p / n), .5 - .5 * Math.cos(2 * Math.PI * p / n)]);
    return { places, columns: n / 3, rows: n / 3 };
  }
  const own = shape === "grid" && grid.columns && d.processes.slice(0, n).some(p => p.place), bits = Math.ceil(Math.log2(Math.max(1, n)));
  const columns = own ? grid.columns : shape === "hypercube" ? 2 ** Math.ceil(bits / 2) : Math.ceil(Math.sqrt(n));
  const rows = own ? grid.rows + (d.processes.slice(0, n).every(p => p.place) ? 0 : 1) : Math.ceil((shape === "hypercube" ? 2 ** bits : n) / columns), at = new Map();
  if (shape === "hypercube") for (let r = 0; r < rows; r++) for (let k = 0; k < columns; k++) at.set(grayOf(r) * columns + grayOf(k), [r, k]);
  for (let p = 0, out = 0; p < n; p++) {
    const [r, k] = own ? d.processes[p].place || [rows - 1, Math.min(columns - 1, out++)] : shape === "hypercube" ? at.get(p) : [Math.floor(p / columns), p % columns];
    places.push([(k + .5) / columns, (r + .5) / rows]);
  }
  return { places, columns, rows };
}
function drawAnimation(d, canvas) {
  if (animation.time < 0) animation.time = d.length / 2;
  const g = prepare(canvas), { c } = g, { places, columns, rows } = animationPlaces(d, animation.shape), t = animation.time;
  const side = 46, w = g.w - 2 * side, h = g.h - 2 * side, xy = p => [side + places[p][0] * w, side + places[p][1] * h];
  const radius = Math.max(2, Math.min(26, .34 * Math.min(w / columns, h / rows))), m = d.messages;
  if (animation.shape === "hypercube") {
    c.strokeStyle = theme.line; c.lineWidth = 1; c.beginPath();
    for (let p = 0; p < d.active; p++) for (let bit = 1; bit < d.active; bit <<= 1) if ((p ^ bit) > p && (p ^ bit) < d.active) { c.moveTo(...xy(p)); c.lineTo(...xy(p ^ bit)); }
    c.stroke();
  }
  let under = 0;
  c.strokeStyle = theme.message; c.lineWidth = 1.6; c.globalAlpha = .8; c.beginPath();
  for (let i = above(m.sent, t, 0, m.count) - 1, looked = 0; i >= 0 && looked < 200000 && m.sent[i] >= t - m.longest; i--, looked++) {
    if (m.received[i] < t || m.from[i] >= d.active || m.to[i] >= d.active) continue;
    under++;
    if (under > undrawn) continue;
    const [x0, y0] = xy(m.from[i]), [x1, y1] = xy(m.to[i]), bend = .12;
    c.moveTo(x0, y0); c.quadraticCurveTo((x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0), x1, y1);
  }
  c.stroke(); c.globalAlpha = 1;
  let computing = 0;
  c.textAlign = "center";
  for (let p = 0; p < d.active; p++) {
    const s = spanAt(d, p, t), [x, y] = xy(p);
    computing += s.state === 1;
    c.fillStyle = theme.states[s.state || 0]; c.strokeStyle = theme.line;
    c.beginPath(); c.arc(x, y, radius, 0, 7); c.fill(); c.stroke();
    if (radius > 11) { c.fillStyle = theme.ink; c.fillText(d.processes[p].id < 0 ? "host" : d.processes[p].id, x, y); }
  }
  canvas.textAt = (px, py) => {
    const p = places.findIndex((q, i) => Math.hypot(xy(i)[0] - px, xy(i)[1] - py) <= radius + 2);
    return p < 0 ? "" : spanText(d, p, animation.time);
  };
  canvas.stops = { count: d.active, columns: animation.shape === "ring" ? 0 : columns,
    at: p => [...xy(p), spanText(d, p, animation.time)] };
  byId("animation-time").value = Math.round(1000 * t / d.length);
  byId("animation-note").textContent = `At ${showTime(t)}: ${computing} of ${d.active} processes compute, ${showCount(under)} messages are under way.`;
  Object.assign(canvas, { computing, under });
}
function playAnimation() {
  if (!animation.playing || choice.tab !== "animation") { animation.playing = false; byId("animation-play").textContent = "play"; return; }
  const from = view.end > view.begin ? view.begin : 0, length = view.end - view.begin;
  animation.time = animation.time >= view.end || animation.time < from ? from : Math.min(view.end, animation.time + length / 1200);
  if (animation.time >= view.end) animation.playing = false;
  draw();
  requestAnimationFrame(playAnimation);
}
// The phase portrait: for each part of the time in view, how many compute against how many bytes are under way.
function drawPhase(d, canvas) {
  const g = prepare(canvas), { c } = g, box = area(g, 84, 50), parts = 240, m = d.messages, n = d.states.length, length = view.end - view.begin;
  const wanted = [view.begin, view.end].join();
  if (canvas.wanted !== wanted) {
    const sums = new Float32Array(parts * n), bytes = new Float64Array(parts + 1);
    for (let p = 0; p < d.active; p++) addStates(d, p, view, parts, sums);
    for (let i = above(m.sent, view.begin - m.longest - 1, 0, m.count); i < m.count && m.sent[i] < view.end; i++) {
      const a = Math.max(0, Math.floor((m.sent[i] - view.begin) / length * parts)), b = Math.min(parts, Math.floor((m.received[i] - view.begin) / length * parts) + 1);
      if (b > a) { bytes[a] += m.bytes[i]; bytes[b] -= m.bytes[i]; }
    }
    canvas.points = [];
    for (let k = 0, now = 0; k < parts; k++) { now += bytes[k]; canvas.points.push([sums[k * n + 1], now]); }
    canvas.wanted = wanted;
  }
  const most = Math.max(1, ...canvas.points.map(p => p[1])), x = v => box.x + v / d.active * box.w, y = v => box.y + box.h - v / most * box.h;
  valueAxis(g, box, most, shortBytes, powerOfTwo);
  const step = roundStep(d.active / 8);
  c.textAlign = "center"; c.fillStyle = theme.soft;
  for (let v = 0; v <= d.active; v += Math.max(1, step)) c.fillText(v, x(v), box.y + box.h + 15);
  c.textAlign = "right"; c.fillText("processes computing, across; bytes under way, up", box.x + box.w, box.y + box.h + 36);
  c.strokeStyle = theme.line; c.lineWidth = 1; c.beginPath();
  for (const p of canvas.points) c.lineTo(x(p[0]), y(p[1]));
  c.stroke();
  const early = rgb(theme.accent), late = rgb(theme.library);
  canvas.points.forEach((p, k) => {
    c.fillStyle = `rgb(${early.map((v, i) => Math.round(v + (late[i] - v) * k / parts))})`;
    c.beginPath(); c.arc(x(p[0]), y(p[1]), 3, 0, 7); c.fill();
  });
  const tell = k => `${showTime(view.begin + k / parts * length)}: ${canvas.points[k][0].toFixed(1)} processes compute, ${showBytes(Math.round(canvas.points[k][1]))} under way`;
  canvas.textAt = (px, py) => {
    const k = canvas.points.findIndex(p => Math.hypot(x(p[0]) - px, y(p[1]) - py) < 5);
    return k < 0 ? "" : tell(k);
  };
  canvas.stops = { count: parts, at: k => [x(canvas.points[k][0]), y(canvas.points[k][1]), tell(k)] };
}
