# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of the overlay: the label at the mouse, and labels beside places of the world.

No label covers another, nor the letters of the vertices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import blf
import bpy
import numpy as np
from bpy.app.translations import pgettext_iface

from .. import formatting, settings
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..session import current, hover, viewports
from ..settings import present
from ..standalone_core.extension import BoolArray, FloatArray, IntArray
from ..translations import reasons
from . import faces, text_images, view
from .canvas import fill_pixels
from .seen_places import SeenPlaces, within
from .text_images import FONT, Box, TextImages

_POINTS = 11.0
_MOUSE_GAP = 14.0
_MARGIN = 6.0
_STEP = 4  # pixels: width of the cells in the grid of taken room
_STRIP = 6  # pixels: height of these cells
_FAR = 2.5  # distance of a label with a line from its place, in heights of the label
_BESIDE = ((1, 0), (-1, 0))
_ANYWHERE = (*_BESIDE, (1, 1), (-1, 1), (1, -1), (-1, -1))
BEHIND = 0.45  # share of the opacity behind geometry: fainter texts cannot be read

NONE_TAKEN: FloatArray = np.empty((0, 4))
"""The boxes of no labels."""

_MOST_TRIED = 120  # if there are more places, those very near to others get no labels
_MOST_PLANS = 8
_GAP = 4.0  # pixels of the interface between a mark and its label
_LEADER_WIDTH = 1.5
_LEADER = (1.0, 1.0, 1.0, 0.8)

LABEL_LINES = (
    (("OBJECT", "Object", "The object that is hit, and its instance"),),
    (
        ("FACE", "Face", "The index of the face"),
        ("TRIANGLE", "Triangle", "The index of the triangle"),
    ),
    (("BARYCENTRIC", "Barycentric Weights", "The weights of the triangle's vertices"),),
    (("POINT", "Point", "The place hit, in world space"),),
    (("UV", "UV", "The active UV map at the place hit"),),
)
"""The lines of the label, and their parts as the preferences offer them.

Add new parts at the end: saved preferences refer to them by number.
"""


def _texts(hit: PickHit, scene: bpy.types.Scene) -> dict[str, str | None]:
    """The text of each part of the label for a hit; None for parts that it has not."""
    weights = zip("ABC", hit.barycentric, strict=True)
    return {
        "OBJECT": hit.object if hit.instancer is None else f"{hit.object} < {hit.instancer}",
        "FACE": pgettext_iface("Face {}").format(hit.face),
        "TRIANGLE": pgettext_iface("Triangle {}").format(hit.triangle),
        "BARYCENTRIC": "  ".join(f"{letter} {weight:.4f}" for letter, weight in weights),
        "POINT": ", ".join(formatting.shown_length(part, scene) for part in hit.point),
        "UV": None if hit.uv is None else "UV " + formatting.shown(hit.uv),
    }


def draw_label() -> None:
    """Draw the label at the mouse into the viewport of the context, in pixels of its region."""
    context, scale = bpy.context, settings.ui_scale()
    kept, hovered = faces.kept_here(context), faces.hovered_here(context)
    blf.size(FONT, _POINTS * scale)
    if kept is not None and kept.stale:
        hit = present(kept.hit)
        lines = [hit.object, reasons.translated(kept.stale)]
        _draw_label(context, _pixel_of(context, hit), lines)
        kept = None
    record = hovered or kept
    if record is not None:
        letters = text_images.draw_vertex_labels(context, present(record.hit_now), scale)
        if record is hovered and current.has_mouse(context.region):
            place = _pixel_of(context, present(record.hit))
            _draw_label(context, place, list(lines_of(record, context)), letters)
    names = faces.unpickable_here(context)
    if names:
        _draw_label(context, hover.pixel(), [formatting.not_picked(names)])


def _pixel_of(context: bpy.types.Context, hit: PickHit) -> tuple[float, float] | None:
    """The pixel of a hit's point; None if it is behind the eye."""
    pixels = view.pixels(context, [hit.point])
    return pixels[0] if pixels else None


def lines_of(record: PickRecord, context: bpy.types.Context) -> Iterator[str]:
    """The lines of a hit's label, as the preferences say."""
    preferences, hit = settings.preferences(), present(record.hit)
    wanted = preferences.label if preferences else {"OBJECT", "FACE"}
    texts = _texts(hit, context.scene)
    for line in LABEL_LINES:
        parts = [texts[part] for part, *_ in line if part in wanted]
        if any(parts):
            yield "  ".join(filter(None, parts))
    rank = pgettext_iface("{} of {}").format(record.rank + 1, len(record.hits))
    notes = [rank] if len(record.hits) > 1 else []
    if hit.pixels_away > 0.0:
        notes.append(pgettext_iface("{} px away").format(f"{hit.pixels_away:.1f}"))
    if not hit.front:
        notes.append(pgettext_iface(hit.side))
    if notes:
        yield "  ".join(notes)
    if hit.is_base_mesh:
        yield pgettext_iface("Base mesh, not the sculpted level")
    if record.unpickable:
        yield formatting.not_picked(record.unpickable)


def _draw_label(
    context: bpy.types.Context,
    place: Sequence[float] | None,
    lines: Sequence[str],
    letters: Sequence[Box] = (),
) -> None:
    """Draw lines in the colors of tooltips, beside a pixel (2,) and clear of letters."""
    if place is None or not lines:
        return
    margin = _MARGIN * settings.ui_scale()
    line_height = blf.dimensions(FONT, "Ag")[1] * 1.5
    width = max(blf.dimensions(FONT, line)[0] for line in lines) + 2 * margin
    height = line_height * len(lines) + 2 * margin
    left, low, _, _ = _beside(context, place, width, height, letters)
    colors: Any = context.preferences.themes[0].user_interface.wcol_tooltip
    fill_pixels((left, low) + text_images.SQUARE * (width, height), tuple(colors.inner))
    red, green, blue = colors.text
    blf.color(FONT, red, green, blue, 1.0)
    for number, line in enumerate(reversed(lines)):
        blf.position(FONT, left + margin, low + margin + (number + 0.2) * line_height, 0.0)
        blf.draw(FONT, line)


def _beside(
    context: bpy.types.Context,
    place: Sequence[float],
    width: float,
    height: float,
    letters: Sequence[Box],
) -> Box:
    """A box beside a pixel (2,): the one of four that covers least of it and the letters."""
    (x, y), gap = place, _MOUSE_GAP * settings.ui_scale()
    right, top = viewports.free(present(context.area), present(context.region))
    kept_clear = [*letters, (x - gap / 2, y - gap / 2, x + gap / 2, y + gap / 2)]
    boxes: list[Box] = []
    for left in (x + gap, x - gap - width):
        for low in (y - gap - height, y + gap):
            a, b = max(0.0, min(left, right - width)), max(0.0, min(low, top - height))
            boxes.append((a, b, a + width, b + height))
    return min(boxes, key=lambda box: sum(text_images.overlap(box, each) for each in kept_clear))


class Laid(NamedTuple):
    """A label that has found room."""

    label: int
    left: float
    low: float
    is_led: bool  # whether it is away from its place, with a line between them


def laid_out(
    places: FloatArray,
    sizes: FloatArray,
    area: tuple[float, float],
    *,
    gap: float,
    led: BoolArray | None = None,
    taken: FloatArray | None = None,
) -> list[Laid]:
    """The labels for which an area has room, and where; the most important must come first.

    Labels of sizes (N, 2) name places (N, 2), with a gap between the two, all in pixels. If
    there is no room beside its place, a label that may be `led` (N,), by default none, is moved
    away from it. All keep clear of the `taken` boxes (M, 4), which have left, low, right and top
    sides.
    """
    room = _Room(area)
    for left, low, right, top in [] if taken is None else taken.tolist():
        room.take(left, low, right - left, top - low)
    laid: list[Laid] = []
    rows = zip(places.tolist(), sizes.tolist(), strict=True)
    for number, ((x, y), (width, height)) in enumerate(rows):
        may_be_led = led is not None and led[number]
        for across, up in _ANYWHERE if may_be_led else _BESIDE:
            away = gap + abs(up) * _FAR * height
            left = x + away if across > 0 else x - away - width
            low = y - height / 2 + up * _FAR * height
            if room.take(left, low, width, height):
                laid.append(Laid(number, left, low, up != 0))
                break
    return laid


def first_in_squares(places: FloatArray, side: float) -> IntArray:
    """The rows of places (N, 2) that are the first in their square of `side` pixels."""
    squares = np.floor(places / side).astype(np.int64)
    _, firsts = np.unique(squares[:, 0] << 32 | squares[:, 1] & 0xFFFFFFFF, return_index=True)
    return np.asarray(np.sort(firsts))


class _Room:
    """The taken parts of an area: for each strip, a number with a bit for each step across."""

    def __init__(self, area: tuple[float, float]) -> None:
        self._width, self._height = area
        self._strips = [0] * (int(max(area[1], 0.0)) // _STRIP + 1)

    def take(self, left: float, low: float, width: float, height: float) -> bool:
        """Take a box and return True, unless part of it is taken or outside."""
        right, top = left + width, low + height
        if left < 0.0 or low < 0.0 or right > self._width or top > self._height:
            return False
        first = int(left) // _STEP
        bits = ((1 << (int(right) // _STEP - first + 1)) - 1) << first
        bottom, end = int(low) // _STRIP, int(top) // _STRIP + 1
        if any(taken & bits for taken in self._strips[bottom:end]):
            return False
        for strip in range(bottom, end):
            self._strips[strip] |= bits
        return True


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Which texts are drawn, and where, in pixels of the region."""

    texts: list[str]
    boxes: FloatArray  # (N, 4): left, low, right, top
    opacities: FloatArray  # (N,)
    leaders: FloatArray  # (L, 2, 2), lines


_plans: dict[Hashable, _Plan] = {}


def draw_labels(
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
    """Draw N texts beside their places, in a ``POST_PIXEL`` callback; return their boxes (M, 4).

    Texts of high ranks (N,) come first. Where a text of a rank above 0 has no room beside a visible
    place, it is drawn farther away, with a line leading there. `size` is the font's, in points of
    the interface; `radius` is that of the marks, in pixels of the interface; `taken` are boxes
    (M, 4) of other labels, in pixels of the region. Labels of hidden places have the opacity
    `behind`; if that is 0, they are left out.
    """
    scale = settings.ui_scale()
    images = text_images.of_size(context, size * scale)
    area = viewports.free(present(context.area), present(context.region))
    gap = (radius + _GAP) * scale
    # Blender draws a view several times, to smooth it: keep the layout of its labels.
    arrays = (each.tobytes() for each in (places.pixels, places.hidden, ranks, taken))
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


def forget_labels() -> None:
    """Forget the layouts."""
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
    is_shown = within(places.pixels, area)
    if behind <= 0.0:
        is_shown &= ~places.hidden
    rows = np.flatnonzero(is_shown)
    rows = rows[np.lexsort((places.hidden[rows], -ranks[rows]))]
    if len(rows) > _MOST_TRIED:
        firsts = first_in_squares(places.pixels[rows], images.height)
        rows = rows[firsts[:_MOST_TRIED]]
    pixels, hidden = places.pixels[rows], places.hidden[rows]
    named = [texts[row] for row in rows.tolist()]
    sizes = images.sizes(named)
    led = (ranks[rows] > 0.0) & ~hidden
    laid = laid_out(pixels, sizes, area, gap=gap, led=led, taken=taken)
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
    if not len(leaders):
        return
    starts, ends = leaders.swapaxes(0, 1)
    along = ends - starts
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= _LEADER_WIDTH * settings.ui_scale() / 2 / np.linalg.norm(along, axis=1)[:, None]
    a, b, c, d = (end + side for end in (starts, ends) for side in (-across, across))
    fill_pixels(np.stack([a, b, c, c, b, d], axis=1).reshape(-1, 2), _LEADER)
