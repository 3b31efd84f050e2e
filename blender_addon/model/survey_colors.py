# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of a picture of hits: false colors of ids, and values as red, green and blue.

A pixel that hit something is opaque, and all others are transparent. A hit that has no such value,
as a point of a mesh without a UV map, is gray, which no id is.

Float images of Blender are linear: values are stored as they are, and colors so that they look as
they are meant to.

Between linear color and color as screens show it: sRGB's curve, of IEC 61966-2-1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Columns: TypeAlias = Mapping[str, npt.NDArray[Any]]

FRONT, BACK = (0.2, 0.4, 1.0), (1.0, 0.2, 0.2)
"""Blue and red, as Blender's overlay of face orientations has them."""

NO_VALUE = (0.25, 0.25, 0.25)
"""Of a hit that has no value to show."""

_APART = 32
"""So many ids in a row have hues that are chosen to be far apart, before they are turned."""

_FIRST_HUE = 0.58
"""A blue."""

_GOLDEN = 0.6180339887498949
"""Steps of this part of a turn leave the largest gaps between hues, however many there are."""

_STEPS = 0.8191725133961645, 0.6710436067037893
"""Its like for two numbers more, here saturation and value: powers of the root of x^4 - x - 1."""


def columns(kind: str) -> tuple[str, ...]:
    """The names of the columns of hits that a picture of a kind is made of."""
    return tuple(dict.fromkeys(("instance", _KINDS[kind][0])))


def picture(kind: str, values: Columns) -> npt.NDArray[np.float32]:
    """Color the hits of a picture.

    Parameters
    ----------
    kind : str
        What to show, such as ``"FACE"``.
    values : mapping of str to (H, W, ...) array
        The hits, by the names of :func:`columns`.

    Returns
    -------
    (H, W, 4) float32 array
        Red, green, blue and alpha, in the rows of the columns. Alpha is 1 where something was hit;
        elsewhere all four are 0.
    """
    name, color = _KINDS[kind]
    hit = values["instance"] >= 0
    column = values[name]
    known = hit & _is_known(column)
    rgba = np.zeros((*hit.shape, 4), dtype=np.float32)
    rgba[hit] = (*NO_VALUE, 1.0)
    rgba[known, :3] = color(column[known])
    return rgba


def false_colors(ids: npt.ArrayLike) -> FloatArray:
    """The colors of ids: always the same for the same id, and apart for ids next to each other.

    The first 32 have hues that are steps of the golden angle apart; the next 32 have these turned
    by a hash of their number, and so on. So faces in rows of any length differ from those of
    the rows beside them. Even ids are darker than odd ones. None is gray, black or white.

    Parameters
    ----------
    ids : (...) array of int
        None of them negative.

    Returns
    -------
    (..., 3) float64 array
        Red, green and blue from 0 to 1, as they are to be displayed.
    """
    number = np.asarray(ids, dtype=np.int64)
    turns = _hashes(number // _APART)
    place = number % _APART
    hue = (_FIRST_HUE + _GOLDEN * place + turns[0]) % 1.0
    saturation = 0.4 + 0.5 * ((0.5 + _STEPS[0] * place + turns[1]) % 1.0)
    value = 0.5 + 0.3 * (number % 2) + 0.2 * ((0.5 + _STEPS[1] * place + turns[2]) % 1.0)
    return _rgb(hue, saturation, value)


def limits(values: npt.ArrayLike) -> tuple[float, float]:
    """The least and the most of the finite ones among values; (0, 0) where there are none."""
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def _is_known(column: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Where a column (H, W, ...) has a value: no id below 0, and no NaN or infinity."""
    if column.dtype == bool:
        return np.ones(column.shape, dtype=bool)
    is_id = np.issubdtype(column.dtype, np.integer)
    known = np.asarray(column >= 0 if is_id else np.isfinite(column))
    return known if known.ndim == 2 else np.asarray(known.all(axis=-1))


def _gray(values: npt.NDArray[Any]) -> FloatArray:
    """From black at the least to white at the most."""
    least, most = limits(values)
    share = (values - least) / (most - least if most > least else 1.0)
    return np.repeat(share[:, None], 3, axis=1)


def _red_and_green(pairs: npt.NDArray[Any]) -> FloatArray:
    return np.concatenate([pairs, np.zeros((len(pairs), 1))], axis=1)


def _weights(weights: npt.NDArray[Any]) -> FloatArray:
    return weights


def _directions(units: npt.NDArray[Any]) -> FloatArray:
    """Components from -1 to 1 as colors from 0 to 1."""
    return np.asarray((units + 1.0) / 2.0)


def _sides(front: npt.NDArray[Any]) -> FloatArray:
    return from_srgb(np.where(front[:, None], FRONT, BACK))


def _ids(ids: npt.NDArray[Any]) -> FloatArray:
    return from_srgb(false_colors(ids))


_KINDS: dict[str, tuple[str, Callable[[npt.NDArray[Any]], FloatArray]]] = {
    "OBJECT": ("object", _ids),
    "INSTANCE": ("instance", _ids),
    "FACE": ("face", _ids),
    "TRIANGLE": ("triangle", _ids),
    "ORIGINAL_FACE": ("original_face", _ids),
    "MATERIAL": ("material", _ids),
    "SIDE": ("front", _sides),
    "DEPTH": ("depth", _gray),
    "DISTANCE": ("distance", _gray),
    "UV": ("uv", _red_and_green),
    "BARYCENTRIC": ("barycentric", _weights),
    "NORMAL": ("normal", _directions),
    "SMOOTH_NORMAL": ("smooth_normal", _directions),
}


KINDS = tuple(_KINDS)
"""Everything that a picture can show."""


def _hashes(numbers: npt.NDArray[np.int64]) -> list[FloatArray]:
    """Three numbers from 0 to below 1 for each, which look random; all are 0 for 0.

    The mixing of SplitMix64, cut into three.
    """
    with np.errstate(over="ignore"):  # of a single number NumPy warns
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


FloatArray = npt.NDArray[np.float64]


def to_srgb(linear: npt.ArrayLike) -> FloatArray:
    """How linear values are shown, from 0 to 1; what is too bright to be shown is at 1."""
    known = np.clip(np.asarray(linear, dtype=np.float64), 0.0, 1.0)
    return np.where(known <= 0.0031308, 12.92 * known, 1.055 * known ** (1.0 / 2.4) - 0.055)


def from_srgb(shown: npt.ArrayLike) -> FloatArray:
    """The linear values that are shown as these."""
    known = np.asarray(shown, dtype=np.float64)
    curve = ((np.maximum(known, 0.0) + 0.055) / 1.055) ** 2.4
    return np.where(known <= 0.04045, known / 12.92, curve)
