# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's panels in the Properties editor, and those of Blender that go with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import bpy
from bpy.app.translations import pgettext_iface

from .. import idnames
from ..render import files, settings
from ..settings import present
from . import rows

_FOR_ALL = {"BLENDER_RENDER", "BLENDER_WORKBENCH"}
"""The engines of Blender's panels that are for all engines, and not for lighting alone."""

_LEFT_OUT = "freestyle"  # in the names of panels: its lines are not drawn

_OF_MATERIALS = ("EEVEE_MATERIAL_PT_context_material", "EEVEE_MATERIAL_PT_surface")
"""EEVEE's panels, as it draws the Material Preview of a viewport."""

_lent: list[set[str]] = []  # the engines of Blender's panels that show up with this one


class EnginePanel(bpy.types.Panel):
    """Base of the engine's panels."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.engine == idnames.ENGINE


_GROUPS = {
    "Indexes": ("object", "instance", "material", "face", "original_face", "triangle", "vertices"),
    "Surface": ("point", "barycentric", "uv", "normal", "smooth_normal", "front"),
    "Camera": ("depth", "distance"),
}
"""Headings, and the columns below them."""

_EDGES = 64  # pixels that a panel's edges, and the icon before a text, take

_MOST_NAMES = 24
"""In a menu without a search."""


class RAYPICK_PT_passes(EnginePanel):
    """The passes of a view layer."""

    bl_idname = idnames.PASSES_PANEL
    bl_label = "Passes"
    bl_context = "view_layer"

    def draw(self, context: bpy.types.Context) -> None:
        layout, chosen = self.layout, settings.of_layer(context.view_layer)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(chosen, "shown")
        for heading, columns in _GROUPS.items():
            column = layout.column(heading=heading)
            for name in columns:
                column.prop(chosen, f"use_pass_{name}")
        layout.column(heading="Include").prop(chosen, "use_landmarks")


class RAYPICK_UL_attribute_passes(bpy.types.UIList):
    """The attributes that a view layer renders."""

    bl_idname = idnames.ATTRIBUTE_LIST

    def draw_item(
        self,
        context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        item: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        wrong = settings.what_is_wrong(present(present(context).view_layer), item)
        icon: Any = "ERROR" if wrong else "NONE"
        split = layout.split(factor=0.65)
        split.prop(item, "name", text="", icon=icon, emboss=False)
        split.prop(item, "type", text="", emboss=False)


class RAYPICK_PT_attribute_passes(EnginePanel):
    """The attributes of a view layer's passes."""

    bl_label = "Attributes"
    bl_context = "view_layer"
    bl_parent_id = idnames.PASSES_PANEL

    def draw(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(context.view_layer)
        attributes, active = chosen.attributes, chosen.active_attribute
        row = self.layout.row()
        row.template_list(
            *(idnames.ATTRIBUTE_LIST, "", chosen, "attributes", chosen, "active_attribute"), rows=3
        )
        column = row.column(align=True)
        column.menu(idnames.ATTRIBUTE_MENU, text="", icon="ADD")
        column.operator(idnames.REMOVE_ATTRIBUTE_OPERATOR, text="", icon="REMOVE")
        wrong = active < len(attributes) and settings.what_is_wrong(
            context.view_layer, attributes[active]
        )
        if wrong:
            self.layout.label(text=wrong, icon="ERROR")


class RAYPICK_MT_attribute_passes(bpy.types.Menu):
    """The attributes of the view layer's meshes that are not rendered yet, by kind.

    Each kind has a menu of its own if there are many.
    """

    bl_idname = idnames.ATTRIBUTE_MENU
    bl_label = "Add Attribute"
    bl_description = "Render an attribute, a UV map or a vertex group as a pass"
    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context: bpy.types.Context | None) -> None:
        layout, kinds = self.layout, _addable(context)
        layout.operator_context = "INVOKE_DEFAULT"
        are_many = sum(map(len, kinds.values())) > _MOST_NAMES
        if are_many:
            search = layout.operator("wm.search_single_menu", text="Search...", icon="VIEWZOOM")
            search.menu_idname = idnames.ATTRIBUTE_MENU
            layout.separator()
        for kind, named in kinds.items():
            if are_many:
                layout.menu(_KIND_MENUS[kind].__name__)
            else:
                layout.label(text=kind)
                _draw_names(layout, named)
                layout.separator()
        if are_many:
            layout.separator()
        layout.operator(idnames.ADD_ATTRIBUTE_OPERATOR, text="Other...")


class KindMenu(bpy.types.Menu):
    """Base of the menus of one kind of attributes, which is their label."""

    bl_options = {"SEARCH_ON_KEY_PRESS"}

    def draw(self, context: bpy.types.Context | None) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        _draw_names(self.layout, _addable(context).get(self.bl_label, {}))


class RAYPICK_MT_uv_map_passes(KindMenu):
    """The UV maps."""

    bl_label = settings.UV_MAPS


class RAYPICK_MT_color_attribute_passes(KindMenu):
    """The color attributes."""

    bl_label = settings.COLOR_ATTRIBUTES


class RAYPICK_MT_other_attribute_passes(KindMenu):
    """The attributes that are neither."""

    bl_label = settings.ATTRIBUTES


class RAYPICK_MT_vertex_group_passes(KindMenu):
    """The vertex groups."""

    bl_label = settings.VERTEX_GROUPS


_KIND_MENUS = {each.bl_label: each for each in KindMenu.__subclasses__()}


def _addable(context: bpy.types.Context | None) -> dict[str, dict[str, str]]:
    layer = present(present(context).view_layer)
    return settings.attributes_of(layer, without=settings.of_layer(layer).attributes.keys())


def _draw_names(layout: bpy.types.UILayout, named: Mapping[str, str]) -> None:
    """Draw entries that add attributes of some names and types."""
    for name, type_ in named.items():
        added = layout.operator(
            idnames.ADD_ATTRIBUTE_OPERATOR, text=name, text_ctxt="", translate=False
        )
        added.name, added.type = name, type_


class RAYPICK_PT_performance(EnginePanel):
    """What renders may use."""

    bl_label = "Performance"
    bl_context = "render"

    def draw(self, context: bpy.types.Context) -> None:
        layout, render = self.layout, context.scene.render
        layout.use_property_split = True
        layout.use_property_decorate = False
        column = layout.column()
        column.prop(render, "threads_mode")
        row = column.row()
        row.enabled = render.threads_mode == "FIXED"
        row.prop(render, "threads")
        layout.prop(render, "use_persistent_data", text="Persistent Data")


class RAYPICK_PT_visibility(EnginePanel):
    """What renders show of an object, besides what Blender's own panel has."""

    bl_label = "Ray Visibility"
    bl_context = "object"
    bl_parent_id = "OBJECT_PT_visibility"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(context.object, "visible_camera", text="Camera", toggle=False)


def _draw_files(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Say below Blender's settings of files what is wrong with them."""
    if context.engine != idnames.ENGINE:
        return
    wrong = files.what_is_wrong(context.scene.render)
    if wrong:
        _draw_note(panel, context, wrong, "ERROR", idnames.USE_MULTILAYER_OPERATOR)


def _draw_colors(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Say below Blender's color management that it changes false colors."""
    if context.engine == idnames.ENGINE and not files.shows_colors_unchanged(context.scene):
        text = pgettext_iface("False colors are not shown as they are")
        _draw_note(panel, context, text, "INFO", idnames.SHOW_COLORS_OPERATOR)


def _draw_note(
    panel: bpy.types.Panel, context: bpy.types.Context, text: str, icon: Any, operator: str
) -> None:
    """Draw a text in as many lines as it needs, and what helps."""
    column = panel.layout.column(align=True)
    free = rows.width(context) - _EDGES
    for line in rows.wrapped(text, free):
        column.label(text=line, icon=icon, translate=False)
        icon = "BLANK1"
    panel.layout.operator(operator)


def _notes() -> tuple[tuple[Any, Any], ...]:
    """Blender's panels with notes, and what draws these."""
    types = bpy.types
    return ((types.RENDER_PT_output, _draw_files), (types.RENDER_PT_color_management, _draw_colors))


def _panels_of_blender() -> Iterator[Any]:
    waiting: list[Any] = [bpy.types.Panel]
    while waiting:
        panel = waiting.pop()
        waiting += panel.__subclasses__()
        is_for_all = getattr(panel, "COMPAT_ENGINES", set()).issuperset(_FOR_ALL)
        if is_for_all and _LEFT_OUT not in panel.__name__:
            yield panel
    for name in _OF_MATERIALS:
        if hasattr(bpy.types, name):
            yield getattr(bpy.types, name)


def register() -> None:
    """Have Blender show those of its panels with the engine that are for all engines."""
    for panel in _panels_of_blender():
        engines = panel.COMPAT_ENGINES
        if idnames.ENGINE not in engines:
            engines.add(idnames.ENGINE)
            _lent.append(engines)
    for panel, draw in _notes():
        panel.append(draw)


def unregister() -> None:
    """Undo this."""
    for panel, draw in _notes():
        with suppress(ValueError):  # if it is not there
            panel.remove(draw)
    while _lent:
        _lent.pop().discard(idnames.ENGINE)
