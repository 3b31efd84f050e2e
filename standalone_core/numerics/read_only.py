# SPDX-License-Identifier: MIT
"""Read-only arrays, for results that callers must not change."""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

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


def sealed(arrays: Iterable["np.ndarray[Any, Any]"]) -> None:
    """Let nobody write to these very arrays any more."""
    for array in arrays:
        array.setflags(write=False)


def vector(values: tuple[float, float, float]) -> npt.NDArray[np.float64]:
    """Three floats as an array (3,) that cannot be written to."""
    array = np.array(values)
    array.setflags(write=False)
    return array


class ReadOnlyArrays:
    """Base of classes with slots whose arrays are read-only, also after pickling and copying."""

    __slots__ = ()

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        for name, value in state[1].items():
            setattr(self, name, read_only(value) if isinstance(value, np.ndarray) else value)
