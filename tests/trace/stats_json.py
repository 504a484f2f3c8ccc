#!/usr/bin/env python3
"""Checks what OPENBLACS_STATS=json has written of trace_talk: one object a line, and its numbers.

    stats_json.py PROCESSES FILE OBJECTS [killed]
"""
import json
import sys

SUMS = ("in_calls", "waiting", "moving", "calls", "messages", "bytes")


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


def check(one, count, killed):
    assert one["openblacs_statistics"] == 1 and one["program"].endswith("trace_talk"), one
    assert one["processes"] == one["joined"] == count and one["written"] == count - killed, one
    assert 0 < one["seconds"] <= one["seconds_of_all"] and one["waiting"] <= one["in_calls"], one
    processes = one["by_process"]
    assert len(processes) == one["written"], processes
    assert [p["process"] for p in processes] == sorted({p["process"] for p in processes}), processes
    for p in processes:
        assert p["host"] and p["seconds"] > 0 and p["processor_time"] > 0, p
        assert p["signal"] == 0 or killed and p["signal"] == 15, p
    for key in SUMS:
        for part in ("by_process", "by_routine", "by_site"):
            found = sum(row[key] for row in one[part])
            assert close(found, one[key]), (part, key, found, one[key])
    for row in one["by_routine"] + one["by_site"]:
        assert 0 < row["processes"] <= one["written"], row
        assert row["processes"] * row["most_of_a_process"] >= row["in_calls"] - 1e-6, row
    rows = {row["routine"]: row for row in one["by_routine"]}
    if killed:
        return
    assert len(rows) == len(one["by_routine"]), rows
    for name, calls, size in (("dgesd2d", 10, 32), ("dgerv2d", 10, 32), ("dgsum2d", 10, 24)):
        row = rows[name]
        assert row["calls"] == row["messages"] == calls * count and row["processes"] == count, row
        assert row["bytes"] == calls * count * size and row["least_bytes"] == row["most_bytes"] == size, row
        assert 0 < row["longest"] <= row["most_of_a_process"] <= row["in_calls"], row
        assert any(site["object"].endswith("trace_talk") and site["offset"] > 0
                   for site in one["by_site"] if site["routine"] == name), one["by_site"]


def main():
    count, name, objects = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open(name, encoding="utf-8") as f:
        lines = f.read().splitlines()
    assert len(lines) == objects, lines
    for line in lines:
        check(json.loads(line), count, "killed" in sys.argv)


main()
