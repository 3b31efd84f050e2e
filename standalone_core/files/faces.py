# SPDX-License-Identifier: MIT
"""Faces of any number of corners, as files list them, and the triangles of each."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from ..numerics.arrays import FloatArray, IntArray


class Faces(NamedTuple):
    """Vertices (V, 3), the vertex of each corner (L,) of each face, and their counts (F,)."""

    vertices: FloatArray
    corners: IntArray
    counts: IntArray


def fans(faces: Faces) -> tuple[FloatArray, IntArray, IntArray | None]:
    """Vertices, the triangles (T, 3) of all faces, and the face (T,) of each, if that differs.

    A face is split as a fan around its first corner; one of less than three has no triangle.
    MeshFileError if a corner has no vertex, or if there is no triangle.
    """
    vertices, corners, counts = faces
    outside = (corners < 0) | (corners >= len(vertices))
    if outside.any():
        corner = int(np.argmax(outside))
        owner = int(np.searchsorted(np.cumsum(counts), corner, "right"))
        raise MeshFileError(
            f"face {owner} has the vertex {corners[corner]}, counted from 0, "
            f"but the file has {len(vertices)}"
        )
    each = np.maximum(counts - 2, 0)
    if not each.any():
        raise MeshFileError("the file has no faces, so there is nothing to hit")
    starts = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), each)
    step = np.arange(len(face)) - np.repeat(np.cumsum(each) - each, each)
    first = starts[face]
    rows = np.stack([first, first + step + 1, first + step + 2], axis=1)
    return vertices, corners[rows], None if (counts == 3).all() else face


def strips(corners: IntArray) -> IntArray:
    """The triangles (T, 3) of strips, which -1 separates; every other one of a strip is turned."""
    index = np.arange(len(corners))
    first = np.maximum.accumulate(np.where(corners == -1, index + 1, 0))
    start = index[: max(len(corners) - 2, 0)]
    turned = (start - first[: len(start)]) % 2
    triangles = corners[np.stack([start, start + 1 + turned, start + 2 - turned], axis=1)]
    return np.asarray(triangles[(triangles != -1).all(axis=1)])


def whole_numbers(values: npt.NDArray[Any], name: str) -> IntArray:
    """Numbers of any type as int64; MeshFileError if one is none."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    if values.dtype.kind == "f" and not (whole == values).all():
        raise MeshFileError(f"{name} are not all whole numbers")
    return whole
