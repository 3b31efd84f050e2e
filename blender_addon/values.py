# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a hit that the panels show: their names, tooltips and texts, in tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .pick_hit import PickHit


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
            "The object that made the instance, and the instance's persistent id",
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
            "The face without modifiers that it comes from, or why that cannot be told",
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
            "From the start of the ray: the eye of a perspective view, the near clip plane of an "
            "orthographic one",
            lambda hit: hit.distance,
            is_length=True,
        ),
        Value(
            "pixels_away",
            "Away from Mouse",
            "How many pixels beside the mouse the point is seen: nothing nearer was under it",
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
            "The same triangle, counted within its face from 0 on",
            lambda hit: hit.triangle_of_face,
        ),
        Value(
            "vertices",
            "Vertices",
            "The triangle's three vertices A, B, C in the mesh",
            lambda hit: hit.vertices,
        ),
        Value(
            "face_vertices",
            "Face Vertices",
            "The vertices of the whole face, in the order of its corners",
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
            "The unit normal that the place is shaded with, in world space",
            lambda hit: hit.smooth_normal,
            "XYZ",
        ),
    ),
)
"""Its triangle."""

_TABLES = {
    "uv_maps": "The UV map at the place hit",
    "colors": "The color attribute at the place hit, in linear color",
    "weights": "The weight of the vertex group at the place hit",
    "attributes": "The attribute at the place hit",
}


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
    """The tooltip of a value, in English."""
    table = key.partition(".")[0]
    if table in _TABLES:
        return _TABLES[table]
    values = (value for group in (*HIT, *TRIANGLE) for value in group)
    return next((value.description for value in values if value.key == key), "")
