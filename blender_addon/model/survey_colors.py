# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of a picture of hits: false colors of ids, and values as red, green and blue.

A pixel that hit something is opaque, and all others are transparent. A hit without a value, such as
a UV where the mesh has no UV map, is gray, which no id is.

Blender's float images are linear: values are stored as they are, and colors are converted from
sRGB (IEC 61966-2-1), as screens convert them back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
Coloring: TypeAlias = Callable[[npt.NDArray[Any]], FloatArray]
"""From the known values (N, ...) of a column to linear colors (N, 3)."""

FRONT, BACK = (0.2, 0.4, 1.0), (1.0, 0.2, 0.2)  # as Blender's overlay of face orientations
NO_VALUE = (0.25, 0.25, 0.25)  # of a hit that has no value to show

_APART = 32  # ids in a row whose hues are far apart; further ones have these hues turned
_FIRST_HUE = 0.58  # a blue
_GOLDEN = 0.6180339887498949  # turns: steps of it leave the largest gaps between hues
_STEPS = 0.8191725133961645, 0.6710436067037893
"""Such steps for saturation and value: negative powers of the root of x^4 - x - 1."""


def picture(
    hit: npt.NDArray[np.bool_], column: npt.NDArray[Any], color: Coloring
) -> npt.NDArray[np.float32]:
    """Red, green, blue and alpha (H, W, 4) of pixels, which have values (H, W, ...) of a column.

    Alpha is 1 where something was hit; elsewhere all four are 0.
    """
    known = hit & _is_known(column)
    rgba = np.zeros((*hit.shape, 4), dtype=np.float32)
    rgba[hit] = (*NO_VALUE, 1.0)
    rgba[known, :3] = color(column[known])
    return rgba


def ids(numbers: npt.NDArray[Any]) -> FloatArray:
    """The false colors of ids."""
    return from_srgb(false_colors(numbers))


def sides(front: npt.NDArray[Any]) -> FloatArray:
    """A color for hits from the front, and one for those from behind."""
    return from_srgb(np.where(front[:, None], FRONT, BACK))


def gray(values: npt.NDArray[Any]) -> FloatArray:
    """Grays, from black for the least value to white for the greatest."""
    least, most = limits(values)
    share = (values - least) / (most - least if most > least else 1.0)
    return np.repeat(share[:, None], 3, axis=1)


def components(vectors: npt.NDArray[Any]) -> FloatArray:
    """Two or three components as red, green and blue, as they are."""
    return np.pad(vectors, ((0, 0), (0, 3 - vectors.shape[1])))


def directions(units: npt.NDArray[Any]) -> FloatArray:
    """Components from -1 to 1 as colors from 0 to 1."""
    return np.asarray((units + 1.0) / 2.0)


def false_colors(ids: npt.ArrayLike) -> FloatArray:
    """The colors (..., 3) of ids from 0 on, red, green and blue from 0 to 1, as they are displayed.

    An id always has the same color, and ids next to each other have different ones. The hues of the
    first 32 ids are steps of the golden angle apart; a hash turns these hues for each further 32.
    So the faces of a grid also differ from those in the next row, however long the rows are. Even
    ids are darker than odd ones. None is gray, black or white.
    """
    number = np.asarray(ids, dtype=np.int64)
    turns = _hashes(number // _APART)
    place = number % _APART
    hue = (_FIRST_HUE + _GOLDEN * place + turns[0]) % 1.0
    saturation = 0.4 + 0.5 * ((0.5 + _STEPS[0] * place + turns[1]) % 1.0)
    value = 0.5 + 0.3 * (number % 2) + 0.2 * ((0.5 + _STEPS[1] * place + turns[2]) % 1.0)
    return _rgb(hue, saturation, value)


def limits(values: npt.ArrayLike) -> tuple[float, float]:
    """The least and the greatest finite value; (0, 0) if there is none."""
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def to_srgb(linear: npt.ArrayLike) -> FloatArray:
    """Linear values converted to sRGB, from 0 to 1; darker ones become 0, brighter ones 1."""
    known = np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0)
    return np.where(known <= 0.0031308, 12.92 * known, 1.055 * known ** (1.0 / 2.4) - 0.055)


def from_srgb(shown: npt.ArrayLike) -> FloatArray:
    """The linear values of sRGB colors."""
    known = np.asarray(shown, dtype=np.float64)
    curve = ((np.maximum(known, 0.0) + 0.055) / 1.055) ** 2.4
    return np.where(known <= 0.04045, known / 12.92, curve)


def _is_known(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Where a column (H, W, ...) has a value: no id below 0, and no NaN or infinity."""
    if column.dtype == bool:
        return np.ones(column.shape, dtype=bool)
    is_id = np.issubdtype(column.dtype, np.integer)
    known = np.asarray(column >= 0 if is_id else np.isfinite(column))
    return known if known.ndim == 2 else np.asarray(known.all(axis=-1))


def _hashes(numbers: npt.NDArray[np.int64]) -> list[FloatArray]:
    """Three pseudo-random numbers from 0 to below 1 for each; all are 0 for 0.

    They are three parts of SplitMix64's hash.
    """
    with np.errstate(over="ignore"):  # NumPy warns for scalars
        bits = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return [((bits >> np.uint64(21 * i)) % np.uint64(1 << 21)) / 2.0**21 for i in range(3)]


def _rgb(hue: FloatArray, saturation: FloatArray, value: FloatArray) -> FloatArray:
    """Colors (..., 3) of hues from 0 to 1, saturations and values."""
    sector = 6.0 * hue[..., None] + (5.0, 3.0, 1.0)
    tint = np.clip(np.minimum(sector % 6.0, 4.0 - sector % 6.0), 0.0, 1.0)
    return np.asarray(value[..., None] * (1.0 - saturation[..., None] * tint))
