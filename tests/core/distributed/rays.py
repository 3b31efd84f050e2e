# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays that tests of chunks share, and what their hits must be equal to."""

from dataclasses import fields

import numpy as np

import standalone_core as sc


def rays_around(rng, shape):
    """Rays (..., 3) from around toward the middle, some of which are no rays."""
    origins = rng.normal(size=(*shape, 3)) * 2
    directions = 0.4 * rng.normal(size=(*shape, 3)) - origins
    flat = directions.reshape(-1, 3)
    flat[::17] = 0.0
    flat[5::23, 1] = np.nan
    return origins, directions


def copies(da, place, count, rows):
    """So many copies (count, 3) of a place, in chunks of so many rows."""
    return da.from_array(np.full((count, 3), place, dtype=float), chunks=(rows, 3))


def assert_same_bits(computed, hits):
    """Compare columns with those of hits, to the last bit."""
    assert set(computed) == {*(field.name for field in fields(sc.RayHits)), "hit", "invalid"}
    for name, column in computed.items():
        wanted = np.asarray(getattr(hits, name))
        assert (column.dtype, column.shape) == (wanted.dtype, wanted.shape), name
        assert column.tobytes() == wanted.tobytes(), name
