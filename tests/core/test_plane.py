# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .scales import at_every_scale


def value(plane, point):
    """n . p + d of the plane as it is stored."""
    normal, offset = oracle.exact(plane.normal), oracle.exact(plane.offset)
    return oracle.dot(normal, oracle.exact(point)) + offset


def random_plane(rng):
    return sc.Plane.from_point_normal(rng.normal(size=3) * 3, rng.normal(size=3))


def test_plane_offset_d_is_minus_n_dot_p0(rng):
    for _ in range(50):
        p0, n = rng.normal(size=(2, 3))
        plane = sc.Plane.from_point_normal(p0, n)
        v = oracle.exact(n)
        expected = -oracle.dot(v, oracle.exact(p0)) / oracle.length(v)
        assert plane.offset == pytest.approx(float(expected), rel=1e-14, abs=1e-14)
        np.testing.assert_allclose(np.linalg.norm(plane.normal), 1, rtol=1e-15)


def test_plane_normal_and_offset_are_divided_by_the_length_of_the_normal():
    plane = sc.Plane((0, 3e-20, 4e-20), 10e-20)
    np.testing.assert_allclose(plane.normal, [0, 0.6, 0.8], rtol=1e-15)
    assert plane.offset == pytest.approx(2, rel=1e-15)


def test_side_of_a_plane_is_the_sign_of_n_dot_p_plus_d(rng):
    for _ in range(50):
        plane = random_plane(rng)
        points = rng.normal(size=(20, 3)) * 5
        signs = [oracle.sign(value(plane, p)) for p in points]
        assert plane.side(points).tolist() == signs
        assert [plane.side(p) for p in points] == signs


def test_signed_distance_is_n_dot_p_plus_d(rng):
    plane = random_plane(rng)
    points = rng.normal(size=(4, 5, 3)) * 1000
    expected = [[float(value(plane, p)) for p in row] for row in points]
    np.testing.assert_allclose(plane.signed_distance(points), expected, rtol=0, atol=1e-12)


@at_every_scale
def test_plane_from_three_points_holds_them_and_faces_their_winding(rng, scale):
    for _ in range(50):
        a, b, c = rng.normal(size=(3, 3)) * scale
        plane = sc.Plane.from_points(a, b, c)
        pa, pb, pc = oracle.exact((a, b, c))
        normal = oracle.cross(oracle.sub(pb, pa), oracle.sub(pc, pa))
        unit = oracle.scaled(normal, 1 / oracle.length(normal))
        np.testing.assert_allclose(plane.normal, oracle.approximate(unit), atol=1e-12)
        for p in (a, b, c):
            assert abs(plane.signed_distance(p)) <= 1e-12 * scale
        assert plane.side(a + plane.normal * scale) == 1
        assert plane.side(a - plane.normal * scale) == -1


@at_every_scale
def test_a_point_counts_as_on_the_plane_by_rounding_alone_never_by_a_length(scale):
    plane = sc.Plane((0, 0, 1), -scale)
    assert plane.side((5 * scale, 5 * scale, scale)) == 0
    assert plane.side((0, 0, scale * (1 + 1e-13))) == 1
    assert plane.side((0, 0, scale * (1 - 1e-13))) == -1


def test_points_made_on_a_tilted_plane_are_on_it(rng):
    for _ in range(100):
        a, u, v = rng.normal(size=(3, 3))
        plane = sc.Plane.from_point_normal(a, np.cross(u, v))
        assert plane.side(a) == 0


def test_ray_against_plane_t_is_n_dot_p0_minus_origin_over_n_dot_direction(rng):
    hits = 0
    for _ in range(200):
        plane = random_plane(rng)
        ray = sc.Ray(rng.normal(size=3) * 4, rng.normal(size=3))
        slope = oracle.dot(oracle.exact(plane.normal), oracle.exact(ray.direction))
        t = -value(plane, ray.origin) / slope
        hits += t >= 0
        tolerance = 1e-14 / abs(float(slope))
        expected = pytest.approx(float(t), rel=1e-12, abs=tolerance) if t >= 0 else None
        assert plane.intersect_ray(ray) == expected
    assert 50 < hits < 150


@at_every_scale
@pytest.mark.parametrize(
    ("origin", "direction", "t"),
    [
        ((3, 4, 5), (0, 0, -1), 3.0),
        ((3, 4, -5), (0, 0, 1), 7.0),
        ((3, 4, 5), (0, 0, 1), None),
        ((3, 4, 2), (0, 0, 1), 0.0),
        ((3, 4, 2), (0, 0, -1), 0.0),
        ((3, 4, 5), (1, 0, 0), None),
        ((3, 4, 2), (1, 0, 0), None),
        ((0, 0, 2 + 1e-9), (1, 0, -1e-9), 1.0),
    ],
)
def test_ray_against_plane_at_every_scale(scale, origin, direction, t):
    plane = sc.Plane((0, 0, 1), -2 * scale)
    found = plane.intersect_ray(sc.Ray(np.array(origin) * scale, direction))
    assert found == (None if t is None else pytest.approx(t * scale, rel=1e-6))


def test_segment_against_plane_is_a_fraction_of_the_segment(rng):
    cases = {True: 0, False: 0}
    for _ in range(200):
        plane = random_plane(rng)
        a, b = rng.normal(size=(2, 3)) * 4
        at_a, at_b = value(plane, a), value(plane, b)
        fraction = at_a / (at_a - at_b)
        meets = 0 <= fraction <= 1
        cases[meets] += 1
        expected = pytest.approx(float(fraction), rel=1e-9, abs=1e-12) if meets else None
        assert plane.intersect_segment(a, b) == expected
    assert min(cases.values()) > 40


@at_every_scale
@pytest.mark.parametrize(
    ("start", "end", "fraction"),
    [
        (0, 4, 0.5),
        (4, 0, 0.5),
        (2, 7, 0.0),
        (7, 2, 1.0),
        (0, 1.9, None),
        (3, 4, None),
        (2, 2, None),
    ],
)
def test_segment_needs_0_to_1(scale, start, end, fraction):
    plane = sc.Plane((1, 0, 0), -2 * scale)
    a, b = (start * scale, scale, 0), (end * scale, 0, scale)
    assert plane.intersect_segment(a, b) == fraction


def test_a_segment_that_lies_in_the_plane_has_no_one_answer():
    assert sc.Plane((0, 0, 1), -1).intersect_segment((0, 0, 1), (5, 5, 1)) is None


@at_every_scale
def test_points_on_a_line_span_no_plane(rng, scale):
    a, u = rng.normal(size=(2, 3)) * scale
    for b, c in ((a, a + u), (a + u, a), (a + u, a + u), (a, a)):
        with pytest.raises(errors.DegenerateError, match="lie on a line"):
            sc.Plane.from_points(a, b, c)
    line = np.outer([1, 2, 5], [scale, 2 * scale, 4 * scale])
    with pytest.raises(errors.DegenerateError, match="lie on a line"):
        sc.Plane.from_points(*line)


@at_every_scale
def test_a_thin_but_sound_triangle_spans_a_plane(scale):
    plane = sc.Plane.from_points((0, 0, 0), (scale, 0, 0), (scale / 2, 1e-9 * scale, 0))
    assert plane.normal.tolist() == [0, 0, 1]


def test_a_plane_keeps_its_normal_when_the_array_it_was_made_of_changes():
    normal = np.array([0.0, 0, 1])
    plane = sc.Plane(normal, 0)
    normal[:] = 5
    assert plane.normal.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        plane.normal[0] = 1


@pytest.mark.parametrize(
    ("normal", "offset", "error", "words"),
    [
        ((0, 0, 0), 1, errors.DirectionError, "normal"),
        ((0, np.nan, 0), 1, errors.DirectionError, "normal"),
        ((0, 1), 1, errors.ShapeError, "normal"),
        ((0, 0, 1), np.nan, errors.NonFiniteError, "offset"),
        ((0, 0, 1), (1, 2), errors.ShapeError, "offset"),
        ((0, 0, 1), "x", errors.DtypeError, "offset"),
    ],
)
def test_a_bad_plane_is_refused_with_its_reason(normal, offset, error, words):
    with pytest.raises(error, match=words):
        sc.Plane(normal, offset)


def test_line_against_plane_meets_a_plane_of_a_rotated_triangle(rng):
    turn = meshes.rotation(rng)
    a, b, c = (turn @ p for p in ([0, 0, 2], [1, 0, 2], [0, 1, 2]))
    plane = sc.Plane.from_points(a, b, c)
    assert plane.intersect_ray(sc.Ray((0, 0, 0), turn @ [0, 0, 1])) == pytest.approx(2, rel=1e-14)


def test_line_against_plane_is_met_behind_the_origin_too(rng):
    behind = 0
    for _ in range(200):
        plane = random_plane(rng)
        ray = sc.Ray(rng.normal(size=3) * 4, rng.normal(size=3))
        slope = oracle.dot(oracle.exact(plane.normal), oracle.exact(ray.direction))
        t = float(-value(plane, ray.origin) / slope)
        tolerance = 1e-14 / abs(float(slope))
        assert plane.intersect_line(ray) == pytest.approx(t, rel=1e-12, abs=tolerance)
        assert plane.intersect_ray(ray) == (plane.intersect_line(ray) if t > 0 else None)
        behind += t < 0
    assert 50 < behind < 150
    assert sc.Plane((0, 0, 1), -2).intersect_line(sc.Ray((0, 0, 5), (1, 0, 0))) is None


@pytest.mark.parametrize("far", [1e300, 1e307, 1e308, 1.7e308])
@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 1, 1), (-3, 2, 5)])
def test_a_segment_from_end_to_end_of_float64_met_a_plane_at_0(far, normal):
    plane = sc.Plane(normal, 0)
    end = np.sign(normal) * far
    assert plane.intersect_segment(end, -end) == 0.5
    assert plane.intersect_segment(-end, end / 2) == pytest.approx(2 / 3, rel=1e-15)
    assert plane.intersect_segment(end, end / 2) is None
    assert plane.side(end) == 1
    n = oracle.exact(plane.normal)
    inward = sc.Ray(end, -end)
    exact = oracle.dot(n, oracle.exact(end)) / -oracle.dot(n, oracle.exact(inward.direction))
    met = plane.intersect_ray(inward)
    assert met is None if exact > 1.79e308 else met == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("far", [1e308, 1.7e308])
def test_planes_through_points_at_the_end_of_float64(far):
    plane = sc.Plane.from_points((far, 0, 0), (0, far, 0), (-far, 0, 0))
    assert plane.normal.tolist() == [0, 0, 1]
    turned = sc.Plane.from_points((far, 0, 0), (-far, 0, far), (-far, 0, -far))
    assert abs(turned.normal).tolist() == [0, 1, 0]
    tilted = sc.Plane((1, 1, -1), 0)
    assert np.isfinite(tilted.signed_distance((far, far, far)))
