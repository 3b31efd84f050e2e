# SPDX-License-Identifier: GPL-3.0-or-later
"""A named attribute at many places on one mesh, as :mod:`..attributes` has it at one."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ...model.scene_hits import Column
from ...standalone_core import triangle
from ...standalone_core.extension import ArgumentError, FloatArray, IntArray, described
from ..attributes import MIXED, VALUE_IN
from ..mesh import arrays
from .places import Places, ValuesAt

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
