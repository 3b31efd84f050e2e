# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file of results answers, so that a run that goes on knows what it has already."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bpy

from ..standalone_core.extension import read_meta, read_table
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
    if path.suffix == ".exr":
        return json.loads(read_exr_meta(path)["raypick"])
    return read_meta(path) if path.suffix == ".npz" else read_table(path).meta
