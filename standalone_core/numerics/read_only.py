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
    """A copy that nobody can write to, nor make writeable: its memory is that of ``bytes``.

    What is frozen already, or a part of that without gaps, is not copied again.
    """
    base = array.base
    memory = base.base if isinstance(base, np.ndarray) else base
    if isinstance(memory, bytes) and array.flags.c_contiguous:
        return array
    copy: AnyArray = np.ndarray(array.shape, array.dtype, array.tobytes())  # type: ignore[assignment]
    return copy


def guarded(array: AnyArray) -> AnyArray:
    """A view of an array that is sealed: if it owns its memory, the view stays read-only."""
    array.setflags(write=False)
    return array.view()


def sealed(arrays: Iterable["np.ndarray[Any, Any]"]) -> None:
    """Let nobody write to these very arrays any more."""
    for array in arrays:
        array.setflags(write=False)


def vector(values: tuple[float, float, float]) -> npt.NDArray[np.float64]:
    """Three floats as an array (3,) that cannot be written to."""
    array = np.array(values)
    array.setflags(write=False)
    return array
