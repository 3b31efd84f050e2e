# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that is open: its scene, view layer, cameras and frame as a command asks for them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ..standalone_core import RaypickError


@contextmanager
def scene_asked_for(options: argparse.Namespace) -> Iterator[bpy.types.Context]:
    """The context of the scene and view layer that are named; RaypickError where there is no such.

    Afterwards the scene has the frame and the size of pictures that it had.
    """
    scene = _named(bpy.data.scenes, options.scene, "scene") or bpy.context.scene
    layer = _named(scene.view_layers, options.view_layer, "view layer")
    if layer is None:
        is_own = scene == bpy.context.scene
        layer = bpy.context.view_layer if is_own else scene.view_layers[0]
    then = scene.frame_current, scene.frame_subframe, scene.render.resolution_percentage
    with bpy.context.temp_override(scene=scene, view_layer=layer):
        try:
            yield bpy.context
        finally:
            scene.render.resolution_percentage = then[2]
            if (scene.frame_current, scene.frame_subframe) != then[:2]:
                scene.frame_set(then[0], subframe=then[1])


def go_to(scene: bpy.types.Scene, frame: int) -> None:
    """Set a scene to a frame, unless it is there."""
    if (scene.frame_current, scene.frame_subframe) != (frame, 0.0):
        scene.frame_set(frame)


def cameras(scene: bpy.types.Scene, names: Iterable[str]) -> list[bpy.types.Object]:
    """The camera objects of some names, or the scene's own; RaypickError where there is no such."""
    wanted = [*dict.fromkeys(names)]
    if not wanted:
        if scene.camera is None:
            raise RaypickError(f"the scene {scene.name!r} has no camera: name one with --camera")
        return [scene.camera]
    return [_camera(scene, name) for name in wanted]


def camera_names() -> list[str]:
    """The names of all camera objects of the file."""
    return [obj.name for obj in bpy.data.objects if obj.type == "CAMERA"]


def _camera(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    found: bpy.types.Object | None = scene.objects.get(name)
    if found is None:
        known = ", ".join(sorted(obj.name for obj in scene.objects if obj.type == "CAMERA"))
        raise RaypickError(
            f"the scene {scene.name!r} has no camera {name!r}; its cameras: {known or 'none'}"
        )
    if found.type != "CAMERA":
        raise RaypickError(f"{name!r} is no camera")
    return found


def _named(things: Any, name: str | None, kind: str) -> Any:
    """The thing of a name; None if none is named."""
    if name is None:
        return None
    found = things.get(name)
    if found is None:
        known = ", ".join(each.name for each in things)
        raise RaypickError(f"there is no {kind} {name!r}; there is: {known}")
    return found
