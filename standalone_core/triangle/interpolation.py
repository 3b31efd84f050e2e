# SPDX-License-Identifier: MIT
"""Any quantity of the vertices, at a point inside the triangle."""

from typing import Any

import numpy as np

from .. import arguments
from ..errors import ShapeError
from ..numerics.arrays import FloatArray


def interpolate(values: Any, weights: Any) -> FloatArray:
    """Mix the values of three vertices: V1 + U (V2 - V1) + W (V3 - V1), for any quantity V.

    Parameters
    ----------
    values : array_like (..., 3, C) or (3,)
        The quantity at each of the three vertices, of C components: a texture coordinate, a
        colour, a normal (to be made a unit vector again by the caller); or three plain numbers.
    weights : array_like (..., 3)
        Barycentric weights of those vertices, in the same order.

    Returns
    -------
    ndarray (..., C), or () for three plain numbers
        Where all three values are equal it is exactly that value.

    Examples
    --------
    >>> interpolate([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.5, 0.25, 0.25]).tolist()
    [0.25, 0.25]
    """
    w = arguments.points(weights, "weights")
    v = arguments.floats(values, "values")
    if v.shape == (3,):
        result: FloatArray = interpolate(v[:, None], w)[..., 0]
        return result
    if v.ndim < 2 or v.shape[-2] != 3:
        raise ShapeError(f"values must have shape (..., 3, C) or (3,), not {v.shape}")
    if v.ndim == 2 and w.ndim == 1:
        return _mixed(v[0], v[1], v[2], w[1], w[2])
    arguments.broadcast(values=v[..., 0], weights=w)
    return _mixed(v[..., 0, :], v[..., 1, :], v[..., 2, :], w[..., 1, None], w[..., 2, None])


def _mixed(first: FloatArray, second: FloatArray, third: FloatArray, u: Any, v: Any) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(first + u * (second - first) + v * (third - first))
