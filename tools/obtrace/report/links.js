// Links to a view and a moment: #space-time@1.25s, or a stretch, #space-time@1.2s-1.3s.
function slug(text) { return text.toLowerCase().replace(/ /g, "-"); }
function followLink() {
  const [name, when] = decodeURIComponent(location.hash.slice(1)).split("@"), found = tabs.find(([id, text]) => id === name || slug(text) === name);
  if (!found) return false;
  const units = { s: 1e9, ms: 1e6, us: 1e3, "µs": 1e3, ns: 1 };
  const times = (when || "").split("-").map(t => /^([\d.]+)([mun\u00b5]?s)$/.exec(t)).filter(m => m).map(m => m[1] * units[m[2]]);
  if (times.length) {
    const half = d.length / 40, [begin, end] = times.length > 1 ? times : [times[0] - half, times[0] + half];
    if (end > begin && begin < d.length) Object.assign(view, { begin: Math.max(0, begin), end: Math.min(d.length, end) });
  }
  if (choice.tab !== found[0] || times.length) show(found[0]);
  return true;
}
// The address names what is shown, so that it can be sent to somebody.
let remembered = 0;
function rememberPlace() {
  clearTimeout(remembered);
  remembered = setTimeout(() => {
    const timed = ["space", "gantt", "queues", "path"].includes(choice.tab) && (view.begin > 0 || view.end < d.length);
    const seconds = t => +(t / 1e9).toPrecision(9) + "s", name = slug(tabs.find(([id]) => id === choice.tab)[1]);
    if (choice.tab === "summary" && !location.hash) return;
    history.replaceState(null, "", `#${name}${timed ? `@${seconds(view.begin)}-${seconds(view.end)}` : ""}`);
  }, 300);
}
