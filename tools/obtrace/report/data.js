// The trace: numbers as text in the page become arrays. Variable-length numbers, seven
// bits a byte, low bits first; times as differences.
function unpack(id) {
  const place = document.getElementById(id), text = place.textContent;
  place.textContent = ""; // the browser need not keep it
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
  return { bytes, at: 0 };
}

function number(from) {
  const b = from.bytes;
  let byte = b[from.at++], v = byte & 127, scale = 128;
  while (byte > 127) { byte = b[from.at++]; v += (byte & 127) * scale; scale *= 128; }
  return v;
}

// Of the states: the program itself, on no processor, because another had it or by itself; and from which on they are waiting.
const notRunning = 3, asleep = 4, unsure = 5, firstWait = 6;
const stateNames = { 2: "library: copying, combining", 3: "not running: another had its processor", 4: "asleep: by itself, or reading files, or in another library", 5: "asleep or not running: the trace does not tell which" };
function stateName(d, i) { return stateNames[i] || (i < firstWait ? "" : "waiting: ") + d.states[i]; }

function readTrace() {
  const meta = JSON.parse(document.getElementById("meta").textContent);
  const d = { meta, states: meta.states, length: Math.max(1, meta.length), processes: meta.processes,
              active: meta.active };
  for (const [p, row, column] of meta.grid.places) {
    d.processes[p].place = [row, column];
    d.processes[p].label += ` (${row},${column})`;
    d.processes[p].name += ` (${row},${column})`;
  }
  let from = unpack("spans");
  const total = number(from);
  d.first = new Uint32Array(d.active + 1);
  d.time = new Float64Array(total);
  d.state = new Uint8Array(total);
  // A call is a place of the list, or, beyond its end, a routine; whom a process waits for is 0, or 1 + 2 times the
  // process, and 1 more if that came late, because of the process `because`; `late` of the wait is that, and what the
  // rest is: 0 data under way, 1 it could go on and did so late, 2 it could go on and had no processor.
  d.call = new Uint32Array(total);
  d.whom = new Uint32Array(total);
  d.because = new Uint32Array(total);
  d.late = new Float64Array(total);
  d.rest = new Uint8Array(total);
  d.routineOf = [0, ...meta.places.map(p => p.routine), ...meta.routines.map((r, i) => i + 1)];
  for (let p = 0, k = 0; p < d.active; p++) {
    const n = number(from);
    for (let i = 0, t = 0; i < n; i++, k++) {
      t += number(from);
      d.time[k] = t;
      d.state[k] = number(from);
      d.call[k] = number(from);
      if (d.state[k] >= firstWait) d.whom[k] = number(from);
      if (d.whom[k] && (d.whom[k] - 1) & 1) { d.because[k] = number(from); d.late[k] = number(from); }
      if (d.state[k] >= firstWait) d.rest[k] = number(from);
    }
    d.first[p + 1] = k;
  }
  from = unpack("messages");
  const m = d.messages = { count: number(from) };
  for (const name of ["sent", "received", "bytes", "blocked"]) m[name] = new Float64Array(m.count);
  m.from = new Uint32Array(m.count);
  m.to = new Uint32Array(m.count);
  m.longest = m.mean = 0;
  for (let i = 0, t = 0; i < m.count; i++) {
    t += number(from);
    m.sent[i] = t;
    m.received[i] = t + number(from);
    m.longest = Math.max(m.longest, m.received[i] - t);
    m.from[i] = number(from);
    m.to[i] = number(from);
    m.bytes[i] = number(from);
    m.blocked[i] = number(from);
    m.mean += m.bytes[i] / m.count;
  }
  from = unpack("pairs");
  d.pairs = [];
  for (let n = number(from); n > 0; n--)
    d.pairs.push({ from: number(from), to: number(from), messages: number(from), bytes: number(from), blocked: number(from) });
  from = unpack("steps");
  d.steps = [];
  for (let n = number(from); n > 0; n--)
    d.steps.push({ begin: number(from), end: number(from), process: number(from), from: number(from) - 1 });
  d.own = readParts(d);
  return d;
}
// Parts of the program's work as a trace of its own, whose states are their names.
function readParts(d) {
  const from = unpack("parts"), names = d.meta.parts.map(p => p.name);
  const first = new Uint32Array(d.active + 1), time = [], state = [], put = (t, s) => { time.push(t); state.push(s); };
  for (let p = 0; p < d.active; p++) {
    let t = 0;
    for (let n = number(from); n > 0; n--) {
      const part = number(from), gap = number(from), length = number(from);
      if (gap > 0 || !t) put(t, 0);
      put(t + gap, part + 1);
      t += gap + length;
    }
    put(t, 0);
    put(d.length, 0);
    first[p + 1] = time.length;
  }
  return { ...d, first, time: Float64Array.from(time), state: Uint8Array.from(state), call: new Uint32Array(time.length), whom: new Uint32Array(time.length), states: ["none", ...names], parts: names };
}

// The first index in [low, high) whose value is greater than v.
function above(array, v, low, high) {
  while (low < high) {
    const middle = low + high >> 1;
    if (array[middle] > v) high = middle; else low = middle + 1;
  }
  return low;
}

// For each of `width` columns of the view, how much of it process p spends in each state:
// added to sums[column * states + state]. Every span in view counts, however short. With a
// routine, what is not its counts as state 0.
function addStates(d, p, view, width, sums, routine = 0) {
  const n = d.states.length, scale = width / (view.end - view.begin);
  const last = d.first[p + 1] - 1;
  let i = Math.max(d.first[p], above(d.time, view.begin, d.first[p], last) - 1);
  for (; i < last && d.time[i] < view.end; i++) {
    const a = Math.max(0, (d.time[i] - view.begin) * scale);
    const b = Math.min(width, (d.time[i + 1] - view.begin) * scale);
    if (b <= a) continue;
    const s = routine && d.routineOf[d.call[i]] !== routine ? 0 : d.state[i], ia = a | 0, ib = Math.min(width - 1, b | 0);
    if (ia === ib) { sums[ia * n + s] += b - a; continue; }
    sums[ia * n + s] += ia + 1 - a;
    for (let x = ia + 1; x < ib; x++) sums[x * n + s] += 1;
    sums[ib * n + s] += b - ib;
  }
}
