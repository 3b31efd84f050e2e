# SPDX-License-Identifier: MIT
"""The tests of a whole node and of a whole block of triangles, eight lanes at a time.

That is where the time of a cast goes, and LLVM does not find these vectors by itself. A processor
without such registers takes narrower ones.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .simd import Lanes, data_of

LANE_BITS = 3
LANES = 1 << LANE_BITS
"""Children of a node, and triangles of a block."""

_FLOAT, _INT = ir.FloatType(), ir.IntType(32)


def _single(builder: Any) -> Lanes:
    return Lanes(builder, _FLOAT, LANES)


def _loaded(builder: Any, lanes: Lanes, data: Any, place: Any) -> Any:
    """Eight numbers from a place on; rows begin at multiples of 32 bytes."""
    address = builder.bitcast(builder.gep(data, [place]), lanes.kind.as_pointer())
    vector = builder.load(address)
    vector.align = 4
    return vector


def _stored(builder: Any, vector: Any, data: Any, place: int) -> None:
    address = builder.gep(data, [ir.Constant(ir.IntType(64), place)])
    builder.store(vector, builder.bitcast(address, vector.type.as_pointer())).align = 4


def _fused(builder: Any, lanes: Lanes, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once where the processor can."""
    kind = ir.FunctionType(lanes.kind, [lanes.kind] * 3)
    name = f"llvm.fmuladd.v{LANES}f32"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [a, b, c])


@intrinsic  # type: ignore[untyped-decorator]
def met_children(
    typingctx: Any,
    nodes: Any,
    first: Any,
    rows: Any,
    starts: Any,
    inverse: Any,
    limit: Any,
    entries: Any,
) -> Any:
    """Which children of a node a ray meets, as bits; their entries go to `entries` (LANES,).

    The node starts at `first` of all nodes, flat. Its planes, near x, y, z and then far ones, are
    at the six `rows` of it; a ray is at a plane at ``plane * inverse - start``. Floats are float32.
    """
    signature = types.uint8(nodes, first, rows, starts, inverse, limit, entries)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nodes, first, rows, starts, inverse, limit, entries = arguments
        lanes = _single(builder)
        data = data_of(context, builder, signature.args[0], nodes)

        def plane(number: int) -> Any:
            place = builder.add(first, builder.extract_value(rows, number))
            start = lanes.everywhere(builder.fneg(builder.extract_value(starts, number)))
            by = lanes.everywhere(builder.extract_value(inverse, number % 3))
            return _fused(builder, lanes, _loaded(builder, lanes, data, place), by, start)

        zero = lanes.everywhere(ir.Constant(_FLOAT, 0.0))
        near = lanes.extreme(">", [plane(0), plane(1), plane(2), zero])
        far = lanes.extreme("<", [plane(3), plane(4), plane(5), lanes.everywhere(limit)])
        _stored(builder, near, data_of(context, builder, signature.args[6], entries), 0)
        met = builder.fcmp_ordered("<=", near, far)
        return builder.bitcast(met, ir.IntType(LANES))

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]
def block_test(
    typingctx: Any,
    blocks: Any,
    first: Any,
    rows: Any,
    shear: Any,
    offset: Any,
    margin: Any,
    depth: Any,
    weights: Any,
) -> Any:
    """Which triangles of a block a ray may go through, and which it surely does, as bits.

    The bits from 0 on tell which it may go through, those from 8 on which it surely goes through
    from the front, those from 16 on from the back. Floats are float32 in the tree's units.

    Parameters
    ----------
    blocks : array (n,) of float32
        The block starts at `first`: rows of eight numbers for x, y, z of the corners a, b, c.
    rows : three int64
        Where in the block the corner a has its components across the ray (two) and along it.
    shear, offset : two float32
        What a corner along the ray is multiplied by and subtracted with, across the ray.
    margin : three float32
        Bounds of the edge functions' errors: factors of their size, and of its square, and what is
        added to these.
    depth : two float32
        The sign of the direction along the ray, and how far along it triangles may begin.
    weights : array (4 * LANES,) of float32
        Gets the edge functions of each triangle, and their bound.
    """
    signature = types.uint32(blocks, first, rows, shear, offset, margin, depth, weights)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        blocks, first, rows, shear, offset, margin, depth, weights = arguments
        lanes = _single(builder)
        data = data_of(context, builder, signature.args[0], blocks)

        def corner(number: int, axis: int) -> Any:
            place = builder.add(first, builder.extract_value(rows, axis))
            skipped = ir.Constant(first.type, 3 * LANES * number)
            return _loaded(builder, lanes, data, builder.add(place, skipped))

        def everywhere(vector: Any, number: int) -> Any:
            return lanes.everywhere(builder.extract_value(vector, number))

        z = [corner(number, 2) for number in range(3)]

        def across(number: int, axis: int) -> Any:
            place = builder.fsub(corner(number, axis), everywhere(offset, axis))
            slope = builder.fneg(everywhere(shear, axis))
            return _fused(builder, lanes, slope, z[number], place)

        (ax, bx, cx), (ay, by, cy) = ([across(k, axis) for k in range(3)] for axis in range(2))

        def edge(px: Any, py: Any, qx: Any, qy: Any) -> Any:
            return _fused(builder, lanes, px, qy, builder.fneg(builder.fmul(py, qx)))

        edges = [edge(cx, cy, bx, by), edge(ax, ay, cx, cy), edge(bx, by, ax, ay)]
        least, most = lanes.extreme("<", edges), lanes.extreme(">", edges)
        size = lanes.extreme(">", [lanes.absolute(x) for x in (ax, bx, cx, ay, by, cy)])
        factor = _fused(builder, lanes, size, everywhere(margin, 1), everywhere(margin, 0))
        bound = _fused(builder, lanes, size, factor, everywhere(margin, 2))
        below = builder.fneg(bound)
        # Where a number is NaN, no comparison holds: such a triangle is never hit.
        possible = builder.or_(
            builder.fcmp_ordered(">=", least, below), builder.fcmp_ordered("<=", most, bound)
        )
        along = [builder.fmul(x, everywhere(depth, 0)) for x in z]
        begin = lanes.extreme("<", along)
        possible = builder.and_(possible, builder.fcmp_ordered("<=", begin, everywhere(depth, 1)))
        front = builder.fcmp_ordered(">", least, bound)
        back = builder.fcmp_ordered("<", most, below)
        out = data_of(context, builder, signature.args[7], weights)
        for number, values in enumerate((*edges, bound)):
            _stored(builder, values, out, number * LANES)
        bits = ir.Constant(_INT, 0)
        for number, mask in enumerate((possible, front, back)):
            byte = builder.zext(builder.bitcast(mask, ir.IntType(LANES)), _INT)
            bits = builder.or_(bits, builder.shl(byte, ir.Constant(_INT, LANES * number)))
        return bits

    return signature, generate
