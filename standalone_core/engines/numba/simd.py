# SPDX-License-Identifier: MIT
"""Features of LLVM for compiled code: vectors as numbers, arrays by address, instructions.

A formula that is written for numbers is compiled for vectors too, as LLVM does not vectorize long
formulas by itself. Each lane rounds as a number does, so answers are the same to the last bit. On a
processor without wide registers, LLVM uses several narrower ones.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np import arrayobj

from ...numerics.arrays import IntArray
from .kernel_cache import helper

LANE_BITS = 3
LANES = 1 << LANE_BITS
"""The lanes of a vector, and so the children of a node, triangles of a block, rays at a time."""

_INT, _WIDE = ir.IntType(32), ir.IntType(64)
_ELEMENTS = {
    types.float32: ir.FloatType(),
    types.float64: ir.DoubleType(),
    types.boolean: ir.IntType(1),
}


class Vector(types.Type):  # type: ignore[misc]
    """The type of several numbers in one register."""

    def __init__(self, element: Any, count: int) -> None:
        self.element, self.count = element, count
        self.backend = ir.VectorType(_ELEMENTS[element], count)
        super().__init__(name=f"{count} x {element}")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.backend)


_SINGLES, _DOUBLES = Vector(types.float32, LANES), Vector(types.float64, LANES)
_FOUR = Vector(types.float64, 4)
_MASKS = {count: Vector(types.boolean, count) for count in (4, LANES)}


def _kind_of(*kinds: Any) -> Any:
    """The type of a result of these types: a vector if one of them is, else float64."""
    return next((kind for kind in kinds if isinstance(kind, Vector)), types.float64)


def _alike(context: Any, builder: Any, wanted: Any, kinds: Any, values: Any) -> list[Any]:
    """Values converted to the wanted type; numbers are copied to every lane of vectors."""
    result = []
    for kind, value in zip(kinds, values, strict=True):
        if isinstance(kind, Vector):
            result.append(value)
        elif isinstance(wanted, Vector):
            number = context.cast(builder, value, kind, wanted.element)
            undefined = ir.Constant(wanted.backend, ir.Undefined)
            one = builder.insert_element(undefined, number, _INT(0))
            zeros = ir.Constant(ir.VectorType(_INT, wanted.count), [0] * wanted.count)
            result.append(builder.shuffle_vector(one, undefined, zeros))
        else:
            result.append(context.cast(builder, value, kind, wanted))
    return result


def _called(name: str, builder: Any, *values: Any) -> Any:
    """Call an intrinsic of LLVM on vectors or numbers."""
    kind = values[0].type
    element, count = (kind.element, f"v{kind.count}") if hasattr(kind, "count") else (kind, "")
    name = f"llvm.{name}.{count}f{64 if element == ir.DoubleType() else 32}"
    function = ir.FunctionType(kind, [kind] * len(values))
    return builder.call(cgutils.get_or_insert_function(builder.module, function, name), values)


def _compared(sign: str, builder: Any, first: Any, second: Any) -> Any:
    return builder.fcmp_ordered(sign, first, second)


def _extreme(sign: str, builder: Any, first: Any, second: Any) -> Any:
    return builder.select(_compared(sign, builder, first, second), first, second)


def _lanewise(compute: Callable[..., Any], *kinds: Any, masks: Any = None) -> Any:
    """The signature and the code of an operation on numbers, or on vectors lane by lane.

    If masks are given, the result is the one with as many lanes.
    """
    kind = _kind_of(*kinds)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return compute(builder, *_alike(context, builder, kind, kinds, values))

    return (masks[kind.count] if masks else kind)(*kinds), generate


def _define(function: Any, compute: Callable[..., Any], given: Any, masks: Any = None) -> None:
    """Let a function of Python take these types of arguments in compiled code."""
    ways = [_lanewise(compute, *kinds, masks=masks) for kinds in given]

    class Template(ConcreteTemplate):  # type: ignore[misc]
        key, cases = function, [signature for signature, _ in ways]

    infer_global(function)(Template)
    for signature, generate in ways:
        lower_builtin(function, *signature.args)(generate)


_ONE = [(vector,) for vector in (_SINGLES, _DOUBLES, _FOUR)]
_TWO = [pair for (v,) in _ONE for pair in ((v, v), (v, v.element), (v.element, v))]
_define(operator.add, ir.IRBuilder.fadd, _TWO)
_define(operator.sub, ir.IRBuilder.fsub, _TWO)
_define(operator.mul, ir.IRBuilder.fmul, _TWO)
_define(operator.truediv, ir.IRBuilder.fdiv, _TWO)
_define(operator.lt, partial(_compared, "<"), _TWO, _MASKS)
_define(operator.le, partial(_compared, "<="), _TWO, _MASKS)
_define(operator.gt, partial(_compared, ">"), _TWO, _MASKS)
_define(operator.ge, partial(_compared, ">="), _TWO, _MASKS)
_define(operator.eq, partial(_compared, "=="), _TWO, _MASKS)
_define(operator.neg, ir.IRBuilder.fneg, _ONE)
_define(abs, partial(_called, "fabs"), _ONE)
for _mask in _MASKS.values():
    _define(operator.and_, ir.IRBuilder.and_, [(_mask, _mask)])
    _define(operator.or_, ir.IRBuilder.or_, [(_mask, _mask)])
    _define(operator.invert, ir.IRBuilder.not_, [(_mask,)])


@intrinsic  # type: ignore[untyped-decorator]
def chosen(typingctx: Any, condition: Any, first: Any, second: Any) -> Any:
    """The first where a condition holds, else the second; lane by lane or of one number."""
    kind = _kind_of(first, second)
    if isinstance(condition, Vector) and not isinstance(kind, Vector):
        kind = _DOUBLES if condition.count == LANES else _FOUR

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pair = _alike(context, builder, kind, signature.args[1:], values[1:])
        holds = values[0]
        if not isinstance(condition, Vector):
            holds = builder.trunc(holds, ir.IntType(1))
        return builder.select(holds, *pair)

    return kind(condition, first, second), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typingctx: Any, first: Any, second: Any) -> Any:
    """The larger of two, lane by lane or of numbers; the second where one is NaN."""
    return _lanewise(partial(_extreme, ">"), first, second)


@intrinsic  # type: ignore[untyped-decorator]
def smaller(typingctx: Any, first: Any, second: Any) -> Any:
    """The smaller of two, lane by lane or of numbers; the second where one is NaN."""
    return _lanewise(partial(_extreme, "<"), first, second)


@intrinsic  # type: ignore[untyped-decorator]
def root(typingctx: Any, square: Any) -> Any:
    """Square roots, lane by lane or of numbers."""
    return _lanewise(partial(_called, "sqrt"), square)


@intrinsic  # type: ignore[untyped-decorator]
def with_sign(typingctx: Any, size: Any, sign: Any) -> Any:
    """A size with the sign of another number."""
    return _lanewise(partial(_called, "copysign"), size, sign)


@intrinsic  # type: ignore[untyped-decorator]
def fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once where the processor can."""
    return _lanewise(partial(_called, "fmuladd"), a, b, c)


@intrinsic  # type: ignore[untyped-decorator]
def fused_multiply_add(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""
    return _lanewise(partial(_called, "fma"), a, b, c)


@intrinsic  # type: ignore[untyped-decorator]
def single(typingctx: Any, number: Any) -> Any:
    """A float64, or lanes of them, rounded to float32."""
    kind = _SINGLES.backend if number is _DOUBLES else ir.FloatType()

    def compute(builder: Any, value: Any) -> Any:
        return builder.fpext(builder.fptrunc(value, kind), value.type)

    return _of_values(number, compute, number)


@intrinsic  # type: ignore[untyped-decorator]
def four(typingctx: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """A vector of four float64."""
    return _of_values(_FOUR, partial(_vector_of, _FOUR), a, b, c, d)


def _of_values(result: Any, compute: Callable[..., Any], *kinds: Any) -> Any:
    """The signature and the code of an operation on values that are not converted."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return compute(builder, *values)

    return result(*kinds), generate


def _as_whole(kind: Any, builder: Any, value: Any) -> Any:
    """The bits of a value, read as an integer of that kind, as an int64."""
    return builder.zext(builder.bitcast(value, kind), _WIDE)


def _vector_of(kind: Vector, builder: Any, *numbers: Any) -> Any:
    vector = ir.Constant(kind.backend, ir.Undefined)
    for lane, number in enumerate(numbers):
        vector = builder.insert_element(vector, number, _INT(lane))
    return vector


@intrinsic  # type: ignore[untyped-decorator]
def bits(typingctx: Any, mask: Any) -> Any:
    """A mask as the low bits of an int64."""
    return _of_values(types.int64, partial(_as_whole, ir.IntType(mask.count)), mask)


@intrinsic  # type: ignore[untyped-decorator]
def lowest_bit(typingctx: Any, bits: Any) -> Any:
    """The position of the lowest bit that is set; `bits` must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = ir.FunctionType(_WIDE, [_WIDE, ir.IntType(1)])
        count = cgutils.get_or_insert_function(builder.module, kind, "llvm.cttz.i64")
        return builder.call(count, [builder.zext(values[0], _WIDE), ir.IntType(1)(1)])

    return types.int64(bits), generate


@intrinsic  # type: ignore[untyped-decorator]
def bits_of(typingctx: Any, number: Any) -> Any:
    """The bits of a float32 as an integer; they sort as numbers do that are not negative."""
    return _of_values(types.int64, partial(_as_whole, _INT), types.float32)


def _data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def _address(context: Any, builder: Any, signature: Any, values: Any, kind: Any = None) -> Any:
    """The address of an element; the first two values are an array and a place in it."""
    data = _data_of(context, builder, signature.args[0], values[0])
    address = builder.gep(data, [values[1]])
    return address if kind is None else builder.bitcast(address, kind.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]
def at(typingctx: Any, array: Any, place: Any) -> Any:
    """An element of a flat array; the place must be inside, as it is not checked."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address = _address(context, builder, signature, values)
        return context.unpack_value(builder, array.dtype, address)

    return array.dtype(array, place), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def numbers_at(typingctx: Any, array: Any, place: Any, step: Any, count: Any) -> Any:
    """A tuple of elements of a flat array, `step` apart; their count must be a constant."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    kind = types.UniTuple(array.dtype, count.literal_value)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address, numbers = _address(context, builder, signature, values), []
        for _ in range(kind.count):
            numbers.append(context.unpack_value(builder, array.dtype, address))
            address = builder.gep(address, [values[2]])
        return context.make_tuple(builder, kind, numbers)

    return kind(array, place, step, count), generate


@intrinsic  # type: ignore[untyped-decorator]
def put(typingctx: Any, array: Any, place: Any, value: Any) -> Any:
    """Replace an element of a flat array; the place must be inside, as it is not checked."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        address = _address(context, builder, signature, values)
        number = context.cast(builder, values[2], signature.args[2], array.dtype)
        context.pack_value(builder, array.dtype, number, address)
        return context.get_dummy_value()

    return types.void(array, place, value), generate


def _loaded(backend: Any, result: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(_address(context, builder, signature, values, backend))
        loaded.align = 4
        return loaded

    return result(array, place), generate


@intrinsic  # type: ignore[untyped-decorator]
def whole_at(typingctx: Any, array: Any, place: Any) -> Any:
    """An element of a flat array of float32, its bits read as an int32."""
    return _loaded(_INT, types.int32, array, place)


@intrinsic  # type: ignore[untyped-decorator]
def eight_at(typingctx: Any, array: Any, place: Any) -> Any:
    """A vector of eight numbers of a flat array of floats, from a place on."""
    kind = Vector(array.dtype, LANES)
    return _loaded(kind.backend, kind, array, place)


@intrinsic  # type: ignore[untyped-decorator]
def store(typingctx: Any, array: Any, place: Any, vector: Any) -> Any:
    """Write a vector to a flat array from a place on, rounded to the array's type."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        value = values[2]
        if array.dtype is not vector.element:
            value = builder.fptrunc(value, _SINGLES.backend)
        address = _address(context, builder, signature, values, value.type)
        builder.store(value, address).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, place, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def gathered(typingctx: Any, array: Any, places: Any, first: Any, offset: Any) -> Any:
    """A vector of elements of a flat array: lane i is at ``places[first + i] + offset``."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = _data_of(context, builder, array, values[0])
        where = _data_of(context, builder, places, values[1])
        numbers = []
        for lane in range(LANES):
            row = builder.add(values[2], values[2].type(lane))
            place = builder.add(builder.load(builder.gep(where, [row])), values[3])
            numbers.append(builder.load(builder.gep(data, [place])))
        return _vector_of(_DOUBLES, builder, *numbers)

    return _DOUBLES(array, places, first, offset), generate


@helper(inline=True)
def vectors_at(array: Any, places: Any, first: int) -> Any:
    """Vectors of x, of y and of z of the points that begin at `places`; see :func:`gathered`."""
    return (
        gathered(array, places, first, 0),
        gathered(array, places, first, 1),
        gathered(array, places, first, 2),
    )


@intrinsic  # type: ignore[untyped-decorator]
def address_of(typingctx: Any, array: Any, place: Any) -> Any:
    """The address of an element of a flat array, in bytes."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ptrtoint(_address(context, builder, signature, values), _WIDE)

    return types.int64(array, place), generate


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch_at(typingctx: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        byte = ir.IntType(8)
        kind = ir.FunctionType(ir.VoidType(), [byte.as_pointer(), _INT, _INT, _INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        where = builder.inttoptr(values[0], byte.as_pointer())
        builder.call(function, [where, _INT(0), _INT(3), _INT(1)])
        return context.get_dummy_value()

    return types.void(address), generate


@helper(inline=True)
def prefetch(array: Any, place: int) -> None:
    """Load an element of a flat array into the cache ahead of its use."""
    _prefetch_at(address_of(array, place))


@helper(inline=True)
def prefetch_lines(address: int, count: int) -> None:
    """Load so many cache lines from an address on into the cache ahead of their use."""
    for line in range(count):
        _prefetch_at(address + line * 64)


def row_of(arrays: Sequence[npt.NDArray[Any]], kinds: Sequence[types.Array]) -> IntArray:
    """Address and length of each of the arrays (2 * N,), for :func:`array_at`.

    The arrays must be of these kinds. The caller keeps them alive and unchanged for as long as the
    row is used.
    """
    for array, kind in zip(arrays, kinds, strict=True):
        fits = array.flags.c_contiguous and array.flags.aligned and array.ndim == kind.ndim
        if not fits or array.dtype != np.dtype(str(kind.dtype)):
            raise TypeError(f"compiled code takes {kind}, not an array of {array.dtype}")
    return np.array([(array.ctypes.data, len(array)) for array in arrays], dtype=np.int64).ravel()


def _array(context: Any, builder: Any, kind: Any, data: Any, shape: Any) -> Any:
    """A contiguous array that does not own its data."""
    array = arrayobj.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [context.get_constant(types.intp, size)]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    arrayobj.populate_array(
        array,
        data=data,
        shape=shape,
        strides=strides,
        itemsize=context.get_constant(types.intp, size),
        meminfo=None,
    )
    return array._getvalue()


@intrinsic  # type: ignore[untyped-decorator]
def array_at(typingctx: Any, address: Any, shape: Any, scalar: Any) -> Any:
    """The read-only array at an address, with a shape (a tuple) and a scalar type.

    Nothing is checked: see :func:`row_of`.
    """
    kind = types.Array(scalar.instance_type, len(shape), "C", readonly=True)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data = builder.inttoptr(values[0], context.get_data_type(kind.dtype).as_pointer())
        return _array(context, builder, kind, data, cgutils.unpack_tuple(builder, values[1]))

    return kind(address, shape, scalar), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_array(typingctx: Any, length: Any, scalar: Any) -> Any:
    """An array (length,) of a scalar type, not filled, on the stack, so no memory is allocated.

    The length is a constant. The function that makes the array may pass it to functions that
    it calls, but must not return or keep it.
    """
    if not isinstance(length, types.IntegerLiteral):
        return None
    kind, count = types.Array(scalar.instance_type, 1, "C"), length.literal_value

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        element = context.get_data_type(kind.dtype)
        room = cgutils.alloca_once(builder, ir.ArrayType(element, count))
        data = builder.bitcast(room, element.as_pointer())
        return _array(context, builder, kind, data, [context.get_constant(types.intp, count)])

    return kind(length, scalar), generate
