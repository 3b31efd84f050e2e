# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that the open Blender file refers to, and that may change its surfaces.

These are the paths that Blender lists, without sounds, strips of the sequencer, and images and
movies that change no surface, such as textures of materials. Added are files that Blender does not
list: those of import nodes, baked simulations, Alembic layers, and files that USD files refer to.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ..standalone_core.extension import imported
from . import import_nodes

_HARMLESS = (
    *(bpy.types.Material, bpy.types.World, bpy.types.Light, bpy.types.FreestyleLineStyle),
    *(bpy.types.Camera, bpy.types.Scene, bpy.types.Screen, bpy.types.Brush),
)
_HARMLESS_NODES = ("ShaderNodeTree", "CompositorNodeTree")

_TILES = {"<UDIM>": r"\d{4}", "<UVTILE>": r"u\d+_v\d+"}
_FRAME = re.compile(r"\d+(?=\D*$)")


class NamedFile(NamedTuple):
    """A path that the Blender file names: of a file, a folder, or one of a sequence.

    If it `may_be_cached`, Blender may not read it again when another Blender file is opened.
    """

    path: Path
    is_sequence: bool = False
    may_be_cached: bool = False

    def members(self) -> list[Path]:
        """All files that it stands for, and itself unless it is a folder."""
        if self.path.is_dir():
            return sorted(each for each in self.path.rglob("*") if each.is_file())
        pattern = self._pattern()
        if pattern is None:
            return [self.path]
        try:
            names = {*filter(re.compile(pattern).fullmatch, os.listdir(self.path.parent))}
        except OSError:
            names = set()
        return [self.path.with_name(name) for name in sorted({*names, self.path.name})]

    def _pattern(self) -> str | None:
        """The regular expression of a sequence's names; None for a single file."""
        name = self.path.name
        for mark, numbers in _TILES.items():
            if mark in name:
                return re.escape(name).replace(re.escape(mark), numbers)
        number = _FRAME.search(self.path.stem) if self.is_sequence else None
        if number is None:
            return None
        return re.escape(name[: number.start()]) + r"\d+" + re.escape(name[number.end() :])


def named_files() -> tuple[list[NamedFile], list[str]]:
    """The open file, then those that may change its surfaces, each once; why others are unknown."""
    imported, unknown = import_nodes.paths_of(bpy.data.objects)
    imported = {*map(os.path.normpath, imported)}
    paths = [_absolute(bpy.data.filepath), *sorted({*_listed(), *_caches(), *imported})]
    sequences = {*_sequences()}
    for path in [*paths]:
        try:
            paths += _layers_of_usd(path)
        except import_nodes.UnknownFileError as error:
            unknown.append(str(error))
    kept = {*imported, *(_absolute(each.filepath, each) for each in bpy.data.volumes)}
    each_once = dict.fromkeys(paths)
    return [NamedFile(Path(path), path in sequences, path in kept) for path in each_once], unknown


def _absolute(path: str, owner: Any = None) -> str:
    library = None if owner is None else owner.library
    return os.path.normpath(bpy.path.abspath(path, library=library))


def _listed() -> set[str]:
    """The paths that Blender lists, without those that change no surface."""
    listed = {*map(_absolute, bpy.utils.blend_paths(absolute=True, packed=True))}
    users = bpy.data.user_map(subset=[*bpy.data.images, *bpy.data.movieclips])
    if hasattr(bpy.data, "file_path_map"):
        by_owner = bpy.data.file_path_map()
    else:  # before Blender 4.4, of images and such alone
        owners = (*bpy.data.images, *bpy.data.movieclips, *bpy.data.sounds)
        by_owner = {each: {each.filepath} for each in owners}
    idle, used = set[str](), set[str]()
    for owner, paths in by_owner.items():
        is_idle = isinstance(owner, (bpy.types.Sound, bpy.types.Scene)) or (
            owner in users and all(map(_is_harmless, users[owner]))
        )
        (idle if is_idle else used).update(_absolute(path, owner) for path in paths)
    return listed - (idle - used)


def _is_harmless(user: bpy.types.ID) -> bool:
    """Whether a user of an image has no surface that the image could move."""
    if isinstance(user, bpy.types.NodeTree):
        return user.bl_idname in _HARMLESS_NODES
    return isinstance(user, _HARMLESS)


def _sequences() -> Iterator[str]:
    for each in (*bpy.data.images, *bpy.data.movieclips):
        if each.source == "SEQUENCE":
            yield _absolute(each.filepath, each)
    for each in (*bpy.data.cache_files, *bpy.data.volumes):
        if each.is_sequence:
            yield _absolute(each.filepath, each)
            for layer in getattr(each, "layers", ()):
                yield _absolute(layer.filepath, each)


def _caches() -> Iterator[str]:
    """Layers of caches, and folders of baked simulations."""
    for each in bpy.data.cache_files:
        for layer in each.layers:
            yield _absolute(layer.filepath, each)
    files = [_absolute(bpy.data.filepath)]
    files += [_absolute(each.filepath, each) for each in bpy.data.libraries]
    for folder in {os.path.dirname(file) for file in files}:
        for file in files:  # where bakes go that have no folder of their own
            stem = os.path.splitext(os.path.basename(file))[0]
            yield os.path.join(folder, f"blendcache_{stem}")
    for obj in bpy.data.objects:
        for each in (*obj.modifiers, *obj.particle_systems):
            for path in (*_point_caches_of(each), *_bakes_of(each)):
                yield _absolute(path, obj)
    for scene in bpy.data.scenes:
        for path in _point_caches_of(scene.rigidbody_world):
            yield _absolute(path, scene)


def _point_caches_of(holder: Any) -> Iterator[str]:
    """Folders of external point caches, of a simulation or of its surfaces."""
    canvas = getattr(holder, "canvas_settings", None)
    for each in (holder, *(canvas.canvas_surfaces if canvas else ())):
        cache = getattr(each, "point_cache", None)
        for item in cache.point_caches if cache else ():
            if item.use_external:
                yield item.filepath


def _bakes_of(holder: Any) -> Iterator[str]:
    """Folders that nodes of a modifier were baked to."""
    for bake in getattr(holder, "bakes", ()):
        if bake.use_custom_path and bake.directory:
            yield from (os.path.join(bake.directory, name) for name in ("meta", "blobs"))
        elif holder.bake_directory:
            yield os.path.join(holder.bake_directory, str(bake.bake_id))


def _layers_of_usd(path: str) -> list[str]:
    """The files that a USD file names; UnknownFileError if it cannot be read here."""
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".usd", ".usda", ".usdc") or not os.path.isfile(path):
        return []
    try:
        usd = imported("pxr.UsdUtils")
        layers, assets, missing = usd.ComputeAllDependencies(path)
    except ImportError:
        content = Path(path).read_bytes()
        if not content.startswith(b"PXR-USDC") and b"@" not in content:
            return []
        raise import_nodes.UnknownFileError(
            f"{path} may name other files, which the module pxr alone can read: "
            "pip install usd-core"
        ) from None
    except Exception as error:  # whatever pxr raises for a file that is damaged
        raise import_nodes.UnknownFileError(f"{path} cannot be read: {error}") from None
    return [*(layer.realPath for layer in layers), *map(str, (*assets, *missing))]
