# SPDX-License-Identifier: MIT
"""What a scene can place."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from ..box import Box
from ..bvh import Tree
from ..cast.caster import Castable
from ..cast.geometry import Geometry
from ..closest.places import ClosestPoints
from ..engines import Engine
from ..errors import ArgumentError
from ..numerics.arrays import BoolArray, FloatArray
from ..region import Region, Triangles


class Placeable(Castable):
    """Something that has a box, and answers rays and regions that meet it, all in its own space.

    A scene asks only when a ray or a region meets the box: a subclass may load its mesh then. It
    has `bounds`, `revision`, `engine`, and methods ``_cast`` for one ray and ``_cast_many`` for a
    batch, as its base ``Castable`` describes them. Their types are in
    ``standalone_core.extension``. Hits and triangles carry 0 as `instance`.

    Examples
    --------
    >>> import standalone_core as sc
    >>> mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> isinstance(mesh, sc.Placeable)
    True
    >>> mesh.bounding_box.upper.tolist()
    [1.0, 1.0, 0.0]
    """

    __slots__ = ()

    _latest_change: ClassVar[object] = object()
    _announces: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """Ask a class with a revision of its own for it, unless it announces its changes."""
        super().__init_subclass__()
        if "revision" in vars(cls):
            cls._announces = vars(cls).get("_announces", False)

    @staticmethod
    def _announce() -> None:
        """Tell all scenes that there may be new revisions, once there are."""
        Placeable._latest_change = object()

    def _compiled_shape(self, rays: int) -> tuple[Geometry, Tree] | None:  # noqa: ARG002
        """What compiled code may cast about so many rays at instead; None without that."""
        return None

    def _shape_for(self, queries: int) -> tuple[Geometry, Tree | None]:
        """Triangles, and the tree over them if there is one, for so many queries."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for its triangles")

    def _closest_points(
        self, p: FloatArray, limits: FloatArray, excluded: BoolArray | None
    ) -> ClosestPoints:
        """The nearest places to finite points (N, 3), not beyond limits (N,); may be left out."""
        raise NotImplementedError(f"{type(self).__name__} cannot be asked for closest points")

    def _check_closed(self, now: Any = None) -> None:
        """OpenMeshError if nothing can be inside."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner (3,) around all that can be hit; NaN where there is nothing."""

    @property
    def bounding_box(self) -> Box:
        """The bounds as a box; ArgumentError if there is nothing to bound."""
        lower, upper = self.bounds
        if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
            raise ArgumentError("there is no finite vertex to bound")
        return Box(lower, upper)

    @property
    @abstractmethod
    def revision(self) -> int:
        """Another number whenever the bounds may be others; scenes follow it."""

    @property
    @abstractmethod
    def engine(self) -> Engine:
        """The engine that answers, "auto" if that is not known."""

    @property
    def wanted_engine(self) -> Engine:
        """The engine that was asked for, by default the one that answers."""
        return self.engine

    def triangles_in(self, region: Region) -> Triangles:
        """All triangles that reach into a region, and perhaps some that are near it.

        What is only cast at need not answer this.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot list the triangles in a region")
