# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick survey``: what is seen at every pixel of cameras, a file for each camera and frame."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import bpy

from .. import api
from ..bridge.hit_objects import names_of
from ..bridge.view.cameras import picture
from ..model.scene_hits import SceneHits
from ..model.survey_numbers import numbered_over
from ..standalone_core import RaypickError
from ..standalone_core.extension import check_writable, console
from . import arguments, opened, results
from .talk import Interruption, Pace, Talk

NAME = "survey"

_DESCRIPTION = """\
Cast a ray through the center of every pixel of cameras, as a render has them with its border and
crop, and write a file for each camera and frame: OUT/{camera}_{frame:04d}.npz, with arrays
(height, width, ...), the bottom row first; or .exr, a picture for compositors. Characters of the
camera's name that a file cannot have become '_', and a digest of the name follows. Numbers of
objects, materials and instances mean the same in all files."""

_TOLD = "id", "face", "weights", "original", "point", "normal", "smooth"
_REMARKS = {"depth": " (along the view)", "distance": " (along the ray)"}
_OTHERS = textwrap.fill(
    ", ".join(name + _REMARKS.get(name, "") for name in arguments.PASSES if name not in _TOLD),
    width=98,
    initial_indent="  ",
    subsequent_indent="  ",
)

_EPILOG = f"""\
passes and the arrays of .npz:
  id        object: place in object_names; instance: see instance_numbers; -1 for nothing
  face      face, triangle: of the mesh with its modifiers
  weights   barycentric: of the triangle's three vertices
  original  original_face: of the mesh without modifiers, -1 where it cannot be traced
  point, normal, smooth (smooth_normal)    in world space
{_OTHERS}
  attribute:NAME    any attribute of the meshes

examples:
  blender shot.blend --command raypick survey --camera Camera --frames 1-240 \\
      --passes id,face,weights,uv,depth --out shots/
  blender shot.blend --command raypick survey --frames 1-240 --out shots/ --format exr --resume"""


def add(parsers: argparse._SubParsersAction[arguments.Parser]) -> None:
    """Add the command."""
    parser = parsers.add_parser(
        NAME,
        help="what cameras see at every pixel, over frames",
        description=_DESCRIPTION,
        usage="%(prog)s --out FOLDER [options]",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--out", metavar="FOLDER", type=arguments.folder, required=True, help="made if missing"
    )
    parser.add_argument(
        "--camera",
        metavar="A,B",
        action=arguments.Several,
        default=[],
        help="names of camera objects; by default the scene's, or at each frame its marker's",
    )
    arguments.add_frames(parser, "by default the frame that was saved as current")
    parser.add_argument("--format", choices=("npz", "exr"), default="npz", help="by default npz")
    parser.add_argument(
        "--samples",
        metavar="N",
        type=console.whole(1, 64),
        default=1,
        help="N x N rays a pixel, in a last axis of the arrays; .npz only",
    )
    parser.add_argument(
        "--resolution-percentage",
        metavar="P",
        type=console.whole(1, 32767),
        help="size of the pictures; by default that of the render",
    )
    parser.add_argument(
        "--no-clip", action="store_true", help="hit what the camera clips by its start and end too"
    )
    arguments.add_passes(parser, arguments.USUAL_SURVEY)
    arguments.add_what_is_hit(parser)
    arguments.add_scene(parser)
    arguments.add_running(parser, "keep the files that answer the same question about this file")
    parser.set_defaults(run=run, check=_check)


def _check(parser: arguments.Parser, options: argparse.Namespace) -> None:
    """End with a usage error where options do not go together."""
    arguments.check_frames(parser, options)
    if options.format == "exr" and options.samples > 1:
        parser.error("a picture has one sample a pixel: --samples needs --format npz")


def run(options: argparse.Namespace, talk: Talk, asked: Interruption) -> dict[str, Any]:
    """Make all files that are to be made; return what was done."""
    with opened.scene_asked_for(options) as context:
        scene = context.scene
        if options.resolution_percentage is not None:
            scene.render.resolution_percentage = options.resolution_percentage
        for name in options.exclude:
            opened.object_of_name(name)
        frames = arguments.frames_of(options, scene) or (scene.frame_current,)
        shots = [(frame, opened.cameras(scene, options.camera, frame)) for frame in frames]
        try:
            options.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RaypickError(f"{options.out} cannot be made: {error.strerror}") from None
        survey = _Survey(context, options, talk, asked, shots)
        is_interrupted = False
        try:
            for frame, cameras in shots:
                survey.make_frame(context, frame, cameras)
        except KeyboardInterrupt:
            is_interrupted = True
        except opened.FilesChangedError:
            pass  # the rest would not be what was asked for, as was said
    return {**survey.told(), "interrupted": is_interrupted}


class _Survey:
    """A run over frames and cameras, and what has become of each shot.

    All files that are read or to be made are looked at first: an error where the run cannot be.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        options: argparse.Namespace,
        talk: Talk,
        asked: Interruption,
        shots: Sequence[tuple[int, Sequence[str]]],
    ) -> None:
        self._options, self._talk, self._asked = options, talk, asked
        self._values: dict[str, Any] = {
            "samples": options.samples,
            "clip": not options.no_clip,
            "columns": arguments.columns_of(options.passes),
            "attributes": arguments.attributes_of(options.passes, options.attributes),
        }
        # As the file has them, before handlers and animation change them on the way to a frame.
        self._picture = picture(context.scene)
        self._objects, self._materials = names_of(bpy.data.objects), names_of(bpy.data.materials)
        names = opened.camera_names()
        self._safe = {name: results.safe_name(name, names) for name in names}
        self._made: list[str] = []
        self._kept: list[str] = []
        self._failed: list[dict[str, Any]] = []
        self._rows = 0
        self._unknown: set[str] | None = None  # attributes that no shot had so far
        self._pace = Pace()
        listed = {
            self._path(camera, frame): (camera, frame)
            for frame, cameras in shots
            for camera in cameras
        }
        self._all = sum(len(cameras) for _, cameras in shots)
        arguments.check_outputs(options, listed)
        self._files = opened.FilesRead(options.resume, talk.say)
        self._unwritable = self._not_writable(context, listed)

    def _not_writable(
        self, context: bpy.types.Context, listed: Mapping[Path, tuple[str, int]]
    ) -> set[Path]:
        """The files that are to be made and cannot be, as is said."""
        found = set()
        for path, (camera, frame) in listed.items():
            try:
                check_writable(path)
            except OSError as error:
                if not self._is_there(path, self._question(context, camera, frame)):
                    self._fail(camera, frame, error)
                    found.add(path)
        return found

    def make_frame(self, context: bpy.types.Context, frame: int, cameras: Sequence[str]) -> None:
        """Make the shots of cameras at a frame; the scene is set to it if any is missing."""
        missing = []
        for camera in cameras:
            path, asked = self._path(camera, frame), self._question(context, camera, frame)
            if path in self._unwritable:
                continue
            if self._is_there(path, asked):
                self._kept.append(str(path))
            else:
                missing.append((camera, path, asked))
        self._asked.check()
        if missing:
            opened.go_to(context.scene, frame)
        for camera, path, asked in missing:
            self._asked.check()
            try:
                self._make(context, camera, frame, path, asked)
            except (RaypickError, RuntimeError, OSError) as error:
                self._fail(camera, frame, error)
                if isinstance(error, opened.FilesChangedError):
                    raise

    def told(self) -> dict[str, Any]:
        """What was done, and say it."""
        kept = f", {len(self._kept)} were there already" if self._kept else ""
        bad = f", {len(self._failed)} failed" if self._failed else ""
        pace = f"; {self._pace.told(self._rows, 0.0)}" if self._made else ""
        self._talk.say_unknown(self._unknown or ())
        self._talk.say(f"{len(self._made)} of {self._all} files made{kept}{bad}{pace}")
        return {
            "made": self._made,
            "kept": self._kept,
            "failed": self._failed,
            "rows": self._rows,
            "seconds": round(self._pace.seconds, 3),
        }

    def _is_there(self, path: Path, asked: Mapping[str, Any]) -> bool:
        return bool(self._options.resume) and opened.is_answered(path, asked)

    def _fail(self, camera: str, frame: int, error: Exception) -> None:
        said = console.line_of(error)
        self._talk.error(f"camera {camera}, frame {frame}: {said}")
        self._failed.append({"camera": camera, "frame": frame, "error": said})

    def _make(
        self,
        context: bpy.types.Context,
        camera: str,
        frame: int,
        path: Path,
        asked: Mapping[str, Any],
    ) -> None:
        hits = self._hits(context, camera, frame)
        self._files.check()
        asked = {**asked, "files": self._files.digests}
        hits = numbered_over(hits, self._objects, self._materials)
        made = picture(context.scene)
        meta = {
            "camera": camera,
            "frame": frame,
            "resolution": [made.width, made.height],
            "border": made.border,
        }
        if self._options.format == "exr":
            results.write_picture(path, asked, hits, {**meta, "row_order": "top row first"})
        else:
            seen = api.render_camera(context, context.scene.objects[camera])
            matrices = {"view_matrix": seen.view, "projection_matrix": seen.projection}
            meta["row_order"] = "bottom row first"
            results.write_survey(path, asked, hits, meta, matrices)
        unknown = arguments.unknown_attributes(hits)
        if hits.hit.any():
            self._unknown = unknown if self._unknown is None else self._unknown & unknown
        if not self._made:
            results.remove_stale(path)
        self._made.append(str(path))
        self._rows += hits.rays

    def _hits(self, context: bpy.types.Context, camera: str, frame: int) -> SceneHits:
        """What a camera sees; KeyboardInterrupt where the run is to end."""
        made = len(self._made)
        left = self._all - len(self._kept) - len(self._failed)

        def progress(done: int, rays: int) -> bool:
            share = (made + done / max(rays, 1)) / max(left, 1)
            pace = self._pace.told(self._rows + done, share)
            number = self._all - left + made + 1
            self._talk.progress(f"{camera}, frame {frame}: file {number} of {self._all}, {pace}")
            return not self._asked.is_asked_for

        hits = api.survey(
            context,
            context.scene.objects[camera],
            progress=progress,
            **self._values,
            **arguments.what_is_hit(self._options),
        )
        self._asked.check()
        return hits

    def _path(self, camera: str, frame: int) -> Path:
        folder: Path = self._options.out
        return folder / f"{self._safe[camera]}_{frame:04d}.{self._options.format}"

    def _question(self, context: bpy.types.Context, camera: str, frame: int) -> dict[str, Any]:
        """What the file of a shot answers."""
        options = self._options
        return arguments.question(
            options,
            self._files.digests,
            {"frames", "resolution_percentage", "no_clip", "passes"},
            scene=context.scene.name,
            view_layer=context.view_layer.name,
            camera=camera,
            frame=frame,
            format=options.format,
            picture=self._picture._asdict(),
            **self._values,
        )
