# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables with all that columns can be."""

import numpy as np

NAMES = {"object": ("Cube", 'a "b", c\nd', "Éa 球", "")}


def picture(rng, shape=(7, 11)):
    """Columns of every kind, in which some rows are misses."""
    hit = rng.random(shape) < 0.6
    ids = np.where(hit, rng.integers(0, 3, shape), -1).astype(np.int32)
    missing = np.where(hit[..., None], 0.0, np.nan)
    return {
        "object": ids,
        "face": np.where(hit, rng.integers(0, 1 << 40, shape), -1),
        "barycentric": rng.random((*shape, 3)) + missing,
        "point": rng.normal(size=(*shape, 3)) * 10.0 ** rng.integers(-300, 300, (*shape, 1)),
        "uv": rng.random((*shape, 2)),
        "vertices": rng.integers(0, 99, (*shape, 3)).astype(np.int32),
        "distance": np.where(hit, rng.random(shape), np.inf),
        "front": hit,
        "attribute:Color": rng.random((*shape, 4)),
        "attribute:Tangent": rng.normal(size=(*shape, 3)).astype(np.float32),
        "attribute:Half": rng.normal(size=shape).astype(np.float16),
        "large": rng.integers(0, 1 << 64, shape, dtype=np.uint64),
    }


def same(one, other):
    """Whether two arrays have the same numbers, bit by bit but for the kind of NaN."""
    return one.shape == other.shape and np.array_equal(one, other, one.dtype.kind == "f")
