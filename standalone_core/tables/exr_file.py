# SPDX-License-Identifier: MIT
"""The form of OpenEXR files that writing and reading share, and what their headers say.

It is that of *Technical Introduction to OpenEXR* and *OpenEXR File Layout*. Nothing in a file is
trusted.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import TableFileError
from ..files.whole_file import path_of
from .formats import File

_MAGIC, _VERSION = b"v/1\x01", 2
_IN_TILES, _LONG_NAMES, _DEEP, _MANY_PARTS = 0x200, 0x400, 0x800, 0x1000
_KNOWN = 0xFF | _IN_TILES | _LONG_NAMES | _DEEP | _MANY_PARTS
_SHORT_NAME = 31
LONG_NAME = 255  # bytes of a name

TYPES = {"u4": 0, "f2": 1, "f4": 2}  # of channels
NONE, RLE, ZIPS, ZIP = 0, 1, 2, 3  # compressions
LINES = {NONE: 1, RLE: 1, ZIPS: 1, ZIP: 16}  # scan lines of a block

Attributes = dict[bytes, tuple[bytes, bytes]]
"""The types and values of a header's attributes, by name and in their order."""

Window = tuple[int, int, int, int]
"""The first column and row, and the last column and row."""


class Cursor:
    """A place in the bytes of a file; TableFileError if more is asked for than they hold."""

    def __init__(self, content: bytes, place: int = 0) -> None:
        self.content, self.place = content, place

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        end = self.place + size
        if not self.place <= end <= len(self.content):
            raise TableFileError("the file is damaged, or cut off: it is smaller than it says")
        taken, self.place = self.content[self.place : end], end
        return taken

    def numbers(self, form: str) -> tuple[int, ...]:
        """The next numbers, in a form of :mod:`struct`."""
        return struct.unpack(form, self.take(struct.calcsize(form)))

    def word(self) -> bytes:
        """The bytes up to the next zero."""
        end = self.content.find(b"\0", self.place, self.place + LONG_NAME + 1)
        if end < 0:
            raise TableFileError("the file is damaged, or cut off: a name has no end")
        word = self.take(end - self.place)
        self.place += 1
        return word


def opened(path: File) -> Cursor:
    """The bytes of a file, after those that tell its format.

    TableFileError if it is of another format; OSError if it cannot be read.
    """
    with open(path_of(path), "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise TableFileError("the file is no OpenEXR picture")
        file.seek(0)
        try:
            return Cursor(file.read(), len(_MAGIC))
        except MemoryError:
            raise TableFileError("the file does not fit in memory") from None


def packed_header(attributes: Iterable[tuple[bytes, bytes, bytes]], longest: int) -> bytes:
    """The header of a file, of names, types and values; its longest name has so many bytes."""
    flags = _VERSION | (_LONG_NAMES if longest > _SHORT_NAME else 0)
    written = (
        b"%s\0%s\0%s%s" % (name, kind, struct.pack("<i", len(value)), value)
        for name, kind, value in attributes
    )
    return _MAGIC + struct.pack("<i", flags) + b"".join(written) + b"\0"


def read_headers(file: Cursor) -> tuple[list[Attributes], bool]:
    """The headers of a file's parts, and whether its blocks tell their part.

    The cursor stands after them then. TableFileError if it is no picture of scan lines.
    """
    (flags,) = file.numbers("<i")
    if flags & 0xFF != _VERSION or flags & ~_KNOWN:
        raise TableFileError("the file is damaged, or OpenEXR of another version")
    has_parts = bool(flags & _MANY_PARTS)
    parts = [_header(file)]
    while has_parts and (header := _header(file)):
        parts.append(header)
    kinds = {text_in(header, b"type") for header in parts} - {"", "scanlineimage"}
    if flags & (_IN_TILES | _DEEP) or kinds:
        raise TableFileError("the picture is in tiles, or deep: write it flat, in scan lines")
    return parts, has_parts


def _header(file: Cursor) -> Attributes:
    found: Attributes = {}
    while name := file.word():
        if name in found:
            raise TableFileError("the file is damaged: it has an attribute twice")
        kind = file.word()
        found[name] = kind, file.take(*file.numbers("<i"))
    return found


def value_in(header: Attributes, name: bytes, kind: bytes, form: str) -> tuple[int, ...]:
    """The numbers of an attribute, in a form of :mod:`struct`."""
    found, value = header.get(name, (b"", b""))
    if found != kind or len(value) != struct.calcsize(form):
        raise TableFileError(f"the file is damaged: its header has no {name.decode()}")
    return struct.unpack(form, value)


def window_in(header: Attributes, which: str) -> Window:
    """The window that is called "data" or "display"."""
    left, top, right, bottom = value_in(header, f"{which}Window".encode(), b"box2i", "<4i")
    if left > right or top > bottom:
        raise TableFileError("the file is damaged: its picture is empty")
    return left, top, right, bottom


def text_in(header: Attributes, name: bytes) -> str:
    """A text, in which bytes that are no UTF-8 are escaped; "" if there is none."""
    kind, value = header.get(name, (b"", b""))
    return text_of(value) if kind == b"string" else ""


def text_of(raw: bytes) -> str:
    """Bytes as text; those that are no UTF-8 are escaped."""
    return raw.decode("utf-8", "backslashreplace")


def view_in(header: Attributes) -> str:
    """The view of a part, or of a file of one view; "" if the header names none or several."""
    kind, listed = header.get(b"multiView", (b"", b""))
    length = int.from_bytes(listed[:4], "little")
    of_file = text_of(listed[4:]) if kind == b"stringvector" and length == len(listed) - 4 else ""
    return text_in(header, b"view") or of_file


def channels_in(header: Attributes) -> list[tuple[str, np.dtype[Any]]]:
    """The names and types of the channels, in the order in which a row has them."""
    kinds = {number: np.dtype(f"<{kind}") for kind, number in TYPES.items()}
    listed, found = Cursor(header.get(b"channels", (b"", b"\0"))[1]), []
    while name := listed.word():
        kind, _, *sampling = listed.numbers("<iIii")
        if kind not in kinds:
            raise TableFileError("the file is damaged: it has a channel of an unknown type")
        if sampling != [1, 1]:
            raise TableFileError("the picture has fewer pixels in some channels than in others")
        found.append((name, kinds[kind]))
    names = [name for name, _ in found]
    if not names or names != sorted({*names}):
        raise TableFileError("the file is damaged: it has no channels, or not in order")
    return [(text_of(name), kind) for name, kind in found]
