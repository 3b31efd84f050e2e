# SPDX-License-Identifier: MIT
"""Values: things that are what they hold, and never change."""

from collections.abc import Callable, Hashable
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

import numpy as np

from ..errors import FrozenError
from .read_only import frozen, read_only

Kind = TypeVar("Kind", bound=type[Any])
Reduced = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:
    kind = type(self).__name__
    article = "an" if kind[0] in "AEIOU" else "a"
    raise FrozenError(f"{name} cannot be changed: {article} {kind} is a value, make a new one")


def _reduced(self: Any) -> Reduced:
    held = {each.name: getattr(self, each.name) for each in fields(self)}
    return _blank, (type(self),), {**getattr(self, "__dict__", {}), **held}


def _restore(self: Any, state: dict[str, Any]) -> None:
    for name, value in state.items():
        held = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(self, name, held)


def immutable(kind: Kind) -> Kind:
    """Make a class refuse changes of its instances with a FrozenError.

    What a frozen dataclass raises by itself is no RaypickError.
    """
    for name in ("__setattr__", "__delattr__"):
        setattr(kind, name, _refuse)
    return kind


def record(kind: Kind) -> Kind:
    """Make a frozen dataclass :func:`immutable`, with read-only arrays in pickles and copies."""
    for name, method in (("__reduce__", _reduced), ("__setstate__", _restore)):
        setattr(kind, name, method)
    return immutable(kind)


@immutable
class Value:
    """Base of immutable classes with slots, which are equal if class and content are.

    A subclass fills its slots by :meth:`_hold`. Arrays become copies that nobody can write to, also
    in pickles and copies. NaN equals NaN, and -0.0 equals 0.0.
    """

    __slots__ = ()

    def _hold(self, **values: Any) -> None:
        """Fill the slots of these names."""
        for name, value in values.items():
            held = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, name, held)

    def _held(self) -> dict[str, Any]:
        """What :meth:`_hold` was given, by name."""
        state: Any = object.__getstate__(self)
        held: dict[str, Any] = state[1]  # the slots; before them a subclass's own attributes
        return held

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(self) is not type(other):
            return NotImplemented
        return self is other or _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))

    def __reduce__(self) -> Reduced:
        return _blank, (type(self),), self._held()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(**state)


def _blank(kind: type[Any]) -> Any:
    return object.__new__(kind)


def _key(value: Value) -> tuple[Hashable, ...]:
    return tuple(map(_comparable, value._held().values()))


def _comparable(held: Any) -> Hashable:
    if isinstance(held, (np.ndarray, float)):
        numbers = np.asarray(held + 0.0)  # no -0.0
        return numbers.shape, np.where(np.isnan(numbers), np.nan, numbers).tobytes()
    key: Hashable = held
    return key
