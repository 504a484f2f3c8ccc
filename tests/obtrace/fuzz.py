#!/usr/bin/env python3
"""Feeds obtrace damaged trace files: every one must end with status 0 or 1 (what could be
read was used, or a clear line says that nothing could), never with a crash, a hang or a
report of a sanitizer. The mutations follow from the seed alone, so a failure repeats.

    fuzz.py OBTRACE ROUNDS SEED FILE...
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

WORDS = [b"-1", b"0", b"-32768", b"2147483647", b"-2147483649", b"9223372036854775807",
         b"99999999999999999999", b"1e9", b"nan", b"%s%n", b"\x00", b"\xff\xfe", b"\x1b[2J",
         b"trace_start", b"block_begin", b"\n", b" ", b",", b"\"", b"{", b"}", b"[[[[", b"\\u0000"]
NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff]

SLOW = int(os.environ.get("OB_SLOW", "1"))  # ./check says so


def mutate(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        at = rng.randrange(len(data))
        kind = rng.randrange(8)
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[at:at + rng.choice([1, 2, 8, 80, 1000])]
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            data[at:at] = rng.choice(WORDS)
        elif kind == 4:
            length = rng.choice([4, 8, 32, 80, 300])
            data[at:at] = data[rng.randrange(len(data)):][:length]
        elif kind == 5:
            at -= at % 4
            data[at:at + 4] = rng.choice(NUMBERS).to_bytes(4, "little")
        elif kind == 6:
            at -= at % 8
            data[at:at + 8] = rng.getrandbits(64).to_bytes(8, "little")
        else:
            end = data.find(b"\n", at)
            line = bytes(data[at:end + 1 if end >= 0 else len(data)])[:2000]
            other = rng.randrange(len(data))
            data[other:other] = line
    return bytes(data)


def commands(obtrace, path, scratch):
    yield [obtrace, "stat", path]
    yield [obtrace, "convert", path, "--to", "compact", "-o", os.path.join(scratch, "out")]
    yield [obtrace, "report", path, "-o", os.path.join(scratch, "out.html")]
    yield [obtrace, "whatif", path, "--topology", "broadcast=I", "--zero-latency", "--torus", "64x64"]
    yield [obtrace, "compare", path, path, "-o", os.path.join(scratch, "both.html")]


def damage(source, scratch, rng):
    """A damaged copy; of an OTF2 archive one of its files is."""
    path = os.path.join(scratch, "damaged" + os.path.splitext(source)[1])
    place, target = source, path
    if source.endswith(".otf2"):
        stem, folder = source[:-5], path[:-5]
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(stem, folder)
        shutil.copy(source, path)
        shutil.copy(stem + ".def", folder + ".def")
        names = [""] + sorted(os.listdir(folder))
        which = rng.randrange(len(names) + 3)
        target = path if which == 0 else os.path.join(folder, names[which]) if which < len(names) \
            else folder + ".def"
        place = target.replace(folder, stem, 1)
    with open(place, "rb") as f:
        data = mutate(f.read(), rng)
    with open(target, "wb") as f:
        f.write(data)
    return path


def main():
    obtrace, rounds, seed, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    runs = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(rounds):
            rng = random.Random(seed * 1000003 + number)
            source = files[number % len(files)]
            path = damage(source, scratch, rng)
            command = rng.choice(list(commands(obtrace, path, scratch)))
            runs += 1
            try:
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      timeout=60 * SLOW)
                bad = done.returncode not in (0, 1) or (done.returncode == 1 and
                                                        b"obtrace: " not in done.stderr)
                said = done.stderr[-2000:].decode(errors="replace")
                status = done.returncode
            except subprocess.TimeoutExpired:
                bad, said, status = True, "not done within %d s" % (60 * SLOW), "timeout"
            if bad:
                failed += 1
                print(f"FAIL fuzz seed {seed} round {number} of {source}: {command[1]} "
                      f"status {status}\n{said}")
    print(f"{runs - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
