"""docs/python.md's sketch in Julia: each ccall names a routine of the library with the types that the header declares.

Julia itself is in no package of Debian 12, so the calls are made here, with the types that the sketch writes.
"""
import ctypes
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[3]
SKETCH = re.search(r"```julia fragment\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.S).group(1)
# What stands in a ccall, and in a prototype of C.
SAME = {"Int64": "int64_t", "Ref{Int64}": "int64_t*", "Cstring": "constchar*", "Ptr{Float64}": "double*", "Cvoid": "void"}


def parts(text):
    """What commas divide, outside brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


def calls():
    """Name, type of the result, types and values of each ccall."""
    found = []
    for start in re.finditer(r"ccall\(", SKETCH):
        depth, end = 1, start.end()
        while depth:
            depth += (SKETCH[end] in "([{") - (SKETCH[end] in ")]}")
            end += 1
        callee, result, types, *values = parts(SKETCH[start.end():end - 1])
        assert re.fullmatch(r"\(:\w+, blacs\)", callee), callee
        found.append((callee[2:-8], result, parts(types[1:-1]), values))
    return found


def prototypes(folder):
    """What the compiler sees of the header: the types of each routine, without names of arguments."""
    (folder / "a.c").write_text("#include <openblacs/blacs.h>\n")
    text = subprocess.run(["cc", "-E", "-P", "-I", str(ROOT / "include"), str(folder / "a.c")], capture_output=True, text=True, check=True).stdout
    found = {}
    for result, name, arguments in re.findall(r"\b(void|int64_t|double) +(C\w+64_)\(([^)]*)\);", text):
        types = [] if arguments.strip() == "void" else [re.sub(r"\w+$", "", a.strip()).replace(" ", "") for a in arguments.split(",")]
        found[name] = (result, types)
    return found


def test_its_calls_have_the_types_of_the_header(folder):
    known = prototypes(folder)
    assert len(known) > 50 and len(calls()) == 5
    for name, result, types, values in calls():
        assert name in known, name
        assert len(values) == len(types), name
        assert ([SAME[result]] + [SAME[t] for t in types]) == [known[name][0]] + known[name][1], name


PROGRAM = """
import ctypes, numpy
blacs = ctypes.CDLL("libopenblacs.so.0")
N, R = ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
kinds = {"Int64": N, "Ref{Int64}": R, "Cstring": ctypes.c_char_p, "Ptr{Float64}": ctypes.c_void_p}
me, count, context, x = N(), N(), N(), None
for name, result, types, values in %r:
    if "x" in values:
        x = numpy.asfortranarray(numpy.full((3, 4), float(me.value)))
    known = {"me": me, "count": count, "context": context, "count[]": count.value, "context[]": context.value,
             "x": x is not None and x.ctypes.data, "stride(x, 2)": 3}
    call = getattr(blacs, name)
    call.restype, call.argtypes = None, [kinds[t] for t in types]
    call(*[known[v] if v in known else v.strip('"').encode() if v[0] == '"' else int(v) for v in values])
print("process", me.value, "of", count.value, ":", x[0, 0])
"""


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="64-bit integers")
def test_its_calls_add_up():
    done = subprocess.run(["obrun", "-n", "3", os.environ["OB_PYTHON"], "-c", PROGRAM % (calls(),)], capture_output=True, text=True)
    assert sorted(done.stdout.splitlines()) == ["process %d of 3 : 3.0" % k for k in range(3)], done.stderr
