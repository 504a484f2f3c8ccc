"""Files in Matrix Market's format, array and coordinate, as dense arrays.

scipy reads them where it is installed; else what is below does.
"""
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def read(path: str) -> Array:
    """The matrix in a file. ValueError: it is none in this format."""
    try:
        from scipy.io import mmread  # type: ignore[import]
    except ImportError:
        return read_plainly(path)
    found = mmread(path)
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def read_plainly(path: str) -> Array:
    """read, without scipy."""
    with open(path) as lines:
        words = lines.readline().lower().split()
        if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
            raise ValueError("%s: the first line is no '%%%%MatrixMarket matrix FORMAT FIELD SYMMETRY'" % path)
        shape, field, symmetry = words[2:]
        if shape not in ("array", "coordinate") or field not in ("real", "double", "integer", "complex", "pattern") or \
                symmetry not in ("general", "symmetric", "skew-symmetric", "hermitian"):
            raise ValueError("%s: the first line says '%s', which is not known" % (path, " ".join(words[2:])))
        sizes = _sizes(path, lines, 2 if shape == "array" else 3)
        values = np.array(lines.read().split(), dtype=float)
    make = _from_array if shape == "array" else _from_coordinates
    matrix: Array = make(path, values, sizes, field, symmetry)
    return matrix


def _sizes(path: str, lines: Any, count: int) -> Any:
    for line in lines:
        if line.strip() and not line.startswith("%"):
            sizes = [int(word) for word in line.split()]
            if len(sizes) == count and min(sizes) >= 0:
                return sizes
            break
    raise ValueError("%s: no line with %d sizes" % (path, count))


def _numbers(values: Array, field: str) -> Array:
    complexes: Array = values[0::2] + 1j * values[1::2] if field == "complex" else values
    return complexes


def _from_array(path: str, values: Array, sizes: Any, field: str, symmetry: str) -> Array:
    m, n = sizes
    values = _numbers(values, field)
    if symmetry == "general":
        _expect(path, values.size, m * n)
        return values.reshape((m, n), order="F")
    a = np.zeros((m, n), values.dtype)
    first = 1 if symmetry == "skew-symmetric" else 0
    columns, rows = np.triu_indices(n, first)
    _expect(path, values.size, rows.size)
    a[rows, columns] = values
    return _mirror(a, rows, columns, values, symmetry)


def _from_coordinates(path: str, values: Array, sizes: Any, field: str, symmetry: str) -> Array:
    m, n, count = sizes
    width = {"pattern": 2, "complex": 4}.get(field, 3)
    _expect(path, values.size, count * width)
    table = values.reshape(count, width)
    rows, columns = table[:, 0].astype(int) - 1, table[:, 1].astype(int) - 1
    if count and (rows.min() < 0 or rows.max() >= m or columns.min() < 0 or columns.max() >= n):
        raise ValueError("%s: an entry lies outside the %d x %d matrix" % (path, m, n))
    entries = np.ones(count) if field == "pattern" else _numbers(table[:, 2:].reshape(-1), field)
    a = np.zeros((m, n), entries.dtype)
    np.add.at(a, (rows, columns), entries)
    return _mirror(a, rows, columns, entries, symmetry)


def _mirror(a: Array, rows: Array, columns: Array, entries: Array, symmetry: str) -> Array:
    if symmetry != "general":
        off = rows != columns
        other = {"symmetric": entries, "skew-symmetric": -entries}.get(symmetry, entries.conj())
        np.add.at(a, (columns[off], rows[off]), other[off])
    return a


def _expect(path: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise ValueError("%s: it has %d numbers behind its sizes, not %d; is it complete?" % (path, found, wanted))


def write(path: str, a: Array) -> None:
    """Writes a dense array, general, with all digits."""
    field = "complex" if np.iscomplexobj(a) else "integer" if a.dtype.kind in "iu" else "real"
    flat = a.flatten(order="F")
    rows = np.column_stack([flat.real, flat.imag]) if field == "complex" else flat.reshape(-1, 1)
    with open(path, "w") as out:
        out.write("%%%%MatrixMarket matrix array %s general\n%d %d\n" % (field, a.shape[0], a.shape[1]))
        np.savetxt(out, rows, fmt="%d" if field == "integer" else "%.17g")
