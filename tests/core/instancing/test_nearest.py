# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest places of a scene are those of one mesh with all instances moved."""

import math

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.instancing import nearest, placements
from standalone_core.instancing.instance import moved_geometry
from standalone_core.numerics.columns import concatenated

from .. import meshes
from ..meshes import placement, rotation
from ..questions import built

SIMILAR, ANY, LATTICE = "rotations with one scale", "any matrix", "offsets of whole numbers"


def matrices_of(rng, kind, count):
    for _ in range(count):
        linear = rotation(rng) * rng.uniform(0.2, 3)
        if kind == ANY:
            linear = linear @ np.diag(rng.uniform(0.2, 3, 3)) @ rotation(rng)
        elif rng.random() < 0.3:
            linear = linear * (-1, 1, 1) if rng.random() < 0.5 else -linear
        yield placement(linear, rng.normal(size=3) * 4)


def all_moved(shapes, matrices):
    """One mesh of all instances, with the instance of each triangle, and its row there."""
    vertices, triangles, instance, row = [], [], [], []
    for number, ((v, t), matrix) in enumerate(zip(shapes, matrices, strict=True)):
        triangles.append(np.asarray(t) + sum(map(len, vertices)))
        vertices.append(v @ matrix[:3, :3].T + matrix[:3, 3])
        instance.append(np.full(len(t), number))
        row.append(np.arange(len(t)))
    mesh = sc.Mesh(np.concatenate(vertices), np.concatenate(triangles))
    return mesh, np.concatenate(instance), np.concatenate(row)


@pytest.mark.parametrize("kind", [SIMILAR, ANY])
@pytest.mark.parametrize("build", [False, True])
def test_places_are_those_of_one_mesh_of_all_instances(rng, engine, kind, build):
    own = [meshes.icosphere(1), meshes.torus(12, 8), meshes.soup(rng, 30)]
    placed = [sc.Mesh(*shape, engine=engine) for shape in own]
    for mesh in placed if build else ():
        mesh.build()
    matrices = list(matrices_of(rng, kind, 12))
    scene = sc.Scene()
    for number, matrix in enumerate(matrices):
        scene.add(placed[number % 3], matrix)
    whole, instance, row = all_moved([own[i % 3] for i in range(12)], matrices)
    points = rng.normal(size=(300, 3)) * 5
    near, expected = scene.closest_point(points), whole.closest_point(points)
    np.testing.assert_allclose(near.distance, expected.distance, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(near.point, expected.point, atol=1e-11)
    clear = expected.distance > 1e-6
    same = near.instance == instance[expected.triangle]
    assert same[clear].mean() > 0.99
    assert (near.triangle == row[expected.triangle])[same & clear].mean() > 0.7
    for point in points[:9]:
        one = scene.closest_point(point)
        assert (one.shape, one.distance) == ((), scene.closest_point([point]).distance[0])
    limits = np.where(np.arange(300) % 2, near.distance * (1 + 1e-9), near.distance * (1 - 1e-9))
    np.testing.assert_array_equal(scene.closest_point(points, limits).hit, np.arange(300) % 2 == 1)


def nearest_by_themselves(scene, points, **query):
    """The nearest places (N,), each instance asked in a scene of its own; rows of plain data."""
    best = [(np.inf, -1, None)] * len(points)
    for identifier in query.pop("only", scene):
        alone = sc.Scene()
        alone.add(scene[identifier].mesh, scene[identifier].matrix)
        near = alone.closest_point(points, **query)
        for row in np.flatnonzero(near.hit):
            place = near.point[row], near.triangle[row], near.face[row], near.barycentric[row]
            found = (near.distance[row], identifier, [part.tolist() for part in place])
            best[row] = min(best[row], found, key=lambda each: each[:2])
    return best


def as_rows(near):
    columns = near.distance, near.instance, near.point, near.triangle, near.face, near.barycentric
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(d, i, None if i < 0 else list(place)) for d, i, *place in rows]


def crowd(rng, kind, engine, count=120):
    """A scene of many instances, some of which are hidden, and points about it."""
    shapes = [meshes.icosphere(1), meshes.cube(), ([[np.nan] * 3] * 3, [[0, 1, 2]])]
    placed = [sc.Mesh(*shape, engine=engine) for shape in shapes]
    scene = sc.Scene()
    if kind == LATTICE:
        offsets = rng.integers(0, 4, (count, 3)) * 3.0
        matrices = [placement(np.eye(3), offset) for offset in offsets]
        points = rng.integers(-2, 22, (60, 3)) / 2.0
    else:
        matrices = [m @ placement(offset=(1, 2, 3)) for m in matrices_of(rng, kind, count)]
        points = rng.normal(size=(60, 3)) * 6
    ids = scene.add_many([placed[i] for i in rng.choice(3, count, p=(0.45, 0.45, 0.1))], matrices)
    scene.closest_point(points[:1])
    scene.set_matrices(ids[3:6], matrices[6:9])
    scene.remove(ids[9])
    return scene, points


@pytest.mark.parametrize("kind", [SIMILAR, ANY, LATTICE])
def test_places_among_many_instances_are_the_nearest_of_those_on_each_by_itself(rng, engine, kind):
    """To the last bit, and of instances that are as near the first one counts."""
    scene, points = crowd(rng, kind, engine)
    assert len(scene) * len(points) > 3 * nearest._FEW
    expected = nearest_by_themselves(scene, points)
    assert as_rows(scene.closest_point(points)) == expected
    assert as_rows(concatenated([scene.closest_point([point]) for point in points])) == expected
    limits = np.where(rng.random(60) < 0.5, [distance for distance, *_ in expected], 0.5)
    expected = nearest_by_themselves(scene, points, max_distance=limits)
    assert as_rows(scene.closest_point(points, limits)) == expected
    some = list(rng.choice(scene.ids, 60, replace=False))
    expected = nearest_by_themselves(scene, points, only=some)
    assert as_rows(scene.closest_point(points, only=some)) == expected


@pytest.mark.parametrize("away", [1e3, 1e9, 1e60, 1e200])
def test_places_are_those_on_each_instance_by_itself_also_from_far_away(rng, away):
    scene, points = crowd(rng, SIMILAR, "auto", 60)
    points = np.concatenate([points, points * away])
    assert len(scene) * len(points) > 3 * nearest._FEW
    assert as_rows(scene.closest_point(points)) == nearest_by_themselves(scene, points)


def test_few_of_many_instances_are_looked_at(rng, monkeypatch):
    scene = sc.Scene()
    offsets = rng.uniform(0, 30, (3000, 3))
    scene.add_many(built(*meshes.cube()), [placement(np.eye(3) / 4, each) for each in offsets])
    boxes, looks = [], []
    gaps, nearest_at = nearest._Search._gaps, nearest.nearest_at
    monkeypatch.setattr(
        nearest._Search,
        "_gaps",
        lambda s, row, place: boxes.append(len(row)) or gaps(s, row, place),
    )
    monkeypatch.setattr(
        nearest, "nearest_at", lambda *given: looks.append(len(given[1])) or nearest_at(*given)
    )
    scene.closest_point(rng.uniform(0, 30, (500, 3)))
    assert sum(boxes) < 500 * 100
    assert sum(looks) < 500 * 10


def test_an_instance_that_reaches_further_than_float64_has_places_too(rng):
    """Its box has no end, and so is in no tree."""
    scene = sc.Scene()
    scene.add_many(sc.Mesh(*meshes.cube()), [placement(offset=(9, 9, i)) for i in range(300)])
    far = [(-1e308, 0, -9), (1e308, 0, -9)]
    wide = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], *far], [[0, 1, 2], [0, 3, 4]])
    last = scene.add(wide, np.diag([10.0, 10.0, 10.0, 1.0]))
    near = scene.closest_point(rng.uniform(0, 3, (20, 3)))
    assert (near.instance == last).all()


def test_the_last_instances_of_few_vertices_are_not_moved_again(monkeypatch):
    calls = []
    monkeypatch.setattr(
        placements, "moved_geometry", lambda *given: calls.append(given) or moved_geometry(*given)
    )
    for shape, again in ((meshes.cube(), 0), (meshes.icosphere(5), 12)):
        scene = sc.Scene()
        matrices = [placement(np.diag((3.0, 1, 1)), (9 * x, 0, 0)) for x in range(12)]
        scene.add_many(built(*shape), matrices)
        for count in (12, again):
            calls.clear()
            for x in range(12):
                assert scene.closest_point((9 * x, 0, 3)).instance == x
            assert len(calls) == count


def test_instances_may_be_left_out_moved_and_removed(rng):
    mesh = built(*meshes.icosphere(2))
    scene = sc.Scene()
    ids = scene.add_many(mesh, [placement(offset=(x, 0, 0)) for x in (0, 5, 10)])
    assert scene.closest_point((4, 0, 0)).instance == ids[1]
    assert scene.closest_point((4, 0, 0), exclude={ids[1]}).instance == ids[0]
    assert scene.closest_point((4, 0, 0), only=[ids[2]]).instance == ids[2]
    assert not scene.closest_point((4, 0, 0), only=[]).hit
    scene.set_matrix(ids[2], placement(offset=(4, 3, 0)))
    assert scene.closest_point((4, 1.9, 0)).instance == ids[2]
    scene.remove(ids[2])
    assert scene.closest_point((4, 1.9, 0)).instance == ids[1]
    vertices = mesh.vertices * 0.5
    mesh.refit(vertices)
    assert scene.closest_point((5, 0, 3)).distance == pytest.approx(2.5, abs=1e-3)


def test_a_refit_is_seen_through_a_matrix_that_stretches():
    mesh = sc.Mesh(*meshes.cube())
    scene = sc.Scene()
    scene.add(mesh, placement(np.diag((3.0, 1, 1))))
    for _ in range(3):
        assert scene.closest_point((9, 0, 0)).distance == 6
    mesh.build()
    assert scene.closest_point((9, 0, 0)).distance == 6
    mesh.refit(mesh.vertices * 2)
    assert scene.closest_point((9, 0, 0)).distance == 3


def test_the_first_of_equal_instances_counts(engine):
    mesh = built(*meshes.cube())
    scene = sc.Scene()
    scene.add_many(mesh, [np.eye(4)] * 5)
    near = scene.closest_point([(0, 0, 3), (9, 9, 9)])
    assert near.instance.tolist() == [0, 0]


def test_empty_scenes_and_meshes_of_nothing_have_no_place():
    scene = sc.Scene()
    assert not scene.closest_point([(0, 0, 0)]).hit.any()
    scene.add(sc.Mesh(np.empty((0, 3)), []))
    assert not scene.closest_point([(0, 0, 0)]).hit.any()
    assert scene.closest_point([]).shape == (0,)


@pytest.mark.parametrize("build", [False, True])
@pytest.mark.parametrize(
    ("scale", "away"),
    [(1e-150, 1e308), (1e-160, 1e160), (1e-200, 1e120), (-1e-150, 1e158), (1e-150, 1e10)],
)
def test_points_that_leave_float64_in_the_space_of_a_mesh_have_their_place(
    engine, scale, away, build
):
    mesh = sc.Mesh(*meshes.cube(), engine=engine)
    if build:
        mesh.build()
    scene = sc.Scene()
    scene.add(mesh, placement(np.eye(3) * scale))
    points = [(away, 0, 0), (2 * abs(scale), 0, 0), (away, -away, 0)]
    near = scene.closest_point(points)
    expected = [away, abs(scale), math.hypot(away, away)]
    np.testing.assert_allclose(near.distance, expected, rtol=1e-15)
    assert (np.abs(near.point) <= abs(scale) * (1 + 1e-15)).all()
    np.testing.assert_array_equal(scene.signed_distance(points), near.distance)


def test_polygons_in_a_scene_have_their_faces():
    square = sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    scene = sc.Scene()
    scene.add(square)
    scene.add(square, placement(np.diag((1.0, 2, 1)), (0, 0, 5)))
    near = scene.closest_point([(0.2, 0.9, 1), (0.2, 1.9, 6)])
    assert (near.instance.tolist(), near.face.tolist()) == ([0, 1], [0, 0])
    assert near.triangle.tolist() == [1, 1]


def test_polygons_under_a_matrix_that_stretches_were_moved_again_for_each_point(monkeypatch):
    square = sc.PolygonMesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [0, 1, 2, 3], 4)
    scene = sc.Scene()
    scene.add(square, placement(np.diag((1.0, 2, 1))))
    calls = []
    monkeypatch.setattr(
        placements, "moved_geometry", lambda *given: calls.append(given) or moved_geometry(*given)
    )
    for height in (1, 2, 3):
        assert scene.closest_point((0.2, 0.9, height)).distance == height
    assert len(calls) == 1


class PartlyHidden(sc.Placeable):
    """A mesh some of whose triangles do not count, as applications make them."""

    revision = 0
    engine = "numpy"

    def __init__(self, mesh, hidden):
        self.mesh, self._hidden = mesh, hidden

    @property
    def bounds(self):
        return self.mesh.bounds

    def _cast(self, ray):
        raise NotImplementedError

    def _cast_many(self, rays):
        raise NotImplementedError

    def triangles_in(self, region):
        raise NotImplementedError

    def _closest_points(self, p, limits, _excluded):
        return self.mesh._closest_points(p, limits, self._hidden)

    def _shape_for(self, queries):
        return self.mesh._shape_for(queries)


@pytest.mark.parametrize("kind", [SIMILAR, ANY])
@pytest.mark.parametrize("count", [3, 400])  # with and without a tree
def test_what_is_hidden_is_not_near_under_any_matrix(rng, engine, kind, count):
    shape = meshes.torus(24, 16)
    hidden = rng.random(len(shape[1])) < 0.7
    scene = sc.Scene()
    matrices = list(matrices_of(rng, kind, 4))
    for matrix in matrices:
        scene.add(PartlyHidden(sc.Mesh(*shape, engine=engine), hidden), matrix)
    points = rng.normal(size=(count, 3)) * 5
    near = scene.closest_point(points)
    shown = shape[0], np.asarray(shape[1])[~hidden]
    whole, _, row = all_moved([shown] * 4, matrices)
    expected = whole.closest_point(points)
    np.testing.assert_allclose(near.distance, expected.distance, rtol=1e-12, atol=1e-13)
    assert not hidden[near.triangle].any()
    clear = expected.distance > 1e-6
    numbers = np.flatnonzero(~hidden)[row[expected.triangle]]
    assert (near.triangle == numbers)[clear].mean() > 0.9
