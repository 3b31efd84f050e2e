# SPDX-License-Identifier: GPL-3.0-or-later
"""``raypick survey``: what is seen at every pixel of cameras, a file for each camera and frame."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from .. import api
from ..bridge.hit_objects import names_of
from ..bridge.view.cameras import picture
from ..model.safe_names import safe_name
from ..model.scene_hits import SceneHits
from ..model.survey_numbers import numbered_over
from ..standalone_core import RaypickError
from ..standalone_core.extension import check_writable, console
from . import arguments, opened, results
from .talk import Interruption, Pace, Talk

_DESCRIPTION = """\
Cast a ray through the center of every pixel of cameras, as a render has them with its border and
crop, and write a file for each camera and frame: OUT/{camera}_{frame:04d}.npz, with arrays
(height, width, ...), the bottom row first; or .exr, a picture for compositors. Characters of the
camera's name that a file cannot have become '_', and a digest of the name follows. Numbers of
objects, materials and instances mean the same in all files."""

_DEPRECATED = (
    "--format exr is deprecated since 0.2, and the next version will not have it: render with the "
    "engine Raypick (blender shot.blend -E RAYPICK -a), or write .npz, which has all digits"
)

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
        "survey",
        help="what cameras see at every pixel, over frames",
        description=_DESCRIPTION,
        usage="%(prog)s --out FOLDER [options]",
        epilog=_EPILOG,
    )
    add = parser.add_argument
    add("--out", metavar="FOLDER", type=arguments.folder, required=True, help="made if missing")
    what = "names of camera objects; by default the scene's, or at each frame its marker's"
    arguments.add_several(parser, "--camera", what)
    arguments.add_frames(parser, "by default the frame that was saved as current")
    what = "by default npz; exr is deprecated: the engine Raypick renders such files"
    add("--format", choices=("npz", "exr"), default="npz", help=what)
    arguments.add_visibility(parser)
    what = "N x N rays a pixel, in a last axis of the arrays; .npz only"
    add("--samples", metavar="N", type=console.whole(1, 64), default=1, help=what)
    what = "size of the pictures; by default that of the render"
    add("--resolution-percentage", metavar="P", type=console.whole(1, 32767), help=what)
    add("--no-clip", action="store_true", help="hit what the camera clips by its start and end too")
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
    if options.visibility == "render" and options.selectable_only:
        parser.error("argument --selectable-only: it is for --visibility viewport")


def run(options: argparse.Namespace, talk: Talk, interruption: Interruption) -> dict[str, Any]:
    """Make the files of all shots; return what was done."""
    with opened.scene_asked_for(options) as context:
        scene = context.scene
        if options.resolution_percentage is not None:
            scene.render.resolution_percentage = options.resolution_percentage
        arguments.check_names(options)
        frames = arguments.frames_of(options, scene) or (scene.frame_current,)
        listed = [(frame, opened.cameras(scene, options.camera, frame)) for frame in frames]
        shots = [(frame, camera) for frame, cameras in listed for camera in cameras]
        try:
            options.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RaypickError(f"{options.out} cannot be made: {error.strerror}") from None
        if options.format == "exr":
            talk.say(_DEPRECATED)
        survey = _Survey(context, options, talk, interruption, shots)
        is_interrupted = False
        try:
            survey.make()
        except KeyboardInterrupt:
            is_interrupted = True
        except opened.FilesChangedError:
            pass  # already reported; the remaining shots would be wrong
    return {**survey.told(), "interrupted": is_interrupted}


class _Shot(NamedTuple):
    """A camera at a frame, and the path of its file."""

    frame: int
    camera: str
    path: Path


class _Survey:
    """A run over frames and cameras, and what has become of each shot.

    All files to read or to make are checked first, with an error if the run is not possible.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        options: argparse.Namespace,
        talk: Talk,
        interruption: Interruption,
        shots: Sequence[tuple[int, str]],
    ) -> None:
        self._context, self._options, self._talk, self._interruption = (
            context,
            options,
            talk,
            interruption,
        )
        self._values: dict[str, Any] = {
            "samples": options.samples,
            "clip": not options.no_clip,
            "visibility": options.visibility,
            **arguments.values_of(options),
        }
        # As the file has them, before handlers and animation change them on the way to a frame.
        self._picture = picture(context.scene)
        self._objects, self._materials = names_of(bpy.data.objects), names_of(bpy.data.materials)
        self._made: list[str] = []
        self._kept: list[str] = []
        self._failed: list[dict[str, Any]] = []
        self._rows = 0
        self._unknown: set[str] | None = None  # attributes that no shot had so far
        self._pace = Pace()
        names = [obj.name for obj in bpy.data.objects if obj.type == "CAMERA"]
        safe = {name: safe_name(name, names) for name in names}
        self._shots = [
            _Shot(frame, camera, options.out / f"{safe[camera]}_{frame:04d}.{options.format}")
            for frame, camera in shots
        ]
        for shot in self._shots:
            options.taken.check(str(shot.path), shot.path)
        self._files = opened.FilesRead(options.resume, talk.say)
        self._unwritable = {shot for shot in self._shots if not self._is_writable(shot)}

    def _is_writable(self, shot: _Shot) -> bool:
        """Whether a shot's file can be written or is complete; if neither, report it."""
        try:
            check_writable(shot.path)
        except OSError as error:
            if not self._is_there(shot, self._question(shot)):
                self._fail(shot, error)
                return False
        return True

    def make(self) -> None:
        """Make all shots that are missing; the scene is set to their frames alone."""
        for frame, shots in groupby(self._shots, key=lambda shot: shot.frame):
            missing = []
            for shot in shots:
                question = self._question(shot)
                if shot in self._unwritable:
                    continue
                if self._is_there(shot, question):
                    self._kept.append(str(shot.path))
                else:
                    missing.append((shot, question))
            self._interruption.check()
            if missing:
                opened.go_to(self._context.scene, frame)
            for shot, question in missing:
                self._interruption.check()
                self._try(shot, question)

    def told(self) -> dict[str, Any]:
        """Say what was done, and return it."""
        kept = f", {len(self._kept)} were there already" if self._kept else ""
        bad = f", {len(self._failed)} failed" if self._failed else ""
        pace = f"; {self._pace.told(self._rows, 0.0)}" if self._made else ""
        self._talk.say_unknown(self._unknown or ())
        self._talk.say(f"{len(self._made)} of {len(self._shots)} files made{kept}{bad}{pace}")
        return {
            "made": self._made,
            "kept": self._kept,
            "failed": self._failed,
            "rows": self._rows,
            "seconds": round(self._pace.seconds, 3),
        }

    def _is_there(self, shot: _Shot, question: Mapping[str, Any]) -> bool:
        return bool(self._options.resume) and opened.is_answered(shot.path, question)

    def _fail(self, shot: _Shot, error: Exception) -> None:
        said = console.line_of(error)
        self._talk.error(f"camera {shot.camera}, frame {shot.frame}: {said}")
        self._failed.append({"camera": shot.camera, "frame": shot.frame, "error": said})

    def _try(self, shot: _Shot, question: Mapping[str, Any]) -> None:
        """Make a shot; FilesChangedError where no further one can be made."""
        try:
            self._make(shot, question)
        except (RaypickError, RuntimeError, OSError) as error:
            self._fail(shot, error)
            if isinstance(error, opened.FilesChangedError):
                raise

    def _make(self, shot: _Shot, question: Mapping[str, Any]) -> None:
        path, scene = shot.path, self._context.scene
        hits = self._hits(shot)
        self._files.check()
        question = {**question, "files": self._files.digests}
        hits = numbered_over(hits, self._objects, self._materials)
        made = picture(scene)
        meta = {
            "camera": shot.camera,
            "frame": shot.frame,
            "resolution": [made.width, made.height],
            "border": made.border,
        }
        if self._options.format == "exr":
            results.write_picture(path, question, hits, {**meta, "row_order": "top row first"})
        else:
            seen = api.render_camera(self._context, scene.objects[shot.camera])
            matrices = {"view_matrix": seen.view, "projection_matrix": seen.projection}
            meta["row_order"] = "bottom row first"
            results.write_survey(path, question, hits, meta, matrices)
        unknown = arguments.unknown_attributes(hits)
        if hits.hit.any():
            self._unknown = unknown if self._unknown is None else self._unknown & unknown
        if not self._made:
            results.remove_stale(path)
        self._made.append(str(path))
        self._rows += hits.rays

    def _hits(self, shot: _Shot) -> SceneHits:
        """What a camera sees; KeyboardInterrupt where the run is to end."""
        made, every = len(self._made), len(self._shots)
        left = every - len(self._kept) - len(self._failed)
        number = len(self._kept) + len(self._failed) + made + 1
        file = f"{shot.camera}, frame {shot.frame}: file {number} of {every}"

        def progress(done: int, rays: int) -> bool:
            share = (made + done / max(rays, 1)) / max(left, 1)
            self._talk.progress(f"{file}, {self._pace.told(self._rows + done, share)}")
            return not self._interruption.is_asked_for

        camera = self._context.scene.objects[shot.camera]
        how = arguments.what_is_hit(self._options) | arguments.MISSING
        hits = api.survey(self._context, camera, progress=progress, **self._values, **how)
        self._interruption.check()
        return hits

    def _question(self, shot: _Shot) -> dict[str, Any]:
        """The question that the file of a shot answers."""
        return arguments.question(
            self._options,
            self._files.digests,
            {"frames", "resolution_percentage", "no_clip", "passes"},
            scene=self._context.scene.name,
            view_layer=self._context.view_layer.name,
            camera=shot.camera,
            frame=shot.frame,
            format=self._options.format,
            picture=self._picture._asdict(),
            **self._values,
        )
