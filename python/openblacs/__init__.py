"""OpenBLACS: numpy arrays and distributed matrices communicated on process grids.

    import numpy, openblacs
    with openblacs.Grid() as grid:              # all processes, as square as can be
        x = numpy.full((3, 4), float(grid.row))
        grid.sum(x)                             # element by element, of all processes

Start it with obrun -n 4 python3 prog.py, or with mpirun. docs/python.md has more.
"""
from ._distributed import LU, DistributedMatrix
from ._grid import Grid, square
from ._job import Info, abort, pinfo, wall_time
from ._launch import Launch, launch
from ._library import Error
from ._scalapack import use_scalapack

__version__ = "0.2.0"
__all__ = ["DistributedMatrix", "Grid", "Error", "Info", "LU", "Launch", "abort", "launch", "pinfo", "square", "use_scalapack", "wall_time"]
