# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers at the ends of float64 give right values or named errors, and never a warning."""

import warnings
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.numerics.arrays import scaled_edges
from standalone_core.numerics.vectors import scaled_ways
from standalone_core.triangle import barycentric, contains_same_side

from . import meshes
from .cameras import orthographic, perspective

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
HALVES = [[0, 1, 2], [2, 1, 3]]
HUGE = 1.7e308
KINDS = {"perspective": perspective, "orthographic": orthographic}


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_a_plane_took_an_infinite_offset_in_silence():
    with pytest.raises(errors.NonFiniteError, match="offset is beyond float64"):
        sc.Plane((1e-300, 0, 0), 1e308)
    with pytest.raises(errors.NonFiniteError, match="offset is not finite"):
        sc.Plane.from_point_normal((HUGE, 0, HUGE), (HUGE, 0, HUGE))


def test_a_plane_with_a_normal_longer_than_float64_lost_its_offset():
    plane = sc.Plane((HUGE,) * 3, HUGE)
    np.testing.assert_allclose(plane.normal, 3**-0.5, rtol=1e-15)
    assert plane.offset == pytest.approx(3**-0.5, rel=1e-15)
    assert sc.Plane((5e-324, 0, 0), 1e-323).offset == 2.0


def test_a_plane_through_a_far_point_overflowed_on_the_way_only():
    plane = sc.Plane.from_point_normal((HUGE, HUGE, HUGE), (1, 1, -1))
    assert plane.offset == pytest.approx(-HUGE * 3**-0.5, rel=1e-15)


def test_the_offset_of_an_ordinary_plane_is_a_quotient_to_the_bit(rng):
    for normal, offset in zip(rng.normal(size=(300, 3)), rng.normal(size=300), strict=True):
        exact = sum(Fraction(x) ** 2 for x in normal.tolist())
        plane = sc.Plane(normal, offset)
        assert plane.offset == pytest.approx(offset / float(exact) ** 0.5, rel=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_cameras_warned_of_points_that_are_infinitely_far(kind):
    camera = sc.Camera(np.eye(4), KINDS[kind](), 64, 48)
    for point in ((np.inf, 0, 0), (np.nan, 0, 0), (HUGE, HUGE, -HUGE), (0, 0, -np.inf)):
        size = camera.pixel_size(point)
        assert np.isnan(size) or size >= 0
        assert camera.is_in_front(point) in (True, False)
        camera.project(point)
    assert camera.pixel_size((0, 0, -7)) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_cameras_warned_of_pixels_at_the_end_of_float64(kind):
    camera = sc.Camera(np.eye(4), KINDS[kind](), 0.5, 0.5)
    for pixel in ((HUGE, 0), (-HUGE, HUGE), (1e200, 1e200)):
        camera.rays(*pixel)
        camera.unproject(*pixel, 0.5)
        with suppress(errors.ArgumentError):
            camera.ray(*pixel)
    camera.unproject(1, 1, HUGE)


def test_a_camera_whose_place_is_beyond_float64_is_refused_or_has_no_finite_eye():
    view = np.eye(4)
    view[0, 3] = HUGE
    assert sc.Camera(view, perspective(), 64, 48).eye.tolist() == [-HUGE, 0, 0]
    with pytest.raises(errors.NonFiniteError, match="inverse of view"):
        sc.Camera(view * [[0.1], [1], [1], [1]] * [1e-9, 1, 1, 1], perspective(), 64, 48)
    with pytest.raises(errors.NonFiniteError, match="inverse of view"):
        sc.Camera(np.diag([1e-310, 1, 1, 1]), perspective(), 64, 48)
    with pytest.raises(errors.NonFiniteError, match="inverse of matri"):
        sc.Scene().add_many(sc.Mesh(*meshes.cube()), [np.diag([1e-310, 1, 1, 1])])


def test_a_region_warned_when_it_was_moved_or_asked_at_the_end_of_float64():
    region = sc.Region.of([[1e308, 1e308, 0, 1e308], [0, 0, 1, 1e308]])
    far = region.moved(np.diag([1e9, 1e9, 1e9, 1]))
    corners, triangles = meshes.cube()
    for mesh in (sc.Mesh(corners, triangles), sc.Mesh(np.asarray(corners) * 1e307, triangles)):
        for _ in range(2):
            assert len(mesh.triangles_in(far)) == len(triangles)
            mesh.build()
    scene = sc.Scene()
    scene.add(sc.Mesh(np.asarray(corners) * 1e306, triangles), np.diag([10.0, 10, 10, 1]))
    assert len(scene.triangles_in(sc.Region.of([[1e308, 1e308, 1e308, 1e308]]))) > 0


def test_one_and_many_scaled_ways_differently_where_only_their_sum_overflows(rng):
    points = rng.choice([-1.0, 1.0], (400, 4, 3)) * rng.uniform(0.2, 0.8, (400, 4, 3)) * 1e308
    points[::2, 0] = sum(points[::2, corner] / 3 for corner in (1, 2, 3))
    p, a, b, c = columns = points.swapaxes(0, 1)
    many = zip(*(way.tolist() for way in scaled_edges(a, b, c, p)), strict=True)
    weights, inside = barycentric(*columns), contains_same_side(*columns)
    for row, (ask, (u, v, w)) in enumerate(zip(points, many, strict=True)):
        assert scaled_ways(*ask.tolist()) == (tuple(w), tuple(u), tuple(v))
        np.testing.assert_array_equal(barycentric(*ask), weights[row])
        assert contains_same_side(*ask) == inside[row]


def test_pixels_and_distances_beyond_all_bounds_warned():
    camera = sc.Camera(np.eye(4), np.diag((1.0, 1.0, -1.0, 1.0)), 10, 10)
    assert np.isfinite(camera.ray(1e308, 0).origin).all()
    assert sc.Ray((0, 0, 0), (0, 0, 1)).at(np.inf)[2] == np.inf


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("far", [1e39, 1e100, 1e300])
def test_a_ray_from_or_to_beyond_float32_warned(built, far):
    mesh = sc.Mesh(SQUARE, HALVES)
    if built:
        mesh.build()
    down = (0, 0, -1)
    assert mesh.ray_cast((0.25, 0.25, far), down).distance == far
    assert mesh.ray_cast((0.25, 0.25, far), down, far).distance == far
    assert mesh.ray_cast((0.25, 0.25, 1), down, far).distance == 1
    assert mesh.ray_cast((far, 0.25, 1), down) is None
    hits = mesh.cast_rays([(0.25, 0.25, far), (far, far, far)], down, far)
    assert hits.hit.tolist() == [True, False]
