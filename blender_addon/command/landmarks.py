# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick landmarks``: list, import, export, track and project the landmarks of objects.

Tracking writes the points of all landmarks over frames to one table.
"""

from __future__ import annotations

import argparse
import os
from itertools import product
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import api
from ..bridge.landmarks import storage
from ..bridge.landmarks.file_frame import NO_OFFSET, SPACES, read_offset
from ..bridge.landmarks.fitting import Arguments, UnfitError
from ..bridge.landmarks.importing import AUTO
from ..bridge.landmarks.triangle_numbers import CUTS, MESHES
from ..model.landmark_files.format import AXES, SCENE, TYPED_UNITS, MarkFileError
from ..model.landmark_files.registry import format_of, formats
from ..model.safe_names import safe_name
from ..standalone_core import RaypickError
from ..standalone_core.extension import check_writable, console, write_table
from . import arguments, keypoints, opened
from .talk import Interruption, Talk

_DESCRIPTION = """\
List the landmarks of objects, or write them where they are at each frame.

--export writes the files of other tools, one for each object and frame; {object} and {frame} in its
path stand for these. --import adds the landmarks of such a file to the one --object, and saves the
.blend file with them as --out. --track writes one table of points in world space over all frames,
NaN if unknown: arrays (frames, landmarks, ...) in .npz, else a row for each frame and landmark.

--project writes one file of keypoints, with a row for each frame, camera and landmark: x and y in
pixels from the bottom left of the rendered picture, depth, whether it is inside and visible, and
what hides it. Files are .npz, .csv, .parquet, .json, or .coco.json in COCO's layout, which counts
from the top left: a category for each set, an annotation for each object and picture."""

_EPILOG = """\
formats of --export and --import, by the ending of the path or --format:
%s

examples:
  blender heads.blend --command raypick landmarks --list
  blender head.blend --command raypick landmarks --export head.mrk.json
  blender heads.blend --command raypick landmarks --export 'out/{object}_{frame}.csv' --frames 1-24
  blender head.blend --command raypick landmarks --export flame.npz --layout flame
  blender a.blend --command raypick landmarks --import head.pp --object Head --out marked.blend
  blender head.blend --command raypick landmarks --track track.npz --frames 1-240
  blender shot.blend --command raypick landmarks --project keypoints.csv --camera Left,Right
  blender shot.blend --command raypick landmarks --project shot.coco.json --frames 1-240"""

_OF_EXPORTED = ("landmarks", "missing", "unit", "axes")
_OF_API = ("format", "axes", "mesh", "triangles", "offset")


def add(parsers: argparse._SubParsersAction[arguments.Parser]) -> None:
    """Add the command."""
    listed = "\n".join(f"  {each.name:13}{' '.join(each.endings)}" for each in formats())
    parser = parsers.add_parser(
        "landmarks",
        help="list landmarks, or write and read them in files of other tools",
        description=_DESCRIPTION,
        usage="%(prog)s --list|--export|--import|--track|--project ...",
        epilog=_EPILOG % listed,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="objects, sets and landmarks")
    what.add_argument("--export", metavar="PATH", help="files of other tools")
    what.add_argument(
        "--import", metavar="FILE", dest="read", type=Path, help="a file of other tools"
    )
    table = arguments.output(".npz", ".csv", ".parquet")
    what.add_argument("--track", metavar="FILE", type=table, help="a table of points over frames")
    keypoints.add(parser, what)
    arguments.add_several(parser, "--object", "by default all that have landmarks")
    parser.add_argument("--set", metavar="NAME", help="one set alone; by default all")
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=arguments.output(),
        help="with --import, the .blend file to save",
    )
    arguments.add_frames(parser, "by default the frame that was saved as current")
    add = parser.add_argument_group("files of --export and --import").add_argument
    names = [*(each.name for each in formats()), keypoints.COCO]
    add("--format", choices=names, help="by default by the ending; coco is for --project")
    add("--space", choices=[*map(str.lower, SPACES)], default="world")
    add(
        "--unit",
        choices=(AUTO, SCENE.lower(), *TYPED_UNITS),
        default=AUTO,
        help="by default that of the format; for an import the file's, or what fits the object",
    )
    add("--axes", choices=[*AXES], help="by default those of the format")
    add(
        "--offset",
        metavar="X,Y,Z",
        type=console.read_by(read_offset),
        default=NO_OFFSET,
        help="what the file adds to positions in Blender, such as the global shift of a scan; "
        "--offset=-1,2,3 if the first is negative",
    )
    add("--far", action="store_true", help="import positions however far from the surface they are")
    add("--mesh", choices=[*map(str.lower, MESHES)], help="the mesh whose triangles are numbered")
    add("--triangles", choices=[*map(str.lower, CUTS)], help="how faces are cut into triangles")
    layouts = [f"{each.name}: {', '.join(each.layouts)}" for each in formats() if each.layouts]
    add("--layout", help=f"by default the first; {'; '.join(layouts)}")
    add("--columns", metavar="A,B", action=arguments.Several, help="columns of a table")
    arguments.add_scene(parser)
    arguments.add_running(parser)
    parser.set_defaults(run=run, check=_check)


def _check(parser: arguments.Parser, options: argparse.Namespace) -> None:
    """End with a usage error where options do not go together."""
    arguments.check_frames(parser, options)
    keypoints.check(parser, options)
    if options.read is not None and (len(options.object) != 1 or options.out is None):
        parser.error("argument --import: it needs one --object, and --out for the .blend file")
    if options.out is not None and options.read is None:
        parser.error("argument --out: it needs --import")
    if options.out is not None and options.out.suffix.lower() != ".blend":
        parser.error(f"argument --out: {options.out} must end in .blend")
    if options.export is not None and options.format is None:
        try:
            format_of(Path(options.export).name)
        except MarkFileError as error:
            parser.error(f"argument --export: {error}")


def run(options: argparse.Namespace, talk: Talk, interruption: Interruption) -> dict[str, Any]:
    """List, import, project, track or export; return what was done."""
    with opened.scene_asked_for(options) as context:
        every = sorted(context.scene.objects, key=lambda obj: obj.name)
        objects = [*map(opened.object_of_name, options.object)]
        objects = objects or [obj for obj in every if storage.has_landmarks(obj)]
        frames = arguments.frames_of(options, context.scene) or (context.scene.frame_current,)
        if options.list:
            return _list(objects, options, talk)
        if options.read is not None:
            return _import(context, objects[0], options, talk)
        if not objects:
            raise RaypickError("no object of the scene has landmarks")
        if options.project is not None:
            return keypoints.project(context, frames, options, talk, interruption)
        if options.track is not None:
            return _track(context, objects, frames, options, talk, interruption)
        return _export(context, objects, frames, options, talk, interruption)


def summary(objects: list[bpy.types.Object], set: str | None = None) -> list[dict[str, Any]]:
    """The landmark sets of objects, with the names of their landmarks, as JSON."""
    found: list[dict[str, Any]] = []
    for obj in objects:
        sets: dict[str, list[str]] = {}
        try:
            for record in api.landmarks.of(obj, set):
                sets.setdefault(record.set, []).append(record.name)
            found.append({"object": obj.name, "sets": sets})
        except RaypickError as error:
            found.append({"object": obj.name, "error": str(error)})
    return found


def _list(
    objects: list[bpy.types.Object], options: argparse.Namespace, talk: Talk
) -> dict[str, Any]:
    found = summary(objects, options.set)
    bad = [each for each in found if "error" in each]
    for each in bad:
        talk.error(f"{each['object']}: {each['error']}")
    if options.json is None:
        for each in found:
            for name, landmarks in each.get("sets", {}).items():
                print(f"{each['object']}, {name}: {', '.join(landmarks)}")
    return {"landmarks": found, "failed": bad}


def _export(
    context: bpy.types.Context,
    objects: list[bpy.types.Object],
    frames: tuple[int, ...],
    options: argparse.Namespace,
    talk: Talk,
    interruption: Interruption,
) -> dict[str, Any]:
    paths = _paths(objects, frames, options)
    made: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    for frame in frames:
        opened.go_to(context.scene, frame)
        for obj in objects:
            interruption.check()
            path, what = paths[obj.name, frame], {"object": obj.name, "frame": frame}
            talk.progress(f"{obj.name}, frame {frame}: file {len(made) + 1} of {len(paths)}")
            try:
                written = api.landmarks.export(
                    *(context, obj, path, options.set),
                    **_of_api(options),
                    unit=None if options.unit == AUTO else _unit(options),
                    layout=options.layout,
                    columns=options.columns,
                )
            except (RaypickError, RuntimeError) as error:
                talk.error(f"{obj.name}, frame {frame}: {error}")
                failed.append({**what, "error": str(error)})
                continue
            found = {name: getattr(written, name) for name in _OF_EXPORTED}
            made.append({**what, "file": str(path), **found})
    count = sum(each["landmarks"] for each in made)
    missing = sum(each["missing"] for each in made)
    unknown = f", {missing} of them missing" if missing else ""
    unit = _unit_and_axes(made[0]["unit"], made[0]["axes"]) if made else ""
    talk.say(f"{len(made)} of {len(paths)} files made, {count} landmarks{unit}{unknown}")
    return {"made": made, "failed": failed}


def _paths(
    objects: list[bpy.types.Object], frames: tuple[int, ...], options: argparse.Namespace
) -> dict[tuple[str, int], Path]:
    """The path of each object and frame; makes its folder, and checks that it can be written."""
    paths = {}
    names = [obj.name for obj in bpy.data.objects if storage.has_landmarks(obj)]
    for frame, obj in product(frames, objects):
        path = options.export.replace("{object}", safe_name(obj.name, names))
        paths[obj.name, frame] = Path(path.replace("{frame}", f"{frame:04d}"))
    if len({*map(os.path.realpath, paths.values())}) < len(paths):
        counts = {"{object}": len(objects), "{frame}": len(frames)}
        wanted = [name for name in counts if counts[name] > 1 and name not in options.export]
        hint = f": write {' and '.join(wanted)} in the path" if wanted else ""
        raise RaypickError(f"several files would have the same name{hint}")
    for path in paths.values():
        options.taken.check(str(path), path)
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        check_writable(path)
    return paths


def _import(
    context: bpy.types.Context, obj: bpy.types.Object, options: argparse.Namespace, talk: Talk
) -> dict[str, Any]:
    """Add the landmarks of a file to an object, and save the .blend file with them elsewhere."""
    given = {**_of_api(options), "unit": _unit(options), "only": options.set, "far": options.far}
    try:
        found = api.landmarks.load(context, obj, options.read.absolute(), **given)
    except UnfitError as error:
        raise RaypickError(error.told(_as_typed)) from None
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(options.out.absolute()), copy=True)
    except RuntimeError as error:
        raise RaypickError(str(error)) from None
    moved = "" if found.moved is None else f", moved by at most {found.moved:.4g}"
    equals = " | ".join(map(_as_typed, found.equals))
    talk.say(
        f"{len(found)} landmarks{_unit_and_axes(found.unit, found.axes)}{moved}, in {options.out}"
        + (f"; they fit as well with {equals}" if equals else "")
    )
    read = {"unit": found.unit, "axes": found.axes, "moved": found.moved, "equals": found.equals}
    what = {"object": obj.name, "file": str(options.read), "landmarks": len(found)}
    return {"read": [{**what, **read}], "out": str(options.out), "failed": []}


def _unit_and_axes(unit: str | None, axes: str | None) -> str:
    return f" in {'scene units' if unit == SCENE else unit}, {axes}" if unit and axes else ""


def _of_api(options: argparse.Namespace) -> dict[str, Any]:
    """The options of files as arguments of the API, to write and to read."""
    upper = {name: (getattr(options, name) or "").upper() or None for name in ("mesh", "triangles")}
    given = {name: getattr(options, name) for name in _OF_API}
    return {**given, **upper, "space": options.space.upper()}


def _unit(options: argparse.Namespace) -> str:
    unit: str = options.unit
    return TYPED_UNITS.get(unit, SCENE if unit == SCENE.lower() else unit)


def _as_typed(arguments: Arguments) -> str:
    """Arguments of the API as options of the command."""
    units = {SCENE: SCENE.lower()} | {unit: typed for typed, unit in TYPED_UNITS.items()}
    typed = []
    for name, value in arguments.items():
        text = ",".join(map(repr, value)) if name == "offset" else units.get(value, value)
        typed.append(f"--{name}" if value is True else f"--{name}={text}")
    return " ".join(typed)


def _track(
    context: bpy.types.Context,
    objects: list[bpy.types.Object],
    frames: tuple[int, ...],
    options: argparse.Namespace,
    talk: Talk,
    interruption: Interruption,
) -> dict[str, Any]:
    """Write a table of the points of landmarks; return what is in it.

    Its columns are of shape (F, N), for F frames and the N landmarks of all objects, one object
    after the other: `frame`, the numbers of `object`, `set` and `landmark`, and `point` (F, N, 3)
    in world space, NaN where it is not known. RaypickError where there are no landmarks;
    KeyboardInterrupt where the run is asked to end.
    """
    set, path = options.set, options.track
    records = [each for obj in objects for each in api.landmarks.of(obj, set)]
    if not records:
        raise RaypickError("there are no landmarks to track")
    shape = len(frames), len(records)
    points = np.empty((*shape, 3))
    for row, frame in enumerate(frames):
        interruption.check()
        opened.go_to(context.scene, frame)
        points[row] = np.concatenate([api.landmarks.points(context, obj, set) for obj in objects])
    numbers: dict[str, Any] = {"frame": np.array(frames, dtype=np.int32)[:, None]}
    names = {}
    for column, field in (("object", "object"), ("set", "set"), ("landmark", "name")):
        texts = [getattr(each, field) for each in records]
        names[column] = [*dict.fromkeys(texts)]
        place = {text: number for number, text in enumerate(names[column])}
        numbers[column] = np.array([place[text] for text in texts], dtype=np.int32)
    columns = {name: np.broadcast_to(column, shape) for name, column in numbers.items()}
    write_table(path, {**columns, "point": points}, names=names)
    talk.say(f"{len(records)} landmarks at {len(frames)} frames in {path}")
    told = {"out": str(path), "frames": len(frames), "landmarks": len(records)}
    return {**told, "missing": int(np.isnan(points[..., 0]).sum()), "failed": []}
