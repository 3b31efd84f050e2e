# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuse calls from other threads than Blender's main one, where Blender would crash."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import wraps
from types import FunctionType
from typing import Any

from ..standalone_core import RaypickError


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
    """Have all public functions of a module raise ThreadError outside of the main thread."""
    for name in names:
        if isinstance(module[name], FunctionType):
            module[name] = _guarded(module[name])


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def guarded(*given: Any, **named: Any) -> Any:
        check_thread(function.__name__)
        return function(*given, **named)

    return guarded
