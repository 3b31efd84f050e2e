# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of the overlay: the label at the mouse, and with it the letters of the vertices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import blf
import bpy
import gpu
from bpy.app.translations import pgettext_iface
from gpu_extras.batch import batch_for_shader

from .. import formatting, settings
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..present import present
from ..session import current, hover, viewports
from ..translations import reasons
from . import projection, vertex_labels, visible_picks
from .canvas import blended
from .vertex_labels import FONT, Box

_POINTS = 11.0
_GAP = 14.0
_MARGIN = 6.0


def draw() -> None:
    """Draw into the viewport of the context, in pixels of its region."""
    context, scale = bpy.context, settings.ui_scale()
    kept, hovered = visible_picks.kept(context), visible_picks.hovered(context)
    blf.size(FONT, _POINTS * scale)
    if kept is not None and kept.stale:
        hit = present(kept.hit)
        lines = [hit.object, reasons.translated(kept.stale)]
        _draw_label(context, _pixel_of(context, hit), lines)
        kept = None
    record = hovered or kept
    if record is not None:
        letters = vertex_labels.draw(context, present(record.hit_now), scale)
        if record is hovered and current.has_mouse(context.region):
            place = _pixel_of(context, present(record.hit))
            _draw_label(context, place, list(lines_of(record, context)), letters)
    names = visible_picks.unpickable(context)
    if names:
        _draw_label(context, hover.pixel(), [formatting.not_picked(names)])


def _pixel_of(context: bpy.types.Context, hit: PickHit) -> tuple[float, float] | None:
    """The pixel of a hit's point; None behind the eye."""
    pixels = projection.pixels(context, [hit.point])
    return pixels[0] if pixels else None


def lines_of(record: PickRecord, context: bpy.types.Context) -> Iterator[str]:
    """The lines of a hit's label, as the preferences have it."""
    preferences, hit = settings.preferences(), present(record.hit)
    wanted = preferences.label if preferences else {"OBJECT", "FACE"}
    if "OBJECT" in wanted:
        yield hit.object if hit.instancer is None else f"{hit.object} < {hit.instancer}"
    indices = []
    if "FACE" in wanted:
        indices.append(pgettext_iface("Face {}").format(hit.face))
    if "TRIANGLE" in wanted:
        indices.append(pgettext_iface("Triangle {}").format(hit.triangle))
    if indices:
        yield "  ".join(indices)
    if "BARYCENTRIC" in wanted:
        yield "  ".join(f"{a} {w:.4f}" for a, w in zip("ABC", hit.barycentric, strict=True))
    if "POINT" in wanted:
        yield ", ".join(formatting.shown_length(part, context.scene) for part in hit.point)
    if "UV" in wanted and hit.uv is not None:
        yield "UV " + formatting.shown(hit.uv)
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
    """Draw lines, in the colors of tooltips, beside a pixel (2,) and clear of letters."""
    if place is None or not lines:
        return
    margin = _MARGIN * settings.ui_scale()
    line_height = blf.dimensions(FONT, "Ag")[1] * 1.5
    width = max(blf.dimensions(FONT, line)[0] for line in lines) + 2 * margin
    box = _beside(context, place, width, line_height * len(lines) + 2 * margin, letters)
    colors: Any = context.preferences.themes[0].user_interface.wcol_tooltip
    _draw_box(box, tuple(colors.inner))
    red, green, blue = colors.text
    blf.color(FONT, red, green, blue, 1.0)
    for number, line in enumerate(reversed(lines)):
        blf.position(FONT, box[0] + margin, box[1] + margin + (number + 0.2) * line_height, 0.0)
        blf.draw(FONT, line)


def _beside(
    context: bpy.types.Context,
    place: Sequence[float],
    width: float,
    height: float,
    letters: Sequence[Box],
) -> Box:
    """A box beside a pixel (2,), in one of four places: where it hides least."""
    (x, y), gap = place, _GAP * settings.ui_scale()
    right, top = viewports.free(present(context.area), present(context.region))
    kept_clear = [*letters, (x - gap / 2, y - gap / 2, x + gap / 2, y + gap / 2)]
    boxes: list[Box] = []
    for left in (x + gap, x - gap - width):
        for low in (y - gap - height, y + gap):
            a, b = max(0.0, min(left, right - width)), max(0.0, min(low, top - height))
            boxes.append((a, b, a + width, b + height))
    return min(boxes, key=lambda box: sum(vertex_labels.overlap(box, each) for each in kept_clear))


def _draw_box(box: Box, color: Sequence[float]) -> None:
    left, low, right, top = box
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = [(left, low), (right, low), (left, top), (right, top)]
    batch = batch_for_shader(shader, "TRI_STRIP", {"pos": corners})
    with blended():
        shader.bind()
        shader.uniform_float("color", color)
        batch.draw(shader)
