# SPDX-License-Identifier: MIT
"""Eight float64 as one number: formulas that are compiled for it answer for eight at a time.

LLVM does not find such vectors in long formulas by itself. Each lane rounds as the scalar does, so
the answers are the same to the last bit. A processor without wide registers takes narrower ones.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_jitable, register_model

from .simd import data_of

COUNT = 8

_VECTOR = ir.VectorType(ir.DoubleType(), COUNT)
_MASK = ir.VectorType(ir.IntType(1), COUNT)
_INT = ir.IntType(32)


class _Vector(types.Type):  # type: ignore[misc]
    """The type of a vector in compiled code."""


LANES, MASK = _Vector(name="lanes"), _Vector(name="mask")
_BACKENDS = {LANES: _VECTOR, MASK: _MASK}


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _BACKENDS[fe_type])


def _everywhere(builder: Any, number: Any) -> Any:
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, number, ir.Constant(_INT, 0))
    zeros = ir.Constant(ir.VectorType(_INT, COUNT), [0] * COUNT)
    return builder.shuffle_vector(one, undefined, zeros)


def _widened(builder: Any, kinds: Any, values: Any) -> list[Any]:
    return [
        value if kind is LANES else _everywhere(builder, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


_PAIRS = ((LANES, LANES), (LANES, types.float64), (types.float64, LANES))


def _define(function: Any, result: Any, generate: Callable[..., Any], *given: Any) -> None:
    """Let a function of Python take these types of arguments in compiled code."""

    class Template(ConcreteTemplate):  # type: ignore[misc]
        key = function
        cases = tuple(result(*kinds) for kinds in given)

    infer_global(function)(Template)
    for kinds in given:

        def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            if result is MASK and signature.args[0] is MASK:
                return generate(builder, *values)
            return generate(builder, *_widened(builder, signature.args, values))

        lower_builtin(function, *kinds)(lower)


def _called(builder: Any, name: str, *values: Any) -> Any:
    kind = ir.FunctionType(_VECTOR, [_VECTOR] * len(values))
    return builder.call(
        cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{COUNT}f64"), values
    )


for _function, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_function, LANES, lambda b, x, y, n=_name: getattr(b, n)(x, y), *_PAIRS)
for _function, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
):
    _define(_function, MASK, lambda b, x, y, s=_sign: b.fcmp_ordered(s, x, y), *_PAIRS)
_define(operator.neg, LANES, lambda b, x: b.fneg(x), (LANES,))
_define(abs, LANES, lambda b, x: _called(b, "fabs", x), (LANES,))
_define(operator.and_, MASK, lambda b, x, y: b.and_(x, y), (MASK, MASK))
_define(operator.or_, MASK, lambda b, x, y: b.or_(x, y), (MASK, MASK))
_define(operator.invert, MASK, lambda b, x: b.not_(x), (MASK,))


@intrinsic  # type: ignore[untyped-decorator]
def store(typingctx: Any, array: Any, first: Any, vector: Any) -> Any:
    """Write eight float64 to a flat array from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        address = builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer())
        builder.store(arguments[2], address).align = 8
        return context.get_dummy_value()

    return types.void(array, first, vector), generate


def _of(*kinds: Any) -> Any:
    """The type of what is computed from these: lanes, if one of them is."""
    return LANES if LANES in kinds else types.float64


def _alike(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """The numbers as lanes, if one of them is, else as they are."""
    if LANES in kinds:
        return _widened(builder, kinds, values)
    pairs = zip(kinds, values, strict=True)
    return [context.cast(builder, value, kind, types.float64) for kind, value in pairs]


@intrinsic  # type: ignore[untyped-decorator]
def chosen(typingctx: Any, condition: Any, first: Any, second: Any) -> Any:
    """The first where a condition holds, else the second; lane by lane or of one number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if condition is MASK:
            pair = _widened(builder, signature.args[1:], arguments[1:])
            return builder.select(arguments[0], *pair)
        pair = _alike(context, builder, signature.args[1:], arguments[1:])
        return builder.select(builder.trunc(arguments[0], ir.IntType(1)), *pair)

    result = LANES if condition is MASK else types.float64
    return result(condition, first, second), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typingctx: Any, first: Any, second: Any) -> Any:
    """The larger of two, lane by lane or of numbers; the second where one is NaN."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = _alike(context, builder, signature.args, arguments)
        return builder.select(builder.fcmp_ordered(">", first, second), first, second)

    return _of(first, second)(first, second), generate


@intrinsic  # type: ignore[untyped-decorator]
def single(typingctx: Any, number: Any) -> Any:
    """Lanes or a number rounded to float32."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FloatType() if number is not LANES else ir.VectorType(ir.FloatType(), COUNT)
        return builder.fpext(builder.fptrunc(arguments[0], kind), arguments[0].type)

    return number(number), generate


@intrinsic  # type: ignore[untyped-decorator]
def with_sign(typingctx: Any, size: Any, sign: Any) -> Any:
    """A size with the sign of lanes or of a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = _alike(context, builder, signature.args, arguments)
        kind = values[0].type
        name = f"llvm.copysign.v{COUNT}f64" if kind == _VECTOR else "llvm.copysign.f64"
        function = ir.FunctionType(kind, [kind, kind])
        called = cgutils.get_or_insert_function(builder.module, function, name)
        return builder.call(called, values)

    return _of(size, sign)(size, sign), generate


@intrinsic  # type: ignore[untyped-decorator]
def store_single(typingctx: Any, array: Any, first: Any, vector: Any) -> Any:
    """Write lanes to a flat array of float32 from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = data_of(context, builder, signature.args[0], arguments[0])
        kind = ir.VectorType(ir.FloatType(), COUNT)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), kind.as_pointer())
        builder.store(builder.fptrunc(arguments[2], kind), address).align = 4
        return context.get_dummy_value()

    return types.void(array, first, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def gathered(typingctx: Any, array: Any, places: Any, first: Any, offset: Any) -> Any:
    """Lanes of a flat array, at an offset from the places that stand in another from `first` on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data, where = (
            data_of(context, builder, kind, value)
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        )
        vector = ir.Constant(_VECTOR, ir.Undefined)
        for lane in range(COUNT):
            row = builder.add(arguments[2], ir.Constant(arguments[2].type, lane))
            place = builder.add(builder.load(builder.gep(where, [row])), arguments[3])
            number = builder.load(builder.gep(data, [place]))
            vector = builder.insert_element(vector, number, ir.Constant(_INT, lane))
        return vector

    return LANES(array, places, first, offset), generate


@intrinsic  # type: ignore[untyped-decorator]
def root(typingctx: Any, vector: Any) -> Any:
    """Square roots."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _called(builder, "sqrt", arguments[0])

    return LANES(vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def bits(typingctx: Any, mask: Any) -> Any:
    """A mask as the bits of a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitcast(arguments[0], ir.IntType(COUNT)), ir.IntType(64))

    return types.int64(mask), generate


@register_jitable(forceinline=True)  # type: ignore[untyped-decorator]
def vectors_at(array: Any, places: Any, first: int) -> Any:
    """x, y and z, each as lanes, of the vectors at places that stand from `first` on."""
    return (
        gathered(array, places, first, 0),
        gathered(array, places, first, 1),
        gathered(array, places, first, 2),
    )
