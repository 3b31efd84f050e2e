# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a hit that the panel shows: their names, tooltips and texts, in one table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .pick_hit import PickHit


@dataclass(frozen=True, slots=True)
class Value:
    """A value that the panel shows and copies.

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
    """

    key: str
    label: str
    description: str
    read: Callable[[PickHit], object]
    parts: str = ""


def text(value: object) -> str:
    """A value as text, with all its digits; a sequence as its elements."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ", ".join(map(repr, value))
    return repr(value)


def _instance(hit: PickHit) -> str | None:
    return None if hit.instancer is None else f"{hit.instancer} {hit.instance}"


def _original_face(hit: PickHit) -> int | str | None:
    return hit.original_reason if hit.original_face is None else hit.original_face


GROUPS: tuple[tuple[Value, ...], ...] = (
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
            "Index of the face in the evaluated mesh, with its modifiers",
            lambda hit: hit.face,
        ),
        Value(
            "original_face",
            "Original Face",
            "The face without modifiers that it comes from, or why that cannot be told",
            _original_face,
        ),
        Value(
            "triangle",
            "Triangle",
            "Index of the triangle among the evaluated mesh's triangles",
            lambda hit: hit.triangle,
        ),
        Value(
            "vertices",
            "Vertices",
            "The triangle's three vertices A, B, C in the evaluated mesh",
            lambda hit: hit.vertices,
        ),
        Value(
            "side",
            "Side",
            "Whether the face was hit from the front or from behind",
            lambda hit: "Front" if hit.front else "Back",
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
            "point",
            "Point in World Space",
            "The place hit, in world space",
            lambda hit: hit.point,
            "XYZ",
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
    (
        Value(
            "normal",
            "Normal in World Space",
            "The triangle's unit normal, in world space",
            lambda hit: hit.normal,
            "XYZ",
        ),
    ),
    (Value("uv", "Active UV Map", "The active UV map at the place hit", lambda hit: hit.uv, "UV"),),
    (
        Value(
            "distance",
            "Distance",
            "From the start of the ray: the eye of a perspective view, the near clip plane of an "
            "orthographic one",
            lambda hit: hit.distance,
        ),
    ),
)
"""What the panel shows, in groups."""


def described(key: str) -> str:
    """The tooltip of a value, in English."""
    return next((value.description for group in GROUPS for value in group if value.key == key), "")
