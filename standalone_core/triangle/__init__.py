# SPDX-License-Identifier: MIT
"""One ray, one point, one triangle: the tests of the tutorials, each in a module of its own.

The ray-triangle tests differ at borders by rounding: `plane_parametric` and `moller_trumbore`
count them as inside, `watertight` gives each to exactly one of the triangles that share it.
"""

from ._shared import TriangleHit, TriangleHits
from .angle_sum import contains_angle_sum
from .barycentric_test import contains_barycentric
from .barycentric_weights import barycentric
from .interpolation import interpolate
from .moeller_trumbore import moller_trumbore, moller_trumbore_many
from .plane_then_parametric import plane_parametric, plane_parametric_many
from .same_side import contains_same_side
from .watertight_test import watertight, watertight_many

__all__ = [
    "TriangleHit",
    "TriangleHits",
    "barycentric",
    "contains_angle_sum",
    "contains_barycentric",
    "contains_same_side",
    "interpolate",
    "moller_trumbore",
    "moller_trumbore_many",
    "plane_parametric",
    "plane_parametric_many",
    "watertight",
    "watertight_many",
]
