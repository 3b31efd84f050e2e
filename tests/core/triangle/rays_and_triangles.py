# SPDX-License-Identifier: GPL-3.0-or-later
"""The ray-triangle tests side by side, with random questions for them."""

import numpy as np
import pytest

import standalone_core as sc

from .. import oracle

ONE = {
    "plane_parametric": sc.triangle.plane_parametric,
    "moller_trumbore": sc.triangle.moller_trumbore,
    "watertight": sc.triangle.watertight,
}
MANY = {name: getattr(sc.triangle, f"{name}_many") for name in ONE}

each_ray_test = pytest.mark.parametrize("cast", ONE.values(), ids=ONE)


def aimed(rng, corners, spread=1.0):
    """A ray at a random point of a triangle's plane, inside of the triangle or near it."""
    aside = 0.3 * spread * rng.normal(size=3)
    target = (rng.dirichlet((1, 1, 1)) + aside - aside.mean()) @ corners
    size = np.ptp(corners, axis=0).max()
    origin = target + size * rng.normal(size=3) * rng.uniform(0.5, 3)
    return sc.Ray(origin, target - origin)


def exact_crossing(ray, corners):
    """The oracle's crossing with one triangle, and the error that float64 may make across."""
    found = oracle.crossing(
        oracle.exact(ray.origin), oracle.exact(ray.direction), oracle.exact(corners)
    )
    margin = 64 * oracle.EPS * (np.abs(corners).max() + np.abs(ray.origin).max())
    return found, margin


def assert_is(hit, found, margin):
    """The hit is the oracle's crossing up to rounding."""
    assert hit is not None
    assert hit.t == pytest.approx(found.distance, rel=1e-14, abs=margin * found.growth)
    tolerance = margin / min(found.heights)
    assert hit.u == pytest.approx(float(found.weights[1]), abs=tolerance)
    assert hit.v == pytest.approx(float(found.weights[2]), abs=tolerance)


def assert_decides(cast, ray, corners, cull=None):
    """The test agrees with the oracle; True for a hit, False for a miss, None if too close."""
    found, margin = exact_crossing(ray, corners)
    if found and cast is sc.triangle.plane_parametric:
        margin *= found.growth  # it looks for the point where its own distance ends
    if found is None or abs(found.gap) <= margin or abs(found.distance) <= margin * found.growth:
        return None
    hit = cast(ray, *corners, cull=cull)
    wanted = found.gap > 0 and found.distance > 0
    if cull is not None:
        wanted = wanted and found.front == (cull == "back")
    if wanted:
        assert_is(hit, found, margin)
    else:
        assert hit is None
    return wanted
