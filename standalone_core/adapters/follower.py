# SPDX-License-Identifier: MIT
"""A mesh that follows one of another library."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments, integers
from ..border.outline import Outline
from ..cast.geometry import Geometry
from ..cast.hits import misses
from ..cast.rays import Query
from ..cast.read_rays import many_rays
from ..errors import DtypeError
from ..hit import RayHits
from ..mesh import Mesh
from ..numerics.arrays import FloatArray, IntArray
from ..numerics.reading import kind_of


class MeshLike(Protocol):
    """A mesh as trimesh has it, whose hash is another when it changes."""

    @property
    def vertices(self) -> ArrayLike:
        """Positions (V, 3)."""

    @property
    def faces(self) -> ArrayLike:
        """Rows of the vertices (T, 3)."""


class MeshFollower:
    """The :class:`.Mesh` of a trimesh mesh, made anew or refitted when that changes.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Or an object with `vertices` (V, 3) and `faces` (T, 3), whose hash is another when these
        change.
    """

    def __init__(self, mesh: MeshLike) -> None:
        if isinstance(mesh, Mesh):
            raise DtypeError("mesh must be one like trimesh's; a Mesh answers by itself")
        for name in ("vertices", "faces"):
            # Asked of the class too, as a primitive of trimesh has none before it is set up.
            if not (hasattr(type(mesh), name) or hasattr(mesh, name)):
                raise DtypeError(f"mesh must have {name}; {kind_of(mesh)} has none")
        self.mesh = mesh
        self._known: tuple[int, Mesh] | None = None
        self._outline: Outline | None = None
        self._corners: Mesh | None = None

    @property
    def exact(self) -> Mesh:
        """The mesh as it is now."""
        try:
            key = hash(self.mesh)
        except TypeError as error:
            raise DtypeError(f"mesh must have a hash: {error}") from error
        known = self._known
        if known is None or known[0] != key:
            self._outline = self._corners = None
            known = self._known = key, self._followed(None if known is None else known[1])
        return known[1]

    @property
    def corners(self) -> Mesh:
        """The vertices as they are now, each as a triangle with all of its corners there."""
        vertices = self.exact.vertices
        if self._corners is None:
            each = np.repeat(np.arange(len(vertices))[:, None], 3, axis=1)
            self._corners = Mesh(vertices, each, copy=False)
        return self._corners

    def touched(
        self, origins: FloatArray, directions: FloatArray, most: int | None
    ) -> tuple[IntArray, RayHits]:
        """The places that rays (N, 3) touch exactly which hit nothing, with the row of each.

        They are sorted by row and distance; of each ray there are no more than `most`, if given.
        """
        mesh = self.exact
        if self._outline is None:
            mesh.build()
            if mesh.tree is None:
                return np.empty(0, dtype=np.int64), misses(0)
            self._outline = Outline(Geometry(mesh.vertices, mesh.triangles, None), mesh.tree)
        query = Query(every=True)
        given = many_rays(origins, directions, np.inf, None, query, "miss", lambda o, d: None)
        return self._outline.touched(given.rays, most)

    def _followed(self, before: Mesh | None) -> Mesh:
        # Copies, as trimesh changes its arrays in place.
        vertices = arguments.positions(self.mesh.vertices, "vertices", copy=True)
        faces = integers.triangle_indices(self.mesh.faces, len(vertices), "faces", copy=True)
        if before is None or before.vertices.shape != vertices.shape:
            return Mesh(vertices, faces, copy=False)
        if not np.array_equal(before.triangles, faces):
            return Mesh(vertices, faces, copy=False)
        before.refit(vertices, copy=False)
        return before

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_known": None, "_outline": None, "_corners": None}
