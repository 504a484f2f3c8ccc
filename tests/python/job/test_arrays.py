"""Which arrays are communicated where they lie, and that nothing else is touched."""
import sys

import numpy as np
import pytest

import openblacs

TYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128", "int8", "uint16", "bool", "longdouble"]


def next_place(grid):
    return grid.row, (grid.col + 1) % grid.npcol


def ring(grid, sent, received, **how):
    """Every process sends to the right and receives from the left."""
    grid.send(sent, next_place(grid), **how)
    assert grid.recv(received, (grid.row, (grid.col - 1) % grid.npcol), **how) == (grid.row, (grid.col - 1) % grid.npcol)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_slice_goes_into_a_slice_and_nothing_beside_it_changes(grid, dtype, order):
    big = np.asarray(np.arange(80).reshape(8, 10), dtype=dtype, order=order)
    into = np.zeros((9, 12), dtype=dtype, order=order)
    ring(grid, big[2:7, 3:9], into[1:6, 4:10])
    expected = np.zeros((9, 12), dtype=dtype)
    expected[1:6, 4:10] = np.arange(80).reshape(8, 10).astype(dtype)[2:7, 3:9]
    np.testing.assert_array_equal(into, expected)


@pytest.mark.parametrize("take", [np.s_[3, :], np.s_[:, 3], np.s_[1:7:2, 4], np.s_[2, ::3], np.s_[:, 3:4], np.s_[2:3, 1:9], np.s_[3, 3:4]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_columns_and_steps_are_vectors(grid, take, order):
    big = np.asarray(np.arange(80.0).reshape(8, 10), order=order)
    into = np.zeros((8, 10), order=order)
    ring(grid, big[take], into[take])
    expected = np.zeros((8, 10))
    expected[take] = np.arange(80.0).reshape(8, 10)[take]
    np.testing.assert_array_equal(into, expected)


@pytest.mark.parametrize("shape", [(5, 5), (3, 6), (6, 3), (1, 4), (4, 1), (1, 1), (0, 3)])
@pytest.mark.parametrize("uplo", ["U", "L"])
@pytest.mark.parametrize("diag", ["U", "N"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_trapezoids_are_those_of_the_blacs(grid, shape, uplo, diag, order):
    m, n = shape
    i, j = np.indices(shape)
    edge = j + max(m - n, 0) if uplo == "U" else j - max(n - m, 0)
    inside = (i <= edge) if uplo == "U" else (i >= edge)
    if diag == "U":
        inside &= i != edge
    sent = np.asarray(1.0 + i * n + j, order=order)
    into = np.zeros(shape, order=order)
    ring(grid, sent, into, uplo=uplo, diag=diag)
    np.testing.assert_array_equal(into, np.where(inside, 1.0 + i * n + j, 0.0))


def test_numbers_and_empty_arrays_can_be_sent(grid):
    ring(grid, 3.5, into := np.zeros(()))
    assert into == 3.5
    ring(grid, np.zeros((0, 4)), np.zeros((4, 0)))


@pytest.mark.parametrize("bad", [np.zeros((6, 6))[::2, ::2], np.zeros((6, 6))[:, ::-1], np.zeros(6)[::-1], np.zeros((2, 2, 2)),
                                 np.broadcast_to(1.0, (3, 3))])
def test_what_cannot_be_seen_as_a_matrix_is_refused_and_says_what_to_do(grid, bad):
    with pytest.raises(ValueError, match=r"cannot be communicated where it lies.*a\.copy\(\)"):
        grid.send(bad, (0, 0))


def test_receivers_must_be_arrays_that_can_be_written(grid):
    constant = np.zeros(3)
    constant.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        grid.recv(constant, (0, 0))
    with pytest.raises(TypeError, match="numpy array"):
        grid.recv([1, 2], (0, 0))
    with pytest.raises(TypeError, match="Python objects"):
        grid.send(np.array([object()]), (0, 0))
    grid.send(constant, (grid.row, grid.col))  # a read-only one can be sent
    grid.recv(np.ones(3), (grid.row, grid.col))


def test_a_matrix_of_the_other_order_is_an_error_not_a_mess(grid):
    here = (grid.row, grid.col)
    grid.send(np.zeros((2, 3)), here)
    with pytest.raises(openblacs.Error, match="sender's matrix is in C order and this one in Fortran order"):
        grid.recv(np.zeros((2, 3), order="F"), here)


@pytest.mark.parametrize("dtype", [">f8", ">i4", ">c16", ">U3", [("a", "i4"), ("b", ">i2")]])
def test_another_byte_order_is_refused_everywhere(grid, dtype):
    other = np.zeros(1, np.dtype(dtype) if sys.byteorder == "little" else np.dtype(dtype).newbyteorder())
    here = (grid.row, grid.col)
    for call in (lambda: grid.send(other, here), lambda: grid.recv(other, here), lambda: grid.broadcast(other), lambda: grid.sum(other),
                 lambda: grid.max_abs(other, places=True), lambda: grid.bit_or(other)):
        with pytest.raises(TypeError, match="byte order"):
            call()
    with pytest.raises(TypeError, match="byte order"):
        openblacs.DistributedMatrix(grid, (2, 2), dtype=other.dtype)
    with pytest.raises(TypeError, match="byte order"):
        openblacs.DistributedMatrix.from_numpy(grid, other)
