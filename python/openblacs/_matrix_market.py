"""Files in Matrix Market's format, array and coordinate, as dense arrays.

scipy reads them where it is installed; else what is below does.
"""
from typing import Any, List

import numpy as np

Array = np.ndarray[Any, Any]


def read(path: str) -> Array:
    """The matrix in a file. ValueError: it is none in this format."""
    try:
        from scipy.io import mmread  # type: ignore[import]
    except ImportError:
        return read_plainly(path)
    try:
        found = mmread(path)
    except ValueError as error:
        raise ValueError("%s: scipy says: %s [OB-9623]" % (path, error)) from None
    return np.asarray(found.toarray() if hasattr(found, "toarray") else found)


def read_plainly(path: str) -> Array:
    """read, without scipy."""
    with open(path) as file:
        lines = file.read().split("\n")
    words = lines[0].lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise ValueError("%s: the first line is no '%%%%MatrixMarket matrix FORMAT FIELD SYMMETRY' [OB-9623]" % path)
    shape, field, symmetry = words[2:]
    if shape not in ("array", "coordinate") or field not in ("real", "double", "integer", "complex", "pattern") or \
            symmetry not in ("general", "symmetric", "skew-symmetric", "hermitian"):
        raise ValueError("%s: the first line says '%s', which is not known [OB-9623]" % (path, " ".join(words[2:])))
    # The numbers of the lines that count.
    rest = [k for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("%")]
    width = {"array": 2, "coordinate": 3}[shape]
    sizes = _table(path, lines, rest[:1], int, width, "sizes")
    if sizes.size == 0 or sizes.min() < 0:
        raise ValueError("%s: no line with %d sizes [OB-9623]" % (path, width))
    if symmetry != "general" and sizes[0, 0] != sizes[0, 1]:
        raise ValueError("%s, line %d: a %s matrix has as many rows as columns, not %d x %d [OB-9623]" % (
            path, rest[0], symmetry, sizes[0, 0], sizes[0, 1]))
    make = _from_array if shape == "array" else _from_coordinates
    matrix: Array = make(path, lines, rest[1:], [int(size) for size in sizes[0]], field, symmetry)
    return matrix


def _table(path: str, lines: List[str], which: List[int], kind: Any, width: int, what: str = "numbers") -> Array:
    """The numbers of these lines, so many in each; width 0: any number in each, and the table has one column."""
    words: List[str] = []
    for k in which:
        before = len(words)
        words += lines[k - 1].split()
        if width and len(words) - before != width:
            raise ValueError("%s, line %d: found %s, not %d %s [OB-9623]" % (
                path, k, _counted(len(words) - before, "numbers"), width, what))
    try:
        return np.fromiter(map(kind, words), np.dtype(kind), len(words)).reshape(-1, width or 1)
    except (ValueError, OverflowError):
        for k in which:
            for word in lines[k - 1].split():
                _number(path, k, word, kind)
        raise


def _number(path: str, k: int, word: str, kind: Any) -> None:
    """ValueError, with the line, for a word that is no number, or a too large one."""
    try:
        np.dtype(kind).type(kind(word))
    except ValueError:
        raise ValueError("%s, line %d: '%s' is no number [OB-9623]" % (path, k, word)) from None
    except OverflowError:
        raise ValueError("%s, line %d: %s is too large [OB-9623]" % (path, k, word)) from None


def _numbers(table: Array, field: str) -> Array:
    complexes: Array = table[:, 0] + 1j * table[:, 1] if field == "complex" else table[:, 0]
    return complexes


def _from_array(path: str, lines: List[str], which: List[int], sizes: List[int], field: str, symmetry: str) -> Array:
    m, n = sizes
    parts = 2 if field == "complex" else 1
    flat = _table(path, lines, which, float, 0)
    first = 1 if symmetry == "skew-symmetric" else 0
    count = m * n if symmetry == "general" else n * (n + 1) // 2 - first * n
    _expect(path, flat.size, count * parts)
    values = _numbers(flat.reshape(-1, parts), field)
    if symmetry == "general":
        return values.reshape((m, n), order="F")
    a = np.zeros((m, n), values.dtype)
    columns, rows = np.triu_indices(n, first)
    a[rows, columns] = values
    return _mirror(a, rows, columns, values, symmetry)


def _from_coordinates(path: str, lines: List[str], which: List[int], sizes: List[int], field: str,
                      symmetry: str) -> Array:
    m, n, count = sizes
    table = _table(path, lines, which, float, {"pattern": 2, "complex": 4}.get(field, 3))
    _expect(path, len(table), count, "entries")
    rows, columns = table[:, 0], table[:, 1]
    wrong = np.flatnonzero(~((rows >= 1) & (rows <= m) & (columns >= 1) & (columns <= n) & (rows % 1 == 0) & (columns % 1 == 0)))
    if wrong.size:
        raise ValueError("%s, line %d: row %g and column %g lie outside the %d x %d matrix [OB-9623]" % (
            path, which[wrong[0]], rows[wrong[0]], columns[wrong[0]], m, n))
    rows, columns = rows.astype(int) - 1, columns.astype(int) - 1
    # The other triangle follows from this one. A file that has both would be read as the sum of them.
    above = np.flatnonzero(columns - rows > {"general": n, "skew-symmetric": -1}.get(symmetry, 0))
    if above.size:
        raise ValueError("%s, line %d: row %d and column %d: a %s matrix is given by what is below its diagonal%s [OB-9623]" % (
            path, which[above[0]], rows[above[0]] + 1, columns[above[0]] + 1, symmetry, "" if symmetry == "skew-symmetric" else ", and on it"))
    entries = np.ones(count) if field == "pattern" else _numbers(table[:, 2:], field)
    a = np.zeros((m, n), entries.dtype)
    np.add.at(a, (rows, columns), entries)
    return _mirror(a, rows, columns, entries, symmetry)


def _mirror(a: Array, rows: Array, columns: Array, entries: Array, symmetry: str) -> Array:
    if symmetry != "general":
        off = rows != columns
        other = {"symmetric": entries, "skew-symmetric": -entries}.get(symmetry, entries.conj())
        np.add.at(a, (columns[off], rows[off]), other[off])
    return a


def _expect(path: str, found: int, wanted: int, what: str = "numbers") -> None:
    if found != wanted:
        raise ValueError("%s: it has %s behind its sizes, not %d; is it complete? [OB-9623]" % (path, _counted(found, what), wanted))


def _counted(count: int, what: str) -> str:
    one = {"numbers": "number", "entries": "entry"}
    return "%d %s" % (count, one[what] if count == 1 else what)


def write(path: str, a: Array) -> None:
    """Writes a dense array, general, with all digits."""
    field = "complex" if np.iscomplexobj(a) else "integer" if a.dtype.kind in "iu" else "real"
    flat = a.flatten(order="F")
    rows = np.column_stack([flat.real, flat.imag]) if field == "complex" else flat.reshape(-1, 1)
    with open(path, "w") as out:
        out.write("%%%%MatrixMarket matrix array %s general\n%d %d\n" % (field, a.shape[0], a.shape[1]))
        np.savetxt(out, rows, fmt="%d" if field == "integer" else "%.17g")
