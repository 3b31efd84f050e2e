# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels beside places of the world, where there is room for them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import gpu
import numpy as np

from .. import settings
from ..present import present
from ..session import viewports
from ..standalone_core.extension import BoolArray, FloatArray
from . import depths, label_layout, text_images
from .canvas import HALO, blended, flat_batch
from .clipping import is_shown
from .label_layout import Laid
from .view_space import ViewSpace

_CROWD = 150  # of more places, so many are tried, none of them very near to another
_GAP = 4.0  # pixels of the interface between a mark and its label


def draw(
    context: bpy.types.Context,
    texts: Sequence[str],
    points: FloatArray,
    ranks: FloatArray,
    *,
    size: float,
    radius: float,
    behind: float,
) -> int:
    """Draw texts beside world points (N, 3), those of high ranks (N,) first; return how many.

    Where there is no room for a rank above 0, the label is led away from its place.

    Parameters
    ----------
    size : float
        Of the font, in points of the interface.
    radius : float
        Of the marks at the places, in pixels of the interface.
    behind : float
        What of the opacity is left behind other geometry; at 1.0 nothing is.
    """
    scale = settings.ui_scale()
    area = viewports.free(present(context.area), present(context.region))
    pixels, of_points = ViewSpace.of(context, radius * scale).seen(points)
    rows = np.flatnonzero(_is_seen(pixels, of_points, area) & is_shown(context, points))
    hidden = np.zeros(len(rows), dtype=np.bool_)
    if behind < 1.0 and len(rows):
        hidden = depths.are_hidden(context, pixels[rows], of_points[rows])
    if behind <= 0.0:
        rows, hidden = rows[~hidden], hidden[~hidden]
    order = np.lexsort((hidden, -ranks[rows]))
    images = text_images.of_size(context, size * scale)
    if len(rows) > _CROWD:
        order = order[label_layout.first_in_squares(pixels[rows[order]], images.height)][:_CROWD]
    rows, hidden = rows[order], hidden[order]
    named, places = [texts[row] for row in rows.tolist()], pixels[rows]
    sizes = images.sizes(named)
    laid = label_layout.laid_out(
        places, sizes, area, gap=(radius + _GAP) * scale, led=(ranks[rows] > 0.0) & ~hidden
    )
    if laid:
        _draw_leaders(places, sizes, laid)
        shown = [each.label for each in laid]
        corners = np.array([(each.left, each.low) for each in laid])
        images.draw([named[row] for row in shown], corners, np.where(hidden[shown], behind, 1.0))
    images.prepare(texts)
    return len(laid)


def _is_seen(pixels: FloatArray, of_points: FloatArray, area: tuple[int, int]) -> BoolArray:
    """Which places are between the clip planes, by depths (N,), and in an area, by pixels (N, 2)."""
    with np.errstate(invalid="ignore"):
        is_deep = (of_points >= 0.0) & (of_points <= 1.0)
        return np.asarray(is_deep & ((pixels >= 0.0) & (pixels < area)).all(axis=1))


def _draw_leaders(places: FloatArray, sizes: FloatArray, laid: Sequence[Laid]) -> None:
    """Draw lines from places (N, 2) to labels that are led away."""
    led = [each for each in laid if each.is_led]
    if not led:
        return
    rows = [each.label for each in led]
    low = np.array([(each.left, each.low) for each in led])
    starts, ends = places[rows], np.clip(places[rows], low, low + sizes[rows])
    along = ends - starts
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1)[:, None]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    with blended():
        shader.bind()
        for width, color in ((3.0, HALO), (1.0, (1.0, 1.0, 1.0, 0.9))):
            side = across * width / 2 * settings.ui_scale()
            corners = (
                starts - side,
                starts + side,
                ends - side,
                ends - side,
                starts + side,
                ends + side,
            )
            points = np.zeros((len(led), 6, 3))
            points[:, :, :2] = np.stack(corners, axis=1)
            shader.uniform_float("color", color)
            flat_batch("TRIS", points.reshape(-1, 3)).draw(shader)
