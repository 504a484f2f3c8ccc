"""numpy arrays as views of the library: which ones can be communicated where they lie, and how.

An array has 0, 1 or 2 dimensions. Two dimensions need one whose elements lie one behind the other (the first in
Fortran's order, the second in C's); the stride of the other is the leading dimension. So whole arrays of either order
and their rectangular slices go without a copy. A vector may have any positive stride.
"""
import ctypes
import struct
from typing import Any, Dict, NamedTuple, Tuple

import numpy as np

from ._library import View

# ob_type of openblacs/core.h; types that it does not have go as bytes.
INT, FLOAT, DOUBLE, COMPLEX, DCOMPLEX, BYTE, INT64 = range(7)
_TYPES: Dict[np.dtype[Any], int] = {
    np.dtype(np.int32): INT, np.dtype(np.float32): FLOAT, np.dtype(np.float64): DOUBLE,
    np.dtype(np.complex64): COMPLEX, np.dtype(np.complex128): DCOMPLEX, np.dtype(np.int64): INT64}
# ob_kind of openblacs/core.h, for combines.
KINDS: Dict[np.dtype[Any], int] = {
    np.dtype(name): number for number, name in enumerate(
        "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 longdouble complex64 complex128 clongdouble bool".split())}
KINDS[np.dtype(np.float16)] = 28  # OB_KIND_HALF

# How the elements of an array follow one another; as tags of messages, too.
VECTOR, FORTRAN, C = range(3)
_GENERAL, _UPPER, _LOWER = range(3)
_SHAPES = {"U": _UPPER, "L": _LOWER}
_UNIT = {"U": 1, "N": 0}
# All fields of a View at once: a tenth of the time that they take one by one.
_put = struct.Struct("PNNNiii").pack_into
_nothing = ctypes.c_char * 0


def address(a: np.ndarray[Any, Any]) -> int:
    if a.flags.c_contiguous and a.flags.writeable:
        return ctypes.addressof(_nothing.from_buffer(a))  # type: ignore[arg-type]  # half the time of what is below
    return int(a.__array_interface__["data"][0])


class Layout(NamedTuple):
    """Rows, columns and leading dimension of the view, and in which order the elements follow."""

    m: int
    n: int
    ld: int
    order: int


def layout(a: np.ndarray[Any, Any]) -> Layout:
    """How a lies in memory. ValueError: not as a view can."""
    size = a.itemsize
    if a.ndim < 2:
        if a.flags.c_contiguous:
            return Layout(a.size, 1, max(1, a.size), VECTOR)
        step = a.strides[0]
        if step > 0 and step % size == 0:
            return Layout(1, a.size, step // size, VECTOR)
    elif a.ndim == 2:
        (m, n), (down, across) = a.shape, a.strides
        if m == 0 or n == 0:
            return Layout(0, 0, 1, VECTOR)
        if n == 1 or m == 1:
            count, step = m * n, down if n == 1 else across
            if count == 1 or step == size:
                return Layout(count, 1, count, VECTOR)
            if step > 0 and step % size == 0:
                return Layout(1, count, step // size, VECTOR)
        elif across == size and down >= n * size and down % size == 0:
            return Layout(n, m, down // size, C)
        elif down == size and across >= m * size and across % size == 0:
            return Layout(m, n, across // size, FORTRAN)
    raise ValueError(
        "an array of shape %s and strides %s cannot be communicated where it lies: it must have at most two dimensions, "
        "one of them without gaps, and no negative stride; pass a copy (a.copy()) [OB-9610]" % (a.shape, a.strides))


def fill(view: View, a: np.ndarray[Any, Any], uplo: str = "", diag: str = "N") -> int:
    """Makes view that of the array, or of its trapezoid (LAWN 73, 2.1); gives its order.

    ValueError: an array that cannot be communicated where it lies; TypeError: objects, or another byte order."""
    m, n, ld, order = layout(a)
    kind = _TYPES.get(a.dtype)
    if kind is None:
        kind, m, n, ld = _bytes(a, m, n, ld)
    _put(view, 0, address(a), m, n, ld, kind, _GENERAL, 0)
    if uplo:
        _trapezoid(view, a, uplo, diag)
        return FORTRAN if order == VECTOR else order
    return order


def native(dtype: "np.dtype[Any]") -> None:
    """TypeError: elements in another byte order than this machine's, which the receiver would not know of."""
    if not dtype.isnative:
        raise TypeError("elements of type %s are not in this machine's byte order; convert them (a.astype(a.dtype.newbyteorder('='))) [OB-9611]" % dtype.str)


def _bytes(a: np.ndarray[Any, Any], m: int, n: int, ld: int) -> Tuple[int, int, int, int]:
    native(a.dtype)
    if a.dtype.hasobject:
        raise TypeError("an array of Python objects (dtype %s) has no elements that could be sent; send their numbers [OB-9611]" % a.dtype)
    return BYTE, m * a.itemsize, n, max(1, ld * a.itemsize)


def _trapezoid(view: View, a: np.ndarray[Any, Any], uplo: str, diag: str) -> None:
    if uplo not in _SHAPES or diag not in _UNIT:
        raise ValueError("uplo is %r and diag %r; they must be 'U' or 'L', and 'U' or 'N' [OB-1006]" % (uplo, diag))
    if a.ndim != 2 or a.dtype not in _TYPES:
        raise ValueError("a trapezoid needs a matrix of one of the BLACS' types, not shape %s of %s [OB-9610]" % (a.shape, a.dtype))
    if a.size and 1 in a.shape:  # layout has taken it for a vector
        view.m, view.n, view.ld = _matrix_of_line(a)
    by_rows = a.size and 1 not in a.shape and layout(a).order == C
    view.shape = (_LOWER if uplo == "U" else _UPPER) if by_rows else _SHAPES[uplo]
    view.unit_diagonal = _UNIT[diag]


def _matrix_of_line(a: np.ndarray[Any, Any]) -> Tuple[int, int, int]:
    m, n = a.shape
    if n == 1 and m > 1 and a.strides[0] != a.itemsize:
        raise ValueError("a trapezoid of one column needs a column without gaps, not strides %s [OB-9610]" % (a.strides,))
    return m, n, max(m, a.strides[1] // a.itemsize if n > 1 else 1)
