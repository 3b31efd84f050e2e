# SPDX-License-Identifier: MIT
"""PLY files, text and binary of either byte order: their vertices and faces."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import IO, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from ..numerics.arrays import FloatArray, IntArray
from .meshes import Faces, strips, whole_numbers
from .plain_text import floats, plain

_NUMBERS = {b"char": "i1", b"short": "i2", b"int": "i4", b"uchar": "u1", b"ushort": "u2"}
_NUMBERS |= {b"uint": "u4", b"float": "f4", b"double": "f8", b"float32": "f4", b"float64": "f8"}
_NUMBERS |= {b"int%d" % (8 * size): f"i{size}" for size in (1, 2, 4, 8)}
_NUMBERS |= {b"uint%d" % (8 * size): f"u{size}" for size in (1, 2, 4, 8)}

Order = Literal["<", ">"]
"""The byte order of numbers, as NumPy writes it."""

_ORDERS: dict[bytes, Order | None] = {
    b"ascii": None,
    b"binary_little_endian": "<",
    b"binary_big_endian": ">",
}


class Property(NamedTuple):
    """A number of each row of an element, or a list of numbers if there is a type of `length`."""

    name: str
    kind: np.dtype[Any]
    length: np.dtype[Any] | None


class Element(NamedTuple):
    """Rows of one kind, such as vertices."""

    name: str
    rows: int
    properties: list[Property]


CountOf = Callable[[Any], int]

Columns = dict[str, tuple[npt.NDArray[Any], IntArray | None]]
"""The numbers of each property of an element, and how many are in each row if they are lists."""


def _header(content: bytes) -> tuple[Order | None, list[Element], int]:
    """The byte order (None for text), the elements, and where the first begins.

    MeshFileError if it is no header, or repeats a name.
    """
    begin = re.match(rb"ply[ \t]*[\r\n]", content)
    end = re.search(rb"[\r\n]end_header[ \t]*(\r\n|\r|\n)", content)
    if begin is None or end is None:
        raise MeshFileError("the file is no PLY file")
    lines = content[begin.end() : end.start()]
    # Where lines end in CR alone, a LF is the first byte of the rows.
    size = end.end() - (end[1] == b"\r\n" and b"\n" not in content[: end.start() + 1])
    order: Order | Literal[""] | None = ""
    elements: list[Element] = []
    for line in lines.splitlines():
        match line.split():
            case [b"format", *_] if order != "":
                raise MeshFileError("the PLY file says twice of which format it is")
            case [b"format", kind, b"1.0"] if kind in _ORDERS:
                order = _ORDERS[kind]
            case [b"element", name, rows] if rows.isdigit() and len(rows) < 19:
                elements.append(Element(_name(name), int(rows), []))
            case [b"property", b"list", count, kind, name] if elements:
                elements[-1].properties.append(Property(_name(name), _type(kind), _type(count)))
            case [b"property", kind, name] if elements:
                elements[-1].properties.append(Property(_name(name), _type(kind), None))
            # Blender 2.4 writes "Created by" in a line that does not begin with "comment".
            case [] | [b"comment" | b"obj_info", *_] | [b"Created", b"by", *_]:
                continue
            case _:
                raise MeshFileError(f"no header of a PLY file has the line {_name(line[:60])!r}")
    if order == "":
        raise MeshFileError("the PLY file does not say of which format it is")
    _check(elements)
    return order, elements, size


def _check(elements: list[Element]) -> None:
    listed = [[each.name for each in elements]]
    listed += [[each.name for each in element.properties] for element in elements]
    for names in listed:
        if len(set(names)) < len(names):
            raise MeshFileError("the header of the PLY file has a name twice")
    lengths = (each.length for element in elements for each in element.properties)
    if any(each is not None and each.kind == "f" for each in lengths):
        raise MeshFileError("the PLY file has lists whose lengths are no whole numbers")


def _name(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _type(name: bytes) -> np.dtype[Any]:
    if name not in _NUMBERS:
        raise MeshFileError(f"PLY files have no type {_name(name[:60])!r}")
    return np.dtype(_NUMBERS[name])


_AXES = ("x", "y", "z")
_CORNERS = ("vertex_indices", "vertex_index")
_WANTED = {"vertex": _AXES, "face": _CORNERS, "tristrips": _CORNERS}


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError if it is damaged, or no PLY file with faces.

    The triangles of strips come last, each as a face, even without area.
    """
    content = file.read()
    content = content if content.startswith(b"ply") else plain(content)
    order, elements, start = _header(content)
    reader = _Words(content[start:]) if order is None else _Bytes(content, start, order)
    found: dict[str, Columns] = {}
    missing = {element.name for element in elements} & _WANTED.keys()
    for element in elements:
        if missing:  # else all that is wanted has been read
            found[element.name] = reader.read(element, _WANTED.get(element.name, ()))
            missing.discard(element.name)
    corners, counts = _lists(found, "face")
    listed, lengths = _lists(found, "tristrips")
    triangles = strips(np.insert(listed, np.cumsum(lengths), -1))  # a strip ends with its row, too
    counts = np.concatenate([counts, np.full(len(triangles), 3)])
    return Faces(_vertices(found), np.concatenate([corners, triangles.reshape(-1)]), counts)


def _vertices(found: dict[str, Columns]) -> FloatArray:
    columns = found.get("vertex", {})
    axes = [columns[axis][0] for axis in _AXES if axis in columns and columns[axis][1] is None]
    if len(axes) < 3:
        raise MeshFileError("the PLY file has no vertices with x, y and z")
    with np.errstate(invalid="ignore"):  # a float32 may be a signaling NaN
        return np.stack([axis.astype(np.float64) for axis in axes], axis=1)


def _lists(found: dict[str, Columns], element: str) -> tuple[IntArray, IntArray]:
    """The corners of all rows of an element, and how many each has."""
    if element not in found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    for name in _CORNERS:
        values, counts = found[element].get(name, (np.empty(0), None))
        if counts is not None:
            return whole_numbers(values, "the vertices of faces"), counts
    raise MeshFileError(f"no list of {_CORNERS[0]} is in each {element} of the PLY file")


_TOO_SHORT = "the PLY file is damaged: it ends too soon"


class _Words:
    """Reads one element after the other, from words with a number each."""

    def __init__(self, content: bytes) -> None:
        if b"_" in content:  # Python allows it within a number
            raise MeshFileError("the PLY file has an underscore where its numbers are")
        self._content: Sequence[Any] = content.split()
        self._place = 0

    def read(self, element: Element, wanted: Collection[str]) -> Columns:
        """The `wanted` properties of the next element."""
        sizes = [self._sizes(each) for each in element.properties]
        least = sum(count_size or size for size, count_size, _ in sizes)
        if element.rows * least > len(self._content) - self._place:
            raise MeshFileError(_TOO_SHORT)
        try:
            if any(count_size for _, count_size, _ in sizes):
                return self._lists(element, wanted)
            return self._single(element, wanted)
        except MeshFileError:
            raise
        except (ValueError, OverflowError):
            raise MeshFileError(
                f"an element {element.name!r} of the PLY file is not all numbers"
            ) from None

    def _lists(self, element: Element, wanted: Collection[str]) -> Columns:
        """Find where each list begins, row after row; then take all numbers at once."""
        content, place, end = self._content, self._place, len(self._content)
        columns: list[tuple[int, int, CountOf, list[int], list[int]]] = [
            (*self._sizes(each), [], []) for each in element.properties
        ]
        for _ in range(element.rows):
            for size, count_size, count_of, starts, counts in columns:
                count = 1
                if count_size:
                    count = count_of(content[place : place + count_size])
                    place += count_size
                starts.append(place)
                counts.append(count)
                place += count * size
                if count < 0 or place > end:
                    raise MeshFileError(_TOO_SHORT)
        self._place = place
        found: Columns = {}
        for each, (*_, starts, counts) in zip(element.properties, columns, strict=True):
            if each.name in wanted:
                lengths = None if each.length is None else np.array(counts, np.int64)
                found[each.name] = self._taken(each, starts, counts), lengths
        return found

    def _sizes(self, each: Property) -> tuple[int, int, CountOf]:
        """The size of a number, that of a list's length (0 if none), and a function to read it."""
        # Past the end of the file, any length is too long.
        return 1, each.length is not None, lambda words: int(words[0]) if words else 1

    def _single(self, element: Element, wanted: Collection[str]) -> Columns:
        width = len(element.properties)
        words = self._content[self._place : self._place + element.rows * width]
        self._place += len(words)
        return {
            each.name: (floats(b" ".join(words[column::width])), None)
            for column, each in enumerate(element.properties)
            if each.name in wanted
        }

    def _taken(self, _: Property, starts: list[int], counts: list[int]) -> npt.NDArray[Any]:
        """The numbers of all lists."""
        words: list[bytes] = []
        for start, count in zip(starts, counts, strict=True):
            words += self._content[start : start + count]
        return floats(b" ".join(words))


class _Bytes(_Words):
    """Reads elements from binary numbers, beginning at the byte `place`."""

    _content: bytes

    def __init__(self, content: bytes, place: int, order: Order) -> None:
        self._content, self._place, self._order = content, place, order

    def _sizes(self, each: Property) -> tuple[int, int, CountOf]:
        order: Literal["little", "big"] = "little" if self._order == "<" else "big"
        count_size = 0 if each.length is None else each.length.itemsize
        is_signed = each.length is not None and each.length.kind == "i"

        def count_of(content: bytes) -> int:
            return int.from_bytes(content, order, signed=is_signed)

        return each.kind.itemsize, count_size, count_of

    def _single(self, element: Element, wanted: Collection[str]) -> Columns:
        fields = [(each.name, each.kind.newbyteorder(self._order)) for each in element.properties]
        if not fields:
            return {}
        table = np.frombuffer(self._content, np.dtype(fields), element.rows, self._place)
        self._place += table.nbytes
        return {name: (table[name], None) for name, _ in fields if name in wanted}

    def _taken(self, each: Property, starts: list[int], counts: list[int]) -> npt.NDArray[Any]:
        first, count = np.array([starts, counts], np.int64)
        step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        # A list may begin at any byte.
        kind = each.kind.newbyteorder(self._order)
        last = len(self._content) - kind.itemsize
        from_each = np.ndarray((last + 1,), kind, self._content, 0, (1,))
        return np.asarray(from_each[np.repeat(first, count) + step * kind.itemsize])
