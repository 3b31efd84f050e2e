# SPDX-License-Identifier: MIT
"""Polygons split into triangles as Blender splits them.

A quad is split along the diagonal from corner 0 to corner 2, unless corners 1 and 3 lie on the same
side of it: then the quad is flipped, that is, split along the other diagonal. Blender decides this
in float32 by one of two rules, depending on whether it has the face's normal at hand. With the
diagonal d = v2 - v0, the normals m = (v1 - v0) x d and n = (v3 - v0) x d of the halves, and the
face's normal along m - n, the rules are

- without the normal: flipped if m . n > 0;
- with it: flipped if m . n >= m . m or m . n >= n . n.

Quads for which these may contradict each other are "open": only the user's function knows how they
are split, as for larger polygons.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import arguments
from ..concurrency.forks import Lock
from ..concurrency.threads import Progress, one_by_one
from ..errors import IndexRangeError, ShapeError
from ..numerics.arrays import BoolArray, FloatArray, IndexArray, IntArray, SingleArray
from ..numerics.columns import runs
from ..numerics.ray_triangle import cross3, dot3
from ..numerics.vectors import difference
from .polygons import Polygons

Split = Callable[[IntArray], IndexArray]
"""Takes faces (N,) and returns the corners (T, 3) of their triangles, in order."""

# Faces that are split together: they fit the processor's cache.
_CHUNK = 1 << 14


class Splitter:
    """Splits faces, and keeps the answers of a user's function.

    Without a function, all open quads are split by the first rule, and there are no larger faces.
    """

    def __init__(self, split: Split | None) -> None:
        self._split = split
        self._lock = Lock()
        # Faces (K,) in order, and the corners (T, 3) of their triangles; replaced together.
        self._answers: tuple[IntArray, IntArray] = np.empty(0, np.int64), np.empty((0, 3), np.int64)

    @property
    def nbytes(self) -> int:
        """Memory of the answers, in bytes."""
        return sum(array.nbytes for array in self._answers)

    def known(self, polygons: Polygons, faces: IntArray) -> tuple[IntArray, IntArray]:
        """Corners (T, 3) of the triangles of faces (N,), without a call, and the unknown faces.

        The triangles of unknown faces are placeholders: a fan.
        """
        corners, is_open = _split_by_rule(polygons, faces)
        if self._split is None or not is_open.any():
            return corners, faces[:0]
        known, known_corners = self._answers
        is_known = is_open & np.isin(faces, known)
        rows = _rows_of(polygons, known, known.searchsorted(faces[is_known]))
        corners[_rows_of(polygons, faces, is_known)] = known_corners[rows]
        return corners, faces[is_open & ~is_known]

    def missing(self, faces: IntArray) -> IntArray:
        """Those of open faces (N,) that have no answer yet."""
        return faces[~np.isin(faces, self._answers[0])]

    def ask(self, polygons: Polygons, faces: IntArray) -> None:
        """Call the user's function for those of open faces (N,) that have no answer yet."""
        faces = self.missing(faces)
        if self._split is None or not len(faces):
            return
        answer = arguments.indices(self._split(faces), "the split").astype(np.int64)
        sizes, start = polygons.sizes_of(faces), polygons.corners_from(faces)
        if answer.shape != (int((sizes - 2).sum()), 3):
            raise ShapeError(
                f"the split of {len(faces)} faces must have shape "
                f"({int((sizes - 2).sum())}, 3), not {answer.shape}"
            )
        begin, end = (np.repeat(ends, sizes - 2)[:, None] for ends in (start, start + sizes))
        if not ((answer >= begin) & (answer < end)).all():
            raise IndexRangeError("the split of a face has corners of other faces")
        with self._lock.here:  # without it, one thread's answers could replace another's
            known, known_corners = self._answers
            every = np.concatenate([known, faces])
            corners = np.concatenate([known_corners, answer])
            known, row = np.unique(every, return_index=True)
            self._answers = known, corners[_rows_of(polygons, every, row)]

    def split(self, polygons: Polygons, faces: IntArray) -> IntArray:
        """Corners (T, 3) of all triangles of faces (N,); calls the user's function if needed."""
        corners, unknown = self.known(polygons, faces)
        if len(unknown):
            self.ask(polygons, unknown)
            corners, _ = self.known(polygons, faces)
        return corners

    def triangulate(self, polygons: Polygons, progress: Progress) -> tuple[IndexArray, IntArray]:
        """The vertices (T, 3) of all triangles, and the faces whose split is not known."""
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


def _split_by_rule(polygons: Polygons, faces: IntArray) -> tuple[IntArray, BoolArray]:
    """Corners (T, 3) of the triangles of faces (N,), and which faces this leaves open.

    All but flipped quads are split as fans.
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
    """The rows of some faces' triangles among those of all the `faces`, one after another."""
    counts = polygons.sizes_of(faces) - 2
    firsts = np.cumsum(counts) - counts
    return runs(firsts[some], counts[some])


_EPS = float(np.finfo(np.float32).eps)

# A bound of Blender's rounding errors, relative to the sizes of the terms that it adds up.
_ROUNDING = 16 * _EPS

# Outside this range, float32 products of four lengths under- or overflow, or Blender treats the
# square of a normal as 0.
_LEAST, _MOST = 1e-33, 1e37

# The triangles of both splits.
_TRIANGLES = ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))


class QuadSplit(NamedTuple):
    """How N quads are split, (N,) each."""

    # Split along the diagonal from corner 1 to corner 3, by the rule without a normal.
    flipped: BoolArray
    # The other rule, or rounding to float32, may decide otherwise, and a triangle may have area.
    open: BoolArray


def split_quads(corners: FloatArray | SingleArray) -> QuadSplit:
    """How quads with these corner positions (N, 4, 3), which are exact in float32, are split.

    A quad is not open if every triangle of both splits has two equal corners or one not finite.
    """
    columns = np.ascontiguousarray(corners.transpose(1, 2, 0), dtype=np.float64)
    # For one quad, NumPy takes ten times as long as Python's floats.
    of_one = columns[..., 0].tolist() if len(corners) == 1 else columns
    with np.errstate(all="ignore"):
        flipped, sure = map(np.atleast_1d, _by_rules(*of_one))
    unsure = np.flatnonzero(~sure)
    open_ = np.zeros(len(flipped), dtype=np.bool_)
    if len(unsure):
        open_[unsure] = _have_distinct_corners(columns[..., unsure])
    return QuadSplit(flipped, open_)


def _by_rules(first: Any, *others: Any) -> tuple[Any, Any]:
    """How quads are split, and whether that is sure; their corners are floats or arrays."""
    a, d, b = (difference(corner, first) for corner in others)
    m, n = cross3(a, d), cross3(b, d)
    product, least = dot3(m, n), np.minimum(dot3(m, m), dot3(n, n))
    flipped = product > 0.0
    diagonal = dot3(d, d)
    side = np.maximum(np.maximum(dot3(a, a), dot3(b, b)), diagonal)
    across = difference(m, n)
    square = dot3(across, across)
    reach = np.maximum(np.maximum(abs(first[0]), abs(first[1])), abs(first[2])) + np.sqrt(side)
    # Rounding of m . n; then of m . n - m . m, for which Blender compares the points' distances
    # from the world's origin along d x normal.
    rounding = _ROUNDING * diagonal * side
    far = 2.0 * rounding + _ROUNDING * reach * np.sqrt(diagonal * square)
    # A negative m . n is always below both squares, but must be so by more than rounding.
    sure = (product > rounding) & (product > least + far)
    sure |= (product < -rounding) & (product < least - far)
    sure &= (square > _LEAST) & (side * side < _MOST) & (reach * reach < _MOST)
    return flipped, sure


def _have_distinct_corners(columns: FloatArray) -> BoolArray:
    """Whether some triangle of quads (4, 3, N) has finite corners that all differ."""
    finite = np.asarray(np.isfinite(columns).all(axis=1))
    result = np.zeros(columns.shape[2], dtype=np.bool_)
    for corners in _TRIANGLES:
        i, j, k = corners
        differ = (columns[i] != columns[j]).any(axis=0) & (columns[j] != columns[k]).any(axis=0)
        differ &= (columns[k] != columns[i]).any(axis=0)
        result |= finite[list(corners)].all(axis=0) & differ
    return result
