# SPDX-License-Identifier: MIT
"""Reading of what callers of another library pass."""

from typing import Any

import numpy as np

from .. import arguments
from ..errors import ArgumentError, DtypeError
from ..numerics.reading import described


def array_of(value: Any) -> Any:
    """What a tensor holds, as an array; anything else as it is."""
    return value.numpy() if hasattr(value, "numpy") else value


def count(value: Any, name: str) -> int:
    """Read `value` as a whole number from 1."""
    number = arguments.most(value, name)
    if number is None:
        raise ArgumentError(f"{name} must be 1 or more, not None")
    return number


def threads_wanted(value: Any) -> int:
    """Read `value` as a number of threads; 0 leaves it to the library."""
    number = -1 if isinstance(value, bool) else arguments.integer(value, "nthreads")
    if number < 0:
        raise ArgumentError(f"nthreads must be 0 or more, not {described(value)}")
    return number


def float_type(value: Any) -> np.dtype[Any]:
    """Read `value` as float64 or float32."""
    try:
        given: np.dtype[Any] = np.dtype(value)
    except Exception as error:  # whatever NumPy says of it
        wrong = described(value)
        raise DtypeError(f"dtype must be float64 or float32, not {wrong}") from error
    if given not in (np.float64, np.float32):
        raise DtypeError(f"dtype must be float64 or float32, not {given}")
    return given
