# SPDX-License-Identifier: MIT
"""Values that never change, read-only arrays, and old names of attributes that still work."""

import warnings
from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import FrozenError
from .reading import with_article

Kind = TypeVar("Kind", bound=type[Any])
Reduced = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
AnyArray = TypeVar("AnyArray", bound="np.ndarray[Any, Any]")


def _refuse(self: Any, name: str, *_: Any) -> NoReturn:
    kind = with_article(type(self).__name__)
    raise FrozenError(f"{name} cannot be changed: {kind} is a value, make a new one")


def _reduced(self: Any) -> Reduced:
    held = {each.name: getattr(self, each.name) for each in fields(self)}
    return _blank, (type(self),), {**getattr(self, "__dict__", {}), **held}


def _restore(self: Any, state: dict[str, Any]) -> None:
    for name, value in state.items():
        held = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(self, name, held)


def immutable(kind: Kind) -> Kind:
    """Make a class refuse changes of its instances with a FrozenError, which is a RaypickError."""
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
    """Base of immutable classes with slots; instances are equal if class and content are.

    A subclass fills its slots by :meth:`_hold`. Arrays become read-only copies, and stay read-only
    in pickles and copies. NaN equals NaN, and -0.0 equals 0.0.
    """

    __slots__ = ()

    def _hold(self, **values: Any) -> None:
        for name, value in values.items():
            held = frozen(value) if isinstance(value, np.ndarray) else value
            object.__setattr__(self, name, held)

    def _held(self) -> dict[str, Any]:
        state: Any = object.__getstate__(self)
        held: dict[str, Any] = state[1]  # the slots; state[0] is the `__dict__` of a subclass
        return held

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value) or type(self) is not type(other):
            return NotImplemented
        return self is other or _key(self) == _key(other)

    def __hash__(self) -> int:
        return hash(_key(self))

    def __reduce__(self) -> Reduced:
        return _blank, (type(self),), self._held()

    def __raypick__(self) -> tuple[str, dict[str, Any]]:
        """The class and the arguments of an equal value, for :mod:`..copies`."""
        return type(self).__name__, self._held()

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


def read_only(array: AnyArray) -> AnyArray:
    """A read-only view of an array, which itself stays writeable."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def is_constant(array: AnyArray) -> bool:
    """Whether the memory of an array is read-only for good: :func:`guarded`, or of ``bytes``."""
    return isinstance(array.base, bytes) or (
        isinstance(array.base, _Guarded) and array.base.has_own_memory
    )


def frozen(array: AnyArray) -> AnyArray:
    """A read-only copy that cannot be made writeable: its memory belongs to ``bytes``.

    A frozen array, or a contiguous part of one, is not copied again.
    """
    base = array.base
    memory = base.base if isinstance(base, np.ndarray) else base
    if isinstance(memory, bytes) and array.flags.c_contiguous:
        return array
    copy: AnyArray = np.ndarray(array.shape, array.dtype, array.tobytes())  # type: ignore[assignment]
    return copy


def guarded(array: AnyArray) -> AnyArray:
    """Make an array read-only; return a view, read-only for good if the array owns its memory."""
    array.setflags(write=False)
    return np.asarray(_Guarded(array))  # type: ignore[return-value]


def own(array: AnyArray, given: object, copy: bool) -> AnyArray:
    """The array :func:`guarded` if it was made of what a caller has given, else as it is."""
    is_new = copy or (array is not given and array.flags.owndata)
    return guarded(array) if is_new else array


class _Guarded:
    """The base of a guarded array, by which it is known from arrays that callers share."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.has_own_memory = bool(array.flags.owndata)
        self._array = array  # kept alive
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = array.__array_interface__ | {"data": (address, True)}


def sealed(arrays: Iterable["np.ndarray[Any, Any]"]) -> None:
    """Make arrays read-only in place."""
    for array in arrays:
        array.setflags(write=False)


def vector(values: tuple[float, float, float]) -> npt.NDArray[np.float64]:
    """Three floats as a read-only array (3,)."""
    array = np.array(values)
    array.setflags(write=False)
    return array


class DeprecatedAlias(property):
    """The property that :func:`deprecated_alias` returns."""


def deprecated_alias(old: str, new: str, since: str) -> DeprecatedAlias:
    """A property for the body of a class: the old name of the attribute or method `new`.

    Reading it gives a DeprecationWarning at the caller's line. The old name works for at least one
    minor version after `since`, the version that deprecated it.
    """

    def read(self: Any) -> Any:
        of = type(self).__name__
        message = f"{of}.{old} is deprecated since {since}: use {of}.{new}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    # As `doc` of the property, it would be hidden by the docstring of DeprecatedAlias.
    read.__doc__ = f"The old name of ``{new}``.\n\n.. deprecated:: {since}"
    return DeprecatedAlias(read)
