# SPDX-License-Identifier: GPL-3.0-or-later
"""How near a bounding sphere is to the smallest one, which rational arithmetic finds."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .scales import at_every_scale


def roots(sphere, ray):
    """Roots of t^2 + B t + C, B = 2 u.v, C = v.v - r^2, v = origin - centre; None for no root."""
    u = oracle.exact(ray.direction)
    v = oracle.sub(oracle.exact(ray.origin), oracle.exact(sphere.center))
    a, b = oracle.dot(u, u), 2 * oracle.dot(u, v)
    c = oracle.dot(v, v) - oracle.exact(sphere.radius) ** 2
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return None
    reach = oracle.root(discriminant)
    return (-b - reach) / (2 * a), (-b + reach) / (2 * a)


def named_case(found):
    if found is None:
        return "miss"
    if found[1] < 0:
        return "behind"
    return "inside" if found[0] < 0 else "outside"


def test_bounding_sphere_discriminant_gives_both_roots(rng):
    seen = set()
    for _ in range(300):
        sphere = sc.Sphere(rng.normal(size=3), float(rng.uniform(0.1, 2)))
        ray = sc.Ray(rng.normal(size=3) * 2, rng.normal(size=3))
        exact = roots(sphere, ray)
        expected = named_case(exact)
        seen.add(expected)
        assert sphere.case(ray) == expected
        found = sphere.intersect_ray(ray)
        if expected in ("miss", "behind"):
            assert found is None
        else:
            near_tangent = float(exact[1] - exact[0])
            tolerance = 1e-14 * max(1, 1 / near_tangent)
            assert found == pytest.approx(oracle.approximate(exact), rel=1e-13, abs=tolerance)
    assert seen == {"miss", "behind", "inside", "outside"}


@at_every_scale
@pytest.mark.parametrize(
    ("origin", "case", "answer"),
    [
        ((0, 0, -5), "outside", (3, 7)),
        ((0, 0, 0), "inside", (-2, 2)),
        ((0, 0, 1), "inside", (-3, 1)),
        ((0, 0, 5), "behind", None),
        ((2, 0, -5), "tangent", (5, 5)),
        ((0, -2, -5), "tangent", (5, 5)),
        ((2, 0, 5), "behind", None),
        ((2.001, 0, -5), "miss", None),
        ((3, 0, 5), "miss", None),
    ],
)
def test_bounding_sphere_outside_inside_behind_tangent(scale, origin, case, answer):
    sphere = sc.Sphere((0, 0, 0), 2 * scale)
    ray = sc.Ray(np.array(origin) * scale, (0, 0, 1))
    assert sphere.case(ray) == case
    found = sphere.intersect_ray(ray)
    assert found == (None if answer is None else pytest.approx(np.array(answer) * scale, rel=1e-14))


@at_every_scale
def test_tangent_roots_are_equal(scale):
    t0, t1 = sc.Sphere((0, 0, 0), scale).intersect_ray(sc.Ray((scale, -3 * scale, 0), (0, 1, 0)))
    assert t0 == t1


def test_a_ray_through_a_diagonal_direction_can_be_tangent():
    ray = sc.Ray((-3, -3, 1), (1, 1, 0))
    assert sc.Sphere((0, 0, 0), 1).case(ray) == "tangent"


def test_a_touch_is_one_up_to_rounding_from_every_direction(rng):
    for _ in range(100):
        across, along, _ = meshes.rotation(rng)
        ray = sc.Ray(across - 3 * along, along)
        t0, t1 = sc.Sphere((0, 0, 0), 1).intersect_ray(ray)
        assert t0 == t1 == pytest.approx(3, rel=1e-14)
        assert sc.Sphere((0, 0, 0), 1).case(ray) == "tangent"
        assert sc.Sphere((0, 0, 0), 1 + 1e-12).case(ray) == "outside"
        assert sc.Sphere((0, 0, 0), 1 - 1e-12).case(ray) == "miss"


def test_a_small_sphere_far_away_is_met_to_full_precision(rng):
    for _ in range(50):
        center = rng.normal(size=3)
        center *= 1e6 / np.linalg.norm(center)
        aside = np.cross(center, rng.normal(size=3))
        aside *= 5e-4 / np.linalg.norm(aside)
        sphere, ray = sc.Sphere(center, 1e-3), sc.Ray((0, 0, 0), center + aside)
        t0, t1 = sphere.intersect_ray(ray)
        expected = oracle.approximate(roots(sphere, ray))
        assert (t0, t1) == pytest.approx(expected, rel=1e-15, abs=3e-10)
        assert t1 - t0 == pytest.approx(expected[1] - expected[0], rel=1e-5)


def test_a_sphere_of_radius_0_is_a_point_that_is_touched():
    sphere = sc.Sphere((1, 2, 3), 0)
    assert sphere.intersect_ray(sc.Ray((1, 2, 0), (0, 0, 1))) == (3, 3)
    assert sphere.intersect_ray(sc.Ray((1, 2.1, 0), (0, 0, 1))) is None


@at_every_scale
@pytest.mark.parametrize("offset", [0, 1e6, -1e6])
def test_bounding_sphere_holds_every_point_and_is_near_the_smallest(rng, scale, offset):
    for count in (1, 2, 3, 50):
        points = (rng.normal(size=(count, 3)) + offset) * scale
        sphere = sc.Sphere.bounding(points)
        center, square = oracle.exact(sphere.center), oracle.exact(sphere.radius) ** 2
        ways = [oracle.sub(oracle.exact(p), center) for p in points]
        assert all(oracle.dot(way, way) <= square for way in ways)
        widest = max(np.linalg.norm((p - q) / scale) for p in points for q in points)
        smallest_at_most = widest / math.sqrt(3)
        assert sphere.radius / scale <= smallest_at_most * 1.15 + 1e-14 * (1 + abs(offset))


def test_bounding_sphere_of_a_cube_is_close_to_its_half_diagonal():
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    sphere = sc.Sphere.bounding(corners)
    assert sphere.radius == pytest.approx(math.sqrt(3) / 2, rel=0.02)


def test_bounding_sphere_leaves_out_points_that_are_not_finite():
    points = [(0, 0, 0), (np.nan, 0, 0), (2, 0, 0), (0, np.inf, 0)]
    sphere = sc.Sphere.bounding(points)
    np.testing.assert_allclose(sphere.center, [1, 0, 0], atol=1e-14)
    assert sphere.radius == pytest.approx(1)


@pytest.mark.parametrize("points", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_nothing_cannot_be_bounded(points):
    with pytest.raises(errors.ArgumentError, match="no finite point"):
        sc.Sphere.bounding(points)


@pytest.mark.parametrize(
    ("center", "radius", "error", "words"),
    [
        ((0, 0, 0), -1, errors.ArgumentError, "radius must be 0 or more, not -1"),
        ((0, 0, 0), np.nan, errors.ArgumentError, "radius"),
        ((0, 0, 0), np.inf, errors.NonFiniteError, "radius is not finite"),
        ((0, 0, np.inf), 1, errors.NonFiniteError, "center is not finite at index 2"),
        ((0, 0), 1, errors.ShapeError, "center must have shape"),
        ((0, 0, 0), [1, 2], errors.ShapeError, "radius must be a single number"),
    ],
)
def test_a_bad_sphere_is_refused_with_its_reason(center, radius, error, words):
    with pytest.raises(error, match=words):
        sc.Sphere(center, radius)


def test_a_bounding_sphere_is_a_cheap_first_test_that_loses_nothing(rng):
    vertices, triangles = meshes.torus(12, 8)
    mesh, sphere, box = (
        sc.Mesh(vertices, triangles),
        sc.Sphere.bounding(vertices),
        sc.Box.bounding(vertices),
    )
    passed = 0
    for _ in range(300):
        origin = rng.normal(size=3) * 4
        ray = sc.Ray(origin, rng.normal(size=3) * 1.5 - origin)
        if mesh.ray_cast(ray.origin, ray.direction):
            passed += 1
            assert sphere.intersect_ray(ray) is not None
            assert box.intersect_ray(ray) is not None
    assert 30 < passed < 280


def circumcenter(points):
    """The point nearest to some that is equally far from all, or None: Gram's equations."""
    edges = [oracle.sub(p, points[0]) for p in points[1:]]
    gram = tuple(tuple(oracle.dot(e, f) for f in edges) for e in edges)
    try:
        inverse = oracle.inverse(gram)
    except StopIteration:
        return None
    weights = oracle.apply(inverse, tuple(oracle.dot(e, e) / 2 for e in edges))
    center = points[0]
    for weight, edge in zip(weights, edges, strict=True):
        center = oracle.add(center, oracle.scaled(edge, weight))
    return center


def least_radius(points):
    """The radius of the smallest sphere, which two to four of the points have on them."""
    exact = sorted(set(oracle.exact(points)))
    if len(exact) == 1:
        return Fraction(0)
    best = None
    for size in (2, 3, 4):
        for chosen in combinations(exact, size):
            center = circumcenter(chosen)
            if center is None:
                continue
            way = oracle.sub(chosen[0], center)
            square = oracle.dot(way, way)
            if best is not None and square >= best:
                continue
            ways = (oracle.sub(p, center) for p in exact)
            if all(oracle.dot(w, w) <= square for w in ways):
                best = square
    return oracle.root(best)


def excess(points):
    sphere = sc.Sphere.bounding(points)
    assert sphere.contains(points).all()
    center, square = oracle.exact(sphere.center), oracle.exact(sphere.radius) ** 2
    for p in oracle.exact(points):
        way = oracle.sub(p, center)
        assert oracle.dot(way, way) <= square
    least = least_radius(points)
    return float(oracle.exact(sphere.radius) / least - 1) if least else sphere.radius


@at_every_scale
def test_the_bounding_sphere_is_the_smallest_of_random_points(rng, scale):
    worst = max(excess(rng.normal(size=(count, 3)) * scale) for count in [*range(2, 9)] * 3)
    assert worst < 1e-13


def test_the_bounding_sphere_is_the_smallest_of_points_on_a_sphere(rng):
    worst = max(excess(meshes.directions(rng, 8)) for _ in range(15))
    assert worst < 1e-13


TETRAHEDRON = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]


@pytest.mark.parametrize(
    "points",
    [
        TETRAHEDRON,
        CUBE,
        [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)],
        [(0, 0, 0)] * 5,
        [(0, 0, 0), (1, 0, 0), (1, 0, 0), (0, 0, 0)],
        [(0, 0, 0), (1, 0, 0), (0.5, 1e-9, 0), (0.5, -1e-9, 1e-9)],
        [(0, 0, 0), (1, 0, 0), (0.5, 3**0.5 / 2, 0), (0.5, 3**0.5 / 6, 1e-8)],
        [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0.6, 0.8, 0), (0, 0, 1e-12)],
        [(1, 2, 3)],
    ],
)
def test_the_bounding_sphere_is_the_smallest_of_adversarial_points(rng, points):
    points = np.array(points, dtype=float)
    assert excess(points) < 1e-13 + 1e-14 * np.abs(points).max()
    turned = points @ meshes.rotation(rng).T
    assert excess(turned) < 1e-13 + 1e-14 * np.abs(points).max()


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9])
def test_far_from_the_origin_the_radius_grows_by_a_rounding_of_the_coordinates(rng, offset):
    points = rng.normal(size=(7, 3)) + offset
    assert excess(points) < 1e-14 * offset


def test_the_bounding_sphere_of_a_mesh_is_that_of_a_few_of_its_vertices(rng):
    vertices, triangles = meshes.torus(24, 12)
    vertices = vertices * (1, 0.7, 1.3) + 0.01 * rng.normal(size=vertices.shape)
    mesh = sc.Mesh(vertices, triangles)
    sphere = mesh.bounding_sphere
    far = np.linalg.norm(vertices - sphere.center, axis=1) > sphere.radius * (1 - 1e-9)
    assert 2 <= far.sum() <= 8
    assert float(least_radius(vertices[far])) == pytest.approx(sphere.radius, rel=1e-13)


def test_meshes_know_their_bounding_box_and_sphere(rng):
    vertices, triangles = meshes.icosphere(1)
    vertices = vertices * (1, 2, 3)
    mesh = sc.Mesh(vertices, triangles)
    polygons = sc.PolygonMesh(vertices, np.ravel(triangles), 3)
    for shape in (mesh, polygons):
        assert shape.bounding_box.lower.tolist() == vertices.min(axis=0).tolist()
        assert shape.bounding_box.upper.tolist() == vertices.max(axis=0).tolist()
        assert shape.bounding_sphere.contains(vertices).all()
    mesh.refit(vertices * 2)
    assert mesh.bounding_box.upper.tolist() == (2 * vertices.max(axis=0)).tolist()
    assert mesh.bounding_sphere.radius == pytest.approx(2 * polygons.bounding_sphere.radius)


@pytest.mark.parametrize("name", ["bounding_box", "bounding_sphere"])
def test_a_mesh_without_finite_vertices_has_nothing_to_bound(name):
    for vertices in ([], [(np.nan, 0, 0)] * 3):
        mesh = sc.Mesh(np.reshape(vertices, (-1, 3)), [])
        with pytest.raises(errors.ArgumentError, match="no finite"):
            getattr(mesh, name)


def test_points_at_the_end_of_float64_have_a_bounding_sphere_or_an_error():
    sphere = sc.Sphere.bounding([(1e308, 0, 0), (-1e308, 0, 0)])
    assert sphere.radius == pytest.approx(1e308)
    assert sphere.contains([(1e308, 0, 0), (0, 1e307, 0), (1.7e308, 0, 0)]).tolist() == [1, 1, 0]
    with pytest.raises(errors.NonFiniteError, match="radius is not finite"):
        sc.Sphere.bounding([(1.7e308,) * 3, (-1.7e308,) * 3])
    ray = sc.Ray((-1.7e308, 0, 0), (1, 0, 0))
    assert sphere.intersect_ray(ray) == pytest.approx((0.7e308, np.inf), rel=1e-14)


def test_distance_to_a_sphere_is_signed_and_contains_is_where_it_is_not_above_0(rng):
    sphere = sc.Sphere((1, 2, 3), 2)
    points = rng.normal(size=(4, 5, 3)) * 3
    exact = [
        [float(oracle.length(oracle.sub(p, oracle.exact(sphere.center))) - 2) for p in row]
        for row in oracle.exact(points)
    ]
    np.testing.assert_allclose(sphere.distance(points), exact, atol=1e-15)
    assert sphere.contains(points).tolist() == [[d <= 0 for d in row] for row in exact]
    assert sphere.distance((1, 2, 3)) == -2
    assert sphere.contains((1, 2, 5)) is True
    assert sphere.contains((1, 2, 5 + 1e-12)) is False
    assert sphere.distance((1, 2, np.inf)) == np.inf
    assert not sphere.contains([(np.nan, 2, 3), (-np.inf, 2, 3), (np.inf, np.inf, 3)]).any()
    with pytest.raises(errors.ShapeError, match="points must have shape"):
        sphere.contains((1, 2))


def test_a_box_contains_its_faces_and_nothing_beyond(rng):
    box = sc.Box((-1, 0, 2), (1, np.inf, 2))
    points = [(1, 5, 2), (1, 5, np.nextafter(2, 3)), (-1, 0, 2), (-1, -5e-324, 2), (np.nan, 1, 2)]
    assert box.contains(points).tolist() == [True, False, True, False, False]
    assert box.contains((0, 1e300, 2)) is True
    assert box.contains(np.zeros((2, 7, 3))).shape == (2, 7)
    with pytest.raises(errors.ShapeError, match="points must have shape"):
        box.contains(3)
