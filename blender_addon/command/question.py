# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file of results answers, so that a run that goes on knows what it has already."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bpy

from ..standalone_core.extension import is_answer

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
    return bool(asked["files"]) and is_answer(path, asked)
