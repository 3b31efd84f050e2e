# SPDX-License-Identifier: MIT
"""Reading of Wavefront OBJ files: their vertices and faces alone.

Nearly all lines are read many at a time, with NumPy. Parts of a file that have other lines, such as
ones that go on in the next line, are read line by line.
"""

from array import array
from collections.abc import Iterator
from typing import IO

import numpy as np

from ..errors import MeshFileError
from ..numerics.arrays import BoolArray, FloatArray, IntArray
from .meshes import Faces
from .plain_text import Codes, are_blank, floats, integers, plain, without_comments, words_of

_PART = 1 << 22
"""Bytes that are read at a time, up to the end of a line."""

_BREAK, _BLANK, _SLASH, _VERTEX, _FACE = b"\n /vf"


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError, with the line, if one cannot be read."""
    parts = [Faces(np.empty((0, 3)), np.empty(0, np.int64), np.empty(0, np.int64))]
    vertices, line = 0, 1
    for text in _parts(without_comments(plain(file.read()))):
        part = _read_together(text, vertices)
        if part is None:
            part = _read_each(text, vertices, line)
        parts.append(part)
        vertices += len(part.vertices)
        line += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    return Faces(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _parts(content: bytes) -> Iterator[bytes]:
    """Cut a file after ends of lines, but not where a backslash continues the line."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start + _PART) + 1 or len(content)
        while end < len(content) and b"\\" in content[content.rfind(b"\n", 0, end - 1) + 1 : end]:
            end = content.find(b"\n", end) + 1 or len(content)
        yield content[start:end]
        start = end


def _read_together(text: bytes, before: int) -> Faces | None:
    """The faces of lines after so many vertices; None if a line is unusual, or wrong."""
    if b"\\" in text or text.count(b"\r") != text.count(b"\r\n"):
        return None
    codes = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    ends = np.flatnonzero(codes == _BREAK) + 1
    starts = np.concatenate(([0], ends[:-1]))
    first, second = codes[starts], codes[np.minimum(starts + 1, ends - 1)]
    is_empty = second == _BREAK
    if (are_blank(first) & ~is_empty).any():  # the word is further on
        return None
    is_vertex, is_face = ((first == word) & are_blank(second) for word in (_VERTEX, _FACE))
    try:
        vertices = _vertices(*_without_word(codes, starts, ends, is_vertex))
        corners, counts = _corners(*_without_word(codes, starts, ends, is_face))
        known = before + np.cumsum(is_vertex)[is_face]
        return Faces(vertices, _rows(corners, np.repeat(known, counts)), counts)
    except (ValueError, OverflowError):
        return None


def _without_word(
    codes: Codes, starts: IntArray, ends: IntArray, wanted: BoolArray
) -> tuple[Codes, IntArray]:
    """Some of the lines, with a blank for their first byte, and where each of them starts."""
    rows = np.flatnonzero(wanted)
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:  # one after the other
        kept = codes[starts[rows[0]] : ends[rows[-1]]].copy()
    else:
        kept = codes[np.repeat(wanted, ends - starts)]
    lengths = (ends - starts)[rows]
    places = np.cumsum(lengths) - lengths
    kept[places] = _BLANK
    return kept, places


def _vertices(codes: Codes, lines: IntArray) -> FloatArray:
    """The vertices (V, 3) of lines of numbers; ValueError if not all have as many, or too few."""
    words, _ = words_of(codes)
    width, rest = divmod(len(words), max(len(lines), 1))
    if not len(lines):
        return np.empty((0, 3))
    if width < 3 or rest or (words[::width] < lines).any():
        raise ValueError
    if (words[width - 1 :: width] >= np.append(lines[1:], len(codes))).any():
        raise ValueError
    return floats(codes.tobytes()).reshape(-1, width)[:, :3]


def _corners(codes: Codes, lines: IntArray) -> tuple[IntArray, IntArray]:
    """The first number of each word, and the words of each line; ValueError if one has none."""
    words, _ = words_of(codes)
    counts = np.diff(np.append(np.searchsorted(words, lines), len(words)))
    is_slash = codes == _SLASH
    if not is_slash.any():
        return integers(codes.tobytes()), counts
    blanked = np.where(is_slash, np.uint8(_BLANK), codes)
    numbers, (places, _) = integers(blanked.tobytes()), words_of(blanked)
    is_first = codes[places - 1] != _SLASH
    if np.count_nonzero(is_first) != len(words):
        raise ValueError
    return numbers[is_first], counts


def _rows(corners: IntArray, known: IntArray) -> IntArray:
    """The rows of corners' vertices, counted from 1 or from the end of those that are known."""
    if (corners > 0).all():
        return corners - 1
    rows = np.where(corners > 0, corners - 1, known + corners)
    if (corners == 0).any() or (rows < 0).any():
        raise ValueError
    return rows


def _read_each(text: bytes, before: int, first: int) -> Faces:
    """As :func:`_read_together` for any lines, one by one; `first` is the number of the first."""
    coordinates, corners, counts = array("d"), array("q"), array("q")
    for number, line in _lines(text, first):
        words = line.split()
        try:
            if b"_" in line and words[0] in (b"v", b"f"):  # Python allows it within a number
                raise ValueError
            if words[0] == b"v":
                x, y, z, *_ = map(float, words[1:4])
                coordinates.extend((x, y, z))
            elif words[0] == b"f":
                vertices = before + len(coordinates) // 3
                corners.extend(_vertex(word, vertices) for word in words[1:])
                counts.append(len(words) - 1)
        except (ValueError, OverflowError):
            shown = line[:60].decode("utf-8", "replace")
            kind = "vertex" if words[0] == b"v" else "face"
            raise MeshFileError(f"line {number} is no {kind}: {shown!r}") from None
    return Faces(
        np.array(coordinates, np.float64).reshape(-1, 3),
        np.array(corners, np.int64),
        np.array(counts, np.int64),
    )


def _vertex(word: bytes, vertices: int) -> int:
    """The row of a corner's vertex, which may be counted from the end."""
    index = int(word.partition(b"/")[0])
    row = index - 1 if index > 0 else vertices + index
    if index == 0 or row < 0:
        raise ValueError
    return row


def _lines(text: bytes, first: int) -> Iterator[tuple[int, bytes]]:
    """The lines of vertices and faces, numbered, with continued lines joined."""
    start = 0
    begun: list[bytes] = []
    for number, line in enumerate(text.splitlines(), first):
        start = start if begun else number
        line = line.rstrip()
        # After a byte that is not ASCII, a backslash may be half of a letter in a group's name.
        if line.endswith(b"\\") and line[-2:-1] < b"\x80":
            begun.append(line[:-1])
            continue
        if begun:
            line, begun = b" ".join([*begun, line]), []
        if _is_wanted(line):
            yield start, line
    if _is_wanted(b" ".join(begun)):
        yield start, b" ".join(begun)


def _is_wanted(line: bytes) -> bool:
    return line.lstrip()[:1] in (b"v", b"f")
