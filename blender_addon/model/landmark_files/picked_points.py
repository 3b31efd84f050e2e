# SPDX-License-Identifier: GPL-3.0-or-later
"""Picked points of MeshLab, ``.pp``: XML, as pickedPoints.cpp of MeshLab reads and writes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from .format import Format, only_set
from .mark import Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, decoded, digits, encoded, name_of, number, readable, too_many

_ROOT = "PickedPoints"
_ESCAPED = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def read(data: bytes, name: str) -> list[MarkFile]:
    """The one set of a file. A point that is not active was not picked: it is missing."""
    reader = _Reader()
    reader.parse(decoded(data).encode())
    return [MarkFile(name, tuple(reader.marks), object=reader.object)]


class _Reader:
    """What is in the file, as the parser comes to it. Its own entities are refused, unread."""

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.object = ""
        self._path: list[str] = []

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.EntityDeclHandler = self._refuse_entities
        parser.StartDoctypeDeclHandler = self._check_doctype
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            raise MarkFileError(f"this is no XML: {error}") from None

    def _refuse_entities(self, *_values: object) -> NoReturn:
        raise MarkFileError("it defines entities of its own, which are not read")

    def _check_doctype(self, _name: str, _system: object, _public: object, inside: int) -> None:
        if inside:
            self._refuse_entities()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path and tag != _ROOT:
            raise MarkFileError(f"it has <{tag:.40}>, not <{_ROOT}>")
        self._path.append(tag)
        if self._path == [_ROOT, "point"]:
            if len(self.marks) == MOST_MARKS:
                raise too_many()
            self.marks.append(_mark(attributes, len(self.marks) + 1))
        elif self._path == [_ROOT, "DocumentData", "DataFileName"]:
            self.object = readable(attributes.get("name"))

    def _end(self, _tag: str) -> None:
        self._path.pop()


def _mark(attributes: dict[str, str], count: int) -> Mark:
    name = name_of(attributes.get("name"))
    if attributes.get("active") == "0":
        return Mark(name)
    where = f"point {count}"
    x, y, z = (number(attributes.get(axis, ""), f"{where}, {axis}") for axis in "xyz")
    return Mark(name, (x, y, z))


def write(sets: Sequence[MarkFile]) -> bytes:
    """A file as MeshLab writes it."""
    each, now = only_set(sets), datetime.now()
    parts = [
        f"<!DOCTYPE {_ROOT}>\n<{_ROOT}>\n <DocumentData>\n",
        f'  <DateTime date="{now:%Y-%m-%d}" time="{now:%H:%M:%S}"/>\n',
        f"  <DataFileName name={_attribute(each.object)}/>\n",
        '  <templateName name=""/>\n </DocumentData>\n',
        *map(_point, each.marks),
        f"</{_ROOT}>\n",
    ]
    return encoded(parts)


def _point(mark: Mark) -> str:
    x, y, z = digits(mark.point or (0, 0, 0))
    active = 0 if mark.point is None else 1
    return f' <point x="{x}" y="{y}" z="{z}" active="{active}" name={_attribute(mark.name)}/>\n'


def _attribute(text: str) -> str:
    return quoteattr(name_of(text), _ESCAPED)


FORMAT = Format(
    "meshlab",
    "MeshLab Picked Points",
    (".pp",),
    frozenset({"positions", "names", "lines", "missing"}),
    read,
    write,
)
