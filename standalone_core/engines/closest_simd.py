# SPDX-License-Identifier: MIT
"""Distances of a point from all boxes of a node, and from all triangles of a leaf, in vectors."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..bvh import LEAF, WIDTH
from .simd import Lanes

# Products and sums may be rounded in one step where the processor can: bounds only gain by it.
_FUSED = ("contract",)


@intrinsic  # type: ignore[untyped-decorator]
def box_test(
    typingctx: Any, nodes: Any, first: Any, low: Any, high: Any, bound: Any, squares: Any
) -> Any:
    """Which children of a node are not further away than a bound, as bits.

    The node starts at `first` of all nodes, flat. The point lies between `low` and `high`. The
    squared distances, which `bound` limits, go to `squares` (WIDTH,). Floats are float32.
    """
    signature = types.uint8(nodes, first, low, high, bound, squares)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nodes, first, low, high, bound, squares = arguments
        lanes = Lanes(builder, ir.FloatType(), WIDTH)

        def pointer(number: int, array: Any) -> Any:
            return cgutils.create_struct_proxy(signature.args[number])(context, builder, array).data

        def corners(number: int) -> Any:
            place = builder.add(first, ir.Constant(first.type, number * WIDTH))
            address = builder.gep(pointer(0, nodes), [place])
            result = builder.load(builder.bitcast(address, lanes.kind.as_pointer()))
            result.align = 4
            return result

        zero = lanes.everywhere(ir.Constant(ir.FloatType(), 0.0))
        total = zero
        for axis in range(3):
            least = lanes.everywhere(builder.extract_value(low, axis))
            most = lanes.everywhere(builder.extract_value(high, axis))
            before = builder.fsub(corners(axis), most)
            after = builder.fsub(least, corners(3 + axis))
            gap = lanes.extreme(">", [before, after, zero])
            total = builder.fadd(total, builder.fmul(gap, gap, _FUSED), _FUSED)
        out = builder.bitcast(pointer(5, squares), lanes.kind.as_pointer())
        builder.store(total, out).align = 4
        near = builder.fcmp_ordered("<=", total, lanes.everywhere(bound))
        return builder.bitcast(near, ir.IntType(WIDTH))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def triangle_test(
    typingctx: Any,
    vertices: Any,
    triangles: Any,
    first: Any,
    point: Any,
    reach: Any,
    margin: Any,
    found: Any,
) -> Any:
    """Which triangles of a leaf may be within reach of a point, as bits.

    The bounds are those of :func:`.on_triangle.estimated`, where the proof is.

    Parameters
    ----------
    vertices : array (V, 3) of float64
    triangles : array (N, 3) of int32
        In the tree's order; LEAF of them are read, from `first` on.
    point : three float64
    reach : float64
        Triangles that are further away are of no interest.
    margin : two float64
        What is rounded, in sizes of what goes in, and what underflows.
    found : array (3 * LEAF,) of float64
        Gets for each triangle the square of the distance of a place on it, r . r with the way r
        from there to the point; the least r . y of all ways y from the triangle to the point; and
        the error of all this, as a distance.
    """
    signature = types.uint8(vertices, triangles, first, point, reach, margin, found)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vertices, triangles, first, point, reach, margin, found = arguments
        lanes = Lanes(builder, ir.DoubleType(), LEAF)

        def pointer(number: int, array: Any) -> Any:
            return cgutils.create_struct_proxy(signature.args[number])(context, builder, array).data

        def constant(number: float) -> Any:
            return lanes.everywhere(ir.Constant(ir.DoubleType(), number))

        def plus(a: Any, b: Any) -> Any:
            return builder.fadd(a, b, _FUSED)

        def minus(a: Any, b: Any) -> Any:
            return builder.fsub(a, b, _FUSED)

        def times(a: Any, b: Any) -> Any:
            return builder.fmul(a, b, _FUSED)

        def dot(a: Any, b: Any) -> Any:
            return plus(plus(times(a[0], b[0]), times(a[1], b[1])), times(a[2], b[2]))

        def choose(condition: Any, a: Any, b: Any) -> Any:
            return builder.select(condition, a, b)

        points, rows = pointer(0, vertices), pointer(1, triangles)
        three = ir.Constant(first.type, 3)
        corner = builder.mul(first, three)

        def vertex(number: int) -> Any:
            address = builder.gep(rows, [builder.add(corner, ir.Constant(first.type, number))])
            return builder.mul(builder.sext(builder.load(address), first.type), three)

        places = [[vertex(3 * lane + k) for lane in range(LEAF)] for k in range(3)]

        def coordinates(k: int) -> list[Any]:
            starts = [builder.gep(points, [place]) for place in places[k]]
            return [
                lanes.of(
                    [
                        builder.load(builder.gep(start, [ir.Constant(_INT, axis)]))
                        for start in starts
                    ]
                )
                for axis in range(3)
            ]

        a, b, c = (coordinates(k) for k in range(3))
        p = [lanes.everywhere(builder.extract_value(point, axis)) for axis in range(3)]
        q, e1, e2 = (
            [builder.fsub(x, y) for x, y in zip(end, start, strict=True)]
            for start, end in ((a, p), (a, b), (a, c))
        )
        zero, one, two = constant(0.0), constant(1.0), constant(2.0)
        g11, g12, g22, d1, d2 = dot(e1, e1), dot(e1, e2), dot(e2, e2), dot(q, e1), dot(q, e2)
        area = minus(times(g11, g22), times(g12, g12))
        second = minus(times(g22, d1), times(g12, d2))
        third = minus(times(g11, d2), times(g12, d1))
        inside = builder.and_(
            builder.fcmp_ordered(">", second, zero), builder.fcmp_ordered(">", third, zero)
        )
        inside = builder.and_(inside, builder.fcmp_ordered("<", plus(second, third), area))

        def clipped(over: Any, under: Any) -> Any:
            share = builder.fdiv(over, under)  # NaN where an edge has no length: then 1
            return lanes.extreme(">", [zero, lanes.extreme("<", [share, one])])

        on_ab, on_ac = clipped(d1, g11), clipped(d2, g22)
        d12 = minus(d2, d1)
        opposite = minus(plus(g11, g22), times(two, g12))
        on_bc = clipped(plus(d12, minus(g11, g12)), opposite)

        def along(share: Any, square: Any, way: Any) -> Any:
            return times(share, minus(times(share, square), times(two, way)))

        from_b = minus(one, on_bc)
        v, w, best = on_ab, zero, along(on_ab, g11, d1)
        across = times(times(two, times(from_b, on_bc)), g12)
        for x, y, value in (
            (zero, on_ac, along(on_ac, g22, d2)),
            (from_b, on_bc, plus(plus(along(from_b, g11, d1), along(on_bc, g22, d2)), across)),
        ):
            nearer = builder.fcmp_ordered("<", value, best)
            best, v, w = choose(nearer, value, best), choose(nearer, x, v), choose(nearer, y, w)
        inverse = builder.fdiv(one, area)
        v, w = (choose(inside, times(second, inverse), v), choose(inside, times(third, inverse), w))
        r = [minus(minus(q[i], times(v, e1[i])), times(w, e2[i])) for i in range(3)]
        square = dot(r, r)
        beyond = lanes.extreme(">", [dot(r, e1), dot(r, e2), zero])
        least = minus(dot(r, q), beyond)
        size = zero
        for vector in (q, e1, e2):
            for number in vector:
                size = builder.fadd(size, lanes.absolute(number))
        error = builder.fadd(
            builder.fmul(size, lanes.everywhere(builder.extract_value(margin, 0))),
            lanes.everywhere(builder.extract_value(margin, 1)),
        )
        limit = builder.fadd(lanes.everywhere(reach), error)
        limit = builder.fmul(builder.fmul(limit, limit), square)
        away = builder.and_(
            builder.fcmp_ordered(
                ">", builder.fmul(least, least), builder.fmul(limit, constant(_UP))
            ),
            builder.fcmp_ordered(">", least, zero),
        )
        out = pointer(6, found)
        for number, values in enumerate((square, least, error)):
            address = builder.gep(out, [ir.Constant(first.type, number * LEAF)])
            builder.store(values, builder.bitcast(address, lanes.kind.as_pointer())).align = 8
        bits = builder.bitcast(builder.not_(away), ir.IntType(LEAF))
        return builder.zext(bits, ir.IntType(8))

    return signature, generate


_INT = ir.IntType(32)

# For the roundings of the comparison.
_UP = 1.0 + 2.0**-40
