# SPDX-License-Identifier: MIT
"""One ray, one point, one triangle: the tests of the tutorials.

The ray-triangle tests differ at borders: `plane_parametric` and `moller_trumbore` count them as
inside, up to rounding; `watertight` gives each to exactly one of the triangles that share it.

Each test has four forms: ``test(ray, a, b, c)`` for one ray, ``test_many`` for arrays of rays,
``test_segment(start, end, a, b, c)`` and ``test_segments`` for the way between two points. A ray's
`limits` say which t count, so ``limits=LINE`` makes it the whole line.
"""

from ._tests import LINE, RAY
from .hits import TriangleHit, TriangleHits
from .moeller_trumbore import (
    moller_trumbore,
    moller_trumbore_many,
    moller_trumbore_segment,
    moller_trumbore_segments,
)
from .plane_then_parametric import (
    plane_parametric,
    plane_parametric_many,
    plane_parametric_segment,
    plane_parametric_segments,
)
from .point_tests import contains_angle_sum, contains_barycentric, contains_same_side
from .watertight_test import watertight, watertight_many, watertight_segment, watertight_segments
from .weights import barycentric, interpolate

__all__ = ["LINE", "RAY", "TriangleHit", "TriangleHits"]
__all__ += ["moller_trumbore", "moller_trumbore_many"]
__all__ += ["moller_trumbore_segment", "moller_trumbore_segments"]
__all__ += ["plane_parametric", "plane_parametric_many"]
__all__ += ["plane_parametric_segment", "plane_parametric_segments"]
__all__ += ["watertight", "watertight_many", "watertight_segment", "watertight_segments"]
__all__ += ["barycentric", "contains_angle_sum", "contains_barycentric", "contains_same_side"]
__all__ += ["interpolate"]


def __dir__() -> list[str]:
    return __all__
