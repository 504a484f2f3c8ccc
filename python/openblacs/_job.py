"""This process's part in the job: joining it, leaving it at the end, and ending it when an exception ends this process."""
import atexit
import os
import sys
import threading
import traceback
import weakref
from types import TracebackType
from typing import Any, NamedTuple, Optional, Type

from ._interrupt import watch
from ._library import ALONE, ESIZE, MPI, OBRUN, Error, byref, c_void_p, check, lib


class Info(NamedTuple):
    """Number of this process, 0 to size - 1, number of processes, and who has started them: "alone", "obrun" or "mpi"."""

    number: int
    size: int
    launcher: str


_LAUNCHERS = {ALONE: "alone", OBRUN: "obrun", MPI: "mpi"}
_lock = threading.Lock()
_job: Optional[c_void_p] = None
_forked = False
_info = Info(0, 1, "alone")
# Open grids; each has a close() that may be called at any time.
grids: "weakref.WeakSet[Any]" = weakref.WeakSet()


def join() -> c_void_p:
    """The job's handle; joins it with the first call."""
    global _job, _info
    if _job is not None:
        return _job
    if _forked:
        raise Error("a process that was made by fork is no part of its parent's job; start processes with obrun or openblacs.launch [OB-2015]")
    with _lock:
        if _job is None:
            job = c_void_p()
            check(lib.ob_job_start(byref(job)))
            _info = Info(lib.ob_job_number(job), lib.ob_job_count(job), _LAUNCHERS[lib.ob_job_kind(job)])
            _job = job
            atexit.register(_leave)
            _end_with_job()
    return _job


def pinfo() -> Info:
    """(number, size, launcher) of this process; joins the job (blacs_pinfo). Raises Error."""
    join()
    return _info


def abort(code: int = 1) -> None:
    """Ends all processes of the job with this exit code (blacs_abort). Does not return."""
    job = join()
    sys.stdout.flush()
    sys.stderr.write("OpenBLACS: openblacs.abort: process %d of %d ends the job with code %d [OB-2011]\n" % (_info.number, _info.size, code))
    sys.stderr.flush()
    lib.ob_job_abort(job, code)


def wall_time() -> float:
    """Seconds since an arbitrary moment, the same for all processes of one node (dwalltime00)."""
    return float(lib.ob_time())


def _leave() -> None:
    """At the process's end: releases the grids and leaves the job."""
    global _job
    if _job is None:
        return
    for grid in list(grids):
        grid.close()
    job, _job = _job, None
    lib.Cblacs_exit(0)
    lib.ob_job_stop(job, 1)


def _after_fork() -> None:
    """The child is no member: what it has of the job is its parent's."""
    global _job, _forked
    if _job is not None:
        _job, _forked = None, True
        for grid in list(grids):
            grid.forget()


os.register_at_fork(after_in_child=_after_fork)


def _end_with_job() -> None:
    """From now on an exception that nobody catches ends the whole job: others may wait for this process for ever."""
    before = sys.excepthook

    def hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        if _job is None or _info.size == 1 or hasattr(sys, "ps1"):
            before(kind, error, trace)
            return
        # What several processes find at once is said by one of them (hooks/job.h).
        alike = getattr(error, "on_all", False) or isinstance(error, KeyboardInterrupt) or isinstance(error, Error) and error.status == ESIZE
        if not alike or lib.ob_job_speaks(_job):
            _say_end("".join(traceback.format_exception(kind, error, trace)), kind)
        lib.ob_job_abort(_job, 130 if issubclass(kind, KeyboardInterrupt) else 1)

    sys.excepthook = hook
    if _info.size > 1 and not hasattr(sys, "ps1"):
        watch(_interrupted)


def _interrupted(where: str) -> None:
    # All processes are interrupted alike.
    if _job is not None and lib.ob_job_speaks(_job):
        _say_end(where, KeyboardInterrupt)
    lib.ob_job_abort(_job, 130)


def _say_end(where: str, kind: Type[BaseException]) -> None:
    """Traceback and line in one piece, so that those of several processes do not mix."""
    sys.stdout.flush()
    sys.stderr.write(where + "OpenBLACS: process %d of %d has ended with %s; it ends the job [OB-9632]\n" % (_info.number, _info.size, kind.__name__))
    sys.stderr.flush()
