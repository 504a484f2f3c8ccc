"""Which ScaLAPACK is looked for follows from the MPI library that the process has loaded."""
import pytest

from openblacs import _scalapack


@pytest.mark.parametrize(
    "library, name",
    [
        ("/usr/lib/libmpi.so.40.30.4", "scalapack-openmpi"),
        ("/usr/lib/libmpich.so.12.2.2", "scalapack-mpich"),
        ("/opt/intel/mpi/lib/libmpi.so.12.0.0", "scalapack-mpich"),
        ("/opt/cray/lib/libmpi_cray.so.12.0.0", "scalapack-mpich"),
        ("/opt/cray/lib/libmpi_gnu_123.so.12.0.0", "scalapack-mpich"),
    ],
)
def test_the_one_for_the_mpi_of_this_process(library: str, name: str) -> None:
    maps = "7f0000000000-7f0000001000 r-xp 00000000 08:01 42    %s\n" % library
    assert _scalapack._names(maps) == [name, "scalapack"]


def test_any_where_there_is_no_mpi() -> None:
    assert _scalapack._names("7f0000000000-7f0000001000 r-xp 00000000 08:01 42    /usr/lib/libc.so.6\n") == [
        "scalapack-openmpi",
        "scalapack-mpich",
        "scalapack",
    ]
