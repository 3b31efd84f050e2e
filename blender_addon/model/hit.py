# SPDX-License-Identifier: GPL-3.0-or-later
"""The hit that a pick returns, in plain values, without geometry or Blender's data.

Each field of a hit says how files, tables and panels treat it. `AttributeValues` is what a mesh
stores at the place that was hit.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass, field, fields
from math import isfinite
from typing import Any, Literal, TypeAlias

from .serialization import (
    ATTRIBUTE_VALUE,
    FLAG,
    INDEX,
    INTEGER,
    NAME,
    NUMBER,
    NUMBER_OR_NAN,
    SNAPPED,
    TEXT,
    VECTOR,
    Kind,
    from_json,
    many,
    optional,
    table,
    to_json,
)


@dataclass(frozen=True, slots=True)
class HitField:
    """How files, tables and panels treat a field of a hit."""

    key: str  # its name in Python
    kind: Kind  # which values of a file are accepted
    panel: Literal["", "pick", "details", "attributes"] = ""  # the part of the tab that shows it
    order: int = 0  # its place in that panel; equal ones are in the order of their declaration
    label: str = ""  # in English, like the tooltip
    tooltip: str = ""
    parts: str = ""  # the letters of a vector's components, if each has a line of its own
    unit: Literal["", "length", "angle", "pixels", "text"] = ""  # of numbers; texts are translated
    shown_if: Literal["", "ray", "nonzero", "moved"] = ""
    """Where it has a value, for a pick by a ray, where it is not 0, where it is not the point."""
    read: str = ""  # name of the property that panels show in its place
    columns: tuple[str, ...] = ()  # of a table, for a vector's components
    is_saved: bool = True  # whether files keep it
    about: str = ""  # what scripts have to know besides, in whole sentences

    @property
    def description(self) -> str:
        """What it means, in whole sentences of English."""
        tooltip = f"{self.tooltip}." if self.tooltip else ""
        return " ".join(filter(None, [tooltip, self.about]))


def hit_field(
    kind: Kind,
    panel: str = "",
    label: str = "",
    tooltip: str = "",
    *,
    default: Any = MISSING,
    compare: bool = True,
    **options: Any,
) -> Any:
    """A field of a dataclass; the options are those of :class:`HitField`."""
    about = {"kind": kind, "panel": panel, "label": label, "tooltip": tooltip, **options}
    return field(default=default, compare=compare, metadata=about)


Vector: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[tuple[float, ...], ...]
Color: TypeAlias = tuple[float, float, float, float]
Value: TypeAlias = bool | int | float | str | tuple[Any, ...]


def as_vector(values: Iterable[float]) -> Vector:
    """Three numbers as Python's floats."""
    x, y, z = map(float, values)
    return x, y, z


def known_vector(values: Iterable[float]) -> Vector | None:
    """A place or direction as Python's floats; None if it is NaN, which means unknown."""
    vector = as_vector(values)
    return vector if all(map(isfinite, vector)) else None


@dataclass(frozen=True, slots=True)
class PickHit:
    """What a ray hit, in plain Python values of full precision.

    Indices count from 0, and lengths are in Blender's units. A `Vector` is three floats and a
    `Matrix` four rows of four, none of `mathutils`: ``mathutils.Vector(hit.point)`` makes one. A
    `Color` is red, green, blue and alpha, and a `Value` is a number, a text or a tuple. A field is
    None where there is no such thing.
    """

    # Each field is described only here: its type, which values of a file are accepted, how panels
    # and tables show it (see HitField), and what it means, by its tooltip and by `about`.

    object: str = hit_field(
        NAME,
        "pick",
        "Object",
        "The object whose mesh was hit",
        about="Its name, without `library`.",
    )
    library: str | None = hit_field(
        optional(TEXT),
        about="Path of the library file that `object` is linked from; None for one of this file.",
    )
    instancer: str | None = hit_field(
        optional(NAME),
        about="Name of the object that made the instance; None if `object` is not instanced.",
    )
    instance: tuple[int, ...] | None = hit_field(
        optional(many(INTEGER)),
        *("details", "Instance"),
        "The object that creates the instance, and the instance's persistent ID",
        read="instance_text",
        about="Here it is the id alone, as of the depsgraph, the innermost level first.",
    )
    matrix_world: Matrix = hit_field(
        many(many(NUMBER, 4), 4),
        about="From the local space of the object or instance to the world's.",
    )
    face: int = hit_field(
        INDEX,
        *("pick", "Face"),
        "Index of the face in the mesh that was hit; by default that is the evaluated one, "
        "with its modifiers",
        order=2,
    )
    triangle: int = hit_field(
        INDEX,
        "pick",
        "Triangle",
        "Index of the triangle among the mesh's triangles",
        about="As in Blender's ``loop_triangles`` of the mesh that was hit: see `evaluated`.",
    )
    triangle_of_face: int = hit_field(
        INDEX,
        *("details", "Triangle of Face"),
        "Index of the triangle within its face, starting at 0",
    )
    vertices: tuple[int, int, int] = hit_field(
        many(INDEX, 3),
        *("details", "Vertices", "Indices of the triangle's vertices A, B, C in the mesh"),
        columns=("vertex_a", "vertex_b", "vertex_c"),
    )
    corners: tuple[Vector, Vector, Vector] = hit_field(
        many(VECTOR, 3), about="Where these vertices are, in world space."
    )
    barycentric: Vector = hit_field(
        VECTOR,
        *("pick", "Barycentric Weights"),
        "Weights of the triangle's vertices A, B, C; the three add up to 1",
        parts="ABC",
        columns=("weight_a", "weight_b", "weight_c"),
    )
    face_vertices: tuple[int, ...] = hit_field(
        many(INDEX),
        *("details", "Face Vertices"),
        "Indices of the vertices of the whole face, in the order of its corners",
    )
    face_corners: tuple[Vector, ...] = hit_field(
        many(VECTOR), about="Where the face's vertices are, in world space."
    )
    point: Vector = hit_field(
        VECTOR,
        *("pick", "Point in World Space", "The place hit, in world space"),
        parts="XYZ",
        unit="length",
        columns=("x", "y", "z"),
    )
    point_local: Vector = hit_field(
        VECTOR,
        *("details", "Point in Local Space", "The place hit, in the local space of the object"),
        parts="XYZ",
        shown_if="moved",
        about="For an instance that is the space of its own `matrix_world`.",
        columns=("local_x", "local_y", "local_z"),
    )
    normal: Vector = hit_field(
        VECTOR,
        *("details", "Normal in World Space", "The triangle's unit normal, in world space"),
        parts="XYZ",
        columns=("normal_x", "normal_y", "normal_z"),
    )
    smooth_normal: Vector | None = hit_field(
        optional(many(NUMBER_OR_NAN, 3)),
        *("details", "Shading Normal"),
        "The unit normal used for shading at the hit point, in world space",
        parts="XYZ",
        about="None where it has no direction.",
    )
    flat_normal: Vector | None = hit_field(
        optional(many(NUMBER_OR_NAN, 3)),
        about="The unit normal of the face (polygon) in world space; None for a face without one.",
    )
    distance: float = hit_field(
        NUMBER,
        *("details", "Distance"),
        "Distance from the origin of the ray: the eye of a perspective view, the near "
        "clip plane of an orthographic one",
        order=5,
        unit="length",
        shown_if="ray",
        about="In world space; 0 for a place that was given, below 0 before the near clip plane.",
    )
    front: bool = hit_field(
        FLAG,
        *("pick", "Side Hit", "Whether the face was hit from the front or from behind"),
        order=4,
        unit="text",
        read="side",
        about="True at the front, to which the normal points.",
    )
    uv: tuple[float, float] | None = hit_field(
        optional(many(NUMBER_OR_NAN, 2)),
        *("", "Active UV Map", "The active UV map at the place hit"),
        parts="UV",
        about="None without a UV map.",
        columns=("u", "v"),
    )
    uv_maps: dict[str, tuple[float, float]] = hit_field(
        table(many(NUMBER_OR_NAN, 2)),
        "attributes",
        "UV Maps",
        "The UV map at the place hit",
        about="By name, for every UV map (any attribute of two floats on corners is one).",
    )
    active_uv: str | None = hit_field(
        optional(NAME), about="Name of the active UV map; None without a UV map."
    )
    colors: dict[str, Color] = hit_field(
        table(many(NUMBER_OR_NAN, 4)),
        *("attributes", "Color Attributes"),
        "The color attribute at the place hit, in linear color",
        about="By name, for every one on points or corners, in the scene's linear color space.",
    )
    weights: dict[str, float] = hit_field(
        table(NUMBER_OR_NAN),
        *("attributes", "Vertex Groups", "The weight of the vertex group at the place hit"),
        about="By name, for every group that contains a vertex of the triangle.",
    )
    attributes: dict[str, Value] = hit_field(
        table(ATTRIBUTE_VALUE),
        "attributes",
        "Attributes",
        "The attribute at the place hit",
        about="By name, for every other one on points, corners or faces.",
    )
    material: str | None = hit_field(
        optional(NAME),
        *("details", "Material", "The material of the face"),
        order=1,
        about="Its name; None without one.",
    )
    evaluated: bool = hit_field(
        FLAG,
        about="Whether all indices are those of the evaluated mesh, or else of the original one, "
        "without modifiers and shape keys.",
    )
    original_face: int | None = hit_field(
        optional(INDEX),
        *("details", "Original Face"),
        "The face of the original mesh, without modifiers, that it comes from, or why "
        "that is unknown",
        order=3,
        unit="text",
        read="original_face_or_reason",
        about="An index in ``object.data`` (in edit mode: in the mesh being edited); None if the "
        "modifiers leave it uncertain: see `original_reason`.",
    )
    original_reason: str | None = hit_field(
        optional(NAME), about="Why there is no `original_face`, in English."
    )
    pixels_away: float = hit_field(
        NUMBER,
        *("details", "Distance from Mouse"),
        "Screen distance from the mouse to the hit, in pixels",
        default=0.0,
        order=6,
        unit="pixels",
        shown_if="nonzero",
        about="Above 0 if `tolerance` found this hit beside the ray, before anything on the ray.",
    )
    snapped: tuple[str, int] | None = hit_field(
        optional(SNAPPED),
        default=None,
        about='What the hit snapped to: "vertex", "edge" or "face", and its index in the mesh.',
    )
    is_base_mesh: bool = hit_field(
        FLAG,
        default=False,
        about="Whether the base mesh was hit, while the viewport draws the levels of "
        "multiresolution sculpting, which Python cannot read.",
    )
    mesh_size: tuple[int, int, int, int] | None = hit_field(
        optional(many(INDEX, 4)),
        default=None,
        about="Numbers of the mesh's vertices, edges, corners and faces: if they have changed, so "
        "may the indices.",
    )
    session_uid: int | None = hit_field(
        INTEGER,
        default=None,
        compare=False,
        is_saved=False,
        about="Blender's id of `object`, whatever its name is by now; None in another session.",
    )
    instancer_uid: int | None = hit_field(
        INTEGER,
        default=None,
        compare=False,
        is_saved=False,
        about="Blender's id of `instancer`, likewise.",
    )

    def __hash__(self) -> int:
        """A hash of the fields that tell hits apart, without dictionaries, which have none."""
        return hash((self.object, self.library, self.instance, self.triangle, self.point))

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        """The class and the fields, for another copy of Raypick."""
        return "PickHit", {name: getattr(self, name) for name in FIELDS}

    @property
    def side_normal(self) -> Vector:
        """The triangle's unit normal on the side that was hit, in world space."""
        if self.front:
            return self.normal
        x, y, z = self.normal
        return -x, -y, -z

    @property
    def side(self) -> str:
        """The side that was hit, in English."""
        return "Front Side" if self.front else "Back Side"

    @property
    def place_name(self) -> str:
        """The object's name and, for an instance, that of the object which makes it."""
        return self.object if self.instancer is None else f"{self.object} < {self.instancer}"

    @property
    def instance_text(self) -> str | None:
        """The instancer and the persistent id, if it is an instance."""
        if self.instancer is None:
            return None
        return f"{self.instancer} {', '.join(map(str, self.instance or ()))}"

    @property
    def original_face_or_reason(self) -> int | str | None:
        """The original face, or why it is not known, in English."""
        return self.original_reason if self.original_face is None else self.original_face

    def as_dict(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows: what is not finite becomes None.

        Blender's ids are left out: a hit that is read again finds its object by name.
        """
        return {key: to_json(getattr(self, key)) for key, each in FIELDS.items() if each.is_saved}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PickHit:
        """The hit that :meth:`as_dict` wrote, as JSON returns it; ValueError if it is not one."""
        try:
            kept = {name: value for name, value in values.items() if FIELDS[name].is_saved}
            return cls(**{name: from_json(name, FIELDS[name].kind, kept[name]) for name in kept})
        except (TypeError, AttributeError, KeyError) as error:
            raise ValueError(f"these are not the values of a hit: {error}") from None


FIELDS = {each.name: HitField(each.name, **each.metadata) for each in fields(PickHit)}
"""The fields of a hit by name, in their order."""


def _documented(each: Field[Any]) -> str:
    """A field in the form of NumPy's docstrings."""
    about = textwrap.wrap(FIELDS[each.name].description, width=92)
    return f"    {each.name} : {each.type}\n" + textwrap.indent("\n".join(about), " " * 8)


if PickHit.__doc__:  # Python leaves docstrings out where it is asked to
    _fields = "\n".join(map(_documented, fields(PickHit)))
    PickHit.__doc__ = f"{PickHit.__doc__.rstrip()}\n\n    Attributes\n    ----------\n{_fields}\n"

VALUES = tuple(each for each in FIELDS.values() if each.label and each.panel != "attributes")
"""The fields with one value, which people read and copy."""


@dataclass(frozen=True, slots=True)
class AttributeValues:
    """The attributes of an evaluated mesh at a place in one of its triangles, as in a `PickHit`.

    The normals are in local space, unlike those of a hit. A vertex outside of a vertex group has
    the weight 0 in it. A matrix is a tuple of its rows. Attributes on edges have no value inside a
    face and are left out.
    """

    uv_maps: dict[str, tuple[float, float]]
    active_uv: str | None
    colors: dict[str, Color]
    weights: dict[str, float]
    attributes: dict[str, Value]
    smooth_normal: Vector | None
    flat_normal: Vector | None
