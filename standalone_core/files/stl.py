# SPDX-License-Identifier: MIT
"""STL files, binary and text: their triangles, whose equal corners become one vertex."""

import re
from typing import IO

import numpy as np

from ..errors import MeshFileError
from ..numerics.arrays import FloatArray, IntArray
from .meshes import Faces
from .plain_text import floats, plain

_HEAD = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("color", "<u2")])

# A solid's name may be any words up to the end of its line. "endsolid" becomes "end".
_SOLID = re.compile(rb"solid\b.*?(?=\bfacet\s+normal\b|[\r\n]|$)")

_CORNER = "vertex x y z"
_FACET = f"facet normal x y z outer loop {_CORNER} {_CORNER} {_CORNER} endloop endfacet".encode()
"""The words of nearly all facets; others have more corners, or no normal."""


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError if it is damaged, or no STL file.

    Triangles keep the order of the file. Corners with the same bits become one vertex; vertices
    are in the order of their first corners.
    """
    content = file.read()
    is_text = plain(content[:80]).lstrip()[:5].lower() == b"solid"
    is_wide = is_text and b"\0" in content[:4]
    triangles = int.from_bytes(content[80:_HEAD], "little")  # billions, if it is text
    if len(content) >= _HEAD + triangles * _TRIANGLE.itemsize and not is_wide:
        points, counts = _read_binary(content, triangles), np.full(triangles, 3)
    elif is_text and (is_wide or b"\0" not in content):
        points, counts = _read_text(plain(content))
    else:
        raise MeshFileError("the file is no STL file, or it is damaged and ends too soon")
    return Faces(*_merged(points), counts)


def _read_binary(content: bytes, triangles: int) -> FloatArray:
    rest = content[_HEAD + triangles * _TRIANGLE.itemsize :]
    if len(rest) >= _TRIANGLE.itemsize and any(rest):
        raise MeshFileError(
            f"the STL file is damaged: it says that it has {triangles} triangles, and goes on after"
        )
    table = np.frombuffer(content, _TRIANGLE, triangles, _HEAD)
    with np.errstate(invalid="ignore"):  # a float32 may be a signaling NaN
        return table["corners"].reshape(-1, 3).astype(np.float64)


def _read_text(text: bytes) -> tuple[FloatArray, IntArray]:
    """The corners of all facets, which may be polygons, and how many each has."""
    words = _SOLID.sub(b" ", text.lower()).split()
    if words[-1:] != [b"end"]:
        raise MeshFileError("the STL file is damaged: it ends before its solid does")
    words = [word for word in words if word != b"end"]
    try:
        return _read_triangles(words) or _read_polygons(words)
    except (ValueError, IndexError):
        raise MeshFileError("the STL file is damaged: it has words that are no facet") from None


def _read_triangles(words: list[bytes]) -> tuple[FloatArray, IntArray] | None:
    """As :func:`_read_text`, in one step; None unless all facets are ordinary triangles."""
    facet = _FACET.split()
    count, rest = divmod(len(words), len(facet))
    columns = [(word, words[place :: len(facet)]) for place, word in enumerate(facet)]
    if rest or any(column.count(word) < count for word, column in columns if len(word) > 1):
        return None
    numbers = [floats(b" ".join(column)) for word, column in columns[5:] if len(word) == 1]
    return np.stack(numbers, axis=1).reshape(-1, 3), np.full(count, 3)


def _read_polygons(words: list[bytes]) -> tuple[FloatArray, IntArray]:
    """As :func:`_read_text` for any facets, one after the other."""
    corners: list[bytes] = []
    counts: list[int] = []
    place = 0
    while place < len(words):
        loop = words.index(b"outer", place, place + 6)  # a normal may be missing
        if words[place] != b"facet" or words[loop + 1] != b"loop":
            raise ValueError
        place = loop + 2
        while words[place] == b"vertex":
            corners += words[place + 1 : place + 4]
            place += 4
        counts.append((place - loop - 2) // 4)
        if counts[-1] < 3 or words[place : place + 2] != [b"endloop", b"endfacet"]:
            raise ValueError
        place += 2
    return floats(b" ".join(corners)).reshape(-1, 3), np.array(counts, np.int64)


def _merged(points: FloatArray) -> tuple[FloatArray, IntArray]:
    """The distinct points (V, 3), in order of first appearance, and the row of each point there."""
    bits = points.view(np.int64)
    order = np.lexsort(bits.T)
    is_new = np.ones(len(points), bool)
    is_new[1:] = (bits[order[1:]] != bits[order[:-1]]).any(axis=1)
    first = np.empty(len(points), np.int64)
    first[order] = order[is_new][np.cumsum(is_new) - 1]  # lexsort is stable
    kept = np.sort(order[is_new])
    return points[kept], np.searchsorted(kept, first)
