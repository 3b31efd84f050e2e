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

from ..bvh import WIDTH

_INT = ir.IntType(32)


class Lanes:
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
        """The least (<) or greatest (>) of vectors, lane by lane; NaN gives way to what follows."""
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


def data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The pointer to an array's data, in code that is being generated."""
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


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
        lanes = Lanes(builder, ir.FloatType(), WIDTH)

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
        kind = arguments[0].type
        name = f"llvm.fma.v{kind.count}f64" if isinstance(kind, ir.VectorType) else "llvm.fma.f64"
        function = ir.FunctionType(kind, [kind] * 3)
        called = cgutils.get_or_insert_function(builder.module, function, name)
        return builder.call(called, arguments)

    return a(a, b, c), generate


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


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typingctx: Any, number: Any) -> Any:
    """The bits of a float32 as an integer; of numbers that are not negative, in their order."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitcast(arguments[0], _INT), ir.IntType(64))

    return types.int64(types.float32), generate


@intrinsic  # type: ignore[untyped-decorator]
def at(typingctx: Any, array: Any, place: Any) -> Any:
    """A flat element of an array, at a place that is inside: nothing is checked."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        address = builder.gep(data, [arguments[1]])
        return context.unpack_value(builder, array.dtype, address)

    return array.dtype(array, place), generate


@intrinsic  # type: ignore[untyped-decorator]
def put(typingctx: Any, array: Any, place: Any, value: Any) -> Any:
    """Replace a flat element of an array, at a place that is inside: nothing is checked."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        value = context.cast(builder, arguments[2], signature.args[2], array.dtype)
        context.pack_value(builder, array.dtype, value, builder.gep(data, [arguments[1]]))
        return context.get_dummy_value()

    return types.void(array, place, value), generate


@intrinsic  # type: ignore[untyped-decorator]
def whole_at(typingctx: Any, array: Any, place: Any) -> Any:
    """A flat element of an array of float32, as the int32 that its bits are."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        address = builder.gep(data, [arguments[1]])
        return builder.load(builder.bitcast(address, _INT.as_pointer()))

    return types.int32(array, place), generate
