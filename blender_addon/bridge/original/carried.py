# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of faces, which lead back through modifiers that change the faces.

An integer attribute ``raypick_face`` on faces of an object's own mesh gives each a number that no
other has, such as its index + 1. Blender copies it to the faces that it makes of them, and gives 0
to new ones. A number leads back only if nothing else can have made it: no other face that the
modifiers may add has it, and they do nothing but copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import bmesh
import bpy
import numpy as np

from ...standalone_core.extension import IntArray
from .face_origin import UnknownOriginError
from .modifiers import copies_attribute

CARRIED = "raypick_face"

_INTEGERS = frozenset({"INT", "INT8"})
_NONE, _SEVERAL = -1, -2


class CarriedFaces:
    """The faces of an evaluated mesh, by the numbers they carry."""

    def __init__(self, mesh: bpy.types.Mesh, attribute: Any, numbers: _Numbers) -> None:
        self._mesh, self._attribute, self._numbers = mesh, attribute, numbers

    def origin(self, face: int) -> int:
        """The face of the object's own mesh that a face comes from, or UnknownOriginError."""
        data = self._attribute.data
        number = data[face if len(data) > 1 else 0].value
        origin = int(self._numbers.faces_of(np.array([number]))[0])
        if origin == _SEVERAL:
            raise UnknownOriginError(f"The attribute {CARRIED} names several faces here")
        if origin < 0:
            raise UnknownOriginError(f"The attribute {CARRIED} names no face here")
        return origin

    def origins(self, faces: IntArray) -> IntArray:
        """The same of faces (N,), with -1 for those whose origin is not known."""
        numbers = _values(self._attribute, len(self._mesh.polygons))[faces]
        return self._numbers.faces_of(numbers).clip(min=-1)


def carried_faces(
    evaluated: bpy.types.Object, mesh: bpy.types.Mesh, kept: dict[int, Any]
) -> CarriedFaces | None:
    """The faces of a mesh of an evaluated object; None where it or its own mesh has no numbers.

    What is read is kept, by the address of the object, for as long as the caller keeps it.
    UnknownOriginError if the numbers may be wrong.
    """
    own, attribute = evaluated.original, _attribute(mesh)
    if attribute is None or not isinstance(own.data, bpy.types.Mesh):
        return None
    if own.mode == "SCULPT" and own.use_dynamic_topology_sculpting:
        return None
    if _attribute(own.data) is None:
        return None
    address = own.as_pointer()
    if address not in kept:
        kept[address] = _Numbers(*map(_numbers_in, [evaluated, *_sources(evaluated)]))
    return CarriedFaces(mesh, attribute, kept[address])


class _Numbers:
    """The face of the object's own mesh that each number names."""

    def __init__(self, own: IntArray, *added: IntArray) -> None:
        every = np.concatenate([[0], own, *added])
        self._known, first, counts = np.unique(every, return_index=True, return_counts=True)
        self._faces = np.where(counts == 1, first - 1, _SEVERAL)
        self._faces[(self._known <= 0) | (first > len(own))] = _NONE

    def faces_of(self, numbers: IntArray) -> IntArray:
        """The faces (N,) that numbers (N,) name; below 0 for none or several."""
        rows = self._known.searchsorted(numbers).clip(max=len(self._known) - 1)
        return np.where(self._known[rows] == numbers, self._faces[rows], _NONE)


def _numbers_in(obj: bpy.types.Object) -> IntArray:
    """The numbers (F,) of the faces of an object's own mesh, edited or not; (0,) without any."""
    data: Any = obj.original.data
    if CARRIED not in getattr(data, "attributes", ()):
        return np.empty(0, np.int64)
    attribute = _attribute(data)
    if attribute is not None and not data.is_editmode:
        return _values(attribute, len(data.polygons))
    faces = None if attribute is None else bmesh.from_edit_mesh(data).faces
    layer = None if faces is None else faces.layers.int.get(CARRIED)
    if faces is None or layer is None:
        raise UnknownOriginError(f"The object {obj.name} may give faces wrong numbers")
    return np.array([face[layer] for face in faces], np.int64)


def _attribute(mesh: bpy.types.Mesh) -> Any:
    """The attribute that has the numbers; None without one."""
    attribute: Any = mesh.attributes.get(CARRIED)
    if attribute is None or attribute.domain != "FACE" or attribute.data_type not in _INTEGERS:
        return None
    return attribute


def _values(attribute: Any, count: int) -> IntArray:
    """Its values at so many faces, for which there may be a single one."""
    values = np.empty(len(attribute.data), np.int32)
    attribute.data.foreach_get("value", values)
    return np.broadcast_to(values.astype(np.int64), count)


def _sources(evaluated: bpy.types.Object) -> list[bpy.types.Object]:
    """All other objects whose faces modifiers may add to those of an object.

    UnknownOriginError if a modifier, of one of them even, may do more than copy.
    """
    found, seen = [evaluated], {evaluated}
    for obj in found:
        named = [obj.instance_collection]
        for modifier in obj.modifiers:
            if modifier.show_viewport:
                if not copies_attribute(modifier, CARRIED):
                    reason = f"The modifier {modifier.name} may give faces wrong numbers"
                    raise UnknownOriginError(reason)
                named += _named_by(modifier)
        new = dict.fromkeys(_objects(named)).keys() - seen
        found += new
        seen |= new
    return found[1:]


def _objects(named: Iterable[Any]) -> Iterator[bpy.types.Object]:
    """The objects among what is named, and those of the collections."""
    for each in named:
        if isinstance(each, bpy.types.Object):
            yield each
        elif isinstance(each, bpy.types.Collection):
            yield from each.all_objects


def _named_by(modifier: Any) -> list[Any]:
    """The objects and collections that a modifier may take faces from, among other values."""
    match modifier.type:
        case "ARRAY":
            return [modifier.start_cap, modifier.end_cap]
        case "BOOLEAN":
            return [modifier.object, modifier.collection]
        case "NODES" if modifier.node_group is not None:
            return [*modifier.values(), *_named_in(modifier.node_group)]
    return []


def _named_in(group: Any) -> Iterator[Any]:
    """The same of a node group and those within it."""
    for node in group.nodes:
        yield from (getattr(node, name, None) for name in ("object", "collection"))
        yield from (getattr(socket, "default_value", None) for socket in node.inputs)
        if getattr(node, "node_tree", None) is not None:
            yield from _named_in(node.node_tree)
