# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mesh of the scene is found in Blender, as often as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy

from .displayed_mesh import copied_mesh, displayed_mesh


class OutOfDateError(LookupError):
    """What was read of the scene is not there any more, or is another by now."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A way to an object's mesh, good until the scene changes."""

    depsgraph: bpy.types.Depsgraph
    original: bpy.types.Object | None  # None for a mesh of an instance, there only while listed
    place: int  # of an instance of it in ``depsgraph.object_instances``
    is_evaluated: bool = True  # the displayed mesh, or the own, before modifiers and shape keys

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """The object whose mesh is read, for one of several originals that share the mesh."""
        return original.evaluated_get(self.depsgraph) if self.is_evaluated else original

    @contextmanager
    def found(self) -> Iterator[bpy.types.Object]:
        """Lend the object whose mesh is read; OutOfDateError if it is not there any more."""
        if self.original is not None:
            yield self.of(self.original)
            return
        for place, instance in enumerate(self.depsgraph.object_instances):
            if place == self.place:
                yield instance.object
                return
        raise OutOfDateError("the instance is not there any more")

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """Lend the object and its mesh, with the edits that were flushed into an own mesh."""
        lent = displayed_mesh if self.is_evaluated else copied_mesh
        with self.found() as found, lent(found) as mesh:
            yield found, mesh
