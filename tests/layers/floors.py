#!/usr/bin/env python3
"""The house stands on floors (docs/architecture.md, "Rooms"; the table is tests/layers/rooms).

Every include of the sources, and every call from one object file to another, goes to a room
that the table allows; and no files call each other in a circle. The files that use what Linux alone has are
those of the list beside the table (tests/layers/linux), and no others. Then violations are planted,
and each of them must be found.

    tests/layers/floors.py SOURCE_DIR BUILD_DIR
    tests/layers/floors.py SOURCE_DIR BUILD_DIR --picture    prints docs/rooms.dot
"""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDERS = "src include interfaces tools bench examples lu redist".split()
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def read_table(path):
    table = {}
    for line in open(path, encoding="utf-8"):
        room, colon, uses = line.partition(":")
        if colon and not line.startswith("#"):
            table[room.strip()] = uses.split()
    return table


def room_of(table, path):
    while path and path not in table:
        path = os.path.dirname(path)
    return path or None


# ---------------------------------------------------------------------- Linux

# What other systems lack, or have otherwise.
LINUX = re.compile(r'''<linux/|<sys/(?:prctl|syscall|auxv)\.h>|<execinfo\.h>|<link\.h>|"/(?:proc|sys)\b|\b(?:CLOCK_MONOTONIC_RAW
    |O_TMPFILE|cpu_set_t)\b|\b(?:memfd_create|fallocate|gettid|sched_[gs]etaffinity|sched_getcpu|process_vm_\w+|prctl|syscall|on_exit
    |getresuid|madvise|getauxval|dl_iterate_phdr|strtod_l|signalfd|eventfd|epoll_\w+|timerfd_\w+|pidfd_\w+|mremap|splice|tee)\s*\('''
    .replace("\n    ", ""))


def linux_words(text):
    return sorted(set(LINUX.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.S))))


def bad_linux(root, listed):
    found = {}
    for folder in "src include interfaces tools lu redist".split():
        for path in glob.glob(os.path.join(root, folder, "**", "*.[ch]"), recursive=True):
            words = [] if path.endswith("_test.c") else linux_words(open(path, encoding="utf-8").read())
            if words:
                found[os.path.relpath(path, root)] = " ".join(words)
    return ([f"{path} has {words}: let a file of tests/layers/linux do it, or add a line there" for path, words in sorted(found.items())
             if path not in listed] +
            [f"tests/layers/linux has {path}, which needs nothing of Linux" for path in sorted(listed) if path not in found])


# ------------------------------------------------------------------- includes

def allowed_include(table, tree, path, quoted, header):
    """None, or what is wrong."""
    room = room_of(table, path)
    if room is None:
        return "lies in no room of the table"
    uses = table[room]
    if header == "mpi.h":
        return None if "mpi" in uses and (not room.startswith("src") or re.match(r"module|mpi_sim\.|mpi_machine_sim\.", os.path.basename(path))) else "includes mpi.h"
    there = [root for root in ("src", "include", "interfaces", "tools", "") if os.path.exists(os.path.join(tree, root, header))]
    if ".." in header:
        return f"includes {header}: name it from src/ or include/"
    if "/" not in header and os.path.exists(os.path.join(tree, os.path.dirname(path), header)):
        return None
    if not there:
        return f"includes {header}, which is nowhere" if quoted else None
    if there[0] == "include":
        kind = "hooks" if header.startswith("hooks/") else "public"
        return None if kind in uses else f"includes {header}"
    target = room_of(table, os.path.join(there[0], header))
    if target == room or (target and target.removeprefix("src/") in uses):
        return None
    return f"includes {header}"


def bad_includes(table, tree, only=None):
    found = []
    for folder in FOLDERS:
        for path in glob.glob(os.path.join(tree, folder, "**", "*.[ch]"), recursive=True):
            name = os.path.relpath(path, tree)
            # Tests stand beside what they test, and see everything.
            if name.endswith(("_test.c", "_test.h")) or (only and name != only):
                continue
            for quote, header in INCLUDE.findall(open(path, encoding="utf-8").read()):
                wrong = allowed_include(table, tree, name, quote == '"', header)
                if wrong:
                    found.append(f"{name} {wrong}")
    return found


# ---------------------------------------------------------------------- calls

def objects_of(build):
    """{target: {source: object file}} of what is built of the rooms, by the rules of Ninja. (The folder itself keeps
    objects of sources that have moved away.)"""
    targets = collections.defaultdict(dict)
    for name in re.findall(r"^build (\S*CMakeFiles/\S+\.c\.o):", open(os.path.join(build, "build.ninja")).read(), re.M):
        room, inner = name.split("CMakeFiles/", 1)
        target, source = inner.split(".dir/", 1)
        source = os.path.normpath(os.path.join(room, source.replace("__/", "../")))
        path = os.path.join(build, name)
        if source.split("/")[0] in FOLDERS and os.path.exists(path):
            targets[target][source[:-2]] = path
    return targets


def symbols_of(objects):
    """{source: (defined, wanted)}, by one run of nm, which costs more to start than to read a file."""
    symbols = {source: (set(), set()) for source in objects}
    sources = {path: source for source, path in objects.items()}
    lines = subprocess.run(["nm", "-A", *objects.values()], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        path, _, rest = line.rpartition(":")
        kind, name = rest.split()[-2:]
        defined, wanted = symbols[sources[path]]
        if kind == "U":
            wanted.add(name)
        elif kind in "TDBRCVW":
            defined.add(name)
    return symbols


def calls_of(objects):
    """{source: {source: symbols}}: who calls whom."""
    if len(objects) == 1:
        return {source: {} for source in objects}
    symbols = symbols_of(objects)
    home = {name: source for source, (defined, _) in symbols.items() for name in defined}
    calls = {source: collections.defaultdict(set) for source in symbols}
    for source, (_, wanted) in symbols.items():
        for name in wanted:
            if home.get(name, source) != source:
                calls[source][home[name]].add(name)
    return calls


def bad_calls(table, calls):
    found = []
    for source, to in calls.items():
        room = room_of(table, source)
        # The library's own interface, the BLACS, calls it as every user does.
        if room is None or not room.startswith("src"):
            continue
        for target, names in to.items():
            other = room_of(table, target)
            if other != room and (other or "").removeprefix("src/") not in table[room]:
                found.append(f"{source} calls {', '.join(sorted(names))} of {target}")
    return found


def circles(calls):
    """Files that call each other in a circle (Tarjan's strongly connected components)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        for other in calls.get(node, ()):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
                on_stack.discard(circle[-1])
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in calls:
        if node not in number:
            visit(node)
    return found


# --------------------------------------------------------------------- picture

def picture(table):
    """The rooms of src/ as a graph for dot; an arrow that others imply is left out."""
    uses = {room.removeprefix("src/"): [u for u in to if f"src/{u}" in table]
            for room, to in table.items() if room.startswith("src/")}

    def reach(room, seen):
        for u in uses[room]:
            if u not in seen:
                seen.add(u)
                reach(u, seen)
        return seen

    lines = ["digraph rooms {", "    rankdir=TB; node [shape=box, fontname=Helvetica]; edge [color=gray40];"]
    for room, to in uses.items():
        lines.append(f'    "{room}";')
        for u in to:
            if not any(u in reach(v, set()) for v in to if v != u):
                lines.append(f'    "{room}" -> "{u}";')
    return "\n".join(lines + ["}"])


# ---------------------------------------------------------------------- checks

class Tally:
    passed = failed = 0

    def judge(self, fine, name, *details):
        print(("PASS " if fine else "FAILED  ") + name)
        for line in () if fine else details:
            print("    | " + line)
        self.passed += bool(fine)
        self.failed += not fine


PLANTED_INCLUDES = """
interfaces/blacs/planted.c "core/job.h"
interfaces/icc/planted.c "core/job.h"
interfaces/icc/planted.c <mpi.h>
interfaces/mpi/planted.c "transport/mpi/module.h"
interfaces/icc/planted.c "mpi/shim.h"
interfaces/common/planted.c "core/job.h"
src/core/planted.c "common/grow.h"
examples/planted.c "common/fault.h"
interfaces/blacs/planted.c <core/job.h>
interfaces/blacs/planted.c "../../src/core/job.h"
lu/planted.c "core/job.h"
lu/planted.c "hooks/superstep.h"
tools/planted.c "node/segment.h"
src/core/planted.c "node/segment.h"
src/core/planted.c <mpi.h>
src/trace/planted.c "check/check.h"
src/message/planted.c "collective/board/board.h"
src/message/planted.c   <mpi.h>
src/collective/topology/planted.c "node/segment.h"
src/collective/planner/planted.c "collective/levels/levels.h"
src/node/planted.c "message/message.h"
src/transport/channel/planted.c "transport/mpi/mpi_job.h"
src/transport/mpi/planted.c <mpi.h>
include/openblacs/planted.h "core/job.h"
include/openblacs/planted.h <mpi.h>
include/openblacs/planted.h "hooks/check.h"
include/hooks/planted.h "core/job.h"
examples/planted.c "hooks/superstep.h"
nowhere/planted.c "core/job.h"
"""


def plant_includes(table, root, tally):
    with tempfile.TemporaryDirectory() as tree:
        for folder in FOLDERS:
            if os.path.isdir(os.path.join(root, folder)):
                shutil.copytree(os.path.join(root, folder), os.path.join(tree, folder), symlinks=True)
        for line in PLANTED_INCLUDES.strip().splitlines():
            name, include = line.split(None, 1)
            path = os.path.join(tree, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"#include {include}\n")
            FOLDERS.append("nowhere")
            tally.judge(bad_includes(table, tree, name), f"found: {name} with #include {include}")
            FOLDERS.remove("nowhere")
            os.remove(path)


def plant_calls(table, calls, tally):
    def with_call(source, target):
        copy = {a: dict(b) for a, b in calls.items()}
        copy.setdefault(source, {})[target] = {"planted"}
        return copy

    for source, target in (("src/core/error.c", "src/job/job.c"), ("src/node/wait.c", "src/message/arrival.c"),
                           ("src/check/hang.c", "src/job/job.c"), ("src/message/matching.c", "src/group/group.c"),
                           ("src/collective/planner/cost.c", "src/collective/collective.c")):
        copy = with_call(source, target)
        tally.judge(source in copy and target in copy, f"{source} and {target} exist")
        tally.judge(bad_calls(table, copy), f"found: a call from {source} to {target}")
    for a, b in (("src/message/arrival.c", "src/message/message.c"), ("interfaces/blacs/job.c", "interfaces/blacs/fault.c")):
        tally.judge(circles(with_call(a, b)), f"found: {a} and {b} call each other")


def main():
    root, build = sys.argv[1:3]
    table = read_table(os.path.join(root, "tests", "layers", "rooms"))
    if "--picture" in sys.argv:
        print(picture(table))
        return 0
    tally = Tally()
    found = bad_includes(table, root)
    tally.judge(not found, "every include is of a room that the table allows", *found)
    listed = read_table(os.path.join(root, "tests", "layers", "linux"))
    found = bad_linux(root, listed)
    tally.judge(not found, f"what Linux alone has is used by the {len(listed)} files of tests/layers/linux", *found)
    tally.judge(linux_words("int t = gettid();") and linux_words('open("/proc/self/exe", 0)') and not linux_words("/* gettid() */ widgettid();"),
                "a word of Linux is found, but not in a comment")
    targets = objects_of(build)
    tally.judge("src/core/job.c" in targets["openblacs_objects"], "the library's object files are in the build folder")
    for target, objects in sorted(targets.items()):
        calls = calls_of(objects)
        if target == "openblacs_objects":
            found = bad_calls(table, calls)
            tally.judge(not found, "every call within the library goes to a room that the table allows", *found)
            plant_calls(table, calls, tally)
        found = [" ".join(c) for c in circles(calls)]
        tally.judge(not found, f"{target}: no files call each other in a circle", *found)
    plant_includes(table, root, tally)
    print(f"{tally.passed} passed, {tally.failed} failed")
    return tally.failed != 0


if __name__ == "__main__":
    sys.exit(main())
