# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that no sane caller gives, made anew each time, and calls that are given them."""

import datetime
import decimal
import fractions
import math

import numpy as np

HUGE = 1.7e308


class Raising:
    """Raises whatever it is asked, as objects of others may."""

    def _raise(self, *_, **__):
        raise ZeroDivisionError("asked")

    __array__ = __len__ = __iter__ = __getitem__ = __index__ = __float__ = __int__ = _raise
    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = _raise


class RaisingArray:
    """Raises where NumPy asks it to be an array, and looks harmless otherwise."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


class RaisingIndex:
    """Is an integer until it is asked for its value."""

    def __index__(self):
        raise RuntimeError("no integer")


class Endless:
    """Has a length below 0."""

    def __len__(self):
        return -1

    def __getitem__(self, index):
        raise OSError("no items")


def read_only(array):
    array.flags.writeable = False
    return array


VALUES = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "-1": lambda: -1,
    "7": lambda: 7,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "10**400": lambda: 10**400,
    "-10**5000": lambda: -(10**5000),
    "0.5": lambda: 0.5,
    "-0.0": lambda: -0.0,
    "NaN": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "5e-324": lambda: 5e-324,
    "HUGE": lambda: HUGE,
    "complex": lambda: 1 + 2j,
    "empty text": lambda: "",
    "text": lambda: "opengl",
    "surrogate": lambda: "\ud800",
    "long text": lambda: "x" * 9999,
    "bytes": lambda: b"abc",
    "bytearray": lambda: bytearray(b"abc"),
    "memoryview": lambda: memoryview(b"abc"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "Decimal": lambda: decimal.Decimal("0.1"),
    "datetime": lambda: datetime.datetime(2024, 2, 29),
    "object": object,
    "type": lambda: range,  # which takes what a progress callback is given
    "module": lambda: math,
    "raising": Raising,
    "raising array": RaisingArray,
    "raising index": RaisingIndex,
    "endless": Endless,
    "empty list": list,
    "list": lambda: [1, 2, 3],
    "list of None": lambda: [None] * 3,
    "ragged": lambda: [[1, 2, 3], [4]],
    "list of texts": lambda: ["a", "\ud800"],
    "list of raising": lambda: [Raising()] * 3,
    "list of itself": lambda: itself(),
    "list of huge": lambda: [10**400, 0, 0],
    "list of masked": lambda: [np.ma.masked, 1.0, 2.0],
    "set": lambda: {1, 2, 3},
    "dict": lambda: {0: 1},
    "unhashable in tuple": lambda: ([],),
    "iterator": lambda: iter([1, 2, 3]),
    "generator that raises": lambda: (1 // i for i in (1, 0)),
    "range": lambda: range(3),
    "vector": lambda: (1.0, 2.0, 3.0),
    "zeros": lambda: (0.0, 0.0, 0.0),
    "NaNs": lambda: [math.nan] * 3,
    "infinite": lambda: (math.inf, 0.0, -math.inf),
    "huge vector": lambda: (HUGE, -HUGE, HUGE),
    "tiny vector": lambda: (5e-324, -5e-324, 0.0),
    "0-d": lambda: np.array(5.0),
    "0-d object": lambda: np.array(None),
    "0-d of a list": lambda: zero_d([1, 2]),
    "numpy bool": lambda: np.bool_(True),
    "numpy int": lambda: np.int8(-1),
    "uint64": lambda: np.uint64(2**64 - 1),
    "longdouble": lambda: np.longdouble("1e4000"),
    "empty array": lambda: np.empty((0, 3)),
    "no columns": lambda: np.empty((3, 0)),
    "ints": lambda: np.arange(3),
    "negative ints": lambda: np.array([-1, 0, 1]),
    "big ints": lambda: np.array([2**63 - 1, -(2**63), 0]),
    "mask": lambda: np.array([True, False]),
    "3 x 3": lambda: np.eye(3),
    "4 x 4": lambda: np.eye(4),
    "4 x 4 of zeros": lambda: np.zeros((4, 4)),
    "4 x 4 of NaN": lambda: np.full((4, 4), np.nan),
    "4 x 4 huge": lambda: np.diag([HUGE, HUGE, HUGE, 1.0]),
    "4 x 4 tiny": lambda: np.diag([5e-324, 1e-300, 1.0, 1.0]),
    "4 x 4 far": lambda: np.eye(4) + HUGE * np.eye(4, k=3),
    "stack": lambda: np.zeros((2, 3, 4, 4)),
    "many axes": lambda: np.zeros((1,) * 20),
    "half": lambda: np.ones((3, 3), dtype=np.float16),
    "swapped": lambda: np.ones(3, dtype=">f8"),
    "strided": lambda: np.ones((6, 6))[::-2, ::2],
    "read-only": lambda: read_only(np.ones((3, 3))),
    "huge points": lambda: np.diag([HUGE, -HUGE, HUGE]),
    "tiny points": lambda: np.diag([5e-324, 1e-310, 5e-324]),
    "masked array": lambda: np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    "masked": lambda: np.ma.masked,
    "object array": lambda: np.array([None, "a", 1], dtype=object),
    "fractions": lambda: np.array([fractions.Fraction(1, 3)] * 3, dtype=object),
    "object array of huge": lambda: np.array([10**400, 1, 2], dtype=object),
    "complex array": lambda: np.ones(3) * 1j,
    "dates": lambda: np.array(["2024-02-29"] * 3, dtype="M8[D]"),
    "NaTs": lambda: np.array(["NaT"] * 3, dtype="m8[s]"),
    "texts": lambda: np.array(["a", "b", "c"]),
    "void": lambda: np.zeros(3, dtype=[("x", float), ("y", int)]),
}
"""Makers by name: some values change when they are used."""


def itself():
    made = []
    made.append(made)
    return made


def zero_d(value):
    made = np.empty((), dtype=object)
    made[()] = value
    return made


SIZES = [5e-324, 1e-310, 1e-200, 1e-160, 1e-20, 1.0, 3.0, 1e20, 1e154, 1e300, 1e308, HUGE]
NOT_FINITE = [math.nan, math.inf, -math.inf]


def extreme(rng, value):
    """Numbers of the same shape at the ends of float64; None for what is not of numbers."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if value is None or array.dtype.kind != "f":
        return None
    kind = rng.integers(4)
    if kind == 0:  # all by the same
        sizes = rng.choice(SIZES)
    elif kind == 1:
        sizes = rng.choice(SIZES, array.shape)
    else:
        sizes = rng.choice([0.0, 1.0, rng.choice(SIZES), rng.choice(NOT_FINITE)], array.shape)
    with np.errstate(all="ignore"):
        return np.asarray(rng.choice([-1.0, 1.0], array.shape) * sizes * (array + (kind > 1)))


def drawn(rng, arguments, values):
    """The arguments with one or two, at times all, replaced by nasty ones; and what these are."""
    names = list(arguments)
    count = len(names) if rng.random() < 0.1 else min(len(names), int(rng.integers(1, 3)))
    given, chosen = dict(arguments), {}
    for name in rng.permutation(names)[:count].tolist():
        numbers = extreme(rng, arguments[name]) if rng.random() < 0.5 else None
        if numbers is not None:
            given[name], chosen[name] = numbers, numbers.tolist()
        else:
            chosen[name] = str(rng.choice(list(values)))
            given[name] = values[chosen[name]]()
    return given, chosen
