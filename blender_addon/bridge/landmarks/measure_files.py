# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the current values of measures: tables, JSON, or markups of 3D Slicer."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

from ...model.hit import as_vector
from ...model.landmark_files.format import Mark, MarkFile, Measurement
from ...model.landmark_files.registry import format_named, write
from ...model.landmarks.measure import KINDS, Measured
from ...model.record import harmless
from ...standalone_core import RaypickError
from ...standalone_core.extension import atomic_write
from . import storage
from .file_frame import FileFrame, file_errors

FORMATS = {"slicer": ".mrk.json", "csv": ".csv", "json": ".json"}

COLUMNS = (
    *("object", "name", "kind", "value", "unit", "along_x", "along_y", "along_z"),
    *("exact", "landmarks", "reason"),
)


def format_of(path: str, format: str | None = None) -> str:
    """The format, given or told by the file's ending; RaypickError for any other."""
    if format is None:
        small = path.casefold()
        format = next((name for name, end in FORMATS.items() if small.endswith(end)), "")
    if format not in FORMATS:
        endings = ", ".join(FORMATS.values())
        raise RaypickError(f"measures are written as {', '.join(FORMATS)} ({endings})")
    return format


def export_to(
    path: str | os.PathLike[str],
    scene: bpy.types.Scene,
    rows: Sequence[tuple[bpy.types.Object, Measured]],
    format: str | None = None,
    unit: str | None = None,
    axes: str | None = None,
) -> None:
    """Write measures, each with the object that keeps it; RaypickError where that fails."""
    path = os.fspath(path)
    name = format_of(path, format)
    usual = format_named("csv" if name == "json" else name)
    unit = usual.unit if unit is None else unit
    axes = usual.axes if axes is None else axes
    frame = FileFrame(scene, "WORLD", unit, axes)
    data = {"slicer": _markups, "csv": _table, "json": _json}[name](rows, frame)
    with file_errors(), atomic_write(path) as file:
        file.write(data)


def _values(obj: bpy.types.Object, found: Measured, frame: FileFrame) -> dict[str, Any]:
    value, along = found.value, found.per_axis
    if value is not None:
        value = math.degrees(value) if found.is_angle else value * frame.factor
    if along is not None:
        along = as_vector(frame.to_file(np.array([along]))[0])
    return {
        "object": obj.name,
        "name": found.name,
        "kind": found.kind,
        "value": value,
        "unit": "deg" if found.is_angle else frame.unit_name,
        "along": along,
        "exact": found.exact,
        "landmarks": [*_landmarks(obj, found)],
        "reason": found.reason,
    }


def _table(rows: Sequence[tuple[bpy.types.Object, Measured]], frame: FileFrame) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    for obj, found in rows:
        values = _values(obj, found, frame)
        along = dict(zip(COLUMNS[5:8], values.pop("along") or ("", "", ""), strict=True))
        values["landmarks"] = "; ".join(values["landmarks"])
        writer.writerow({key: harmless(cell) for key, cell in values.items()} | along)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _json(rows: Sequence[tuple[bpy.types.Object, Measured]], frame: FileFrame) -> bytes:
    written = []
    for obj, found in rows:
        points = frame.to_file(np.array(found.points, np.float64).reshape(-1, 3)).tolist()
        written.append({**_values(obj, found, frame), "points": points})
    return json.dumps(written, indent=2, allow_nan=False).encode("ascii")


def _markups(rows: Sequence[tuple[bpy.types.Object, Measured]], frame: FileFrame) -> bytes:
    """Lines, angles and curves. Measures without a value are left out: a markup cannot say why."""
    files = [_markup(obj, found, frame) for obj, found in rows if found.value is not None]
    if not files:
        raise RaypickError("No measure has a value")
    with file_errors():
        return write("slicer", files)


def _markup(obj: bpy.types.Object, found: Measured, frame: FileFrame) -> MarkFile:
    points = found.points[:-1] if found.kind == "outline" else found.points
    places = frame.to_file(np.array(points, np.float64)).tolist()
    values = _values(obj, found, frame)
    names = values["landmarks"]
    labels = names if len(names) == len(places) else [""] * len(places)
    what = "angle" if found.is_angle else "length"
    return MarkFile(
        name=found.name,
        marks=tuple(map(Mark, labels, map(as_vector, places))),
        axes=frame.axes,
        unit=frame.unit_name,
        kind=KINDS[found.kind].markup,
        object=obj.name,
        measurements=(Measurement(what, values["value"], values["unit"] or ""),),
    )


def _landmarks(keeper: bpy.types.Object, found: Measured) -> Iterable[str]:
    """The names of a measure's landmarks; one of another object follows that object's name."""
    for place in found.measure.places:
        owner = keeper if place.object is None else bpy.data.objects.get(place.object)
        pair = storage.read(owner).find(place.landmark) if owner is not None else None
        name = pair[1].name if pair else ""
        yield name if place.object is None else f"{place.object}: {name}"
