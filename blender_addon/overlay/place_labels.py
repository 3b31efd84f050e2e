# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels beside places of the world, where there is room for them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import bpy
import gpu
import numpy as np

from .. import settings
from ..present import present
from ..session import viewports
from ..standalone_core.extension import FloatArray
from . import label_layout, text_images
from .canvas import blended, flat_batch
from .seen_places import SeenPlaces, within
from .text_images import TextImages

BEHIND = 0.45  # of the opacity, behind geometry: fainter texts cannot be read

NONE_TAKEN: FloatArray = np.empty((0, 4))
"""Where no label stands yet."""

_MOST_TRIED = 120  # of more places, those that are very near to others have no labels either
_MOST_PLANS = 8
_GAP = 4.0  # pixels of the interface between a mark and its label
_LEADER_WIDTH = 1.5
_LEADER = (1.0, 1.0, 1.0, 0.8)


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Which texts are drawn, and where, in pixels of the region."""

    texts: list[str]
    boxes: FloatArray  # (N, 4): left, low, right, top
    opacities: FloatArray  # (N,)
    leaders: FloatArray  # (L, 2, 2), lines


_plans: dict[Hashable, _Plan] = {}


def draw(
    context: bpy.types.Context,
    texts: Sequence[str],
    places: SeenPlaces,
    ranks: FloatArray,
    *,
    size: float,
    radius: float,
    behind: float,
    taken: FloatArray = NONE_TAKEN,
) -> FloatArray:
    """Draw N texts beside their places, in a ``POST_PIXEL`` callback; return what they take.

    Those of high ranks (N,) are first. Where there is no room for a rank above 0, its label is led
    away from its place.

    Parameters
    ----------
    size : float
        Of the font, in points of the interface.
    radius : float
        Of the marks at the places, in pixels of the interface.
    behind : float
        The opacity of what is hidden; at 0 that has no labels.
    taken : ndarray (M, 4)
        Left, low, right and top of what other labels take, in pixels of the region.
    """
    scale = settings.ui_scale()
    images = text_images.of_size(context, size * scale)
    area = viewports.free(present(context.area), present(context.region))
    gap = (radius + _GAP) * scale
    # The same view is drawn several times, to smooth it: it is laid out once.
    arrays = tuple(each.tobytes() for each in (places.pixels, places.hidden, ranks, taken))
    key = (images, area, tuple(texts), *arrays, gap, behind)
    plan = _plans.get(key)
    is_resting = plan is not None
    if plan is None:
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        plan = _plans[key] = _planned(images, area, texts, places, ranks, gap, behind, taken)
    _draw_leaders(plan.leaders)
    if plan.texts:
        images.draw(context, plan.texts, plan.boxes[:, :2], plan.opacities)
    if is_resting:
        images.prepare(texts)
    return plan.boxes


def forget() -> None:
    """Forget what was drawn."""
    _plans.clear()


def _planned(
    images: TextImages,
    area: tuple[int, int],
    texts: Sequence[str],
    places: SeenPlaces,
    ranks: FloatArray,
    gap: float,
    behind: float,
    taken: FloatArray,
) -> _Plan:
    """Find room for texts."""
    is_shown = within(places.pixels, area)
    if behind <= 0.0:
        is_shown &= ~places.hidden
    rows = np.flatnonzero(is_shown)
    rows = rows[np.lexsort((places.hidden[rows], -ranks[rows]))]
    if len(rows) > _MOST_TRIED:
        firsts = label_layout.first_in_squares(places.pixels[rows], images.height)
        rows = rows[firsts[:_MOST_TRIED]]
    pixels, hidden = places.pixels[rows], places.hidden[rows]
    named = [texts[row] for row in rows.tolist()]
    sizes = images.sizes(named)
    led = (ranks[rows] > 0.0) & ~hidden
    laid = label_layout.laid_out(pixels, sizes, area, gap=gap, led=led, taken=taken)
    shown = [each.label for each in laid]
    corners = np.array([(each.left, each.low) for each in laid]).reshape(-1, 2)
    ends = np.clip(pixels[shown], corners, corners + sizes[shown])
    boxes = np.concatenate([corners, corners + sizes[shown]], axis=1)
    leads = [each.is_led for each in laid]
    return _Plan(
        [named[row] for row in shown],
        boxes,
        np.where(hidden[shown], behind, 1.0),
        np.stack([pixels[shown], ends], axis=1)[leads],
    )


def _draw_leaders(leaders: FloatArray) -> None:
    """Draw lines (L, 2, 2) between pixels."""
    if not len(leaders):
        return
    starts, ends = leaders.swapaxes(0, 1)
    along = ends - starts
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= _LEADER_WIDTH * settings.ui_scale() / 2 / np.linalg.norm(along, axis=1)[:, None]
    a, b, c, d = (end + side for end in (starts, ends) for side in (-across, across))
    corners = np.zeros((len(leaders), 6, 3))
    corners[:, :, :2] = np.stack([a, b, c, c, b, d], axis=1)
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    with blended():
        shader.bind()
        shader.uniform_float("color", _LEADER)
        flat_batch("TRIS", corners.reshape(-1, 3)).draw(shader)
