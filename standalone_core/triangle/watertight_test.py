# SPDX-License-Identifier: MIT
"""The watertight ray-triangle test, the one that meshes and scenes use."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..ray import Ray
from ..rayspace import RayFrame, cast_candidates
from ._shared import TriangleHit, TriangleHits, broadcast_tests, cast_one


def watertight(ray: Ray, a: Any, b: Any, c: Any, cull: Cull = None) -> TriangleHit | None:
    """Test one ray against one triangle so that neighbours never both miss, nor both hit.

    The ray becomes the z axis by a shear (Woop, Benthin and Wald 2013), the sides of the edges
    are decided exactly, and a ray through an edge or a vertex is given to one side of it by a
    rule for all (see :mod:`standalone_core.rayspace`). Hence the border of a lone triangle
    belongs to it in parts only, as the pixels on the border of a drawn triangle do.

    Parameters
    ----------
    ray : Ray
    a, b, c : array_like (3,)
        Corners, in the space of the ray.
    cull : {None, "back", "front"}
        Which side is not hit; the front is where a, b, c run counter-clockwise.

    Returns
    -------
    TriangleHit or None
        t is the distance along the ray, u and v weigh b and c.
    """
    return cast_one(watertight_many, ray, a, b, c, cull)


def watertight_many(
    origins: Any, directions: Any, a: Any, b: Any, c: Any, cull: Cull = None
) -> TriangleHits:
    """:func:`watertight` for rays and triangles (..., 3) that broadcast; arrays (...)."""
    sign = arguments.cull_sign(cull)
    shape, (o, d, pa, pb, pc) = broadcast_tests(origins, directions, a, b, c)
    rows = np.arange(len(o))
    found = cast_candidates(
        RayFrame.of(o, d), rows, rows, (pa, pb, pc), np.full(len(o), np.inf), sign
    )
    t = np.full(len(o), np.inf)
    u, v = np.full((2, len(o)), np.nan)
    t[found.ray] = found.t
    u[found.ray] = found.weights[:, 1]
    v[found.ray] = found.weights[:, 2]
    return TriangleHits(*(x.reshape(shape) for x in (t, u, v)))
