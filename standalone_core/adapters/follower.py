# SPDX-License-Identifier: MIT
"""A mesh that follows one of another library."""

from typing import Any

import numpy as np

from ..errors import DtypeError
from ..mesh import Mesh
from .touching import Touching


class MeshFollower:
    """The :class:`.Mesh` of a trimesh mesh, made anew or refitted when that changes.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Or an object with `vertices` (V, 3) and `faces` (T, 3), whose hash is another when these
        change.
    """

    def __init__(self, mesh: Any) -> None:
        for name in ("vertices", "faces"):
            # Asked of the class too, as a primitive of trimesh has none before it is set up.
            if not (hasattr(type(mesh), name) or hasattr(mesh, name)):
                raise DtypeError(f"mesh must have {name}; {type(mesh).__name__} has none")
        self.mesh = mesh
        self._known: tuple[int, Mesh] | None = None
        self._touching: Touching | None = None

    @property
    def exact(self) -> Mesh:
        """The mesh as it is now."""
        key, known = hash(self.mesh), self._known
        if known is None or known[0] != key:
            self._touching = None
            known = self._known = key, self._followed(None if known is None else known[1])
        return known[1]

    @property
    def touching(self) -> Touching:
        """What tells which rays touch the mesh as it is now."""
        mesh = self.exact
        if self._touching is None:
            self._touching = Touching(mesh)
        return self._touching

    def _followed(self, before: Mesh | None) -> Mesh:
        # A copy, as trimesh changes its arrays in place.
        vertices = np.array(self.mesh.vertices, dtype=np.float64)
        faces = np.asarray(self.mesh.faces)
        if before is None or before.vertices.shape != vertices.shape:
            return Mesh(vertices, faces)
        if not np.array_equal(before.triangles, faces):
            return Mesh(vertices, faces)
        before.refit(vertices)
        return before

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_known": None, "_touching": None}
