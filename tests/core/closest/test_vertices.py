# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest vertex of meshes and scenes: that of fractions, the first of those equally near."""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, mesh

from .. import meshes

EPS = 2.0**-52
NO = np.empty((0, 3), dtype=int)


def square(a, b):
    return sum((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(a, b, strict=True))


def nearest_by_fractions(vertices, point, limit=math.inf):
    """The first of the nearest vertices, and the square of its distance; (-1, None) for none."""
    squares = [
        (square(vertex, point), i)
        for i, vertex in enumerate(vertices.tolist())
        if np.isfinite(vertex).all()
    ]
    best = min(squares, default=(None, -1))
    if best[1] >= 0 and (math.isinf(limit) or best[0] <= Fraction(limit) ** 2):
        return best[1], best[0]
    return -1, None


def check(made, vertices, points, limit=math.inf):
    vertex, distance = made.nearest_vertex(points, limit)
    for own, away, point in zip(vertex.tolist(), distance.tolist(), points.tolist(), strict=True):
        wanted, right = nearest_by_fractions(vertices, point, limit)
        assert own == wanted
        if own < 0:
            assert away == math.inf
        else:
            assert (1 - EPS) ** 2 * right <= Fraction(away) ** 2 <= (1 + EPS) ** 2 * right


@pytest.mark.parametrize("building", ["auto", "never"])
@pytest.mark.parametrize("scale", [1.0, 2.0**-500, 2.0**300])
def test_it_is_that_of_fractions_also_where_many_are_as_near(rng, engine, scale, building):
    vertices = rng.integers(-3, 4, (40, 3)).astype(float)
    triangles = rng.integers(0, 40, (30, 3))
    points = np.concatenate([rng.integers(-8, 9, (30, 3)) / 2, rng.random((10, 3)) * 6 - 3])
    made = sc.Mesh(vertices * scale, triangles, engine=engine, building=building)
    check(made, vertices * scale, points * scale)
    check(made, vertices * scale, points * scale, scale)


def test_polygons_need_no_triangles_for_it(rng):
    vertices = rng.random((30, 3)).astype(np.float32)
    corners = rng.permutation(30)
    polygons = sc.PolygonMesh(vertices, corners, [5] * 6, lambda faces: pytest.fail("split"))
    check(polygons, vertices.astype(float), rng.random((40, 3)))


def test_vertices_of_no_triangle_count_and_those_not_finite_never_do():
    vertices = np.array(
        [[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5], [np.nan, 5, 6], [5, 5, np.inf]]
    )
    made = sc.Mesh(vertices, [[0, 1, 2]])
    assert made.nearest_vertex((5, 5, 6)) == (3, 1.0)
    assert sc.Mesh(vertices[4:], NO).nearest_vertex((5, 5, 6)) == (-1, math.inf)
    assert sc.Mesh(np.empty((0, 3)), NO).nearest_vertex((5, 5, 6)) == (-1, math.inf)


def test_one_point_has_numbers_and_many_have_arrays_of_their_shape():
    made = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    vertex, distance = made.nearest_vertex((0.5, 0, 0))
    assert (type(vertex), type(distance)) == (int, float)
    assert (vertex, distance) == (0, 0.5)
    vertex, distance = made.nearest_vertex(np.zeros((2, 1, 3)), [[1], [0]])
    assert vertex.tolist() == [[0], [0]]
    assert distance.tolist() == [[0.0], [0.0]]
    assert [answer.shape for answer in made.nearest_vertex([])] == [(0,), (0,)]


def test_a_point_that_is_not_finite_or_a_limit_below_0_has_none():
    made = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    points = [(np.nan, 0, 0), (0, np.inf, 0), (0, 0, 0), (0, 0, 0), (0, 0, 2)]
    vertex, distance = made.nearest_vertex(points, [1, 1, -1, 0, 1])
    assert vertex.tolist() == [-1, -1, -1, 0, -1]
    assert distance.tolist() == [math.inf, math.inf, math.inf, 0.0, math.inf]
    with pytest.raises(errors.ShapeError, match="points"):
        made.nearest_vertex([1, 2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_memory_it_takes_is_counted(rng, dtype):
    vertices = rng.random((500, 3)).astype(dtype)
    for made in (
        sc.Mesh(vertices, [[0, 1, 2]], building="never", engine="numpy"),
        sc.PolygonMesh(vertices, [0, 1, 2], 3, building="never", engine="numpy"),
    ):
        before = made.nbytes
        made.nearest_vertex(rng.random((500, 3)))
        is_copied = dtype is np.float32 and isinstance(made, sc.PolygonMesh)
        least = 500 * (3 * 4 + is_copied * 3 * 8)
        assert least < made.nbytes - before < least + 500 * 200


def test_it_follows_a_refit_and_a_copy_has_it_too(monkeypatch):
    gathered = []
    of_points = mesh.of_points
    monkeypatch.setattr(mesh, "of_points", lambda *a: gathered.append(a) or of_points(*a))
    made = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert [made.nearest_vertex((0.75, 0, 0))[0] for _ in range(3)] == [1, 1, 1]
    assert len(gathered) == 1
    made.refit([[0, 0, 0], [0, 1, 0], [1, 0, 0]])
    assert [made.nearest_vertex((0.75, 0, 0))[0] for _ in range(3)] == [2, 2, 2]
    assert len(gathered) == 2
    assert pickle.loads(pickle.dumps(made)).nearest_vertex((0.75, 0, 0)) == (2, 0.25)


@pytest.mark.parametrize("count", [3, 40])
def test_a_scene_has_that_of_all_instances(rng, count):
    """Mirrored, uneven and sheared ones, compared with all their vertices, moved one by one."""
    one, other = meshes.torus(6, 5), meshes.icosphere(1)
    made = [sc.Mesh(*one), sc.Mesh(*other)]
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = rng.random((count, 3)) * 20
    matrices[::3, :3, :3] += rng.random((len(matrices[::3]), 3, 3))
    matrices[1::3, :3, :3] *= -2.5
    scene = sc.Scene()
    scene.add_many([made[i % 2] for i in range(count)], matrices)
    points = np.concatenate([rng.random((60, 3)) * 24 - 2, [[np.nan, 0, 0]]])
    moved = [
        (one, other)[i % 2][0] @ matrix[:3, :3].T + matrix[:3, 3]
        for i, matrix in enumerate(matrices)
    ]
    every = np.concatenate(moved)
    owner = np.repeat(np.arange(count), [len(each) for each in moved])
    first = np.concatenate([np.arange(len(each)) for each in moved])
    instance, vertex, distance = scene.nearest_vertex(points)
    away = np.linalg.norm(points[:-1, None] - every, axis=-1)
    best = away.argmin(axis=1)
    assert instance[:-1].tolist() == owner[best].tolist()
    assert vertex[:-1].tolist() == first[best].tolist()
    assert np.allclose(distance[:-1], away.min(axis=1), rtol=1e-13, atol=0)
    assert (instance[-1], vertex[-1], distance[-1]) == (-1, -1, math.inf)
    limited = scene.nearest_vertex(points, distance[0])
    assert (limited[0] >= 0).tolist() == (distance <= distance[0]).tolist()


def test_of_instances_at_the_same_place_the_first_counts_and_an_empty_scene_has_none():
    made = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    scene = sc.Scene()
    assert scene.nearest_vertex((1, 0, 0)) == (-1, -1, math.inf)
    scene.add_many(made, [np.eye(4)] * 3)
    assert scene.nearest_vertex((1, 0, 2)) == (0, 1, 2.0)
    scene.remove(0)
    assert scene.nearest_vertex((1, 0, 2)) == (1, 1, 2.0)


def test_a_placeable_without_vertices_says_so():
    class Ball(sc.Placeable):
        bounds, revision, engine = (np.zeros(3), np.ones(3)), 0, "auto"

        def _cast(self, ray):
            raise NotImplementedError

        def _cast_many(self, rays):
            raise NotImplementedError

    scene = sc.Scene()
    scene.add(Ball())
    with pytest.raises(NotImplementedError, match="Ball cannot be asked for its vertices"):
        scene.nearest_vertex((0, 0, 0))
