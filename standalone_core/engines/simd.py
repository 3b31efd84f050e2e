# SPDX-License-Identifier: MIT
"""Instructions of the processor that LLVM does not find by itself.

Above all the tests of a whole node in vectors of eight and of a whole leaf in vectors of four: that
is where the time of a cast goes. A processor without such registers takes narrower ones.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..bvh import LEAF, WIDTH

_INT = ir.IntType(32)


class _Lanes:
    """Vectors of a number of lanes, in code that is being generated."""

    def __init__(self, builder: Any, element: Any, count: int) -> None:
        self.builder = builder
        self.kind = ir.VectorType(element, count)
        self.count = count

    def of(self, numbers: list[Any]) -> Any:
        """A vector of numbers."""
        vector = ir.Constant(self.kind, ir.Undefined)
        for lane, number in enumerate(numbers):
            vector = self.builder.insert_element(vector, number, ir.Constant(_INT, lane))
        return vector

    def everywhere(self, number: Any) -> Any:
        """A vector of one number."""
        zeros = ir.Constant(ir.VectorType(_INT, self.count), [0] * self.count)
        undefined = ir.Constant(self.kind, ir.Undefined)
        one = self.builder.insert_element(undefined, number, ir.Constant(_INT, 0))
        return self.builder.shuffle_vector(one, undefined, zeros)

    def extreme(self, order: str, vectors: list[Any]) -> Any:
        """The least (<) or greatest (>) of vectors, lane by lane."""
        result = vectors[0]
        for vector in vectors[1:]:
            chosen = self.builder.fcmp_ordered(order, result, vector)
            result = self.builder.select(chosen, result, vector)
        return result

    def absolute(self, vector: Any) -> Any:
        """The vector without its signs."""
        negative = self.builder.fneg(vector)
        positive = self.builder.fcmp_ordered(">", vector, negative)
        return self.builder.select(positive, vector, negative)


@intrinsic  # type: ignore[untyped-decorator]
def slab_test(
    typingctx: Any,
    nodes: Any,
    first: Any,
    rows: Any,
    starts: Any,
    inverse: Any,
    limit: Any,
    entries: Any,
) -> Any:
    """Which children of a node a ray meets, as bits; their entries go to `entries` (WIDTH,).

    The node starts at `first` of all nodes, flat. Its planes, near x, y, z and then far ones, are
    at the six `rows` of it, and the ray's origins for them are `starts`. Floats are float32.
    """
    signature = types.uint8(nodes, first, rows, starts, inverse, limit, entries)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nodes, first, rows, starts, inverse, limit, entries = arguments
        lanes = _Lanes(builder, ir.FloatType(), WIDTH)

        def pointer(kind: Any, array: Any) -> Any:
            return cgutils.create_struct_proxy(kind)(context, builder, array).data

        def plane(number: int) -> Any:
            place = builder.add(first, builder.extract_value(rows, number))
            address = builder.gep(pointer(signature.args[0], nodes), [place])
            corners = builder.load(builder.bitcast(address, lanes.kind.as_pointer()))
            corners.align = 4
            start = lanes.everywhere(builder.extract_value(starts, number))
            return builder.fmul(
                builder.fsub(corners, start),
                lanes.everywhere(builder.extract_value(inverse, number % 3)),
            )

        zero = lanes.everywhere(ir.Constant(ir.FloatType(), 0.0))
        near = lanes.extreme(">", [plane(0), plane(1), plane(2), zero])
        far = lanes.extreme("<", [plane(3), plane(4), plane(5), lanes.everywhere(limit)])
        out = builder.bitcast(pointer(signature.args[6], entries), lanes.kind.as_pointer())
        builder.store(near, out).align = 4
        met = builder.fcmp_ordered("<=", near, far)
        return builder.bitcast(met, ir.IntType(WIDTH))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def leaf_test(
    typingctx: Any,
    vertices: Any,
    triangles: Any,
    first: Any,
    frame: Any,
    origin: Any,
    shear: Any,
    depth: Any,
    margin: Any,
    sides: Any,
) -> Any:
    """Which triangles of a leaf a ray may go through, as bits.

    Parameters
    ----------
    vertices : array (V, 3) of float64
    triangles : array (N, 3) of int32
        In the tree's order; LEAF of them are read, from `first` on.
    frame, origin, shear
        The ray's frame and, in its order, the origin and the direction by its last component.
    depth : two float64
        What distances along the last axis are to be multiplied by, and what none may exceed then.
    margin : three float64
        Bounds of the edge functions' errors: a factor of their size, what is added to it, and
        above what the bound itself is not sure.
    sides : array (3 * LEAF,) of float64
        Gets the least and the greatest edge function of each triangle, and the bound.
    """
    signature = types.uint8(vertices, triangles, first, frame, origin, shear, depth, margin, sides)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vertices, triangles, first, frame, origin, shear, depth, margin, sides = arguments
        lanes = _Lanes(builder, ir.DoubleType(), LEAF)

        def pointer(number: int, array: Any) -> Any:
            return cgutils.create_struct_proxy(signature.args[number])(context, builder, array).data

        points, rows = pointer(0, vertices), pointer(1, triangles)
        three = ir.Constant(first.type, 3)
        corner = builder.mul(first, three)

        def vertex(number: int) -> Any:
            address = builder.gep(rows, [builder.add(corner, ir.Constant(first.type, number))])
            return builder.mul(builder.sext(builder.load(address), first.type), three)

        places = [[vertex(3 * lane + k) for lane in range(LEAF)] for k in range(3)]

        def coordinate(k: int, axis: int) -> Any:
            axis_of_all = builder.gep(points, [builder.extract_value(frame, axis)])
            found = [builder.load(builder.gep(axis_of_all, [place])) for place in places[k]]
            start = lanes.everywhere(builder.extract_value(origin, axis))
            return builder.fsub(lanes.of(found), start)

        z = [coordinate(k, 2) for k in range(3)]

        def sheared(k: int, axis: int) -> Any:
            slope = lanes.everywhere(builder.extract_value(shear, axis))
            return builder.fsub(coordinate(k, axis), builder.fmul(slope, z[k]))

        (ax, bx, cx), (ay, by, cy) = ([sheared(k, axis) for k in range(3)] for axis in range(2))

        def edge(px: Any, py: Any, qx: Any, qy: Any) -> Any:
            return builder.fsub(builder.fmul(px, qy), builder.fmul(py, qx))

        edges = [edge(cx, cy, bx, by), edge(ax, ay, cx, cy), edge(bx, by, ax, ay)]
        least, most = lanes.extreme("<", edges), lanes.extreme(">", edges)
        size = lanes.extreme(">", [lanes.absolute(x) for x in (ax, bx, cx, ay, by, cy)])
        factor, floor, ceiling = (
            lanes.everywhere(builder.extract_value(margin, i)) for i in range(3)
        )
        # Comparisons lose NaN, this sum does not.
        total = builder.fadd(builder.fadd(edges[0], edges[1]), edges[2])
        nothing = builder.fmul(total, lanes.everywhere(ir.Constant(ir.DoubleType(), 0.0)))
        bound = builder.fadd(builder.fadd(builder.fmul(size, factor), floor), nothing)
        along, reach = (lanes.everywhere(builder.extract_value(depth, i)) for i in range(2))
        begin = lanes.extreme("<", [builder.fmul(x, along) for x in z])
        outside = builder.and_(
            builder.fcmp_ordered("<", least, builder.fneg(bound)),
            builder.fcmp_ordered(">", most, bound),
        )
        outside = builder.or_(outside, builder.fcmp_ordered(">", begin, reach))
        outside = builder.and_(outside, builder.fcmp_ordered("<", bound, ceiling))
        out = pointer(8, sides)
        for number, values in enumerate((least, most, bound)):
            address = builder.gep(out, [ir.Constant(first.type, number * LEAF)])
            builder.store(values, builder.bitcast(address, lanes.kind.as_pointer())).align = 8
        bits = builder.bitcast(builder.not_(outside), ir.IntType(LEAF))
        return builder.zext(bits, ir.IntType(8))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(typingctx: Any, bits: Any) -> Any:
    """The number of the lowest bit that is set; `bits` must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(64)
        kind = ir.FunctionType(wide, [wide, ir.IntType(1)])
        count = cgutils.get_or_insert_function(builder.module, kind, "llvm.cttz.i64")
        bits = builder.zext(arguments[0], wide)
        return builder.call(count, [bits, ir.Constant(ir.IntType(1), 1)])

    return types.int64(bits), generate


@intrinsic  # type: ignore[untyped-decorator]
def fused_multiply_add(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask for a flat element of an array ahead of its use."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _INT, _INT, _INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [address, _INT(0), _INT(3), _INT(1)])
        return context.get_dummy_value()

    return types.void(array, index), generate
