# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of picking: of operators, and those that the user has set for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from . import settings
from .bridge.placing import Snap
from .bridge.query import QueryOptions
from .standalone_core.extension import Cull


def _changed(options: object, _context: bpy.types.Context) -> None:
    """Have the preferences saved: Blender does not see changes of what is in a group of them."""
    if isinstance(options, bpy.types.PropertyGroup):
        bpy.context.preferences.is_dirty = True


def declare(kind: Callable[..., Any], **common: Any) -> Callable[..., Any]:
    """A function that declares properties of a kind by name and description, and its options."""
    return lambda name, description, **options: kind(
        name=name, description=description, **common, **options
    )


_flag = declare(BoolProperty, update=_changed)
_choice = declare(EnumProperty, update=_changed)
_pixels = declare(IntProperty, update=_changed, subtype="PIXEL")
_length = declare(FloatProperty, update=_changed, subtype="DISTANCE")

_CULL: dict[str, Cull] = {"NONE": None, "BACK": "back", "FRONT": "front"}
_SNAP: dict[str, Snap] = {"NONE": None, "VERTEX": "vertex", "EDGE": "edge", "FACE": "face"}


class MeshOption:
    """Mixin of all that asks for one of an object's meshes."""

    mesh: _choice(
        "Mesh",
        "Mesh to hit, and whose indices to show",
        items=(
            ("EVALUATED", "Evaluated Mesh", "The mesh as displayed, with modifiers and shape keys"),
            (
                "ORIGINAL",
                "Original Mesh",
                "The object's own mesh, without modifiers and shape keys",
            ),
        ),
    )


class RayOptions(MeshOption):
    """Mixin of all that casts rays, be they one or many: what counts as hit."""

    cull: _choice(
        "Cull Faces",
        "Sides of faces to ignore",
        items=(
            ("NONE", "None", "Hit both sides of faces"),
            ("BACK", "Back Faces", "Ignore back faces"),
            ("FRONT", "Front Faces", "Ignore front faces"),
        ),
    )
    max_distance: _length(
        "Max Distance", "Ignore hits farther away than this; 0 for no limit", min=0.0
    )
    selectable_only: _flag("Selectable Only", "Ignore objects that cannot be selected")
    solid_only: _flag(
        "Solid Only", "Ignore objects displayed as wire or bounds, and their instances"
    )

    def ray_options(self) -> QueryOptions:
        return QueryOptions(
            max_distance=self.max_distance or inf,
            cull=_CULL[self.cull],
            selectable_only=self.selectable_only,
            solid_only=self.solid_only,
            evaluated=self.mesh == "EVALUATED",
        )


class CastOptions(RayOptions):
    """Mixin of what casts a ray: its properties, and what the API takes of them."""

    all_hits: _flag("All Hits", "Find everything behind the nearest hit too", default=True)

    def cast_options(self) -> QueryOptions:
        return replace(self.ray_options(), all_hits=self.all_hits)


class ClipOption:
    """Mixin of what looks at a view."""

    clip: _flag(
        "Visible Only",
        "Ignore what the viewport does not draw: nearer than Clip Start, beyond Clip "
        "End, outside the clipping region, or back faces where these are culled",
        default=True,
    )


class SurveyOptions(ClipOption, RayOptions):
    """Mixin of what casts a ray through every pixel of a view."""

    def survey_options(self) -> QueryOptions:
        return replace(self.ray_options(), clip=self.clip)


class PickOptions(ClipOption, CastOptions):
    """Mixin of all that picks at pixels of a viewport."""

    snap: _choice(
        "Snap",
        "Element of the face under the mouse to snap the hit to",
        items=(
            ("NONE", "None", "Do not snap"),
            ("VERTEX", "Vertex", "The nearest vertex of the face"),
            ("EDGE", "Edge", "The nearest point on the edges of the face"),
            ("FACE", "Face Center", "The average of the face's vertices"),
        ),
    )
    snap_radius: _pixels(
        "Snap Radius",
        "Maximum distance from the mouse to snap over",
        default=15,
        min=1,
        soft_max=100,
    )

    tolerance: _pixels(
        "Tolerance",
        "Where nothing is under the mouse, or only something farther away, pick the "
        "nearest thing within this many pixels; 0 to pick exactly what is under the mouse",
        default=0,
        min=0,
        soft_max=40,
    )

    def pick_options(self) -> QueryOptions:
        scale = settings.ui_scale()
        return replace(
            self.cast_options(),
            clip=self.clip,
            snap=_SNAP[self.snap],
            snap_radius=self.snap_radius * scale,
            tolerance=self.tolerance * scale,
        )


def take_users(operator: bpy.types.Operator, mixin: type) -> None:
    """Set those options of a mixin that the caller of an operator has not set as the user has."""
    preferences = settings.preferences()
    if preferences is None:
        return
    for part in mixin.__mro__:
        for name in getattr(part, "__annotations__", ()):
            if not operator.properties.is_property_set(name):
                setattr(operator, name, getattr(preferences.options, name))


class RaypickOptions(PickOptions, bpy.types.PropertyGroup):
    """What the user has set for all picks in viewports."""
