# SPDX-License-Identifier: MIT
"""Read callers' objects, which may raise anything, as arrays; describe them in error messages."""

import math
import sys
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from ..errors import ArgumentError, DtypeError, NonFiniteError, ShapeError

AnyArray = np.ndarray[Any, np.dtype[Any]]

MOST_ROWS = 2**31 - 1
"""The most vertices, triangles, rays or instances: compiled code counts them in int32."""

_LONGEST = 200

_CONTENTS = {
    "b": "booleans",
    "c": "complex numbers",
    "S": "bytes",
    "U": "text",
    "M": "dates",
    "m": "spans of time",
    "V": "records",
}

# Levels of nested lists that are searched.
_DEPTH = 4


def described(value: Any) -> str:
    """A value as text for an error message: cut off if long, its type if its `repr` fails."""
    try:
        text = repr(value)
        text.encode()
    except Exception:  # whatever the caller's object raises
        return f"an object of type {type(value).__name__}"
    text = " ".join(line.strip() for line in text.splitlines())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def described_shape(shape: tuple[int, ...]) -> str:
    """An array's shape as text for an error message."""
    return str(shape) if shape else "a single number"


def described_content(array: AnyArray, wanted: type) -> str:
    """What an array holds instead of the wanted numbers, as text for an error message."""
    if array.dtype.kind != "O":
        return _CONTENTS.get(array.dtype.kind, str(array.dtype))
    other = next((each for each in array.flat if not isinstance(each, wanted)), array)
    return kind_of(other)


def kind_of(value: Any) -> str:
    """What a thing is, as text for an error message: None, a list, an int, the class Mesh."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else with_article(type(value).__name__)


def with_article(noun: str) -> str:
    """A noun with "a" or "an" before it: an int, a uint8, an ndarray."""
    return f"{'an' if noun[0] in 'aeioAEIO' or noun == 'ndarray' else 'a'} {noun}"


def as_array(value: Any, name: str) -> AnyArray:
    """Read `value` as an array of any type; a masked one is refused, as its mask would be lost."""
    if _is_masked(value):
        raise ArgumentError(f"{name} is masked: fill or compress it before")
    try:
        return np.from_dlpack(value) if _speaks_dlpack_alone(value) else np.asarray(value)
    except (ValueError, TypeError) as error:
        if not isinstance(value, (list, tuple)):
            raise _no_array(value, name, error) from error
        uneven = "inhomogeneous" in str(error)
        reason = "its lists differ in length or depth" if uneven else error
        raise ShapeError(f"{name} is not a regular array: {reason}") from None
    except MemoryError:
        raise
    except Exception as error:  # whatever the caller's object raises
        raise _no_array(value, name, error) from error


def _speaks_dlpack_alone(value: Any) -> bool:
    """Whether NumPy reads it by DLPack, as some libraries' arrays have nothing else for it."""
    kind = type(value)
    return hasattr(kind, "__dlpack__") and not hasattr(kind, "__array__")


def _no_array(value: Any, name: str, error: Exception) -> DtypeError:
    return DtypeError(f"{name} is {kind_of(value)} that NumPy cannot read: {described(error)}")


def _is_masked(value: Any) -> bool:
    """Whether it is a masked array, or a list with one in it."""
    # Importing numpy.ma takes long, and nobody has a masked array without it.
    masked: Any = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is None:
        return False
    kinds = {type(value), *kinds_within(value)}
    return any(issubclass(kind, masked) for kind in kinds)


def check_rows(count: int, name: str) -> None:
    """ArgumentError if there are too many rows."""
    if count > MOST_ROWS:
        raise ArgumentError(f"{name} must have {MOST_ROWS:,} rows at most, not {count:,}")


def rows_of(array: AnyArray) -> int:
    """How many rows an array (..., k) or (N,) has."""
    return math.prod(array.shape[:-1]) if array.ndim > 1 else array.size


def real_numbers(value: Any, name: str, wanted: str = "real numbers") -> AnyArray:
    """Read `value` as an array of real numbers, or DtypeError that says what is wanted."""
    array = as_array(value, name)
    if array.dtype.kind == "O" and all(isinstance(number, Real) for number in array.flat):
        try:
            array = array.astype(np.float64)
        except OverflowError:
            raise NonFiniteError(f"{name} has an integer beyond the range of float64") from None
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name} must be {wanted}, not {described_content(array, Real)}")
    return array


def kinds_within(value: Any) -> set[type]:
    """The types of the items of a list, nested or not; for anything else, its own type."""
    if not isinstance(value, (list, tuple)):
        return {type(value)}
    kinds = set(map(type, value))
    for _ in range(_DEPTH - 1):
        if not kinds or not kinds <= {list, tuple}:
            break
        value = list(chain.from_iterable(value))
        kinds = set(map(type, value))
    return kinds


def iterable(value: Any, name: str) -> list[Any]:
    """Read `value` as a list; DtypeError if it is text or cannot be iterated over."""
    cause = None
    try:
        if not isinstance(value, (str, bytes)):
            return list(value)
    except Exception as error:  # whatever the caller's object raises
        cause = error
    raise DtypeError(f"{name} must be a list, not {kind_of(value)}") from cause


def counted(count: int, things: str) -> str:
    """A count with its noun, which is given in the plural: 1 row, 2 rows."""
    if count != 1:
        return f"{count} {things}"
    return "1 vertex" if things == "vertices" else f"1 {things.removesuffix('s')}"


def there_are(count: int, things: str) -> str:
    """There is 1 row, there are 2 rows: the noun is given in the plural."""
    return f"there {'is' if count == 1 else 'are'} {counted(count, things)}"
