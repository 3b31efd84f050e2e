# SPDX-License-Identifier: GPL-3.0-or-later
"""The attributes of an evaluated mesh at a place in one of its triangles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

from ..model.hit import AttributeValues, Value, Vector, known_vector
from ..standalone_core import triangle
from ..standalone_core.extension import is_finite, unit_vector

_COLORS = frozenset({"FLOAT_COLOR", "BYTE_COLOR"})
MIXED = frozenset({"FLOAT", "FLOAT2", "FLOAT_VECTOR"}) | _COLORS
"""The types of attributes that are interpolated."""

_VALUES = ("FLOAT", "INT", "INT8", "INT16_2D", "INT32_2D", "BOOLEAN", "STRING", "QUATERNION")
VALUE_IN = (
    dict.fromkeys((*_VALUES, "FLOAT4X4"), "value")
    | dict.fromkeys(("FLOAT2", "FLOAT_VECTOR"), "vector")
    | dict.fromkeys(_COLORS, "color")
)
"""The property in which an element keeps its value; `color` is linear also for bytes."""

# Reported as the hit's point and its smooth normal; the latter is stored in a packed form.
_REPORTED_ELSEWHERE = frozenset({"position", "custom_normal"})


def values_at(
    mesh: bpy.types.Mesh,
    face: int,
    corners: Sequence[int],
    vertices: Sequence[int],
    barycentric: Sequence[float],
    vertex_groups: Sequence[str] = (),
    smooth_normal: Vector | None = None,
) -> AttributeValues:
    """Read all attributes of a mesh at one place.

    Floats, UV coordinates and colors are interpolated by the barycentric weights, in double
    precision. Integers, booleans, strings, quaternions and matrices are taken from the corner with
    the largest weight, or the first of equal ones: values that the mesh holds, never ones in
    between. Attributes on faces have one value. Those on edges, of unknown types, and internal ones
    (their names begin with a dot) are left out.

    The smooth normal is interpolated between Blender's corner normals, which follow the shading:
    a flat face has its own normal at each corner, a sharp edge splits them, and custom normals
    replace them. Where they cancel out, the flat normal is taken. Blender computes the corner
    normals of the whole mesh when one is first read, unless it has drawn them, and keeps them.

    The mesh is read element by element. The three corners (loops), vertices and weights are those
    of the triangle. `vertex_groups` are the names of the object's groups, in order: the mesh itself
    only numbers them.
    """

    def mixed(elements: Sequence[Any]) -> Any:
        plain: list[Any] = [_plain(element) for element in elements]
        return _plain(triangle.interpolate(plain, barycentric).tolist())

    places = {"POINT": vertices, "CORNER": corners, "FACE": (face,)}
    nearest = max(range(3), key=barycentric.__getitem__)
    active = mesh.uv_layers.active
    # Through `attributes`, Blender would first copy the whole map.
    uv_maps = {
        layer.name: mixed([layer.uv[corner].vector for corner in corners])
        for layer in mesh.uv_layers
    }
    colors: dict[str, Any] = {}
    attributes: dict[str, Value] = {}
    attribute: Any
    for attribute in mesh.attributes:
        name, kind, domain = attribute.name, attribute.data_type, attribute.domain
        if name.startswith(".") or name in _REPORTED_ELSEWHERE:
            continue
        if domain not in places or kind not in VALUE_IN or name in uv_maps:
            continue
        indices: Sequence[int] = places[domain]
        if domain != "FACE" and kind not in MIXED:
            indices = (indices[nearest],)
        if len(attribute.data) <= 1:  # one value may stand for all elements, from Blender 5.0
            indices = range(len(attribute.data))
        found = [getattr(attribute.data[index], VALUE_IN[kind]) for index in indices]
        if not found:
            continue
        value = mixed(found) if len(found) == 3 else _plain(found[0])
        if kind in _COLORS and domain != "FACE":
            colors[name] = value
        else:
            attributes[name] = value
    flat = unit(mesh.polygons[face].normal[:])
    smooth = smooth_normal or unit(mixed([mesh.corner_normals[i].vector for i in corners]))
    return AttributeValues(
        uv_maps=uv_maps,
        active_uv=active.name if active else None,
        colors=colors,
        weights=_weights(mesh, vertices, mixed, vertex_groups),
        attributes=attributes,
        smooth_normal=smooth or flat,
        flat_normal=flat,
    )


def _weights(
    mesh: bpy.types.Mesh,
    vertices: Sequence[int],
    mixed: Callable[[Sequence[float]], float],
    names: Sequence[str],
) -> dict[str, float]:
    """The weight in each vertex group that has one of the vertices."""
    if not names:
        return {}
    of_vertices = [
        {element.group: element.weight for element in mesh.vertices[vertex].groups}
        for vertex in vertices
    ]
    return {
        name: mixed([weights.get(group, 0.0) for weights in of_vertices])
        for group, name in enumerate(names)
        if any(group in weights for weights in of_vertices)
    }


def _plain(value: Any) -> Value:
    """A Blender value as a Python value: a vector as a tuple, a matrix as a tuple of its rows."""
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return tuple(_plain(part) for part in value)


def unit(vector: Sequence[float]) -> Vector | None:
    """The vector at length 1, in double precision; None where it has no direction."""
    x, y, z = map(float, vector)
    return known_vector(unit_vector((x, y, z))) if is_finite((x, y, z)) else None
