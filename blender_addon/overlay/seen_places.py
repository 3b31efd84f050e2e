# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a viewport shows places of the world, and which of them are behind geometry.

Finding the hidden ones waits for the GPU, so while a view changes it is done a few times a second:
redraws in between use the last result, and the viewports are drawn again when they rest.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import gpu
import numpy as np

from .. import settings
from ..bridge.view.cameras import region_planes
from ..session import redraw
from ..settings import present
from ..standalone_core.extension import BoolArray, FloatArray
from .view import ViewSpace, space

_SECONDS = 0.1
_MOST = 32
_Names = Sequence[str]

_found: dict[tuple[int, str], tuple[float, _Names, BoolArray]] = {}
"""By region and kind of places: when they were looked up, their names, and which are hidden."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenPlaces:
    """N places as a viewport shows them."""

    pixels: FloatArray  # (N, 2), of the region; NaN where they are clipped away
    depths: FloatArray  # (N,), as in a depth buffer, a little nearer
    hidden: BoolArray  # (N,): behind geometry


def _seen(context: bpy.types.Context, points: FloatArray, nearer: float) -> SeenPlaces:
    """Where the viewport of the context shows world points (N, 3), whether hidden or not.

    Their depths are nearer by `nearer` pixels, so that points on a surface are in front of it,
    however steep it is.
    """
    pixels, depths = ViewSpace.of(context, nearer).seen(points)
    with np.errstate(invalid="ignore"):
        inside = (depths >= 0.0) & (depths <= 1.0)
    planes = region_planes(present(context.region_data), space(context))
    if len(planes):
        inside &= (points @ planes[:, :3].T + planes[:, 3] >= 0.0).all(axis=1)
    pixels[~inside] = np.nan
    return SeenPlaces(pixels, depths, np.zeros(len(points), dtype=np.bool_))


def _are_hidden(context: bpy.types.Context, places: SeenPlaces) -> BoolArray:
    """Which places (N,) are behind what the viewport of the context has drawn so far.

    All depths are read at once, which waits for the GPU. With X-ray or wireframe, the viewport
    shows things behind geometry too, and no place is hidden.
    """
    region, shading = present(context.region), space(context).shading
    hidden = np.zeros(len(places.pixels), dtype=np.bool_)
    some = np.flatnonzero(within(places.pixels, (region.width, region.height)))
    shows_through = shading.type == "WIREFRAME" or (shading.type == "SOLID" and shading.show_xray)
    if not len(some) or shows_through:
        return hidden
    columns, rows = places.pixels[some].astype(np.int64).T
    left, low = int(columns.min()), int(rows.min())
    width, height = int(columns.max()) - left + 1, int(rows.max()) - low + 1
    read: Any = gpu.state.active_framebuffer_get().read_depth(left, low, width, height)
    read.dimensions = width * height  # Blender 4.3 has wrong strides in two dimensions
    drawn = np.asarray(read).reshape(height, width)
    hidden[some] = places.depths[some] > drawn[rows - low, columns - left]
    return hidden


def within(pixels: FloatArray, area: tuple[float, float]) -> BoolArray:
    """Which pixels (N, 2) are inside of an area with a width and a height."""
    x, y = pixels.T
    with np.errstate(invalid="ignore"):
        return np.asarray((x >= 0.0) & (x < area[0]) & (y >= 0.0) & (y < area[1]))


def seen_with_hidden(
    context: bpy.types.Context, kind: str, names: _Names, points: FloatArray, radius: float
) -> SeenPlaces:
    """Where the viewport of the context shows world points (N, 3), and which are hidden.

    A recent result for this kind of places with the same names is used again. Depths are nearer by
    `radius` pixels of the interface, so that a steep surface hides no marks on it.
    """
    places = _seen(context, points, radius * settings.ui_scale())
    key, now = (present(context.region).as_pointer(), kind), time.monotonic()
    known = _found.get(key)
    if known is not None and now - known[0] < _SECONDS and known[1] == names:
        redraw.start_timer(_redraw, _SECONDS)
        return replace(places, hidden=known[2])
    if len(_found) >= _MOST:
        _found.clear()
    places = replace(places, hidden=_are_hidden(context, places))
    _found[key] = now, names, places.hidden
    return places


def forget() -> None:
    """Forget which places were hidden."""
    _found.clear()


def _redraw() -> None:
    redraw.redraw(bpy.context)
