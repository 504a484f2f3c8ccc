#!/usr/bin/env python3
"""Calls of the system and of the C library fail, one place of ours after the other.

    run.py BUILD [--way WAY,...] [--place TEXT] [--table FILE] [--keep]

work.c runs in several ways. First a preloaded library (fail.c) lists the places from which our libraries and
obrun make calls that can fail. Then there is a run for each place, way and error in which that call fails
there: in all processes, and in one of them alone. Each run must either end well, with right results and all the
files that were asked for, or with at least one line of ours that says what failed. None may be silent, end
by a bare signal, or hang, and nothing may be left in /dev/shm, in TMPDIR or of its processes.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ERRORS = {  # what such a call most likely fails with
    "ENOMEM": 12, "EIO": 5, "EINTR": 4, "EPERM": 1, "EMFILE": 24, "ENOSPC": 28, "ENOSYS": 38, "EACCES": 13,
    "EAGAIN": 11, "EINVAL": 22, "ENOENT": 2, "ENOTSUP": 95, "ESRCH": 3, "EBADF": 9,
}
OF_CALL = {
    "access": "EACCES", "chdir": "ENOENT", "close": "EIO", "dup2": "EMFILE", "execve": "ENOENT ENOMEM",
    "fallocate": "ENOSPC ENOTSUP", "fchmod": "EPERM", "fclose": "ENOSPC", "fcntl": "EINVAL", "fflush": "ENOSPC",
    "flock": "EINTR ENOTSUP", "fopen": "ENOENT EMFILE", "fork": "EAGAIN", "fread": "EIO", "fgets": "EIO",
    "fstat": "EIO", "fsync": "EIO", "ftruncate": "ENOSPC EPERM", "getcwd": "ENOENT", "kill": "EPERM ESRCH",
    "lseek": "EBADF", "madvise": "ENOMEM EINVAL", "memfd_create": "ENOSYS EMFILE", "mkdir": "EACCES",
    "mkstemp": "EACCES", "mmap": "ENOMEM EPERM", "munmap": "EINVAL", "nanosleep": "EINTR", "open": "EMFILE EACCES",
    "opendir": "EMFILE", "pipe2": "EMFILE", "poll": "EINTR", "pread": "EIO", "process_vm_readv": "EPERM ESRCH",
    "process_vm_writev": "EPERM ESRCH", "pthread_create": "EAGAIN", "pwrite": "ENOSPC", "read": "EIO EINTR",
    "recv": "EINTR EIO", "rename": "EACCES", "sched_getaffinity": "EPERM", "sched_getcpu": "ENOSYS",
    "sched_setaffinity": "EPERM EINVAL", "send": "EINTR EPERM", "setsid": "EPERM", "setpgid": "EPERM",
    "socketpair": "EMFILE", "stat": "EACCES", "syscall-202": "EINTR ENOSYS", "syscall-324": "ENOSYS EPERM",
    "unlink": "EACCES", "vfork": "EAGAIN", "waitpid": "EINTR", "write": "ENOSPC EINTR", "dlopen": "ENOENT",
    "sysconf": "EINVAL",
}
# The state of an open descriptor is always to be had; these fear only that it is no longer ours.
NEVER = {"fstat in ob_memfile_of", "fstat in ob_memfile_open"}
# Which of two processes waits for a lock, or comes last, is settled by the calls that take long; "": none.
SLOW_CALLS = ["", "fstat", "open", "write", "pwrite", "unlink", "close", ""]
# Where what fails is to write the line.
NOBODY_HEARS = {"write in put"}
SLOW = float(os.environ.get("OB_SLOW", "1"))
BUSY_SECONDS = 20 * SLOW
OURS = re.compile(r"^(\S+: )?(OpenBLACS|obrun|mlacs|icc|picl|bsp)\w*: .", re.M)

Way = collections.namedtuple("Way", "name launcher settings files")
Run = collections.namedtuple("Run", "way place error only")

WAYS = [
    Way("obrun", "obrun", {}, []),
    Way("one copy", "obrun", {"OPENBLACS_ONE_COPY": "1"}, []),
    Way("traced", "obrun", {"OPENBLACS_TRACE": "@/trace", "OPENBLACS_STATS": "1"}, ["trace"]),
    Way("checked", "obrun", {"OPENBLACS_CHECK": "2", "OPENBLACS_HEAP": "4M"}, []),
    Way("alone", "self", {}, []),
    Way("openmpi", "openmpi", {}, []),
    Way("openmpi traced", "openmpi", {"OPENBLACS_TRACE": "@/trace", "OPENBLACS_STATS": "1"}, ["trace"]),
    Way("mpich", "mpich", {}, []),
]


class Faults:
    def __init__(self, build):
        self.build = build
        self.work = build / "tests" / "faults_work"
        self.shim = build / "tests" / "fail.so"
        self.obrun = next(p for p in build.glob("**/obrun") if p.is_file() and os.access(p, os.X_OK))
        self.count = 0
        self.lock = threading.Lock()
        # Open, without a word: at the end of its input MPICH's mpirun may die (ob_launch in scripts/common.sh).
        self.input, self.open_end = os.pipe()

    def command(self, way, settings):
        pairs = [f"{k}={v}" for k, v in settings.items()]
        if way.launcher == "obrun":
            return ["env", *pairs, str(self.obrun), "-n", "2", str(self.work)]
        if way.launcher == "self":
            return ["env", *pairs, str(self.work)]
        return [f"mpirun.{way.launcher}", "-n", "2", "env", *pairs, str(self.work)]

    def run(self, way, more):
        """Its status (None: it hung), output, what it left, and the files that it did not write."""
        with self.lock:
            self.count += 1
            mark = f"{os.getpid()}.{self.count}"
        with tempfile.TemporaryDirectory(prefix="ob_faults.") as folder:
            settings = {k: v.replace("@", folder) for k, v in way.settings.items()}
            settings |= {"LD_PRELOAD": str(self.shim), "FAULT_RUN": mark, **more}
            temporary = os.path.join(folder, "tmp")
            os.mkdir(temporary)
            env = dict(os.environ, TMPDIR=temporary, FAULT_RUN=mark)
            process = subprocess.Popen(self.command(way, settings), env=env, stdin=self.input,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                text, _ = process.communicate(timeout=BUSY_SECONDS)
                status = process.returncode
            except subprocess.TimeoutExpired:
                status = None
                self.end(mark, process)
                text, _ = process.communicate()
            left = self.left(mark) if status is not None else []
            missing = [f for f in way.files if not os.path.exists(os.path.join(folder, f))]
            left += [f"TMPDIR/{f}" for f in os.listdir(temporary) if "openblacs" in f.lower()]
        return status, text.decode(errors="replace"), left, missing

    @staticmethod
    def marked(mark):
        want = f"FAULT_RUN={mark}\0".encode()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if want in (folder / "environ").read_bytes() + b"\0" and folder.name != str(os.getpid()):
                    yield int(folder.name)
            except OSError:
                pass

    def left(self, mark):
        for _ in range(int(50 * SLOW)):
            pids = list(self.marked(mark))
            if not pids:
                return []
            time.sleep(0.1)
        self.end(mark)
        return [f"process {p}" for p in pids]

    def end(self, mark, process=None):
        for pid in list(self.marked(mark)):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if process:
            process.kill()

    def places(self, way):
        """All that is met while calls of one kind or another are slow: which process comes first depends on that."""
        with tempfile.NamedTemporaryFile("r") as listed:
            for slow in SLOW_CALLS:
                status, text, left, missing = self.run(way, {"FAULT_LIST": listed.name, "FAULT_SLOW": slow})
                if status or missing or left:
                    raise SystemExit(f"faults: without any fault, {way.name}: status {status}, {left + missing}:\n{text}")
            return sorted(set(listed.read().splitlines()))

    def judge(self, run, name):
        """(what the user sees, output); what begins with ! is a failure."""
        more = {"FAULT": f"{run.place} {ERRORS[run.error]}"}
        if run.only is not None:
            more["FAULT_ONLY"] = run.only
        status, text, left, missing = self.run(run.way, more)
        processes = 1 if run.way.launcher == "self" else 2
        line = OURS.search(text)
        if status is None:
            return "!hangs", text
        if left:
            return f"!leaves {', '.join(left)}", text
        if "wrong:" in text:
            return "!wrong numbers", text
        if status == 0:
            if text.count("right") != processes and not line:
                return "!ends well without a result", text
            if missing and not line:
                return f"!no {missing[0]}, and not a word", text
            return ("goes on, with a line" if line else "goes on"), text
        if name in NOBODY_HEARS and status > 0:
            return "a status", text
        return ("a line" if line else f"!no line, status {status}"), text


def functions(build, places):
    """The name of the function at each place: FILE+OFFSET -> function."""
    found, by_file = {}, collections.defaultdict(list)
    for place in places:
        file, offset = place.split()[1].rsplit("+", 1)
        by_file[file].append(offset)
    for file, offsets in by_file.items():
        path = next((p for p in build.glob(f"**/{file}") if p.is_file()), None)
        if path is None:
            continue
        asked = [hex(int(o, 16) - 1) for o in offsets]
        out = subprocess.run(["addr2line", "-f", "-s", "-e", str(path), *asked], capture_output=True, text=True,
                             check=False).stdout.splitlines()
        for k, offset in enumerate(offsets):
            if 2 * k < len(out):
                found[f"{file}+{offset}"] = out[2 * k]
    return found


def runs_of(faults, ways):
    for way in ways:
        for place in faults.places(way):
            call = place.split()[0]
            for error in OF_CALL.get(call, "ENOMEM").split():
                yield Run(way, place, error, None)
                if way.name == "obrun" and call not in ("calloc", "malloc"):
                    yield Run(way, place, error, "1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--way", default=",".join(w.name for w in WAYS))
    parser.add_argument("--place", default="")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    faults = Faults(options.build.resolve())
    ways = [w for w in WAYS if w.name in options.way.split(",")]
    runs = list(runs_of(faults, ways))
    names = functions(faults.build, {r.place for r in runs})

    def title(run):
        return f"{run.place.split()[0]} in {names.get(run.place.split()[1], '?')}"

    runs = [r for r in runs if title(r) not in NEVER and options.place in f"{title(r)} {r.place}"]
    table = collections.defaultdict(set)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
        for run, (seen, text) in zip(runs, pool.map(lambda r: faults.judge(r, title(r)), runs)):
            table[title(run)].add(seen)
            if seen.startswith("!") or options.verbose:
                failed += seen.startswith("!")
                who = "all" if run.only is None else f"process {run.only}"
                print(f"{'FAILED ' if seen[0] == '!' else ''} {title(run)} ({run.place}), {run.error}, {run.way.name}, {who}: {seen}")
                for line in text.splitlines()[-6:]:
                    print(f"    | {line}")
                sys.stdout.flush()
    if options.table:
        with options.table.open("w") as out:
            for name in sorted(table):
                out.write(f"{name}\t{'; '.join(sorted(table[name]))}\n")
    print(f"{len(runs) - failed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
