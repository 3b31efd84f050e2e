# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays that pass edges within a few last digits or not at all: what float64 cannot tell apart."""

from fractions import Fraction

import numpy as np

from . import oracle


def near_ties(rng, count, scale=1.0, offset=0.0):
    """Origins, directions and both ends of edges (N, 3), each ray almost or exactly at its edge.

    All stands around a place about `offset` from 0, in sizes of `scale`.
    """
    place = offset * rng.normal(size=3)
    o = place + scale * rng.normal(size=(count, 3)) * 10.0 ** rng.uniform(-2, 1, (count, 1))
    d = rng.normal(size=(count, 3))
    d = np.where(rng.random((count, 3)) < 0.2, np.rint(d), d)
    d = np.where(rng.random((count, 3)) < 0.1, d[:, :1], d)
    d[~d.any(axis=1)] = (1, -1, 1)
    p = place + scale * rng.normal(size=(count, 3))
    along, beyond = rng.normal(size=(2, count, 1))
    q = o + scale * along * d + beyond * (p - o)
    return o, d, p, stepped(rng, q)


def exact_ties(rng, count, scale=1.0, offset=0.0):
    """As `near_ties`, of small whole numbers: half of the rays meet their edges exactly."""
    d = rng.integers(-3, 4, (count, 3)).astype(float)
    d[~d.any(axis=1)] = (0, 0, -1)
    o, p = rng.integers(-4, 5, (2, count, 3)).astype(float)
    along, beyond = rng.integers(-3, 4, (2, count, 1))
    q = o + along * d + beyond * (p - o)
    q = np.where(rng.random((count, 1)) < 0.5, q, q + rng.integers(-1, 2, (count, 3)))
    place = np.rint(offset)
    return (o + place) * scale, d, (p + place) * scale, (q + place) * scale


def stepped(rng, numbers):
    """The numbers, some of them moved by a last digit."""
    step = rng.integers(-1, 2, numbers.shape)
    return np.where(step == 0, numbers, np.nextafter(numbers, np.copysign(np.inf, step)))


def rows(*arrays):
    """Rows of arrays (N, 3) together, as tuples of floats."""
    return zip(*(map(tuple, array.tolist()) for array in arrays), strict=True)


def columns(*arrays):
    """Arrays (N, 3) as vectors of columns."""
    return [tuple(array.T) for array in arrays]


def exact_side(o, d, p, q):
    """det[d, p - o, q - o] as a Fraction."""
    o, d, p, q = (oracle.exact(x) for x in (o, d, p, q))
    return Fraction(oracle.dot(d, oracle.cross(oracle.sub(p, o), oracle.sub(q, o))))
