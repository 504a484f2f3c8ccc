"""Process grids and what the processes of one communicate (LAWN 73, 3 to 5)."""
import ctypes
import math
import operator
from types import TracebackType
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Type, Union

import numpy as np

from . import _arrays, _job
from ._library import ANY, ESIZE, Error, Operation, POINTER, Received, Route, View, byref, c_int, c_void_p, check, fail, ints, lib

Array = np.ndarray[Any, Any]
Place = Union[int, Tuple[int, int]]

# ob_op and ob_operator of openblacs/core.h, by their names here.
_OPERATIONS = {"sum": 0, "max_abs": 1, "min_abs": 2, "max": 3, "min": 4}
_OPERATORS = {"max": 0, "min": 1, "sum": 2, "product": 3, "bit_and": 7, "bit_or": 8, "bit_xor": 9}
_OF_TRUTH = {"bit_and": 4, "bit_or": 5, "bit_xor": 6}
_MAX = _OPERATIONS["max"]
# The parts of a grid's group, by scope: their streams (ob_group_part).
_SCOPES = {"all": 1, "row": 2, "column": 3}
_SUMS = {"fast": 0, "repeatable": 1, "reproducible": 2}


def whole(name: str, value: Any) -> int:
    """The integer (also of numpy's) that an argument is. TypeError: it is none."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError("%s is %r; it must be an integer [OB-9613]" % (name, value)) from None


def _alone(wanted: int) -> str:
    """What to do where nobody has started this process as one of several."""
    return "; start the program with obrun -n %d python3 ..., or with mpirun" % wanted if _job.pinfo().launcher == "alone" else ""


def square(count: int) -> Tuple[int, int]:
    """The squarest grid of exactly so many processes, no taller than wide: (2, 3) for 6."""
    if whole("count", count) < 1:
        raise ValueError("count is %d; it must be at least 1 [OB-1012]" % count)
    rows = next(r for r in range(math.isqrt(count), 0, -1) if count % r == 0)
    return rows, count // rows


def _members(comm: Any) -> Tuple[c_void_p, Sequence[int]]:
    """Job of the processes of an mpi4py communicator and their numbers in it, in rank order; None: all of this process's job.
    With processes outside MPI_COMM_WORLD the communicator is a job of its own."""
    job = _job.join()
    if comm is None:
        return job, range(_job.pinfo().size)
    if not hasattr(comm, "py2f"):
        raise TypeError("comm is %r; it must be a communicator of mpi4py [OB-9613]" % (comm,))
    if _job.pinfo().launcher != "mpi":
        raise ValueError("comm= needs mpirun: the processes of this job were not started by MPI [OB-3012]")
    numbers, size, of = POINTER(c_int)(), c_int(), c_void_p()
    check(lib.ob_system_members(job, comm.py2f(), byref(of), byref(numbers), byref(size)))
    found = numbers[:size.value]
    ctypes.CDLL(None).free(numbers)
    return of, found


def _numbers(processes: Any) -> Array:
    """Numbers of processes as the caller lists them, in one or two dimensions."""
    try:
        numbers = np.asarray(processes)
    except ValueError:  # rows of different lengths
        numbers = np.zeros(0)
    size = _job.pinfo().size
    if numbers.size == 0 or numbers.ndim not in (1, 2):
        raise ValueError("processes is %r; it must be a list of numbers, or of rows of the same length [OB-9614]" % (processes,))
    if numbers.dtype.kind not in "iu":
        raise ValueError("processes is %r; it must be a list of process numbers, integers [OB-9614]" % (processes,))
    if numbers.min() < 0 or numbers.max() >= size:
        raise ValueError("processes is %r; there are processes 0 to %d [OB-1013]" % (processes, size - 1))
    return numbers.astype(int)


class Grid:
    """An nprow x npcol grid of processes. Without sizes: of all processes, as square as can be.

    All processes that are to be in it make it alike; others may, and get a grid that is False. order 'row' or 'column':
    how the processes, by number, fill it. comm: an mpi4py communicator whose processes are taken, in rank order, in the
    place of all of the job; it may have processes outside MPI_COMM_WORLD (spawned ones, after Merge), and then the grid is
    closed before it is freed. processes: a list of their numbers, or a two-dimensional one (then sizes are its own).
    sums: 'fast', 'repeatable' (the same bits in every run on the same grid) or 'reproducible' (on any grid).

    row, col: where this process is (-1: not in the grid). A grid is a context manager; close() releases it. All arrays
    are communicated where they lie, without a copy. The processes of a call pass arrays of one shape and type; matrices
    also lie in one order (C's or Fortran's) on all of them.

    Raises ValueError and TypeError (an argument), Error (the library's own line). A grid is used by one thread at a time.
    """

    def __init__(self, nprow: Optional[int] = None, npcol: Optional[int] = None, *, order: str = "row", comm: Any = None,
                 processes: Any = None, sums: str = "fast") -> None:
        if comm is not None and processes is not None:
            raise ValueError("a grid is made of comm or of processes, not of both [OB-9614]")
        job, members = _members(comm)
        table = self._table(nprow, npcol, order, np.asarray(members) if processes is None else _numbers(processes))
        if not isinstance(sums, str) or sums not in _SUMS:
            raise ValueError("sums is %r; it must be one of %s [OB-1023]" % (sums, ", ".join(_SUMS)))
        self.nprow, self.npcol = table.shape
        self.numbers: Tuple[int, ...] = tuple(int(number) for number in table.flat)
        self.row = self.col = -1
        self._sums = _SUMS[sums]
        self._group: Optional[c_void_p] = None
        self._parts: Dict[str, c_void_p] = {}
        self._routes: Dict[str, Route] = {}
        self._context: Optional[int] = None
        # What the BLACS take such numbers of: the job, or the communicator that is one itself.
        self._system: Optional[int] = None if job.value == _job.join().value else comm.py2f()
        self._view, self._received = View(), Received()
        self._view_at, self._received_at = ctypes.addressof(self._view), ctypes.addressof(self._received)
        number = lib.ob_job_number(job)
        if number in self.numbers:
            self.row, self.col = divmod(self.numbers.index(number), self.npcol)
            group = c_void_p()
            check(lib.ob_group_create(job, ints(list(self.numbers)), len(self.numbers), byref(group)))
            self._group = group
            _job.grids.add(self)

    @staticmethod
    def _table(nprow: Optional[int], npcol: Optional[int], order: str, numbers: Array) -> Array:
        """Numbers of the processes by row and column."""
        if order not in ("row", "column"):
            raise ValueError("order is %r; it must be 'row' or 'column' [OB-1007]" % (order,))
        if numbers.ndim == 2:
            if (nprow, npcol) not in ((None, None), numbers.shape):
                raise ValueError("nprow is %s and npcol %s, but processes has %s x %s numbers [OB-9614]" % ((nprow, npcol) + numbers.shape))
            return numbers
        if nprow is None and npcol is None:
            nprow, npcol = square(numbers.size)
        elif nprow is None or npcol is None:
            raise ValueError("a grid needs both nprow and npcol, or neither [OB-9614]")
        nprow, npcol = whole("nprow", nprow), whole("npcol", npcol)
        if nprow < 1 or npcol < 1:
            raise ValueError("nprow is %d and npcol %d; both must be at least 1 [OB-1012]" % (nprow, npcol))
        if nprow * npcol > numbers.size:
            raise ValueError("a %d x %d grid needs %d processes; there are %d%s [OB-1011]" % (
                nprow, npcol, nprow * npcol, numbers.size, _alone(nprow * npcol)))
        return numbers[:nprow * npcol].reshape((nprow, npcol), order="C" if order == "row" else "F")

    # ------------------------------------------------------------------ itself

    def __bool__(self) -> bool:
        """Is this process in the grid?"""
        return self.row >= 0

    def __enter__(self) -> "Grid":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Grid %d x %d, process (%d, %d)%s>" % (self.nprow, self.npcol, self.row, self.col, "" if self._group or not self else ", closed")

    def close(self) -> None:
        """Releases the grid. Messages that nobody has received are dropped. Closing it again does nothing."""
        if self._context is not None:
            lib.Cblacs_gridexit(self._context)
        for part in self._parts.values():
            lib.ob_group_free(part)
        if self._group is not None:
            lib.ob_group_free(self._group)
        self.forget()

    def forget(self) -> None:
        """As close, without a word to the library: in a process that fork has made."""
        self._context, self._group, self._parts = None, None, {}

    @property
    def context(self) -> int:
        """The grid's BLACS context, for ScaLAPACK and others that take one. It ends with the grid."""
        if self._context is None:
            self._point()
            context = c_int(-1 if self._system is None else self._system)
            if self._system is None:
                lib.Cblacs_get(-1, 0, byref(context))
            table = np.asarray(self.numbers).reshape(self.nprow, self.npcol)
            lib.Cblacs_gridmap(byref(context), ints([int(n) for n in table.flatten(order="F")]), self.nprow, self.nprow, self.npcol)
            self._context = context.value
        return self._context

    def _point(self) -> c_void_p:
        if self._group is None:
            raise Error("this grid %s [OB-1016]" % ("is closed" if self else "does not have this process in it; ask 'if grid:' first"))
        return self._group

    def _position(self, place: Place, scope: str = "all") -> int:
        """Of a process in the group of a scope: coordinates, or its number in the scope."""
        rows, columns = self._size(scope)
        try:
            if isinstance(place, tuple):
                row, column = place
                row = 0 if scope == "row" else operator.index(row)
                column = 0 if scope == "column" else operator.index(column)
            else:
                row, column = divmod(operator.index(place), columns)
        except (TypeError, ValueError):
            raise TypeError("the place of a process is %r; it must be (row, column), or the position in the scope, in integers [OB-9613]" % (place,)) from None
        if 0 <= row < rows and 0 <= column < columns:
            return row * columns + column
        raise ValueError("no process %s in scope %r of the %d x %d grid [OB-1009]" % (place, scope, self.nprow, self.npcol))

    def _size(self, scope: str) -> Tuple[int, int]:
        return (1 if scope == "row" else self.nprow), (1 if scope == "column" else self.npcol)

    def _part(self, scope: str) -> c_void_p:
        """The group of a scope."""
        part = self._parts.get(scope)
        return part if part is not None else self._make_part(scope)

    def _make_part(self, scope: str) -> c_void_p:
        if scope not in _SCOPES:
            raise ValueError("scope is %r; it must be one of %s [OB-1007]" % (scope, ", ".join(_SCOPES)))
        members = np.arange(self.nprow * self.npcol).reshape(self.nprow, self.npcol)
        if scope != "all":
            members = members[self.row] if scope == "row" else members[:, self.col]
        part = c_void_p()
        check(lib.ob_group_part(self._point(), _SCOPES[scope], ints([int(k) for k in members.flat]), members.size, byref(part)))
        self._parts[scope] = part
        return part

    def _route(self, topology: str) -> Any:
        route = self._routes.get(topology)
        if route is None:
            route = Route()
            if not isinstance(topology, str):
                raise TypeError("topology is %r; it must be a letter [OB-9613]" % (topology,))
            letter = topology[:1].upper() or " "
            if letter != " " and not lib.ob_topology_read(ord(letter), 1, 1, byref(route)):
                raise ValueError("topology is %r; it must be ' ' or one of the BLACS' letters I D S M H F T 1 to 9 [OB-1008]" % (topology,))
            route.repeatable = self._sums
            self._routes[topology] = route
        return byref(route)

    # --------------------------------------------------------- point to point

    def send(self, a: Any, dest: Place, *, uplo: str = "", diag: str = "N") -> None:
        """Sends an array (or number) to the process at dest = (row, col). It may be changed at once; a send never waits for its
        receiver. uplo 'U', 'L': of a matrix its upper or lower trapezoid, with diag 'U' without the diagonal (?trsd2d)."""
        if not isinstance(a, np.ndarray):
            a = np.asarray(a)
        order = _arrays.fill(self._view, a, uplo, diag)
        status = lib.ob_send(self._group or self._point(), self._position(dest), order, self._view_at)
        if status:
            fail(status)

    def recv(self, a: Array, source: Optional[Place] = None, *, uplo: str = "", diag: str = "N") -> Tuple[int, int]:
        """Receives the next array that the process at source = (row, col) has sent, or with None any, into a: as many elements of
        the same type. Gives the sender's (row, col). Error: the message is another; a matrix that lies in the other order."""
        self._writeable(a)
        order = _arrays.fill(self._view, a, uplo, diag)
        status = lib.ob_recv(self._group or self._point(), ANY if source is None else self._position(source), ANY, self._view_at, self._received_at)
        if status:
            fail(status)
        sent = self._received.tag
        if sent != order and sent and order:
            raise Error("recv: the sender's matrix is in %s order and this one in %s order: its elements are in the wrong places; "
                        "use one order on both sides (numpy.asfortranarray) [OB-9615]" % (_ORDERS[sent], _ORDERS[order]), ESIZE)
        row, column = divmod(int(self._received.source), self.npcol)
        return row, column

    # ------------------------------------------------------------- collective

    def barrier(self, scope: str = "all") -> None:
        """Waits until all processes of the scope have called."""
        check(lib.ob_barrier(self._part(scope)))

    def broadcast(self, a: Any, root: Place = 0, scope: str = "all", topology: str = " ", *, uplo: str = "", diag: str = "N") -> Any:
        """The root's array to all processes of the scope 'all', 'row' or 'column', into theirs; gives the array. A number is
        given as it comes from the root. root: (row, col), or the position in the scope. topology: LAWN 73, 4.3."""
        array, position = self._array(a), self._position(root, scope)
        if position != self._me(scope):
            self._writeable(array)
        part = self._part(scope)
        self._agree(part, _arrays.fill(self._view, array, uplo, diag), array, uplo, diag)
        check(lib.ob_broadcast(part, position, self._view_at, self._route(topology)))
        return array if isinstance(a, np.ndarray) else array[()]

    def sum(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """Adds up the arrays of all processes of the scope, element by element, in place; gives the array. dest: the process
        that gets the result, (row, col) or its position in the scope; None: all. Elsewhere the array may be overwritten with
        intermediate results. Of a number the sum is given. topology: LAWN 73, 5.4."""
        return self._combine("sum", a, dest, scope, topology)

    def product(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum: the product."""
        return self._combine("product", a, dest, scope, topology)

    def max(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum: the largest value, a NaN if there is one. Not of complex numbers."""
        return self._combine("max", a, dest, scope, topology)

    def min(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum: the smallest value, a NaN if there is one. Not of complex numbers."""
        return self._combine("min", a, dest, scope, topology)

    def max_abs(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ", *, places: bool = False) -> Any:
        """As sum: the element of the largest absolute value, |re| + |im| for complex (?gamx2d). places: gives (array, rows,
        columns), the coordinates of the process that each element came from, where the result is."""
        return self._extreme("max_abs", a, dest, scope, topology, places)

    def min_abs(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ", *, places: bool = False) -> Any:
        """As max_abs: the smallest absolute value (?gamn2d)."""
        return self._extreme("min_abs", a, dest, scope, topology, places)

    def bit_and(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum, of integers or truth values: bitwise and."""
        return self._combine("bit_and", a, dest, scope, topology)

    def bit_or(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum, of integers or truth values: bitwise or."""
        return self._combine("bit_or", a, dest, scope, topology)

    def bit_xor(self, a: Any, dest: Optional[Place] = None, scope: str = "all", topology: str = " ") -> Any:
        """As sum, of integers or truth values: bitwise exclusive or."""
        return self._combine("bit_xor", a, dest, scope, topology)

    def _combine(self, operation: str, a: Any, dest: Optional[Place], scope: str, topology: str) -> Any:
        array = self._array(a)
        call = self._combiner(operation, array)
        root, part = self._begin(array, dest, scope)
        check(call(part, root, self._route(topology)))
        return array if isinstance(a, np.ndarray) else array[()]

    def _combiner(self, operation: str, a: Array) -> Callable[[c_void_p, int, Any], int]:
        """The call that combines self._view. TypeError: no such operation on such elements."""
        _arrays.native(a.dtype)
        if operation in ("max", "min") and a.dtype.kind == "c":
            raise TypeError("there is no %s of complex numbers, which have no order; use %s_abs [OB-1019]" % (operation, operation))
        if operation in _OPERATIONS and a.dtype in _arrays._TYPES:
            what = _OPERATIONS[operation]
            return lambda part, root, route: int(lib.ob_combine(part, root, what, self._view_at, None, 1, route))
        kind, by = _arrays.KINDS.get(a.dtype), Operation()
        number = (_OF_TRUTH if a.dtype == bool else _OPERATORS).get(operation)
        if kind is None or number is None or lib.ob_operation_of(number, kind, byref(by)):
            raise TypeError("there is no %s of elements of type %s [OB-1019]" % (operation, a.dtype))
        return lambda part, root, route: int(lib.ob_combine_by(part, root, byref(by), self._view_at, route))

    def _extreme(self, operation: str, a: Any, dest: Optional[Place], scope: str, topology: str, places: bool) -> Any:
        if not places:
            return self._combine(operation, a, dest, scope, topology)
        array = self._array(a)
        _arrays.native(array.dtype)
        if array.dtype not in _arrays._TYPES:
            raise TypeError("there is no %s of elements of type %s [OB-1019]" % (operation, array.dtype))
        root, part = self._begin(array, dest, scope)
        # A view's columns may be an array's rows: the owners lie in the same order.
        owner = np.full((self._view.n, self._view.m), -1, np.int32)
        check(lib.ob_combine(part, root, _OPERATIONS[operation], self._view_at, c_void_p(owner.ctypes.data), max(1, self._view.m), self._route(topology)))
        by_columns = array.ndim == 2 and _arrays.layout(array).order == _arrays.FORTRAN
        owner = owner.T if by_columns else owner.reshape(array.shape)
        rows, columns = self._coordinates(owner, scope)
        return (array if isinstance(a, np.ndarray) else array[()]), rows, columns

    def _coordinates(self, position: Array, scope: str) -> Tuple[Array, Array]:
        if scope == "row":
            return np.full_like(position, self.row), position
        if scope == "column":
            return position, np.full_like(position, self.col)
        return position // self.npcol, position % self.npcol

    def _begin(self, array: Array, dest: Optional[Place], scope: str) -> Tuple[int, c_void_p]:
        """Of a combine: where its result is left, its group; self._view is that of the array."""
        self._writeable(array)
        root, part = ANY if dest is None else self._position(dest, scope), self._part(scope)
        self._agree(part, _arrays.fill(self._view, array), array, "", "")
        return root, part

    def _agree(self, part: c_void_p, order: int, array: Array, uplo: str, diag: str) -> None:
        """Matrices in different orders would be mixed up: a short combine tells. Vectors have one order."""
        if order == _arrays.VECTOR:
            return
        said = np.array([order, -order], np.int32)
        _arrays.fill(self._view, said)
        check(lib.ob_combine(part, ANY, _MAX, self._view_at, None, 1, self._route(" ")))
        if said[0] != -said[1]:
            raise Error("the processes' matrices are in different orders, here in %s order; use one on all (numpy.asfortranarray) [OB-9615]" % _ORDERS[order], ESIZE)
        _arrays.fill(self._view, array, uplo, diag)

    def _me(self, scope: str) -> int:
        return {"row": self.col, "column": self.row}.get(scope, self.row * self.npcol + self.col)

    @staticmethod
    def _array(a: Any) -> Array:
        return a if isinstance(a, np.ndarray) else np.array(a)

    @staticmethod
    def _writeable(a: Array) -> None:
        if not isinstance(a, np.ndarray):
            raise TypeError("the result is put into a numpy array, not into %s [OB-9612]" % type(a).__name__)
        if not a.flags.writeable:
            raise ValueError("the array is read-only, so no result can be put into it [OB-9612]")


_ORDERS = {_arrays.FORTRAN: "Fortran", _arrays.C: "C"}
