"""OpenBLACS: numpy arrays and distributed matrices communicated on process grids.

    import numpy, openblacs
    with openblacs.Grid() as grid:              # all processes, as square as can be
        x = numpy.full((3, 4), float(grid.row))
        grid.sum(x)                             # element by element, of all processes

Start it with obrun -n 4 python3 prog.py, or with mpirun. docs/python.md has more.
"""
from ._grid import Grid, square
from ._job import Info, abort, pinfo, wall_time
from ._library import Error

__version__ = "0.1.0"
__all__ = ["Grid", "Error", "Info", "abort", "pinfo", "square", "wall_time"]
