# SPDX-License-Identifier: GPL-3.0-or-later
"""Which places are behind geometry, looked up a few times a second while a view changes.

Whoever looks it up waits for the GPU. A redraw soon after that takes what was found, and has the
viewports drawn again when they rest.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import bpy

from .. import settings
from ..present import present
from ..session import redraw, timers
from ..standalone_core.extension import BoolArray, FloatArray
from . import seen_places
from .seen_places import SeenPlaces

_SECONDS = 0.1
_MOST = 32

_Names = Sequence[str]

_found: dict[tuple[int, str], tuple[float, _Names, BoolArray]] = {}
"""Of a region and a kind of places: when it was looked up, for which places, and what was found."""


def seen(
    context: bpy.types.Context, kind: str, names: _Names, points: FloatArray, radius: float
) -> SeenPlaces:
    """Where the viewport of the context shows N places of the world (N, 3) of a kind.

    Their names tell when they are others. Marks of a radius, in pixels of the interface, are
    before the surface as far as they are wide: so no slope hides them.
    """
    places = seen_places.seen(context, points, radius * settings.ui_scale())
    key, now = (present(context.region).as_pointer(), kind), time.monotonic()
    known = _found.get(key)
    if known is not None and now - known[0] < _SECONDS and known[1] == names:
        timers.start(_redraw, _SECONDS)
        return replace(places, hidden=known[2])
    if len(_found) >= _MOST:
        _found.clear()
    hidden = seen_places.are_hidden(context, places)
    _found[key] = now, names, hidden
    return replace(places, hidden=hidden)


def forget() -> None:
    """Forget what was found."""
    _found.clear()


def _redraw() -> None:
    redraw.redraw(bpy.context)
