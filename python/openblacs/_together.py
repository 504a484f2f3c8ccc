"""Work of a collective call that may fail on some of the processes: then it fails on all of them alike.

Who catches the exception and goes on must not be one call ahead of the others, or they take its next message for this call's.
"""
import pickle
from typing import Any, Callable, Optional, TypeVar

import numpy as np

from ._grid import Grid
from ._library import Error

Result = TypeVar("Result")


def together(grid: Grid, work: Callable[[], Result]) -> Result:
    """What work() gives here, when it has gone well on all processes of the grid. Otherwise all of them raise: those where it
    has failed their own exception, the others that of the first one. All processes call; a short combine tells."""
    result: Any = None
    error: Any = None
    try:
        result = work()
    except Exception as caught:
        error = caught
    count = grid.nprow * grid.npcol
    me = grid.row * grid.npcol + grid.col
    failed = int(grid.max(0 if error is None else count - me))
    if failed == 0:
        made: Result = result
        return made
    said = _from(grid, count - failed, b"" if error is None else _pickled(error))
    error = error or pickle.loads(said)
    error.on_all = True  # _job: one process prints it
    raise error


def at(grid: Grid, position: int, work: Callable[[], Result]) -> Optional[Result]:
    """together, where one process works and the others get None."""
    return together(grid, lambda: work() if grid.row * grid.npcol + grid.col == position else None)


def _from(grid: Grid, position: int, text: bytes) -> bytes:
    """One process's bytes, on all."""
    said = np.frombuffer(text, np.uint8).copy()
    length = int(grid.broadcast(said.size, position))
    if grid.row * grid.npcol + grid.col != position:
        said = np.zeros(length, np.uint8)
    return bytes(grid.broadcast(said, position))


def _pickled(error: Exception) -> bytes:
    """The exception, or where it cannot travel an Error with its type and text."""
    try:
        said = pickle.dumps(error)
        pickle.loads(said)
        return said
    except Exception:
        return pickle.dumps(Error("%s: %s" % (type(error).__name__, error)))
