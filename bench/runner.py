"""What bench/compare and bench/drivers share: programs run under each launcher in turn, and
figures sorted by the state that the machine was in.

The processors of a virtual machine, and of a large one, are near each other or far apart, and that
can change within minutes. So bench_floor measures before and behind each round what the machine itself needs: a flag's way
from one processor to another, a copy of what the other has written, memcpy. A round is near when a flag
takes less than NEAR_NS both times, far when it takes more both times; else its figures are dropped.
"""
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import time

MPIS = ("openmpi", "mpich")
TOOL_ROUNDS = 3
TOOL_WAYS = {"openblacs": "ours", "netlib": "netlib", "mpi": "mpi"}
NEAR_NS = 100
STATES = ("near", "far", "unknown")
HERE = os.path.dirname(os.path.abspath(__file__))
# An input that is empty and has no end: MPICH's mpirun may die of SIGPIPE at the end of its input.
NOTHING, _ITS_WRITER = os.pipe()
TITLES = {"near": "Near processors: a flag takes less than {limit:g} ns from one to the other",
          "far": "Far processors: a flag takes {limit:g} ns or more from one to the other",
          "unknown": "How far apart the processors are was not measured (it takes two, and bench_floor)"}


def add_arguments(p):
    p.add_argument("--build", default=os.path.join(os.path.dirname(HERE), "build"),
                   help="build folder (default: build/ beside bench/)")
    p.add_argument("--rounds", type=int, default=5,
                   help="how often each program runs (5); 0: only report what --keep has")
    p.add_argument("--keep", metavar="FILE",
                   help="add the figures to FILE, and report all that are there: a long measurement in pieces")
    p.add_argument("--calm", type=float, default=0, metavar="SHARE",
                   help="drop a program's figures when others used more than SHARE of a processor meanwhile")
    p.add_argument("--near", type=float, default=NEAR_NS, metavar="NS",
                   help=f"processors are near when a flag takes less than this from one to the other ({NEAR_NS})")
    p.add_argument("--bind", action="store_true",
                   help="bind each process to a processor, with the launchers' own options")
    p.add_argument("--markdown", metavar="FILE", help="also write the tables to FILE")


def only(parser, names, known):
    """Ends the program where a name of a list with commas is none that it knows."""
    for name in names.split(","):
        if name not in known:
            parser.error(f"there is no '{name}', only {', '.join(known)}")


def parse(p):
    a = p.parse_args()
    if a.rounds < 0 or a.rounds == 0 and not a.keep:
        p.error("--rounds must be at least 1, or 0 with --keep")
    if not os.path.exists(os.path.join(a.build, "libopenblacs.so")):
        sys.exit(f"{p.prog}: {a.build}/libopenblacs.so is missing; build first: cmake -S . -B build && cmake --build build")
    return a


def used():
    """Seconds of processors that were used since some moment, by all and by our children."""
    with open("/proc/stat", encoding="ascii") as f:
        ticks = [int(x) for x in f.readline().split()[1:9]]
    idle = ticks[3] + ticks[4]
    mine = os.times()
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), mine.children_user + mine.children_system


class Runner:
    """Starts one program in one way, and remembers what it printed."""

    def __init__(self, a):
        self.build = os.path.abspath(a.build)
        self.calm, self.keep, self.near, self.bind = a.calm, a.keep, a.near, a.bind
        self.figures = {}  # state -> (work, key) -> label -> [microseconds]
        self.state = STATES[-1]  # of which middle() tells
        self.library = os.path.join(self.build, "libopenblacs.so")
        self.factor = os.path.join(self.build, "libopenblacs_factor.so") + ":" + self.library
        self.failed = []
        self.late = set()  # what did not end within the time it was given
        self.took = {}  # (variant, processes, words of the tool) -> seconds of the first round
        self.turns = {}  # (words, processes) -> rounds
        self.rounds = self.moved = 0
        self.runs = self.dropped = 0
        self.held = []  # figures of this round
        self.floor = self.measure_floor() if a.rounds else None
        if self.keep:
            self.load()

    def mark(self):
        """The first line of a file of figures: those of two builds, or sorted by two rules, must not mix."""
        with open(self.library, "rb") as f:
            return f"figures of the library {hashlib.sha256(f.read()).hexdigest()[:16]}, near below {self.near:g} ns\n"

    def load(self):
        """What earlier runs have kept: lines of `figure STATE LABEL WORK KEY US`."""
        if not os.path.exists(self.keep):
            with open(self.keep, "w", encoding="ascii") as f:
                f.write(self.mark())
            return
        with open(self.keep, encoding="ascii") as f:
            if f.readline() != self.mark():
                sys.exit(f"{self.keep} has figures of another build or of another --near, or is no file of figures; "
                         "name a new file")
            for line in f:
                kind, *words = line.split()
                if kind == "figure":
                    self.add(*words[:4], float(words[4]))

    def write(self, *words):
        if self.keep:
            with open(self.keep, "a", encoding="ascii") as f:
                f.write(" ".join(str(w) for w in words) + "\n")

    def add(self, state, label, work, key, value):
        self.figures.setdefault(state, {}).setdefault((work, key), {}).setdefault(label, []).append(value)

    def program(self, name):
        path = os.path.join(self.build, "bench", name)
        return path if os.path.exists(path) else None

    def launcher(self, variant, count, preload):
        library = preload if isinstance(preload, str) else self.library
        if variant == "alone":
            return [], {"OPENBLAS_NUM_THREADS": str(count), "OMP_NUM_THREADS": str(count)}
        if variant == "obrun":
            words = [os.path.join(self.build, "obrun"), "-n", str(count)]
            return words + (["--bind", "core"] if self.bind else []), {} if preload is None else {"LD_PRELOAD": library}
        if variant == "openmpi":
            words = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", str(count)]
            words += ["--bind-to", "core:overload-allowed"] if self.bind else []
            return words + (["-x", "LD_PRELOAD=" + library] if preload else []), {}
        words = ["mpirun.mpich", "-n", str(count)] + (["-bind-to", "core"] if self.bind else [])
        return words + (["-genv", "LD_PRELOAD", library] if preload else []), {}

    def run(self, label, variant, count, program, words=(), preload=False, limit=300, may_be_late=False):
        """Holds what a program prints, lines of "work key microseconds" and perhaps more. One
        that may be late, and was, is not run again."""
        output = self.output(label, variant, count, self.program(program), words, preload, limit, may_be_late)
        for line in output.splitlines():
            parts = line.split()
            if len(parts) in (3, 4):
                self.note(parts[0], parts[1], label, float(parts[2]))

    def tool(self, variant, count, *words):
        """Holds the figures of a job of obbench verdict: OpenBLACS, netlib's BLACS and plain MPI in the same
        processes, in turn; medians of its rounds."""
        path = os.path.join(self.build, "obbench")
        words = ("verdict", "--as-process", "--as-pairs=0-1,0-1", "--rows=long", f"--rounds={TOOL_ROUNDS}", "--time=60",
                 *words)
        found = {}
        for line in self.output("verdict", variant, count, path, words, preload=None).splitlines():
            _, way, work, processes, key, value = line.removeprefix("= ").split(",")
            if way != "machine":
                found.setdefault((way, work, processes, key), []).append(float(value))
        for (way, work, processes, key), values in found.items():
            label = variant if variant == "obrun" else f"{TOOL_WAYS[way]}-{variant}"
            work = "pdgetrf" if work == "pdgetrf" else f"{work.replace('message', 'echo')}/{processes}"
            self.note(work, key.replace(" ", ","), label, statistics.median(values))

    def output(self, label, variant, count, path, words, preload, limit=300, may_be_late=False):
        """What a program prints; "" where it is missing, was late, failed or was disturbed."""
        task = (label, count, path, words)
        command, more = self.launcher(variant, count, preload)
        if path is None or task in self.late or command and shutil.which(command[0]) is None:
            return ""
        environment = dict(os.environ, **{"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **more})
        since, before = time.perf_counter(), used()
        # A launcher that is asked to end takes its processes along.
        done = subprocess.run(["timeout", "-k", "10", str(limit), *command, path, *words], env=environment,
                              stdin=NOTHING, capture_output=True, text=True, check=False)
        if done.returncode == 124 and may_be_late:
            self.late.add(task)
        elif done.returncode != 0:
            why = f"no end within {limit} s" if done.returncode == 124 else f"status {done.returncode} "
            self.failed.append(f"{label} {os.path.basename(path)} {' '.join(words)} on {count}: {why}"
                               + done.stderr.strip()[-200:])
        if done.returncode != 0:
            return ""
        self.runs += 1
        if self.disturbed(since, before):
            self.dropped += 1
            return ""
        return done.stdout

    def disturbed(self, since, before):
        now = used()
        others = (now[0] - before[0]) - (now[1] - before[1])
        return self.calm > 0 and others > self.calm * (time.perf_counter() - since)

    def note(self, work, key, label, value):
        self.held.append((label, work, key, value))

    def measure_floor(self):
        """(work, key) -> microseconds, or None where they cannot be measured."""
        path = self.program("bench_floor")
        done = path and subprocess.run([path], capture_output=True, text=True, check=False)
        if not done or done.returncode:
            return None
        return {tuple(line.split()[:2]): float(line.split()[2]) for line in done.stdout.splitlines()}

    def state_of(self, floor):
        if floor is None:
            return "unknown"
        return "near" if 1e3 * floor["floor/flag", "-"] < self.near else "far"

    def round(self, function, *words):
        """Runs function, and sorts what it noted by the state of the machine before and behind it."""
        before, self.held = self.floor, []
        function(*words)
        self.floor = self.measure_floor()
        self.rounds += 1
        state = self.state_of(before)
        if state != self.state_of(self.floor):
            self.moved += 1
            return
        for floor in (before, self.floor) if before else ():
            for (work, key), us in floor.items():
                self.note(work, key, "floor", us)
        for label, work, key, value in self.held:
            self.write("figure", state, label, work, key, value)
            self.add(state, label, work, key, value)

    def states(self):
        return [s for s in STATES if self.figures.get(s)]

    def values(self, work, key, label):
        return self.figures.get(self.state, {}).get((work, key), {}).get(label, [])

    def middle(self, work, key, label):
        values = self.values(work, key, label)
        return statistics.median(values) if values else None

    def title(self):
        """The state, the rule it was sorted by, and what was measured."""
        text = TITLES[self.state].format(limit=self.near)
        flags = [1e3 * v for v in self.values("floor/flag", "-", "floor")]
        if not flags:
            return text + "."
        copy = self.middle("floor/copy", "256K", "floor")
        return (f"{text} (measured: {statistics.median(flags):.0f}, from {min(flags):.0f} to {max(flags):.0f}; "
                f"one copies 256 KiB that the other has written at {262.144 / copy:.0f} GB/s, "
                f"alone at {262.144 / self.middle('floor/memcpy', '256K', 'floor'):.0f}).")

    def notes(self):
        """What has to be said below all tables."""
        out = []
        states = self.states()
        if len(states) == 1 and states[0] != "unknown":
            out.append(f"Only {states[0]} processors were met.")
        if self.bind:
            out.append("Each process was bound to a processor.")
        if self.moved:
            out.append(f"figures of {self.moved} of {self.rounds} rounds were dropped: "
                       "the processors changed their distance meanwhile")
        if self.dropped:
            out.append(f"figures of {self.dropped} of {self.runs} runs were dropped: others used the processors meanwhile")
        out += [f"late, and left out: {label} {os.path.basename(program)} {' '.join(words)} on {count}"
                for label, count, program, words in sorted(self.late)]
        return out
