# SPDX-License-Identifier: GPL-3.0-or-later
"""The render engine, and what of its pictures is set in each view layer."""

from ..registration import Classes, classes_in, functions
from . import engine, interrupts, settings

_CLASSES = Classes(*classes_in(settings), engine.RaypickEngine)
register, unregister = functions((_CLASSES, settings, interrupts))
