# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of the overlay: the label at the mouse, and with it the letters of the vertices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import blf
import bpy
import gpu
from bpy.app.translations import pgettext_iface
from gpu_extras.batch import batch_for_shader

from .. import formatting, settings
from ..model.hit import PickHit
from ..model.record import PickRecord
from ..session import current, hover, viewports
from ..translations import reasons
from . import projection, vertex_labels, visible_picks
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
        lines = [kept.hit.object, reasons.translated(kept.stale)]
        _draw_label(context, _pixel_of(context, kept.hit), lines, (), scale)
        kept = None
    record = hovered or kept
    if record is not None:
        letters_at = vertex_labels.draw(context, record.hit_now, scale)
        if record is hovered and current.has_mouse(context.region):
            lines = list(lines_of(record, context))
            _draw_label(context, _pixel_of(context, record.hit), lines, letters_at, scale)
    if visible_picks.misses(context):
        lines = [formatting.not_picked(current.hovered().unpickable)]
        _draw_label(context, hover.pixel(), lines, (), scale)


def _pixel_of(context: bpy.types.Context, hit: PickHit) -> tuple[float, float] | None:
    """Where the point of a hit is seen; None behind the eye."""
    seen_at = projection.pixels(context, [hit.point])
    return seen_at[0] if seen_at else None


def lines_of(record: PickRecord, context: bpy.types.Context) -> Iterator[str]:
    """What the label tells, as the preferences have it."""
    preferences, hit = settings.preferences(), record.hit
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
        notes.append(pgettext_iface("Back Side"))
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
    letters_at: Sequence[Box],
    scale: float,
) -> None:
    """Lines, in the colors of tooltips, beside a pixel (2,) and clear of letters."""
    if place is None or not lines:
        return
    line_height = blf.dimensions(FONT, "Ag")[1] * 1.5
    width = max(blf.dimensions(FONT, line)[0] for line in lines) + 2 * _MARGIN * scale
    height = line_height * len(lines) + 2 * _MARGIN * scale
    x, y = _beside(context, place, width, height, letters_at, scale)
    colors = context.preferences.themes[0].user_interface.wcol_tooltip
    _draw_box(x, y, width, height, colors.inner)
    blf.color(FONT, *colors.text, 1.0)
    for number, line in enumerate(reversed(lines)):
        at = y + _MARGIN * scale + number * line_height + line_height * 0.2
        blf.position(FONT, x + _MARGIN * scale, at, 0.0)
        blf.draw(FONT, line)


def _beside(
    context: bpy.types.Context,
    place: Sequence[float],
    width: float,
    height: float,
    letters_at: Sequence[Box],
    scale: float,
) -> tuple[float, float]:
    """The lower left corner of a box beside a pixel (2,): of four the one that hides least."""
    (x, y), gap = place, _GAP * scale
    right, top = viewports.free(context.area, context.region)
    kept_clear = [*letters_at, (x - gap / 2, y - gap / 2, x + gap / 2, y + gap / 2)]
    best, least = (x, y), math.inf
    for left, low in (
        *((x + gap, y - gap - height), (x + gap, y + gap)),
        *((x - gap - width, y - gap - height), (x - gap - width, y + gap)),
    ):
        corner = max(0.0, min(left, right - width)), max(0.0, min(low, top - height))
        box = *corner, corner[0] + width, corner[1] + height
        hidden = sum(vertex_labels.overlap(box, other) for other in kept_clear)
        if hidden < least:
            best, least = corner, hidden
    return best


def _draw_box(x: float, y: float, width: float, height: float, color: Sequence[float]) -> None:
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]
    batch = batch_for_shader(shader, "TRI_STRIP", {"pos": corners})
    before = gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("color", tuple(color))
    batch.draw(shader)
    gpu.state.blend_set(before)
