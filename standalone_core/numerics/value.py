# SPDX-License-Identifier: MIT
"""Values: things that are what they hold, and never change."""

from collections.abc import Callable, Hashable
from typing import Any, NoReturn

import numpy as np

from ..errors import FrozenError
from .read_only import frozen


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

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise _frozen(self, name)

    def __delattr__(self, name: str) -> NoReturn:
        raise _frozen(self, name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(self) is not type(other):
            return NotImplemented
        return self is other or _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        return _blank, (type(self),), self._held()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(**state)


def _blank(kind: type[Value]) -> Value:
    return object.__new__(kind)


def _frozen(value: Value, name: str) -> FrozenError:
    kind = type(value).__name__
    return FrozenError(f"{name} cannot be changed: a {kind} is a value, make a new one")


def _key(value: Value) -> tuple[Hashable, ...]:
    return tuple(map(_comparable, value._held().values()))


def _comparable(held: Any) -> Hashable:
    if isinstance(held, np.ndarray):
        return held.shape, (held + 0.0).tobytes()  # no -0.0
    key: Hashable = held
    return key
