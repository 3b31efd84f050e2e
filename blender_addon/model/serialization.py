# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of hits and picks as JSON knows them, and back; what comes from files is checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

_Check = Callable[[Any], bool]

_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGERS = 1 << 31


def to_json(value: Any) -> Any:
    """A value of types that JSON knows: what is not finite becomes None."""
    if isinstance(value, dict):
        return {name: to_json(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_json(name: str, value: Any) -> Any:
    """The value of an attribute that :func:`to_json` wrote; TypeError for another kind."""
    value = _with_tuples(value)
    if name in _WITH_NAN and value is not None:
        value = _with_nan(value)
    if not _KINDS.get(name, lambda _: True)(value):
        raise TypeError(f"{name} is of another kind")
    return value


def _with_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_tuples(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_with_tuples(item) for item in value)
    return value


def _with_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_nan(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(map(_with_nan, value))
    return math.nan if value is None else value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_name(value: Any) -> bool:
    """Whether Blender can show it, unlike a path with bytes that are no UTF-8."""
    return isinstance(value, str) and not _SURROGATE.search(value)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return (
        isinstance(value, int) and not isinstance(value, bool) and -_INTEGERS <= value < _INTEGERS
    )


def _is_index(value: Any) -> bool:
    return _is_integer(value) and value >= 0


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53


def _is_number_or_nan(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, float) and math.isnan(value))


def _is_stored(value: Any, depth: int = 2) -> bool:
    """Whether an attribute can have this value: a matrix is the deepest."""
    if isinstance(value, tuple):
        return depth > 0 and all(_is_stored(item, depth - 1) for item in value)
    return value is None or isinstance(value, bool) or _is_name(value) or _is_number(value)


def _or_none(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _many(check: _Check, count: int | None = None) -> _Check:
    """A tuple, of so many if that is given."""
    return lambda value: (
        isinstance(value, tuple) and len(value) == (count or len(value)) and all(map(check, value))
    )


def _table(check: _Check) -> _Check:
    return lambda value: (
        isinstance(value, dict) and all(map(_is_name, value)) and all(map(check, value.values()))
    )


_VECTOR = _many(_is_number, 3)
_WITHOUT_SOME = _many(_is_number_or_nan, 3)

_KINDS: dict[str, _Check] = {
    **dict.fromkeys(("object", "scene"), _is_name),
    "file": _is_text,
    "library": _or_none(_is_text),
    **dict.fromkeys(("instancer", "active_uv", "material", "original_reason"), _or_none(_is_name)),
    **dict.fromkeys(("front", "evaluated", "is_base_mesh"), _is_flag),
    **dict.fromkeys(("face", "triangle", "triangle_of_face", "rank"), _is_index),
    "original_face": _or_none(_is_index),
    "mesh_size": _or_none(_many(_is_index, 4)),
    "instance": _or_none(_many(_is_integer)),
    "vertices": _many(_is_index, 3),
    "face_vertices": _many(_is_index),
    "matrix_world": _many(_many(_is_number, 4), 4),
    "corners": _many(_VECTOR, 3),
    "face_corners": _many(_VECTOR),
    **dict.fromkeys(("barycentric", "point", "point_local", "normal"), _VECTOR),
    **dict.fromkeys(("smooth_normal", "flat_normal"), _or_none(_WITHOUT_SOME)),
    **dict.fromkeys(("distance", "pixels_away", "seconds"), _is_number),
    "uv": _or_none(_many(_is_number_or_nan, 2)),
    "uv_maps": _table(_many(_is_number_or_nan, 2)),
    "colors": _table(_many(_is_number_or_nan, 4)),
    "weights": _table(_is_number_or_nan),
    "attributes": _table(_is_stored),
    **dict.fromkeys(("origin", "direction"), _or_none(_VECTOR)),
    "frame": _or_none(_is_number),
}
"""What the attributes of hits and picks are."""

_WITH_NAN = {"uv", "uv_maps", "colors", "weights", "smooth_normal", "flat_normal"}
"""What a mesh may store as NaN."""
