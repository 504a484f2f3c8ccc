"""mpi4py beside openblacs: who starts MPI, and communicators in the place of all processes."""
import numpy as np
from mpi4py import MPI

import openblacs


def test_a_communicator_is_a_grid_in_rank_order():
    world = MPI.COMM_WORLD
    assert openblacs.pinfo() == (world.rank, world.size, "mpi")
    reverse = world.Split(0, -world.rank)
    with openblacs.Grid(1, world.size, comm=reverse) as grid:
        assert grid.col == reverse.rank
        assert grid.broadcast(world.rank, 0) == world.size - 1
    reverse.Free()


def test_a_part_of_the_processes():
    world = MPI.COMM_WORLD
    half = world.Split(world.rank % 2, world.rank)
    with openblacs.Grid(comm=half) as grid:
        assert grid.sum(1) == half.size
        assert grid.sum(world.rank) == half.allreduce(world.rank)
    half.Free()


def test_messages_of_both_do_not_meet():
    world = MPI.COMM_WORLD
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    with openblacs.Grid(1, world.size) as grid:
        request = world.Isend(np.array([1.0]), right)
        grid.send(np.array([2.0]), (0, right))
        a, b = np.zeros(1), np.zeros(1)
        grid.recv(b, (0, left))
        world.Recv(a, left)
        request.Wait()
        assert (a[0], b[0]) == (1.0, 2.0)
        grid.barrier()
