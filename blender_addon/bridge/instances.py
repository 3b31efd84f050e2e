# SPDX-License-Identifier: GPL-3.0-or-later
"""From the depsgraph's list of instances to meshes placed in the world."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..pick_hit import Matrix
from . import geometry, original
from .geometry import EvaluatedMesh

# Objects whose own surface the depsgraph lists as an instance that they make of themselves.
_SURFACE_TYPES = frozenset({"CURVE", "SURFACE", "FONT", "META"})
_UNUSED = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An evaluated mesh in the world, as an object or as an instance.

    Attributes
    ----------
    mesh : EvaluatedMesh
    matrix_world : 4 x 4 floats
        Local to world space.
    object : str
        Name of the object whose mesh it is.
    instancer : str or None
        Name of the object that makes the instance; None for an object in its own right.
    persistent_id : tuple of int or None
        The depsgraph's id of the instance under its instancer.
    materials : tuple of str or None
        Names of the materials in the slots.
    keeps_faces : bool
        Whether faces of the mesh are faces of the original object's mesh.
    owner : int
        Address of the original object that decides on visibility in a viewport.
    """

    mesh: EvaluatedMesh
    matrix_world: Matrix
    object: str
    instancer: str | None
    persistent_id: tuple[int, ...] | None
    materials: tuple[str | None, ...]
    keeps_faces: bool
    owner: int


def placed_meshes(
    depsgraph: bpy.types.Depsgraph, meshes: dict[int, EvaluatedMesh]
) -> Iterator[Placed]:
    """All meshes that the depsgraph shows, the same mesh of many instances read once.

    Only meshes count: curves, text and metaballs come twice, as themselves and as an instance of
    the mesh that they are evaluated to.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
    meshes : dict
        Meshes that are read already, by the address of the evaluated data; new ones are added.
    """
    objects: dict[tuple[int, int], tuple[tuple[str | None, ...], bool]] = {}
    for instance in depsgraph.object_instances:
        evaluated = instance.object
        if evaluated.type != "MESH" or not instance.show_self:
            continue
        data = evaluated.data.as_pointer()
        if data not in meshes:
            meshes[data] = geometry.read(evaluated)
        source = instance.instance_object if instance.is_instance else evaluated
        key = source.as_pointer(), data
        if key not in objects:
            objects[key] = _materials(evaluated), _is_original(source, data)
        materials, keeps_faces = objects[key]
        instancer = instance.parent if instance.is_instance else None
        own_surface = instancer is not None and instancer.type in _SURFACE_TYPES
        if own_surface and source == instancer and not _path(instance)[1:]:
            instancer = None
        yield Placed(
            mesh=meshes[data],
            matrix_world=tuple(tuple(row) for row in instance.matrix_world),
            object=source.name,
            instancer=instancer.name if instancer else None,
            persistent_id=_path(instance) if instancer else None,
            materials=materials,
            keeps_faces=keeps_faces,
            owner=(instance.parent if instance.is_instance else source).original.as_pointer(),
        )


def _path(instance: bpy.types.DepsgraphObjectInstance) -> tuple[int, ...]:
    """The used part of a persistent id: an index a level of nesting, the innermost first."""
    identifier = list(instance.persistent_id)
    while len(identifier) > 1 and identifier[-1] == _UNUSED:
        identifier.pop()
    return tuple(identifier)


def _materials(evaluated: bpy.types.Object) -> tuple[str | None, ...]:
    slots = [slot.material for slot in evaluated.material_slots] or evaluated.data.materials
    return tuple(material.name if material else None for material in slots)


def _is_original(source: bpy.types.Object, data: int) -> bool:
    """Whether `data` is the object's own mesh, and no modifier changed its faces."""
    return (
        source.type == "MESH" and source.data.as_pointer() == data and original.keeps_faces(source)
    )
