# SPDX-License-Identifier: GPL-3.0-or-later
"""The history as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from .hit import FIELDS, PickHit
from .record import PickRecord
from .spreadsheet import harmless

COLUMNS = (
    *("pick", "when", "file", "scene", "frame", "rank", "looked_at", "object", "library"),
    *("instancer", "face", "triangle", "triangle_of_face", "original_face", "distance"),
    *("pixels_away", "front", "evaluated", "material"),
    *(column for field in FIELDS.values() for column in field.columns),
    "instance",
)
"""The columns of the table: those of a pick, and fields of a hit or components of its vectors."""


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
            "file": harmless(record.file),
            "scene": harmless(record.scene),
            "frame": "" if record.frame is None else record.frame,
        }
        for rank, hit in enumerate(record.hits):
            which = {"rank": rank, "looked_at": rank == record.rank}
            writer.writerow({**common, **which, **dict(_cells(hit))})
    return text.getvalue().encode("utf-8", "backslashreplace")


def _cells(hit: PickHit) -> Iterator[tuple[str, object]]:
    for key, field in FIELDS.items():
        value = getattr(hit, key)
        if field.columns:
            yield from zip(field.columns, value or ("",) * len(field.columns), strict=True)
        elif key in COLUMNS:
            text = " ".join(map(str, value)) if isinstance(value, tuple) else value
            yield key, "" if text is None else harmless(text)
