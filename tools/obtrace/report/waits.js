// Wait states, and what made others wait: tables whose stretches lead to the space-time diagram.
function stretch(d, r, text = `${d.processes[r.process].label}: ${showRange(r.begin, r.end)}`) {
  return link(text, () => showStretch(d, r));
}
// The stretch in the middle third of the time in view, and its process in the middle; it is marked.
function showStretch(d, r, tab = "space") {
  const length = Math.max(r.end - r.begin, 100), tall = Math.min(d.active, Math.max(view.bottom - view.top, 8));
  view.begin = Math.max(0, r.begin - length);
  view.end = Math.min(d.length, r.end + length);
  view.top = Math.max(0, Math.min(d.active - tall, r.process + .5 - tall / 2));
  view.bottom = view.top + tall;
  view.marked = { process: r.process, begin: r.begin, end: r.end };
  show(tab);
}
// What the patterns' names mean.
const patterns = { "late sender": "the receiver was there before the message was sent", "wrong order": "the receiver waited for one message while another was there that it received later",
  "late receiver": "a synchronous send waited until its receive began", "late broadcast": "members of a broadcast waited for its root", "early reduce": "the root of a combine waited for members that came later",
  "wait at N x N": "all need from all, and waited for the last one to come", "wait at a barrier": "members of a barrier waited for the last one to come",
  "wait at a superstep's end": "members waited for the last one to end its superstep", "data under way": "nobody was late: data was on its way, or being worked on",
  "late to go on": "nobody was late, and there was no data: the process could go on, and did so late", "no processor": "nobody was late: the process could go on, and had no processor" };
// The typical stretch beside the costliest: what a process takes as a rule, or in the few stretches that are exceptions, and what the others take.
function takes(r) {
  return !r.times ? "" : (r.rare ? `${showCount(r.rare)} of ${showCount(r.times)} took ${showTime(r.typical)}, the rest ${showTime(r.usual)}` : `${showTime(r.typical)}${r.times > 1 ? `, ${showCount(r.times)} times` : ", once"}`);
}
// What stands below the words of a row: what came with the call, and what the run would gain.
function notes(d, r) {
  const came = r.bytes >= 65536 ? `${showBytes(r.bytes)} came to it in the costliest of these calls${r.by ? `, ${showShare(Math.min(r.byBytes, r.bytes), r.bytes)} of it by ${r.by}` : ""}` : "";
  const gain = r.gain >= d.length / 100 ? `${r.changed}, the run would take ${showTime(r.gain)} less (${showShare(r.gain, d.length)}), predicted` : "";
  return [r.where, r.part ? "its times are of whole stretches" : "", gain, came].filter(t => t).join("; ");
}
function waitTables(d) {
  const blocked = d.processes.reduce((s, p) => s + p.state.slice(firstWait).reduce((a, v) => a + v, 0), 0) || 1, percent = v => (100 * v).toFixed(1) + " %";
  const rest = key => ({ is: r => r[key] / blocked < .005, tell: all => { const sum = all.reduce((s, r) => s + r[key], 0); return `the rest: ${plural(all.length, "row")} of less than 0.5 % each, ${showTime(sum)}, ${showShare(sum, blocked)} of all waiting; show them`; } });
  const named = (text, more) => { const e = element("span", text); if (more) element("small", more, e); return e; };
  table(byId("late-table"), d.meta.lateRows, [["pattern", r => r.pattern, v => named(v, patterns[v]), "why a process waited, by Scalasca's names"], ["in", r => r.call, null, "in which routine, called from where, the process waited"],
    ["waits", r => r.waits, showCount, "how many waits, of all processes"], ["time", r => r.time, showTime, "waiting of all processes together"],
    ["of all waiting", r => r.time / blocked, percent, "share of all waiting in the run"], ["", r => r.time, v => partBar([[v / blocked, "waiting"]])],
    ["because of", r => r.ofThis || 0, (v, r) => v ? `${d.processes[r.because].name}: ${showShare(v, r.time)}` : "–", "the process whose delay most of it is, followed back: who came late may have waited itself; the table below has what it did"],
    ["longest", r => r.end - r.begin, (v, r) => stretch(d, r), "the longest such wait: process and time; leads to it"]], 3, rest("time"));
  table(byId("delay-table"), d.meta.delays, [["who did what for longer", r => r.what, (v, r) => named(`${d.processes[r.process].name}: ${v}`, notes(d, r)), "the process that came late, and between which places of the program it took longer than those that waited"],
    ["cost", r => r.cost, showTime, "waiting of all other processes that would not have been without it"],
    ["of all waiting", r => r.cost / blocked, percent, "share of all waiting in the run"], ["", r => r.cost, v => partBar([[v / blocked, "waiting"]])],
    ["its median", r => r.typical || 0, (v, r) => r.times ? stretch(d, { process: r.process, begin: r.from, end: r.to }, takes(r)) : "", "how long this process takes there as a rule: the median of all times, or of the few that are much longer than the rest; leads to the stretch that took just this"],
    ["the others' median", r => r.others || 0, (v, r) => r.times && v >= 0 ? `${showTime(v)}${r.elsewhere ? ", to another call" : ""}` : "–", "how long the other processes take at the same place of the program: the median of their medians, or, beside few long stretches, of as many of their longest; to another call: they are never there, and this is what they take from the same call to their next one"],
    ["costliest", r => r.begin, (v, r) => stretch(d, r, showRange(r.begin, r.end)), "the stretch of this process that cost the others most; leads to it"]], 1, rest("cost"));
  byId("delay-note").textContent = d.meta.late ? `${showTime(d.meta.late)} of ${showTime(blocked)} of waiting was for those who came late. The cost of a stretch is the waiting of all others that would not have been without it, also of those that waited for others who waited; where several have part in a wait it is divided. ` +
    `All costs add up to ${showTime(d.meta.late)}. What is predicted is the time of the run: a replay of it with the change that stands before it. ` +
    `A trace knows calls only: a stretch between two of them lies where the line below it says, or in a function called there that does not communicate.${d.meta.asked.length ? " Puts and gets have no times in a trace: a stretch may hold some." : ""}`
    : "Nobody waited for anybody who came late.";
  const wrong = d.meta.lateRows.find(r => r.pattern === "wrong order");
  if (wrong) byId("queue-order").append("Some waits were for one message while another was there (wrong order): ", stretch(d, wrong, "the longest"), ".");
}
