#!/usr/bin/env python3
"""Reads what obtrace writes for Perfetto and for Paraver, with decoders of its own, and compares the
numbers with `obtrace stat --plain`.

    formats.py OBTRACE TRACE SCRATCH_FOLDER
"""
import collections
import os
import re
import subprocess
import sys

passed = failed = 0


def equal(found, expected, name):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: {found}, expected {expected}")


def plain(obtrace, trace):
    text = subprocess.run([obtrace, "stat", "--plain", trace], stdout=subprocess.PIPE, text=True, check=True).stdout
    one = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+) (\d+)$", text, re.M)}
    one["states"] = {m[1]: int(m[2]) for m in re.finditer(r"^state ([\w-]+) (\d+)$", text, re.M)}
    one["routines"] = {m[1]: int(m[2]) for m in re.finditer(r"^routine (.*) calls (\d+) ", text, re.M)}
    return one


# ------------------------------------------------------------------ protocol buffers
def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """The fields of a message: a list of values each."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = number(data, at)
        wire = key & 7
        if wire == 0:
            value, at = number(data, at)
            value -= (value >> 63) << 64
        elif wire == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif wire == 2:
            length, at = number(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                raise ValueError("a field is cut off")
        else:
            raise ValueError(f"wire type {wire}")
        fields[key >> 3].append(value)
    return fields


def check_perfetto(path, want):
    with open(path, "rb") as f:
        packets = [message(p) for p in message(f.read())[1]]
    tracks, open_slices, names = {}, collections.Counter(), collections.Counter()
    counters = collections.defaultdict(list)
    begins, ends = {}, {}
    for p in packets:
        equal(p[10], [1], "one sequence") if p[10] != [1] else None
        for track in p[60]:
            t = message(track)
            tracks[t[1][0]] = message(t[3][0])[6][0].decode() if t[3] else t[2][0].decode()
        for event in p[11]:
            e = message(event)
            kind, track, time = e[9][0], e[11][0], p[8][0]
            if track not in tracks:
                raise ValueError(f"an event of track {track}, which is not described")
            if kind == 1:
                open_slices[track] += 1
                names[e[23][0].decode()] += 1
            elif kind == 2:
                open_slices[track] -= 1
                if open_slices[track] < 0:
                    raise ValueError("a slice ends that did not begin")
            elif kind == 4:
                counters[tracks[track]].append((time, e[30][0]))
            for flow in e[47]:
                begins[flow] = time
            for flow in e[48]:
                ends[flow] = time
    equal(len([n for n in tracks.values() if n.startswith("process ")]), want["processes"], "Perfetto: processes")
    equal(set(open_slices.values()), {0}, "Perfetto: all slices end")
    equal({n: c for n, c in names.items() if n != "waiting"}, want["routines"], "Perfetto: calls")
    equal(begins.keys() == ends.keys(), True, "Perfetto: both ends of flows")
    equal(len(begins), want["messages"], "Perfetto: flows")
    equal(all(begins[f] <= ends[f] for f in begins), True, "Perfetto: flows go forward")
    computing = counters["processes computing"]
    equal(computing == sorted(computing), True, "Perfetto: a counter's times")
    equal(sum(v * (after - t) for (t, v), (after, _) in zip(computing, computing[1:])), want["computing"], "Perfetto: computing")
    equal(counters["messages under way"][-1][1] if want["messages"] else 0, 0, "Perfetto: no message is left under way")


# ------------------------------------------------------------------------- Paraver
def check_paraver(stem, want):
    states = {1: "computing", 15: "library", 0: "not-running", 3: "receive", 5: "barrier"}
    with open(stem + ".prv", encoding="utf-8") as f:
        head, communicator, *lines = f.read().splitlines()
    m = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d{4} at \d\d:\d\d\):(\d+)_ns:(\d+)\(([\d,]+)\):1:(\d+)\((.*)\),1", head)
    equal(int(m[1]), want["length"], "Paraver: length")
    equal(sum(map(int, m[3].split(","))), want["processes"], "Paraver: processors")
    equal((int(m[4]), m[5].count("1:")), (want["processes"], want["processes"]), "Paraver: tasks")
    equal(communicator, f"c:1:1:{m[4]}:" + ":".join(str(k + 1) for k in range(int(m[4]))), "Paraver: communicator")
    sums, calls, bytes_sent, messages, times = collections.Counter(), collections.Counter(), 0, 0, []
    for line in lines:
        kind, *v = map(int, line.split(":"))
        times.append(v[4])
        if kind == 1:
            sums[states.get(v[6], "group")] += v[5] - v[4]
        elif kind == 2:
            for k, value in zip(v[5::2], v[6::2]):
                calls[value] += k == 90000001 and value > 0
        else:
            messages += 1
            bytes_sent += v[12]
    equal(times == sorted(times), True, "Paraver: by time")
    for name, group in (("computing", 0), ("library", 0), ("not-running", 0), ("receive", 0), ("barrier", 0), ("group", 1)):
        of = want["states"]
        equal(sums[name], of["broadcast"] + of["combine"] + of["collective"] if group else of[name], "Paraver: " + name)
    equal((messages, bytes_sent), (want["messages"], want["bytes"]), "Paraver: messages")
    with open(stem + ".pcf", encoding="utf-8") as f:
        text = f.read()
    part = text[text.index("90000001"):text.index("90000002")]
    names = {int(m[1]): m[2] for m in re.finditer(r"^(\d+) {6}(.*)$", part, re.M)}
    equal({names[v]: c for v, c in calls.items() if c}, want["routines"], "Paraver: calls")
    with open(stem + ".row", encoding="utf-8") as f:
        rows = f.read()
    equal(len(re.findall(r"^process \d+$", rows, re.M)), 3 * want["processes"], "Paraver: names of rows")


def main():
    obtrace, trace, scratch = sys.argv[1:]
    want = plain(obtrace, trace)
    stem = os.path.join(scratch, "converted")
    for suffix in (".pftrace", ".prv"):
        subprocess.run([obtrace, "convert", trace, "-o", stem + suffix], check=True, stderr=subprocess.DEVNULL)
    check_perfetto(stem + ".pftrace", want)
    check_paraver(stem, want)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
