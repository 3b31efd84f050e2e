# SPDX-License-Identifier: MIT
"""PLY files, in text and in bytes of either order: their vertices and faces."""

from typing import IO

import numpy as np

from ..errors import MeshFileError
from ..numerics.arrays import IntArray
from .faces import Faces, strips, whole_numbers
from .plain_text import plain
from .ply_bytes import ByteReader
from .ply_header import Rows, read_header
from .ply_text import TextReader

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
        if missing:  # what comes later is not looked at
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
