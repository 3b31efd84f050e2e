# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataclasses whose fields say which values of a file are accepted."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import MISSING, field, fields
from functools import lru_cache
from typing import Any, TypeVar, cast

from ..serialization import Kind, from_json, to_json

_Stored = TypeVar("_Stored")


def stored(kind: Kind, default: Any = MISSING) -> Any:
    """A field that files keep."""
    return field(default=default, metadata={"kind": kind})


def as_dict(value: Any) -> dict[str, Any]:
    """The stored fields by name, of types that JSON knows; those at their default are left out."""
    written = {}
    for name, default, _ in _fields(cast(Hashable, type(value))):
        held = getattr(value, name)
        if held != default:
            written[name] = to_json(held)
    return written


def from_dict(kind: type[_Stored], values: Any, **parts: Any) -> _Stored:
    """What :func:`as_dict` wrote, without what it does not know; ValueError if it is not that.

    Fields that are not stored are given as `parts`.
    """
    if not isinstance(values, dict):
        raise ValueError(f"this is no {kind.__name__}")
    try:
        return kind(
            **{
                name: from_json(name, accepted, values[name])
                for name, _, accepted in _fields(cast(Hashable, kind))
                if name in values
            },
            **parts,
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from None


def names_of(kind: type) -> list[str]:
    """The names of the stored fields of a dataclass."""
    return [name for name, _, _ in _fields(cast(Hashable, kind))]


@lru_cache
def _fields(kind: Hashable) -> tuple[tuple[str, Any, Kind], ...]:
    """Name, default and accepted values of the stored fields of a dataclass."""
    every: Any = fields(cast(Any, kind))
    return tuple(
        (each.name, each.default, each.metadata["kind"])
        for each in every
        if "kind" in each.metadata
    )
