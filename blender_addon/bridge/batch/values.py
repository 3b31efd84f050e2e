# SPDX-License-Identifier: GPL-3.0-or-later
"""What columns say of many places on one mesh, from arrays of Blender that are read once.

A named attribute at many places on one mesh, as :mod:`..attributes` has it at one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...model.scene_hits import Column
from ...model.survey_numbers import Name
from ...standalone_core import RayHits, triangle
from ...standalone_core.extension import (
    ArgumentError,
    FloatArray,
    IndexArray,
    IntArray,
    described,
    normalized,
)
from ..attributes import MIXED, VALUE_IN, is_all_smooth
from ..hit_objects import name_of
from ..mesh import arrays
from ..original.trace import original_faces
from ..report import world_normals
from ..scene.instances import ListedMesh
from .columns import ATTRIBUTE, KINDS, Places, ValuesAt


class Opened(NamedTuple):
    """A mesh of one object while it is lent by Blender."""

    row: ListedMesh
    evaluated: bpy.types.Object
    mesh: bpy.types.Mesh
    scene: bpy.types.Scene
    materials: dict[Name, int]  # numbers by name, to which new ones are added


class MeshValues:
    """The columns of hits at one mesh of one object. Nothing of Blender is kept."""

    def __init__(
        self,
        row: ListedMesh,
        columns: Iterable[str],
        scene: bpy.types.Scene,
        materials: dict[Name, int],
    ) -> None:
        with row.mesh.opened() as (evaluated, mesh):
            if row.mesh.source.original is not None:
                evaluated = row.mesh.source.of(row.original)
            opened = Opened(row, evaluated, mesh, scene, materials)
            count = row.mesh.polygons.triangle_count
            self._corners = arrays.triangle_corners(mesh, np.arange(count))
            self._vertices = arrays.at_corners(mesh, ".corner_vert")
            self._columns = {name: _values_at(name, opened) for name in columns}

    def columns(self, hits: RayHits, matrices: FloatArray) -> dict[str, Column]:
        """What was asked for, at hits (N,) on instances with matrices (N, 4, 4)."""
        corners = self._corners[hits.triangle]
        places = Places(hits, matrices, corners, self._vertices[corners])
        return {name: values(places) for name, values in self._columns.items()}


def _values_at(name: str, opened: Opened) -> ValuesAt:
    """What reads a column."""
    if name.startswith(ATTRIBUTE):
        return attribute_at(opened.evaluated, opened.mesh, name.removeprefix(ATTRIBUTE))
    return _READERS[name](opened)


def _vertices(opened: Opened) -> ValuesAt:  # noqa: ARG001
    return lambda places: places.vertices


def _original_face(opened: Opened) -> ValuesAt:
    source = opened.row.mesh.source
    if not source.is_evaluated:
        return lambda places: places.hits.face
    if source.original is None:
        return lambda places: np.full(len(places.hits.face), -1)
    origins = original_faces(opened.evaluated, opened.mesh, opened.scene)
    return lambda places: origins[places.hits.face]


def _smooth_normal(opened: Opened) -> ValuesAt:
    """Blender's own normals at corners are taken where a hit's are, see :mod:`.report`."""
    mesh, scene_mesh = opened.mesh, opened.row.mesh
    is_known = is_all_smooth(mesh) and scene_mesh.knows_smooth_normals
    corner_normals = np.empty((0 if is_known else len(mesh.loops), 3), dtype=np.float32)
    if not is_known:
        mesh.corner_normals.foreach_get("vector", corner_normals.ravel())
    flat = np.empty((len(mesh.polygons), 3), dtype=np.float32)
    mesh.polygons.foreach_get("normal", flat.ravel())

    def values(places: Places) -> Column:
        weights = places.hits.barycentric
        if is_known:
            local = scene_mesh.smooth_normals(places.vertices, weights)
        else:
            local = normalized(triangle.interpolate(corner_normals[places.corners], weights))
        lost = ~np.isfinite(local[:, 0])
        local[lost] = normalized(flat[places.hits.face[lost]].astype(np.float64))
        return world_normals(local, places.matrices)

    return values


def _uv(opened: Opened) -> ValuesAt:
    active = opened.mesh.uv_layers.active
    if active is None:
        return lambda places: KINDS["uv"].empty(len(places.corners))
    uv = arrays.uv_map(active)
    return lambda places: triangle.interpolate(uv[places.corners], places.hits.barycentric)


def _material(opened: Opened) -> ValuesAt:
    """As of a hit, faces whose slot does not exist have the last slot there is."""
    slots: list[Any] = [slot.material for slot in opened.evaluated.material_slots]
    slots = slots or opened.mesh.materials[:]
    if not slots:
        return lambda places: KINDS["material"].empty(len(places.corners))
    numbers = opened.materials
    of_slot = np.array(
        [-1 if each is None else numbers.setdefault(name_of(each), len(numbers)) for each in slots]
    )
    of_face: IndexArray = np.empty(len(opened.mesh.polygons), dtype=np.int32)
    opened.mesh.polygons.foreach_get("material_index", of_face)
    of_face = of_face.clip(0, len(slots) - 1)
    return lambda places: of_slot[of_face[places.hits.face]]


_READERS: dict[str, Callable[[Opened], ValuesAt]] = {
    "vertices": _vertices,
    "original_face": _original_face,
    "smooth_normal": _smooth_normal,
    "uv": _uv,
    "material": _material,
}


_WIDTHS = {
    "FLOAT": 1,
    "INT": 1,
    "INT8": 1,
    "BOOLEAN": 1,
    "FLOAT2": 2,
    "INT16_2D": 2,
    "INT32_2D": 2,
    "FLOAT_VECTOR": 3,
    "FLOAT_COLOR": 4,
    "BYTE_COLOR": 4,
    "QUATERNION": 4,
    "FLOAT4X4": 16,
}


def attribute_at(evaluated: bpy.types.Object, mesh: bpy.types.Mesh, name: str) -> ValuesAt:
    """What finds a UV map, an attribute or a vertex group of a mesh at places.

    Columns are float64 (N, k), of no width where the mesh has none of that name. ArgumentError for
    attributes of texts.
    """
    if name in mesh.uv_layers:
        return _mixed(arrays.uv_map(mesh.uv_layers[name]))
    attribute: Any = mesh.attributes.get(name)
    if attribute is not None and attribute.domain in ("POINT", "CORNER", "FACE"):
        if attribute.data_type == "STRING":
            raise ArgumentError(f"the attribute {described(name)} of {mesh.name} has texts")
        if attribute.data_type in _WIDTHS:
            return _stored(attribute)
    group = evaluated.vertex_groups.get(name)
    return _nothing if group is None else _mixed(_weights_of(mesh, group.index), "POINT")


def _stored(attribute: Any) -> ValuesAt:
    kind, domain = attribute.data_type, attribute.domain
    values = _read(attribute)
    if len(values) == 1:  # one value may stand for all elements, from Blender 5.0
        return lambda places: np.repeat(values, len(places.corners), axis=0)
    if domain == "FACE":
        return lambda places: values[places.hits.face]
    if kind in MIXED:
        return _mixed(values, domain)
    return lambda places: values[_nearest(places, domain)]


def _read(attribute: Any) -> FloatArray:
    """The values of an attribute (N, k)."""
    kind = attribute.data_type
    width = _WIDTHS[kind]
    dtype = np.bool_ if kind == "BOOLEAN" else np.int32 if "INT" in kind else np.float32
    values = np.empty((len(attribute.data), width), dtype=dtype)
    attribute.data.foreach_get(VALUE_IN[kind], values.ravel())
    if kind == "FLOAT4X4":  # column by column
        values = values.reshape(-1, 4, 4).swapaxes(1, 2).reshape(-1, 16)
    return values.astype(np.float64)


def _mixed(values: Column, domain: str = "CORNER") -> ValuesAt:
    """Interpolated by the barycentric weights, from values of elements (N, k)."""
    return lambda places: triangle.interpolate(
        values[places.corners if domain == "CORNER" else places.vertices], places.hits.barycentric
    )


def _nearest(places: Places, domain: str) -> IntArray:
    """The corners or vertices (N,) of the largest weight, the first of equal ones."""
    elements = places.corners if domain == "CORNER" else places.vertices
    nearest: IntArray = elements[np.arange(len(elements)), places.hits.barycentric.argmax(axis=1)]
    return nearest


def _weights_of(mesh: bpy.types.Mesh, group: int) -> FloatArray:
    """The weights (V, 1) of all vertices in a group; 0 for those outside of it."""
    weights = np.zeros((len(mesh.vertices), 1))
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group == group:
                weights[vertex.index] = element.weight
    return weights


def _nothing(places: Places) -> Column:
    return np.empty((len(places.corners), 0))
