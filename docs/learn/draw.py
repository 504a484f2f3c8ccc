#!/usr/bin/env python3
"""Draws the pictures of the lessons, as SVG on standard output.

    draw.py grid ROWS COLUMNS               processes as a grid
    draw.py cyclic BLOCKS ROWS COLUMNS      a matrix of BLOCKS x BLOCKS blocks, dealt out to a grid
    draw.py broadcasts PROCESSES            flat, ring and tree, when a message takes one unit of time
    draw.py supersteps                      a superstep: work, communication, sync
    draw.py calls TRACE [FROM TO]           a space-time diagram: who was in which call when, of what
                                            OPENBLACS_TRACE has written; FROM and TO in milliseconds
"""
import csv
import subprocess
import sys

COLOURS = ("#7fa8d4", "#f2b872", "#a8d08d", "#d9a6c8", "#f0dd7a", "#9fd3cf", "#c9b79c", "#e79a8f", "#b5b5e8")


class Picture:
    """Shapes of an SVG, and its size."""

    def __init__(self, width, height):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
                      '<rect width="100%" height="100%" fill="white"/>',
                      '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
                      'markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>']

    def box(self, x, y, width, height, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" '
                          'stroke="#333" stroke-width="0.5"/>')

    def text(self, x, y, words, anchor="middle"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>')

    def line(self, x, y, to_x, to_y, arrow=False, colour="black"):
        head = ' marker-end="url(#head)"' if arrow else ""
        self.parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" '
                          f'stroke="{colour}"{head}/>')

    def show(self):
        print("\n".join(self.parts + ["</svg>"]))


def grid(rows, columns):
    picture = Picture(60 + 110 * columns, 50 + 64 * rows)
    for column in range(columns):
        picture.text(110 + 110 * column, 24, f"column {column}")
    for row in range(rows):
        picture.text(8, 70 + 64 * row, f"row {row}", "start")
        for column in range(columns):
            x, y = 60 + 110 * column, 36 + 64 * row
            picture.box(x, y, 100, 54, COLOURS[(row * columns + column) % len(COLOURS)])
            picture.text(x + 50, y + 23, f"({row},{column})")
            picture.text(x + 50, y + 42, f"process {row * columns + column}")
    picture.show()


def cyclic(blocks, rows, columns):
    picture = Picture(20 + 44 * blocks, 20 + 30 * blocks)
    for i in range(blocks):
        for j in range(blocks):
            row, column = i % rows, j % columns
            picture.box(10 + 44 * j, 10 + 30 * i, 44, 30, COLOURS[(row * columns + column) % len(COLOURS)])
            picture.text(32 + 44 * j, 30 + 30 * i, f"({row},{column})")
    picture.show()


def supersteps():
    picture = Picture(640, 236)
    work = ((100, 160, 120, 90), (150, 80, 110, 130))
    for step, times in enumerate(work):
        start = 80 + 280 * step
        for process, width in enumerate(times):
            picture.box(start, 30 + 45 * process, width, 22, COLOURS[process])
        for process in range(4):
            to = (process + 1 + step) % 4
            picture.line(start + max(times) + 10, 41 + 45 * process, start + max(times) + 70, 41 + 45 * to, True)
        picture.box(start + max(times) + 78, 20, 14, 178, "#666")
        for words, x in (("w", max(times) / 2), ("h g", max(times) + 40), ("l", max(times) + 85)):
            picture.text(start + x, 218, words)
    for process in range(4):
        picture.text(8, 46 + 45 * process, f"process {process}", "start")
    picture.show()


def broadcast(way, count):
    """Messages (from, to, when) by which all of 0 .. count - 1 learn what 0 knows."""
    if way == "flat":
        return [(0, to, to - 1) for to in range(1, count)]
    if way == "ring":
        return [(to - 1, to, to - 1) for to in range(1, count)]
    steps = (count - 1).bit_length()
    return [(source, source + (1 << (steps - 1 - step)), step) for step in range(steps)
            for source in range(0, count, 1 << (steps - step)) if source + (1 << (steps - 1 - step)) < count]


def broadcasts(count):
    unit, lane = 26, 20
    picture = Picture(110 + 3 * (unit * count + 20), 50 + lane * count)
    for process in range(count):
        picture.text(6, 40 + lane * process, f"process {process}", "start")
    for panel, way in enumerate(("flat", "ring", "tree")):
        left = 90 + panel * (unit * count + 20)
        picture.text(left, 18, way, "start")
        for process in range(count):
            picture.line(left, 36 + lane * process, left + unit * (count - 1), 36 + lane * process, colour="#cccccc")
        for source, to, when in broadcast(way, count):
            picture.line(left + unit * when, 36 + lane * source, left + unit * (when + 1), 36 + lane * to, True)
    picture.show()


def events(trace):
    """The events of a trace, in the order of time, as `obtrace convert` writes them."""
    text = subprocess.check_output(["obtrace", "convert", trace, "--to", "csv"], text=True)
    rows = [(int(row["time_ns"]) / 1e6, int(row["process"]), row["record"], row)
            for row in csv.DictReader(text.splitlines())]
    return sorted(rows, key=lambda event: event[0])


def calls(trace, since=0.0, until=None):
    """Grey: in a call; orange: it waits there; white between: computes; arrows: messages."""
    rows = events(trace)
    since, until = float(since), float(until or rows[-1][0])
    lanes = {p: i for i, p in enumerate(sorted({p for _, p, _, _ in rows}))}
    step = max(10, min(40, 480 // len(lanes)))
    picture = Picture(800, 80 + step * len(lanes))

    def x(time):
        return 90 + 690 * (min(max(time, since), until) - since) / (until - since)

    def stretch(process, begin, end, colour):
        if end > since and begin < until:
            picture.box(x(begin), 8 + step * lanes[process], x(end) - x(begin), step * 0.55, colour)

    begun, waits, sent, arrows = {}, [], {}, []
    for time, process, kind, row in rows:
        if kind in ("block_begin", "wait_begin", "recv_blocking"):
            begun[process, kind] = time
        if kind == "block_end":
            stretch(process, begun[process, "block_begin"], time, "#bbbbbb")
        elif kind in ("wait_end", "recv_waking"):
            start = "wait_begin" if kind == "wait_end" else "recv_blocking"
            waits.append((process, begun[process, start], time, "#f08c1a"))
        if kind == "send":
            sent[process, int(row["value0"]), row["value4"], row["value3"]] = time
        elif kind in ("recv", "recv_waking"):
            start = sent.get((int(row["value0"]), process, row["value4"], row["value3"]))
            if start is not None and start >= since and time <= until:
                arrows.append((x(start), lanes[int(row["value0"])], x(time), lanes[process]))
    for wait in waits:
        stretch(*wait)
    for begin, source, end, destination in arrows:
        picture.line(begin, 8 + step * (source + 0.28), end, 8 + step * (destination + 0.28), True)
    for process, lane in lanes.items():
        if step * (lane % 4) % 40 == 0:
            picture.text(6, 8 + step * lane + 12, f"process {process}", "start")
    for tick in range(6):
        time = since + (until - since) * tick / 5
        picture.text(x(time), 40 + step * len(lanes), f"{time:.4g} ms", "end" if tick == 5 else "middle")
    for left, colour, words in ((90, "#f08c1a", "it waits"), (190, "#bbbbbb", "the rest of a call"),
                                (360, "white", "it computes")):
        picture.box(left, 56 + step * len(lanes), 14, 14, colour)
        picture.text(left + 20, 68 + step * len(lanes), words, "start")
    picture.show()


def main():
    words = sys.argv[1:]
    shapes = {"grid": (grid, 2), "cyclic": (cyclic, 3), "supersteps": (supersteps, 0),
              "broadcasts": (broadcasts, 1)}
    if words and words[0] in shapes and len(words) == 1 + shapes[words[0]][1]:
        shapes[words[0]][0](*map(int, words[1:]))
    elif words[:1] == ["calls"] and len(words) in (2, 4):
        calls(*words[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
