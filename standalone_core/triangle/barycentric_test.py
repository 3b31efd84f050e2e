# SPDX-License-Identifier: MIT
"""Point-in-triangle test 3: no barycentric weight is negative."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .barycentric_weights import barycentric, weights_of_one


def contains_barycentric(point: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Any:
    """Whether all weights of the point are 0 or more.

    The tutorials solve P - A = u (C - A) + v (B - A) and ask for u >= 0, v >= 0, u + v <= 1: u is
    the weight of C, v that of B, and 1 - u - v that of A (see
    :func:`~standalone_core.triangle.barycentric`). Parameters and result are those of
    :func:`~standalone_core.triangle.contains_same_side`.

    Examples
    --------
    >>> contains_barycentric((1, 1, 0), (0, 0, 0), (4, 0, 0), (0, 4, 0))
    True
    """
    weights = weights_of_one(point, a, b, c)
    if weights is not None:
        return weights[0] >= 0.0 and weights[1] >= 0.0 and weights[2] >= 0.0
    inside = (barycentric(point, a, b, c) >= 0.0).all(axis=-1)
    return bool(inside) if inside.ndim == 0 else inside
