#!/usr/bin/env python3
"""Nothing needs a function that came after glibc 2.28 (Debian 10, RHEL 8).

What our libraries and tools import carries the version of the C library that they were linked with. Many names got a later
one when they moved from one library into another (pthread_create, 2.34): the C library has those in an old version, too,
so a build on an old system finds them. Names that are new altogether are found.

    tests/symbols/glibc.py BUILD_DIR
"""
import glob
import re
import subprocess
import sys

NEWEST = (2, 28)
# Functions in old headers, and later in the library; and what core/lock.h takes only where there is its header.
OLD = {"stat", "fstat", "lstat", "__libc_single_threaded"}
LINE = re.compile(r"\(?GLIBC_([0-9.]+)\)? +(\w+)$")


def symbols(path):
    """(name, version, imported) of each symbol of the C library's versions."""
    out = subprocess.run(["objdump", "-T", path], capture_output=True, text=True).stdout
    for line in out.splitlines():
        found = LINE.search(line)
        if found:
            yield found[2], tuple(int(n) for n in found[1].split(".")), "*UND*" in line


def too_new(imports, exports):
    oldest = {}
    for name, version in exports:
        oldest[name] = min(version, oldest.get(name, version))
    return sorted(name for name, version in imports if version > NEWEST and name not in OLD and oldest.get(name, version) > NEWEST)


def main(build):
    files = sorted(glob.glob(f"{build}/*.so") + [f"{build}/{tool}" for tool in ("obrun", "obinfo", "obbench", "obtrace")])
    loaded = subprocess.run(["ldd", f"{build}/obbench"], capture_output=True, text=True).stdout
    libraries = re.findall(r"=> (/\S*/lib(?:c|m|pthread|dl|rt)\.so\S*)", loaded)
    exports = {(name, version) for library in libraries for name, version, imported in symbols(library) if not imported}
    passed = failed = 0
    for path in files:
        new = too_new({(name, version) for name, version, imported in symbols(path) if imported}, exports)
        passed, failed = passed + (not new), failed + bool(new)
        if new:
            print(f"FAIL {path} needs what is newer than glibc 2.28: {' '.join(new)}")
    # One that is new altogether is found, one that has only moved is not.
    right = too_new({("gettid", (2, 30)), ("dlopen", (2, 34))}, exports) == ["gettid"]
    if not right or not exports:
        print("FAIL gettid, of glibc 2.30, is not found to be new")
    passed, failed = passed + right, failed + (not right)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or len(files) < 10


sys.exit(main(*sys.argv[1:]))
