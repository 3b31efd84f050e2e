# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a hit that the panels show: their names, tooltips and texts, in tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .hit import PickHit
from .record import PickRecord


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a panel shows and copies.

    Attributes
    ----------
    key : str
        Its name in Python.
    label, description : str
        For the interface, in English.
    read : callable
        From a hit to the value.
    parts : str
        A letter for each component of a vector, which then has a line each; empty for one line.
    is_length : bool
        Whether its numbers are lengths of world space.
    is_optional : bool
        Whether it is left out where it is 0.
    """

    key: str
    label: str
    description: str
    read: Callable[[PickHit], object]
    parts: str = ""
    is_length: bool = False
    is_optional: bool = False


def _instance(hit: PickHit) -> str | None:
    if hit.instancer is None:
        return None
    return f"{hit.instancer} {', '.join(map(str, hit.instance or ()))}"


def _original_face(hit: PickHit) -> int | str | None:
    return hit.original_reason if hit.original_face is None else hit.original_face


HIT: tuple[tuple[Value, ...], ...] = (
    (
        Value("object", "Object", "The object whose mesh was hit", lambda hit: hit.object),
        Value(
            "instance",
            "Instance",
            "The object that creates the instance, and the instance's persistent ID",
            _instance,
        ),
        Value("material", "Material", "The material of the face", lambda hit: hit.material),
        Value(
            "face",
            "Face",
            "Index of the face in the mesh that was hit; by default that is the evaluated one, "
            "with its modifiers",
            lambda hit: hit.face,
        ),
        Value(
            "original_face",
            "Original Face",
            "The face of the original mesh, without modifiers, that it comes from, or why "
            "that is unknown",
            _original_face,
        ),
        Value(
            "side",
            "Side Hit",
            "Whether the face was hit from the front or from behind",
            lambda hit: "Front Side" if hit.front else "Back Side",
        ),
        Value(
            "distance",
            "Distance",
            "Distance from the origin of the ray: the eye of a perspective view, the near "
            "clip plane of an orthographic one",
            lambda hit: hit.distance,
            is_length=True,
        ),
        Value(
            "pixels_away",
            "Distance from Mouse",
            "Screen distance from the mouse to the hit, in pixels",
            lambda hit: hit.pixels_away,
            is_optional=True,
        ),
    ),
    (
        Value(
            "point",
            "Point in World Space",
            "The place hit, in world space",
            lambda hit: hit.point,
            "XYZ",
            is_length=True,
        ),
    ),
    (
        Value(
            "point_local",
            "Point in Local Space",
            "The place hit, in the local space of the object",
            lambda hit: hit.point_local,
            "XYZ",
        ),
    ),
    (Value("uv", "Active UV Map", "The active UV map at the place hit", lambda hit: hit.uv, "UV"),),
)
"""What was hit, and where."""

TRIANGLE: tuple[tuple[Value, ...], ...] = (
    (
        Value(
            "triangle",
            "Triangle",
            "Index of the triangle among the mesh's triangles",
            lambda hit: hit.triangle,
        ),
        Value(
            "triangle_of_face",
            "Triangle of Face",
            "Index of the triangle within its face, starting at 0",
            lambda hit: hit.triangle_of_face,
        ),
        Value(
            "vertices",
            "Vertices",
            "Indices of the triangle's vertices A, B, C in the mesh",
            lambda hit: hit.vertices,
        ),
        Value(
            "face_vertices",
            "Face Vertices",
            "Indices of the vertices of the whole face, in the order of its corners",
            lambda hit: hit.face_vertices,
        ),
    ),
    (
        Value(
            "barycentric",
            "Barycentric Weights",
            "Weights of the triangle's vertices A, B, C; the three add up to 1",
            lambda hit: hit.barycentric,
            "ABC",
        ),
    ),
    (
        Value(
            "normal",
            "Normal in World Space",
            "The triangle's unit normal, in world space",
            lambda hit: hit.normal,
            "XYZ",
        ),
    ),
    (
        Value(
            "smooth_normal",
            "Shading Normal",
            "The unit normal used for shading at the hit point, in world space",
            lambda hit: hit.smooth_normal,
            "XYZ",
        ),
    ),
)
"""Its triangle."""

_BY_KEY = {value.key: value for group in (*HIT, *TRIANGLE) for value in group}

_TABLES = {
    "uv_maps": "The UV map at the place hit",
    "colors": "The color attribute at the place hit, in linear color",
    "weights": "The weight of the vertex group at the place hit",
    "attributes": "The attribute at the place hit",
}


def of_hit(record: PickRecord) -> list[list[Value]]:
    """What was hit, and where; without a ray there is no distance."""
    return [
        [value for value in group if value.key != "distance" or record.origin is not None]
        for group in HIT
    ]


def attributes(hit: PickHit) -> list[tuple[str, list[Value]]]:
    """What the mesh stores at the place: headings in English, and the values under each."""
    headings = {
        "uv_maps": "UV Maps",
        "colors": "Color Attributes",
        "weights": "Vertex Groups",
        "attributes": "Attributes",
    }
    return [
        (heading, [_stored(table, name) for name in getattr(hit, table)])
        for table, heading in headings.items()
        if getattr(hit, table)
    ]


def _stored(table: str, name: str) -> Value:
    return Value(f"{table}.{name}", name, _TABLES[table], lambda hit: getattr(hit, table)[name])


def described(key: str) -> str:
    """The tooltip of a value, or of a component's vector, in English."""
    name = key.partition(".")[0]
    return _TABLES.get(name) or (_BY_KEY[name].description if name in _BY_KEY else "")


def component(key: str) -> tuple[str, str]:
    """Of a vector's component, as in ``"point.X"``, the vector's label and the letter."""
    name, _, part = key.partition(".")
    return (_BY_KEY[name].label, part) if part and name in _BY_KEY else ("", "")
