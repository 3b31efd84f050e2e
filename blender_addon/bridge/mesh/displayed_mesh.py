# SPDX-License-Identifier: GPL-3.0-or-later
"""The mesh that a viewport draws of an object, in every mode.

`Object.data` is not that mesh: in edit mode it is empty or stale, and where the GPU does the
subdivision it is what the subdivision begins with. `Object.to_mesh` is: in edit mode it gives
the result of the modifiers, not the cage that the overlay draws over it. A brush in sculpt mode
changes the original mesh, which the viewport then draws, and evaluates nothing.

Python cannot read the level that multiresolution sculpting draws: its base mesh stands in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import bpy

Size = tuple[int, int, int, int]  # numbers of vertices, edges, corners and faces


def displayed_mesh(evaluated: bpy.types.Object) -> AbstractContextManager[bpy.types.Mesh]:
    """Lend the mesh that a viewport draws of an object of a depsgraph, for reading only."""
    # A copy, which shares what nobody changes. To look into an attribute of the mesh itself may
    # move its array, at which the brush points.
    return copied_mesh(evaluated.original if _is_sculpted_in_place(evaluated) else evaluated)


@contextmanager
def copied_mesh(obj: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Lend the mesh of an object as ``to_mesh`` gives it."""
    mesh: Any = obj.to_mesh()
    try:
        yield mesh
    finally:
        obj.to_mesh_clear()


def mesh_size(mesh: bpy.types.Mesh) -> Size:
    """Count the elements of a mesh."""
    return len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)


def lasting_mesh(evaluated: bpy.types.Object, size: Size) -> bpy.types.Mesh | None:
    """`Object.data` where it is the displayed mesh, which then need not be copied; or None.

    Once `displayed_mesh` has lent it, `Object.data` is that mesh, but for subdivision by the GPU,
    which has more of everything than the `size` of the mesh that was lent. Only object mode will
    do: a mesh that is being edited seems empty, and brushes point into its arrays, which reading
    may move.
    """
    data = evaluated.data
    if not isinstance(data, bpy.types.Mesh) or evaluated.original.mode != "OBJECT":
        return None
    return data if not data.is_editmode and mesh_size(data) == size else None


def draws_multires(original: bpy.types.Object) -> bool:
    """Whether a viewport draws the grids of multiresolution sculpting, not the mesh below them."""
    modifiers: Any = original.modifiers
    return original.mode == "SCULPT" and any(
        modifier.type == "MULTIRES" and modifier.show_viewport and modifier.sculpt_levels > 0
        for modifier in modifiers
    )


def _is_sculpted_in_place(evaluated: bpy.types.Object) -> bool:
    """Whether a viewport draws the mesh that the brush changes, and not an evaluated one.

    It does where no modifier and no shape key has an effect.
    """
    own: Any = evaluated.original.data
    if evaluated.mode != "SCULPT" or own.shape_keys:
        return False
    return all(m.type == "MULTIRES" or not m.show_viewport for m in evaluated.modifiers)
