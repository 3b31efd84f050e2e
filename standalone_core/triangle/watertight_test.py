# SPDX-License-Identifier: MIT
"""The watertight ray-triangle test, the one that meshes and scenes use."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Cull
from ..cast_pairs import cast_pairs
from ..geometry import Geometry
from ..ray import Ray
from ..ray_batch import Question, RayBatch
from ..ray_frame import all_axes_across
from ._shared import TriangleHit, TriangleHits, broadcast_tests, cast_one


def watertight(ray: Ray, a: Any, b: Any, c: Any, cull: Cull = None) -> TriangleHit | None:
    """Test one ray against one triangle so that neighbours never both miss, nor both hit.

    The sides of the edges are decided exactly, and a ray through an edge or a vertex is given to
    one side of it by a rule for all (see :mod:`standalone_core.intersection`). Hence the border of
    a lone triangle belongs to it in parts only, as the pixels on the border of a drawn one do.

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
    question = Question(arguments.cull_sign(cull))
    shape, (o, d, pa, pb, pc) = broadcast_tests(origins, directions, a, b, c)
    count = len(o)
    rows = np.arange(count)
    rays = RayBatch(o, d, np.ones(count), np.full(count, np.inf), question)
    corners = Geometry(np.concatenate([pa, pb, pc]), rows[:, None] + count * np.arange(3), None)
    row, hits = cast_pairs(corners, rays, all_axes_across(d), rows, rows)
    t = np.full(count, np.inf)
    u, v = np.full((2, count), np.nan)
    t[row] = hits.distance
    u[row], v[row] = hits.barycentric[:, 1], hits.barycentric[:, 2]
    return TriangleHits(*(x.reshape(shape) for x in (t, u, v)))
