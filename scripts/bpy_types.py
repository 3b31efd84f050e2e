# SPDX-License-Identifier: GPL-3.0-or-later
"""Mypy plugin that takes None out of types of ``fake-bpy-module`` that are never None.

The stubs are made from Blender's documentation, which says of most pointers that they may be None.
"""

from collections.abc import Callable

from mypy.plugin import AttributeContext, MethodContext, Plugin
from mypy.types import NoneType, Type, UnionType, flatten_nested_unions, get_proper_type

# A file is always open, so a context has these; a class has a layout while it is drawn.
_NEVER_NONE = {
    f"bpy.types.{name}"
    for name in (
        *("AddonPreferences.layout", "Menu.layout", "Operator.layout", "Panel.layout"),
        "UIPopupMenu.layout",
        *("Context.collection", "Context.preferences", "Context.scene", "Context.view_layer"),
        *("Context.window_manager", "Context.workspace"),
        *("Depsgraph.scene", "Depsgraph.view_layer", "DepsgraphUpdate.id"),
        *("DepsgraphObjectInstance.object", "DepsgraphObjectInstance.instance_object"),
        *("AreaSpaces.active", "ID.original", "SpaceView3D.region_3d"),
        *("Window.scene", "Window.screen", "Window.view_layer", "Window.workspace"),
        *("KeyConfigurations.addon", "KeyConfigurations.user"),
    )
}
_NEVER_NONE_IF_REGISTERED = "bpy.types.UILayout.operator"


class BpyTypes(Plugin):
    """Takes None out of types of attributes and return values."""

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        if fullname not in _NEVER_NONE:
            return None
        return lambda context: _without_none(context.default_attr_type)

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname != _NEVER_NONE_IF_REGISTERED:
            return None
        return lambda context: _without_none(context.default_return_type)


def _without_none(optional: Type) -> Type:
    items = flatten_nested_unions([optional])
    return UnionType.make_union([i for i in items if not isinstance(get_proper_type(i), NoneType)])


def plugin(_version: str) -> type[Plugin]:
    """Return the plugin, as mypy asks for it."""
    return BpyTypes
