# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick info``: report the content of the open file, the versions and the engine."""

from __future__ import annotations

import argparse
import platform
from typing import Any

import bpy
import numpy as np

from .. import api, compiled_code
from ..bridge.batch.values import attribute_names
from ..bridge.landmarks import storage
from ..bridge.query import asked_again_if_outdated, reading
from ..bridge.scene import snapshot
from ..standalone_core import RaypickError, compiled, thread_count
from ..standalone_core.extension import console
from . import arguments, landmarks, opened
from .opened import version
from .talk import Interruption, Talk

_DESCRIPTION = """\
Report what is in the file: what rays can hit, cameras with the size of their pictures, frames and
landmarks; and which versions and which engine are in use."""

_EPILOG = """\
examples:
  blender scene.blend --command raypick info
  blender scene.blend --command raypick info --json | grep '^{' | python3 -m json.tool"""


def add(parsers: argparse._SubParsersAction[arguments.Parser]) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        "info",
        help="the content of the file, versions and engine",
        description=_DESCRIPTION,
        usage="%(prog)s [options]",
        epilog=_EPILOG,
    )
    arguments.add_frame(parser)
    arguments.add_scene(parser)
    arguments.add_running(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, _talk: Talk, _interruption: Interruption) -> dict[str, Any]:
    """Return the report; print it as text unless an option asks for JSON."""
    has_numba = compiled.state().status not in ("missing", "failed")
    with opened.scene_asked_for(options) as context:
        scene = context.scene
        opened.go_to(scene, options.frame)
        found = {
            "raypick": version(),
            "blender": bpy.app.version_string,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "engine": "numba where it pays, else numpy" if has_numba else "numpy",
            "engine_reason": compiled_code.why_not(),
            "threads": thread_count(),
            "file": bpy.data.filepath,
            "scene": scene.name,
            "view_layer": context.view_layer.name,
            "frame": scene.frame_current,
            "frames": [scene.frame_start, scene.frame_end, scene.frame_step],
            "fps": scene.render.fps / scene.render.fps_base,
            **_hittable(context),
            "cameras": _cameras(context),
            "landmarks": _landmarks(scene),
        }
    if options.json is None:
        console.report(_as_text(found), as_json=False)
    return {**found, "failed": []}


@asked_again_if_outdated
def _hittable(context: bpy.types.Context) -> dict[str, Any]:
    """Counts of all that rays can hit, with the names of attributes and vertex groups."""
    attributes: set[str] = set()
    triangles: dict[int, int] = {}
    total = 0
    with reading():
        listed = snapshot.of_context(context).listed.values()
        for each in listed:
            if id(each.mesh) not in triangles:
                with each.mesh.opened() as (evaluated, mesh):
                    triangles[id(each.mesh)] = len(mesh.loops) - 2 * len(mesh.polygons)
                    attributes |= attribute_names(evaluated, mesh)
            total += triangles[id(each.mesh)]
        return {
            "objects": sum(each.instancer is None for each in listed),
            "instances": sum(each.instancer is not None for each in listed),
            "meshes": len(triangles),
            "triangles": total,
            "triangles_of_meshes": sum(triangles.values()),
            "attributes": sorted(name for name in attributes if not name.startswith(".")),
        }


def _cameras(context: bpy.types.Context) -> list[dict[str, Any]]:
    """The cameras of a scene, with the size of their pictures, or why they have none."""
    found = []
    for obj in sorted(context.scene.objects, key=lambda obj: obj.name):
        if obj.type == "CAMERA":
            told = {"name": obj.name, "is_active": obj == context.scene.camera}
            try:
                camera = api.render_camera(context, obj)
                told |= {"width": int(camera.width), "height": int(camera.height)}
            except RaypickError as error:
                told["error"] = str(error)
            found.append(told)
    return found


def _landmarks(scene: bpy.types.Scene) -> list[dict[str, Any]]:
    holders = [obj for obj in scene.objects if storage.has_landmarks(obj)]
    found = landmarks.summary(holders)
    for each in found:
        if "error" not in each:
            each["count"] = sum(map(len, each.pop("sets").values()))
    return found


def _as_text(found: dict[str, Any]) -> dict[str, Any]:
    """What was found, for people to read."""
    cameras = [
        f"{each['name']} {each.get('error') or '{width} x {height}'.format(**each)}"
        for each in found["cameras"]
    ]
    marked = [
        f"{each['object']} {each.get('error') or each['count']}" for each in found["landmarks"]
    ]
    first, last, step = found["frames"]
    frames = f"{first}-{last}" + (f"x{step}" if step != 1 else "")
    told = {**found, "frames": frames, "cameras": cameras, "landmarks": marked}
    return {name: value for name, value in told.items() if value not in (None, "", [])}
