# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the hits of many rays to files: tables with the names of what was hit, and pictures.

Names of files and layers come from names in Blender, which may have any characters.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..bridge.batch.columns import ATTRIBUTE, COLUMNS
from ..model.scene_hits import Array, SceneHits
from ..model.survey_numbers import HALF, instance_numbers
from ..standalone_core.extension import write_answer, write_picture_answer

_UNSAFE = re.compile(r"[^\w.+-]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_MOST = 160  # bytes of a name, which leaves room for the rest of a file's name

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
    columns, names, instances = _numbered(hits)
    told = {**meta, **_libraries(hits)}
    write_answer(path, question, columns, names=names, extra={**extra, **instances}, meta=told)


def write_picture(path: Path, question: Any, hits: SceneHits, meta: Mapping[str, Any]) -> None:
    """Write a picture of hits (H, W), with the names of its numbers in the header."""
    columns, names, instances = _numbered(hits)
    told = {**meta, **_libraries(hits), "whole_numbers": NUMBERS, "floats": FLOATS}
    told |= {f"{column}_names": texts for column, texts in names.items()}
    del instances["instance_matrix_world"]
    told |= {name: array.tolist() for name, array in instances.items()}
    counted = columns["instance"].astype(np.uint64) + np.uint64(1)
    columns["instance"] = np.stack([counted % HALF, counted // HALF], axis=-1)
    write_picture_answer(path, question, dict(_channels(columns)), told)


def _numbered(hits: SceneHits) -> tuple[dict[str, Array], dict[str, list[str]], dict[str, Array]]:
    """Columns with instance numbers, the names of other numbers, and a table of the instances."""
    numbers, table = instance_numbers(hits), hits.instances
    names = hits.texts
    columns = {
        "instance_numbers": numbers,
        "instance_names": np.array(names.pop("instance"), dtype=np.str_),
        "instance_object": table.object,
        "instance_matrix_world": table.matrix_world,
    }
    order = np.argsort(numbers, kind="stable")
    instances = {name: array[order] for name, array in columns.items()}
    return {**hits, "instance": np.append(numbers, -1)[hits["instance"]]}, names, instances


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


def safe_name(name: str, others: Iterable[str] = (), also: str = "") -> str:
    """A name that every file system takes, and that no other name gets.

    Letters, digits and ``_ . + -`` stay, all else becomes ``_``. A name that this changes, or that
    differs from one of the others in capitals alone, ends in a digest of itself. So the same name
    has the same file in every run of the same Blender file.

    Parameters
    ----------
    name : str
    others : iterable of str
        All names of its kind; the name itself may be among them.
    also : str
        More characters that become ``_``.
    """
    safe = _UNSAFE.sub("_", unicodedata.normalize("NFC", name))
    safe = safe.translate(dict.fromkeys(map(ord, also), "_"))
    safe = safe.encode()[:_MOST].decode(errors="ignore").strip(".") or "_"
    small = _folded(name)
    is_shared = any(other != name and _folded(other) == small for other in others)
    if _RESERVED.fullmatch(safe) or safe.startswith("-"):  # reserved by Windows, or like an option
        safe = f"_{safe}"
    if safe != name or is_shared:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
        return f"{safe}-{digest[:8]}"
    return safe


def _folded(name: str) -> str:
    """A key that is equal for names that a file system may take for one."""
    return unicodedata.normalize("NFKC", name).casefold()


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
