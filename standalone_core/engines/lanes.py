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
from numba.extending import intrinsic, lower_builtin, models, register_model

COUNT = 8

_VECTOR = ir.VectorType(ir.DoubleType(), COUNT)
_MASK = ir.VectorType(ir.IntType(1), COUNT)
_INT = ir.IntType(32)


class _Vector(types.Type):  # type: ignore[misc]
    """The type of a vector in compiled code."""


LANES, MASK = _Vector(name="lanes"), _Vector(name="mask")
_BACKENDS = {LANES: _VECTOR, MASK: _MASK}


@register_model(_Vector)  # type: ignore[untyped-decorator]
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
        cases = [result(*kinds) for kinds in given]

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
def loaded(typingctx: Any, array: Any, first: Any) -> Any:
    """Eight float64 of a flat array from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer())
        vector = builder.load(address)
        vector.align = 8
        return vector

    return LANES(array, first), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(typingctx: Any, array: Any, first: Any, vector: Any) -> Any:
    """Write eight float64 to a flat array from a place on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), _VECTOR.as_pointer())
        builder.store(arguments[2], address).align = 8
        return context.get_dummy_value()

    return types.void(array, first, vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def chosen(typingctx: Any, condition: Any, first: Any, second: Any) -> Any:
    """Lane by lane the first where a condition holds, else the second."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.select(arguments[0], *_widened(builder, signature.args[1:], arguments[1:]))

    return LANES(condition, first, second), generate


@intrinsic  # type: ignore[untyped-decorator]
def larger(typingctx: Any, first: Any, second: Any) -> Any:
    """Lane by lane the larger of two; the second where one is NaN."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, second = _widened(builder, signature.args, arguments)
        return builder.select(builder.fcmp_ordered(">", first, second), first, second)

    return LANES(first, second), generate


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
