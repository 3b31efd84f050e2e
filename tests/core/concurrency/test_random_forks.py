# SPDX-License-Identifier: GPL-3.0-or-later
"""Children that are forked at any moment beside busy threads answer, and as their parent does.

``python scripts/soak.py --only core -k random_forks`` forks thousands of them.
"""

import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest

import standalone_core as sc

from .. import meshes
from ..forked import SOON, in_child, needs_forks

pytestmark = needs_forks

FORKS = 5

DOWN = (0.0, 0.0, -1.0)


@pytest.fixture
def rays(rng):
    """Rays from above, more than a thread takes at a time."""
    return rng.uniform(-1.5, 1.5, (3000, 3)) * (1, 1, 0) + (0, 0, 3), DOWN


@contextmanager
def busy(*works):
    """Let threads do each of these, again and again, during the block."""
    stop, failed = threading.Event(), []

    def repeat(work):
        try:
            while not stop.is_set():
                work()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=repeat, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(SOON)
    assert not failed


def fork_often(rng, ask, *answers):
    """Fork now and then; each child must find one of these answers."""

    def is_right():
        found = ask()
        return any(all(map(np.array_equal, found, answer)) for answer in answers)

    for _ in range(FORKS):
        time.sleep(rng.uniform(0, 0.02))
        assert in_child(is_right) == ""


def test_beside_casts(rng, engine, rays):
    mesh = sc.Mesh(*meshes.torus(40, 30), engine=engine)
    mesh.build()
    points = rng.uniform(-1, 1, (300, 3))

    def ask():
        few = rays[0][:200], DOWN
        hits = mesh.cast_rays(*few)
        return [
            hits.triangle,
            hits.distance,
            mesh.count_hits(*few),
            mesh.closest_point(points[:20]).distance,
            mesh.signed_distance(points[:20]),
        ]

    answer = ask()
    with busy(
        lambda: mesh.cast_rays(*rays),
        lambda: mesh.cast_rays_all(*rays),
        lambda: (mesh.closest_point(points), mesh.signed_distance(points)),
    ):
        fork_often(rng, ask, answer)


@pytest.mark.parametrize("kind", ["triangles", "polygons"])
def test_beside_meshes_that_are_made_and_built(rng, engine, rays, kind):
    vertices, triangles = meshes.torus(40, 30)

    def fresh(building="auto"):
        if kind == "triangles":
            return sc.Mesh(vertices, triangles, engine=engine, building=building)
        corners, sizes = np.asarray(triangles).ravel(), np.full(len(triangles), 3)
        return sc.PolygonMesh(vertices, corners, sizes, engine=engine, building=building)

    shared = [fresh()]

    def ask():
        mesh = shared[0]
        hits = mesh.cast_rays(rays[0][:200], DOWN)
        return [hits.triangle, mesh.closest_point(rays[0][:5]).distance, *mesh.bounds]

    def work():
        shared[0] = mesh = fresh("thread")
        mesh.bounds, mesh.ray_cast((0.9, 0.1, 3.0), DOWN)
        mesh.build_in_thread()
        mesh.cast_rays(*rays)
        if kind == "triangles":
            mesh.refit(mesh.vertices)

    answer = ask()
    with busy(work, work, work):
        fork_often(rng, ask, answer)


def test_beside_instances_that_are_moved(rng, engine, rays):
    mesh, scene = sc.Mesh(*meshes.torus(20, 12), engine=engine), sc.Scene()
    mesh.build()
    here = np.tile(np.eye(4), (80, 1, 1))
    here[:, :3, 3] = rng.uniform(-2, 2, (80, 3))
    there = here.copy()
    there[:, 0, 3] += 1.0
    ids, far = scene.add_many(mesh, here), np.eye(4)
    far[0, 3] = 1e3

    def ask():
        hits = scene.cast_rays(rays[0][:200], DOWN)
        return [hits.instance, hits.distance, scene.closest_point(rays[0][:5]).distance]

    def move():
        scene.set_matrices(ids, there)
        scene.set_matrices(ids, here)

    answers = [ask()]
    scene.set_matrices(ids, there)
    answers.append(ask())
    with busy(move, lambda: scene.remove(scene.add(mesh, far)), lambda: scene.cast_rays(*rays)):
        fork_often(rng, ask, *answers)


def test_beside_linear_algebra(rng):
    matrices = np.tile(np.eye(4), (2000, 1, 1))
    matrices[:, :3, :3] += rng.uniform(-0.2, 0.2, (2000, 3, 3))
    mesh, scene = sc.Mesh(*meshes.cube(), engine="numpy"), sc.Scene()
    ids = scene.add_many(mesh, matrices)

    def ask():
        scene.set_matrices(ids, matrices)
        return scene.bounds

    answer = ask()
    with busy(*[lambda: sc.Scene().add_many(mesh, matrices)] * 3):
        fork_often(rng, ask, answer)
