# SPDX-License-Identifier: MIT
"""Read-only arrays, for results that callers must not change."""

from typing import Any, TypeVar

import numpy as np

AnyArray = TypeVar("AnyArray", bound="np.ndarray[Any, Any]")


def read_only(array: AnyArray) -> AnyArray:
    """The same numbers as a view that cannot be written to; the array itself can."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def frozen(array: AnyArray) -> AnyArray:
    """A copy that nobody can write to."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


class ReadOnlyArrays:
    """Base of classes with slots whose arrays are read-only, also after pickling and copying."""

    __slots__ = ()

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, read_only(value) if isinstance(value, np.ndarray) else value)
