# SPDX-License-Identifier: MIT
"""Reading of Wavefront OBJ files: their vertices and faces alone."""

from array import array
from collections.abc import Iterator
from typing import IO

import numpy as np

from ..errors import MeshFileError
from .meshes import Faces
from .plain_text import plain, without_comments


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError, with the line, if one cannot be read."""
    coordinates, corners, counts = array("d"), array("q"), array("q")
    for number, line in _lines(file.read()):
        words = line.split()
        try:
            if b"_" in line and words[0] in (b"v", b"f"):  # Python allows it within a number
                raise ValueError
            if words[0] == b"v":
                x, y, z, *_ = map(float, words[1:4])
                coordinates.extend((x, y, z))
            elif words[0] == b"f":
                vertices = len(coordinates) // 3
                corners.extend(_vertex(word, vertices) for word in words[1:])
                counts.append(len(words) - 1)
        except (ValueError, OverflowError):
            text = line[:60].decode("utf-8", "replace")
            kind = "vertex" if words[0] == b"v" else "face"
            raise MeshFileError(f"line {number} is no {kind}: {text!r}") from None
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


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines of vertices and faces, numbered, without comments, with continued lines joined."""
    start = 0
    begun: list[bytes] = []
    for number, line in enumerate(without_comments(plain(content)).splitlines(), 1):
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
