# SPDX-License-Identifier: GPL-3.0-or-later
"""The mesh that a viewport draws of an object, in every mode, and which of its faces it leaves out.

`Object.data` is not that mesh: in edit mode it is empty or stale, and where the GPU does the
subdivision it is what the subdivision begins with. `Object.to_mesh` is: in edit mode it gives
the result of the modifiers shown there, not the cage that the overlay draws over it. A brush in
sculpt mode changes the original mesh, which the viewport then draws, and evaluates nothing.

Python cannot read the level that multiresolution sculpting draws: its base mesh stands in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]

# In these modes a viewport leaves hidden faces out, whether or not a paint mask is on.
_HIDING_MODES = frozenset({"EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"})

_NUMBERS_AT_CORNERS = {"POINT": ".corner_vert", "EDGE": ".corner_edge"}


@contextmanager
def shown_mesh(evaluated: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Lend the mesh that a viewport draws of an evaluated object.

    Parameters
    ----------
    evaluated : bpy.types.Object
        Of a depsgraph, or the object of one of its instances.

    Yields
    ------
    bpy.types.Mesh
        In the object's space, to be read only, and not used after the end.
    """
    # A copy, which shares what nobody changes. To look into an attribute of the mesh itself may
    # move its array, at which the brush points.
    shown = evaluated.original if _is_sculpted_in_place(evaluated) else evaluated
    mesh = shown.to_mesh()
    try:
        yield mesh
    finally:
        shown.to_mesh_clear()


def mesh_size(mesh: bpy.types.Mesh) -> tuple[int, int, int, int]:
    """The numbers of vertices, edges, corners and faces."""
    return len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)


def lasting_mesh(
    evaluated: bpy.types.Object, size: tuple[int, int, int, int]
) -> bpy.types.Mesh | None:
    """The shown mesh where it stays, `Object.data`, or None where that is another one.

    Once `shown_mesh` has lent it, `Object.data` is that mesh, but for subdivision by the GPU,
    which has more of everything. Only object mode will do: a mesh that is being edited seems empty,
    and brushes point into its arrays, which reading may move.

    Parameters
    ----------
    evaluated : bpy.types.Object
    size : tuple of int
        The :func:`mesh_size` of what was lent.
    """
    data = evaluated.data
    if not isinstance(data, bpy.types.Mesh) or evaluated.original.mode != "OBJECT":
        return None
    if data.is_editmode:
        return None
    return data if mesh_size(data) == size else None


def flush_sculpting(context: bpy.types.Context) -> None:
    """Have Blender write what was sculpted with dynamic topology into the mesh.

    Until then no mesh has it. Blender then evaluates the mesh again: to be called where something
    changed, and before the depsgraph is asked for.
    """
    if is_sculpted_dynamically(context):
        bpy.ops.ed.flush_edits()


def is_sculpted_dynamically(context: bpy.types.Context) -> bool:
    """Whether a mesh is sculpted with dynamic topology."""
    sculpted = context.view_layer.objects.active
    return (
        sculpted is not None
        and sculpted.mode == "SCULPT"
        and sculpted.use_dynamic_topology_sculpting
    )


def edited_meshes(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The mesh objects in edit mode."""
    if context.mode != "EDIT_MESH":
        return []
    return [obj for obj in context.view_layer.objects if obj.type == "MESH" and obj.mode == "EDIT"]


def draws_multires(original: bpy.types.Object) -> bool:
    """Whether a viewport draws the grids of multiresolution sculpting, not the mesh below them."""
    return original.mode == "SCULPT" and any(
        modifier.type == "MULTIRES" and modifier.show_viewport and modifier.sculpt_levels > 0
        for modifier in original.modifiers
    )


def hidden_faces(evaluated: bpy.types.Object, mesh: bpy.types.Mesh) -> BoolArray | None:
    """Which faces of its shown mesh a viewport does not draw, as the object's mode has it.

    Hidden faces are drawn in object mode. Modifiers hand the flag on, so that the faces they make
    of a hidden one are hidden too.

    Parameters
    ----------
    evaluated : bpy.types.Object
        Two objects may share a mesh and be in different modes.
    mesh : bpy.types.Mesh
        What `shown_mesh` lent of it.

    Returns
    -------
    ndarray (F,) of bool, or None
        None where all faces are drawn.
    """
    if evaluated.mode not in _HIDING_MODES:
        return None
    attribute = mesh.attributes.get(".hide_poly")
    if attribute is None or attribute.data_type != "BOOLEAN":
        return None
    hidden = np.empty(len(attribute.data), dtype=np.bool_)
    attribute.data.foreach_get("value", hidden)
    if len(hidden) == 1:  # one value may stand for all elements, from Blender 5.0
        hidden = np.repeat(hidden, len(mesh.polygons))
    elif attribute.domain != "FACE":
        hidden = _of_faces(hidden, attribute.domain, mesh)
    return hidden if hidden.any() else None


def _of_faces(flags: BoolArray, domain: str, mesh: bpy.types.Mesh) -> BoolArray:
    """A flag of faces, as Blender has it from one on points, edges or corners: where all have it.

    Nodes that make meshes of instances leave on points what was on the faces instanced on.
    """
    if domain in _NUMBERS_AT_CORNERS:
        numbers = np.empty(len(mesh.loops), dtype=np.int32)
        mesh.attributes[_NUMBERS_AT_CORNERS[domain]].data.foreach_get("value", numbers)
        flags = flags[numbers]
    starts = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    return np.logical_and.reduceat(flags, starts)


def _is_sculpted_in_place(evaluated: bpy.types.Object) -> bool:
    """Whether a viewport draws what the brush works on, and not what the depsgraph made of it.

    It does where no modifier and no shape key has a say.
    """
    if evaluated.mode != "SCULPT" or evaluated.original.data.shape_keys:
        return False
    return all(m.type == "MULTIRES" or not m.show_viewport for m in evaluated.modifiers)
