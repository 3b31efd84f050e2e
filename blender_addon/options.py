# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of queries as properties: those of operators, and those that the user has set."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from . import settings
from .bridge.query_options import OPTIONS, Option, QueryOptions, Scope


def _changed(options: object, _context: bpy.types.Context) -> None:
    """Have the preferences saved: Blender does not notice changes within a group of them."""
    if isinstance(options, bpy.types.PropertyGroup):
        bpy.context.preferences.is_dirty = True


def declare(kind: Callable[..., Any], **common: Any) -> Callable[..., Any]:
    """A function of name, description and options that declares a property of a kind."""
    return lambda name, description, **options: kind(
        name=name, description=description, **common, **options
    )


_KINDS = {
    "flag": declare(BoolProperty, update=_changed),
    "choice": declare(EnumProperty, update=_changed),
    "pixels": declare(IntProperty, update=_changed, subtype="PIXEL"),
    "length": declare(FloatProperty, update=_changed, subtype="DISTANCE", min=0.0),
}


def _properties(scope: Scope) -> dict[str, Any]:
    """The properties of a scope, choices first."""
    found: dict[str, Any] = {}
    for each in sorted(OPTIONS, key=lambda option: not option.choices):
        if each.scope == scope:
            about = dict(each.rna)
            if each.choices:
                about["items"] = tuple((name, *texts) for name, (_, *texts) in each.choices.items())
            found[each.key] = _KINDS[each.kind](each.label, each.tooltip, **about)
    return found


class MeshOption:
    """Mixin of all that asks for one of an object's meshes."""

    __annotations__ = _properties("mesh")

    def query_options(self) -> QueryOptions:
        """These options as queries take them."""
        offered = [each for each in OPTIONS if each.scope and hasattr(self, each.key)]
        values = {each.name: _value(each, getattr(self, each.key)) for each in offered}
        return QueryOptions(**values)


class RayOptions(MeshOption):
    """Mixin of all that casts rays, one or many: what counts as a hit."""

    __annotations__ = _properties("rays")


class CastOptions(RayOptions):
    """Mixin of what casts single rays."""

    __annotations__ = _properties("hits")


class ClipOption:
    """Mixin of what looks at a view."""

    __annotations__ = _properties("view")


class SurveyOptions(ClipOption, RayOptions):
    """Mixin of what casts a ray through every pixel of a view."""


class PickOptions(ClipOption, CastOptions):
    """Mixin of all that picks at pixels of a viewport."""

    __annotations__ = _properties("pixel")


class RaypickOptions(PickOptions, bpy.types.PropertyGroup):
    """What the user has set for all picks in viewports."""


def _value(option: Option, value: Any) -> Any:
    """What queries take for the value of an option's property."""
    if option.choices:
        return option.choices[value][0]
    if option.kind == "length":
        return value or inf
    return value * settings.ui_scale() if option.kind == "pixels" else value


def flags_of(options: object) -> list[str]:
    """The names of the boolean options of an operator or the preferences."""
    return [each.key for each in OPTIONS if each.kind == "flag" and hasattr(options, each.key)]


def take_preferences(operator: bpy.types.Operator, mixin: type) -> None:
    """Set a mixin's options as in the preferences, but for those that the operator was given."""
    preferences = settings.preferences()
    if preferences is None:
        return
    for part in mixin.__mro__:
        for name in getattr(part, "__annotations__", ()):
            if not operator.properties.is_property_set(name):
                setattr(operator, name, getattr(preferences.options, name))
