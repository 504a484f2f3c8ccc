"""ScaLAPACK where there is one, and our LU in supersteps (libopenblacs_lu).

libopenblacs has been loaded before with its names visible to all, so a ScaLAPACK takes its BLACS from there, though it
may bring the netlib BLACS itself. It needs the MPI it was built with to be installed; without mpirun it does not use it.
"""
import ctypes
import ctypes.util
import re
from typing import Any, Dict, List, Optional

import numpy as np

from . import _job
from ._library import Error, load

# The letter of each type in routines' names, and that of its real and imaginary parts.
LETTERS = {np.dtype(np.float32): "s", np.dtype(np.float64): "d", np.dtype(np.complex64): "c", np.dtype(np.complex128): "z"}
# Debian's names by the MPI they are for: MPICH's is also for Intel MPI, MVAPICH and Cray's, which have its binary interface.
_FOR_MPI = {r"/libmpi\.so\.40": "scalapack-openmpi", r"/libmpi(ch|_\w+)?\.so\.12": "scalapack-mpich"}
_unknown = object()
_scalapack: Any = _unknown
_lu: Optional[ctypes.CDLL] = None


def use_scalapack(library: Optional[str]) -> None:
    """Takes this ScaLAPACK (a path, or a name as the loader takes it) from now on; None: none, but our LU in supersteps.
    Without this call one is looked for. Error: there is none of that name."""
    global _scalapack
    _job.join()
    try:
        found = None if library is None else ctypes.CDLL(library)
    except OSError as error:
        raise Error("%s cannot be loaded as a ScaLAPACK (%s) [OB-9621]" % (library, error)) from None
    if found is not None and not hasattr(found, "pdgemr2d_"):
        raise Error("%s is no ScaLAPACK: it has no pdgemr2d_ [OB-9621]" % library)
    _scalapack = found


def scalapack() -> Optional[Any]:
    """The ScaLAPACK in use; None: there is none."""
    global _scalapack
    if _scalapack is _unknown:
        _job.join()
        _scalapack = _look_for()
    return _scalapack


def _look_for() -> Optional[ctypes.CDLL]:
    with open("/proc/self/maps") as maps:
        names = _names(maps.read())
    for name in names:
        path = ctypes.util.find_library(name)
        if path:
            try:
                return ctypes.CDLL(path)
            except OSError:
                pass
    return None


def _names(maps: str) -> List[str]:
    """That of the MPI in the process that has loaded these files, or of any MPI where there is none: then it does not matter."""
    loaded = [name for library, name in _FOR_MPI.items() if re.search(library, maps)]
    return (loaded or list(_FOR_MPI.values())) + ["scalapack"]


def find(name: str) -> Any:
    """A routine of ScaLAPACK, or where there is none that of our LU. Error: neither has it."""
    global _lu
    library = scalapack()
    if library is not None:
        return getattr(library, name + "_")
    if _lu is None:
        _lu = load("libopenblacs_lu.so.0")
    try:
        return getattr(_lu, "bsp_" + name + "_")
    except AttributeError:
        raise Error("%s needs ScaLAPACK, and none was found (Debian: libscalapack-openmpi2.2); "
                    "openblacs.use_scalapack(path) names one [OB-9621]" % name) from None


def call(name: str, *arguments: Any) -> int:
    """Calls a Fortran routine whose last argument is INFO, and gives that. int: by reference; str: a letter;
    arrays: where they lie. ValueError: an argument was wrong."""
    info = ctypes.c_int(0)
    passed: List[Any] = []
    lengths: List[Any] = []
    for argument in arguments:
        if isinstance(argument, str):
            passed.append(ctypes.c_char_p(argument.encode()))
            lengths.append(ctypes.c_size_t(len(argument)))
        elif isinstance(argument, np.ndarray):
            passed.append(ctypes.c_void_p(argument.ctypes.data))
        else:
            passed.append(argument if isinstance(argument, ctypes._SimpleCData) else ctypes.c_int(argument))
            passed[-1] = ctypes.byref(passed[-1])
    routine = find(name)
    routine.restype = None
    routine(*passed, ctypes.byref(info), *lengths)
    if info.value < 0:
        raise ValueError("%s: argument %s is wrong (info %d) [OB-9622]" % (name, _argument(-info.value), info.value))
    return info.value


def _argument(number: int) -> str:
    return str(number) if number < 100 else "%d, its entry %d," % divmod(number, 100)


def with_space(name: str, *arguments: Any, spaces: Dict[str, Any], more: int = 0) -> int:
    """call, with work arrays behind the arguments: asks how long each has to be, and makes it, the first one so many
    elements longer. spaces: their types, by name, or an array that has no length argument."""
    asked: List[Any] = []
    for kind in spaces.values():
        asked += [kind, 0] if isinstance(kind, np.ndarray) else [np.zeros(2, kind), -1]
    call(name, *arguments, *[a for k, a in enumerate(asked) if not (k % 2 and isinstance(asked[k - 1], np.ndarray) and a == 0)])
    given: List[Any] = []
    for k, kind in enumerate(spaces.values()):
        if isinstance(kind, np.ndarray):
            given.append(kind)
        else:
            # Single precision has rounded large numbers.
            length = max(1, int(np.ceil(asked[2 * k][0].real * 1.0001))) + (0 if k else more)
            given += [np.zeros(length, kind), length]
    return call(name, *arguments, *given)
