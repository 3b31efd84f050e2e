# SPDX-License-Identifier: MIT
"""Regions: no triangle that reaches into one is left out, by a scan, by a tree or in a scene."""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.near_pixel import AroundPixel
from standalone_core.region import codes_in

from . import meshes
from .polygon_meshes import Owner, random_polygons


def random_region(rng, size=0.2):
    """A box of any direction, open on one side."""
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    middle = rng.uniform(-1, 1, 3)
    planes = [
        np.append(sign * axis, size * rng.uniform(0, 1) - sign * axis @ middle)
        for axis in axes
        for sign in (1, -1)
    ]
    return np.array(planes[:5])


def is_inside(planes, point):
    """Whether a point is in the region, without any rounding."""
    numbers = [Fraction(float(part)) for part in point] + [Fraction(1)]
    return all(
        sum(Fraction(float(a)) * b for a, b in zip(plane, numbers, strict=True)) >= 0
        for plane in planes
    )


def reaching(planes, corners):
    """Triangles (mask) of which one of many places is in the region: surely not left out."""
    weights = np.array([(i, j, 8 - i - j) for i in range(9) for j in range(9 - i)]) / 8
    # Nothing of a triangle whose corners are all behind the same plane is in the region.
    behind = (corners @ planes[:, :3].T + planes[:, 3] < 0.0).all(axis=1).any(axis=1)
    rest = np.flatnonzero(~behind)
    places = weights @ corners[rest]
    sides = places @ planes[:, :3].T + planes[:, 3]
    mask = np.zeros(len(corners), dtype=bool)
    mask[rest] = (sides >= 1e-12).all(axis=-1).any(axis=-1)
    return mask


def beyond_one_plane(planes, corners):
    """Triangles (mask) that lie clearly outside of one of the planes."""
    return ((corners @ planes[:, :3].T + planes[:, 3]) < -1e-9).all(axis=1).any(axis=1)


@pytest.fixture
def soup(rng):
    corners = rng.uniform(-1, 1, (3000, 1, 3)) + rng.uniform(-0.1, 0.1, (3000, 3, 3))
    corners[::50, 1] = np.nan
    corners[7, 0] = np.inf
    return corners


@pytest.mark.parametrize("built", [False, True])
def test_a_mesh_names_all_triangles_that_reach_into_a_region(rng, engine, soup, built):
    mesh = sc.Mesh(
        soup.reshape(-1, 3), np.arange(9000).reshape(-1, 3), engine=engine, building="never"
    )
    if built:
        mesh.build()
    some = 0
    for _ in range(60):
        planes = random_region(rng, rng.choice([0.0, 0.05, 0.5]))
        found = mesh.triangles_in(sc.Region.of(planes))
        named = np.zeros(3000, dtype=bool)
        named[found.triangle] = True
        assert (np.diff(found.triangle) > 0).all()
        np.testing.assert_array_equal(found.corners, soup[found.triangle])
        np.testing.assert_array_equal(found.face, found.triangle)
        finite = np.isfinite(soup).all(axis=(1, 2))
        with np.errstate(invalid="ignore"):
            assert not (reaching(planes, soup) & finite & ~named).any()
            assert not (named & beyond_one_plane(planes, soup)).any()
        assert finite[named].all()
        some += named.sum()
    assert some > 100


def test_what_touches_a_region_in_a_single_point_is_named(rng):
    """Corners that are on two planes exactly, far away from the origin too."""
    for scale, offset in ((1.0, 0.0), (2.0**-10, 2.0**14), (2.0**17, 2.0**24)):
        for _ in range(60):
            normals = rng.integers(-999, 1000, (2, 3))
            corner = rng.integers(-(2**12), 2**12, 3) * (scale / 2**12) + offset
            planes = np.column_stack([normals, -normals @ corner])
            assert is_inside(planes, corner)
            others = corner - normals.sum(axis=0) * scale * [[1.0], [2.0]] + [[0, 0, 0], [0, 0, 1]]
            mesh = sc.Mesh([corner, *others], [[0, 1, 2]], building="never")
            for _ in range(2):
                assert len(mesh.triangles_in(sc.Region.of(planes))) == 1
                mesh.build()


def test_what_is_inside_by_less_than_the_rounding_is_named(rng):
    """A corner is on the plane but for what float64 rounds, or before it by that."""
    for side in np.repeat([0.0, 1e3, -1e3], 60):
        normal, corner = rng.normal(size=(2, 3))
        corner += side
        if side:  # the plane goes past the origin, where its own numbers are small
            normal -= normal @ corner / (corner @ corner) * corner
        value = sum(Fraction(a) * Fraction(b) for a, b in zip(normal, corner, strict=True))
        plane = np.append(normal, np.nextafter(-float(value), np.inf))
        assert is_inside([plane], corner)
        others = corner - normal * [[1.0], [2.0]] + [[0, 0, 0], [0, 0, 1e-3]]
        mesh = sc.Mesh([corner, *others], [[0, 1, 2]], building="never")
        for _ in range(2):
            assert len(mesh.triangles_in(sc.Region.of([plane]))) == 1
            mesh.build()


def test_polygons_name_the_same_before_and_after_a_build(rng):
    vertices, corners, sizes = random_polygons(rng, 400)
    owner = Owner(sizes)
    polygons = sc.PolygonMesh(vertices, corners, sizes, owner, building="never")
    plain = polygons.as_mesh()
    plain.build()
    for built in (False, True):
        for _ in range(20):
            region = sc.Region.of(random_region(rng))
            expected, found = plain.triangles_in(region), polygons.triangles_in(region)
            for name in ("triangle", "face", "corners"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert polygons.built == built
        polygons.build()


def test_only_polygons_that_may_reach_into_a_region_are_split(rng):
    vertices, corners, sizes = random_polygons(rng, 400, sizes=(5,))
    owner = Owner(sizes)
    polygons = sc.PolygonMesh(vertices, corners, sizes, owner, building="never")
    polygons.triangles_in(sc.Region.of(random_region(rng)))
    assert sum(map(len, owner.asked)) < 100


def test_scans_of_regions_lead_to_a_tree(rng):
    mesh = sc.Mesh(*meshes.torus(60, 40))
    for _ in range(200):
        mesh.triangles_in(sc.Region.of(random_region(rng)))
    assert mesh.tree is not None


def test_a_scene_names_the_triangles_of_all_instances(rng, engine):
    mesh = sc.Mesh(*meshes.icosphere(2), engine=engine)
    scene = sc.Scene()
    corners = []
    for _ in range(150):
        matrix = np.eye(4)
        matrix[:3, :3] = rng.normal(0, 0.15, (3, 3))
        matrix[:3, 3] = rng.uniform(-1, 1, 3)
        scene.add(mesh, matrix)
        corners.append(mesh.vertices[mesh.triangles] @ matrix[:3, :3].T + matrix[:3, 3])
    corners = np.array(corners)
    for _ in range(20):
        planes = random_region(rng)
        excluded = rng.choice(150, 20, replace=False).tolist()
        found = scene.triangles_in(sc.Region.of(planes), excluded)
        named = np.zeros(corners.shape[:2], dtype=bool)
        named[found.instance, found.triangle] = True
        assert not named[excluded].any()
        assert found.corners == pytest.approx(corners[found.instance, found.triangle], abs=1e-12)
        flat = corners.reshape(-1, 3, 3)
        should = reaching(planes, flat).reshape(named.shape)
        should[excluded] = False
        assert not (should & ~named).any()
        assert not (named.ravel() & beyond_one_plane(planes, flat)).any()


def test_a_scene_without_anything_names_nothing():
    region = sc.Region.of([[0, 0, 1, 0]])
    scene = sc.Scene()
    assert len(scene.triangles_in(region)) == 0
    scene.add(sc.Mesh(np.empty((0, 3)), np.empty((0, 3), int)))
    assert len(scene.triangles_in(region)) == 0


@pytest.mark.parametrize("planes", [[1, 2, 3, 4], [[1, 2, 3]], [[np.nan] * 4], np.ones((17, 4))])
def test_planes_that_are_none_are_refused(planes):
    with pytest.raises(sc.RaypickError, match="plane"):
        sc.Region.of(planes)


def test_what_is_only_cast_at_need_not_know_regions():
    class Rays(sc.Placeable):
        bounds, revision, engine = (np.zeros(3), np.ones(3)), 0, "auto"
        _cast = _cast_many = None

    with pytest.raises(NotImplementedError, match="Rays"):
        Rays().triangles_in(sc.Region.of([[0, 0, 1, 0]]))


PERSPECTIVE = [[1.2, 0, 0.1, 0], [0, 1.7, -0.2, 0], [0, 0, -1.01, -0.2], [0, 0, -1, 0]]
ORTHOGRAPHIC = [[0.3, 0, 0, 0.1], [0, 0.4, 0, 0], [0, 0, -0.01, 0], [0, 0, 0, 1]]


@pytest.fixture(params=[PERSPECTIVE, ORTHOGRAPHIC], ids=["perspective", "orthographic"])
def camera(request, rng):
    view = np.eye(4)
    view[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    view[:3, 3] = rng.normal(size=3)
    return sc.Camera(view, request.param, 640, 400)


def test_offsets_are_how_far_beside_a_position_points_are_projected(rng, camera):
    around = AroundPixel(camera, 200, 130)
    points = rng.normal(0, 3, (400, 3))
    qx, qy, w = around.offsets(points).T
    x, y, _ = camera.project(points)
    assert qx / w == pytest.approx(x - 200, rel=1e-9, abs=1e-9)
    assert qy / w == pytest.approx(y - 130, rel=1e-9, abs=1e-9)
    np.testing.assert_array_equal(w > 0, camera.is_in_front(points))


def test_the_region_around_a_pixel_is_what_is_seen_in_a_square_of_it(rng, camera):
    around = AroundPixel(camera, 200, 130)
    region = around.region(50.0)
    points = rng.normal(0, 3, (40000, 3))
    x, y, _ = camera.project(points)
    seen = np.maximum(np.abs(x - 200), np.abs(y - 130)) - 50.0
    clear = np.abs(seen) > 1e-6
    inside = codes_in(region, points, 20.0) == 0
    np.testing.assert_array_equal(
        (seen < 0)[clear] & camera.is_in_front(points)[clear], inside[clear]
    )
    assert inside.sum() > 20


def test_what_is_no_region_is_refused_by_name():
    mesh = sc.Mesh(*meshes.cube())
    scene = sc.Scene()
    scene.add(mesh)
    polygons = sc.PolygonMesh(np.eye(3), [0, 1, 2], [3])
    for asked in (mesh, scene, polygons):
        for junk in (None, "x", [[0, 0, 1, 0]]):
            with pytest.raises(errors.DtypeError, match="region must be a Region"):
                asked.triangles_in(junk)


def test_regions_have_16_planes_at_most_together():
    ten = sc.Region.of(np.ones((10, 4)))
    assert len(ten.cut(sc.Region.of(np.ones((6, 4)))).planes) == 16
    with pytest.raises(errors.ArgumentError, match="16 planes at most, not 20"):
        ten.cut(ten)
    with pytest.raises(errors.ArgumentError, match="16 planes at most, not 17"):
        sc.Region.of(np.ones((17, 4)))
    with pytest.raises(errors.DtypeError, match="other must be a Region"):
        ten.cut(ten.planes)


@pytest.mark.parametrize(
    ("matrix", "error"),
    [
        ("x", errors.DtypeError),
        (np.eye(3), errors.ShapeError),
        (np.inf * np.ones((4, 4)), errors.NonFiniteError),
    ],
)
def test_a_region_is_moved_by_a_matrix_only(matrix, error):
    with pytest.raises(error, match="matrix"):
        sc.Region.of([[0, 0, 1, 0]]).moved(matrix)
