# SPDX-License-Identifier: MIT
"""A part of space between planes, and triangles that reach into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..errors import ArgumentError
from ..matrices import Convention, matrix4
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.columns import Columns
from ..numerics.reading import counted
from ..numerics.values import Value, read_only, record
from ..numerics.vectors import matmul

MOST_PLANES = 16
"""One for each bit of a code, see :mod:`.region.search`."""


class Region(Value):
    """The points (x, y, z) with a x + b y + c z + d >= 0 for each of P planes (a, b, c, d).

    It is a value, equal by its numbers.

    Attributes
    ----------
    planes : ndarray (P, 4)
        Read-only.
    sizes : ndarray (P, 4)
        For each number of the planes the sum of the absolute values that it was computed from,
        which bounds its rounding. :meth:`of` and :meth:`moved` fill it in.

    Examples
    --------
    The part of space from x = 0 to x = 2:

    >>> Region.of([(1, 0, 0, 0), (-1, 0, 0, 2)])
    <Region between 2 planes>
    """

    __slots__ = ("planes", "sizes")

    planes: FloatArray
    sizes: FloatArray

    def __init__(self, planes: ArrayLike, sizes: ArrayLike) -> None:
        rows = arguments.floats(planes, "planes", (None, 4))
        self._hold(planes=rows, sizes=arguments.floats(sizes, "sizes", rows.shape))

    @classmethod
    def of(cls, planes: ArrayLike) -> Region:
        """The region between planes (P, 4), 16 at most, whose numbers are exact.

        Examples
        --------
        >>> Region.of([(1, 0, 0, -3)]).planes.tolist()
        [[1.0, 0.0, 0.0, -3.0]]
        """
        rows = arguments.finite_floats(planes, "planes", (None, 4))
        return cls(rows, np.abs(rows))._checked()

    def moved(self, matrix: ArrayLike, convention: Convention = "opengl") -> Region:
        """The same region in the space from which a matrix leads to this one.

        A plane whose numbers are then beyond float64 leaves nothing out.

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
        """What is in both regions, which may have 16 planes together.

        Examples
        --------
        >>> Region.of([(1, 0, 0, 0)]).cut(Region.of([(-1, 0, 0, 2)]))
        <Region between 2 planes>
        """
        arguments.instance_of(other, Region, "other")
        planes = np.concatenate([self.planes, other.planes])
        return Region(planes, np.concatenate([self.sizes, other.sizes]))._checked()

    def __repr__(self) -> str:
        return f"<Region between {counted(len(self.planes), 'planes')}>"

    def _checked(self) -> Region:
        """The region itself, or ArgumentError if it has too many planes."""
        count = len(self.planes)
        if count > MOST_PLANES:
            raise ArgumentError(f"a region has {MOST_PLANES} planes at most, not {count}")
        return self


@record
@dataclass(frozen=True, eq=False, repr=False)
class Triangles(Columns):
    """Triangles of a mesh or of a scene, one row each. The columns are read-only.

    They are true if there are any.

    Attributes
    ----------
    triangle, face, instance : ndarray (N,) of int64
        As in :class:`.Hit`.
    corners : ndarray (N, 3, 3)
        The places of their vertices, all finite, in the space of the query.

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
        """Whether there are any."""
        return self.triangle.size > 0

    def __post_init__(self) -> None:
        for name, column in vars(self).items():
            object.__setattr__(self, name, read_only(column))
