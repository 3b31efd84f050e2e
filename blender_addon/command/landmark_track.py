# SPDX-License-Identifier: GPL-3.0-or-later
"""Where landmarks are over frames, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import api
from ..standalone_core import RaypickError
from ..standalone_core.extension import write_table
from . import opened
from .interruption import Interruption


def write_track(
    path: Path,
    context: bpy.types.Context,
    objects: Sequence[bpy.types.Object],
    set: str | None,
    frames: Sequence[int],
    asked: Interruption,
) -> dict[str, Any]:
    """Write a table of the points of landmarks; return what is in it.

    Its columns are of shape (F, N), for F frames and the N landmarks of all objects, one object
    after the other: `frame`, the numbers of `object`, `set` and `landmark`, and `point` (F, N, 3)
    in world space, NaN where it is not known. RaypickError where there are no landmarks;
    KeyboardInterrupt where the run is asked to end.
    """
    records = [each for obj in objects for each in api.landmarks.of(obj, set)]
    if not records:
        raise RaypickError("there are no landmarks to track")
    points = np.empty((len(frames), len(records), 3))
    for row, frame in enumerate(frames):
        asked.check()
        opened.go_to(context.scene, frame)
        points[row] = np.concatenate([api.landmarks.points(context, obj, set) for obj in objects])
    shape = points.shape[:2]
    columns: dict[str, Any] = {
        "frame": np.broadcast_to(np.array(frames, dtype=np.int32)[:, None], shape)
    }
    names = {}
    for column, texts in (
        ("object", [each.object for each in records]),
        ("set", [each.set for each in records]),
        ("landmark", [each.name for each in records]),
    ):
        names[column], ids = _numbered(texts)
        columns[column] = np.broadcast_to(ids, shape)
    write_table(path, {**columns, "point": points}, names=names)
    return {
        "out": str(path),
        "frames": shape[0],
        "landmarks": shape[1],
        "missing": int(np.isnan(points[..., 0]).sum()),
    }


def _numbered(texts: Sequence[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int32]]]:
    """Texts, each once, and which of them stand where."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return [*numbers], np.array([numbers[text] for text in texts], dtype=np.int32)
