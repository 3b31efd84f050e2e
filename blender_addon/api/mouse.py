# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the mouse is, for operators that pick at events."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ..bridge.view.cameras import pixel, space_of
from ..session import viewports
from ..standalone_core.extension import ArgumentError, described, instance_of


class ViewPosition(NamedTuple):
    """A position in a 3D viewport, in the order in which :func:`pick` takes it."""

    region: bpy.types.Region
    """The region of type ``"WINDOW"``, one of four in a quad view."""
    region_data: bpy.types.RegionView3D
    """Its view."""
    position: tuple[float, float]
    """The middle of a pixel, from the region's bottom left corner."""

    @property
    def space(self) -> bpy.types.SpaceView3D | None:
        """The viewport, whose local view and object type visibility count for :func:`cast_rays`."""
        return space_of(bpy.context, self.region_data)


def under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> ViewPosition | None:
    """Find what viewport of the context's window the mouse of an event is over, and where.

        there = api.under_mouse(context, event)
        hits = api.pick(context, *there) if there else []

    Parameters
    ----------
    context : bpy.types.Context
    event : bpy.types.Event
        As operators get it in ``invoke`` and ``modal``.

    Returns
    -------
    ViewPosition or None
        None outside of 3D viewports, and over the headers, sidebars and navigation buttons that
        cover them.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    instance_of(context, bpy.types.Context, "context")
    try:
        x, y = pixel((event.mouse_x, event.mouse_y))
    except (AttributeError, ReferenceError):
        raise ArgumentError(f"event must be a bpy.types.Event, not {described(event)}") from None
    window = context.window
    spot = None if window is None else viewports.under(window, int(x), int(y))
    return None if spot is None else ViewPosition(spot.region, spot.region_data, spot.center)
