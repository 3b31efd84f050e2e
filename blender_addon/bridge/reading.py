# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of the scene's meshes, which holds memory to its bound, and begins anew once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from ..standalone_core import RaypickError
from .mesh.scene_mesh import use_counter
from .mesh.source import OutOfDateError
from .scene import changes, snapshot

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class SceneChangedError(RaypickError):
    """The scene changed in the middle of a pick."""


def asked_again_if_outdated(ask: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """A query that is asked once more if what was read is out of date: by then it is forgotten."""

    @wraps(ask)
    def asked(*given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return ask(*given, **named)
        except SceneChangedError:
            return ask(*given, **named)

    return asked


@contextmanager
def reading() -> Iterator[None]:
    """Read meshes; then hold memory to its bound. Where they are out of date, say so."""
    since = next(use_counter)
    try:
        yield
    except (OutOfDateError, ReferenceError):
        changes.pending.forget_everything()
        raise SceneChangedError("the scene changed in the middle of the pick: pick again") from None
    finally:
        snapshot.trim(since)
