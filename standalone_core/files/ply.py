# SPDX-License-Identifier: MIT
"""PLY files, in text and in bytes of either order: their vertices and faces."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import IO, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from ..numerics.arrays import IntArray
from .meshes import Faces, strips, whole_numbers
from .plain_text import floats, plain

_NUMBERS = {
    b"char": "i1",
    b"short": "i2",
    b"int": "i4",
    b"uchar": "u1",
    b"ushort": "u2",
    b"uint": "u4",
    b"float": "f4",
    b"double": "f8",
    b"int8": "i1",
    b"int16": "i2",
    b"int32": "i4",
    b"int64": "i8",
    b"uint8": "u1",
    b"uint16": "u2",
    b"uint32": "u4",
    b"uint64": "u8",
    b"float32": "f4",
    b"float64": "f8",
}
_ORDERS = {b"ascii": None, b"binary_little_endian": "<", b"binary_big_endian": ">"}


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


class Header(NamedTuple):
    """The order of the bytes (None: it is text), the elements, and where the first begins."""

    order: str | None
    elements: list[Element]
    size: int


@dataclass
class Rows:
    """What was read of an element: numbers (N,), and lists as numbers and their counts (N,)."""

    single: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    lists: dict[str, tuple[npt.NDArray[Any], IntArray]] = field(default_factory=dict)


def read_header(content: bytes) -> Header:
    """Read the header; MeshFileError if it is none, or says a name twice."""
    begin = re.match(rb"ply[ \t]*[\r\n]", content)
    end = re.search(rb"[\r\n]end_header[ \t]*(\r\n|\r|\n)", content)
    if begin is None or end is None:
        raise MeshFileError("the file is no PLY file")
    lines = content[begin.end() : end.start()]
    # Where lines end in CR alone, a LF is the first byte of the rows.
    size = end.end() - (end[1] == b"\r\n" and b"\n" not in content[: end.start() + 1])
    order: str | None = ""
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
            # Blender 2.4 writes who made the file in a line that does not say it is a comment.
            case [] | [b"comment" | b"obj_info", *_] | [b"Created", b"by", *_]:
                continue
            case _:
                raise MeshFileError(f"no header of a PLY file has the line {_name(line[:60])!r}")
    if order == "":
        raise MeshFileError("the PLY file does not say of which format it is")
    _check(elements)
    return Header(order, elements, size)


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

    Those of strips come last: each triangle is a face, also one without area.
    """
    content = file.read()
    content = content if content.startswith(b"ply") else plain(content)
    header = read_header(content)
    if header.order is None:
        reader: TextReader | ByteReader = TextReader(content[header.size :])
    else:
        reader = ByteReader(content, header.size, header.order)
    found: dict[str, Rows] = {}
    missing = {element.name for element in header.elements} & _WANTED.keys()
    for element in header.elements:
        if missing:  # else the rest of the file is of no interest
            found[element.name] = reader.read(element, _WANTED.get(element.name, ()))
            missing.discard(element.name)
    corners, counts = _lists(found, "face")
    listed, lengths = _lists(found, "tristrips")
    triangles = strips(np.insert(listed, np.cumsum(lengths), -1))  # a row is the end of one too
    counts = np.concatenate([counts, np.full(len(triangles), 3)])
    return Faces(_vertices(found), np.concatenate([corners, triangles.reshape(-1)]), counts)


def _vertices(found: dict[str, Rows]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    single = found["vertex"].single if "vertex" in found else {}
    if not single.keys() >= set(_AXES):
        raise MeshFileError("the PLY file has no vertices with x, y and z")
    with np.errstate(invalid="ignore"):  # a NaN of float32 may be one that signals
        return np.stack([single[axis].astype(np.float64) for axis in _AXES], axis=1)


def _lists(found: dict[str, Rows], element: str) -> tuple[IntArray, IntArray]:
    """The corners of all rows of an element, and how many each has."""
    if element not in found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    lists = found[element].lists
    name = next((name for name in _CORNERS if name in lists), None)
    if name is None:
        raise MeshFileError(f"no list of {_CORNERS[0]} is in each {element} of the PLY file")
    values, counts = lists[name]
    return whole_numbers(values, "the vertices of faces"), counts


_TOO_SHORT = "the PLY file is damaged: it ends too soon"


class ByteReader:
    """Reads one element after the other; `order` is that of NumPy's types, "<" or ">"."""

    def __init__(self, content: bytes, place: int, order: str) -> None:
        self._content, self._place, self._order = content, place, order
        self._bytes = np.frombuffer(content, np.uint8)

    def read(self, element: Element, wanted: Collection[str]) -> Rows:
        """The properties that are `wanted` of the next element."""
        least = sum((each.length or each.kind).itemsize for each in element.properties)
        if element.rows * least > len(self._content) - self._place:
            raise MeshFileError(_TOO_SHORT)
        if any(each.length is not None for each in element.properties):
            return self._lists(element, wanted)
        return self._single(element, wanted)

    def _single(self, element: Element, wanted: Collection[str]) -> Rows:
        fields = [(each.name, self._type(each)) for each in element.properties]
        if not fields:
            return Rows()
        table = np.frombuffer(self._content, np.dtype(fields), element.rows, self._place)
        self._place += table.nbytes
        return Rows({name: table[name] for name, _ in fields if name in wanted})

    def _lists(self, element: Element, wanted: Collection[str]) -> Rows:
        """Find where each list begins, row after row; then take all numbers at once."""
        content, place, end = self._content, self._place, len(self._content)
        order: Literal["little", "big"] = "little" if self._order == "<" else "big"
        columns = [
            (
                each.kind.itemsize,
                each.length and each.length.itemsize,
                each.length is not None and each.length.kind == "i",
            )
            for each in element.properties
        ]
        starts: list[list[int]] = [[] for _ in columns]
        counts: list[list[int]] = [[] for _ in columns]
        for _ in range(element.rows):
            for column, (size, count_size, is_signed) in enumerate(columns):
                count = 1
                if count_size:
                    raw = content[place : place + count_size]
                    count = int.from_bytes(raw, order, signed=is_signed)
                    place += count_size
                starts[column].append(place)
                counts[column].append(count)
                place += count * size
                if count < 0 or place > end:
                    raise MeshFileError(_TOO_SHORT)
        self._place, found = place, Rows()
        for each, first, length in zip(element.properties, starts, counts, strict=True):
            if each.name in wanted:
                lengths = np.array(length, np.int64)
                values = self._gathered(np.array(first, np.int64), lengths, self._type(each))
                if each.length is None:
                    found.single[each.name] = values
                else:
                    found.lists[each.name] = values, lengths
        return found

    def _gathered(
        self, starts: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], kind: np.dtype[Any]
    ) -> npt.NDArray[Any]:
        """The numbers of all lists; a list may begin at any byte."""
        before = np.cumsum(counts) - counts
        step = np.arange(counts.sum()) - np.repeat(before, counts)
        places = np.repeat(starts, counts) + step * kind.itemsize
        raw = np.empty((len(places), kind.itemsize), np.uint8)
        for byte in range(kind.itemsize):
            raw[:, byte] = self._bytes[places + byte]
        return raw.view(kind)[:, 0]

    def _type(self, each: Property) -> np.dtype[Any]:
        return each.kind.newbyteorder(self._order)  # type: ignore[arg-type]


class TextReader:
    """Reads one element after the other."""

    def __init__(self, content: bytes) -> None:
        if b"_" in content:  # which Python takes for part of a number
            raise MeshFileError("the PLY file has an underscore where its numbers are")
        self._words, self._place = content.split(), 0

    def read(self, element: Element, wanted: Collection[str]) -> Rows:
        """The properties that are `wanted` of the next element."""
        if element.rows * len(element.properties) > len(self._words) - self._place:
            raise MeshFileError(_TOO_SHORT)
        try:
            if any(each.length is not None for each in element.properties):
                return self._lists(element, wanted)
            return self._single(element, wanted)
        except MeshFileError:
            raise
        except (ValueError, OverflowError):
            raise MeshFileError(
                f"an element {element.name!r} of the PLY file is not all numbers"
            ) from None

    def _single(self, element: Element, wanted: Collection[str]) -> Rows:
        found, width = Rows(), len(element.properties)
        words = self._words[self._place : self._place + element.rows * width]
        for column, each in enumerate(element.properties):
            if each.name in wanted:
                found.single[each.name] = floats(words[column::width])
        self._place += len(words)
        return found

    def _lists(self, element: Element, wanted: Collection[str]) -> Rows:
        words, place = self._words, self._place
        columns = [(each.length is not None, each.name in wanted) for each in element.properties]
        taken: list[list[bytes]] = [[] for _ in columns]
        counts: list[list[int]] = [[] for _ in columns]
        for _ in range(element.rows if columns else 0):
            for column, (is_list, is_wanted) in enumerate(columns):
                if place >= len(words):
                    raise MeshFileError(_TOO_SHORT)
                count = int(words[place]) if is_list else 1
                place += is_list
                if not 0 <= count <= len(words) - place:
                    raise MeshFileError(_TOO_SHORT)
                if is_wanted:
                    taken[column] += words[place : place + count]
                    counts[column].append(count)
                place += count
        self._place, found = place, Rows()
        for each, values, lengths in zip(element.properties, taken, counts, strict=True):
            if each.name in wanted and each.length is None:
                found.single[each.name] = floats(values)
            elif each.name in wanted:
                found.lists[each.name] = floats(values), np.array(lengths, np.int64)
        return found
