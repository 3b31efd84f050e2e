# SPDX-License-Identifier: GPL-3.0-or-later
"""Callbacks: what the user picks, and what happens to landmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import bpy

from ..session import events
from ..session.events import LandmarkEvent, PickEvent
from ..standalone_core.extension import ArgumentError, described

__all__ = ["LandmarkEvent", "PickEvent", "on_landmark", "on_pick", "remove_callback"]

OnPick = TypeVar("OnPick", bound=Callable[[bpy.types.Context, PickEvent], Any])
OnLandmark = TypeVar("OnLandmark", bound=Callable[[bpy.types.Context, LandmarkEvent], Any])


def on_pick(callback: OnPick) -> OnPick:
    """Call a function after each pick that is kept, until :func:`remove_callback`.

        @api.on_pick
        def show(context, pick):
            print(pick.hit.face if pick.hit else "nothing hit")

    Picks are kept by the hotkey, the tool, the inspector, *Cast Ray* and *Show Place*, also where a
    script runs these operators. Functions of the API, such as :func:`ray_cast`, keep none.

    The callback runs at the end of the operator, in its context, never while Blender draws. It may
    change the scene. A pick makes no undo step: after a change, call ``bpy.ops.ed.undo_push``. It
    is not called for what it brings about itself. Its first error is printed with its traceback,
    and the pick stands. It stays while other files are loaded, and goes when Raypick is disabled:
    an add-on removes it in its own ``unregister``.

    Parameters
    ----------
    callback : callable
        Called as ``callback(context, pick)`` with a :class:`PickEvent`. One that is there already
        is not added again.

    Returns
    -------
    callable
        The callback, so that this is a decorator too.

    Raises
    ------
    RaypickError
        If it cannot be called.
    """
    events.add(PickEvent, _callable(callback))
    return callback


def on_landmark(callback: OnLandmark) -> OnLandmark:
    """Call a function for each landmark that is added, moved or removed.

        @api.on_landmark
        def note(context, event):
            print(event.what, event.landmark.name, event.object.name)

    It is told of what operators, the tools and :mod:`.landmarks` do. A drag or an import is one
    step: each landmark is told of once, at its end, with the difference that it made. Undo, redo,
    loading a file, and copying or removing an object are told by Blender, through
    ``bpy.app.handlers``. Changes that the callback makes belong to the same undo step. For the
    rest, it is treated as that of :func:`on_pick`.

    Parameters
    ----------
    callback : callable
        Called as ``callback(context, event)`` with a :class:`LandmarkEvent`.

    Returns
    -------
    callable
        The callback, so that this is a decorator too.

    Raises
    ------
    RaypickError
        If it cannot be called.
    """
    events.add(LandmarkEvent, _callable(callback))
    return callback


def remove_callback(callback: Callable[[bpy.types.Context, Any], Any]) -> bool:
    """Stop calling a function for picks and landmarks.

    Parameters
    ----------
    callback : callable
        As it was given; a bound method of the same object is the same callback.

    Returns
    -------
    bool
        Whether it was there; if not, nothing happens.
    """
    return events.remove(_callable(callback))


def _callable(callback: Any) -> Any:
    if not callable(callback):
        raise ArgumentError(f"callback must be callable, not {described(callback)}")
    return callback
