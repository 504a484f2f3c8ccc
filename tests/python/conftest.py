"""The tests run in every process of a job alike: alone, under obrun and under mpirun (tests/run/python.sh)."""
import pathlib
import tempfile

import numpy
import pytest

import openblacs


@pytest.fixture
def grid():
    """All processes, as square as can be; the next test begins when all have done with this one."""
    with openblacs.Grid() as grid:
        yield grid
        grid.barrier()


@pytest.fixture
def random():
    """The same numbers on all processes."""
    return numpy.random.default_rng(17)


@pytest.fixture
def folder():
    """One of this process's own; pytest's tmp_path is shared by processes that do not know of each other."""
    with tempfile.TemporaryDirectory() as name:
        yield pathlib.Path(name)
