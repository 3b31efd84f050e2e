# SPDX-License-Identifier: GPL-3.0-or-later
"""The columns of many hits: their types, and what a miss has there."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...standalone_core.extension import ArgumentError, described, iterable
from ..validation import text

ATTRIBUTE = "attribute:"
"""What the names of columns of attributes begin with."""


class Kind(NamedTuple):
    """What a column holds."""

    dtype: type[np.generic]
    miss: float
    width: int = 0  # numbers in a row of it; 0 for one that is no vector

    def empty(self, rows: int) -> npt.NDArray[Any]:
        """The column of so many misses."""
        shape = (rows, self.width) if self.width else (rows,)
        return np.full(shape, self.miss, dtype=self.dtype)


KINDS = {
    "instance": Kind(np.int32, -1),
    "object": Kind(np.int32, -1),
    "face": Kind(np.int32, -1),
    "triangle": Kind(np.int32, -1),
    "barycentric": Kind(np.float64, nan, 3),
    "point": Kind(np.float64, nan, 3),
    "normal": Kind(np.float64, nan, 3),
    "distance": Kind(np.float64, inf),
    "front": Kind(np.bool_, False),
    "vertices": Kind(np.int32, -1, 3),
    "original_face": Kind(np.int32, -1),
    "smooth_normal": Kind(np.float64, nan, 3),
    "uv": Kind(np.float64, nan, 2),
    "material": Kind(np.int32, -1),
    "depth": Kind(np.float64, inf),
}
"""All columns by name, but those of attributes."""

DEFAULT = (
    *("instance", "object", "face", "triangle", "barycentric", "point", "normal", "distance"),
    "front",
)
"""What is answered unless something else is asked for: it costs no look at Blender's meshes."""

OF_MESHES = frozenset({"vertices", "original_face", "smooth_normal", "uv", "material"})
"""Columns that Blender's meshes are read for, like attributes."""


def checked(columns: Iterable[str], attributes: Iterable[str], depth: bool) -> tuple[str, ...]:
    """The names of the columns that are asked for; without `depth` there is none."""
    known = [name for name in KINDS if depth or name != "depth"]
    asked = _names(columns, "columns")
    for name in asked:
        if name not in known:
            raise ArgumentError(
                f"there is no column {described(name)}: there are {', '.join(known)}; "
                "other data of meshes are named in attributes"
            )
    named = [ATTRIBUTE + text(name, "an attribute") for name in _names(attributes, "attributes")]
    return tuple(dict.fromkeys(["instance", *asked, *named]))


def _names(values: Iterable[str], argument: str) -> list[str]:
    if isinstance(values, str):
        raise ArgumentError(f"{argument} must be a list of names, not {described(values)}")
    return [text(value, f"each of {argument}") for value in iterable(values, argument)]
