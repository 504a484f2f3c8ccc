"""libopenblacs as ctypes sees it: its functions, its structures, and its errors as exceptions.

The library is loaded with its names visible to all libraries that are loaded later. So a ScaLAPACK that
comes later takes its BLACS from here, and nothing need be preloaded.
"""
import ctypes
import importlib
import os
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from typing import Any, List, Optional

NAME = "libopenblacs.so.0"

# ob_status and ob_launch_kind of openblacs/core.h
OK, EARG, ENOMEM, ESIZE, EGONE, ESYSTEM, ESETTING, ESTATE, EREADY = range(0, -9, -1)
ALONE, OBRUN, MPI = range(3)
ANY = -1


class Error(RuntimeError):
    """What the library has refused, in its own line; status is the ob_status of openblacs/core.h."""

    __module__ = "openblacs"

    def __init__(self, line: str, status: int = ESTATE) -> None:
        super().__init__(line)
        self.status = status


class View(ctypes.Structure):
    """ob_view: a column-major matrix in memory."""

    _fields_ = [("base", c_void_p), ("m", c_size_t), ("n", c_size_t), ("ld", c_size_t),
                ("type", c_int), ("shape", c_int), ("unit_diagonal", c_int)]


class Received(ctypes.Structure):
    _fields_ = [("source", c_int), ("tag", c_int), ("bytes", c_size_t), ("type", c_int)]


class Route(ctypes.Structure):
    _fields_ = [("topology", c_int), ("branches", c_int), ("repeatable", c_int), ("coherent", c_int)]


class Operation(ctypes.Structure):
    _fields_ = [("apply", c_void_p), ("context", c_void_p), ("element_bytes", c_size_t)]


def installed(what: str) -> Optional[str]:
    """Where this package's own LIBRARIES or PROGRAMS lie, if it is an installed one."""
    try:
        # By name: what a type checker finds of it depends on what else the machine has.
        places = importlib.import_module("._installed", __package__)
    except ImportError:
        return None
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), getattr(places, what)))


def folder() -> Optional[str]:
    """Where this package's own libraries lie, if it is an installed one."""
    return installed("LIBRARIES")


def load(name: str) -> ctypes.CDLL:
    """One of our libraries: that beside this package, else where the loader finds one."""
    beside = folder()
    path = os.path.join(beside, name) if beside else name
    if not os.path.exists(path):
        path = name
    try:
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        raise ImportError("openblacs: %s is not found (%s); set LD_LIBRARY_PATH to the folder it is in [OB-9620]" % (name, error)) from None


def _preloaded() -> Optional[ctypes.CDLL]:
    program = ctypes.CDLL(None)
    return program if hasattr(program, "ob_job_start") else None


lib: Any = _preloaded() or load(NAME)

_P, _PP = c_void_p, POINTER(c_void_p)
_PROTOTYPES = {
    "ob_error_text": (c_char_p, []),
    "ob_job_start": (c_int, [_PP]),
    "ob_job_number": (c_int, [_P]),
    "ob_job_count": (c_int, [_P]),
    "ob_job_kind": (c_int, [_P]),
    "ob_job_stop": (c_int, [_P, c_int]),
    "ob_job_abort": (None, [_P, c_int]),
    "ob_job_trim": (None, [_P]),
    "ob_time": (c_double, []),
    "ob_system_members": (c_int, [_P, c_long, _PP, POINTER(POINTER(c_int)), POINTER(c_int)]),
    "ob_group_create": (c_int, [_P, POINTER(c_int), c_int, _PP]),
    "ob_group_part": (c_int, [_P, c_int, POINTER(c_int), c_int, _PP]),
    "ob_group_free": (None, [_P]),
    "ob_send": (c_int, [_P, c_int, c_int, _P]),
    "ob_recv": (c_int, [_P, c_int, c_int, _P, _P]),
    "ob_broadcast": (c_int, [_P, c_int, _P, _P]),
    "ob_combine": (c_int, [_P, c_int, c_int, _P, _P, c_size_t, _P]),
    "ob_combine_by": (c_int, [_P, c_int, _P, _P, _P]),
    "ob_operation_of": (c_int, [c_int, c_int, _P]),
    "ob_barrier": (c_int, [_P]),
    "ob_job_speaks": (c_int, [_P]),
    # The one table of the topologies' letters (LAWN 73, 4.3).
    "ob_topology_read": (ctypes.c_bool, [c_int, c_int, c_int, _P]),
    "Cblacs_get": (None, [c_int, c_int, POINTER(c_int)]),
    "Cblacs_gridmap": (None, [POINTER(c_int), POINTER(c_int), c_int, c_int, c_int]),
    "Cblacs_gridexit": (None, [c_int]),
    "Cblacs_exit": (None, [c_int]),
}
for _name, (_result, _arguments) in _PROTOTYPES.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


def fail(status: int) -> None:
    """Raises what the last call of this thread has failed of."""
    raise Error(lib.ob_error_text().decode(errors="replace"), status)


def check(status: int) -> None:
    if status != OK:
        fail(status)


def ints(values: List[int]) -> Any:
    """A C array of int."""
    return (c_int * max(1, len(values)))(*values)


__all__ = ["Error", "View", "Received", "Route", "Operation", "lib", "load", "folder", "check", "fail", "ints",
           "byref", "c_char", "c_int", "c_void_p", "POINTER"]
