# SPDX-License-Identifier: MIT
"""Instructions of the processor that LLVM does not find by itself.

Above all the slab test of a whole node in vectors of eight: half of the time of a cast is spent
there. A processor without such registers takes narrower ones.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..bvh import WIDTH

_FLOAT, _INT = ir.FloatType(), ir.IntType(32)
_VECTOR = ir.VectorType(_FLOAT, WIDTH)


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
    """Which children of a node a ray meets, as bits; their entries go to `entries`.

    Parameters
    ----------
    nodes : array of float32
        All nodes, flat.
    first : int64
        Where the node starts in it.
    rows : six int64
        Where in the node the near planes in x, y, z and the far planes are.
    starts : six float32
        Origins for each of the planes.
    inverse : three float32
    limit : float32
    entries : array (WIDTH,) of float32
    """
    signature = types.uint8(nodes, first, rows, starts, inverse, limit, entries)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nodes, first, rows, starts, inverse, limit, entries = arguments

        def pointer(kind: Any, array: Any) -> Any:
            return cgutils.create_struct_proxy(kind)(context, builder, array).data

        def everywhere(number: Any) -> Any:
            undefined = ir.Constant(_VECTOR, ir.Undefined)
            one = builder.insert_element(undefined, number, ir.Constant(_INT, 0))
            zeros = ir.Constant(ir.VectorType(_INT, WIDTH), [0] * WIDTH)
            return builder.shuffle_vector(one, undefined, zeros)

        def plane(number: int) -> Any:
            place = builder.add(first, builder.extract_value(rows, number))
            address = builder.gep(pointer(signature.args[0], nodes), [place])
            corners = builder.load(builder.bitcast(address, _VECTOR.as_pointer()))
            corners.align = 4
            start = everywhere(builder.extract_value(starts, number))
            return builder.fmul(
                builder.fsub(corners, start),
                everywhere(builder.extract_value(inverse, number % 3)),
            )

        def chosen(order: str, a: Any, b: Any) -> Any:
            return builder.select(builder.fcmp_ordered(order, a, b), a, b)

        near = chosen(">", chosen(">", plane(0), plane(1)), plane(2))
        near = chosen(">", near, ir.Constant(_VECTOR, [0.0] * WIDTH))
        far = chosen("<", chosen("<", plane(3), plane(4)), plane(5))
        far = chosen("<", far, everywhere(limit))
        out = builder.bitcast(pointer(signature.args[6], entries), _VECTOR.as_pointer())
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
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate
