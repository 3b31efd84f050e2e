# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse calls outside of Blender's main thread, where it would crash, and after a disabling.

A copy that was disabled has let go of all it read, and follows no changes: to answer it would have
to leave handlers behind. One that was never enabled, as in a script's own process, answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import wraps
from types import FunctionType
from typing import Any

from .. import registration
from ..standalone_core import RaypickError

# RaypickError is of the copy that was imported first, and so does not tell.
_CORE = f"{registration.__package__}.standalone_core."


class ThreadError(RaypickError, RuntimeError):
    """A function that reads Blender's data was called outside of the main thread."""


def check_thread(name: str) -> None:
    """Raise ThreadError outside of the main thread; the name is that of the function called."""
    if threading.current_thread() is not threading.main_thread():
        raise ThreadError(
            f"{name} was called outside of Blender's main thread, where Blender may change what "
            "it reads: freeze the scene with api.frozen, or use the core"
        )


def guard(module: dict[str, Any], names: Iterable[str]) -> None:
    """Have all public functions of a module refuse such calls.

    Functions of the core stay as they are: they read nothing of Blender. The others belong to this
    module from now on, so that they are pickled by the name under which they are called.
    """
    for name in names:
        function = module[name]
        if isinstance(function, FunctionType) and not function.__module__.startswith(_CORE):
            part = module["__name__"].rpartition(".api")[2].lstrip(".")
            module[name] = _guarded(function, f"{part}.{name}" if part else name)
            module[name].__module__ = module["__name__"]


def _guarded(function: Callable[..., Any], called: str) -> Callable[..., Any]:
    @wraps(function)
    def guarded(*given: Any, **named: Any) -> Any:
        check_thread(called)
        if registration.was_disabled():
            raise RaypickError(
                f"{called} was called after {registration.__package__} was disabled: "
                "enable it, or find the copy that is enabled"
            )
        return function(*given, **named)

    return guarded
