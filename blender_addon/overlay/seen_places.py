# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a viewport shows places of the world, and which of them are behind geometry.

Which places are behind geometry, looked up a few times a second while a view changes.

Whoever looks it up waits for the GPU. A redraw soon after that takes what was found, and has the
viewports drawn again when they rest.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import bpy
import gpu
import numpy as np

from .. import settings
from ..bridge.view.cameras import region_planes
from ..session import redraw
from ..settings import present
from ..standalone_core.extension import BoolArray, FloatArray
from .view import ViewSpace


@dataclass(frozen=True, slots=True, eq=False)
class SeenPlaces:
    """N places as a viewport shows them."""

    pixels: FloatArray  # (N, 2), of the region; NaN where they are clipped away
    depths: FloatArray  # (N,), as a depth buffer has them, a little nearer
    hidden: BoolArray  # (N,): behind what is drawn

    def without(self, rows: BoolArray) -> SeenPlaces:
        """The same without some places (N,), which are as if clipped away."""
        pixels = np.where(rows[:, None], np.nan, self.pixels)
        return SeenPlaces(pixels, self.depths, self.hidden)


def seen(context: bpy.types.Context, points: FloatArray, nearer: float) -> SeenPlaces:
    """Where the viewport of the context shows world points (N, 3); none is known to be hidden.

    Their depths are nearer by so many pixels: so that what is on a surface is before it, however
    steep that is.
    """
    pixels, depths = ViewSpace.of(context, nearer).seen(points)
    with np.errstate(invalid="ignore"):
        inside = (depths >= 0.0) & (depths <= 1.0)
    planes = region_planes(present(context.region_data), _space(context))
    if len(planes):
        inside &= (points @ planes[:, :3].T + planes[:, 3] >= 0.0).all(axis=1)
    pixels[~inside] = np.nan
    return SeenPlaces(pixels, depths, np.zeros(len(points), dtype=np.bool_))


def are_hidden(context: bpy.types.Context, places: SeenPlaces) -> BoolArray:
    """Which places are behind what the viewport of the context has drawn so far, (N,).

    The depths are read all at once, and the GPU is waited for.
    """
    region = present(context.region)
    hidden = np.zeros(len(places.pixels), dtype=np.bool_)
    some = np.flatnonzero(within(places.pixels, (region.width, region.height)))
    if not len(some) or _shows_through(context):
        return hidden
    columns, rows = places.pixels[some].astype(np.int64).T
    left, low = int(columns.min()), int(rows.min())
    width, height = int(columns.max()) - left + 1, int(rows.max()) - low + 1
    read: Any = gpu.state.active_framebuffer_get().read_depth(left, low, width, height)
    read.dimensions = width * height  # Blender 4.3 counts the steps of two dimensions wrong
    drawn = np.asarray(read).reshape(height, width)
    hidden[some] = places.depths[some] > drawn[rows - low, columns - left]
    return hidden


def within(pixels: FloatArray, area: tuple[float, float]) -> BoolArray:
    """Which pixels (N, 2) are inside of an area of a width and a height, (N,)."""
    x, y = pixels.T
    with np.errstate(invalid="ignore"):
        return np.asarray((x >= 0.0) & (x < area[0]) & (y >= 0.0) & (y < area[1]))


def _shows_through(context: bpy.types.Context) -> bool:
    """Whether the viewport shows what is behind geometry as well: by X-ray or as wires."""
    shading = _space(context).shading
    return shading.type == "WIREFRAME" or (shading.type == "SOLID" and shading.show_xray)


def _space(context: bpy.types.Context) -> bpy.types.SpaceView3D:
    return cast(bpy.types.SpaceView3D, context.space_data)


_SECONDS = 0.1
_MOST = 32

_Names = Sequence[str]

_found: dict[tuple[int, str], tuple[float, _Names, BoolArray]] = {}
"""Of a region and a kind of places: when it was looked up, for which places, and what was found."""


def seen_with_hidden(
    context: bpy.types.Context, kind: str, names: _Names, points: FloatArray, radius: float
) -> SeenPlaces:
    """Where the viewport of the context shows N places of the world (N, 3) of a kind.

    Their names tell when they are others. Marks of a radius, in pixels of the interface, are
    before the surface as far as they are wide: so no slope hides them.
    """
    places = seen(context, points, radius * settings.ui_scale())
    key, now = (present(context.region).as_pointer(), kind), time.monotonic()
    known = _found.get(key)
    if known is not None and now - known[0] < _SECONDS and known[1] == names:
        redraw.start_timer(_redraw, _SECONDS)
        return replace(places, hidden=known[2])
    if len(_found) >= _MOST:
        _found.clear()
    hidden = are_hidden(context, places)
    _found[key] = now, names, hidden
    return replace(places, hidden=hidden)


def forget() -> None:
    """Forget what was found."""
    _found.clear()


def _redraw() -> None:
    redraw.redraw(bpy.context)
