# SPDX-License-Identifier: GPL-3.0-or-later
"""Values at many places on one mesh, from whole arrays; :mod:`..attributes` reads one place."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np

from ...model.columns import Array
from ...model.survey_numbers import Name
from ...standalone_core import RayHits, triangle
from ...standalone_core.extension import ArgumentError, FloatArray, IndexArray, described
from ..attributes import MIXED, VALUE_IN
from ..mesh import arrays
from ..mesh.scene_mesh import SceneMesh
from ..scene.instances import ListedMesh

WIDTHS = (
    dict.fromkeys(("FLOAT", "INT", "INT8", "BOOLEAN"), 1)
    | dict.fromkeys(("FLOAT2", "INT16_2D", "INT32_2D"), 2)
    | dict.fromkeys(("FLOAT_COLOR", "BYTE_COLOR", "QUATERNION"), 4)
    | {"FLOAT_VECTOR": 3, "FLOAT4X4": 16}
)

_MOST_NAMED = 8  # names of attributes in the text of an error


class Opened(NamedTuple):
    """A mesh of one object, while Blender lends it."""

    row: ListedMesh
    evaluated: bpy.types.Object
    mesh: bpy.types.Mesh
    materials: dict[Name, int]  # numbers by name; new materials are added


class Places(NamedTuple):
    """Hits on one mesh."""

    hits: RayHits  # (N,)
    matrices: FloatArray  # (N, 4, 4), local to world space
    corners: IndexArray  # (N, 3), the face corners of the triangles
    vertices: IndexArray  # (N, 3)

    def elements(self, domain: str) -> IndexArray:
        """The corners or the vertices (N, 3)."""
        return self.corners if domain == "CORNER" else self.vertices


ValuesAt: TypeAlias = Callable[[Places], Array]
Reader: TypeAlias = Callable[[Opened], ValuesAt]
"""Reads a mesh, and returns a function that finds values at places on it."""
ValuesOn: TypeAlias = Callable[[RayHits, FloatArray], dict[str, Array]]
"""Finds columns at hits (N,) on one mesh, by the matrices (N, 4, 4) of their instances."""


def values_on(
    row: ListedMesh, readers: Mapping[str, Reader], materials: dict[Name, int]
) -> ValuesOn:
    """A function that finds columns at hits on a mesh of one object; it keeps no Blender data."""
    with row.mesh.opened() as (evaluated, mesh):
        if row.mesh.source.original is not None:
            evaluated = row.mesh.source.of(row.original)
        opened = Opened(row, evaluated, mesh, materials)
        triangles = arrays.triangle_corners(mesh, np.arange(row.mesh.polygons.triangle_count))
        vertices = arrays.at_corners(mesh, ".corner_vert")
        columns = {name: read(opened) for name, read in readers.items()}

    def values(hits: RayHits, matrices: FloatArray) -> dict[str, Array]:
        corners = triangles[hits.triangle]
        places = Places(hits, matrices, corners, vertices[corners])
        return {name: found(places) for name, found in columns.items()}

    return values


def attribute_at(name: str, opened: Opened) -> ValuesAt:
    """A function that finds values of a UV map, attribute or vertex group of a mesh at places.

    Values are float64 (N, k), where k is 0 if the mesh has none of that name. ArgumentError for
    attributes whose values are texts.
    """
    mesh = opened.mesh
    if name in mesh.uv_layers:
        return _mixed(arrays.uv_map(mesh.uv_layers[name]))
    attribute: Any = mesh.attributes.get(name)
    if attribute is not None and _has_values(attribute):
        if attribute.data_type == "STRING":
            raise ArgumentError(f"the attribute {described(name)} of {mesh.name} has texts")
        return _stored(attribute)
    group = opened.evaluated.vertex_groups.get(name)
    if group is None:
        return lambda places: np.empty((len(places.corners), 0))
    return _mixed(_weights_of(mesh, group.index), "POINT")


def attribute_names(evaluated: bpy.types.Object, mesh: bpy.types.Mesh) -> set[str]:
    """The names that :func:`attribute_at` knows on a mesh of an object."""
    stored: Any = mesh.attributes
    named = (*mesh.uv_layers, *filter(_has_values, stored), *evaluated.vertex_groups)
    return {each.name for each in named}


def check_attributes(names: Sequence[str], meshes: Iterable[SceneMesh]) -> None:
    """ArgumentError for a name that none of the meshes has, if there are any.

    They are opened until all names are found, those that were used last first. The error tells
    which names there are, the most similar first.
    """
    known, missing = set[str](), [*names]
    for each in sorted(meshes, key=lambda mesh: mesh.used, reverse=True):
        if not missing:
            return
        with each.opened() as lent:
            known |= attribute_names(*lent)
        missing = [name for name in missing if name not in known]
    if missing and known:
        wrong, shown = missing[0], sorted(name for name in known if not name.startswith("."))
        alike = difflib.get_close_matches(wrong, shown, _MOST_NAMED)
        first = [*alike, *(name for name in shown if name not in alike)]
        listed = ", ".join(map(described, first[:_MOST_NAMED]))
        more = len(first) - _MOST_NAMED
        raise ArgumentError(
            f"nothing that can be hit has an attribute {described(wrong)}: there are {listed}"
            f'{f" and {more} more" if more > 0 else ""}; missing="nan" makes it NaN'
        )


def _has_values(attribute: Any) -> bool:
    """Whether an attribute has values at places in a face."""
    kind = attribute.data_type
    return attribute.domain in ("POINT", "CORNER", "FACE") and (kind in WIDTHS or kind == "STRING")


def _stored(attribute: Any) -> ValuesAt:
    kind, domain = attribute.data_type, attribute.domain
    dtype = np.bool_ if kind == "BOOLEAN" else np.int32 if "INT" in kind else np.float32
    read = np.empty((len(attribute.data), WIDTHS[kind]), dtype=dtype)
    attribute.data.foreach_get(VALUE_IN[kind], read.ravel())
    values: FloatArray = read.astype(np.float64)
    if kind == "FLOAT4X4":  # column by column
        values = values.reshape(-1, 4, 4).swapaxes(1, 2).reshape(-1, 16)
    if len(values) == 1:  # one value may stand for all elements, from Blender 5.0
        return lambda places: np.repeat(values, len(places.corners), axis=0)
    if domain == "FACE":
        return lambda places: values[places.hits.face]
    if kind in MIXED:
        return _mixed(values, domain)

    def at_nearest(places: Places) -> Array:
        """The values at the corner with the largest weight, the first of equal ones."""
        rows, largest = np.arange(len(places.corners)), places.hits.barycentric.argmax(axis=1)
        return np.asarray(values[places.elements(domain)[rows, largest]])

    return at_nearest


def _mixed(values: Array, domain: str = "CORNER") -> ValuesAt:
    """A function that interpolates the values (N, k) of elements by the barycentric weights."""
    return lambda places: triangle.interpolate(
        values[places.elements(domain)], places.hits.barycentric
    )


def _weights_of(mesh: bpy.types.Mesh, group: int) -> FloatArray:
    """The weights (V, 1) of all vertices in a group; 0 for those outside of it."""
    weights = np.zeros((len(mesh.vertices), 1))
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group == group:
                weights[vertex.index] = element.weight
    return weights
