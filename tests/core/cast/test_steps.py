# SPDX-License-Identifier: GPL-3.0-or-later
"""A query of several steps answers by one state, whatever another thread changes between them."""

import numpy as np
import pytest

from standalone_core import Mesh, Scene

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = [[quad[0], *pair] for quad in QUADS for pair in (quad[1:3], quad[2:])]
AWAY = np.array((0.0, 0.0, 50.0))


class MovedMesh(Mesh):
    """A mesh that is refitted as soon as a query has begun."""

    def _now(self):
        now = super()._now()
        self.refit(self.vertices + AWAY)
        return now


class MovedScene(Scene):
    """A scene that is changed as soon as a query has begun."""

    def _now(self):
        now = super()._now()
        matrix = np.eye(4)
        matrix[:3, 3] = AWAY
        self.set_matrix(0, matrix)
        self.remove(1)
        self.add(Mesh(CUBE, TRIANGLES[:-1]))
        return now


def mesh_of(kind, engine, built):
    mesh = kind(CUBE, TRIANGLES, engine=engine)
    if built:
        mesh.build()
    return mesh


def scene_of(kind, engine, built):
    scene = kind()
    matrix = np.eye(4)
    matrix[0, 3] = 0.5
    scene.add(mesh_of(Mesh, engine, built))
    scene.add(mesh_of(Mesh, engine, built), matrix)
    return scene


QUERIES = {
    "contains": lambda it, p: it.contains(p),
    "signed_distance": lambda it, p: it.signed_distance(p),
    "cast_rays_all": lambda it, p: it.cast_rays_all(p, (0.1, 0.2, 1.0), max_hits=2),
}
TIES = {"closest_point_all": lambda it, p: it.closest_point_all(p)}


def parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


def same(one, other):
    return all(
        np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b
        for a, b in zip(parts(one), parts(other), strict=True)
    )


@pytest.mark.parametrize("built", [False, True], ids=["scan", "tree"])
@pytest.mark.parametrize("query", QUERIES | TIES)
def test_a_mesh_that_is_refitted_between_two_steps_answers_as_it_was(rng, engine, query, built):
    ask = (QUERIES | TIES)[query]
    points = rng.uniform(-0.5, 1.5, (200, 3))
    mesh = mesh_of(MovedMesh, engine, built)
    answer = ask(mesh, points)
    assert mesh.revision == 1
    assert same(answer, ask(mesh_of(Mesh, engine, built), points))
    assert not same(answer, ask(mesh, points))


@pytest.mark.parametrize("query", QUERIES)
def test_a_scene_that_changes_between_two_steps_answers_as_it_was(rng, engine, query):
    points = rng.uniform(-0.5, 1.5, (200, 3))
    scene = scene_of(MovedScene, engine, True)
    answer = QUERIES[query](scene, points)
    assert list(scene) == [0, 2]
    assert same(answer, QUERIES[query](scene_of(Scene, engine, True), points))


def test_rays_that_take_more_than_one_block_are_cast_at_one_state(rng, monkeypatch):
    monkeypatch.setattr("standalone_core.cast.hits._BLOCK", 16)
    monkeypatch.setattr("standalone_core.scene._INSIDE", 16)
    points = rng.uniform(-0.5, 1.5, (200, 3))
    for query in QUERIES.values():
        answer = query(scene_of(MovedScene, "numpy", True), points)
        assert same(answer, query(scene_of(Scene, "numpy", True), points))
        answer = query(mesh_of(MovedMesh, "numpy", True), points)
        assert same(answer, query(mesh_of(Mesh, "numpy", True), points))


def test_many_rays_at_what_a_mesh_was_were_scanned_one_by_one(rng, engine):
    size = 60
    x, y = np.meshgrid(np.arange(size), np.arange(size))
    vertices = np.stack([x, y, np.sin(x) * np.cos(y)], axis=-1).reshape(-1, 3) * 1.0
    a = (np.arange(size - 1) + size * np.arange(size - 1)[:, None]).ravel()
    triangles = np.concatenate([[a, a + 1, a + size], [a + 1, a + size + 1, a + size]], axis=1).T
    points = rng.uniform(0, size - 1, (3000, 3))
    mesh = MovedMesh(vertices, triangles, engine=engine)
    answer = mesh.cast_rays_all(points, (0, 0, -1.0), max_hits=2)
    assert mesh.stats.scans < 100
    assert same(answer, Mesh(vertices, triangles).cast_rays_all(points, (0, 0, -1.0), max_hits=2))
