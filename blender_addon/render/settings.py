# SPDX-License-Identifier: GPL-3.0-or-later
"""Which passes a view layer renders, kept with it in the .blend file."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..bridge.batch.columns import IMAGES
from ..bridge.render import passes
from ..bridge.render.passes import Pass

_PROPERTY = "raypick"  # of view layers

USES = {f"use_pass_{name}": name for name in passes.COLUMNS_IN_ORDER}
"""The properties that choose columns, in the order of the panel."""


ABOUT_TYPE = "How many numbers of the attribute are kept"

TYPES = (
    ("VALUE", "Value", "One number, such as a weight"),
    ("VECTOR", "Vector", "Two or three numbers, such as a place in a UV map"),
    ("COLOR", "Color", "Four numbers"),
)


class RAYPICK_PG_attribute(bpy.types.PropertyGroup):
    """An attribute to render."""

    name: StringProperty(  # type: ignore[valid-type]
        name="Name", description="Name of an attribute, UV map, color attribute or vertex group"
    )
    type: EnumProperty(  # type: ignore[valid-type]
        name="Type", description=ABOUT_TYPE, items=TYPES
    )


class RAYPICK_PG_view_layer(bpy.types.PropertyGroup):
    """The passes of a view layer."""

    __annotations__ = {
        use: BoolProperty(
            name=passes.label(name), description=passes.tooltip(name), default=name in passes.USUAL
        )
        for use, name in USES.items()
    }
    shown: EnumProperty(  # type: ignore[valid-type]
        name="Combined",
        description="What the picture itself shows, in false colors",
        items=[(key, image.label, image.tooltip) for key, (_, image) in IMAGES.items()],
        default="OBJECT",
    )
    use_landmarks: BoolProperty(  # type: ignore[valid-type]
        name="Landmarks",
        description="Write where landmarks are in the picture, and whether they are visible",
        default=True,
    )
    attributes: CollectionProperty(type=RAYPICK_PG_attribute)  # type: ignore[valid-type]
    active_attribute: IntProperty()  # type: ignore[valid-type]


def of_layer(view_layer: bpy.types.ViewLayer) -> Any:
    """The settings of a view layer."""
    return getattr(view_layer, _PROPERTY)


def passes_of(view_layer: bpy.types.ViewLayer) -> list[Pass]:
    """The passes that a view layer renders besides Combined."""
    chosen = of_layer(view_layer)
    columns = [name for use, name in USES.items() if getattr(chosen, use)]
    attributes = {each.name: each.type for each in chosen.attributes if each.name}
    return [*map(passes.of_column, columns), *passes.of_attributes(attributes)]


def attributes_of(view_layer: bpy.types.ViewLayer) -> dict[str, str]:
    """The attributes, UV maps and vertex groups of the layer's meshes, with types that fit."""
    types: dict[str, str] = {}
    for obj in view_layer.objects:
        if isinstance(obj.data, bpy.types.Mesh):
            attributes: Any = obj.data.attributes
            named = {each.name: passes.type_of(each) for each in attributes if each.name[:1] != "."}
            named |= {group.name: "VALUE" for group in obj.vertex_groups}
            types |= {name: kind for name, kind in named.items() if kind is not None}
    return dict(sorted(types.items()))


def register() -> None:
    """Give view layers their settings."""
    setattr(bpy.types.ViewLayer, _PROPERTY, PointerProperty(type=RAYPICK_PG_view_layer))


def unregister() -> None:
    """Remove them."""
    if hasattr(bpy.types.ViewLayer, _PROPERTY):
        delattr(bpy.types.ViewLayer, _PROPERTY)
