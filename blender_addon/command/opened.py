# SPDX-License-Identifier: GPL-3.0-or-later
"""The file that is open: its scene, view layer, cameras and frame as a command asks for them.

A result has digests of the files that it was made from. These would be wrong if a file was saved
again after Blender had read it. So the Blender file must have the stamp that it had before it was
loaded, no other file may have changed since then, and none may change until a result is written.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..registration import Handlers
from ..standalone_core import RaypickError
from ..standalone_core.extension import is_answer, stamp_of
from .named_files import NamedFile, named_files


@contextmanager
def scene_asked_for(options: argparse.Namespace) -> Iterator[bpy.types.Context]:
    """A context with the scene and view layer that are named; RaypickError if one is missing.

    Afterwards, the scene has its former frame, camera and resolution percentage again.
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
    """Set a scene to a frame, or to its current one without the subframe, as a render does.

    The current frame is set again, too, so that handlers of frame changes run every time.
    """
    scene.frame_set(scene.frame_current if frame is None else frame)


def cameras(scene: bpy.types.Scene, names: Iterable[str], frame: int) -> list[str]:
    """The cameras of some names, or the scene's own at a frame; RaypickError if there is none."""
    wanted = [*dict.fromkeys(names)]
    for name in wanted:
        found = scene.objects.get(name)
        if found is None:
            known = ", ".join(sorted(obj.name for obj in scene.objects if obj.type == "CAMERA"))
            raise RaypickError(
                f"the scene {scene.name!r} has no camera {name!r}; its cameras: {known or 'none'}"
            )
        if found.type != "CAMERA":
            raise RaypickError(f"{name!r} is no camera")
    if wanted:
        return wanted
    camera = _bound(scene, frame) or scene.camera
    if camera is None:
        raise RaypickError(f"the scene {scene.name!r} has no camera: name one with --camera")
    return [camera.name]


def _bound(scene: bpy.types.Scene, frame: int) -> bpy.types.Object | None:
    """The camera that markers bind to a frame, as Blender finds it when it goes there.

    The last marker up to the frame binds it, or else the first one. Cameras that are not rendered
    do not count.
    """
    bound = [(each.frame, each.camera) for each in scene.timeline_markers]
    bound = [(begin, camera) for begin, camera in bound if camera and not camera.hide_render]
    past = [each for each in bound if each[0] <= frame]
    if past:
        return max(past, key=lambda each: each[0])[1]
    return min(bound, key=lambda each: each[0])[1] if bound else None


def object_of_name(name: str) -> bpy.types.Object:
    """The object of a name; RaypickError if there is none."""
    found = bpy.data.objects.get(name)
    if found is None:
        raise RaypickError(f"there is no object {name!r}")
    return found


def _named(things: Any, name: str | None, kind: str) -> Any:
    if name is None:
        return None
    found = things.get(name)
    if found is None:
        known = ", ".join(each.name for each in things)
        raise RaypickError(f"there is no {kind} {name!r}; there is: {known}")
    return found


class FilesChangedError(RaypickError):
    """Files have, or may have, changed since they were loaded."""


class _Loaded(NamedTuple):
    """The stamp of a Blender file before it was read, and when it was taken, in nanoseconds."""

    stamp: Any
    moment: int


_began = time.time_ns()
"""When this process began to read files, or a little later."""

_loading: _Loaded | None = None
_loaded: _Loaded | None = None
"""Of the open file; None if its loading was not watched."""


def _note_loading(path: str, *_: object) -> None:
    global _loading
    moment = time.time_ns()
    _loading = _Loaded(stamp_of(bpy.path.abspath(path)) if path else None, moment)


def _note_loaded(*_: object) -> None:
    global _loaded
    _loaded = _loading


def _note_saved(path: str, *_: object) -> None:
    global _loaded
    stamp = stamp_of(bpy.data.filepath) if bpy.data.filepath else None
    if _loaded is not None and stamp == stamp_of(path):  # not a copy under another name
        _loaded = _loaded._replace(stamp=stamp)


_HANDLERS = Handlers(load_pre=_note_loading, load_post=_note_loaded, save_post=_note_saved)


def watch() -> None:
    """Watch which files Blender loads, and take their stamps before."""
    _HANDLERS.register()


def unwatch() -> None:
    """Stop watching."""
    global _loading, _loaded
    _loading = _loaded = None
    _HANDLERS.unregister()


def paths_of_the_file() -> list[Path]:
    """The open file and all that it is made from; empty where no file is open."""
    if not bpy.data.filepath:
        return []
    return [path for each in named_files()[0] for path in each.members()]


def digest(path: Path) -> str:
    """The SHA-256 digest of a file and its name, as ``sha256sum`` writes them."""
    with path.open("rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}"


class FilesRead:
    """Watches the open file, and all files that it is made from, until results are written.

    If it is unknown what was read, raise FilesChangedError if it `must_be_known`, or else print a
    message and go on. `more` has the digests of other files that results are made from.
    """

    def __init__(
        self, must_be_known: bool, say: Callable[[str], None], more: Sequence[str] = ()
    ) -> None:
        self._must_be_known, self._say = must_be_known, say
        self._named: list[NamedFile] = []
        self._stamps: dict[Path, Any] = {}
        self.digests: list[str] = []
        """Digests and names; empty where they are unknown, or no file is open."""
        if bpy.data.filepath:
            try:
                self._named, unknown = named_files()
                self._stamps = self._now()
                _check_loaded(*self._named)
                if unknown:
                    raise FilesChangedError(unknown[0])
                self.digests = [*_digests(self._named), *more]
            except FilesChangedError as error:
                self._give_up(str(error))
            except OSError as error:
                self._give_up(f"{error.filename} cannot be read: {error.strerror}")
            self.check()

    def check(self) -> None:
        """If a file has changed since this watch began, raise FilesChangedError or say so."""
        now = self._now() if self.digests else self._stamps
        for path in now.keys() | self._stamps.keys():
            if now.get(path) != self._stamps.get(path):
                self._give_up(f"{path} has changed since it was loaded")
                break

    def _now(self) -> dict[Path, Any]:
        return {path: stamp_of(path) for each in self._named for path in each.members()}

    def _give_up(self, reason: str) -> None:
        if self._must_be_known:
            raise FilesChangedError(f"--resume cannot tell what was read: {reason}") from None
        self.digests = []
        self._say(f"{reason}: no run will resume these results")


def _check_loaded(file: NamedFile, *others: NamedFile) -> None:
    """FilesChangedError if the open file, or another, may have changed since it was loaded."""
    if _loaded is None:
        raise FilesChangedError(f"{file.path} was opened before Raypick was enabled")
    if _loaded.stamp is None or stamp_of(file.path) != _loaded.stamp:
        raise FilesChangedError(f"{file.path} has changed since it was loaded")
    for each in others:
        for path in filter(Path.is_file, each.members()):
            told = os.stat(path)
            changed = max(told.st_mtime_ns, told.st_ctime_ns)
            if changed > _loaded.moment:
                raise FilesChangedError(f"{path} has changed since {file.path.name} was loaded")
            if each.may_be_cached and changed > _began:
                raise FilesChangedError(f"{path} has changed since Blender began to read files")


def _digests(named: list[NamedFile]) -> list[str]:
    """The digests of files, the open one's first; a folder or sequence has a single one."""
    found: list[str] = []
    for each in named:
        members = [path for path in each.members() if path.is_file()]
        if members in ([], [each.path]):
            found += map(digest, members)
            continue
        whole = hashlib.sha256()
        for path in members:
            name = path.relative_to(each.path.parent).as_posix()
            whole.update(f"{digest(path)} {name}\n".encode("utf-8", "surrogateescape"))
        found.append(f"{whole.hexdigest()}  {each.path.name}")
    first, *others = found
    return [first, *sorted(others)]  # in an order that does not depend on folders


@cache
def version() -> str:
    """The version of the extension, as its manifest has it."""
    manifest = Path(__file__).parents[1] / "blender_manifest.toml"
    return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["version"])


def is_answered(path: Path, asked: Mapping[str, Any]) -> bool:
    """Whether a file of results is there, is whole, and answers this question.

    A question without digests is never answered: the scene of the results is unknown.
    """
    return bool(asked["files"]) and is_answer(path, asked)
