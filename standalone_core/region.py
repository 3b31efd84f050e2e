# SPDX-License-Identifier: MIT
"""A part of space between planes, and which boxes and triangles may reach into it.

The answers are on the safe side: what reaches into the region is never left out, and what is only
near it may be named too. Without a tree all vertices get a code of the planes that they are
outside of, as in :mod:`.scan`; with one, boxes are left out level by level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import arguments
from .bvh import WIDTH, Tree
from .bvh.tree import child_count, items_of
from .cast.geometry import Geometry
from .cast.scan import not_outside
from .errors import ArgumentError
from .numerics.arrays import EPS, BoolArray, FloatArray, IntArray, SingleArray
from .numerics.columns import Columns
from .numerics.read_only import frozen, read_only

Codes = npt.NDArray[np.uint16]

MOST_PLANES = 16
"""One for each bit of a code."""

# A plane that was moved three times and multiplied by a point rounds so many EPS of its terms.
_ROUNDING = 32 * EPS

# Vertices that are looked at together: they fit the processor's cache.
_CHUNK = 1 << 14

# More than a coordinate of a box in the units of a tree.
_LARGEST = 8.0


class Region(NamedTuple):
    """The points (x, y, z) with a x + b y + c z + d >= 0 for each of P planes (a, b, c, d).

    Attributes
    ----------
    planes : ndarray (P, 4)
    sizes : ndarray (P, 4)
        What the numbers of the planes were added up from: it bounds what they are rounded by.
    """

    planes: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, planes: Any) -> Region:
        """Check planes (P, 4), 16 at most, that are right to the last digits."""
        rows = arguments.finite(arguments.floats(planes, "planes", (None, 4)), "planes")
        return cls._of(frozen(rows), np.abs(rows))._checked()

    def moved(self, matrix: Any) -> Region:
        """The same region in the space from which a matrix (4, 4) leads to this one.

        A plane whose numbers are then beyond float64 leaves nothing out.
        """
        m = arguments.finite(arguments.floats(matrix, "matrix", (4, 4)), "matrix")
        with np.errstate(over="ignore", invalid="ignore"):
            return Region._of(self.planes @ m, self.sizes @ np.abs(m))

    def cut(self, other: Region) -> Region:
        """What is in both regions, which may have 16 planes together."""
        arguments.instance_of(other, Region, "other")
        planes, sizes = (np.concatenate(both) for both in zip(self, other, strict=True))
        return Region._of(planes, sizes)._checked()

    @classmethod
    def _of(cls, planes: FloatArray, sizes: FloatArray) -> Region:
        """A region whose arrays are read-only."""
        return cls(read_only(planes), read_only(sizes))

    def __reduce__(self) -> tuple[Any, ...]:
        return Region._of, (self.planes, self.sizes)

    def _checked(self) -> Region:
        """The region itself, or ArgumentError if it has too many planes."""
        count = len(self.planes)
        if count > MOST_PLANES:
            raise ArgumentError(f"a region has {MOST_PLANES} planes at most, not {count}")
        return self

    def margins(self, extent: float) -> FloatArray:
        """By what the values of the planes may be wrong (P,) for points of such coordinates."""
        with np.errstate(over="ignore", invalid="ignore"):
            margins: FloatArray = _ROUNDING * (self.sizes[:, :3].sum(axis=1) * extent)
            return margins + _ROUNDING * self.sizes[:, 3] + 5e-324

    def _least(self, extent: float) -> FloatArray:
        """What a x + b y + c z must not be below for each plane (P,); NaN: it may be anything."""
        with np.errstate(over="ignore", invalid="ignore"):
            return -self.margins(extent) - self.planes[:, 3]

    def codes(self, points: FloatArray | SingleArray, extent: float) -> Codes:
        """A bit for each plane that points (N, 3) are outside of, (N,); none for NaN.

        Parameters
        ----------
        points : ndarray (N, 3)
        extent : float
            Largest size of a finite coordinate of theirs.
        """
        codes = np.zeros(len(points), dtype=np.uint16)
        normals, least = self.planes[:, :3], self._least(extent)
        with np.errstate(all="ignore"):
            for first in range(0, len(points), _CHUNK):
                values = normals @ points[first : first + _CHUNK].T.astype(np.float64)
                outside = values < least[:, None]
                code = codes[first : first + _CHUNK]
                for place, row in enumerate(outside):
                    code |= row.astype(np.uint16) << np.uint16(place)
        return codes

    def meets(self, boxes: FloatArray | SingleArray, extent: float) -> BoolArray:
        """Whether boxes may reach into the region: (..., 6, N) -> (..., N).

        Parameters
        ----------
        boxes : ndarray (..., 6, N)
            Lower x, y, z and upper x, y, z. What is answered of a box with NaN means nothing.
        extent : float
            As for :meth:`codes`.
        """
        normals, least = self.planes[:, :3], self._least(extent)
        # Of each box the corner that is farthest on the inner side of the plane.
        corner = np.concatenate([np.minimum(normals, 0.0), np.maximum(normals, 0.0)], axis=1)
        with np.errstate(all="ignore"):
            outside = np.asarray(corner @ boxes.astype(np.float64) < least[:, None])
        return np.asarray(~outside.any(axis=-2))


@dataclass(frozen=True, eq=False)
class Triangles(Columns):
    """Triangles of a mesh or of a scene, one row each.

    Attributes
    ----------
    triangle, face, instance : ndarray (N,) of int64
        As in :class:`.Hit`.
    corners : ndarray (N, 3, 3)
        The places of their vertices, all finite, in the space that was asked in.
    """

    triangle: IntArray
    face: IntArray
    instance: IntArray
    corners: FloatArray

    @classmethod
    def none(cls) -> Triangles:
        """No rows."""
        empty = np.empty(0, dtype=np.int64)
        return cls(empty, empty, empty, np.empty((0, 3, 3)))

    @classmethod
    def met(
        cls, region: Region, triangle: IntArray, face: IntArray, corners: FloatArray
    ) -> Triangles:
        """Those of some triangles that may reach into a region, and are finite."""
        finite = np.isfinite(corners).all(axis=(1, 2))
        extent = float(np.abs(corners[finite]).max(initial=0.0))
        shared = np.bitwise_and.reduce(
            region.codes(corners.reshape(-1, 3), extent).reshape(-1, 3), axis=1
        )
        rows = np.flatnonzero(finite & (shared == 0))
        return cls(triangle[rows], face[rows], np.zeros_like(rows), corners[rows])

    def __len__(self) -> int:
        return len(self.triangle)


def triangles_in(geometry: Geometry, tree: Tree | None, region: Region, extent: float) -> Triangles:
    """The triangles of a mesh that may reach into a region, in their order.

    Parameters
    ----------
    geometry : Geometry
    tree : Tree or None
        Over its triangles.
    region : Region
        In the mesh's space.
    extent : float
        Largest size of a finite coordinate of the vertices.
    """
    if tree is None:
        items = not_outside(geometry.triangles, region.codes(geometry.vertices, extent))
    else:
        items = np.sort(items_in(tree, region))
    faces = items if geometry.faces is None else geometry.faces[items]
    corners = geometry.vertices.take(geometry.triangles.take(items, axis=0), axis=0)
    return Triangles.met(region, items, faces, corners)


def items_in(tree: Tree, region: Region) -> IntArray:
    """The items (N,) in leaves that may reach into a region, in no order."""
    if not tree.levels:
        return np.empty(0, dtype=np.int64)
    to_space = np.diag([tree.scale, tree.scale, tree.scale, 1.0])
    to_space[:3, 3] = tree.center
    inside = region.moved(to_space)
    node = np.zeros(1, dtype=np.int64)
    for height in range(len(tree.levels) - 1, -1, -1):
        met = inside.meets(tree.levels[height].take(node, axis=0), _LARGEST)
        pair, child = met.nonzero()
        node = node.take(pair) * WIDTH + child
        node = node[node < child_count(tree, height)]
    return items_of(tree, node)[1]
