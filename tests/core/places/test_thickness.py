# SPDX-License-Identifier: GPL-3.0-or-later
"""Thickness: along the ray as by fractions, and of spheres that are free and cannot grow."""

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes, oracle
from ..closest.nearest_places import brute_force
from ..exactness import block, noisy, octahedron
from ..peers import peer

EPS = 2.0**-52
BODIES = {
    "noisy sphere": lambda: noisy(2),
    "torus": lambda: meshes.torus(16, 10),
    "terrain": lambda: block(np.random.default_rng(5).integers(-4, 9, (6, 6)) / 8),
}
each_body = pytest.mark.parametrize("body", BODIES)


def drawn(rng, mesh, count):
    weights = rng.dirichlet((1, 1, 1), count)
    return mesh.places(rng.integers(0, len(mesh.triangles), count), weights)


def soup_of(vertices, triangles):
    corners = vertices[triangles].reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


def box(lower, upper):
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))]
    return np.asarray(lower) + corners * np.subtract(upper, lower), np.array(triangles)


def exactly_opposite(origin, direction, vertices, triangles, own):
    """Where a ray first goes through another triangle: t and its row, by fractions; or None."""
    best = None
    for row, corners in enumerate(vertices[triangles]):
        found = None if row == own else oracle.meeting(origin, direction, corners)
        if found and found.t > 0 and (best is None or found.t < best[0]):
            best = found.t, row
    return best


@each_body
def test_a_ray_ends_where_fractions_say(rng, body, engine):
    vertices, triangles = BODIES[body]()
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    places = drawn(rng, mesh, 12)
    found = mesh.thickness(places)
    points, normals = places.points(vertices), places.normals(vertices)
    for row in range(12):
        own = places.triangle[row]
        t, opposite = exactly_opposite(points[row], -normals[row], vertices, triangles, own)
        assert found.triangle[row] == opposite
        size = oracle.length(oracle.exact(normals[row]))
        assert abs(Fraction(found.thickness.item(row)) - t * size) <= 4 * EPS * t
    ends = mesh.places(found.triangle, found.barycentric).points(vertices)
    np.testing.assert_allclose(found.point, ends, rtol=0, atol=8 * EPS)
    np.testing.assert_allclose(found.center, (points + ends) / 2, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("make", [lambda v, t: (v, t), soup_of], ids=["joined", "soup"])
@pytest.mark.parametrize("slip", [0.0, 9.6e-14, -9.6e-14], ids=["on", "beside", "by"])
@pytest.mark.parametrize(
    ("body", "least"),
    [(meshes.icosphere(3), 1.9), (octahedron(1), 0.3)],
    ids=["sphere", "octahedron"],
)
def test_from_edges_and_corners_the_ray_does_not_hit_what_meets_there(rng, make, slip, body, least):
    vertices, triangles = body
    mesh = sc.Mesh(*make(vertices @ meshes.rotation(rng), triangles))
    chosen = np.repeat(np.arange(len(triangles)), 6)
    weights = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.5, 0.5, 0), (0, 0.3, 0.7), (0.9, 0, 0.1)]
    moved = np.array(weights) + slip * np.array((1, 1, -2))
    found = mesh.thickness(mesh.places(chosen, np.tile(moved, (len(triangles), 1))))
    assert found.thickness.min() > least


def test_walls_that_are_thinner_than_any_offset_are_seen():
    for height in (1e-9, 1e-14):
        vertices, triangles = box((0, 0, 0), (1, 1, height))
        mesh = sc.Mesh(vertices, triangles)
        top = [row for row, t in enumerate(triangles) if (vertices[t, 2] == height).all()]
        places = mesh.places(top, [0.5, 0.3, 0.2])
        assert mesh.thickness(places).thickness.tolist() == [height, height]
        spheres = mesh.thickness(places, "sphere").thickness
        np.testing.assert_allclose(spheres, height, rtol=0, atol=1e-14)


def test_where_nothing_is_opposite_thickness_is_infinite(engine):
    flat = sc.Mesh(*meshes.grid(4), engine=engine)
    for method in ("ray", "sphere"):
        found = flat.thickness(drawn(np.random.default_rng(1), flat, 9), method)
        assert np.isinf(found.thickness).all()
        assert (found.triangle == -1).all()
        for column in (found.center, found.point, found.barycentric):
            assert np.isnan(column).all()


def test_a_box_is_as_thick_as_its_height_or_twice_the_way_to_a_wall(rng, engine):
    lower, upper = np.array((-1.0, 2, 3)), np.array((2.0, 7, 5))
    vertices, triangles = box(lower, upper)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    places = drawn(rng, mesh, 400)
    points, normals = places.points(vertices), places.normals(vertices)
    across = (np.abs(normals) * (upper - lower)).sum(axis=1)
    walls = np.where(normals == 0.0, np.minimum(points - lower, upper - points), np.inf).min(axis=1)
    rays, spheres = (mesh.thickness(places, method).thickness for method in ("ray", "sphere"))
    np.testing.assert_allclose(rays, across, rtol=4 * EPS)
    np.testing.assert_allclose(spheres, np.minimum(across, 2 * walls), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("angle", [0.02, 0.5, 1.5, 2.5, 3.1])
def test_in_a_wedge_the_sphere_touches_both_sides(rng, angle):
    """Both sides are squares from the ridge on, so the sphere touches the other one opposite."""
    y = np.array([-0.5, 0.5])
    ridge, floor = (np.column_stack([[x, x], y, [0, 0]]) for x in (0.0, 1.0))
    roof = np.column_stack([[np.cos(angle)] * 2, y, [np.sin(angle)] * 2])
    vertices = np.concatenate([ridge, floor, roof])
    mesh = sc.Mesh(vertices, [[0, 1, 2], [1, 3, 2], [0, 4, 1], [1, 4, 5]])
    places = mesh.places(rng.integers(0, 2, 50), rng.dirichlet((1, 1, 1), 50))
    wanted = 2 * places.points(vertices)[:, 0] * np.tan(angle / 2)
    found = mesh.thickness(places, "sphere")
    np.testing.assert_allclose(found.thickness, wanted, rtol=1e-9, atol=1e-12)
    assert set(found.triangle.tolist()) <= {2, 3}


@each_body
def test_spheres_are_free_and_cannot_grow(rng, body, engine):
    vertices, triangles = BODIES[body]()
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    places = drawn(rng, mesh, 200)
    found = mesh.thickness(places, "sphere")
    radius, points = found.thickness / 2, places.points(vertices)
    normals = places.normals(vertices)
    np.testing.assert_allclose(
        found.center, points - radius[:, None] * normals, rtol=0, atol=16 * EPS
    )
    # Free: no triangle is nearer to the center than the place.
    assert (brute_force(found.center, vertices, triangles).min(axis=1) >= radius - 1e-13).all()
    # Of spheres that touch a place each is inside of the larger ones: one that touches the surface
    # at a second point is the largest.
    ends = mesh.places(found.triangle, found.barycentric).points(vertices)
    np.testing.assert_allclose(found.point, ends, rtol=0, atol=16 * EPS)
    away = np.linalg.norm(ends - found.center, axis=1)
    np.testing.assert_allclose(away, radius, rtol=0, atol=1e-12)
    depth = -((ends - points) * normals).sum(axis=1)
    assert (depth > 0).all()
    assert (found.triangle != places.triangle).all()


def test_far_from_the_origin_spheres_are_as_free_as_coordinates_tell(rng):
    vertices, triangles = noisy(2)
    vertices = vertices + 2.0**20
    mesh = sc.Mesh(vertices, triangles)
    found = mesh.thickness(drawn(rng, mesh, 80), "sphere")
    rounding = 2.0**-46 * vertices.max()
    gaps = brute_force(found.center - 2.0**20, vertices - 2.0**20, triangles).min(axis=1)
    assert (gaps >= found.thickness / 2 - rounding).all()
    away = np.linalg.norm(found.point - found.center, axis=1)
    np.testing.assert_allclose(away, found.thickness / 2, rtol=0, atol=16 * rounding)


@each_body
def test_no_sphere_is_thicker_than_a_ray_is_long(rng, body):
    mesh = sc.Mesh(*BODIES[body]())
    places = drawn(rng, mesh, 300)
    rays, spheres = (mesh.thickness(places, method).thickness for method in ("ray", "sphere"))
    assert (spheres <= rays).all()


def test_a_bowl_has_spheres_where_its_rays_meet_nothing():
    count = 21
    x, y = np.meshgrid(np.linspace(-1, 1, count), np.linspace(-1, 1, count), indexing="ij")
    bowl = np.stack([x, y, (x**2 + y**2) / 8], axis=-1).reshape(-1, 3)
    index = np.arange(count**2).reshape(count, count)
    a, b, c, d = (
        i.ravel() for i in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    )
    down = np.concatenate([np.stack([a, c, b], axis=1), np.stack([a, d, c], axis=1)])
    mesh = sc.Mesh(bowl, down)
    places = mesh.places(range(len(down)), [1 / 3] * 3)
    assert np.isinf(mesh.thickness(places).thickness).all()
    found = mesh.thickness(places, "sphere")
    assert np.isfinite(found.thickness).all()
    gaps = brute_force(found.center, bowl, down).min(axis=1)
    np.testing.assert_allclose(gaps, found.thickness / 2, rtol=1e-12)


def test_on_a_convex_edge_the_sphere_is_a_point_and_on_a_concave_one_not():
    """The edges are those of a prism over an L, whose arms are 1 wide."""
    profile = np.array([(0.0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)])
    low, high = (np.column_stack([profile, np.full(6, z)]) for z in (0.0, 4.0))
    after = (1, 2, 3, 4, 5, 0)
    walls = [half for i, j in enumerate(after) for half in ((i, j, j + 6), (i, j + 6, i + 6))]
    floors = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4)]
    lids = [(a + 6, c + 6, b + 6) for a, b, c in floors]
    mesh = sc.Mesh(np.concatenate([low, high]), [*walls, *floors, *lids])
    assert mesh.is_closed
    convex = mesh.places(walls.index((2, 9, 8)), (0.5, 0, 0.5))
    concave = mesh.places(walls.index((3, 4, 10)), (0.5, 0, 0.5))
    assert mesh.thickness(convex, "sphere").thickness < 1e-12
    assert mesh.thickness(concave, "sphere").thickness == pytest.approx(1.0)


def test_places_that_are_none_have_no_thickness():
    vertices, triangles = box((0, 0, 0), (1, 1, 1))
    flat = np.concatenate([triangles, [[0, 0, 1]]])
    mesh = sc.Mesh(vertices, flat)
    places = mesh.places([[0, -1, 12]], [0.5, 0.25, 0.25])
    for method in ("ray", "sphere"):
        found = mesh.thickness(places, method)
        assert found.shape == (1, 3)
        assert np.isnan(found.thickness).tolist() == [[False, True, True]]
        assert (found.triangle >= 0).tolist() == [[True, False, False]]
        assert not found.thickness.flags.writeable
    assert mesh.thickness(places[0, 0]).shape == ()
    assert len(mesh.thickness(mesh.places([], []), "sphere")) == 0


@each_body
def test_engines_and_threads_and_polygons_measure_alike(rng, body):
    vertices, triangles = BODIES[body]()
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    places = drawn(rng, mesh, 60)
    others = [sc.Mesh(vertices, triangles), sc.PolygonMesh(vertices, triangles.ravel(), 3)]
    for method in ("ray", "sphere"):
        wanted = mesh.thickness(places, method, threads=1)
        for other in others:
            found = other.thickness(places, method, threads=2)
            for field in fields(sc.Thickness):
                np.testing.assert_array_equal(
                    getattr(found, field.name), getattr(wanted, field.name)
                )


def test_scales_make_no_difference(rng):
    vertices, triangles = noisy(2)
    mesh = sc.Mesh(vertices, triangles)
    places = drawn(rng, mesh, 80)
    for method in ("ray", "sphere"):
        wanted = mesh.thickness(places, method).thickness
        for scale in (2.0**-900, 2.0**-300, 2.0**40, 2.0**1020):
            scaled = sc.Mesh(vertices * scale, triangles).thickness(places, method).thickness
            np.testing.assert_array_equal(scaled, wanted * scale)


def test_the_smallest_numbers_of_all_are_measured_too(rng):
    vertices, triangles = meshes.icosphere(1)
    places = drawn(rng, sc.Mesh(vertices, triangles), 20)
    for scale in (2.0**-1000, 2.0**-1040, 2.0**-1070):
        mesh = sc.Mesh(vertices * scale, triangles)
        rays, spheres = (mesh.thickness(places, method).thickness for method in ("ray", "sphere"))
        assert ((spheres >= 0.0) & (spheres <= rays + 5e-324)).all()  # half of an odd one rounds
        assert (rays < 2.2 * scale).all()


def test_places_of_another_mesh_are_refused():
    mesh = sc.Mesh(*box((0, 0, 0), (1, 1, 1)))
    one = sc.Mesh(np.eye(3), [[2, 1, 0]])
    with pytest.raises(errors.ArgumentError, match="places must be of this mesh"):
        one.thickness(mesh.places(3, [1, 0, 0]))
    with pytest.raises(errors.ArgumentError, match="places must be of this mesh"):
        mesh.thickness(one.places(0, [1, 0, 0]))
    with pytest.raises(errors.ArgumentError, match="places must know their triangles"):
        mesh.thickness(sc.Places([0, 1, 3], [1, 0, 0]))
    with pytest.raises(errors.DtypeError, match="places must be a Places, not a list"):
        mesh.thickness([1])
    with pytest.raises(errors.ArgumentError, match='method must be "ray" or "sphere", not 3'):
        mesh.thickness(mesh.places(3, [1, 0, 0]), 3)


@each_body
def test_trimesh_measures_about_the_same(rng, body):
    trimesh = peer("trimesh")
    vertices, triangles = BODIES[body]()
    mesh = sc.Mesh(vertices, triangles)
    places = drawn(rng, mesh, 60)
    points, normals = places.points(vertices), places.normals(vertices)
    theirs = trimesh.Trimesh(vertices, triangles, process=False)
    # Theirs end where less than 1e-5 is inside: never below the largest that is free.
    spheres = trimesh.proximity.thickness(theirs, points, normals=normals, method="max_sphere")
    found = mesh.thickness(places, "sphere").thickness
    assert (found <= spheres + 1e-9).all()
    assert np.median(spheres - found) < 1e-4
    rays = trimesh.proximity.thickness(theirs, points, normals=normals, method="ray")
    same = np.isclose(rays, mesh.thickness(places).thickness, rtol=1e-9)
    assert same.mean() > 0.9  # theirs are the longest rays, not those to the first hit
