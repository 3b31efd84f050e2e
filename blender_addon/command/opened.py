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

    Without a frame of its own it is at the whole frame that was saved as current. Afterwards the
    scene has the frame, the camera and the size of pictures that it had.
    """
    scene = _named(bpy.data.scenes, options.scene, "scene") or bpy.context.scene
    layer = _named(scene.view_layers, options.view_layer, "view layer")
    if layer is None:
        is_own = scene == bpy.context.scene
        layer = bpy.context.view_layer if is_own else scene.view_layers[0]
    then = scene.frame_current, scene.frame_subframe
    percentage, camera = scene.render.resolution_percentage, scene.camera
    with bpy.context.temp_override(scene=scene, view_layer=layer):
        try:
            yield bpy.context
        finally:
            scene.render.resolution_percentage = percentage
            if (scene.frame_current, scene.frame_subframe) != then:
                scene.frame_set(then[0], subframe=then[1])
            scene.camera = camera  # a marker may have bound another one to the frame


def go_to(scene: bpy.types.Scene, frame: int | None) -> None:
    """Set a scene to a frame, or to the whole one of its current frame, as a render does.

    Even if it is there: what handlers of a change of the frame make is then made in each run.
    """
    scene.frame_set(scene.frame_current if frame is None else frame)


def cameras(scene: bpy.types.Scene, names: Iterable[str], frame: int) -> list[str]:
    """The cameras of some names, or the scene's own at a frame; RaypickError if there is none."""
    wanted = [*dict.fromkeys(names)]
    if wanted:
        return [_camera(scene, name).name for name in wanted]
    camera = _bound(scene, frame) or scene.camera
    if camera is None:
        raise RaypickError(f"the scene {scene.name!r} has no camera: name one with --camera")
    return [camera.name]


def _bound(scene: bpy.types.Scene, frame: int) -> bpy.types.Object | None:
    """The camera that markers bind to a frame, as Blender finds it when it goes there.

    It is that of the last marker up to the frame, or else of the first; those that are not
    rendered do not count.
    """
    bound = [(each.frame, each.camera) for each in scene.timeline_markers]
    bound = [(begin, camera) for begin, camera in bound if camera and not camera.hide_render]
    past = [each for each in bound if each[0] <= frame]
    if past:
        return max(past, key=lambda each: each[0])[1]
    return min(bound, key=lambda each: each[0])[1] if bound else None


def object_of_name(name: str) -> bpy.types.Object:
    """An object of the file; RaypickError where there is no such."""
    found = bpy.data.objects.get(name)
    if found is None:
        raise RaypickError(f"there is no object {name!r}")
    return found


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
