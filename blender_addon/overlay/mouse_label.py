# SPDX-License-Identifier: GPL-3.0-or-later
"""The label at the mouse: what is under it, or which landmark a click would place or select.

It never covers the place under the mouse.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import blf
import bpy
from bpy.app.translations import pgettext_iface

from .. import formatting, settings
from ..bridge.hit_objects import object_of
from ..bridge.landmarks import editing, storage
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..session import current, hover, viewports
from ..session.viewports import Box
from ..settings import present
from ..translations import reasons
from . import faces, text_images, view
from .canvas import fill_pixels
from .layout import overlap
from .text_images import FONT, shortened

_POINTS = 11.0
_CLEAR = 14.0  # pixels of the interface that are kept clear around the place, to each side
_MARGIN = 6.0
_BETWEEN = " · "
_WIDEST = 260.0  # pixels of the interface: a description is wrapped to this width
_MOST_LINES = 4
_MOST_LETTERS = 1000  # of a description, which may come from an untrusted file

LABEL_PARTS = (
    ("OBJECT", "Object", "The object that is hit, and its instance"),
    ("FACE", "Face", "The index of the face"),
    ("TRIANGLE", "Triangle", "The index of the triangle"),
    ("BARYCENTRIC", "Barycentric Weights", "The weights of the triangle's vertices"),
    ("POINT", "Point", "The place hit, in world space"),
    ("UV", "UV", "The active UV map at the place hit"),
)
"""The parts of the label as the preferences offer them.

Add new parts at the end: saved preferences refer to them by number.
"""

_IN_FIRST_LINE = ("OBJECT", "FACE", "TRIANGLE")
_AT_REST = ("BARYCENTRIC", "POINT", "UV")


def draw() -> list[Box]:
    """Draw into the viewport of the context, in pixels of its region; return what is taken."""
    context, scale = bpy.context, settings.ui_scale()
    kept, hovered = faces.kept_here(context), faces.hovered_here(context)
    blf.size(FONT, _POINTS * scale)
    taken: list[Box] = []
    if kept is not None and kept.stale:
        hit = present(kept.hit)
        lines = [shortened(hit.object), reasons.translated(kept.stale)]
        taken += _draw_label(context, _pixel_of(context, hit), lines)
        kept = None
    record = kept if current.is_marking() else hovered or kept
    if record is not None:
        taken += text_images.draw_vertex_labels(context, present(record.hit_now), scale)
    taken += _draw_label(context, hover.pixel(), _at_mouse(context, hovered), taken)
    return taken


def _at_mouse(context: bpy.types.Context, hovered: PickRecord | None) -> list[str]:
    """The lines of the label at the mouse; none where this region has not got it."""
    touched = faces.touched_here(context)
    if touched is not None:
        return [shortened(touched.name)]
    if hovered is None or not current.has_mouse(context.region):
        names = faces.unpickable_here(context)
        return [formatting.not_picked(names)] if names else []
    return (
        _asked(hovered)
        if current.is_marking()
        else [*lines_of(hovered, context, hover.is_resting())]
    )


def _pixel_of(context: bpy.types.Context, hit: PickHit) -> tuple[float, float] | None:
    """The pixel of a hit's point; None if it is behind the eye."""
    pixels = view.pixels(context, [hit.point])
    return pixels[0] if pixels else None


def lines_of(
    record: PickRecord, context: bpy.types.Context, is_resting: bool = False
) -> Iterator[str]:
    """The lines of a hit's label, as the preferences say; all but the first once it is resting."""
    preferences, hit = settings.preferences(), present(record.hit)
    wanted = preferences.label if preferences else {"OBJECT", "FACE"}
    first = [_TEXTS[part](hit, context.scene) for part in _IN_FIRST_LINE if part in wanted]
    first += _notes(record, hit)
    if first:
        yield _BETWEEN.join(first)
    for part in _AT_REST if is_resting else ():
        text = _TEXTS[part](hit, context.scene) if part in wanted else ""
        if text:
            yield text


def _name(hit: PickHit, _scene: bpy.types.Scene) -> str:
    name = shortened(hit.object)
    return name if hit.instancer is None else f"{name} < {shortened(hit.instancer)}"


def _weights(hit: PickHit, _scene: bpy.types.Scene) -> str:
    weights = zip("ABC", hit.barycentric, strict=True)
    return "  ".join(f"{letter} {formatting.shown(weight)}" for letter, weight in weights)


_TEXTS: dict[str, Callable[[PickHit, bpy.types.Scene], str]] = {
    "OBJECT": _name,
    "FACE": lambda hit, _: pgettext_iface("Face {}").format(hit.face),
    "TRIANGLE": lambda hit, _: pgettext_iface("Triangle {}").format(hit.triangle),
    "BARYCENTRIC": _weights,
    "POINT": lambda hit, scene: ", ".join(formatting.fitting(hit.point, "length", scene)),
    "UV": lambda hit, _: "" if hit.uv is None else "UV " + formatting.shown(hit.uv),
}
"""The text of each part of the label for a hit; empty for one that it has not."""


def _notes(record: PickRecord, hit: PickHit) -> Iterator[str]:
    """What is unusual about a hit, in a few words each."""
    if len(record.hits) > 1:
        yield pgettext_iface("{} of {}").format(record.rank + 1, len(record.hits))
    if hit.pixels_away > 0.0:
        yield pgettext_iface("{} px away").format(f"{hit.pixels_away:.1f}")
    if not hit.front:
        yield pgettext_iface(hit.side)
    if hit.is_base_mesh:
        yield pgettext_iface("Base mesh")
    if record.unpickable:
        yield formatting.not_picked(record.unpickable)


def _asked(record: PickRecord) -> list[str]:
    """What a click at a hit would place: the next name of the template, and its description.

    If no template asks for any, that it would add one to a set; or why it could not.
    """
    hit = present(record.hit)
    obj, name = object_of(hit), shortened(hit.object)
    found = storage.to_draw(obj) if obj is not None else ""
    if obj is None or isinstance(found, str) or obj.library is not None:
        why = found if isinstance(found, str) else storage.LINKED
        return [name, *([reasons.translated(why)] if why else [])]
    group = found.set
    number = group.next_number if group is not None else None
    into = shortened(group.name if group else editing.FIRST_SET)
    if group is not None and group.locked:
        return [name + _BETWEEN + into, reasons.translated(editing.LOCKED_SET)]
    if group is None or number is None:
        return ["+ " + pgettext_iface("Landmark") + _BETWEEN + into]
    asked = group.landmarks[number]
    return [shortened(asked.name), *_wrapped(asked.description)]


def _wrapped(text: str) -> list[str]:
    """A text in a few lines; letters of all writings are measured, as their widths differ."""
    text = " ".join(text[:_MOST_LETTERS].split())
    if not text:
        return []
    each = blf.dimensions(FONT, text)[0] / len(text)
    letters = max(12, int(_WIDEST * settings.ui_scale() / max(each, 1.0)))
    return textwrap.wrap(text, letters, max_lines=_MOST_LINES, placeholder=" …")


def _draw_label(
    context: bpy.types.Context,
    place: Sequence[float] | None,
    lines: Sequence[str],
    letters: Sequence[Box] = (),
) -> list[Box]:
    """Draw lines in the colors of tooltips, beside a pixel (2,) and clear of letters.

    Return the box of the label, if there is one.
    """
    if place is None or not lines:
        return []
    margin = _MARGIN * settings.ui_scale()
    blf.size(FONT, _POINTS * settings.ui_scale())
    line_height = blf.dimensions(FONT, "Ag")[1] * 1.5
    width = max(blf.dimensions(FONT, line)[0] for line in lines) + 2 * margin
    height = line_height * len(lines) + 2 * margin
    box = beside(context, place, (width, height), letters)
    if box is None:
        return []
    left, low, _, _ = box
    colors: Any = context.preferences.themes[0].user_interface.wcol_tooltip
    fill_pixels((left, low) + text_images.SQUARE * (width, height), tuple(colors.inner))
    red, green, blue = colors.text
    blf.color(FONT, red, green, blue, 1.0)
    for number, line in enumerate(reversed(lines)):
        blf.position(FONT, left + margin, low + margin + (number + 0.3) * line_height, 0.0)
        blf.draw(FONT, line)
    return [box]


def beside(
    context: bpy.types.Context,
    place: Sequence[float],
    size: tuple[float, float],
    letters: Sequence[Box],
) -> Box | None:
    """A box of a size below a pixel (2,), above it, or beside it, where it covers least.

    It covers nothing of a square around the pixel: None if there is no such box.
    """
    area, region = present(context.area), present(context.region)
    (x, y), (width, height), gap = place, size, _CLEAR * settings.ui_scale()
    right, top = viewports.free(area, region)
    covered = [*letters, *viewports.covered(area, region)]
    middle = y - height / 2
    boxes: list[Box] = []
    for left, low in (
        (x - gap, y - gap - height),
        (x - gap, y + gap),
        (x + gap, middle),
        (x - gap - width, middle),
    ):
        a, b = max(0.0, min(left, right - width)), max(0.0, min(low, top - height))
        if not overlap((a, b, a + width, b + height), (x - gap, y - gap, x + gap, y + gap)):
            boxes.append((a, b, a + width, b + height))
    cost = {box: sum(overlap(box, each) for each in covered) for box in boxes}
    return min(boxes, key=cost.__getitem__, default=None)
