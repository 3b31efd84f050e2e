# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays for meshes, and the comparison of hits with the oracle's and with each other."""

from dataclasses import fields

import numpy as np
import pytest

import standalone_core as sc

from . import oracle

FIELDS = [field.name for field in fields(sc.RayHits)]


def toward(rng, vertices, triangles, count):
    """Rays at points of the triangles, from around them, of directions of any length."""
    good = vertices[np.isfinite(vertices).all(axis=1)]
    size = np.ptp(good, axis=0).max()
    finite = np.isfinite(vertices[triangles]).all(axis=(1, 2))
    chosen = vertices[triangles[rng.choice(np.flatnonzero(finite), count)]]
    targets = np.einsum("ni,nij->nj", rng.dirichlet((1, 1, 1), count), chosen)
    origins = good.mean(axis=0) + size * rng.normal(size=(count, 3))
    return origins, (targets - origins) * rng.uniform(0.1, 10, (count, 1))


def lattice_rays(rng, count):
    """Rays through points of a lattice, along axes and diagonals: borders are hit exactly."""
    directions = rng.integers(-1, 2, (count, 3))
    directions[~directions.any(axis=1)] = (0, 0, 1)
    points = rng.integers(0, 7, (count, 3)) / 2
    return points - 8.0 * directions, directions.astype(float)


def rounding(vertices, origin):
    """How far a vertex may seem to be off the ray."""
    good = vertices[np.isfinite(vertices).all(axis=1)]
    return 64 * oracle.EPS * (np.abs(good).max() + np.abs(origin).max())


def exact_hits(origin, direction, vertices, triangles, limit=np.inf, cull=None, margin=None):
    """Crossings that must be hits, rows that may be, and the rounding across the ray."""
    margin = rounding(vertices, origin) if margin is None else margin
    sure, doubtful = {}, set()
    for found in oracle.crossings(origin, direction, vertices, triangles.tolist()):
        along = margin * found.growth
        ahead = min(found.distance, limit - found.distance)
        if cull is not None and found.front == (cull == "front"):
            continue
        if found.gap > margin and ahead > along:
            sure[found.triangle] = found
        elif found.gap > -margin and ahead > -along:
            doubtful.add(found.triangle)
    return sure, doubtful, margin


def assert_hits_are(hits, sure, doubtful, margin):
    """The hits are all that must be there, with the oracle's numbers, and none that must not."""
    rows = [hit.triangle for hit in hits]
    assert len(rows) == len(set(rows))
    assert set(sure) <= set(rows) <= set(sure) | doubtful
    keys = [(hit.distance, hit.triangle) for hit in hits]
    assert keys == sorted(keys)
    for hit in hits:
        if hit.triangle in sure:
            assert_hit_is(hit, sure[hit.triangle], margin)


def assert_hit_is(hit, found, margin):
    """One hit has the oracle's distance, weights and side."""
    assert hit.distance == pytest.approx(found.distance, rel=1e-13, abs=margin * found.growth)
    tolerance = 10 * margin / min(found.heights) + 1e-14
    weights = oracle.approximate(found.weights)
    np.testing.assert_allclose(hit.barycentric, weights, rtol=0, atol=tolerance)
    assert hit.front == found.front


def assert_same_bits(one, other, names=FIELDS):
    """Two hits or columns of hits are equal to the last bit; NaN is equal to NaN."""
    for name in names:
        value, expected = getattr(one, name), getattr(other, name)
        if not _are_same_at_a_glance(value, expected):
            np.testing.assert_array_equal(value, expected, err_msg=name)


def _are_same_at_a_glance(one, other):
    """Whether two numbers or arrays are equal for sure, told faster than NumPy's check tells it."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = one.shape == other.shape and one.dtype == other.dtype and not one.dtype.hasobject
        return alike and one.tobytes() == other.tobytes()
    return isinstance(one, bool | int | float) and type(one) is type(other) and one == other


def assert_same_hits(ones, others):
    """Two lists of hits are equal to the last bit."""
    assert len(ones) == len(others)
    for one, other in zip(ones, others, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert_same_bits(one, other)


def built(*arguments, **options):
    """A mesh with its tree."""
    mesh = sc.Mesh(*arguments, **options)
    mesh.build()
    return mesh
