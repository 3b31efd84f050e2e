# SPDX-License-Identifier: MIT
"""Along which diagonal Blender splits a quad into two triangles.

The diagonal from corner 0 to corner 2 is taken, unless corners 1 and 3 lie on the same side of it:
then the quad is flipped, which means that the other one is taken. Blender has two rules for that,
in float32, and which one it uses depends on whether the face's normal happens to be at hand. With
the diagonal d = v2 - v0, the normals m = (v1 - v0) x d and n = (v3 - v0) x d of the halves, and the
face's normal along m - n, they come to

- without the normal: flipped if m . n > 0;
- with it: flipped if m . n >= m . m or m . n >= n . n.
"""

from typing import NamedTuple

import numpy as np

from ..numerics.arrays import BoolArray, FloatArray, SingleArray, dot_columns

_EPS = float(np.finfo(np.float32).eps)

# What Blender computes is off by so many of its EPS of what it adds up, at most.
_ROUNDING = 16 * _EPS

# Outside of these float32 products of four lengths under- or overflow, or Blender takes the
# square of a normal for 0.
_LEAST, _MOST = 1e-33, 1e37

# The triangles of both splits.
_TRIANGLES = ((0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3))


class QuadSplit(NamedTuple):
    """How N quads are split, (N,) each."""

    # Split along the diagonal from corner 1 to corner 3, by the rule without a normal.
    flipped: BoolArray
    # The other rule, or float32, may say something else, and that could matter.
    open: BoolArray


def split_quads(corners: FloatArray | SingleArray) -> QuadSplit:
    """Judge quads by their corners' positions (N, 4, 3), which are exact in float32.

    Quads of which no triangle has an area, in either split, are not open.
    """
    columns = np.ascontiguousarray(corners.transpose(1, 2, 0), dtype=np.float64)
    with np.errstate(all="ignore"):
        first = columns[0]
        a, d, b = (corner - first for corner in columns[1:])
        m, n = _cross(a, d), _cross(b, d)
        product, least = dot_columns(m, n), np.minimum(dot_columns(m, m), dot_columns(n, n))
        flipped = product > 0.0
        diagonal = dot_columns(d, d)
        side = np.maximum(np.maximum(dot_columns(a, a), dot_columns(b, b)), diagonal)
        square = dot_columns(m - n, m - n)
        reach = np.abs(first).max(axis=0) + np.sqrt(side)
        # Of m . n; then of m . n - m . m, where points are compared by how far they are along
        # d x normal, from the world's origin.
        rounding = _ROUNDING * diagonal * side
        far = 2.0 * rounding + _ROUNDING * reach * np.sqrt(diagonal * square)
        # m . n < 0 is less than both squares; it must be clear of them all the same.
        unflipped = (product < -rounding) & (product < least - far)
        sure = (product > rounding) & (product > least + far)
        sure |= unflipped
        sure &= (square > _LEAST) & (side * side < _MOST) & (reach * reach < _MOST)
    unsure = np.flatnonzero(~sure)
    open_ = np.zeros(len(flipped), dtype=np.bool_)
    open_[unsure] = _have_area(columns[..., unsure])
    return QuadSplit(flipped, open_)


def _have_area(columns: FloatArray) -> BoolArray:
    """Whether some triangle of quads (4, 3, N) has finite corners that all differ."""
    finite = np.asarray(np.isfinite(columns).all(axis=1))
    result = np.zeros(columns.shape[2], dtype=np.bool_)
    for corners in _TRIANGLES:
        i, j, k = corners
        differ = (columns[i] != columns[j]).any(axis=0) & (columns[j] != columns[k]).any(axis=0)
        differ &= (columns[k] != columns[i]).any(axis=0)
        result |= finite[list(corners)].all(axis=0) & differ
    return result


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross product of columns (3, N)."""
    return np.stack(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )
