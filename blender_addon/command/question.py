# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file of results answers, so that a run that goes on knows what it has already."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..standalone_core.extension import read_table
from .picture_meta import read_exr_meta

Json = Any
"""What JSON can hold."""


@cache
def version() -> str:
    """The version of the extension, as its manifest has it."""
    manifest = Path(__file__).parents[1] / "blender_manifest.toml"
    return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["version"])


def question(command: str, files: Sequence[str], **asked: Json) -> dict[str, Json]:
    """All that decides what a file of results holds.

    Parameters
    ----------
    command : str
        The name of the command.
    files : sequence of str
        The digests and names of the files that it reads.
    asked
        The options of the command, as JSON.
    """
    return {
        "command": command,
        "raypick": version(),
        "blender": bpy.app.version_string,
        "files": [*files],
        **asked,
    }


def digests_of_the_file() -> list[str]:
    """Digests and names of the file that is open and of all that it is linked to.

    Empty where no file is open. What a script has changed since it was opened is not told: without
    a window Blender does not know whether a file was changed.
    """
    if not bpy.data.filepath:
        return []
    return [digest(path) for path in dict.fromkeys(_paths()) if path.is_file()]


def digest(path: Path) -> str:
    """The SHA-256 digest of a file and its name, as ``sha256sum`` writes them."""
    with path.open("rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}"


def _paths() -> Iterator[Path]:
    """The file that is open, its libraries, and the caches of geometry that it reads."""
    yield Path(bpy.data.filepath)
    for library in bpy.data.libraries:
        yield Path(bpy.path.abspath(library.filepath))
    for cached in bpy.data.cache_files:
        yield Path(bpy.path.abspath(cached.filepath, library=cached.library))


def is_answered(path: Path, asked: Mapping[str, Json]) -> bool:
    """Whether a file of results is there, is whole, and answers this question.

    A question without digests is never answered: nobody knows what was in the scene.
    """
    if not asked["files"] or not path.is_file():
        return False
    try:
        meta = _meta(path)
    except Exception:  # whatever is in a file that is none of ours
        return False
    # As JSON has it: it knows no tuples.
    return bool(meta.get("question") == json.loads(json.dumps(asked)))


def _meta(path: Path) -> Any:
    """What a file of results says of itself; some error where it is none."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            return json.loads(str(arrays["meta"]))
    if path.suffix == ".exr":
        return json.loads(read_exr_meta(path)["raypick"])
    return read_table(path).meta
