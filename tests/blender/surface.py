# SPDX-License-Identifier: GPL-3.0-or-later
"""What meshes truly hold at a place in a triangle: read in bulk, weighed by NumPy.

It shares no code with what it judges, and runs in a test or in a windowed Blender.
"""

import bmesh
import numpy as np

from .actions.marking import MARK

MOST_BLURRED = 1e-3
"""Where rounding may turn a normal by more, it is not compared."""

_NUMBERS = {
    "FLOAT": ("value", 1, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
    "INT": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, bool),
}
_MIXED = _NUMBERS.keys() - {"INT", "BOOLEAN"}
_ELSEWHERE = {"position", "custom_normal"}


class Surface:
    """UV maps, attributes and marks of an evaluated mesh, whose triangles are calculated.

    Parameters
    ----------
    mesh : bpy.types.Mesh
    original : bpy.types.Object
        Whose mesh it is, or that of an instance.
    """

    def __init__(self, mesh, original):
        self._rows = {
            "CORNER": _column(mesh.loop_triangles, "loops", np.int32, 3),
            "POINT": _column(mesh.loop_triangles, "vertices", np.int32, 3),
            "FACE": _column(mesh.loop_triangles, "polygon_index", np.int32, 1),
        }
        names = {
            attribute.name
            for attribute in mesh.attributes
            if attribute.domain in self._rows
            and not attribute.name.startswith(".")
            and attribute.name not in _ELSEWHERE
            and len(attribute.data)
        }
        self._layers = {
            attribute.name: (attribute.domain, attribute.data_type, _values(attribute))
            for attribute in mesh.attributes
            if attribute.name in names and attribute.data_type in _NUMBERS
        }
        self._others = names - self._layers.keys()
        self._keeps_faces = mesh_keeps_faces(original)
        self._own_marks = _own_marks(original)
        active = mesh.uv_layers.active
        self.active_uv = active and active.name

    def faults(self, hit, crossing):
        """What a hit at a place tells wrongly of it, in words."""
        told = [*hit.attributes, *hit.colors, *hit.uv_maps]
        for name in set(told) - self._layers.keys() - self._others:
            yield f"{name} is told, and is not there"
        for name, (domain, kind, values) in self._layers.items():
            rows = values[self._rows[domain][hit.triangle] if len(values) > 1 else [0]]
            where = _where(hit, domain, kind)
            if name not in where:
                yield f"{name} is not told"
            elif not _is_there(where[name], rows, kind in _MIXED, crossing):
                yield f"{name} told as {where[name]}, at the corners {rows.tolist()}"
        if hit.active_uv != self.active_uv or hit.uv != hit.uv_maps.get(self.active_uv):
            yield f"the UV map told is {hit.active_uv!r}, is {self.active_uv!r}"
        yield from self._wrong_origin(hit)

    def _wrong_origin(self, hit):
        """What is wrong with the original face."""
        if (hit.original_face is None) != isinstance(hit.original_reason, str):
            yield f"original face {hit.original_face}, for {hit.original_reason!r}"
        if self._keeps_faces and hit.original_face != hit.face:
            yield f"original face {hit.original_face}, where the mesh is shown as it is: {hit.face}"
        if hit.original_face is None or MARK not in self._layers or self._own_marks is None:
            return
        mark = self._layers[MARK][2].ravel()[hit.face]
        own = self._own_marks[hit.original_face]
        if mark != own:
            yield f"original face {hit.original_face} is marked {own}, the face hit {mark}"

    def is_marked(self, hit):
        """Whether a wrong original face would show."""
        return (
            hit.original_face is not None and MARK in self._layers and self._own_marks is not None
        )


def wrong_place(hit, crossing, origin, direction):
    """What is wrong with where a hit is said to be, of a ray with a unit direction."""
    reach = crossing.slack + crossing.blur * crossing.longest
    point = origin + crossing.distance * direction
    if not _same(hit.point, point, reach + 1e-9 * (1 + np.abs(point).max())):
        yield f"hit at the point {hit.point}, is at {point}"
    if not _same(hit.barycentric, crossing.weights, crossing.blur):
        yield f"weights {hit.barycentric}, are {crossing.weights}"
    if crossing.normal_blur < MOST_BLURRED:
        if not _same(hit.normal, crossing.normal, crossing.normal_blur):
            yield f"normal {hit.normal}, is {crossing.normal}"
        if hit.front != (crossing.normal @ direction < 0):
            yield f"front {hit.front}, with the normal {crossing.normal} along {direction}"


def _where(hit, domain, kind):
    """The table of a hit that a layer belongs to."""
    if (domain, kind) == ("CORNER", "FLOAT2"):
        return hit.uv_maps
    return hit.colors if kind.endswith("COLOR") and domain != "FACE" else hit.attributes


def _is_there(told, rows, mixed, crossing):
    """Whether values at the corners, or one of the face, give what is told at a place."""
    if len(rows) == 1:
        return _same(told, rows[0], 0.0)
    if mixed:
        most = (1e-9 + crossing.blur) * np.abs(rows.astype(float)).sum()
        return _same(told, crossing.weights @ rows.astype(float), most)
    nearest = crossing.weights >= crossing.weights.max() - 2 * crossing.blur
    return any(_same(told, row, 0.0) for row in rows[nearest])


def _same(told, true, most):
    told, true = np.array(told, float).ravel(), np.array(true, float).ravel()
    if told.shape != true.shape:
        return False
    with np.errstate(all="ignore"):
        return bool(((np.abs(told - true) <= most) | ~np.isfinite(true)).all())


def _column(items, name, dtype, width):
    values = np.empty((len(items), width), dtype)
    items.foreach_get(name, values.ravel())
    return values


def _values(attribute):
    name, width, dtype = _NUMBERS[attribute.data_type]
    return _column(attribute.data, name, dtype, width)


def mesh_keeps_faces(original):
    """Whether an object shows its own mesh as it is."""
    return original.type == "MESH" and not original.modifiers


def _own_marks(original):
    """The marks of the faces of an object's own mesh, as it is edited; None without any."""
    if original.type != "MESH":
        return None
    mesh = original.data
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        layer = edited.faces.layers.int.get(MARK)
        return None if layer is None else [face[layer] for face in edited.faces]
    attribute = mesh.attributes.get(MARK)
    if attribute is None or (attribute.domain, attribute.data_type) != ("FACE", "INT"):
        return None
    return _values(attribute).ravel()
