"""Distributed matrices beside numpy, with ScaLAPACK and with our LU in supersteps."""
import numpy as np
import pytest

import openblacs
from openblacs import DistributedMatrix, _matrix_market, _scalapack

TYPES = ["float32", "float64", "complex64", "complex128"]
SHAPES = [(13, 13, 3), (9, 14, 2), (14, 9, 4), (5, 5, 8), (1, 1, 2)]


def some(random, m, n, dtype):
    a = random.standard_normal((m, n)) + (1j * random.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else 0)
    return a.astype(dtype)


def near(a, b, dtype):
    np.testing.assert_allclose(a, b, atol=3e-4 if dtype in ("float32", "complex64") else 1e-11)


@pytest.fixture(params=["scalapack", "supersteps"])
def way(request):
    """With the ScaLAPACK of this process's MPI, which the tests need, or with none."""
    if request.param == "supersteps":
        openblacs.use_scalapack(None)
    assert (_scalapack.scalapack() is None) == (request.param == "supersteps")
    yield request.param
    _scalapack._scalapack = _scalapack._unknown


@pytest.mark.parametrize("m, n, block", SHAPES + [(0, 4, 2), (7, 5, (2, 3))])
def test_a_matrix_goes_out_and_comes_back(grid, random, m, n, block):
    a = some(random, m, n, "complex128")
    everywhere = DistributedMatrix.from_numpy(grid, a, block)
    last = (grid.nprow - 1, grid.npcol - 1)
    at_last = (grid.row, grid.col) == last
    scattered = DistributedMatrix.scatter(grid, a if at_last else None, last, block)
    np.testing.assert_array_equal(everywhere.local, scattered.local)
    np.testing.assert_array_equal(everywhere.local, a[np.ix_(everywhere.rows, everywhere.columns)])
    whole = scattered.gather(last)
    assert (whole is not None) == at_last
    if at_last:
        np.testing.assert_array_equal(whole, a)
    np.testing.assert_array_equal(scattered.to_numpy(), a)
    by_function = DistributedMatrix.from_function(grid, (m, n), lambda i, j: 10 * i + j, block)
    np.testing.assert_array_equal(by_function.to_numpy(), np.fromfunction(lambda i, j: 10 * i + j, (m, n)))


def test_the_parts_are_scalapacks(grid):
    a = DistributedMatrix(grid, (23, 17), (3, 2))
    assert list(a.desc) == [1, grid.context, 23, 17, 3, 2, 0, 0, max(1, a.rows.size)]
    if _scalapack.scalapack() is not None:
        import ctypes
        numroc = _scalapack.scalapack().numroc_
        by = lambda k: ctypes.byref(ctypes.c_int(k))
        assert numroc(by(23), by(3), by(grid.row), by(0), by(grid.nprow)) == a.rows.size
        assert numroc(by(17), by(2), by(grid.col), by(0), by(grid.npcol)) == a.columns.size


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n, block", [(13, 3), (5, 8), (40, 4)])
def test_solutions_are_numpys(grid, random, way, dtype, n, block):
    a, b = some(random, n, n, dtype) + n * np.eye(n, dtype=dtype), some(random, n, 3, dtype)
    matrix = DistributedMatrix.from_numpy(grid, a, block)
    near(matrix.solve(b), np.linalg.solve(a, b), dtype)
    near(matrix.solve(b[:, 0]), np.linalg.solve(a, b[:, 0]), dtype)
    near(matrix.solve(DistributedMatrix.from_numpy(grid, b, block)).to_numpy(), np.linalg.solve(a, b), dtype)
    near(matrix.lu().solve(b, trans="T"), np.linalg.solve(a.T, b), dtype)
    np.testing.assert_array_equal(matrix.to_numpy(), a)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m, n, block", SHAPES)
def test_factors_multiply_to_the_matrix(grid, random, way, dtype, m, n, block):
    a = some(random, m, n, dtype)
    lu = DistributedMatrix.from_numpy(grid, a, block).lu()
    near(lu.l().to_numpy() @ lu.u().to_numpy(), a[lu.permutation], dtype)


def test_a_singular_matrix_is_a_linalgerror_on_all(grid, way):
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        DistributedMatrix(grid, (6, 6), 2).solve(np.ones(6))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m, n, block", SHAPES)
def test_qr_cholesky_svd_eigh_and_products(grid, random, dtype, m, n, block):
    a = some(random, m, n, dtype)
    matrix = DistributedMatrix.from_numpy(grid, a, block)
    q, r = (x.to_numpy() for x in matrix.qr())
    near(q @ r, a, dtype)
    near(q.conj().T @ q, np.eye(min(m, n)), dtype)
    near(r, np.triu(r), dtype)
    u, s, vt = matrix.svd()
    near(s, np.linalg.svd(a, compute_uv=False), dtype)
    near(u.to_numpy() * s @ vt.to_numpy(), a, dtype)
    square = a @ a.conj().T + np.eye(m, dtype=dtype)
    matrix = DistributedMatrix.from_numpy(grid, square, block)
    near(matrix.cholesky().to_numpy(), np.linalg.cholesky(square), dtype)
    w, v = matrix.eigh()
    near(w / max(w), np.linalg.eigvalsh(square) / max(w), dtype)
    near(square @ v.to_numpy() / max(w), v.to_numpy() * w / max(w), dtype)
    near((matrix @ matrix).to_numpy() / max(w) ** 2, square @ square / max(w) ** 2, dtype)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_matrices_smaller_than_a_block_or_than_the_grid(grid, random, n):
    a = some(random, n, n + 1, "float64")
    u, s, vt = DistributedMatrix.from_numpy(grid, a).svd()
    near(s, np.linalg.svd(a, compute_uv=False), "float64")
    near(u.to_numpy() * s @ vt.to_numpy(), a, "float64")
    near(DistributedMatrix.from_numpy(grid, a @ a.T).eigh()[0], np.linalg.eigvalsh(a @ a.T), "float64")


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n, block", [(30, 16), (30, 64), (45, 16), (70, 32)])
def test_eigenvectors_of_few_blocks(grid, random, dtype, n, block):
    a = some(random, n, n, dtype)
    a = a + a.conj().T
    w, v = DistributedMatrix.from_numpy(grid, a, block).eigh()
    near(a @ v.to_numpy() / max(w), v.to_numpy() * w / max(w), dtype)


def test_what_does_not_fit_is_said(grid):
    a = DistributedMatrix(grid, (6, 4), 2)
    with pytest.raises(ValueError, match="square"):
        a.cholesky()
    with pytest.raises(ValueError, match="do not fit"):
        a @ a
    with pytest.raises(ValueError, match="no getrf of elements of type int64"):
        DistributedMatrix(grid, (3, 3), 2, int).lu()
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        DistributedMatrix.from_numpy(grid, -np.eye(5), 2).cholesky()


@pytest.mark.parametrize("dtype, other", [("float64", "complex128"), ("float32", "complex64"), ("int64", "float64"), ("int32", "complex64")])
def test_no_number_loses_a_part_of_it_in_silence(grid, random, dtype, other):
    with pytest.raises(ValueError, match="the function gives elements of type %s, which .* %s cannot hold" % (other, dtype)):
        DistributedMatrix.from_function(grid, (6, 6), lambda i, j: (i + 1.5 * j).astype(other), 2, dtype)
    if dtype[0] == "f":
        b = some(random, 6, 1, other)
        a = DistributedMatrix.from_numpy(grid, np.eye(6, dtype=dtype), 2)
        for wrong in (b, b[:, 0], list(b[:, 0])):
            with pytest.raises(ValueError, match="right-hand side has elements of type complex"):
                a.solve(wrong)
        with pytest.raises(ValueError, match="does not fit"):
            a.solve(DistributedMatrix.from_numpy(grid, b, 2))
        with pytest.raises(ValueError, match="do not fit"):
            a @ DistributedMatrix.from_numpy(grid, b, 2)
        near(a.solve(b.real.astype(float)), b.real, "float32")
        assert a.solve([1, 2, 3, 4, 5, 6]).dtype == dtype
    with pytest.raises(TypeError):
        DistributedMatrix(grid, (3.5, 2))
    assert DistributedMatrix(grid, (3, 2), np.int64(2)).block == (2, 2)


WRONG_MATRICES = {
    "a number as shape": (TypeError, "shape is 5; it must be two integers", dict(shape=5)),
    "half a row": (TypeError, r"shape is \(1.5, 2\)", dict(shape=(1.5, 2))),
    "three dimensions": (TypeError, "shape is .*two integers", dict(shape=(1, 2, 3))),
    "a row less than none": (ValueError, "shape is", dict(shape=(-1, 2))),
    "more rows than an integer holds": (ValueError, "sizes must be 0 to 2147483647", dict(shape=(2**31, 2))),
    "objects": (TypeError, "Python objects", dict(dtype=object)),
    "texts": (TypeError, "numbers as elements", dict(dtype="U3")),
    "a type that is none": (TypeError, "", dict(dtype="nonsense")),
    "a block of 10**12": (ValueError, "blocks 1 to 2147483647", dict(block=10**12)),
    "a block of 0": (ValueError, "blocks 1 to", dict(block=(0, 1))),
    "half a block": (TypeError, "block is", dict(block=2.5)),
    "three blocks": (TypeError, "block is .* must be an integer or two integers", dict(block=(1, 2, 3))),
}


@pytest.mark.parametrize("what", WRONG_MATRICES)
def test_wrong_matrices_are_valueerrors_or_typeerrors(grid, what):
    kind, why, how = WRONG_MATRICES[what]
    with pytest.raises(kind, match=why):
        DistributedMatrix(grid, **{"shape": (4, 4), "block": 2, **how})


def test_what_is_no_grid_or_no_matrix_is_refused(grid):
    with pytest.raises(TypeError, match="grid is None"):
        DistributedMatrix(None, (2, 2))
    with pytest.raises(ValueError, match=r"shape \(1, 1, 1\) is no matrix"):
        DistributedMatrix.from_numpy(grid, np.zeros((1, 1, 1)))
    for wrong in (1.0, np.zeros((2, 1, 1))):
        with pytest.raises(ValueError, match="must be a vector or a matrix"):
            DistributedMatrix.from_numpy(grid, np.eye(2)).solve(wrong)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 9])
def test_eigenvalues_and_singular_values_of_no_numbers_are_a_linalgerror_on_all(grid, dtype, value, n):
    a = np.eye(n, dtype=dtype)
    a[n // 2, n // 2] = value
    matrix = DistributedMatrix.from_numpy(grid, a, 2)
    for find in (matrix.eigh, matrix.svd, lambda: matrix.solve(np.ones(n))):
        with pytest.raises(np.linalg.LinAlgError, match="infinite or no numbers"):
            find()
    a[n // 2, n // 2] = 1
    a[np.triu_indices(n, 1)] = value  # is not looked at
    near(DistributedMatrix.from_numpy(grid, a, 2).eigh()[0], np.ones(n), dtype)


def test_a_product_or_a_solution_says_why_two_matrices_do_not_fit(grid):
    a = DistributedMatrix(grid, (6, 6), 2)
    with openblacs.Grid() as another:
        for why, b in (("types are float64 and float32", DistributedMatrix(grid, (6, 6), 2, np.float32)),
                       ("rows are 6 and 5", DistributedMatrix(grid, (5, 6), 2)), ("of rows are 2 and 3", DistributedMatrix(grid, (6, 6), 3)),
                       ("grids are", DistributedMatrix(another, (6, 6), 2))):
            with pytest.raises(ValueError, match="do not fit for a product: their .*" + why):
                a @ b
        for why, b in (("types are float32 and float64", DistributedMatrix(grid, (6, 1), 2, np.float32)),
                       ("numbers of rows are 5 and 6", DistributedMatrix(grid, (5, 1), 2)), ("blocks of rows are 3 and 2", DistributedMatrix(grid, (6, 1), 3)),
                       ("grids are", DistributedMatrix(another, (6, 1), 2))):
            with pytest.raises(ValueError, match="right-hand side .* does not fit to .*: their .*" + why):
                a.solve(b)


@pytest.mark.parametrize("b", [np.ones(5), np.ones((7, 1)), np.ones(6, complex), np.ones((6, 1, 1)), None])
def test_a_right_hand_side_is_looked_at_before_the_matrix(grid, b):
    with pytest.raises(ValueError, match=r"right-hand side .*\[OB-96\d\d\]$"):
        DistributedMatrix.from_numpy(grid, np.full((6, 6), np.nan), 2).solve(b)


@pytest.mark.parametrize("other", [np.eye(6), np.ones(6), 3, [[1]], None])
def test_products_with_what_is_no_distributed_matrix_are_a_typeerror(grid, other):
    a = DistributedMatrix(grid, (6, 6), 2)
    for product in (lambda: a @ other, lambda: other @ a):
        with pytest.raises(TypeError, match="both must be DistributedMatrix"):
            product()


@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3)])
def test_no_equations_have_an_empty_solution(grid, way, shape):
    x = DistributedMatrix(grid, (0, 0)).solve(np.zeros(shape))
    assert x.shape == shape and x.dtype == float


def out_of_three(i, j):
    return np.zeros(3)[3 if 0 in i and 0 in j else 0] + i + j


def too_large_to_gather(grid):
    a = DistributedMatrix(grid, (4, 4), 2)
    a.shape = (1 << 24, 1 << 24)
    return a


AT_ONE = {
    "a file that does not exist": (FileNotFoundError, lambda grid, one: DistributedMatrix.read(grid, "/nowhere/a.mtx")),
    "a folder that does not exist": (FileNotFoundError, lambda grid, one: DistributedMatrix(grid, (4, 4), 2).write("/nowhere/a.mtx")),
    "None to scatter": (ValueError, lambda grid, one: DistributedMatrix.scatter(grid, None)),
    "objects to scatter": (ValueError, lambda grid, one: DistributedMatrix.scatter(grid, np.array([[{}]]) if one else None)),
    "texts to scatter": (ValueError, lambda grid, one: DistributedMatrix.scatter(grid, np.array([["a"]]) if one else None)),
    "three dimensions": (ValueError, lambda grid, one: DistributedMatrix.scatter(grid, np.zeros((2, 2, 2)) if one else None)),
    "a function": (IndexError, lambda grid, one: DistributedMatrix.from_function(grid, (8, 8), out_of_three, 2)),
    "a small svd": (np.linalg.LinAlgError, lambda grid, one: DistributedMatrix.from_numpy(grid, np.full((1, 1), np.nan)).svd()),
    "no memory": (MemoryError, lambda grid, one: too_large_to_gather(grid).gather()),
    "objects to gather": (TypeError, lambda grid, one: DistributedMatrix(grid, (5, 1), 1, object).gather()),
}


@pytest.mark.parametrize("what", AT_ONE)
def test_what_fails_on_one_process_is_raised_on_all_and_the_next_call_is_the_same_on_all(grid, what):
    kind, call = AT_ONE[what]
    for turn in range(3):
        try:
            call(grid, grid.row == grid.col == 0)
            found = None
        except Exception as error:
            found = error
        # Numbers of other sizes than those that the call itself has on its way.
        assert grid.broadcast(np.full(5, turn, np.int16) if grid.row == grid.col == 0 else np.zeros(5, np.int16))[4] == turn
        if what != "a small svd" or grid.nprow * grid.npcol > 1:
            assert type(found).__mro__.index(kind) >= 0
            assert grid.min(len(str(found))) == len(str(found))


def test_an_exception_that_cannot_travel_is_an_error_with_its_type_and_text(grid):
    class Own(Exception):
        pass

    def function(i, j):
        raise Own("no value") if 0 in i and 0 in j else KeyError("another")
    with pytest.raises((Own, KeyError, openblacs.Error), match="no value|another"):
        DistributedMatrix.from_function(grid, (8, 8), function, 2)
    with pytest.raises((Own, openblacs.Error), match="^(Own: )?no value$"):
        DistributedMatrix.from_function(grid, (8, 8), lambda i, j: function(i, j) if 0 in i and 0 in j else i + j, 2)


def test_an_array_of_the_other_byte_order_is_scattered(grid, random):
    a = some(random, 5, 4, "float64")
    scattered = DistributedMatrix.scatter(grid, a.astype(">f8") if grid.row == grid.col == 0 else None, block=2)
    np.testing.assert_array_equal(scattered.to_numpy(), a)


def test_what_is_no_scalapack_is_refused_and_the_one_before_stays(grid):
    before = _scalapack.scalapack()
    for library in ("libc.so.6", "/nowhere/libscalapack.so"):
        with pytest.raises(openblacs.Error, match=library + ".*ScaLAPACK"):
            openblacs.use_scalapack(library)
    assert _scalapack.scalapack() is before


def test_without_scalapack_it_says_what_is_missing(grid):
    openblacs.use_scalapack(None)
    with pytest.raises(openblacs.Error, match="pdorgqr needs ScaLAPACK"):
        DistributedMatrix(grid, (3, 3), 2).qr()
    _scalapack._scalapack = _scalapack._unknown


def test_cholesky_without_scalapack(grid, random):
    openblacs.use_scalapack(None)
    a = some(random, 7, 7, "float64")
    a = a @ a.T + 7 * np.eye(7)
    factor = DistributedMatrix.from_numpy(grid, a, block=2).cholesky()
    np.testing.assert_allclose(factor.to_numpy(), np.linalg.cholesky(a), rtol=1e-12, atol=1e-12)
    _scalapack._scalapack = _scalapack._unknown


FILES = {
    "array real general": ("2 3\n1\n2\n3\n4\n5\n6.5\n", [[1, 3, 5], [2, 4, 6.5]]),
    "array real symmetric": ("% a comment\n2 2\n1\n2\n3\n", [[1, 2], [2, 3]]),
    "coordinate real general": ("% c\n%\n2 3 2\n1 3 2.5\n2 1 -1\n", [[0, 0, 2.5], [-1, 0, 0]]),
    "coordinate pattern symmetric": ("3 3 2\n2 1\n3 3\n", [[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
    "coordinate complex hermitian": ("2 2 2\n1 1 2 0\n2 1 3 4\n", [[2, 3 - 4j], [3 + 4j, 0]]),
    "coordinate integer skew-symmetric": ("2 2 1\n2 1 7\n", [[0, -7], [7, 0]]),
    "array complex general": ("1 2\n1 2\n3 4\n", [[1 + 2j, 3 + 4j]]),
    "array integer skew-symmetric": ("3 3\n1\n2\n3\n", [[0, -1, -2], [1, 0, -3], [2, 3, 0]]),
}


@pytest.mark.parametrize("kind", FILES)
def test_files_of_matrix_market_are_read(kind, folder):
    path = folder / "a.mtx"
    path.write_text("%%MatrixMarket matrix " + kind + "\n" + FILES[kind][0])
    np.testing.assert_array_equal(_matrix_market.read_plainly(str(path)), FILES[kind][1])
    np.testing.assert_array_equal(_matrix_market.read(str(path)), FILES[kind][1])


def test_an_array_may_have_several_numbers_on_a_line(folder):
    path = folder / "a.mtx"
    path.write_text("%%MatrixMarket matrix array real general\n2 3\n1 2 3\n4\n5 6\n")
    np.testing.assert_array_equal(_matrix_market.read_plainly(str(path)), [[1, 3, 5], [2, 4, 6]])
    path.write_text("%%MatrixMarket matrix array complex general\n1 2\n1\n2 3 4\n")
    np.testing.assert_array_equal(_matrix_market.read_plainly(str(path)), [[1 + 2j, 3 + 4j]])


def test_files_that_are_none_are_refused(folder):
    path = folder / "a.mtx"
    array, coordinate = ("%%MatrixMarket matrix " + kind + " real general\n" for kind in ("array", "coordinate"))
    for text, why in (("2 2\n", "first line"), (array + "2 2\n1\n2\n3\n", "has 3 numbers"),
                      (array + "% a comment\n2 2\n1\n2\nx\n4\n", "line 6: 'x' is no number"), (array + "2 x\n", "line 2: 'x' is no number"),
                      (array + "2\n", "line 2: .*2 sizes"), (array, "2 sizes"),
                      (coordinate.replace("general", "symmetric") + "2 2 2\n2 1 5\n1 2 5\n", "line 4: row 1 and column 2: a symmetric"),
                      (coordinate.replace("general", "skew-symmetric") + "2 2 1\n1 1 5\n", "line 3: row 1 and column 1: a skew-symmetric"),
                      (coordinate + "2 2 1\n3 1 1\n", "outside the 2 x 2"), (coordinate + "2 2 2\n1 1 1\n\n1 3 1\n", "line 5: .*outside the 2 x 2"),
                      (coordinate + "2 2 2\n1 1 1\n1.5 2 1\n", "line 4: .*outside the 2 x 2"), (coordinate + "2 2 2\n1 1 1\n1 2\n", "line 4: found 2 numbers, not 3"),
                      (coordinate + "2 2 1\n7\n", r"line 3: found 1 number, not 3 numbers \[OB-9623\]$"), (array + "1 2\n7\n", "it has 1 number behind its sizes, not 2"),
                      (array + "99999999999999999999 2\n", "line 2: 99999999999999999999 is too large"),
                      (coordinate.replace("general", "symmetric") + "% c\n3 2 1\n1 1 1\n", "line 3: a symmetric matrix .*not 3 x 2"),
                      (array.replace("general", "symmetric") + "3 2\n1\n", "line 2: a symmetric matrix .*not 3 x 2")):
        path.write_text(text)
        with pytest.raises(ValueError, match=why):
            _matrix_market.read_plainly(str(path))


def test_a_file_that_is_none_is_refused_with_or_without_scipy(grid, folder):
    path = folder / "a.mtx"
    path.write_text("no matrix\n")
    with pytest.raises(ValueError, match=r"a\.mtx: .* \[OB-9623\]$"):
        DistributedMatrix.read(grid, str(path))


def numpy_of(text):
    return np.frombuffer(text.encode().ljust(200), np.uint8).copy()


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_a_matrix_is_written_and_read_with_all_digits(grid, random, dtype, folder):
    name = numpy_of(str(folder)) if grid.row == grid.col == 0 else np.zeros(200, np.uint8)
    path = bytes(grid.broadcast(name)).decode().rstrip() + "/a.mtx"
    a = (some(random, 5, 7, "complex128" if dtype[0] == "c" else "float64") * 100).astype(dtype)
    DistributedMatrix.from_numpy(grid, a, 2).write(path)
    np.testing.assert_array_equal(DistributedMatrix.read(grid, path, 3).to_numpy(), a)
    grid.barrier()
