# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of landmarks and measures, beside their places in a viewport.

None covers another, a mark, the label at the mouse, or what Blender shows over the viewport. Where
there is no room, a neighbour says how many names it stands for, as in "nasion +3". Names that make
room for the label at the mouse are not counted: it is gone in a moment.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from .. import settings
from ..session import viewports
from ..session.viewports import Box
from ..settings import present
from ..standalone_core.extension import FloatArray
from . import layout, text_images
from .canvas import fill_pixels
from .layout import Laid
from .seen_places import within
from .text_images import TextImages

BEHIND = 0.45  # share of the opacity behind geometry: fainter texts cannot be read
IN_USE = 2.0  # the rank from which on a name is tried before all others, however many there are
GAP = 4.0  # pixels of the interface between a mark and its label

_MOST_TRIED = 120  # if there are more places, those very near to others get no labels
_MOST_PLANS = 8
_CORNER = 8.0  # pixels: from the corner to the number of names that are counted nowhere else
_LEADER_WIDTH = 1.5
_LEADER = (1.0, 1.0, 1.0, 0.8)


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """N texts that name places in a viewport; all in pixels of its region."""

    texts: Sequence[str]
    pixels: FloatArray  # (N, 2), of the places; NaN where they are clipped away
    opacities: FloatArray  # (N,): 0 to leave a text out; below 1 it is behind geometry
    ranks: FloatArray  # (N,): the highest come first; above 0 they may be led to a place far away
    gaps: FloatArray  # (N,): between place and text

    def followed_by(self, other: Names) -> Names:
        """These names and others."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in _ARRAYS)
        return Names((*self.texts, *other.texts), *map(np.concatenate, pairs))


_ARRAYS = ("pixels", "opacities", "ranks", "gaps")


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """Which names are drawn and where, in pixels of the region."""

    laid: list[Laid]  # in their boxes, with the numbers behind the names
    rest: int  # how many names are counted in the corner
    texts: list[str]  # K images: names, and numbers
    corners: FloatArray  # (K, 2), their lower left ones
    opacities: FloatArray  # (K,)
    leaders: FloatArray  # (L, 2, 2), lines


_plans: dict[Hashable, _Plan] = {}


def draw(
    context: bpy.types.Context, names: Names, marks: FloatArray, at_mouse: Sequence[Box]
) -> None:
    """Draw names in a ``POST_PIXEL`` callback, clear of the boxes of marks (M, 4) and others."""
    size = present(settings.preferences()).landmark_text_size
    images = text_images.of_size(context, size * settings.ui_scale())
    area, region = present(context.area), present(context.region)
    free, covered = viewports.free(area, region), tuple(viewports.covered(area, region))
    # Blender draws a view several times, to smooth it: keep the layout of its labels.
    arrays = (getattr(names, name).tobytes() for name in _ARRAYS)
    key = (images, free, covered, tuple(names.texts), *arrays, marks.tobytes())
    is_resting = (key, *at_mouse) in _plans
    taken = np.concatenate([np.array(covered).reshape(-1, 4), marks])
    plan = _plan_of((key,), images, names, free, taken)
    if at_mouse:  # only the names that the label at the mouse would cover make room for it
        plan = _plan_of((key, *at_mouse), images, names, free, taken, at_mouse, plan)
    _draw_leaders(plan.leaders)
    if plan.texts:
        images.draw(context, plan.texts, plan.corners, plan.opacities)
    if is_resting:
        images.prepare(names.texts)


def forget() -> None:
    """Forget the layouts."""
    _plans.clear()


def _plan_of(
    key: Hashable,
    images: TextImages,
    names: Names,
    free: tuple[int, int],
    taken: FloatArray,
    at_mouse: Sequence[Box] = (),
    before: _Plan | None = None,
) -> _Plan:
    """The plan for a key, made once."""
    if key not in _plans:
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        _plans[key] = _planned(images, names, free, taken, at_mouse, before)
    return _plans[key]


def _planned(
    images: TextImages,
    names: Names,
    free: tuple[int, int],
    taken: FloatArray,
    at_mouse: Sequence[Box],
    before: _Plan | None,
) -> _Plan:
    """A plan; or, from the plan `before`, one that makes room for the label at the mouse."""
    rows = np.flatnonzero(within(names.pixels, free) & (names.opacities > 0.0))
    rows = rows[np.lexsort((-names.opacities[rows], -names.ranks[rows]))]
    labels = layout.Labels(
        names.pixels[rows],
        images.sizes([names.texts[row] for row in rows.tolist()]),
        names.gaps[rows],
        (names.ranks[rows] > 0.0) & (names.opacities[rows] >= 1.0),
    )
    reserve, others = _width_of_number(images, len(rows)), labels.places[:0]
    if len(rows) > _MOST_TRIED:
        wide = labels._replace(sizes=labels.sizes + (reserve, 0.0))
        able = np.flatnonzero(labels.led | layout.have_room(wide, free, taken))
        firsts = layout.first_in_squares(labels.places[able], images.height)
        in_use = np.flatnonzero(names.ranks[rows[able]] >= IN_USE)
        tried = able[np.union1d(in_use, firsts)[:_MOST_TRIED]]
        others = np.delete(labels.places, tried, axis=0)
        rows, labels = rows[tried], labels.only(tried)
    taken = np.concatenate([taken, np.array(at_mouse).reshape(-1, 4)])
    laid, rest = layout.counted(
        labels, others, free, reserve, taken, before.laid if before else None
    )
    texts = [names.texts[row] for row in rows.tolist()]
    drawn = _Drawn(images, texts, names.opacities[rows])
    for each in laid:
        drawn.add(each, labels)
    if rest:
        drawn.add_rest(rest, taken, free[0])
    return drawn.plan(rest)


class _Drawn:
    """Gathers the images of texts for a plan."""

    def __init__(self, images: TextImages, texts: Sequence[str], opacities: FloatArray) -> None:
        self._images, self._names, self._shades = images, texts, opacities.tolist()
        self._laid: list[Laid] = []
        self._texts: list[str] = []
        self._corners: list[tuple[float, float]] = []
        self._opacities: list[float] = []
        self._leaders: list[FloatArray] = []

    def add(self, laid: Laid, labels: layout.Labels) -> None:
        """Add the name of a label and, behind it, the number of those for which it stands."""
        texts = [self._names[laid.label], *([f"+{laid.extra}"] if laid.extra else [])]
        widths = self._images.sizes(texts)[:, 0].tolist()
        box = left, low, right, top = layout.trimmed(laid, sum(widths))
        self._laid.append(laid._replace(box=box))
        for text, width in zip(texts, widths, strict=True):
            self._add_image(text, (left, low), self._shades[laid.label])
            left += width
        if laid.is_led:
            place = labels.places[laid.label]
            self._leaders.append(np.array([place, np.clip(place, box[:2], (right, top))]))

    def add_rest(self, rest: int, taken: FloatArray, width_free: float) -> None:
        """Add a number in the lower left corner, right of what is taken there, if that can be."""
        text, left, low = f"+{rest}", _CORNER, _CORNER
        width, height = self._images.sizes([text])[0].tolist()
        for box in sorted(taken.tolist()):
            if layout.overlap(box, (left, low, left + width, low + height)):
                left = box[2] + _CORNER
        left = left if left + width <= width_free else _CORNER
        self._add_image(text, (left, low), 1.0)

    def _add_image(self, text: str, corner: tuple[float, float], opacity: float) -> None:
        self._texts.append(text)
        self._corners.append(corner)
        self._opacities.append(opacity)

    def plan(self, rest: int) -> _Plan:
        corners = np.array(self._corners).reshape(-1, 2)
        leaders = np.array(self._leaders).reshape(-1, 2, 2)
        return _Plan(self._laid, rest, self._texts, corners, np.array(self._opacities), leaders)


def _width_of_number(images: TextImages, most: int) -> float:
    """The width of the widest number that says how many names are left out."""
    digits = "0123456789"
    widest = digits[int(images.sizes([*digits])[:, 0].argmax())]
    return float(images.sizes(["+" + widest * len(str(most))])[0, 0])


def _draw_leaders(leaders: FloatArray) -> None:
    if not len(leaders):
        return
    starts, ends = leaders.swapaxes(0, 1)
    along = ends - starts
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    across *= _LEADER_WIDTH * settings.ui_scale() / 2 / np.linalg.norm(along, axis=1)[:, None]
    a, b, c, d = (end + side for end in (starts, ends) for side in (-across, across))
    fill_pixels(np.stack([a, b, c, c, b, d], axis=1).reshape(-1, 2), _LEADER)
