# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mesh of the scene is found in Blender, as often as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import bpy

from .shown_mesh import shown_mesh


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A way to an evaluated object, good until the scene changes.

    Attributes
    ----------
    depsgraph : bpy.types.Depsgraph
    original : bpy.types.Object or None
        The object whose evaluated data the mesh is; None where the mesh belongs to an instance
        that exists only while instances are listed.
    row : int
        The place of an instance of it in ``depsgraph.object_instances``.
    """

    depsgraph: bpy.types.Depsgraph
    original: bpy.types.Object | None
    row: int

    is_evaluated: ClassVar[bool] = True
    """Whether modifiers and shape keys are in it."""

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """Of several objects that share the mesh, the one that shows it, given the original."""
        return original.evaluated_get(self.depsgraph)

    @contextmanager
    def evaluated(self) -> Iterator[bpy.types.Object]:
        """The evaluated object; it ends with the context.

        Raises
        ------
        LookupError
            If it is not there any more.
        """
        if self.original is not None:
            yield self.original.evaluated_get(self.depsgraph)
            return
        for row, instance in enumerate(self.depsgraph.object_instances):
            if row == self.row:
                yield instance.object
                return
        raise LookupError("the instance is not there any more")

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """The evaluated object and the mesh that is shown of it; both end with the context."""
        with self.evaluated() as evaluated, shown_mesh(evaluated) as mesh:
            yield evaluated, mesh


@dataclass(frozen=True, slots=True, eq=False)
class OriginalSource(Source):
    """A way to an object's own mesh, before all modifiers and shape keys."""

    is_evaluated: ClassVar[bool] = False

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """The original itself."""
        return original

    @contextmanager
    def evaluated(self) -> Iterator[bpy.types.Object]:
        """The original object."""
        yield self.original

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """The original object and a copy of its mesh, with the edits that were flushed into it."""
        original = self.original
        mesh = original.to_mesh()
        try:
            yield original, mesh
        finally:
            original.to_mesh_clear()
