# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: picking, looking, acting on what was found, and keeping it."""

from ..registration import Classes, OnLoad, classes_in, functions
from . import (
    cast,
    copy,
    exclude,
    history,
    hover,
    inspect,
    landmarks,
    measures,
    pick,
    place,
    use_hit,
)

_MODULES = (
    *(pick, cast, inspect, hover, place, use_hit, copy, history, exclude, measures),
    *landmarks.MODULES,
)
_PARTS = (Classes(*classes_in(*_MODULES)), OnLoad(inspect.stop, handlers="load_pre"))
register, unregister = functions(_PARTS)
