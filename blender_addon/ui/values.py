# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a hit that the panel shows: their names, tooltips and texts, in one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..bridge.report import PickHit


@dataclass(frozen=True, slots=True)
class Value:
    """One line of the panel.

    Attributes
    ----------
    key : str
        Name of the property.
    label, description : str
        For the interface, in English.
    text : callable
        From a hit to the text; numbers with all their digits.
    """

    key: str
    label: str
    description: str
    text: Callable[[PickHit], str]


def _optional(value: object | None, missing: str) -> str:
    return missing if value is None else str(value)


def _vector(
    key: str, label: str, names: str, description: str, read: Callable[[PickHit], tuple | None]
) -> tuple[Value, ...]:
    """A line a component, the first of them with the label."""

    def component(index: int) -> Callable[[PickHit], str]:
        def text(hit: PickHit) -> str:
            values = read(hit)
            return "None" if values is None else repr(values[index])

        return text

    return tuple(
        Value(
            f"{key}_{name.lower()}",
            f"{label} {name}" if i == 0 else name,
            description,
            component(i),
        )
        for i, name in enumerate(names)
    )


def _instance(hit: PickHit) -> str:
    if hit.instancer is None:
        return "None"
    return f"{hit.instancer} {list(hit.instance)}"


GROUPS: tuple[tuple[Value, ...], ...] = (
    (
        Value("object", "Object", "The object whose mesh was hit", lambda hit: hit.object),
        Value(
            "instance",
            "Instance",
            "The object that made the instance, and the instance's persistent id",
            _instance,
        ),
        Value(
            "material",
            "Material",
            "The material of the face",
            lambda hit: _optional(hit.material, "None"),
        ),
    ),
    (
        Value(
            "face",
            "Face",
            "Index of the face in the evaluated mesh, with its modifiers",
            lambda hit: str(hit.face),
        ),
        Value(
            "original_face",
            "Original Face",
            "The same face without modifiers. None where modifiers may change the faces",
            lambda hit: _optional(hit.original_face, "None"),
        ),
        Value(
            "triangle",
            "Triangle",
            "Index of the triangle among the evaluated mesh's triangles",
            lambda hit: str(hit.triangle),
        ),
        *_vector(
            "vertex",
            "Vertex",
            "ABC",
            "The triangle's vertex in the evaluated mesh",
            lambda hit: hit.vertices,
        ),
        *_vector(
            "weight",
            "Barycentric",
            "ABC",
            "Weight of this vertex of the triangle; the three add up to 1",
            lambda hit: hit.barycentric,
        ),
        Value(
            "side",
            "Side",
            "Whether the face was hit from the front or from behind",
            lambda hit: "Front" if hit.front else "Back",
        ),
    ),
    (
        *_vector("world", "World", "XYZ", "The place hit, in world space", lambda h: h.point),
        *_vector(
            "local",
            "Local",
            "XYZ",
            "The place hit, in the object's local space",
            lambda hit: hit.point_local,
        ),
        *_vector(
            "normal",
            "Normal",
            "XYZ",
            "The triangle's unit normal, in world space",
            lambda hit: hit.normal,
        ),
        Value(
            "distance",
            "Distance",
            "From the start of the ray: the eye of a perspective view, the near clip plane "
            "of an orthographic one",
            lambda hit: repr(hit.distance),
        ),
        *_vector("uv", "UV", "UV", "The active UV map at the place hit", lambda hit: hit.uv),
    ),
)
"""The lines of the panel, in groups."""


def all_values() -> tuple[Value, ...]:
    """All lines, without the groups."""
    return tuple(value for values in GROUPS for value in values)
