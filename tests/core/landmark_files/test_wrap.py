# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrap's points on triangles, whose triangles are fans of polygons."""

import json
from fractions import Fraction

import numpy as np
import pytest

from .model import HEAD, Mark, MarkFileError, fans, files, marks_of, random_marks, written


def fan_by_hand(sizes):
    """All fan triangles in order, as (face, three corners)."""
    return [(face, (0, i, i + 1)) for face, size in enumerate(sizes) for i in range(1, size - 1)]


def random_sizes(rng):
    return rng.choice([3, 4, 5, 6, 9], rng.integers(1, 40)).tolist()


def distance_to_triangle(point, a, b, c, steps=60):
    """By brute force: the smallest distance to a grid of places on a triangle, an upper bound."""
    u, v = (grid.ravel() / steps for grid in np.mgrid[: steps + 1, : steps + 1])
    inside = u + v <= 1
    places = u[inside, None] * a + v[inside, None] * b + (1 - u - v)[inside, None] * c
    return np.linalg.norm(places - point, axis=1).min()


def test_named_points_are_read_by_the_formula_of_the_manual():
    corners = np.array([[1.0, 2, 3], [4, 5, 7], [-1, 0, 2]])
    (mark,) = marks_of(b'{"Point01": [12, 0.25, 0.625]}', "wrap")
    u, v = 0.25, 0.625
    expected = corners[0] * u + corners[1] * v + corners[2] * (1 - u - v)
    assert (mark.name, mark.triangle) == ("Point01", 12)
    assert np.array_equal(np.array(mark.barycentric) @ corners, expected)


def test_a_list_of_points_has_no_names():
    marks = marks_of(b"[[0, 1, 0], [3, 0.5, 0.5]]", "wrap")
    assert [(mark.name, mark.triangle) for mark in marks] == [("", 0), ("", 3)]
    assert marks[1].barycentric == (0.5, 0.5, 0.0)


@pytest.mark.parametrize("layout", ["named", "list"])
def test_what_is_written_are_triangle_u_and_v(layout, rng):
    marks = random_marks(rng, 50)
    value = json.loads(written("wrap", marks, layout))
    expected = [[mark.triangle, *mark.barycentric[:2]] for mark in marks]
    assert (list(value.values()) if layout == "named" else value) == expected
    after = marks_of(written("wrap", marks, layout), "wrap")
    assert [mark.triangle for mark in after] == [mark.triangle for mark in marks]
    assert [mark.barycentric[:2] for mark in after] == [mark.barycentric[:2] for mark in marks]


def test_names_that_are_missing_are_numbered_and_none_comes_twice():
    marks = [Mark("", None, n, None, (1.0, 0.0, 0.0)) for n in range(2)]
    assert list(json.loads(written("wrap", marks))) == ["Point01", "Point02"]
    with pytest.raises(MarkFileError, match="two landmarks are called 'nasion'"):
        written("wrap", [HEAD[0], HEAD[0]])
    with pytest.raises(MarkFileError, match="missing, as 'a'"):
        written("wrap", [Mark("a", (0.0, 0.0, 0.0))])


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"7", "neither a list of points nor"),
        (b'{"a": [1, 0.5]}', r"point 'a' is not \[triangle, u, v\]"),
        (b"[[1, 0.5, 0.75]]", "point 1: .* add up to 1"),
        (b"[[1.5, 0.5, 0.25]]", "1.5 is no index"),
        (b'[[1, 0.5, "x"]]', "'x' is no number"),
        (b"[[1, 0.5, NaN]]", "NaN in it"),
    ],
)
def test_faults_are_named(data, fault):
    with pytest.raises(MarkFileError, match=fault):
        files.read(data, "wrap")


def test_fans_are_numbered_one_polygon_after_the_other(rng):
    for _ in range(50):
        sizes = random_sizes(rng)
        found = [
            (face, tuple(corners))
            for face, size in enumerate(sizes)
            for corners in fans.fan_corners(size).tolist()
        ]
        assert found == fan_by_hand(sizes)


@pytest.mark.parametrize("part", ["corner", "point"])
def test_a_place_that_is_not_finite_is_refused(part):
    corners, point = np.eye(3), np.zeros(3)
    (corners[1] if part == "corner" else point)[0] = np.nan
    with pytest.raises(MarkFileError, match="not finite"):
        fans.place_in_fan(corners, point)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e200])
def test_a_place_in_a_flat_polygon_stays_where_it_is(scale, rng):
    for _ in range(200):
        count = int(rng.integers(3, 9))
        angles = np.sort(rng.uniform(0, 2 * np.pi, count))
        flat = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        corners = (flat @ turn + rng.normal(size=3)) * scale
        point = rng.dirichlet(np.ones(count)) @ corners
        check_place(corners, point, 4e-15 * scale)


def check_place(corners, point, tolerance):
    """That the fan has the point, and its weights give it, no farther off than this."""
    fan, weights, moved = fans.place_in_fan(corners, point)
    triangle = corners[[0, fan + 1, fan + 2]]
    assert moved <= tolerance
    assert min(weights) >= 0
    np.testing.assert_allclose(np.array(weights) @ triangle, point, atol=tolerance, rtol=0)


def test_a_place_in_a_sliver_stays_where_it_is(rng):
    for thin in 10.0 ** -np.arange(13):
        for _ in range(20):
            along, across = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
            corners = np.array([0 * along, along, along / 2 + thin * across]) + rng.normal(size=3)
            check_place(corners, rng.dirichlet(np.ones(3)) @ corners, 4e-15)


def test_a_place_of_blenders_own_triangles_is_honoured_not_its_triangle():
    # A quad that Blender may cut between its second and fourth corner, and Wrap never does.
    corners = np.array([[0.0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]])
    point = np.array([0.5, 0.25, 0.25]) @ corners[[0, 1, 3]]
    fan, (u, v, _), moved = fans.place_in_fan(corners, point)
    a, b, c = corners[[0, fan + 1, fan + 2]]
    u, v = Fraction(u), Fraction(v)
    rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    exact = [u * Fraction(x) + v * Fraction(y) + (1 - u - v) * Fraction(z) for x, y, z in rows]
    assert exact == point.tolist() == [1, 1, 0]
    assert moved == 0


def test_of_a_bent_polygon_the_nearest_triangle_is_taken(rng):
    for _ in range(60):
        corners = rng.normal(size=(int(rng.integers(4, 7)), 3))
        point = rng.normal(size=3)
        fan, weights, moved = fans.place_in_fan(corners, point)
        triangles = [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
        nearest = min(distance_to_triangle(point, *triangle) for triangle in triangles)
        assert moved <= nearest + 1e-12
        place = np.array(weights) @ np.array(triangles[fan])
        assert np.linalg.norm(place - point) == pytest.approx(moved, abs=1e-14)
        assert nearest - moved < 0.1
        assert min(weights) >= 0
        assert sum(weights) == pytest.approx(1, abs=1e-15)


def test_a_corner_and_a_polygon_without_area_have_a_place(rng):
    corners = rng.normal(size=(6, 3))
    for number, corner in enumerate(corners):
        fan, weights, moved = fans.place_in_fan(corners, corner)
        assert moved < 1e-15
        assert (0, fan + 1, fan + 2)[int(np.argmax(weights))] == number
    line = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    fan, weights, moved = fans.place_in_fan(line, np.array([2.5, 1, 0]))
    np.testing.assert_allclose(np.array(weights) @ line[[0, fan + 1, fan + 2]], [2.5, 0, 0])
    assert moved == 1
    assert fans.place_in_fan(np.zeros((5, 3)), np.zeros(3))[2] == 0
