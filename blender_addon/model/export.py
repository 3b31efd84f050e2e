# SPDX-License-Identifier: GPL-3.0-or-later
"""The history as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from .hit import PickHit
from .record import PickRecord

_VECTORS = {
    "vertices": ("vertex_a", "vertex_b", "vertex_c"),
    "barycentric": ("weight_a", "weight_b", "weight_c"),
    "point": ("x", "y", "z"),
    "point_local": ("local_x", "local_y", "local_z"),
    "normal": ("normal_x", "normal_y", "normal_z"),
    "uv": ("u", "v"),
}
_SINGLE = (
    "object",
    "library",
    "instancer",
    "face",
    "triangle",
    "triangle_of_face",
    "original_face",
    "distance",
    "pixels_away",
    "front",
    "evaluated",
    "material",
)

COLUMNS = (
    *("pick", "when", "file", "scene", "frame", "rank", "looked_at"),
    *_SINGLE,
    *(name for names in _VECTORS.values() for name in names),
    "instance",
)
"""The columns of the table."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What makes a spreadsheet compute the text that begins with it."""


def json_bytes(records: Iterable[PickRecord]) -> bytes:
    """All values of all hits, in ASCII."""
    values = [record.as_dict() for record in records]
    return json.dumps(values, indent=2, allow_nan=False).encode("ascii")


def csv_bytes(records: Iterable[PickRecord]) -> bytes:
    r"""A table with a line for each hit, in UTF-8.

    A rank counts from 0, the nearest. Of each pick's hits, one is the hit that was looked at last.
    Numbers have all their digits; what is not there is empty. A name that a spreadsheet would
    compute begins with an apostrophe, which keeps it a text there. A byte of a path that is no
    UTF-8 is written as JSON does, like ``\udce9``.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="")
    writer.writeheader()
    for number, record in enumerate(records, 1):
        common = {
            "pick": number,
            "when": record.when.isoformat(timespec="milliseconds"),
            "file": _harmless(record.file),
            "scene": _harmless(record.scene),
            "frame": "" if record.frame is None else record.frame,
        }
        for rank, hit in enumerate(record.hits):
            which = {"rank": rank, "looked_at": rank == record.rank}
            writer.writerow({**common, **which, **dict(_cells(hit))})
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cells(hit: PickHit) -> Iterator[tuple[str, object]]:
    for name in _SINGLE:
        value = getattr(hit, name)
        yield name, "" if value is None else _harmless(value)
    for name, columns in _VECTORS.items():
        values = getattr(hit, name) or ("",) * len(columns)
        yield from zip(columns, values, strict=True)
    yield "instance", "" if hit.instance is None else _harmless(" ".join(map(str, hit.instance)))


def _harmless(value: object) -> object:
    """A cell that no spreadsheet takes for a formula; numbers stay what they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
