# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mesh of the scene is found in Blender, as often as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

import bpy

from .displayed_mesh import copied_mesh, displayed_mesh


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A way to an evaluated object, good until the scene changes.

    Attributes
    ----------
    depsgraph : bpy.types.Depsgraph
    original : bpy.types.Object or None
        The object whose evaluated data the mesh is; None where the mesh belongs to an instance
        that exists only while instances are listed.
    place : int
        The place of an instance of it in ``depsgraph.object_instances``.
    """

    depsgraph: bpy.types.Depsgraph
    original: bpy.types.Object | None
    place: int

    is_evaluated: ClassVar[bool] = True
    """Whether modifiers and shape keys are in it."""

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """The object whose mesh is read, for one of several originals that share the mesh."""
        return original.evaluated_get(self.depsgraph)

    @contextmanager
    def evaluated(self) -> Iterator[bpy.types.Object]:
        """Lend the evaluated object.

        Raises
        ------
        LookupError
            If it is not there any more.
        """
        if self.original is not None:
            yield self.of(self.original)
            return
        for place, instance in enumerate(self.depsgraph.object_instances):
            if place == self.place:
                yield instance.object
                return
        raise LookupError("the instance is not there any more")

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """Lend the evaluated object and its displayed mesh."""
        with self.evaluated() as evaluated, displayed_mesh(evaluated) as mesh:
            yield evaluated, mesh


@dataclass(frozen=True, slots=True, eq=False)
class OriginalSource(Source):
    """A way to an object's own mesh, before all modifiers and shape keys; `original` is there."""

    is_evaluated: ClassVar[bool] = False

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """The original itself."""
        return original

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """Lend the original object and a copy of its mesh, with the edits flushed into it."""
        with self.evaluated() as original, copied_mesh(original) as mesh:
            yield original, mesh
