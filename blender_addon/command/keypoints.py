# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick landmarks --project``: landmarks in the pictures of cameras, in one file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import api
from ..api.keypoints import wanted_sets
from ..bridge.landmarks.projecting import Marked, boxes_in, view_of
from ..bridge.render.shown import asked
from ..bridge.scene.snapshot import Snapshot
from ..model.keypoint_files import coco, plain, table
from ..model.keypoints import Box, Keypoints, joined
from ..model.safe_names import safe_name
from ..standalone_core.extension import atomic_write, write_table
from . import arguments, opened
from .talk import Interruption, Talk

COCO = "coco"

_ENDING = f".{COCO}.json"
_IMAGES = "{camera}_{frame}.png"


def add(parser: arguments.Parser, what: argparse._ActionsContainer) -> None:
    """Add the options to those of ``landmarks``; `what` is the group of what it can do."""
    file = arguments.output(".npz", ".csv", ".parquet", ".json")
    said = "a table of keypoints: landmarks in pictures of cameras, and whether they are visible"
    what.add_argument("--project", metavar="FILE", type=file, help=said)
    cameras = "names of camera objects; by default the scene's, or at each frame its marker's"
    group = parser.add_argument_group("pictures of --project")
    arguments.add_several(group, "--camera", cameras)
    arguments.add_visibility(group)
    names = f"in COCO's layout, the names of the pictures; by default {_IMAGES}"
    group.add_argument("--images", metavar="PATTERN", default=_IMAGES, help=names)


def check(parser: arguments.Parser, options: argparse.Namespace) -> None:
    """End with a usage error where options do not go together."""
    if options.project is None:
        if options.format == COCO:
            parser.error("argument --format: coco needs --project")
        if options.camera:
            parser.error("argument --camera: it needs --project")
        if options.visibility != "viewport":
            parser.error("argument --visibility: it needs --project")
    elif options.format not in (None, COCO):
        parser.error(f"argument --format: {options.format} needs --export or --import")
    elif options.format == COCO and options.project.suffix.lower() != ".json":
        parser.error(f"argument --project: {options.project} must end in .json for coco")


def project(
    context: bpy.types.Context,
    frames: Sequence[int],
    options: argparse.Namespace,
    talk: Talk,
    interruption: Interruption,
) -> dict[str, Any]:
    """Write the keypoints of all cameras and frames; return what is in the file.

    RaypickError where there are no landmarks or cameras; KeyboardInterrupt where the run is asked
    to end.
    """
    scene, path = context.scene, options.project
    wanted = wanted_sets(context, options.object or None, options.set)
    objects = [*dict.fromkeys(obj for obj, _ in wanted)]  # of all frames, whatever is there then
    is_coco = options.format == COCO or path.name.lower().endswith(_ENDING)
    parts, boxes = list[Keypoints](), list[list[Box | None]]()
    for number, frame in enumerate(frames, 1):
        interruption.check()
        talk.progress(f"frame {frame}: {number} of {len(frames)}")
        opened.go_to(scene, frame)
        cameras = [scene.objects[name] for name in opened.cameras(scene, options.camera, frame)]
        given = {"set": options.set, "object": objects, "visibility": options.visibility}
        parts.append(api.landmarks.project(context, cameras, **given))
        if is_coco:
            boxes += asked(context, options.visibility, partial(_boxes, cameras, wanted))
    found = joined(parts)
    if is_coco:
        info = {"description": "landmarks", "raypick": opened.version()}
        sizes = [len(group.landmarks) for _, group in wanted]
        _write_json(path, coco(found, sizes, boxes, _files(found, options.images), info))
    elif path.suffix.lower() == ".json":
        _write_json(path, plain(found))
    else:
        columns, names = table(found)
        pictures = [each._asdict() for each in found.pictures]
        write_table(path, columns, names=names, meta={"pictures": pictures})
    return _told(found, path, len(frames), talk)


def _boxes(
    cameras: Sequence[bpy.types.Object],
    wanted: Sequence[Marked],
    depsgraph: bpy.types.Depsgraph,
    shown: Snapshot,
) -> list[list[Box | None]]:
    """The boxes around the objects of landmarks, for each camera."""
    return boxes_in(shown, [view_of(depsgraph, each) for each in cameras], wanted)


def _files(found: Keypoints, pattern: str) -> list[str]:
    """The names of the pictures' files, with cameras called as ``survey`` calls them."""
    names = [obj.name for obj in bpy.data.objects if obj.type == "CAMERA"]
    safe = {name: safe_name(name, names) for name in names}
    return [
        pattern.replace("{camera}", safe[each.camera]).replace("{frame}", f"{each.frame:04d}")
        for each in found.pictures
    ]


def _write_json(path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content, allow_nan=False)
    with atomic_write(path) as file:
        file.write(text.encode())


def _told(found: Keypoints, path: Path, frames: int, talk: Talk) -> dict[str, Any]:
    """Say what was done, and return it."""
    pictures, landmarks = found.shape
    inside, visible = (int(np.count_nonzero(found[name])) for name in ("inside", "visible"))
    talk.say(
        f"{landmarks} landmarks in {pictures} pictures in {path}: "
        f"{inside} inside, {visible} of them visible"
    )
    told = {"out": str(path), "frames": frames, "pictures": pictures, "landmarks": landmarks}
    missing = int(np.isnan(found["depth"]).sum())
    return {**told, "inside": inside, "visible": visible, "missing": missing, "failed": []}
