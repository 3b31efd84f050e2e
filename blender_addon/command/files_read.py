# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that decide what surfaces the open Blender file shows, and their digests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import bpy


def digests_of_the_file() -> list[str]:
    """Digests and names of the open file and of those that its surfaces are made from.

    Empty where no file is open. What a script has changed since it was opened is not told: without
    a window Blender does not know whether a file was changed.
    """
    return [digest(path) for path in paths_of_the_file() if path.is_file()]


def paths_of_the_file() -> list[Path]:
    """The open file and those that its surfaces are made from; empty where no file is open."""
    return [*dict.fromkeys(_paths())] if bpy.data.filepath else []


def digest(path: Path) -> str:
    """The SHA-256 digest of a file and its name, as ``sha256sum`` writes them."""
    with path.open("rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}"


def _paths() -> Iterator[Path]:
    """The open file, its libraries, caches, fonts, and images that move surfaces."""
    yield Path(bpy.data.filepath)
    for library in bpy.data.libraries:
        yield _absolute(library.filepath, None)
    for kept in (*bpy.data.cache_files, *bpy.data.fonts, *_images_of_surfaces()):
        yield _absolute(kept.filepath, kept.library)
    for obj in bpy.data.objects:
        for modifier in obj.modifiers:
            if isinstance(modifier, bpy.types.MeshCacheModifier):
                yield _absolute(modifier.filepath, obj.library)


def _images_of_surfaces() -> list[bpy.types.Image]:
    """Images in files that more than materials use: modifiers, and nodes of geometry."""
    images = [image for image in bpy.data.images if image.packed_file is None]
    users = bpy.data.user_map(subset=images)
    return [image for image in images if any(map(_makes_surfaces, users[image]))]


def _makes_surfaces(user: bpy.types.ID) -> bool:
    if isinstance(user, bpy.types.NodeTree):
        return user.bl_idname == "GeometryNodeTree"
    return isinstance(user, (bpy.types.Texture, bpy.types.Object))


def _absolute(path: str, library: bpy.types.Library | None) -> Path:
    return Path(bpy.path.abspath(path, library=library))
