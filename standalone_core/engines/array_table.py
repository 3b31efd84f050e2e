# SPDX-License-Identifier: MIT
"""Arrays of any number of meshes for one compiled function: a table of their addresses.

Compiled code reads what stands at an address without looking: who makes a row must keep its arrays,
and let nobody write to them, for as long as the table is used.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from ..numerics.arrays import IntArray


def row_of(arrays: Sequence[npt.NDArray[Any]], kinds: Sequence[types.Array]) -> IntArray:
    """Address and length of each of the arrays, which must be of these kinds; (2 * N,)."""
    for array, kind in zip(arrays, kinds, strict=True):
        fits = array.flags.c_contiguous and array.flags.aligned and array.ndim == kind.ndim
        if not fits or array.dtype != np.dtype(str(kind.dtype)):
            raise TypeError(f"compiled code takes {kind}, not an array of {array.dtype}")
    return np.array([(array.ctypes.data, len(array)) for array in arrays], dtype=np.int64).ravel()


@intrinsic  # type: ignore[untyped-decorator]
def array_at(typingctx: Any, address: Any, shape: Any, scalar: Any) -> Any:
    """The read-only array of a shape, a tuple, and a scalar type that stands at an address."""
    kind = types.Array(scalar.instance_type, len(shape), "C", readonly=True)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(kind)(context, builder)
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        shape = cgutils.unpack_tuple(builder, arguments[1])
        strides = [context.get_constant(types.intp, size)]
        for length in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        arrayobj.populate_array(
            array,
            data=builder.inttoptr(arguments[0], context.get_data_type(kind.dtype).as_pointer()),
            shape=shape,
            strides=strides,
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
        )
        return array._getvalue()

    return kind(address, shape, scalar), generate
