# SPDX-License-Identifier: MIT
"""The exact formulas, compiled.

Everything that decides the bits of an answer is compiled from :mod:`.ray_triangle`, the very
functions that NumPy runs. What those leave to :mod:`.rational` is left to the NumPy engine here.
"""

from typing import Any

from llvmlite import binding as llvm
from numba.extending import overload

from ..numerics import double_double, ray_triangle
from ..numerics.ray_triangle import frame_of, side_of_edge
from ..numerics.vectors import power_of_two
from .kernel_cache import helper
from .simd import at, fused_multiply_add

for _function in (
    double_double.two_sum,
    double_double.two_difference,
    double_double.determinant2,
    ray_triangle.edge_side,
    ray_triangle.equations,
    ray_triangle.cross3,
    ray_triangle.dot3,
    ray_triangle.solution,
    ray_triangle.residual,
    ray_triangle.correction,
    ray_triangle.point_on,
    ray_triangle.solve,
    ray_triangle.side_of_edge,
    ray_triangle.tie_sides,
    frame_of,
    power_of_two,
):
    helper(inline=False)(_function)


@overload(double_double.two_product)  # type: ignore[untyped-decorator]
def _two_product(a: Any, b: Any) -> Any:
    """With a fused multiplication the same error, which is exact, takes one instruction."""
    if not llvm.get_host_cpu_features().get("fma"):
        return double_double.two_product

    def fused(a: Any, b: Any) -> Any:
        high = a * b
        return high, fused_multiply_add(a, b, -high)

    return fused


@helper(inline=True)
def point_at(points: Any, place: int) -> Any:
    """Three numbers of a flat array from a place on, which is inside."""
    return at(points, place), at(points, place + 1), at(points, place + 2)


@helper(inline=False)
def exact_side(ray: Any, a: Any, b: Any, c: Any) -> Any:
    """From which side a ray goes through a triangle, and whether that is sure."""
    total = a[0] + a[1] + a[2] + b[0] + b[1] + b[2] + c[0] + c[1] + c[2]
    if total * 0.0 != 0.0:
        return 0.0, True
    frame = frame_of(ray.direction)
    first, sure = side_of_edge(ray.origin, ray.direction, c, b, frame)
    if not sure:
        return 0.0, False
    second, sure = side_of_edge(ray.origin, ray.direction, a, c, frame)
    if not sure:
        return 0.0, False
    third, sure = side_of_edge(ray.origin, ray.direction, b, a, frame)
    return (first if first == second and second == third else 0.0), sure
