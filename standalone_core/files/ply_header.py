# SPDX-License-Identifier: MIT
"""What the header of a PLY file says it holds."""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from ..numerics.arrays import IntArray

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
    """A number of each row of an element; or, if `length` is a type too, a list of numbers."""

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
