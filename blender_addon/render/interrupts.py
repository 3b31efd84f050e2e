# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C while the module bpy renders.

Blender as a program ends a render at Ctrl-C by itself. As a module it leaves that to Python, and
goes on with the next frame if a handler happens to be at work. So a render with this engine notes a
Ctrl-C, and fails when it next asks. A second one ends what is at work, as usual.
"""

from __future__ import annotations

import signal
from contextlib import ExitStack
from typing import Any

import bpy

from .. import idnames
from ..bridge.render import into_memory
from ..registration import Handlers
from ..standalone_core import RaypickError
from ..standalone_core.extension import console

_rendering = ExitStack()  # undoes what is done for the time of a render
_is_noted = False


def check() -> None:
    """RaypickError if there was a Ctrl-C since the last call."""
    global _is_noted
    if _is_noted:
        _is_noted = False
        raise RaypickError("interrupted")


def _note(number: int, frame: Any) -> None:
    global _is_noted
    if _is_noted:
        signal.default_int_handler(number, frame)
    _is_noted = True


def _begin(scene: bpy.types.Scene, *_: Any) -> None:
    is_ours = scene.render.engine == idnames.ENGINE and into_memory.waiting is None
    if is_ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        _rendering.enter_context(console.answered((signal.SIGINT,), _note))


def _end(*_: Any) -> None:
    _rendering.close()


_HANDLERS = Handlers(render_init=_begin, render_complete=_end, render_cancel=_end)


def register() -> None:
    """Look after the renders from now on."""
    _HANDLERS.register()


def unregister() -> None:
    """Look after them no more."""
    _HANDLERS.unregister()
    _end()
