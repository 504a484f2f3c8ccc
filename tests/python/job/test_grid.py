"""Grids, messages, broadcasts and combines, beside what numpy finds."""
import numpy as np
import pytest

import openblacs

REAL = ["int32", "int64", "float32", "float64", "int8", "uint64"]
ALL = REAL + ["complex64", "complex128"]


def everybody(grid, shape, dtype, seed=5):
    """What every process holds, [row, column, ...]; the same on all processes."""
    values = np.random.default_rng(seed).integers(1, 4, (grid.nprow, grid.npcol) + shape)
    if np.dtype(dtype).kind == "c":
        return (values + 1j * values[..., ::-1]).astype(dtype)
    return values.astype(dtype)


def in_scope(grid, everything, scope):
    """What the processes of the caller's scope hold, along one axis."""
    if scope == "row":
        return everything[grid.row]
    if scope == "column":
        return everything[:, grid.col]
    return everything.reshape((-1,) + everything.shape[2:])


def test_processes_fill_a_grid_by_rows_or_by_columns():
    me, count, _ = openblacs.pinfo()
    rows, columns = openblacs.square(count)
    with openblacs.Grid() as grid:
        assert (grid.nprow, grid.npcol) == (rows, columns)
        assert (grid.row, grid.col) == divmod(me, columns)
    with openblacs.Grid(rows, columns, order="column") as grid:
        assert (grid.col, grid.row) == divmod(me, rows)
    with openblacs.Grid(processes=np.arange(count)[::-1].reshape(rows, columns)) as grid:
        assert (grid.row, grid.col) == divmod(count - 1 - me, columns)
        assert grid.sum(1) == count


def test_who_is_not_in_a_grid_gets_one_that_is_false():
    with openblacs.Grid(1, 1) as grid:
        assert bool(grid) == (openblacs.pinfo().number == 0)
        if not grid:
            assert (grid.row, grid.col) == (-1, -1)
            with pytest.raises(openblacs.Error, match="does not have this process"):
                grid.barrier()


def test_wrong_arguments_are_exceptions(grid):
    count = openblacs.pinfo().size
    with pytest.raises(ValueError, match="needs %d processes; there are %d" % (count + 1, count)):
        openblacs.Grid(1, count + 1)
    if openblacs.pinfo().launcher == "alone":
        with pytest.raises(ValueError, match=r"there are 1; start the program with obrun -n 6 python3 .* \[OB-1011\]$"):
            openblacs.Grid(2, 3)
    with pytest.raises(ValueError, match="both nprow and npcol"):
        openblacs.Grid(1)
    with pytest.raises(ValueError, match="order is 'Z'"):
        openblacs.Grid(1, 1, order="Z")
    with pytest.raises(ValueError, match=r"no process \(0, 99\)"):
        grid.send(1, (0, 99))
    with pytest.raises(ValueError, match="scope is 'diagonal'"):
        grid.sum(1, scope="diagonal")
    with pytest.raises(ValueError, match="topology is 'x'"):
        grid.sum(1, topology="x")
    for name, dtype in (("max", complex), ("min", np.complex64), ("max", np.clongdouble)):
        with pytest.raises(TypeError, match="no %s of complex numbers.*use %s_abs" % (name, name)):
            getattr(grid, name)(np.zeros(3, dtype))
    with pytest.raises(openblacs.Error, match="twice|distinct|second"):
        openblacs.Grid(processes=[[openblacs.pinfo().number] * 2])


WRONG_GRIDS = {
    "no processes": (ValueError, "list of numbers", dict(processes=[])),
    "no columns": (ValueError, "list of numbers", dict(processes=[[]])),
    "half a process": (ValueError, "list of process numbers", dict(processes=[[0.5]])),
    "a text": (ValueError, "list of process numbers", dict(processes=["0"])),
    "one number": (ValueError, "list of numbers", dict(processes=0)),
    "rows of different lengths": (ValueError, "same length", dict(processes=[[0], [0, 0]])),
    "three dimensions": (ValueError, "list of numbers", dict(processes=[[[0]]])),
    "process -1": (ValueError, "there are processes 0 to", dict(processes=[-1])),
    "process 10**6": (ValueError, "there are processes 0 to", dict(processes=[[10**6]])),
    "sizes that contradict": (ValueError, "nprow is 3 and npcol 1", dict(nprow=3, npcol=1, processes=[[0]])),
    "nprow 1.5": (TypeError, "nprow is 1.5; it must be an integer", dict(nprow=1.5, npcol=2)),
    "npcol 'a'": (TypeError, "npcol is 'a'; it must be an integer", dict(nprow=1, npcol="a")),
    "nprow 0": (ValueError, "at least 1", dict(nprow=0, npcol=1)),
    "comm 3": (TypeError, "comm is 3; it must be a communicator", dict(comm=3)),
    "a list as sums": (ValueError, "sums is", dict(sums=[1])),
    "a list as order": (ValueError, "order is", dict(order=["row"])),
}


@pytest.mark.parametrize("what", WRONG_GRIDS)
def test_wrong_grids_are_valueerrors_or_typeerrors(what):
    kind, why, how = WRONG_GRIDS[what]
    with pytest.raises(kind, match=why):
        openblacs.Grid(**how)
    with openblacs.Grid(np.int64(1), np.uint8(1)) as grid:
        assert (grid.nprow, grid.npcol) == (1, 1)


@pytest.mark.parametrize("place", [1.0, "a", (0, 0, 0), (0,), (0.0, 0), (0, "0"), [0, 0], np.float64(0), np.zeros(2, int), {}])
def test_what_is_no_place_is_a_typeerror(grid, place):
    a = np.zeros(1)
    for call in (grid.send, grid.recv, grid.broadcast, grid.sum, grid.max_abs):
        with pytest.raises(TypeError, match="the place of a process is .*must be"):
            call(a, place)


def test_integers_of_numpy_are_places(grid):
    here, number = (np.int64(grid.row), np.int32(grid.col)), np.uint8(grid.row * grid.npcol + grid.col)
    a = np.zeros(1)
    grid.send(1.0, here)
    grid.recv(a, number)
    assert a[0] == 1
    for place in (-1, 99, np.int64(-1), (-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="no process"):
            grid.send(a, place)
    for scope, count in (("row", grid.npcol), ("column", grid.nprow)):
        with pytest.raises(ValueError, match="no process"):
            grid.broadcast(a, count, scope)
    with pytest.raises(TypeError, match="topology is 3"):
        grid.sum(a, topology=3)


def test_a_square_needs_a_number_of_processes():
    with pytest.raises(ValueError, match="count is 0"):
        openblacs.square(0)
    with pytest.raises(TypeError, match="count is 1.5"):
        openblacs.square(1.5)


class Communicator:
    def py2f(self):
        return 0


def test_a_communicator_needs_mpirun():
    if openblacs.pinfo().launcher != "mpi":
        with pytest.raises(ValueError, match="comm= needs mpirun"):
            openblacs.Grid(comm=Communicator())


def test_a_closed_grid_says_so():
    grid = openblacs.Grid()
    grid.close()
    grid.close()
    with pytest.raises(openblacs.Error, match="closed"):
        grid.send(1, (0, 0))
    with pytest.raises(openblacs.Error, match="closed"):
        grid.sum(1)


def test_a_message_of_another_size_or_type_is_an_error_with_both(grid):
    here = (grid.row, grid.col)
    grid.send(np.zeros(3), here)
    with pytest.raises(openblacs.Error, match="3.*4|4.*3|24.*32|32.*24") as caught:
        grid.recv(np.zeros(4), here)
    assert caught.value.status == -3
    grid.send(np.zeros(3, np.float32), here)
    with pytest.raises(openblacs.Error) as caught:
        grid.recv(np.zeros(3, np.int32), here)
    assert caught.value.status == -3


def test_a_receive_from_anybody_says_who(grid):
    if (grid.row, grid.col) != (0, 0):
        grid.send(np.array([grid.row, grid.col]), (0, 0))
        return
    seen = set()
    for _ in range(grid.nprow * grid.npcol - 1):
        said = np.zeros(2, int)
        seen.add(grid.recv(said))
        assert tuple(said) in seen
    assert len(seen) == grid.nprow * grid.npcol - 1


@pytest.mark.parametrize("scope", ["all", "row", "column"])
@pytest.mark.parametrize("topology", [" ", "i", "d", "s", "m", "h", "f", "t", "3"])
def test_a_broadcast_reaches_the_scope(grid, scope, topology):
    mine = everybody(grid, (4, 6), "float64")
    root = (grid.nprow - 1, grid.npcol - 1)
    a = np.zeros((6, 9))
    a[1:5, 2:8] = mine[grid.row, grid.col]
    assert grid.broadcast(a[1:5, 2:8], root, scope, topology) is not None
    row = grid.row if scope == "row" else root[0]
    column = grid.col if scope == "column" else root[1]
    np.testing.assert_array_equal(a[1:5, 2:8], mine[row, column])
    assert a[0].sum() == a[5].sum() == a[:, :2].sum() == a[:, 8].sum() == 0
    assert grid.broadcast(grid.row * 100 + grid.col, 0, scope) == (grid.row * 100 if scope == "row" else grid.col if scope == "column" else 0)


@pytest.mark.parametrize("scope", ["all", "row", "column"])
@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_and_products_are_numpys(grid, scope, dtype, order):
    everything = everybody(grid, (3, 5), dtype)
    for name in ("sum", "product"):
        a = np.array(everything[grid.row, grid.col], order=order)
        getattr(grid, name)(a, scope=scope)
        held = in_scope(grid, everything, scope)
        expected = held.sum(0, dtype=dtype) if name == "sum" else held.prod(0, dtype=dtype)
        np.testing.assert_allclose(a, expected, rtol=1e-5)


@pytest.mark.parametrize("dtype", REAL)
def test_extremes_are_numpys_and_come_to_one_process(grid, dtype):
    everything = everybody(grid, (7,), dtype)
    last = (grid.nprow - 1, grid.npcol - 1)
    for name in ("max", "min"):
        a = everything[grid.row, grid.col].copy()
        getattr(grid, name)(a, last)
        if (grid.row, grid.col) == last:
            np.testing.assert_array_equal(a, getattr(in_scope(grid, everything, "all"), name)(0))


def test_sums_of_half_precision_are_rounded_once(grid):
    count = grid.nprow * grid.npcol
    a = np.full((3, 2), 2048 if grid.row == grid.col == 0 else 1, np.float16)
    np.testing.assert_array_equal(grid.sum(a), np.full((3, 2), 2048 + count - 1).astype(np.float16))
    assert a.dtype == np.float16
    mine = grid.row * grid.npcol + grid.col
    assert grid.max(np.float16(mine + 0.5)) == count - 0.5
    assert grid.min(np.float16(mine + 0.5)) == 0.5
    assert grid.product(np.float16(2)) == 2**count


@pytest.mark.parametrize("scope", ["all", "row", "column"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_max_abs_says_where_each_element_came_from(grid, scope, order):
    count = grid.nprow * grid.npcol
    everything = np.random.default_rng(3).permutation(count * 12).reshape(grid.nprow, grid.npcol, 3, 4) - count * 6.25
    a, rows, columns = grid.max_abs(np.array(everything[grid.row, grid.col], order=order), scope=scope, places=True)
    held = in_scope(grid, everything, scope)
    np.testing.assert_array_equal(abs(a), abs(held).max(0))
    np.testing.assert_array_equal(everything[rows, columns, np.arange(3)[:, None], np.arange(4)], a)
    np.testing.assert_array_equal(abs(grid.min_abs(everything[grid.row, grid.col].copy(), scope=scope)), abs(held).min(0))


def test_bits_and_truth(grid):
    count = grid.nprow * grid.npcol
    me = grid.row * grid.npcol + grid.col
    assert grid.bit_or(1 << me) == (1 << count) - 1
    assert list(grid.bit_and(np.array([True, me > 0]))) == [True, False]
    assert list(grid.bit_xor(np.array([True]))) == [count % 2 == 1]


def test_reproducible_sums_have_the_same_bits_on_any_grid():
    count = openblacs.pinfo().size
    value = np.random.default_rng(openblacs.pinfo().number).standard_normal(100) * 1e10 ** np.arange(-2, 2).repeat(25)
    sums = []
    for shape, topology in (((1, count), " "), ((count, 1), "h"), ((count, 1), "1")):
        with openblacs.Grid(*shape, sums="reproducible") as grid:
            sums.append(grid.sum(value.copy(), topology=topology))
    assert sums[0].tobytes() == sums[1].tobytes() == sums[2].tobytes()


def test_matrices_in_different_orders_are_an_error_on_all(grid):
    if grid.nprow * grid.npcol == 1:
        grid.sum(np.zeros((2, 3)))
        return
    mine = np.zeros((2, 3), order="C" if grid.row == grid.col == 0 else "F")
    with pytest.raises(openblacs.Error, match="different orders"):
        grid.broadcast(mine)
    with pytest.raises(openblacs.Error, match="different orders"):
        grid.sum(mine)
    assert grid.sum(1) == grid.nprow * grid.npcol


def test_two_grids_do_not_see_each_others_messages():
    with openblacs.Grid() as one, openblacs.Grid() as other:
        here = (one.row, one.col)
        one.send(1, here)
        other.send(2, here)
        got = np.zeros((), int)
        other.recv(got, here)
        assert got == 2
        one.recv(got, here)
        assert got == 1
        one.barrier()


def test_grids_can_be_made_without_end():
    for turn in range(300):
        with openblacs.Grid() as grid:
            if turn % 100 == 0:
                assert grid.sum(1) == grid.nprow * grid.npcol


def test_the_context_is_one_of_the_blacs(grid):
    from ctypes import byref, c_int

    from openblacs._library import lib
    rows, columns, row, column = c_int(), c_int(), c_int(), c_int()
    lib.Cblacs_gridinfo(grid.context, byref(rows), byref(columns), byref(row), byref(column))
    assert (rows.value, columns.value, row.value, column.value) == (grid.nprow, grid.npcol, grid.row, grid.col)


def test_a_communicator_and_numbers_of_processes_are_not_both_given():
    with pytest.raises(ValueError, match="not of both"):
        openblacs.Grid(comm=object(), processes=[0])


def test_process_numbers_are_whole_numbers():
    with pytest.raises(ValueError, match="list of process numbers"):
        openblacs.Grid(processes=[0.5])
