# SPDX-License-Identifier: GPL-3.0-or-later
"""Hits, picks and landmarks to JSON and back; values from files are checked.

Each field of a dataclass says which values it accepts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import MISSING, field, fields
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar, cast

_SURROGATE = re.compile("[\ud800-\udfff]")
_INTEGERS = 1 << 31
_Stored = TypeVar("_Stored")


class Kind(NamedTuple):
    """Which values are accepted from a file, and whether their numbers may be NaN."""

    accepts: Callable[[Any], bool]
    may_be_nan: bool = False


def to_json(value: Any) -> Any:
    """A value in types that JSON knows; numbers that are not finite become None."""
    if isinstance(value, dict):
        return {name: to_json(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def from_json(name: str, kind: Kind, value: Any) -> Any:
    """The value from JSON of :func:`to_json`; TypeError, with `name`, if not accepted."""
    if isinstance(value, dict | list | tuple):
        value = _restored(value, math.nan if kind.may_be_nan else None)
    if not kind.accepts(value):
        raise TypeError(f"{name} is of another kind")
    return value


def _restored(value: Any, none: float | None) -> Any:
    """A value with tuples for lists, and `none` for each None in it."""
    if isinstance(value, dict):
        return {name: _restored(item, none) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple([i if isinstance(i, float | int) else _restored(i, none) for i in value])
    return none if value is None else value


def _is_name(value: Any) -> bool:
    """Whether a value is a text that Blender can show: one of valid UTF-8."""
    return isinstance(value, str) and not _SURROGATE.search(value)


def _is_integer(value: Any) -> bool:
    return type(value) is int and -_INTEGERS <= value < _INTEGERS


def _is_number(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return type(value) is int and abs(value) < 1 << 53


def _is_number_or_nan(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, float) and math.isnan(value))


def _is_attribute_value(value: Any, depth: int = 2) -> bool:
    """Whether a mesh attribute can have this value: a number, text, vector or matrix."""
    if isinstance(value, tuple):
        return depth > 0 and all(_is_attribute_value(item, depth - 1) for item in value)
    return value is None or isinstance(value, bool) or _is_name(value) or _is_number(value)


def optional(kind: Kind) -> Kind:
    """A kind that accepts None too."""
    return kind._replace(accepts=lambda value: value is None or kind.accepts(value))


def many(kind: Kind, count: int | None = None) -> Kind:
    """A kind of tuples whose items `kind` accepts, `count` of them if given."""
    return kind._replace(
        accepts=lambda value: (
            isinstance(value, tuple)
            and len(value) == (count or len(value))
            and all(map(kind.accepts, value))
        )
    )


def table(kind: Kind) -> Kind:
    """A kind of dictionaries by name whose values `kind` accepts."""
    return kind._replace(
        accepts=lambda value: (
            isinstance(value, dict)
            and all(map(_is_name, value))
            and all(map(kind.accepts, value.values()))
        )
    )


TEXT = Kind(lambda value: isinstance(value, str))
NAME = Kind(_is_name)
FLAG = Kind(lambda value: isinstance(value, bool))
INTEGER = Kind(_is_integer)
INDEX = Kind(lambda value: _is_integer(value) and value >= 0)
NUMBER = Kind(_is_number)
NUMBER_OR_NAN = Kind(_is_number_or_nan, may_be_nan=True)
VECTOR = many(NUMBER, 3)
ATTRIBUTE_VALUE = Kind(_is_attribute_value)
SNAPPED = Kind(
    lambda value: (
        isinstance(value, tuple)
        and len(value) == 2
        and value[0] in ("vertex", "edge", "face")
        and INDEX.accepts(value[1])
    )
)


def stored(kind: Kind, default: Any = MISSING) -> Any:
    """A dataclass field that is stored in files."""
    return field(default=default, metadata={"kind": kind})


def as_dict(value: Any) -> dict[str, Any]:
    """The stored fields by name, as JSON; fields at their default are left out."""
    written = {}
    for name, default, _ in _fields(cast(Any, type(value))):
        held = getattr(value, name)
        if held != default:
            written[name] = to_json(held)
    return written


def from_dict(kind: type[_Stored], values: Any, **parts: Any) -> _Stored:
    """The value from :func:`as_dict`'s dictionary, or ValueError. Unknown names are ignored.

    `parts` are the fields that are not stored.
    """
    if not isinstance(values, dict):
        raise ValueError(f"this is no {kind.__name__}")
    try:
        return kind(
            **{
                name: from_json(name, accepted, values[name])
                for name, _, accepted in _fields(cast(Any, kind))
                if name in values
            },
            **parts,
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from None


@lru_cache
def _fields(kind: Any) -> tuple[tuple[str, Any, Kind], ...]:
    """Name, default and accepted values of the stored fields of a dataclass."""
    return tuple(
        (each.name, each.default, each.metadata["kind"])
        for each in fields(kind)
        if "kind" in each.metadata
    )
