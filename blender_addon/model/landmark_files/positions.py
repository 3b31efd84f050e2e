# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions alone in an array of NumPy, ``.npy``: (N, 3), or (S, N, 3) for S sets of as many."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from . import npy
from .format import Format, only_set
from .mark import Mark, MarkFile, MarkFileError, Triple
from .text import MOST_MARKS, too_many

_NOWHERE = (np.nan, np.nan, np.nan)


def is_like(data: bytes) -> bool:
    """Whether it is an array of numbers, rather than one of Python objects."""
    try:
        return data.startswith(npy.MAGIC) and npy.array(data, "it").dtype.kind in "iuf"
    except MarkFileError:
        return False


def read(data: bytes, name: str) -> list[MarkFile]:
    """A set, or one for each of the first axis. A landmark whose place is NaN is missing."""
    found = npy.array(data, "it")
    if found.dtype.kind not in "iuf" or found.ndim not in (2, 3) or found.shape[-1] != 3:
        raise MarkFileError(f"it is {found.dtype} of shape {found.shape}, not positions (N, 3)")
    if found.size > 3 * MOST_MARKS or len(found) > MOST_MARKS:
        raise too_many()
    sets = found.astype(np.float64).reshape(-1, *found.shape[-2:])
    if np.isinf(sets).any():
        raise MarkFileError("a number is not finite")
    alone = len(sets) == 1
    return [
        MarkFile(name if alone else f"{name} {number}", tuple(map(_mark, rows)))
        for number, rows in enumerate(sets.tolist(), 1)
    ]


def _mark(row: Sequence[float]) -> Mark:
    missing = np.isnan(row)
    if missing.any() and not missing.all():
        raise MarkFileError("of a landmark only some of the three coordinates are there")
    x, y, z = row
    point: Triple | None = None if missing.any() else (x, y, z)
    return Mark("", point)


def write(sets: Sequence[MarkFile]) -> bytes:
    """An array (N, 3) of float64, with NaN where a landmark is missing."""
    points = [mark.point or _NOWHERE for mark in only_set(sets).marks]
    file = io.BytesIO()
    np.save(file, np.array(points, np.float64).reshape(-1, 3), allow_pickle=False)
    return file.getvalue()


FORMAT = Format(
    "npy", "NumPy Positions", (".npy",), frozenset({"positions", "missing"}), read, write, is_like
)
