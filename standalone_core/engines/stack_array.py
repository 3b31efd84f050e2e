# SPDX-License-Identifier: MIT
"""Arrays of compiled functions that need no memory of their own: they live as long as the call."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_array(typingctx: Any, length: Any, scalar: Any) -> Any:
    """An array (length,) of a scalar type, not filled, on the stack of the function that asks.

    The length is a constant. The array must not outlive the call, so only what is given to a
    :func:`.kernel`'s callees may name it.
    """
    if not isinstance(length, types.IntegerLiteral):
        return None
    kind, count = types.Array(scalar.instance_type, 1, "C"), length.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(kind)(context, builder)
        element = context.get_data_type(kind.dtype)
        size = context.get_constant(types.intp, context.get_abi_sizeof(element))
        room = cgutils.alloca_once(builder, ir.ArrayType(element, count))
        arrayobj.populate_array(
            array,
            data=builder.bitcast(room, element.as_pointer()),
            shape=[context.get_constant(types.intp, count)],
            strides=[size],
            itemsize=size,
            meminfo=None,
        )
        return array._getvalue()

    return kind(length, scalar), generate
