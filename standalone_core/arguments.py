# SPDX-License-Identifier: MIT
"""Read and check callers' arguments, with errors that name them."""

import operator
import sys
from collections.abc import Iterator, Sequence, Set
from math import isfinite, prod
from numbers import Integral
from typing import Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from .copies import taken_over
from .errors import (
    ArgumentError,
    DirectionError,
    DtypeError,
    IndexRangeError,
    NonFiniteError,
    ShapeError,
)
from .numerics import vectors
from .numerics.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    IntArray,
    dot,
    near_unit,
    normalized,
    repeated,
)
from .numerics.ray_triangle import Vector
from .numerics.reading import (
    AnyArray,
    as_array,
    check_rows,
    described,
    described_content,
    described_shape,
    iterable,
    kind_of,
    kinds_within,
    real_numbers,
    rows_of,
    there_are,
)
from .types import Array, Integers, Mask

T = TypeVar("T")

_NUMBERS = {int, float, np.float64}
Cull = Literal["back", "front"] | None
"""Which side of a triangle is not hit: ``"back"``, ``"front"`` or neither (None)."""

Culls: TypeAlias = Cull | Array[np.bool_ | np.str_ | np.object_] | Sequence[Cull | bool | np.bool_]
"""One for all triangles, one for each, or a mask of those whose back is not hit."""

CULL_SIGNS = {"back": 1, "front": -1}
"""The side that each lets through: 1 is the front, -1 the back."""

Invalid = Literal["miss", "raise"]
"""Whether invalid rays and points miss, or the first of them raises an error."""

Border = Literal["open", "closed"]
"""Whether a surface includes the edges where it ends: with "closed", rays exactly there hit."""

Selection: TypeAlias = Integers | Mask | Set[int] | None
"""Some of the triangles of a mesh, or of the instances of a scene: indices or ids, or a mask."""

EXCLUDED, NO_BACK, NO_FRONT = 1, 2, 3
"""Which part of a triangle or an instance rays ignore: all, its back, its front; 0 is none."""


def floats(
    value: Any, name: str, shape: tuple[int | None, ...] | None = None, *, copy: bool = False
) -> FloatArray:
    """Read `value` as a float64 array, of `shape` if given, where None stands for any length.

    An empty list is read as length 0 there. With `copy` the array is never the caller's own.
    DtypeError if the values are not real numbers, ShapeError if the shape differs from `shape`.
    """
    array = real_numbers(value, name, "a real number" if shape == () else "real numbers")
    if shape and shape[0] is None and array.shape == (0,):
        array = array.reshape(0, *(size or 0 for size in shape[1:]))
    if shape is not None and not _fits(array.shape, shape):
        if not shape:
            raise ShapeError(f"{name} must be a single number, not of shape {array.shape}")
        wanted = ", ".join("N" if size is None else str(size) for size in shape)
        comma = "," if len(shape) == 1 else ""
        given = described_shape(array.shape)
        raise ShapeError(f"{name} must have shape ({wanted}{comma}), not {given}")
    check_rows(rows_of(array), name)
    if array.dtype == np.float64:
        return array.astype(np.float64, order="C", copy=copy)
    with np.errstate(over="ignore"):  # a long double can be beyond float64: as good as infinite
        return array.astype(np.float64, order="C")


def points(value: Any, name: str, axes: int = 3) -> FloatArray:
    """Read `value` as float64 points of shape (..., axes); an empty list has none."""
    return in_rows(floats(value, name), name, axes)


def in_rows(array: AnyArray, name: str, size: int = 3) -> AnyArray:
    """Return an array of shape (..., size), an empty list's as (0, size); else a ShapeError."""
    if array.shape == (0,):
        return array.reshape(0, size)
    if array.ndim == 0 or array.shape[-1] != size:
        given = described_shape(array.shape)
        raise ShapeError(f"{name} must have shape (..., {size}), not {given}")
    return array


def positions(value: Any, name: str, *, copy: bool = False) -> FloatArray:
    """Read `value` as float64 points (N, 3); an empty list has none."""
    return floats(value, name, (None, 3), copy=copy)


def callable_or_none(value: T | None, name: str) -> T | None:
    """Return `value` as it is, or DtypeError if it is neither callable nor None."""
    if value is not None and not callable(value):
        raise DtypeError(f"{name} must be callable or None, not {kind_of(value)}")
    return value


def finite_points(value: Any, name: str) -> FloatArray:
    """Those points (N, 3) that are finite; ArgumentError if there are none."""
    array = floats(value, name, (None, 3))
    array = array[np.isfinite(array).all(axis=1)]
    if not len(array):
        raise ArgumentError(f"{name} has no finite point to bound")
    return array


def names(value: Any, name: str) -> list[str | None]:
    """Read `value` as a list of names, each a str or None."""
    texts = iterable(value, name)
    for row, each in enumerate(texts):
        if each is not None:
            instance_of(each, str, f"{name} {row}")
    return texts


def broadcast(**arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Broadcast arrays to their common shape; a ShapeError names them all."""
    try:
        common = np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ShapeError(f"these shapes do not fit each other: {shapes}") from None
    check_rows(rows_of(common[0]), " and ".join(arrays))
    return common


def instance_of(value: Any, kind: type[T], name: str) -> T:
    """Return `value`, taken over if it is of another copy; DtypeError if it is not a `kind`."""
    return value if isinstance(value, kind) else taken_over(value, kind, name)


def points_together(**values: Any) -> tuple[FloatArray, ...]:
    """Read points (..., 3), and bring them to their common shape."""
    return broadcast(**{name: points(value, name) for name, value in values.items()})


def finite(array: FloatArray, name: str) -> FloatArray:
    """Return `array` as it is, or raise NonFiniteError that says where it is not finite."""
    good = np.isfinite(array)
    if not good.all():
        where, place = _first(~good)
        at = f" at index{place}" if where else ""
        raise NonFiniteError(f"{name} is not finite{at}: {array[where]}")
    return array


def finite_floats(value: Any, name: str, shape: tuple[int | None, ...] | None = None) -> FloatArray:
    """Read `value` as :func:`floats` does; NonFiniteError if one is NaN or infinite."""
    return finite(floats(value, name, shape), name)


def flag(value: Any, name: str) -> bool:
    """Read `value` as a bool: Python's or NumPy's, or 1 or 0."""
    if not isinstance(value, (bool, np.bool_, int)) or value not in (0, 1):
        raise DtypeError(f"{name} must be True or False, not {described(value)}")
    return bool(value)


def number(value: Any, name: str) -> float:
    """Read `value` as one number, which may be NaN or infinite."""
    return float(floats(value, name, ()))


def finite_number(value: Any, name: str) -> float:
    """Read `value` as one finite number."""
    return float(finite_floats(value, name, ()))


def point(value: Any, name: str) -> FloatArray:
    """Read `value` as one finite point, (3,)."""
    return finite_floats(value, name, (3,))


def three_floats(value: Any, name: str) -> Vector[float]:
    """Read `value` as one point or vector, in plain floats."""
    plain = plain_floats(value)
    if plain is None:
        x, y, z = floats(value, name, (3,)).tolist()
        return x, y, z
    return plain


def single_points(*values: Any) -> list[Vector[float]] | None:
    """Several single points in plain floats; None if :func:`plain_floats` cannot read one."""
    points = []
    for value in values:
        plain = plain_floats(value)
        if plain is None:
            return None
        points.append(plain)
    return points


def plain_floats(value: Any) -> Vector[float] | None:
    """Three floats, read fast; None for all that is not plainly three numbers."""
    kind = type(value)
    if kind is np.ndarray and value.size == 3 and value.dtype.kind in "fiu":
        value = value.tolist()
        kind = list
    if not (kind is tuple or kind is list or _is_blender_vector(kind)) or len(value) != 3:
        return None
    x, y, z = value
    if type(x) is type(y) is type(z) is float:
        return x, y, z
    if {type(x), type(y), type(z)} <= _NUMBERS and max(abs(x), abs(y), abs(z)) < 1e300:
        return float(x), float(y), float(z)
    return None


def _is_blender_vector(kind: type) -> bool:
    """Whether a type is Blender's Vector, which NumPy takes 5 us to read."""
    mathutils = sys.modules.get("mathutils")
    return mathutils is not None and kind is getattr(mathutils, "Vector", None)


def three_finite_floats(value: Any, name: str) -> Vector[float]:
    """Read `value` as one finite point, in plain floats."""
    x, y, z = three_floats(value, name)
    if not (isfinite(x) and isfinite(y) and isfinite(z)):
        finite(np.array((x, y, z)), name)
    return x, y, z


def unit_direction(value: Vector[float], name: str) -> Vector[float]:
    """One direction as :func:`unit_directions` makes it, in plain floats."""
    x, y, z = value
    if near_unit(x * x + y * y + z * z):
        return value
    unit = vectors.normalized(value)
    if not vectors.is_finite(unit):
        unit_directions(np.array(value), name)
    return unit


def unit_directions(value: FloatArray, name: str) -> FloatArray:
    """Directions (..., 3) scaled to length 1, or DirectionError for the first that cannot be.

    Those of length 1 up to rounding stay as they are: to scale them again would turn them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        unit = np.where(near_unit(dot(value, value))[..., None], value, normalized(value))
    bad = ~np.isfinite(unit).all(axis=-1)
    if bad.any():
        where, place = _first(bad)
        given = value[where].tolist()
        raise DirectionError(f"{name}{place} must be finite and longer than 0: {given}")
    return unit


def distance(value: Any, name: str = "max_distance") -> float:
    """Read `value` as a distance: a number that is not NaN and not negative (inf is allowed)."""
    length = number(value, name)
    if not length >= 0.0:
        raise ArgumentError(f"{name} must be 0 or more, not {length:g}")
    return length


def distances(
    value: Any, name: str, shape: tuple[int, ...], invalid: Invalid
) -> tuple[FloatArray, BoolArray | None]:
    """Read `value`, one distance for all N rays of a shape or one for each, as distances (N,).

    Also return a mask (N,) of those that :func:`distance` refuses, or None if all are good. Such a
    distance raises an error with ``invalid="raise"``, or if it is for all rays.
    """
    array = floats(value, name)
    if array.ndim == 0:
        return repeated(np.array(distance(array, name)), prod(shape)), None
    try:
        array = np.broadcast_to(array, shape)
    except ValueError:
        raise ShapeError(
            f"{name} must be a number or fit the shape {shape}, not be of shape {array.shape}"
        ) from None
    good = array >= 0.0
    if good.all():
        return array.reshape(-1), None
    if invalid == "raise":
        where, place = _first(~good)
        raise ArgumentError(f"{name}{place} must be 0 or more, not {array[where]}")
    return array.reshape(-1), ~good.reshape(-1)


def one_of(value: T, name: str, *choices: str) -> T:
    """Return `value` as it is, or ArgumentError if it is none of `choices`."""
    if not is_one_of(value, *choices):
        *others, last = (f'"{each}"' for each in choices)
        raise ArgumentError(f"{name} must be {', '.join(others)} or {last}, not {described(value)}")
    return value


def border_or_none(value: Border | None) -> Border | None:
    """Read what a query wants of borders; None leaves it to each mesh."""
    return value if value is None else one_of(value, "border", "open", "closed")


def is_one_of(value: Any, *names: str) -> bool:
    """Whether `value` is a str among `names`."""
    return isinstance(value, str) and value in names


def cull_sign(cull: Cull) -> int:
    """The side that `cull` lets through: 1 for the front, -1 for the back, 0 for both."""
    if cull is None:
        return 0
    if not is_one_of(cull, *CULL_SIGNS):
        raise ArgumentError(f'cull must be None, "back" or "front", not {described(cull)}')
    return CULL_SIGNS[cull]


def cull_sides(cull: Any, count: int) -> npt.NDArray[np.uint8]:
    """Read the side to cull of each of `count` triangles, as codes for :class:`.Query`.

    Each is None, ``"back"`` or ``"front"``; or `cull` is a mask (count,), True for the back.
    """
    array = as_array(cull, "cull")
    if array.shape == (0,):
        array = array.astype(np.bool_)
    if array.ndim != 1 or array.dtype.kind not in "bUO":
        raise ArgumentError(
            'cull must be "back", "front", None, a list of these for each triangle, or a mask, not '
            f"{described(cull)}"
        )
    if len(array) != count:
        raise ShapeError(
            f"cull must be one for all triangles or one for each, not {len(array)}: "
            f"{there_are(count, 'triangles')}"
        )
    if array.dtype == np.bool_:
        return np.where(array, np.uint8(NO_BACK), np.uint8(0))
    names = array.tolist()
    for number, name in enumerate(names):
        if not (name is None or is_one_of(name, *CULL_SIGNS)):
            wanted = f'cull {number} must be None, "back" or "front"'
            raise ArgumentError(f"{wanted}, not {described(name)}")
    sides = {None: 0, "back": NO_BACK, "front": NO_FRONT}
    return np.array([sides[name] for name in names], dtype=np.uint8)


def _fits(shape: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        w is None or s == w for s, w in zip(shape, wanted, strict=True)
    )


def _first(bad: BoolArray | np.bool_) -> tuple[tuple[int, ...], str]:
    """The index of the first bad element, also as text to follow the array's name.

    The text is empty for a single value.
    """
    where = tuple(np.argwhere(bad)[0].tolist())
    return where, f" {where[0] if len(where) == 1 else where}" if where else ""


_BOOLS = {bool, np.bool_}


def triangle_indices(
    value: Any, vertex_count: int, name: str = "triangles", *, copy: bool = False
) -> IndexArray:
    """Read `value` as vertex indices (T, 3), each within [0, vertex_count)."""
    array = indices(value, name)
    if array.size == 0 and array.ndim < 2:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ShapeError(f"{name} must have shape (T, 3), not {described_shape(array.shape)}")
    return vertex_indices(array, "triangle", vertex_count, copy=copy)


def vertex_indices(
    array: IndexArray, name: str, vertex_count: int, *, copy: bool = False
) -> IndexArray:
    """Indices (N, ...) as int32, or IndexRangeError for the first row that is wrong."""
    if array.itemsize < 4:
        array = array.astype(np.int32)
    # Read as unsigned, a negative index is a huge one: that is one pass instead of two.
    unsigned = array.view(array.dtype.str.replace("i", "u"))
    if array.size and unsigned.max() >= vertex_count:
        wrong = ((array < 0) | (array >= vertex_count)).reshape(len(array), -1)
        bad = int(np.flatnonzero(wrong.any(axis=1))[0])
        noun = "index" if array.ndim == 1 else "indices"
        raise IndexRangeError(
            f"{name} {bad} has vertex {noun} {array[bad].tolist()}, "
            f"but {there_are(vertex_count, 'vertices')}"
        )
    return array.astype(np.int32, order="C", copy=copy)


def face_indices(value: Any, triangle_count: int) -> IntArray:
    """Read `value` as the face index of each triangle, (triangle_count,)."""
    array = indices(value, "faces")
    if array.shape != (triangle_count,):
        given = described_shape(array.shape)
        raise ShapeError(f"faces must have shape ({triangle_count},), not {given}")
    if (array < 0).any():
        bad = int(np.flatnonzero(array < 0)[0])
        raise IndexRangeError(f"faces must be 0 or more, not {array[bad]} as at {bad}")
    return array.astype(np.int64)


def are_bools(value: Any) -> bool:
    """Whether `value` is an array or a list of bools, and not empty."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return bool(value.dtype.kind == "b")
    kinds = kinds_within(value.tolist() if isinstance(value, np.ndarray) else value)
    return bool(kinds) and kinds <= _BOOLS


def mask(value: Any, count: int, name: str, of: str = "triangles") -> BoolArray:
    """Read `value`, indices below `count`, a set of them or a mask (count,), as a mask (count,).

    Errors name the items by `of`.
    """
    if isinstance(value, (Set, Iterator)):
        value = iterable(value, name)
    elif are_bools(array := as_array(value, name)):
        if not array.ndim:
            raise ShapeError(f"{name} must be a list of indices or a mask, not {described(value)}")
        if array.shape != (count,):
            raise ShapeError(
                f"{name} is a mask of shape {array.shape}, but {there_are(count, of)}: "
                f"it must have shape ({count},)"
            )
        return array.astype(np.bool_, copy=False)
    result = np.zeros(count, dtype=np.bool_)
    result[rows(value, count, name, of)] = True
    return result


def rows(value: Any, count: int, name: str, of: str | None = None) -> IntArray:
    """Read `value` as indices (N,) in [0, count); errors name the items by `of` or `name`."""
    array = indices_below(value, count, name, of)
    if array.ndim != 1:
        raise ShapeError(f"{name} must be a list of indices, not {described_shape(array.shape)}")
    return array


def indices_below(value: Any, count: int, name: str, of: str | None = None) -> IntArray:
    """As :func:`rows`, for indices (...) of any shape."""
    array = indices(value, name)
    bad = (array < 0) | (array >= count)
    if bad.any():
        first = array[bad][0]
        wrong = f"{name} has the index {first}{', that of a miss' if first == -1 else ''}"
        raise IndexRangeError(f"{wrong}, but {there_are(count, of or name)}")
    return array.astype(np.int64, copy=False)


def row(value: Any, count: int, name: str) -> int:
    """Read `value` as an index in [0, count)."""
    index = integer(value, name)
    if not 0 <= index < count:
        raise IndexRangeError(f"there is no {name} {described(index)}")
    return index


def integer(value: Any, name: str) -> int:
    """Read `value` as an integer."""
    try:
        return operator.index(value)
    except Exception as error:  # whatever the caller's object raises
        raise DtypeError(f"{name} must be an integer, not {described(value)}") from error


def indices(value: Any, name: str) -> IndexArray:
    """Read `value` as an array of integers; floats are refused, whatever their values."""
    array = as_array(value, name)
    check_rows(rows_of(array), name)
    if array.size == 0:
        return np.empty(array.shape, dtype=np.int64)
    kinds = kinds_within(array.ravel().tolist() if array.dtype.kind == "O" else value)
    if not array.dtype.kind == "b" and not kinds.isdisjoint(_BOOLS):
        raise DtypeError(f"{name} must be integers, not a bool")  # NumPy may take it for 0 or 1.
    is_beyond = array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max
    if array.dtype.kind == "O" and all(isinstance(each, Integral) for each in array.flat):
        try:
            array = array.astype(np.int64)
        except OverflowError:
            is_beyond = True
    # NumPy makes floats of a list with both negative integers and some beyond int64.
    if is_beyond or (array.dtype.kind == "f" and kinds == {int}):
        raise IndexRangeError(f"{name} has a value beyond the range of int64")
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{name} must be integers, not {described_content(array, Integral)}")
    return cast(IndexArray, array.astype(np.int64) if array.dtype.kind == "u" else array)


def most(value: Any, name: str) -> int | None:
    """Read `value` as a largest count, 1 or more; None for no limit."""
    if value is None:
        return None
    number = 0 if isinstance(value, bool) else integer(value, name)
    if number < 1:
        raise ArgumentError(f"{name} must be None, or 1 or more, not {described(value)}")
    return min(number, sys.maxsize)
