# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's panels in the Properties editor, and those of Blender that go with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import bpy

from .. import idnames
from ..render import files, settings
from ..settings import present

_LEFT_OUT = ("freestyle", "gpencil", "grease_pencil", "EEVEE_", "light", "volume_render")
"""What the names of panels hold that are for other engines, though Blender lets all show them."""

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
        column = layout.column(heading="Include")
        for use in settings.USES:
            column.prop(chosen, use)
        column.prop(chosen, "use_landmarks")


class RAYPICK_UL_attribute_passes(bpy.types.UIList):
    """The attributes that a view layer renders."""

    bl_idname = idnames.ATTRIBUTE_LIST

    def draw_item(
        self,
        _context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        item: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        row = layout.row()
        row.prop(item, "name", text="", emboss=False)
        row.prop(item, "type", text="", emboss=False)


class RAYPICK_PT_attribute_passes(EnginePanel):
    """The attributes of a view layer's passes."""

    bl_label = "Attributes"
    bl_context = "view_layer"
    bl_parent_id = idnames.PASSES_PANEL

    def draw(self, context: bpy.types.Context) -> None:
        chosen = settings.of_layer(context.view_layer)
        row = self.layout.row()
        row.template_list(
            *(idnames.ATTRIBUTE_LIST, "", chosen, "attributes", chosen, "active_attribute"), rows=3
        )
        column = row.column(align=True)
        column.menu(idnames.ATTRIBUTE_MENU, text="", icon="ADD")
        column.operator(idnames.REMOVE_ATTRIBUTE_OPERATOR, text="", icon="REMOVE")


class RAYPICK_MT_attribute_passes(bpy.types.Menu):
    """The attributes, UV maps and vertex groups of the view layer's meshes."""

    bl_idname = idnames.ATTRIBUTE_MENU
    bl_label = "Add Attribute"

    def draw(self, context: bpy.types.Context | None) -> None:
        layout, layer = self.layout, present(present(context).view_layer)
        for name, kind in settings.attributes_of(layer).items():
            added = layout.operator(
                idnames.ADD_ATTRIBUTE_OPERATOR, text=name, text_ctxt="", translate=False
            )
            added.name, added.type = name, kind
        layout.separator()
        layout.operator(idnames.ADD_ATTRIBUTE_OPERATOR, text="Other")


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
    """What renders show of an object."""

    bl_label = "Camera"
    bl_context = "object"
    bl_parent_id = "OBJECT_PT_visibility"

    def draw(self, context: bpy.types.Context) -> None:
        layout, active = self.layout, context.object
        layout.use_property_split = True
        column = layout.column()
        column.prop(active, "visible_camera", text="Visible")
        column.prop(active, "is_holdout")


def _output() -> Any:
    return bpy.types.RENDER_PT_output


def _draw_files(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Say below Blender's settings of files what is wrong with them."""
    wrong = files.what_is_wrong(context.scene.render)
    if context.engine == idnames.ENGINE and wrong:
        column = panel.layout.column()
        column.label(text=wrong, icon="ERROR", translate=False)
        column.operator(idnames.USE_MULTILAYER_OPERATOR)


def _panels_of_blender() -> Iterator[Any]:
    waiting: list[Any] = [bpy.types.Panel]
    while waiting:
        panel = waiting.pop()
        waiting += panel.__subclasses__()
        is_for_all = "BLENDER_RENDER" in getattr(panel, "COMPAT_ENGINES", ())
        if is_for_all and not any(part in panel.__name__ for part in _LEFT_OUT):
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
    _output().append(_draw_files)


def unregister() -> None:
    """Undo this."""
    with suppress(ValueError):  # if it is not there
        _output().remove(_draw_files)
    while _lent:
        _lent.pop().discard(idnames.ENGINE)
