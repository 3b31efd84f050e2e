# SPDX-License-Identifier: MIT
"""Polygons split into triangles as Blender splits them.

A quad is split by the rules of :mod:`.quad_split`. Only a function of the user knows how larger
polygons are split, and quads for which the rules may contradict each other ("open" ones).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .. import integers
from ..concurrency.progress import Progress
from ..concurrency.threads import one_by_one
from ..errors import IndexRangeError, ShapeError
from ..numerics.arrays import BoolArray, IndexArray, IntArray
from .polygons import Polygons, runs
from .quad_split import split_quads

Split = Callable[[IntArray], IndexArray]
"""Faces (N,) to the corners (T, 3) of their triangles, in order."""

# Faces that are split together: they fit the processor's cache.
_CHUNK = 1 << 14


class _Answers(NamedTuple):
    """Faces (K,) in order, and the corners (T, 3) of their triangles."""

    faces: IntArray
    corners: IntArray


class Splitter:
    """Splits faces, and remembers what a user's function says of some.

    Without one all open quads are split by the first rule, and there are no larger faces.
    """

    def __init__(self, split: Split | None) -> None:
        self._split = split
        self._answers = _Answers(np.empty(0, dtype=np.int64), np.empty((0, 3), dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Memory of the answers, in bytes."""
        return sum(array.nbytes for array in self._answers)

    def known(self, polygons: Polygons, faces: IntArray) -> tuple[IntArray, IntArray]:
        """Corners (T, 3) of the triangles of faces (N,), as far as they are known without a call.

        And the faces that are unknown: of these the triangles are only a fan.
        """
        corners, is_open = _split_by_rule(polygons, faces)
        if self._split is None or not is_open.any():
            return corners, faces[:0]
        answers = self._answers
        is_known = is_open & np.isin(faces, answers.faces)
        place = answers.faces.searchsorted(faces[is_known])
        known = answers.corners[_rows_of(polygons, answers.faces, place)]
        corners[_rows_of(polygons, faces, is_known)] = known
        return corners, faces[is_open & ~is_known]

    def missing(self, faces: IntArray) -> IntArray:
        """Those of some open faces (N,) for which there is no answer yet."""
        return faces[~np.isin(faces, self._answers.faces)]

    def ask(self, polygons: Polygons, faces: IntArray) -> None:
        """Call the user's function for the unknown ones of open faces (N,)."""
        faces = self.missing(faces)
        if self._split is None or not len(faces):
            return
        answer = integers.indices(self._split(faces), "the split").astype(np.int64)
        sizes, start = polygons.sizes_of(faces), polygons.corners_from(faces)
        if answer.shape != (int((sizes - 2).sum()), 3):
            raise ShapeError(
                f"the split of {len(faces)} faces must have shape "
                f"({int((sizes - 2).sum())}, 3), not {answer.shape}"
            )
        begin, end = (np.repeat(ends, sizes - 2)[:, None] for ends in (start, start + sizes))
        if not ((answer >= begin) & (answer < end)).all():
            raise IndexRangeError("the split of a face has corners of other faces")
        self._answers = _merged(self._answers, _Answers(faces, answer), polygons)

    def split(self, polygons: Polygons, faces: IntArray) -> IntArray:
        """Corners (T, 3) of all triangles of faces (N,), with a call where that is needed."""
        corners, unknown = self.known(polygons, faces)
        if len(unknown):
            self.ask(polygons, unknown)
            corners, _ = self.known(polygons, faces)
        return corners

    def triangulate(self, polygons: Polygons, progress: Progress) -> tuple[IndexArray, IntArray]:
        """All triangles (T, 3), as vertices, and the faces of which they are not known."""
        triangles = np.empty((polygons.triangle_count, 3), dtype=polygons.corners.dtype)

        def chunk(begin: int) -> IntArray:
            faces = np.arange(begin, min(begin + _CHUNK, polygons.face_count))
            corners, unknown = self.known(polygons, faces)
            first = int(polygons.triangles_from(faces[:1])[0])
            polygons.corners.take(corners, out=triangles[first : first + len(corners)])
            return unknown

        missing = [np.empty(0, dtype=np.int64)]
        starts = range(0, polygons.face_count, _CHUNK)
        progress(0.0)
        for unknown in one_by_one(chunk, starts, polygons.face_count):
            missing.append(unknown)
            progress((len(missing) - 1) / len(starts))
        return triangles, np.concatenate(missing)

    def complete(self, polygons: Polygons, triangles: IndexArray, faces: IntArray) -> None:
        """Write the triangles of some faces, which are known by now."""
        corners, _ = self.known(polygons, faces)
        triangles[polygons.triangles_of(faces)] = polygons.corners.take(corners)


def _split_by_rule(polygons: Polygons, faces: IntArray) -> tuple[IntArray, BoolArray]:
    """Corners (T, 3) of the triangles of faces (N,), and which faces this leaves open.

    All are fans but flipped quads.
    """
    sizes, start = polygons.sizes_of(faces), polygons.corners_from(faces)
    counts = sizes - 2
    first = np.cumsum(counts) - counts
    corners = np.empty((int(counts.sum()), 3), dtype=np.int64)
    corners[:, 0] = np.repeat(start, counts)
    corners[:, 1] = runs(start + 1, counts)
    corners[:, 2] = corners[:, 1] + 1
    is_open = sizes > 4
    quads = np.flatnonzero(sizes == 4)
    if len(quads):
        vertices = polygons.corners.take(start[quads, None] + np.arange(4))
        flipped, is_open[quads] = split_quads(polygons.vertices.take(vertices, axis=0))
        row = first[quads[flipped]]
        corners[row, 2] += 1
        corners[row + 1, 0] += 1
    return corners, is_open


def _rows_of(polygons: Polygons, faces: IntArray, some: IntArray | BoolArray) -> IntArray:
    """The rows of the triangles of some faces, where those of all stand one after another."""
    counts = polygons.sizes_of(faces) - 2
    firsts = np.cumsum(counts) - counts
    return runs(firsts[some], counts[some])


def _merged(one: _Answers, other: _Answers, polygons: Polygons) -> _Answers:
    """The answers of both, in order of the faces, each face once."""
    every = np.concatenate([one.faces, other.faces])
    corners = np.concatenate([one.corners, other.corners])
    faces, row = np.unique(every, return_index=True)
    return _Answers(faces, corners[_rows_of(polygons, every, row)])
