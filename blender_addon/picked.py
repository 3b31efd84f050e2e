# SPDX-License-Identifier: GPL-3.0-or-later
"""The last pick: what the panel shows, kept in Python so that no digit is lost."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from bpy.app.handlers import persistent

from .pick_hit import PickHit


@dataclass(frozen=True, slots=True)
class Picked:
    """The answer to one question.

    Attributes
    ----------
    hits : tuple of PickHit
        Nearest first; empty where nothing was hit.
    seconds : float
        How long the answer took.
    """

    hits: tuple[PickHit, ...]
    seconds: float


_last: Picked | None = None


def last() -> Picked | None:
    """The last pick since the extension was enabled or a file was loaded, or None."""
    return _last


def keep(picked: Picked | None) -> None:
    """Make this the last pick."""
    global _last
    _last = picked


def register() -> None:
    """Forget the last pick with the file that it was made in."""
    bpy.app.handlers.load_post.append(_forget)


def unregister() -> None:
    """Forget the last pick."""
    if _forget in bpy.app.handlers.load_post:
        bpy.app.handlers.load_post.remove(_forget)
    keep(None)


@persistent
def _forget(*_: object) -> None:
    keep(None)
