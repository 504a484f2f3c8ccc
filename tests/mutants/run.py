#!/usr/bin/env python3
"""Small bugs are planted, one at a time; the fast tests must find each.

    run.py BUILD [--jobs N] [--only TEXT] [--again] [--quick] [--list] [--table FILE]
    run.py --self-test

The bugs are those of rules.py, as many of each room as the table `rooms` says, and those of the file by_hand.
Each is made in a private copy of the tree in BUILD/mutants, built there, and run against the tests of its room,
the nearest first, until one fails. A mutant that no test finds must stand in the file equivalent, with the reason
why no test can. At most 5 % may die by nothing but a time limit.

Verdicts are kept in BUILD/mutants/verdicts: a run that was ended goes on where it was, as long as the sources are
the same. --again: those of other sources count, too, but survivors and those ended by a time limit are run again,
after a test was made sharper. --quick: no sanitizers, which look at what all other tests let pass. --only: those whose file or lines hold this text. --list: what would be planted.
--table: the table of docs/reliability.md.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import glob
import hashlib
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import rules
from rooms import ROOMS, TESTS

HERE = pathlib.Path(__file__).resolve().parent
SLOW = float(os.environ.get("OB_SLOW", "1"))
LAST = "sanitized "  # tests that are built only where the others have found nothing
LEAST = 10  # seconds that every test may take, of an idle machine
KEPT = 1 << 16  # bytes of a test's output
MACHINE = "No space left|internal compiler error|Killed signal|Cannot allocate memory"  # no fault of the sources
# So many tests are built at once: most mutants die by the first ones.
FIRST, AHEAD = 2, 20
KINDS = ["wrong result", "a line", "a signal", "time limit"]
OPTIONS = ["-DCMAKE_C_COMPILER=gcc", "-DCMAKE_C_FLAGS=-w -O1", "-DCMAKE_BUILD_TYPE=Plain", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON",
           "-DOPENBLACS_FORTRAN=OFF", "-DOPENBLACS_BENCH=OFF"]

# begun: how long before it failed. kind: of KINDS, None: nothing went wrong.
Ran = collections.namedtuple("Ran", "kind text seconds")


def processes():
    """(number, parent, session) of all processes that live."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if state != "Z":
            yield int(stat.parent.name), int(parent), int(session)


def of_session(session):
    """The processes of a session that still live."""
    return [number for number, _, its_session in processes() if its_session == session]


def end_session(session):
    """On a busy machine a process that is killed lives on until it gets a processor."""
    while left := of_session(session):
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


LIVE, SCRATCH = set(), set()  # sessions of ours that may still live, and folders that go with us
STARTS = threading.RLock()  # held by who starts one


@contextlib.contextmanager
def scratch_folder(prefix):
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        SCRATCH.add(folder)
        yield folder
        SCRATCH.discard(folder)


def start(command, **more):
    """A command in a session of its own, so that it, and all that it starts, can be ended."""
    with STARTS:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 start_new_session=True, **more)
        LIVE.add(child.pid)
    return child


def ended(child):
    end_session(child.pid)
    LIVE.discard(child.pid)


def leave(number, _frame):
    """Nothing stays of a run that is ended: no process, no folder, no verdict of what was not judged.

    Other threads start nothing meanwhile. What this thread was about to note in LIVE is a child that leads a session."""
    STARTS.acquire()
    begun = {number for number, parent, session in processes() if parent == os.getpid() and number == session}
    for session in LIVE | begun:
        end_session(session)
    for folder in list(SCRATCH):
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(128 + number)


def done_by(command):
    """What a command says, and whether it fails."""
    child = start(command, text=True)
    text = child.communicate()[0]
    ended(child)
    return text, child.returncode != 0


# A check that failed, as tests/unit.h's and cmocka's say so.
FAILED_CHECK = r"^\S+\.c:\d+: |^\[  FAILED  \] "


def kind_of(status, text, passed):
    if re.search(r"ERROR: \w+Sanitizer|: runtime error: ", text):
        kind = "a line"
    elif status < 0 or status >= 128 or "Test failed with exception" in text:
        kind = "a signal"
    elif re.search(r"^(\S+: )?(OpenBLACS|obrun): (?!warning)", text, re.M) and not re.search(r"[1-9]\d* failed", text):
        kind = "a line"
    else:
        kind = "wrong result"
    return None if status == 0 and re.search(passed, text, re.M) else kind


def run(command, limit, environment, passed=""):
    """Runs a command in a session and a TMPDIR of its own, of both of which nothing stays."""
    begin = time.monotonic()
    with scratch_folder("mutant.") as scratch:
        child = start(command, cwd=scratch,
                      env={**os.environ, **environment, "TMPDIR": scratch, "CMOCKA_MESSAGE_OUTPUT": "STDOUT"})
        kept = collections.deque(maxlen=64)

        def read():  # of what prints for ever only the end is kept
            while piece := child.stdout.read1(KEPT // 64):
                kept.append(piece)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            status, late = child.wait(limit), False
        except subprocess.TimeoutExpired:
            status, late = -signal.SIGKILL, True
        ended(child)
        child.wait()
        reader.join(5)
        text = b"".join(kept).decode(errors="replace")
        if late:  # a test that has found something may hang for it
            kind = "wrong result" if re.search(FAILED_CHECK, text, re.M) else "time limit"
        else:
            kind = kind_of(status, text, passed)
        return Ran(kind, text, time.monotonic() - begin)


class Failed(Exception):
    """The tests themselves fail, or do not build."""


class Copy:
    """A copy of the tree, and what is built from it."""

    def __init__(self, root, folder, tests, options):
        self.root, self.tree, self.build, self.tests = root, folder / "tree", folder / "build", tests
        self.environment = {"OB_BUILD": str(self.build), "OB_MPIS": " "}
        self.refresh()
        if not (self.build / "build.ninja").exists():
            self.must(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, *options])

    def must(self, command):
        said, failed = done_by(command)
        if failed:
            raise Failed(f"{' '.join(map(str, command))}\n{said}")

    def refresh(self):
        """Files that have changed since, so that no other one is compiled again."""
        wanted = set()
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if not f.startswith(("build", ".git"))
                          and pathlib.Path(folder, f) != self.build.parents[2]]
            for name in files:
                source = pathlib.Path(folder, name)
                at = self.tree / source.relative_to(self.root)
                wanted.add(at)
                if name != ".git" and not (at.exists() and at.read_bytes() == source.read_bytes()):
                    at.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(source, at)
        for at in self.tree.rglob("*"):
            if at.is_file() and at not in wanted:
                at.unlink()

    def make(self, *names):
        """Builds what tests of one folder need; what the compiler says where it refuses the sources."""
        folder = self.tests[names[0]].folder
        targets = dict.fromkeys(target for name in names for target in self.tests[name].targets)
        said, failed = done_by(["ninja", "-C", self.build / folder, "-k", "0", *targets])
        if failed and (not re.search(r": error: |undefined reference", said) or re.search(MACHINE, said)):
            raise Failed(f"the build ended by itself\n{said[-KEPT:]}")
        return said if failed else None

    def prepare(self, test):
        if test.configure and not (self.build / test.folder / "build.ninja").exists():
            self.must([word.replace("@tree", str(self.tree)).replace("@build", str(self.build)) for word in test.configure])

    def try_one(self, name, limit):
        test = self.tests[name]
        command = [word.replace("@tree", str(self.tree)).replace("@build", str(self.build)) for word in test.command]
        return run(command, limit, {**self.environment, **test.settings}, test.passed)

    def judge(self, mutant, names, limits):
        """What becomes of a mutant: (kind or verdict, the test that found it, what it said)."""
        at = self.tree / mutant.path
        right = at.read_text()
        wrong = rules.apply(mutant, right)
        if wrong is None:
            return "not there", "", "the file holds no such lines"
        at.write_text(wrong)
        try:
            return self.hunt(names, limits)
        finally:
            at.write_text(right)

    def hunt(self, names, limits):
        late, made = None, set()
        for name in names:
            # Where the test of one module hangs, those of others may; programs tell by OPENBLACS_CHECK.
            if late and not self.tests[name].tells:
                continue
            if name not in made:
                folder = self.tests[name].folder
                some = [n for n in names if self.tests[n].folder == folder and n not in made][: AHEAD if made else FIRST]
                said = self.make(*some)
                if said is not None:
                    return "does not compile", name, said
                made.update(some)
            ran = self.try_one(name, limits[name])
            if ran.kind == "time limit":
                late = late or (ran.kind, name, ran.text)
            elif ran.kind:
                return ran.kind, name, ran.text
        return late or ("survives", "", "")


class Hunt:
    def __init__(self, root, folder, rooms, tests, options, jobs):
        self.root, self.folder, self.rooms, self.tests = root, folder, rooms, tests
        folder.mkdir(parents=True, exist_ok=True)
        self.verdicts, self.lock = folder / "verdicts", threading.Lock()
        self.free = queue.Queue()
        self.broken = set()
        self.locks = {name: threading.Lock() for name in tests}
        self.seconds = {}  # not kept from run to run: each test must pass today
        self.stamp = self.sources()
        for number in range(jobs):
            self.free.put((number, None))
        self.options, self.quick = options, False

    def copy(self):
        number, copy = self.free.get()
        try:
            return number, copy or Copy(self.root, self.folder / str(number), self.tests, self.options)
        except BaseException:
            self.free.put((number, None))
            raise

    def baseline(self, copy, name):
        """A test must pass where nothing is planted; how long that takes is the measure of its time limit."""
        with self.locks[name]:
            copy.prepare(self.tests[name])
            if name in self.seconds:
                return
            if name in self.broken:
                raise Failed(f"{name} fails where nothing is planted")
            self.broken.add(name)
            said = copy.make(name)
            if said is not None:
                raise Failed(f"{name} does not build where nothing is planted\n{said}")
            ran = copy.try_one(name, 300 * SLOW)
            if ran.kind:
                raise Failed(f"{name} fails where nothing is planted ({ran.kind})\n{ran.text}")
            self.broken.remove(name)
            self.seconds[name] = ran.seconds

    def limits(self, names):
        return {name: (LEAST + 6 * self.seconds[name]) * SLOW for name in names}

    def one(self, mutant, names):
        number, copy = self.copy()
        try:
            begin = time.monotonic()
            for some in ([n for n in names if not n.startswith(LAST)], [n for n in names if n.startswith(LAST)]):
                if self.quick and some and some[0].startswith(LAST):
                    break
                for name in some:
                    self.baseline(copy, name)
                verdict, by, text = copy.judge(mutant, some, self.limits(some))
                if verdict != "survives":
                    break
        finally:
            self.free.put((number, copy))
        record = {"key": rules.key(mutant), "verdict": verdict, "by": by, "seconds": round(time.monotonic() - begin),
                  "text": text[-600:], "of": self.stamp, "quick": self.quick}
        with self.lock, self.verdicts.open("a") as out:
            out.write(json.dumps(record) + "\n")
        return record

    def known(self, again):
        """What runs before have found out, about the same sources; no sanitizer has looked at a quick one's survivors."""
        lines = self.verdicts.read_text().splitlines() if self.verdicts.exists() else []
        known = {}
        for line in lines:
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue  # the last one of a run that was ended
            waits = record["verdict"] == "survives" and record.get("quick") and not self.quick
            if not waits and (again or record.get("of") == self.stamp):
                known[tuple(record["key"])] = record
        return known

    def sources(self):
        stamp = hashlib.sha256()
        for folder in ("src", "include", "interfaces", "lu", "redist", "tests", "tools", "cmake", "scripts"):
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file() and path.name != "equivalent" and path.suffix != ".pyc":
                    stamp.update(path.read_bytes())
        return stamp.hexdigest()

    def run(self, mutants, again, jobs):
        """The verdict of each mutant, by its key."""
        known = self.known(again)
        stale = ("survives", "time limit") if again else ()
        left = [(room, m) for room, m in mutants if known.get(rules.key(m), {"verdict": "survives"})["verdict"] in stale
                or rules.key(m) not in known]
        turn = collections.Counter()  # new ones first, a mutant of each room in turn
        left.sort(key=lambda one: (rules.key(one[1]) in known, turn.update([one[0]]) or turn[one[0]]))
        failed = None
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            waiting = {pool.submit(self.one, m, self.rooms[room].tests): m for room, m in left}
            for count, done in enumerate(concurrent.futures.as_completed(waiting), 1):
                if done.exception():
                    failed = done.exception()
                    print(f"{count} of {len(left)}: not judged\n{failed}\n", flush=True)
                    continue
                record, mutant = done.result(), waiting[done]
                known[rules.key(mutant)] = record
                print(f"{count} of {len(left)}: {record['verdict']}{' (' + record['by'] + ')' if record['by'] else ''}, "
                      f"{record['seconds']} s\n{rules.as_text(mutant)}\n", flush=True)
        if failed:
            raise failed
        return known


def mutants_of(root, rooms, by_hand, only):
    """(room, mutant): those of the rules, and those by hand, which belong to the first room that has their file."""
    found, hand, files = [], [], {}
    for name, room in rooms.items():
        paths = [str(p.relative_to(root)) for pattern in room.files for p in sorted(root.glob(pattern))
                 if not p.name.endswith("_test.c")]
        files.update({p: name for p in paths if p not in files})
        there = {rules.key(m) for _, m in found}
        found += [(name, m) for m in rules.choose(root, paths, room.count) if rules.key(m) not in there]
    for mutant in by_hand:
        if mutant.path not in files:
            sys.exit(f"mutants: by_hand: {mutant.path} belongs to no room of rooms.py")
        hand.append((files[mutant.path], mutant))
    return [(room, m) for room, m in hand + found if only in rules.as_text(m)]


def summary(mutants, known, argued, whole):
    """Lines of the table, and (passed, failed)."""
    rows, failed, passed = collections.defaultdict(collections.Counter), [], 0
    for room, mutant in mutants:
        verdict = known.get(rules.key(mutant), {"verdict": "not judged"})["verdict"]
        if verdict == "survives":
            verdict = "argued" if rules.key(mutant) in argued else "survives"
        elif rules.key(mutant) in argued and verdict in KINDS:
            failed.append(f"is found, but stands in the file equivalent\n{rules.as_text(mutant)}")
        if verdict in ("survives", "not there", "not judged"):
            failed.append(f"{verdict}\n{rules.as_text(mutant)}")
        rows[room][verdict] += 1
        passed += verdict in KINDS or verdict == "argued"
    there = {rules.key(m) for _, m in mutants}
    failed += [f"stands in the file equivalent, but is not planted\n{rules.as_text(m)}"
               for k, m in argued.items() if whole and k not in there]
    total = sum(rows.values(), collections.Counter())
    counted = sum(total[kind] for kind in KINDS) + total["survives"]
    if whole and total["time limit"] * 20 > counted:
        failed.append(f"{total['time limit']} of {counted} die by a time limit; at most 5 % may")
    columns = [*KINDS, "argued", "survives"]
    lines = ["| where | planted | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for name, row in [*rows.items(), ("all", total)]:
        planted = sum(row[c] for c in columns)
        lines.append(f"| {name} | {planted} | " + " | ".join(str(row[c]) for c in columns) + " |")
    if total["does not compile"]:
        lines.append(f"\n{total['does not compile']} more do not compile, and do not count.")
    return lines, passed, failed


def still_there():
    """What is left of a run that is ended in the midst of a test that would go on for ever."""
    with scratch_folder("mutants.") as folder:
        child = subprocess.Popen([__file__, "--self-test-endless"], env={**os.environ, "TMPDIR": folder})
        begun = time.monotonic()
        while time.monotonic() - begun < 60 * SLOW and not glob.glob(f"{folder}/mutant.*/session"):
            time.sleep(0.05)
        session = int(open(glob.glob(f"{folder}/mutant.*/session")[0]).read())
        child.terminate()
        child.wait()
        return ([f"left: {name}" for name in os.listdir(folder)] +
                [f"still runs: process {process}" for process in of_session(session)])


def gaps():
    """What rooms name and nobody builds."""
    for room in ROOMS.values():
        yield from (f"no test has the name {name}" for name in room.tests if name not in TESTS)
    for name, test in TESTS.items():
        script = pathlib.Path(test.command[0].replace("@tree", str(HERE.parent.parent)))
        if script.suffix == ".sh":
            started = re.findall(r'\$OB_BUILD/tests/(\w+)"', script.read_text())
            yield from (f"{name} does not build {program}" for program in dict.fromkeys(started)
                        if f"openblacs_test_{program}" not in test.targets)


def self_test():
    """A tree of one file and one test, in which five bugs are planted."""
    import sample
    with scratch_folder("mutants.") as folder:
        root = pathlib.Path(folder, "root")
        sample.write(root)
        hunt = Hunt(root, pathlib.Path(folder, "work"), sample.ROOMS, sample.TESTS, [], 1)
        mutants = mutants_of(root, sample.ROOMS, sample.BY_HAND, "")
        with open(os.devnull, "w") as nowhere:
            out, sys.stdout = sys.stdout, nowhere
            try:
                known = hunt.run(mutants, False, 1)
            finally:
                sys.stdout = out
        seen = {m.why: known[rules.key(m)]["verdict"] for _, m in mutants}
        argued = {rules.key(m): m for m in sample.BY_HAND if m.why in ("survives", "wrong result")}
        lines, passed, failed = summary(mutants, known, {}, True)
        _, _, failed_argued = summary(mutants, known, argued, False)
        wrong = [f"a mutant expected to be '{why}': {verdict}" for why, verdict in seen.items() if verdict != why
                 and why in {m.why for m in sample.BY_HAND}]
        wrong += [] if any(f.startswith("survives") for f in failed) else ["a survivor is no failure"]
        wrong += [] if any(f.startswith("is found, but") for f in failed_argued) else ["a stale entry is no failure"]
        wrong += [] if len(mutants) == len(sample.BY_HAND) + 2 else [f"the rules have found {len(mutants)}"]
    wrong += [*still_there(), *gaps()]
    for line in wrong:
        print(f"FAILED  mutants: {line}")
    print(f"{len(seen) - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--self-test-endless", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, leave)
    if options.self_test_endless:
        run(["sh", "-c", "echo $$ >writing && mv writing session && sleep 600"], 600, {})
    if options.self_test:
        return self_test()
    if options.build is None:
        parser.error("BUILD is missing")
    root = HERE.parent.parent
    mutants = mutants_of(root, ROOMS, rules.read_list(HERE / "by_hand"), options.only)
    if options.list:
        print("\n\n".join(rules.as_text(m) for _, m in mutants))
        return 0
    hunt = Hunt(root, options.build.resolve() / "mutants", ROOMS, TESTS, OPTIONS, options.jobs)
    hunt.quick = options.quick
    try:
        known = hunt.run(mutants, options.again, options.jobs)
    except Failed as failure:
        print(f"FAILED  mutants: {failure}\n0 passed, 1 failed")
        return 1
    argued = {rules.key(m): m for m in rules.read_list(HERE / "equivalent")}
    lines, passed, failed = summary(mutants, known, argued, not options.only)
    for line in failed:
        print(f"FAILED  {line}")
    print("\n".join(lines))
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")
    print(f"{passed} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
