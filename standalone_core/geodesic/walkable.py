# SPDX-License-Identifier: MIT
"""The shortest path along a surface, as meshes are asked for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import SupportsIndex

from numpy.typing import ArrayLike

from .. import integers
from ..cast.geometry import Geometry
from .half_edges import HalfEdges
from .path import SurfacePath, no_path, path_over
from .places import place_at, read_place
from .shortest import shortest_path


class Walkable(ABC):
    """A mesh with paths along its surface."""

    __slots__ = ()

    def surface_path(
        self,
        start: Sequence[SupportsIndex | ArrayLike],
        end: Sequence[SupportsIndex | ArrayLike],
        max_windows: int | None = 1_000_000,
    ) -> SurfacePath:
        """The shortest path along the surface, from a place to a place.

        Parameters
        ----------
        start, end : (triangle, weights)
            A triangle and the weights (3,) of its vertices: 0 or more, with the sum 1, both up to
            1e-6. A hit's `triangle` and `barycentric` are such a place.
        max_windows : int, optional
            What the search may cost: how many windows, which are parts of edges that straight lines
            reach, it follows at most. A million take about 1 s and 150 MB, or half a minute where
            different triangles lie on each other; None is no limit. Where it does not come to an
            end, the shortest path near the best one known is the answer, and its `exact` is False.

        Returns
        -------
        SurfacePath

        Raises
        ------
        ArgumentError
            If a place is none, or `max_windows` is less than 1.

        Notes
        -----
        The surface is what triangles share by the indices of their vertices: where two vertices
        are at the same point, as at a seam, no path leads from one to the other. Where three
        triangles or more meet at an edge, paths go from each to each. They may bend at the border,
        and at vertices whose angles add up to more than a full turn. Of triangles with the same
        three vertices, the first counts. A triangle without area counts as the segment or the point
        that it is; one with a vertex that is not finite is not there, and no path leads to it.

        The distance is accurate to 1e-12 of itself and to the rounding of the vertices, and the
        path as good: where several are the shortest within that, it is one of them.

        The search is that of Chen and Han (*Shortest paths on a polyhedron*, 1990), with the filter
        of Xin and Wang (*Improving Chen and Han's algorithm on the discrete geodesic problem*,
        2009), toward the end as A* does, with many windows at once as in Ying, Xin and He's
        (*Parallel Chen-Han (PCH) algorithm for discrete geodesics*, 2014). It looks at what is
        nearer than the end, not at the whole mesh; how triangles meet is found by the first path
        and kept, 180 bytes a triangle.

        Examples
        --------
        >>> from standalone_core import Mesh
        >>> roof = Mesh([[0, 0, 1], [4, 0, 1], [0, -3, 0], [4, 3, 0]], [[0, 2, 1], [0, 1, 3]])
        >>> path = roof.surface_path((0, (0, 1, 0)), (1, (0, 0, 1)))
        >>> round(path.distance, 6), path.points[1].round(6).tolist(), path.exact
        (7.483315, [2.0, 0.0, 1.0], True)
        """
        most = integers.most(max_windows, "max_windows")
        geometry, surface = self._unfoldable()
        count = len(geometry.triangles)
        places = read_place(start, count, "start"), read_place(end, count, "end")
        first, last = (place_at(surface, *place) for place in places)
        found = shortest_path(surface, first, last, most)
        return no_path() if found is None else path_over(*geometry[:2], *found)

    @abstractmethod
    def _unfoldable(self) -> tuple[Geometry, HalfEdges]:
        """The triangles, and how they meet."""
