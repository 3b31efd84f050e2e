# SPDX-License-Identifier: GPL-3.0-or-later
"""Which passes a view layer renders, kept with it in the .blend file."""

from __future__ import annotations

from collections.abc import Collection
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

from ..bridge.batch.columns import COLUMNS, IMAGES
from ..bridge.render import passes
from ..bridge.render.passes import Pass

_PROPERTY = "raypick"  # of view layers

USES = {f"use_pass_{name}": name for name in passes.COLUMNS_IN_ORDER}
"""The properties that choose columns, in the order of the passes."""

ABOUT_TYPE = "How many numbers of the attribute are kept"

TYPES = (
    ("VALUE", "Value", "One number, such as a weight"),
    ("VECTOR_2D", "2D Vector", "Two numbers, such as a place in a UV map"),
    ("VECTOR", "Vector", "Three numbers"),
    ("COLOR", "Color", "Four numbers"),
)


UV_MAPS, COLOR_ATTRIBUTES, ATTRIBUTES, VERTEX_GROUPS = KINDS = (
    *("UV Maps", "Color Attributes", "Attributes", "Vertex Groups"),
)
"""What is rendered as an attribute, as Blender's panels call it."""


def update_passes(scene: bpy.types.Scene) -> None:
    """Have the compositor offer the passes that are chosen now."""
    for layer in scene.view_layers:
        layer.update_render_passes()


def _changed(chosen: Any, _context: bpy.types.Context) -> None:
    update_passes(chosen.id_data)


def _renamed(attribute: Any, context: bpy.types.Context) -> None:
    """Take the type that the meshes' attribute of that name has, if there is one."""
    layers = attribute.id_data.view_layers
    own = next(each for each in layers if attribute in of_layer(each).attributes.values())
    for named in attributes_of(own).values():
        attribute.type = named.get(attribute.name, attribute.type)
    _changed(attribute, context)


class RAYPICK_PG_attribute(bpy.types.PropertyGroup):
    """An attribute to render."""

    name: StringProperty(  # type: ignore[valid-type]
        name="Name",
        description="Name of an attribute, UV map, color attribute or vertex group",
        update=_renamed,
    )
    type: EnumProperty(  # type: ignore[valid-type]
        name="Type", description=ABOUT_TYPE, items=TYPES, update=_changed
    )


class RAYPICK_PG_view_layer(bpy.types.PropertyGroup):
    """The passes of a view layer."""

    __annotations__ = {
        use: BoolProperty(
            name=passes.label(name),
            description=COLUMNS[name].tooltip,
            default=name in passes.USUAL,
            update=_changed,
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


def what_is_wrong(view_layer: bpy.types.ViewLayer, attribute: RAYPICK_PG_attribute) -> str | None:
    """Why an attribute of the list is not rendered as it stands there."""
    if not attribute.name:
        return "The name is missing"
    names = of_layer(view_layer).attributes.keys()
    return "The name is there twice" if names.count(attribute.name) > 1 else None


def attributes_of(
    view_layer: bpy.types.ViewLayer, without: Collection[str] = ()
) -> dict[str, dict[str, str]]:
    """What the layer's meshes have: by kind, each name with a type that fits on all meshes.

    Names that are in `without` are left out.
    """
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    objects = [each for each in view_layer.objects if isinstance(each.data, bpy.types.Mesh)]
    meshes: set[Any] = {each.data for each in objects}
    for mesh in meshes:
        uv_maps, colors = mesh.uv_layers.keys(), mesh.color_attributes.keys()
        for each in mesh.attributes:
            kind = UV_MAPS if each.name in uv_maps else ATTRIBUTES
            named = found[COLOR_ATTRIBUTES if each.name in colors else kind]
            types = [*filter(None, (named.get(each.name), passes.type_of(each)))]
            if types and not each.name.startswith("."):
                named[each.name] = max(types, key=[*passes.WIDTHS].index)
    for obj in objects:
        found[VERTEX_GROUPS] |= dict.fromkeys(obj.vertex_groups.keys(), "VALUE")
    listed = {
        kind: {name: named[name] for name in sorted(named.keys() - {*without})}
        for kind, named in found.items()
    }
    return {kind: named for kind, named in listed.items() if named}


def register() -> None:
    """Give view layers their settings."""
    setattr(bpy.types.ViewLayer, _PROPERTY, PointerProperty(type=RAYPICK_PG_view_layer))


def unregister() -> None:
    """Remove them."""
    if hasattr(bpy.types.ViewLayer, _PROPERTY):
        delattr(bpy.types.ViewLayer, _PROPERTY)
