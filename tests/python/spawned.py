"""Grids of a communicator with spawned processes: all of them, without the first, and as a context for the BLACS. The first
processes of the job start as many others with this program. Each prints "begun" when they are merged, then "passed"."""
import sys

import numpy as np
from mpi4py import MPI

import openblacs
from openblacs import DistributedMatrix

parent = MPI.Comm.Get_parent()
spawned = parent != MPI.COMM_NULL
inter = parent if spawned else MPI.COMM_WORLD.Spawn(sys.executable, [__file__], MPI.COMM_WORLD.size)
comm = inter.Merge(spawned)
count = 2 * MPI.COMM_WORLD.size
assert comm.size == count
print("begun", flush=True)

with openblacs.Grid(comm=comm) as grid:
    assert grid.nprow * grid.npcol == count and grid.row * grid.npcol + grid.col == comm.rank
    assert grid.sum(comm.rank) == count * (count - 1) // 2
    assert grid.sum(1, scope="row") == grid.npcol
    a = np.arange(24.0).reshape(6, 4) + 10 * np.eye(6, 4)
    matrix = DistributedMatrix.scatter(grid, a if comm.rank == 0 else None, block=1)
    # With the context, through ScaLAPACK.
    np.testing.assert_allclose((matrix @ DistributedMatrix.from_numpy(grid, a.T, 1)).to_numpy(), a @ a.T)
    with openblacs.Grid(1, MPI.COMM_WORLD.size) as own:
        assert own.sum(1) == MPI.COMM_WORLD.size
part = comm.Split(comm.rank > 0)
with openblacs.Grid(comm=part) as rest:
    assert rest.sum(1) == part.size
part.Free()
comm.Free()
print("passed", flush=True)
inter.Disconnect()
