# SPDX-License-Identifier: GPL-3.0-or-later
"""What is before the eye, and how long a pixel is there; points alone and among others."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import oracle
from .cameras import HEIGHT, PROJECTIONS, WIDTH, ExactCamera, camera, perspective, random_view

each_kind = pytest.mark.parametrize("kind", PROJECTIONS, ids=" ".join)
each_shift = pytest.mark.parametrize("shift", [(0.0, 0.0), (0.3, -0.7)], ids=["centred", "off"])


def forward(kind, view):
    """The way one looks in world space, by the definition of the two conventions."""
    return view[2, :3] * (-1.0 if kind[0] == "opengl" else 1.0)


@each_kind
@each_shift
def test_in_front_is_what_lies_ahead_of_the_eye(rng, kind, shift):
    for _ in range(10):
        view = random_view(rng)
        eye = np.linalg.solve(view[:3, :3], -view[:3, 3])
        points = eye + rng.normal(size=(50, 3)) * rng.choice([0.01, 1, 1000], (50, 1))
        expected = ((points - eye) @ forward(kind, view) > 0) | (kind[1] == "orthographic")
        asked = camera(kind, view, shift=shift)
        np.testing.assert_array_equal(asked.is_in_front(points), expected)
        assert [bool(asked.is_in_front(point)) for point in points] == expected.tolist()


@each_kind
@pytest.mark.parametrize("scale", [-2.0, 1e-6, 1e6])
def test_in_front_is_where_the_rays_of_a_scaled_projection_go(rng, kind, scale):
    view = random_view(rng)
    options = ("direct3d",) if kind[0] == "direct3d" else ()
    matrix = view.T if options else view
    scaled = sc.Camera(matrix, PROJECTIONS[kind]() * scale, WIDTH, HEIGHT, *options)
    for x, y in rng.uniform(0, 1, (10, 2)) * (WIDTH, HEIGHT):
        ray = scaled.ray(x, y)
        assert scaled.is_in_front(ray.at(3.0))
        assert scaled.is_in_front(ray.at(-3.0)) == (not scaled.is_perspective)


def test_what_is_in_the_plane_of_the_eye_or_not_a_number_is_not_in_front():
    view = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT)
    points = [(1, 1, 0), (1, 1, -1e-300), (np.nan, 0, np.nan)]
    assert view.is_in_front(points).tolist() == [False, True, False]


@each_kind
@each_shift
def test_a_pixel_is_as_long_as_the_way_to_the_next_at_the_same_depth(rng, kind, shift):
    """Against the same in rational arithmetic, by the inverse of the whole matrix."""
    for scale in (1.0, 0.01, 300.0):
        for stretch in (1.0, 3.0):
            view = random_view(rng) @ np.diag([scale, scale * stretch, scale, 1])
            asked = camera(kind, view, shift=shift)
            exact = ExactCamera(kind, view, shift=shift)
            for x, y in rng.uniform(-0.2, 1.2, (5, 2)) * (WIDTH, HEIGHT):
                point = asked.ray(x, y).at(float(rng.uniform(1, 60)) / scale)
                seen_x, seen_y, depth = exact.project(point)
                beside = exact.unproject(seen_x + 1, seen_y, depth)
                expected = oracle.length(oracle.sub(beside, oracle.exact(point)))
                assert asked.pixel_size(point) == pytest.approx(float(expected), rel=1e-9)


@each_kind
def test_a_pixel_has_a_length_behind_the_eye_and_none_beside_it(rng, kind):
    view = random_view(rng)
    asked, along = camera(kind, view), forward(kind, view)
    eye = np.linalg.solve(view[:3, :3], -view[:3, 3])
    before, beside, behind = asked.pixel_size(eye + np.outer((5.0, 0.0, -5.0), along))
    assert before == pytest.approx(behind, rel=1e-12)
    assert before > 0
    assert beside == pytest.approx(0.0 if asked.is_perspective else before, abs=1e-14)


@each_kind
@pytest.mark.parametrize("scale", [-2.0, 1e-6, 1e6])
def test_the_scale_of_a_projection_does_not_change_the_length_of_a_pixel(rng, kind, scale):
    view = random_view(rng)
    options = ("direct3d",) if kind[0] == "direct3d" else ()
    matrix = view.T if options else view
    scaled = sc.Camera(matrix, PROJECTIONS[kind]() * scale, WIDTH, HEIGHT, *options)
    points = rng.normal(size=(20, 3)) * 10
    expected = camera(kind, view).pixel_size(points)
    np.testing.assert_allclose(scaled.pixel_size(points), expected, rtol=1e-12)


@each_kind
def test_a_turned_projection_counts_the_width_of_its_own_pixels(kind):
    """By a quarter, so that the image's x is the view's y."""
    turned = np.eye(4)
    turned[:2, :2] = (0, -1), (1, 0)
    projection = PROJECTIONS[kind]()
    options = ("direct3d",) if kind[0] == "direct3d" else ()
    both = [turned.T @ projection if options else projection @ turned, projection]
    sizes = [
        sc.Camera(np.eye(4), matrix, WIDTH, HEIGHT, *options).pixel_size((0.3, 0.2, 5.0))
        for matrix in both
    ]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-14)


@each_kind
def test_points_alone_and_among_others_have_the_same_answers_to_the_last_bit(rng, kind):
    asked = camera(kind, random_view(rng))
    points = rng.normal(size=(37, 3)) * 10
    for method in (asked.project, asked.is_in_front, asked.pixel_size):
        together = np.array(method(points))
        alone = np.stack([method(point) for point in points], axis=-1)
        np.testing.assert_array_equal(together, alone)
        assert np.shape(method(points.reshape(1, 37, 3)))[-2:] == (1, 37)
        assert np.shape(method(np.empty((0, 3))))[-1:] == (0,)


@pytest.mark.parametrize("method", ["is_in_front", "pixel_size"])
def test_points_of_another_shape_are_refused(method):
    view = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT)
    with pytest.raises(errors.ShapeError, match="point must have shape"):
        getattr(view, method)([1, 2])
