# SPDX-License-Identifier: GPL-3.0-or-later
"""Dataclasses whose fields say which values of a file are accepted."""

from __future__ import annotations

from dataclasses import MISSING, field, fields
from typing import Any, TypeVar

from ..serialization import Kind, from_json, to_json

_Stored = TypeVar("_Stored")


def stored(kind: Kind, default: Any = MISSING) -> Any:
    """A field that files keep."""
    return field(default=default, metadata={"kind": kind})


def as_dict(value: Any) -> dict[str, Any]:
    """The stored fields by name, of types that JSON knows; those at their default are left out."""
    return {
        each.name: to_json(getattr(value, each.name))
        for each in fields(value)
        if "kind" in each.metadata and getattr(value, each.name) != each.default
    }


def from_dict(kind: type[_Stored], values: Any, **parts: Any) -> _Stored:
    """What :func:`as_dict` wrote, without what it does not know; ValueError if it is not that.

    Fields that are not stored are given as `parts`.
    """
    if not isinstance(values, dict):
        raise ValueError(f"this is no {kind.__name__}")
    known: Any = fields(kind)  # type: ignore[arg-type]  # mypy: any dataclass
    try:
        return kind(
            **{
                each.name: from_json(each.name, each.metadata["kind"], values[each.name])
                for each in known
                if "kind" in each.metadata and each.name in values
            },
            **parts,
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"this is no {kind.__name__}: {error}") from None
