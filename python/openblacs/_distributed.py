"""Matrices in ScaLAPACK's block-cyclic distribution, and what ScaLAPACK does with them."""
from operator import index
from typing import Any, Callable, Optional, Tuple, Union

import numpy as np

from . import _matrix_market
from ._arrays import native
from ._grid import Grid, Place
from ._library import Error
from ._scalapack import LETTERS, call, with_space
from ._together import at, together

Array = np.ndarray[Any, Any]
BLOCK = 64
_LARGEST = 2**31 - 1  # that ScaLAPACK's integers hold


def _sizes(name: str, value: Any) -> Tuple[int, int]:
    """Two whole numbers. TypeError: it is something else."""
    try:
        first, second = (index(k) for k in value)
        return first, second
    except (TypeError, ValueError):
        raise TypeError("%s is %r; it must be %stwo integers [OB-9613]" % (name, value, "an integer or " if name == "block" else "")) from None


def own_indices(n: int, block: int, place: int, places: int) -> Array:
    """Which of n rows (columns) the process row (column) place of places has (numroc, indxl2g)."""
    every = np.arange(n)
    mine: Array = every[every // block % places == place]
    return mine


class DistributedMatrix:
    """An m x n matrix of zeros on a grid: blocks of block rows and columns, dealt out in both directions in turn.

    local is this process's part, in Fortran's order, to be read and written; rows and columns are the indices in the whole
    matrix of its rows and columns. desc is ScaLAPACK's descriptor. block is a number, or (mb, nb); the factorisations need
    square blocks. All processes of the grid make a matrix, and call its methods, alike. Results are new matrices.
    ValueError: sizes, types or distributions that do not fit. numpy.linalg.LinAlgError: a singular matrix and the like.
    """

    def __init__(self, grid: Grid, shape: Tuple[int, int], block: Union[int, Tuple[int, int]] = BLOCK, dtype: Any = float) -> None:
        if not isinstance(grid, Grid):
            raise TypeError("grid is %r; it must be a Grid [OB-9613]" % (grid,))
        if not grid:
            raise Error("this process is not in the grid; ask 'if grid:' first [OB-1016]")
        m, n = _sizes("shape", shape)
        mb, nb = _sizes("block", block if isinstance(block, (tuple, list)) else (block, block))
        if not 0 <= min(m, n) <= max(m, n) <= _LARGEST or not 1 <= min(mb, nb) <= max(mb, nb) <= _LARGEST:
            raise ValueError("shape is %s and block %s; sizes must be 0 to %d, blocks 1 to %d [OB-9624]" % ((m, n), (mb, nb), _LARGEST, _LARGEST))
        native(np.dtype(dtype))
        if np.dtype(dtype).kind not in "biufc":
            raise TypeError("a matrix has numbers as elements, not %s%s [OB-9611]" % (np.dtype(dtype), " (Python objects)" if np.dtype(dtype).hasobject else ""))
        self.grid, self.shape, self.block, self.dtype = grid, (m, n), (mb, nb), np.dtype(dtype)
        self.rows = own_indices(m, mb, grid.row, grid.nprow)
        self.columns = own_indices(n, nb, grid.col, grid.npcol)
        # Memory that ScaLAPACK may point at exists also where there are no elements.
        self._memory = np.zeros(max(1, self.rows.size) * max(1, self.columns.size), self.dtype)
        self.local: Array = self._memory.reshape((max(1, self.rows.size), max(1, self.columns.size)), order="F")[:self.rows.size, :self.columns.size]

    def __repr__(self) -> str:
        return "<DistributedMatrix %d x %d of %s, blocks %d x %d, on %r>" % (self.shape + (self.dtype,) + self.block + (self.grid,))

    @property
    def desc(self) -> Array:
        """ScaLAPACK's descriptor: type 1, context, m, n, mb, nb, first process row and column, leading dimension."""
        return np.array([1, self.grid.context, *self.shape, *self.block, 0, 0, max(1, self.rows.size)], np.int32)

    # ------------------------------------------------- from and to elsewhere

    @classmethod
    def from_numpy(cls, grid: Grid, a: Any, block: Union[int, Tuple[int, int]] = BLOCK) -> "DistributedMatrix":
        """Of an array that every process has; without messages."""
        a = np.atleast_2d(a)
        if a.ndim > 2:
            raise ValueError("an array of shape %s is no matrix [OB-9624]" % (a.shape,))
        made = cls(grid, a.shape, block, a.dtype)
        made.local[...] = a[np.ix_(made.rows, made.columns)]
        return made

    @classmethod
    def from_function(cls, grid: Grid, shape: Tuple[int, int], function: Callable[[Array, Array], Any],
                      block: Union[int, Tuple[int, int]] = BLOCK, dtype: Any = float) -> "DistributedMatrix":
        """Element (i, j) is function(i, j), which is called once, with arrays (as numpy.fromfunction does). What it raises on
        some processes is raised on all. ValueError: it gives what dtype cannot hold, such as complex numbers for float."""
        made = cls(grid, shape, block, dtype)

        def fill() -> None:
            made.local[...] = _fitting(function(made.rows[:, None], made.columns[None, :]), made.dtype, "the function gives")
        together(grid, fill)
        return made

    @classmethod
    def scatter(cls, grid: Grid, a: Optional[Array], root: Place = (0, 0), block: Union[int, Tuple[int, int]] = BLOCK) -> "DistributedMatrix":
        """Of an array that the root alone has (others pass None): one message to each process."""
        position, me = grid._position(root), grid.row * grid.npcol + grid.col
        whole = at(grid, position, lambda: _given(a))
        about = grid.broadcast(np.zeros(3, np.int64) if whole is None else np.array([*whole.shape, _CODES.index(whole.dtype.char)]), root)
        made = together(grid, lambda: cls(grid, (about[0], about[1]), block, _CODES[about[2]]))
        if whole is not None:
            for k in range(grid.nprow * grid.npcol):
                piece = _piece(whole, made, k)
                if k == me:
                    made.local[...] = piece
                elif piece.size:
                    grid.send(piece, k)
        elif made.local.size:
            grid.recv(made.local, position)
        return made

    def gather(self, root: Place = (0, 0)) -> Optional[Array]:
        """The whole matrix on the root, None elsewhere: one message from each process."""
        grid, position = self.grid, self.grid._position(root)
        me = grid.row * grid.npcol + grid.col
        whole: Optional[Array] = at(grid, position, lambda: np.zeros(self.shape, self.dtype))
        if whole is None:
            if self.local.size:
                grid.send(self.local, position)
            return None
        for k in range(grid.nprow * grid.npcol):
            rows, columns = _places(self, k)
            piece = self.local
            if k != me:
                piece = np.zeros((rows.size, columns.size), self.dtype, order="F")
                if piece.size:
                    grid.recv(piece, k)
            whole[np.ix_(rows, columns)] = piece
        return whole

    def to_numpy(self) -> Array:
        """The whole matrix, on every process."""
        result: Array = together(self.grid, lambda: np.zeros(self.shape, self.dtype))
        whole = self.gather(0)
        if whole is not None:
            result = whole
        self.grid.broadcast(result, 0)
        return result

    @classmethod
    def read(cls, grid: Grid, path: str, block: Union[int, Tuple[int, int]] = BLOCK) -> "DistributedMatrix":
        """From a file in Matrix Market's format, which process (0, 0) reads. OSError, ValueError, on all: it cannot be read."""
        return cls.scatter(grid, at(grid, 0, lambda: _matrix_market.read(path)), (0, 0), block)

    def write(self, path: str) -> None:
        """To such a file, which process (0, 0) writes; it is complete when the call comes back. OSError, on all."""
        whole = self.gather()
        together(self.grid, lambda: None if whole is None else _matrix_market.write(path, whole))

    def copy(self) -> "DistributedMatrix":
        return self._like(self.shape, self.local)

    def reblocked(self, block: Union[int, Tuple[int, int]]) -> "DistributedMatrix":
        """The same matrix in blocks of another size (p?gemr2d)."""
        made = DistributedMatrix(self.grid, self.shape, block, self.dtype)
        if made.block == self.block:
            made.local[...] = self.local
        elif min(self.shape):
            call(self._name("gemr2d"), *self.shape, *self._whole(), *made._whole(), self.grid.context)  # it has no INFO to set
        return made

    def _dealt_to_all(self) -> "DistributedMatrix":
        """A copy in blocks so small that each process has some. Where one process has all, P?SYEVD and P?GESVD of ScaLAPACK 2.2
        give wrong values, or none."""
        fair = -(-min(self.shape) // max(self.grid.nprow, self.grid.npcol))
        return self.reblocked(max(1, min(*self.block, fair)))

    def _like(self, shape: Tuple[int, int], local: Any = 0) -> "DistributedMatrix":
        """A matrix of another shape, distributed the same way."""
        made = DistributedMatrix(self.grid, shape, self.block, self.dtype)
        made.local[...] = local
        return made

    # ------------------------------------------------------------ arithmetic

    def _name(self, name: str) -> str:
        """p?name for elements of this type."""
        if self.dtype not in LETTERS:
            raise ValueError("there is no %s of elements of type %s; use float32, float64, complex64 or complex128 [OB-9625]" % (name, self.dtype))
        return "p" + LETTERS[self.dtype] + name

    def _whole(self) -> Tuple[Any, ...]:
        """The matrix as four arguments of ScaLAPACK."""
        return self._memory, 1, 1, self.desc

    def _square(self, what: str) -> int:
        if self.shape[0] != self.shape[1] or self.block[0] != self.block[1]:
            raise ValueError("%s needs a square matrix in square blocks, not %s in %s [OB-9626]" % (what, self.shape, self.block))
        return self.shape[0]

    # numpy leaves products and the like with an array to the methods here.
    __array_ufunc__ = None

    def __matmul__(self, other: "DistributedMatrix") -> "DistributedMatrix":
        """The product (p?gemm). Both have the same grid and type; the columns of the one are as many as the rows of the other, in
        blocks of the same size. TypeError: the other is no DistributedMatrix; ValueError: they do not fit, and why."""
        if not isinstance(other, DistributedMatrix):
            raise TypeError(_NOT_MIXED % type(other).__name__)
        for what, one, two in (("grids", self.grid, other.grid), ("types", self.dtype, other.dtype),
                               ("numbers of columns and of rows", self.shape[1], other.shape[0]),
                               ("blocks of columns and of rows", self.block[1], other.block[0])):
            if one is not two and one != two:
                raise ValueError("%r and %r do not fit for a product: their %s are %s and %s [OB-9627]" % (self, other, what, one, two))
        m, k, n = self.shape[0], self.shape[1], other.shape[1]
        product = DistributedMatrix(self.grid, (m, n), (self.block[0], other.block[1]), self.dtype)
        one, zero = np.ones(1, self.dtype), np.zeros(1, self.dtype)
        if m and n and k:
            call(self._name("gemm"), "N", "N", m, n, k, one, *self._whole(), *other._whole(), zero, *product._whole())
        return product

    def __rmatmul__(self, other: Any) -> "DistributedMatrix":
        raise TypeError(_NOT_MIXED % type(other).__name__)

    def solve(self, b: Any) -> Any:
        """X with A X = B (p?gesv). B: a DistributedMatrix in the blocks of A, or an array that all processes have, a vector or a
        matrix; X is of the same kind. LinAlgError, on all: A is singular, or an element of it infinite or no number."""
        right = _right_side(self, b)
        self._finite(self.local)
        return self.lu().solve(right)

    def lu(self) -> "LU":
        """P A = L U with row exchanges (p?getrf)."""
        if self.block[0] != self.block[1]:
            raise ValueError("lu needs square blocks, not %s [OB-9626]" % (self.block,))
        factors, (m, n) = self.copy(), self.shape
        pivots = np.zeros(self.rows.size + self.block[0], np.int32)
        info = call(self._name("getrf"), m, n, *factors._whole(), pivots) if m and n else 0
        return LU(factors, pivots, info)

    def cholesky(self) -> "DistributedMatrix":
        """The lower triangular L with A = L L^H (p?potrf); A's upper triangle is not looked at. LinAlgError: A is not positive
        definite."""
        n, factor = self._square("cholesky"), self.copy()
        if n and call(self._name("potrf"), "L", n, *factor._whole()):
            raise np.linalg.LinAlgError("the matrix is not positive definite [OB-9628]")
        factor.local[factor.rows[:, None] < factor.columns[None, :]] = 0
        return factor

    def qr(self) -> Tuple["DistributedMatrix", "DistributedMatrix"]:
        """Q (m x k) and R (k x n) with A = Q R, k = min(m, n) (p?geqrf, p?orgqr)."""
        (m, n), factors = self.shape, self.copy()
        k = min(m, n)
        tau = np.zeros(max(1, self.columns.size), self.dtype)
        if not k:
            return self._like((m, k)), self._like((k, n))
        work = {"work": self.dtype}
        with_space(self._name("geqrf"), m, n, *factors._whole(), tau, spaces=work)
        r = self._like((k, n), np.where(self.rows[:, None] <= self.columns[None, :], factors.local, 0)[self.rows < k])
        q = self._like((m, k), factors.local[:, self.columns < k])
        make = "orgqr" if self.dtype.kind == "f" else "ungqr"
        with_space(self._name(make), m, k, k, *q._whole(), tau, spaces=work)
        return q, r

    def _finite(self, part: Array) -> None:
        """LinAlgError on all processes: one of them has an infinite element, or none that is a number, in its part. P?SYEVD and
        P?GESVD fail then on some of the processes alone, and P?GETRF calls the matrix singular."""
        if self.grid.max(int(not np.isfinite(part).all())):
            raise np.linalg.LinAlgError("the matrix has elements that are infinite or no numbers (NaN) [OB-9629]")

    def eigh(self) -> Tuple[Array, "DistributedMatrix"]:
        """Eigenvalues in ascending order, on all processes, and eigenvectors, of a symmetric or Hermitian matrix, whose lower
        triangle is looked at (p?syevd, p?heevd). LinAlgError, on all: an element is infinite or no number."""
        n = self._square("eigh")
        self._finite(self.local[self.rows[:, None] >= self.columns[None, :]])
        a = self._dealt_to_all()
        z = a._like(self.shape)
        w = np.zeros(n, self.dtype.type(0).real.dtype)
        real = self.dtype.kind == "f"
        spaces = {"work": self.dtype, "iwork": np.int32} if real else {"work": self.dtype, "rwork": w.dtype, "iwork": np.int32}
        # What P?SYEVD asks for does not suffice P?ORMTR, of which it ignores the error (ScaLAPACK 2.2).
        more = a.block[0] * (sum(a.local.shape) + 3 * a.block[0])
        # Each process reports of its own part.
        if n and self.grid.max(with_space(self._name("syevd" if real else "heevd"), "V", "L", n, *a._whole(), w, *z._whole(), spaces=spaces, more=more)):
            raise np.linalg.LinAlgError("the eigenvalues have not converged [OB-9630]")
        return w, z.reblocked(self.block)

    def svd(self) -> Tuple["DistributedMatrix", Array, "DistributedMatrix"]:
        """U (m x k), singular values in descending order, on all processes, and V^H (k x n), k = min(m, n) (p?gesvd).
        LinAlgError, on all: an element is infinite or no number."""
        (m, n), k = self.shape, min(self.shape)
        self._finite(self.local)
        if k < self.grid.nprow * self.grid.npcol:
            return self._small_svd()
        a = self._dealt_to_all()
        s, u, vt = np.zeros(k, self.dtype.type(0).real.dtype), a._like((m, k)), a._like((k, n))
        spaces: Any = {"work": self.dtype}
        if self.dtype.kind == "c":
            spaces["rwork"] = np.zeros(1 + 4 * max(m, n), s.dtype)
        if k and self.grid.max(with_space(self._name("gesvd"), "V", "V", m, n, *a._whole(), s, *u._whole(), *vt._whole(), spaces=spaces)):
            raise np.linalg.LinAlgError("the singular values have not converged [OB-9630]")
        return u.reblocked(self.block), s, vt.reblocked(self.block)

    def _small_svd(self) -> Tuple["DistributedMatrix", Array, "DistributedMatrix"]:
        """svd by process (0, 0): of fewer rows or columns than processes P?GESVD finds no singular values (ScaLAPACK 2.2)."""
        self._name("gesvd")
        u = vt = None
        s = np.zeros(min(self.shape), self.dtype.type(0).real.dtype)
        whole = self.gather()
        found = together(self.grid, lambda: None if whole is None else np.linalg.svd(whole, full_matrices=False))
        if found is not None:
            u, s, vt = found
        self.grid.broadcast(s)
        return self.scatter(self.grid, u, 0, self.block), s, self.scatter(self.grid, vt, 0, self.block)


class LU:
    """What lu() gives: P A = L U. factors has L below the diagonal (without its ones) and U on and above it; pivots are
    ScaLAPACK's, for this process's rows; singular is 0, or i where U(i, i) (from 1) is exactly 0."""

    def __init__(self, factors: DistributedMatrix, pivots: Array, singular: int) -> None:
        self.factors, self.pivots, self.singular = factors, pivots, singular

    def solve(self, b: Any, trans: str = "N") -> Any:
        """X with A X = B; trans 'T': A^T X = B, 'C': A^H X = B (p?getrs). B as of DistributedMatrix.solve."""
        a, right = self.factors, _right_side(self.factors, b)
        if self.singular:
            raise np.linalg.LinAlgError("the matrix is singular: U(%d, %d) is exactly 0 [OB-9628]" % (self.singular, self.singular))
        if not isinstance(right, DistributedMatrix):
            columns = DistributedMatrix.from_numpy(a.grid, right[:, None] if right.ndim == 1 else right, a.block)
            return self.solve(columns, trans).to_numpy().reshape(right.shape)
        x = right.copy()
        if min(x.shape):
            call(a._name("getrs"), trans, *x.shape, *a._whole(), self.pivots, *x._whole())
        return x

    @property
    def permutation(self) -> Array:
        """p with A[p] = L U, on all processes."""
        a = self.factors
        m, k = a.shape[0], min(a.shape)
        swaps = np.zeros(m, np.int64)
        swaps[a.rows] = self.pivots[:a.rows.size]
        a.grid.max(swaps, scope="column")
        order = np.arange(m)
        for i in range(k):
            order[[i, swaps[i] - 1]] = order[[swaps[i] - 1, i]]
        return order

    def l(self) -> DistributedMatrix:
        """The lower trapezoid, with its ones."""
        a, k = self.factors, min(self.factors.shape)
        below = np.where(a.rows[:, None] > a.columns[None, :], a.local, a.rows[:, None] == a.columns[None, :])
        return a._like((a.shape[0], k), below[:, a.columns < k])

    def u(self) -> DistributedMatrix:
        """The upper trapezoid."""
        a, k = self.factors, min(self.factors.shape)
        return a._like((k, a.shape[1]), np.where(a.rows[:, None] <= a.columns[None, :], a.local, 0)[a.rows < k])


def _places(a: DistributedMatrix, position: int) -> Tuple[Array, Array]:
    """Rows and columns of another process."""
    row, column = divmod(position, a.grid.npcol)
    return own_indices(a.shape[0], a.block[0], row, a.grid.nprow), own_indices(a.shape[1], a.block[1], column, a.grid.npcol)


def _right_side(a: DistributedMatrix, b: Any) -> Union[Array, DistributedMatrix]:
    """B of A X = B: a DistributedMatrix as it is, anything else as an array of A's type. ValueError: it does not fit to A."""
    n = a._square("solve")
    if not isinstance(b, DistributedMatrix):
        array = _fitting(b, a.dtype, "the right-hand side has")
        if array.ndim not in (1, 2):
            raise ValueError("the right-hand side has shape %s; it must be a vector or a matrix [OB-9624]" % (array.shape,))
        if array.shape[0] != n:
            raise ValueError("the right-hand side has %d rows, and %r %d [OB-9627]" % (array.shape[0], a, n))
        return array
    for what, one, two in (("grids", a.grid, b.grid), ("types", a.dtype, b.dtype), ("numbers of rows", n, b.shape[0]),
                           ("blocks of rows", a.block[0], b.block[0])):
        if one is not two and one != two:
            raise ValueError("the right-hand side %r does not fit to %r: their %s are %s and %s [OB-9627]" % (b, a, what, two, one))
    return b


def _fitting(a: Any, dtype: Any, who: str) -> Array:
    """An array as one of dtype. ValueError: part of each number would be lost."""
    array = np.asarray(a)
    if not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ValueError("%s elements of type %s, which the matrix's type %s cannot hold; make the matrix one of %s, or convert them [OB-9625]"
                         % (who, array.dtype, dtype, np.promote_types(array.dtype, dtype)))
    return array.astype(dtype, copy=False)


def _given(a: Any) -> Array:
    """The array that a root scatters: a matrix of numbers in this machine's byte order."""
    if a is None:
        raise ValueError("the root scatters None; it must have the array [OB-9631]")
    whole = np.atleast_2d(a)
    if whole.ndim > 2 or whole.dtype.char not in _CODES:
        raise ValueError("the root scatters an array of shape %s of type %s; it must be a matrix of numbers [OB-9631]" % (whole.shape, whole.dtype))
    native: Array = whole.astype(whole.dtype.newbyteorder("="), copy=False)
    return native


def _piece(whole: Array, a: DistributedMatrix, position: int) -> Array:
    """What another process gets, in Fortran's order."""
    rows, columns = _places(a, position)
    return np.asfortranarray(whole[np.ix_(rows, columns)])


_NOT_MIXED = "a product of a DistributedMatrix with an object of type %s: both must be DistributedMatrix (DistributedMatrix.from_numpy makes one of an array) [OB-9627]"

# Types by number, for those who do not have the array.
_CODES = "?bBhHiIlLqQefdgFDG"
