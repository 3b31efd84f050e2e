# SPDX-License-Identifier: MIT
"""Parts of space between planes, and the triangles and boxes that may reach into one.

Answers are conservative: nothing that reaches into the region is left out, and things that are only
near it may be included. Without a tree each vertex gets a code of the planes that it is
outside of, as in :mod:`.cast.scan`; with a tree, boxes are ruled out level by level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import arguments
from .bvh import WIDTH, Tree
from .bvh.tree import child_count, items_of
from .cast.rays import Geometry
from .cast.scan import not_outside
from .errors import ArgumentError
from .matrices import Convention, matrix4
from .numerics.arrays import EPS, BoolArray, FloatArray, IntArray, SingleArray
from .numerics.columns import Columns
from .numerics.reading import counted
from .numerics.values import Value, read_only, record
from .numerics.vectors import matmul
from .types import Reals

Codes = npt.NDArray[np.uint16]

MOST_PLANES = 16
"""A code has one bit for each."""

# Rounding error of a point times a plane that was moved three times, relative to the terms.
_ROUNDING = 32 * EPS

# Vertices that are tested together: they fit the processor's cache.
_CHUNK = 1 << 14

# An upper bound of the coordinates of boxes in the units of a tree.
_LARGEST = 8.0


class Region(Value):
    """The points with a x + b y + c z + d >= 0 for each of P planes; equal if its numbers are.

    Attributes
    ----------
    planes : ndarray (P, 4)
        a, b, c, d of each; read-only.
    sizes : ndarray (P, 4)
        For each number in `planes`, the sum of the absolute values of the terms it was computed
        from, which bounds its rounding. :meth:`of` and :meth:`moved` fill it in.

    Examples
    --------
    The part of space from x = 0 to x = 2:

    >>> Region.of([(1, 0, 0, 0), (-1, 0, 0, 2)])
    <Region between 2 planes>
    """

    __slots__ = ("planes", "sizes")

    planes: FloatArray
    sizes: FloatArray

    def __init__(self, planes: Reals, sizes: Reals) -> None:
        rows = arguments.floats(planes, "planes", (None, 4))
        self._hold(planes=rows, sizes=arguments.floats(sizes, "sizes", rows.shape))

    @classmethod
    def of(cls, planes: Reals) -> Region:
        """The region between planes (P, 4), 16 at most, whose numbers are exact.

        Examples
        --------
        >>> Region.of([(1, 0, 0, -3)]).planes.tolist()
        [[1.0, 0.0, 0.0, -3.0]]
        """
        rows = arguments.finite_floats(planes, "planes", (None, 4))
        return cls(rows, np.abs(rows))._checked()

    def moved(self, matrix: Reals, convention: Convention = "opengl") -> Region:
        """The same region in another space, from which `matrix` leads to the region's own.

        A plane whose numbers overflow float64 excludes nothing.

        Parameters
        ----------
        matrix : array_like (4, 4)
        convention : {"opengl", "direct3d"}
            Whether the matrix multiplies column vectors, p' = M p, or row vectors, p' = p M.

        Examples
        --------
        >>> moved = [[1, 0, 0, 7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> Region.of([(1, 0, 0, -3)]).moved(moved).planes.tolist()
        [[1.0, 0.0, 0.0, 4.0]]
        """
        m = matrix4(matrix, "matrix", convention)
        with np.errstate(over="ignore", invalid="ignore"):
            return Region(matmul(self.planes, m), matmul(self.sizes, np.abs(m)))

    def cut(self, other: Region) -> Region:
        """The intersection of both regions, which may have 16 planes together.

        Examples
        --------
        >>> Region.of([(1, 0, 0, 0)]).cut(Region.of([(-1, 0, 0, 2)]))
        <Region between 2 planes>
        """
        other = arguments.instance_of(other, Region, "other")
        planes = np.concatenate([self.planes, other.planes])
        return Region(planes, np.concatenate([self.sizes, other.sizes]))._checked()

    def __repr__(self) -> str:
        return f"<Region between {counted(len(self.planes), 'planes')}>"

    def _checked(self) -> Region:
        if (count := len(self.planes)) > MOST_PLANES:
            raise ArgumentError(f"a region has {MOST_PLANES} planes at most, not {count}")
        return self


@record
@dataclass(frozen=True, eq=False, repr=False)
class Triangles(Columns):
    """Triangles of a mesh or of a scene, one row each. The columns are read-only.

    The table is true if it has a row.

    Attributes
    ----------
    triangle, face, instance : ndarray (N,) of int64
        As in :class:`.Hit`.
    corners : ndarray (N, 3, 3)
        The positions of their vertices, all finite, in the space of the query.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> found = mesh.triangles_in(sc.Region.of([(1, 0, 0, 0)]))   # x >= 0
    >>> found.triangle.tolist(), found.corners.tolist()
    ([0], [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    """

    triangle: IntArray
    face: IntArray
    instance: IntArray
    corners: FloatArray

    def __bool__(self) -> bool:
        return self.triangle.size > 0

    def __post_init__(self) -> None:
        for name, column in vars(self).items():
            object.__setattr__(self, name, read_only(column))


def codes_in(region: Region, points: FloatArray | SingleArray, extent: float) -> Codes:
    """Codes (N,) of points (N, 3): a bit for each plane that a point is outside of, none for NaN.

    `extent` is the largest absolute value of a finite coordinate of the points.
    """
    codes = np.zeros(len(points), dtype=np.uint16)
    normals, least = region.planes[:, :3], _least(region, extent)
    with np.errstate(all="ignore"):
        for first in range(0, len(points), _CHUNK):
            values = matmul(normals, points[first : first + _CHUNK].T.astype(np.float64))
            outside = values < least[:, None]
            code = codes[first : first + _CHUNK]
            for place, row in enumerate(outside):
                code |= row.astype(np.uint16) << np.uint16(place)
    return codes


def boxes_meet(region: Region, boxes: FloatArray | SingleArray, extent: float) -> BoolArray:
    """Whether boxes may reach into a region: (..., 6, N) -> (..., N), lower then upper x, y, z.

    The result for a box with NaN means nothing; `extent` is as for :func:`codes_in`.
    """
    normals, least = region.planes[:, :3], _least(region, extent)
    # For each plane, the corner of a box that is farthest inside.
    corner = np.concatenate([np.minimum(normals, 0.0), np.maximum(normals, 0.0)], axis=1)
    with np.errstate(all="ignore"):
        outside = np.asarray(matmul(corner, boxes.astype(np.float64)) < least[:, None])
    return np.asarray(~outside.any(axis=-2))


def _least(region: Region, extent: float) -> FloatArray:
    """The least a x + b y + c z inside each plane (P,), minus the rounding error at `extent`.

    NaN excludes nothing.
    """
    sizes = region.sizes
    with np.errstate(over="ignore", invalid="ignore"):
        margins = _ROUNDING * (sizes[:, :3].sum(axis=1) * extent) + _ROUNDING * sizes[:, 3] + 5e-324
        return np.asarray(-margins - region.planes[:, 3])


def no_triangles() -> Triangles:
    """A table of no triangles."""
    empty = np.empty(0, dtype=np.int64)
    return Triangles(empty, empty, empty, np.empty((0, 3, 3)))


def triangles_met(
    region: Region, triangle: IntArray, face: IntArray, corners: FloatArray
) -> Triangles:
    """Those of the triangles that are finite and may reach into a region."""
    finite = np.isfinite(corners).all(axis=(1, 2))
    extent = float(np.abs(corners[finite]).max(initial=0.0))
    codes = codes_in(region, corners.reshape(-1, 3), extent).reshape(-1, 3)
    shared = np.bitwise_and.reduce(codes, axis=1)
    rows = np.flatnonzero(finite & (shared == 0))
    return Triangles(triangle[rows], face[rows], np.zeros_like(rows), corners[rows])


def triangles_in(geometry: Geometry, tree: Tree | None, region: Region, extent: float) -> Triangles:
    """The triangles of a mesh that may reach into a region of its space, in their order.

    `extent` is the largest absolute value of a finite coordinate of the vertices.
    """
    if tree is None:
        items = not_outside(geometry.triangles, codes_in(region, geometry.vertices, extent))
    else:
        items = np.sort(items_in(tree, region))
    faces = items if geometry.faces is None else geometry.faces[items]
    return triangles_met(region, items, faces, geometry.corners(items))


def items_in(tree: Tree, region: Region) -> IntArray:
    """The items (N,) in leaves that may reach into a region, in no particular order."""
    if not tree.levels:
        return np.empty(0, dtype=np.int64)
    to_space = np.diag([tree.scale, tree.scale, tree.scale, 1.0])
    to_space[:3, 3] = tree.center
    inside = region.moved(to_space)
    node = np.zeros(1, dtype=np.int64)
    for height in range(len(tree.levels) - 1, -1, -1):
        met = boxes_meet(inside, tree.levels[height].take(node, axis=0), _LARGEST)
        pair, child = met.nonzero()
        node = node.take(pair) * WIDTH + child
        node = node[node < child_count(tree, height)]
    return items_of(tree, node)[1]
