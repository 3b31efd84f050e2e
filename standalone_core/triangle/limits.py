# SPDX-License-Identifier: MIT
"""Between which t a hit counts, on a ray or on its whole line."""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import arguments
from ..errors import ArgumentError, ShapeError
from ..numerics.arrays import FloatArray
from ..numerics.reading import iterable

Limits = tuple[ArrayLike, ArrayLike]
"""The least and the most t that count, both included."""

RAY: Limits = (0.0, inf)
"""The limits of a ray: ahead of its origin."""

LINE: Limits = (-inf, inf)
"""The limits of a line: ahead of the origin and behind it."""


def read_limits(value: Limits) -> tuple[float, float]:
    """Read the least and the most t that count, two numbers in order; either may be infinite."""
    if value is RAY:
        return 0.0, inf
    least, most = (float(arguments.floats(x, "limits", ())) for x in _two(value))
    if not least <= most:
        raise ArgumentError(f"limits must be a least and a most t, not {least} and {most}")
    return least, most


def read_limits_many(value: Limits, shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Read limits for an array of tests: each a number, or an array that broadcasts to `shape`."""
    least, most = (arguments.floats(x, "limits") for x in _two(value))
    least, most = arguments.broadcast(least=least, most=most)
    if not np.all(least <= most):
        raise ArgumentError("limits must be a least and a most t, the least not above the most")
    try:
        least, most = np.broadcast_to(least, shape), np.broadcast_to(most, shape)
    except ValueError:
        raise ShapeError(
            f"limits of shapes {least.shape} and {most.shape} do not fit the tests' {shape}"
        ) from None
    return least.ravel(), most.ravel()


def _two(value: Any) -> list[Any]:
    pair = iterable(value, "limits")
    if len(pair) != 2:
        raise ShapeError(f"limits must be two, a least and a most t, not {len(pair)}")
    return pair
