# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mouse is: which viewport of a window, and which of its pixels."""

from __future__ import annotations

from typing import NamedTuple, cast

import bpy

from .. import settings
from ..bridge.view.cameras import viewports_of
from ..settings import present

Box = tuple[float, float, float, float]
"""Left, lower, right and upper side, in pixels of a region."""

# Sizes of the navigation gizmo and the buttons below it, in pixels at an interface scale of 1.
_BUTTON = 30
_BUTTONS = 5
_MARGIN = 20
_MINIMAL_MARGIN = 42  # around axes without a gizmo
_NO_AXES = 10  # above the buttons


class Spot(NamedTuple):
    """A whole pixel of a 3D viewport's main region, counted from its bottom left corner."""

    area: bpy.types.Area
    region: bpy.types.Region
    region_data: bpy.types.RegionView3D
    pixel: tuple[int, int]

    @property
    def center(self) -> tuple[float, float]:
        """The pixel's center, where a viewport samples what it draws; events give whole pixels."""
        return self.pixel[0] + 0.5, self.pixel[1] + 0.5


def spot(context: bpy.types.Context, pixel: tuple[int, int]) -> Spot:
    """A pixel of the context's viewport."""
    area, region, view = present(context.area), present(context.region), context.region_data
    return Spot(area, region, present(view), pixel)


def active_tool(context: bpy.types.Context) -> str | None:
    """The idname of the active tool of 3D viewports in the context's workspace and mode."""
    workspace = context.workspace
    tool = workspace and workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool.idname if tool else None


def under(window: bpy.types.Window, x: int, y: int) -> Spot | None:
    """The spot at a pixel of a window; None outside of viewports, and over what covers them."""
    for area in viewports_of(window):
        if not _contains(area, x, y):
            continue
        inside = [region for region in area.regions if _contains(region, x, y)]
        if not inside or any(region.type != "WINDOW" for region in inside):
            return None
        region = inside[0]
        position = x - region.x, y - region.y
        if _is_navigation(area, region, position):
            return None
        view = region.data or _space(area).region_3d  # it has no data before it is first drawn
        return Spot(area, region, view, position)
    return None


def free(area: bpy.types.Area, region: bpy.types.Region) -> tuple[int, int]:
    """Width and height of a viewport's main region that sidebar and headers leave free."""
    right, top = region.width, region.height
    if _space(area).region_quadviews:
        return right, top
    for other in area.regions:
        if other.type == "UI" and other.alignment == "RIGHT" and other.width > 1:
            right = min(right, other.x - region.x)
        elif other.type in {"HEADER", "TOOL_HEADER"} and other.alignment == "TOP":
            top = min(top, other.y - region.y) if other.height > 1 else top
    return right, top


def _space(area: bpy.types.Area) -> bpy.types.SpaceView3D:
    return cast(bpy.types.SpaceView3D, area.spaces.active)


def _contains(part: bpy.types.Area | bpy.types.Region, x: int, y: int) -> bool:
    """Whether a pixel of the window is in a part of it; hidden parts are one pixel wide."""
    is_inside = part.x <= x < part.x + part.width and part.y <= y < part.y + part.height
    return is_inside and part.width > 1 and part.height > 1


def covered(area: bpy.types.Area, region: bpy.types.Region) -> list[Box]:
    """The boxes of all that lies over a viewport's main region: other regions, and the gizmo."""
    boxes = _navigation(area, region)
    if bpy.context.preferences.view.mini_axis_type == "MINIMAL":  # lines that cannot be clicked
        right, top = free(area, region)
        boxes.append((right - _axes_side(), top - _axes_side(), right, top))
    for other in area.regions:
        left, low = other.x - region.x, other.y - region.y
        right, top = left + other.width, low + other.height
        is_shown = other.type != "WINDOW" and min(other.width, other.height) > 1
        if is_shown and right > 0 and top > 0 and left < region.width and low < region.height:
            boxes.append((left, low, right, top))
    return boxes


def _is_navigation(
    area: bpy.types.Area, region: bpy.types.Region, position: tuple[int, int]
) -> bool:
    """Whether the mouse is over the navigation gizmo, or the buttons below it."""
    x, y = position
    return any(left <= x and low <= y for left, low, _, _ in _navigation(area, region))


def _navigation(area: bpy.types.Area, region: bpy.types.Region) -> list[Box]:
    """The boxes of the navigation gizmo and of the buttons below it: what can be clicked."""
    space, view = _space(area), bpy.context.preferences.view
    if not (space.show_gizmo and space.show_gizmo_navigate):
        return []
    scale, side = settings.ui_scale(), _axes_side()
    right, top = free(area, region)
    boxes: list[Box] = []
    boxes += [(right - side, top - side, right, top)] if view.mini_axis_type == "GIZMO" else []
    if view.show_navigate_ui:
        low = top - side - _BUTTON * _BUTTONS * scale
        boxes.append((right - (_BUTTON + _MARGIN) * scale, low, right, top))
    return boxes


def _axes_side() -> float:
    """The side of the square that the axes have in the upper right corner, in pixels."""
    view = bpy.context.preferences.view
    sides = {
        "GIZMO": view.gizmo_size_navigate_v3d + _MARGIN,
        "MINIMAL": 2 * view.mini_axis_size + _MINIMAL_MARGIN,
    }
    return sides.get(view.mini_axis_type, _NO_AXES) * settings.ui_scale()
