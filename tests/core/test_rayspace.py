# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import numpy as np
import pytest

from standalone_core.rayspace import RayFrame, cast_candidates, rounding_margin

from . import meshes, oracle
from .scales import at_every_scale

FROM_ONE = np.zeros(1, dtype=np.int64)


def frame_of(origin, direction):
    return RayFrame.of(np.array([origin], float), np.array([direction], float))


def candidates(frame, corners, limit=np.inf, cull=0):
    """Crossings of one ray with triangles (N, 3, 3)."""
    corners = np.asarray(corners, float)
    count = len(corners)
    split = tuple(corners[:, i] for i in range(3))
    rays = np.zeros(count, dtype=np.int64)
    return cast_candidates(frame, rays, np.arange(count), split, np.array([limit]), cull)


def test_the_ray_becomes_the_z_axis(rng):
    for direction in rng.normal(size=(100, 3)):
        origin = rng.normal(size=3)
        t = rng.uniform(-3, 3, 20)
        points = origin + t[:, None] * direction
        seen = frame_of(origin, direction).see(points, np.zeros(20, dtype=np.int64))
        np.testing.assert_allclose(seen, np.column_stack([0 * t, 0 * t, t]), atol=1e-13)


def test_the_largest_component_of_the_direction_becomes_z(rng):
    directions = rng.normal(size=(200, 3))
    frame = RayFrame.of(np.zeros((200, 3)), directions)
    np.testing.assert_array_equal(frame.axes[:, 2], np.abs(directions).argmax(axis=1))
    assert (np.sort(frame.axes, axis=1) == [0, 1, 2]).all()
    assert (np.abs(frame.shear[:, :2]) <= 1).all()


@pytest.mark.parametrize(
    "direction", [d for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
)
def test_the_change_of_space_keeps_the_winding(direction):
    seen = frame_of((0, 0, 0), direction).see(np.eye(3), np.zeros(3, dtype=np.int64))
    x_y_and_depth = seen * (1, 1, np.sign(np.linalg.det(seen)))
    assert np.linalg.det(seen) > 0
    assert np.linalg.det(x_y_and_depth) > 0


def test_a_vertex_looks_the_same_whatever_it_is_asked_with(rng):
    points = rng.normal(size=(50, 3)) * 1e6
    frame = RayFrame.of(rng.normal(size=(4, 3)), meshes.directions(rng, 4))
    rays = rng.integers(0, 4, 50)
    together = frame.see(points, rays)
    for i in range(50):
        alone = frame.see(points[i : i + 1], rays[i : i + 1])
        np.testing.assert_array_equal(together[i], alone[0])


@at_every_scale
def test_no_vertex_appears_off_its_place_by_more_than_the_margin(rng, scale):
    points = rng.normal(size=(200, 3)) * scale * 10.0 ** rng.uniform(-6, 0, (200, 1))
    origin, direction = rng.normal(size=3) * scale, meshes.directions(rng, 1)[0]
    frame = frame_of(origin, direction)
    seen = frame.see(points, np.zeros(200, dtype=np.int64))
    margin = float(rounding_margin(np.abs(points).max(), origin))
    kx, ky, kz = frame.axes[0]
    o, d = oracle.exact(origin), oracle.exact(direction)
    for point, (x, y, _) in zip(points, seen, strict=True):
        p = oracle.sub(oracle.exact(point), o)
        assert abs(float(p[kx] - d[kx] / d[kz] * p[kz]) - x) <= margin
        assert abs(float(p[ky] - d[ky] / d[kz] * p[kz]) - y) <= margin


def moved_weights(direction, triangle):
    """Signs of the three edge functions around the origin moved by (e, e^2) across the ray."""
    kz = max(range(3), key=lambda i: abs(direction[i]))
    kx, ky = (kz + 1) % 3, (kz + 2) % 3
    if direction[kz] < 0:
        kx, ky = ky, kx
    e = oracle.Fraction(1, 2**100)
    flat = [
        (
            p[kx] - direction[kx] / direction[kz] * p[kz] - e,
            p[ky] - direction[ky] / direction[kz] * p[kz] - e * e,
        )
        for p in triangle
    ]
    (ax, ay), (bx, by), (cx, cy) = flat
    return (
        oracle.sign(cx * by - cy * bx),
        oracle.sign(ax * cy - ay * cx),
        oracle.sign(bx * ay - by * ax),
    )


@pytest.mark.parametrize("direction", [(0, 0, 1), (0, 0, -2), (4, 0, 0), (1, 2, -4), (-1, 1, 1)])
def test_a_ray_through_a_border_hits_as_if_it_were_moved_by_e_and_e_squared(rng, direction):
    origin = (1.5, 1, 0.5)
    corners = rng.integers(0, 4, (1500, 3, 3)).astype(float)
    found = candidates(frame_of(origin, direction), corners)
    hits = dict(zip(found.triangle.tolist(), found.front.tolist(), strict=True))
    exact_direction = oracle.exact(direction)
    borders = 0
    for row, triangle in enumerate(corners):
        around = [oracle.sub(oracle.exact(p), oracle.exact(origin)) for p in triangle]
        sides = moved_weights(exact_direction, around)
        inside = len(set(sides)) == 1 and sides[0] != 0
        crossing = oracle.crossing(oracle.exact((0, 0, 0)), exact_direction, tuple(around))
        ahead = crossing is not None and crossing.distance >= 0
        assert (row in hits) == (inside and ahead)
        if row in hits:
            assert hits[row] == crossing.front == (sides[0] > 0)
            borders += min(crossing.weights) == 0
    assert borders > 5


def test_the_parameter_counts_in_lengths_of_the_direction():
    triangle = [[(-1, -1, 6), (2, -1, 6), (-1, 2, 6)]]
    for length in (0.5, 1, 3):
        found = candidates(frame_of((0, 0, 0), (0, 0, length)), triangle)
        assert found.t.tolist() == [6 / length]


def test_the_limit_is_inclusive_and_a_side_can_be_left_out():
    triangles = [[(-1, -1, z), (2, -1, z), (-1, 2, z)] for z in (1, 2, 3)]
    triangles[0] = triangles[0][::-1]
    frame = frame_of((0, 0, 0), (0, 0, 1))
    assert candidates(frame, triangles, limit=2).triangle.tolist() == [0, 1]
    assert candidates(frame, triangles, limit=np.nextafter(2, 0)).triangle.tolist() == [0]
    assert candidates(frame, triangles, cull=1).triangle.tolist() == [0]
    assert candidates(frame, triangles, cull=-1).triangle.tolist() == [1, 2]


def test_the_weights_are_those_of_the_corners_in_order(rng):
    corners = rng.normal(size=(300, 3, 3)) + (0, 0, 5)
    found = candidates(frame_of((0, 0, 0), (0, 0, 1)), corners)
    assert len(found.t) > 20
    points = np.einsum("ni,nij->nj", found.weights, corners[found.triangle])
    np.testing.assert_allclose(points, np.outer(found.t, (0, 0, 1)), atol=1e-11)


def test_what_is_not_finite_is_never_crossed(rng):
    corners = rng.normal(size=(900, 3, 3)) + (0, 0, 5)
    where = rng.integers(0, 3, (900, 2))
    bad = np.array([np.nan, np.inf, -np.inf])[np.arange(900) % 3]
    corners[np.arange(900), where[:, 0], where[:, 1]] = bad
    assert len(candidates(frame_of((0, 0, 0), (0, 0, 1)), corners).t) == 0
