#!/usr/bin/env python3
"""Writes a PICL trace of a program that never ran: a right-looking factorization on a grid of
processes, with row broadcasts, column broadcasts (rings) and a pivot search, whose late
processes make others wait. Prints what the analysis must find, as `obtrace stat --plain`
does, on standard error.

    synthetic.py ROWS COLUMNS STEPS [verbose|compact] [early] > FILE

early: the process in the middle ends long before all others.
"""
import sys

NAMES = {2001: "row broadcast", 2002: "column broadcast", 2003: "pivot combine"}


def main():
    rows, columns, steps = (int(w) for w in sys.argv[1:4])
    verbose = len(sys.argv) < 5 or sys.argv[4] == "verbose"
    out = sys.stdout
    count = rows * columns
    clock = [0] * count                    # microseconds
    busy, blocked, library = [0] * count, [0] * count, [0] * count
    lines = [[] for _ in range(count)]
    messages = bytes_sent = 0
    seed = 12345

    def put(kind, number, p, *fields):
        t = clock[p]
        values = " ".join(f"{name} {value}" if verbose else str(value) for name, value in fields)
        head = (f"{kind} clock {t // 1000000} {t % 1000000} node {p}" if verbose
                else f"{number} {t // 1000000} {t % 1000000} {p}")
        lines[p].append(f"{head} {values}".rstrip())

    def block(p, which, begin):
        put("block_begin" if begin else "block_end", 20 if begin else 21, p,
            ("block_type", which), ("location_type", 0), ("parameter_type", 0))

    def work(p, n):
        nonlocal seed
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        n += n * (seed >> 16) % 40 // 100 if n > 3 else 0
        clock[p] += n
        busy[p] += n

    def ring(members, which, size):
        """members[0] is the root; every member passes the message on."""
        nonlocal messages, bytes_sent
        arrival = None
        for i, p in enumerate(members):
            block(p, which, True)
            if i:
                if arrival > clock[p]:
                    put("recv_blocking", 7, p, ("type", which))
                    blocked[p] += arrival - clock[p]
                    clock[p] = arrival
                    put("recv_waking", 8, p, ("from", members[i - 1]), ("type", which), ("lth", size))
                else:
                    put("recv", 6, p, ("from", members[i - 1]), ("type", which), ("lth", size))
            clock[p] += 2
            library[p] += 2
            if i + 1 < len(members):
                put("send", 4, p, ("to", members[i + 1]), ("type", which), ("lth", size))
                arrival = clock[p] + 5 + size // 4000
                messages += 1
                bytes_sent += size
            block(p, which, False)

    for p in range(count):
        put("trace_start", 1, p, ("event", 3), ("compstats", 0), ("commstats", 0))
    for k in range(steps):
        left = steps - k
        root_row, root_column = k % rows, k % columns
        panel = [r * columns + root_column for r in range(rows)]
        for p in panel:
            work(p, 20 + left // 2)
        ring(panel[root_row:] + panel[:root_row], 2003, 16)
        for r in range(rows):
            line = [r * columns + (root_column + i) % columns for i in range(columns)]
            ring(line, 2001, 64 * left + 8)
        for c in range(columns):
            line = [((root_row + i) % rows) * columns + c for i in range(rows)]
            ring(line, 2002, 48 * left + 8)
        for p in range(count):
            work(p, 10 + left * 3)
    for p in range(count) if "early" in sys.argv else ():
        if p != count // 2:
            work(p, 100 * steps)
    for p in range(count):
        put("trace_exit", 19, p, ("space", 0))
    for number, name in NAMES.items():
        text = f"block_type {number} is {name}"
        print(f"trace_message clock 0 0 node 0 {text}" if verbose else f"16 0 0 0 {text}", file=out)
    for part in lines:
        out.write("\n".join(part) + "\n")
    events = sum(map(len, lines))
    for name, value in (("events", events), ("processes", count), ("length", max(clock) * 1000),
                        ("computing", sum(busy) * 1000), ("library", sum(library) * 1000),
                        ("blocked", sum(blocked) * 1000), ("messages", messages),
                        ("bytes", bytes_sent), ("unreceived", 0), ("unsent", 0), ("early", 0)):
        print(name, value, file=sys.stderr)
    for p in range(count):
        print(f"process {p} computing {busy[p] * 1000} library {library[p] * 1000} "
              f"blocked {blocked[p] * 1000}", file=sys.stderr)


main()
