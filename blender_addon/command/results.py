# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the hits of many rays to files: tables with the names of what was hit, and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.batch.columns import ATTRIBUTE, COLUMNS
from ..model.columns import Array
from ..model.safe_names import safe_name
from ..model.scene_hits import SceneHits
from ..model.survey_numbers import HALF, numbered
from ..standalone_core.extension import write_answer, write_picture_answer

# Seconds after its last change when a temporary file counts as abandoned.
_ABANDONED = 3600.0

NUMBERS = (
    "numbers are counted from 1, and 0 where there is none; front is 1 or 0; "
    f"an instance has the number X + {HALF} Y"
)
FLOATS = "single precision; NaN, or an infinite depth and distance, where nothing is hit"


def write_hits(path: Path, question: Any, hits: SceneHits, meta: Mapping[str, Any]) -> None:
    """Write a table of hits, with the names of its ids."""
    table = hits.instances
    arrays: dict[str, Array] = {
        "instance_object": table.object,
        "instance_matrix_world": table.matrix_world,
    }
    if hits.splits is not None:
        arrays["splits"] = hits.splits
    told = {**meta, **_libraries(hits)}
    write_answer(path, question, dict(hits), names=hits.texts, extra=arrays, meta=told)


def write_survey(
    path: Path, question: Any, hits: SceneHits, meta: Mapping[str, Any], extra: Mapping[str, Array]
) -> None:
    """Write a table of hits, with instance numbers that are the same in all files."""
    columns, names, instances = numbered(hits)
    told = {**meta, **_libraries(hits)}
    write_answer(path, question, columns, names=names, extra={**extra, **instances}, meta=told)


def write_picture(path: Path, question: Any, hits: SceneHits, meta: Mapping[str, Any]) -> None:
    """Write a picture of hits (H, W), with the names of its numbers in the header."""
    columns, names, instances = numbered(hits)
    told = {**meta, **_libraries(hits), "whole_numbers": NUMBERS, "floats": FLOATS}
    told |= {f"{column}_names": texts for column, texts in names.items()}
    del instances["instance_matrix_world"]
    told |= {name: array.tolist() for name, array in instances.items()}
    counted = columns["instance"].astype(np.uint64) + np.uint64(1)
    columns["instance"] = np.stack([counted % HALF, counted // HALF], axis=-1)
    write_picture_answer(path, question, dict(_channels(columns)), told)


def _channels(columns: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """The channels (H, W) of a picture, the top row first."""
    for column, array in columns.items():
        known = COLUMNS.get(column)
        names = known.channels if known else _of_attribute(column, array.shape[2:])
        parts = array[::-1].reshape(*array.shape[:2], len(names))
        for part, name in enumerate(names):
            yield name, _pixels(parts[..., part])


def _pixels(values: Array) -> Array:
    """Values as a picture can hold them."""
    if values.dtype.kind in "bu":
        return values.astype(np.uint32)
    if values.dtype.kind == "i":
        return (values.astype(np.int64) + 1).astype(np.uint32)
    return values.astype(np.float32)


def _of_attribute(column: str, parts: tuple[int, ...]) -> tuple[str, ...]:
    """Channels of an attribute, in a layer of its own; a dot would end the layer's name."""
    layer = "attribute_" + safe_name(column.removeprefix(ATTRIBUTE), also=".+")
    count = int(np.prod(parts))
    endings = {1: "X", 2: "XY", 3: "XYZ", 4: "RGBA"}.get(count) or map(str, range(count))
    return tuple(f"{layer}.{ending}" for ending in endings)


def _libraries(hits: SceneHits) -> dict[str, Any]:
    """The files that objects and materials are linked from, if any is."""
    told = {
        "libraries": hits.libraries if "object" in hits else (),
        "material_libraries": hits.material_libraries,
    }
    return {name: [*files] for name, files in told.items() if any(files)}


def remove_stale(result: Path) -> None:
    """Remove the temporary files beside a result that was just written.

    Files changed within an hour before the result stay, as another run may be writing them; the
    clock is that of the machine that holds the folder.
    """
    with suppress(OSError):
        now = result.stat().st_mtime
        for path in result.parent.glob(".raypick-*.tmp"):
            with suppress(OSError):
                if path.stat().st_mtime < now - _ABANDONED:
                    path.unlink()
