# SPDX-License-Identifier: MIT
"""PLY files, in text and in bytes of either order: their vertices and faces."""

from typing import IO

import numpy as np

from ..errors import MeshFileError
from .faces import Faces, whole_numbers
from .ply_bytes import ByteReader
from .ply_header import Rows, read_header
from .ply_text import TextReader

_AXES = ("x", "y", "z")
_CORNERS = ("vertex_indices", "vertex_index")
_WANTED = {"vertex": _AXES, "face": _CORNERS}


def read(file: IO[bytes]) -> Faces:
    """The faces of a file; MeshFileError if it is damaged, or no PLY file with faces."""
    content = file.read()
    header = read_header(content)
    if header.order is None:
        reader: TextReader | ByteReader = TextReader(content[header.size :])
    else:
        reader = ByteReader(content, header.size, header.order)
    found: dict[str, Rows] = {}
    for element in header.elements:
        if not _WANTED.keys() <= found.keys():  # what comes later is not looked at
            found[element.name] = reader.read(element, _WANTED.get(element.name, ()))
    return Faces(_vertices(found), *_faces(found))


def _vertices(found: dict[str, Rows]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    single = found["vertex"].single if "vertex" in found else {}
    if not single.keys() >= set(_AXES):
        raise MeshFileError("the PLY file has no vertices with x, y and z")
    with np.errstate(invalid="ignore"):  # a NaN of float32 may be one that signals
        return np.stack([single[axis].astype(np.float64) for axis in _AXES], axis=1)


def _faces(found: dict[str, Rows]) -> tuple[np.ndarray, np.ndarray]:
    lists = found["face"].lists if "face" in found else {}
    name = next((name for name in _CORNERS if name in lists), None)
    if name is None:
        raise MeshFileError("the PLY file has no faces, so there is nothing to hit")
    values, counts = lists[name]
    return whole_numbers(values, "the vertices of faces"), counts
