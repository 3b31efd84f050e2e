# SPDX-License-Identifier: GPL-3.0-or-later
"""Where rays keep coming, a mesh gets a better tree of compiled code; no answer changes."""

import pickle
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.building import buildable
from standalone_core.concurrency.threads import ThreadLimit

from . import meshes
from .new_engine import module_of_kernels
from .questions import assert_same_bits, toward

numba_engine = module_of_kernels("numba_engine")

RAYS = 2000


@pytest.fixture
def shape(rng):
    vertices, triangles = meshes.torus(20, 12)
    return vertices, triangles, *toward(rng, vertices, triangles, RAYS)


def mesh_of(shape, **options):
    mesh = sc.Mesh(*shape[:2], engine="numba", **options)
    mesh.build()
    return mesh


def packed(mesh):
    return numba_engine.lone_caster(mesh._state.geometry, mesh.tree).packed


def cast_until_better(mesh, shape, **options):
    """Cast until a better tree has taken the place of the first."""
    quick = packed(mesh)
    answers = [mesh.cast_rays(*shape[2:], **options)]
    while packed(mesh) is quick:
        answers.append(mesh.cast_rays(*shape[2:], **options))
        wait_for_thread(mesh)
        assert len(answers) < 10
    assert_same_bits(answers[-1], answers[0])
    assert_same_bits(mesh.cast_rays(*shape[2:], **options), answers[0])


def wait_for_thread(mesh):
    if mesh._better.thread is not None:
        mesh._better.thread.wait()


def test_a_better_tree_takes_the_place_of_the_first_and_no_answer_changes(shape):
    mesh = mesh_of(shape)
    cast_until_better(mesh, shape)
    assert mesh.count_hits(*shape[2:]).tolist() == mesh_of(shape).count_hits(*shape[2:]).tolist()
    alone = [mesh.ray_cast(*ray) for ray in zip(*shape[2:], strict=True)][:50]
    hits = mesh.cast_rays(*shape[2:])
    assert [hit.triangle if hit else -1 for hit in alone] == hits.triangle[:50].tolist()


def test_a_batch_that_has_the_tree_built_counts_too(shape):
    mesh = sc.Mesh(*shape[:2], engine="numba")
    many = [np.tile(part, (10, 1)) for part in shape[2:]]
    found = mesh.cast_rays(*many)
    mesh._better.thread.wait()
    assert mesh._better.thread.error is None
    assert_same_bits(mesh.cast_rays(*many), found)


def test_few_rays_are_not_worth_a_better_tree(shape):
    mesh = mesh_of(shape)
    mesh.ray_cast(shape[2][0], shape[3][0])
    mesh.cast_rays(shape[2][:100], shape[3][:100])
    assert mesh._better.thread is None


def test_one_thread_makes_the_better_tree_itself(shape):
    mesh = mesh_of(shape)
    cast_until_better(mesh, shape, threads=1)
    assert mesh._better.thread is None


def test_a_mesh_that_is_never_to_build_keeps_its_tree(shape):
    mesh = mesh_of(shape, building="never")
    for _ in range(5):
        mesh.cast_rays(*shape[2:])
    assert mesh._better.thread is None


def test_a_refitted_tree_begins_anew(shape):
    mesh = mesh_of(shape)
    cast_until_better(mesh, shape)
    better = mesh._better.thread
    mesh.refit(shape[0] * 2.0)
    cast_until_better(mesh, shape)
    assert mesh._better.thread is not better


def test_a_pickled_mesh_gets_a_better_tree_of_its_own(shape):
    mesh = mesh_of(shape)
    cast_until_better(mesh, shape)
    again = pickle.loads(pickle.dumps(mesh))
    cast_until_better(again, shape)
    assert_same_bits(again.cast_rays(*shape[2:]), mesh.cast_rays(*shape[2:]))


def test_one_thread_does_not_make_it_for_a_few_rays(shape):
    mesh = mesh_of(shape)
    quick = packed(mesh)
    for _ in range(60):
        mesh.cast_rays(shape[2][:100], shape[3][:100], threads=1)
    assert packed(mesh) is quick
    cast_until_better(mesh, shape, threads=1)


def test_one_thread_is_not_asked_for_it_at_each_further_ray(shape, monkeypatch):
    mesh, asked = mesh_of(shape), []
    monkeypatch.setattr(
        mesh, "_improve", lambda rays: asked.append(type(mesh)._improve(mesh, rays))
    )
    with ThreadLimit(1):
        for _ in range(3):
            for ray in zip(*shape[2:], strict=True):
                mesh.ray_cast(*ray)
    assert 1 <= len(asked) < 10
    cast_until_better(mesh, shape, threads=1)


def test_casts_go_on_where_no_thread_can_be_started(shape, monkeypatch):
    def refused(*arguments):
        raise RuntimeError("can't start new thread")

    mesh = mesh_of(shape)
    with monkeypatch.context() as patched:
        patched.setattr(buildable, "TreeBuild", refused)
        for _ in range(5):
            mesh.cast_rays(*shape[2:], threads=2)
    cast_until_better(mesh, shape)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_came_to_nothing_is_tried_again(shape, monkeypatch, error):
    def failed(*arguments):
        raise error

    mesh = mesh_of(shape)
    with monkeypatch.context() as patched:
        patched.setattr(numba_engine, "improve", failed)
        while mesh._better.thread is None:
            mesh.cast_rays(*shape[2:], threads=2)
        mesh._better.thread.wait()
        assert isinstance(mesh._better.thread.error, error)
    cast_until_better(mesh, shape)


def test_closest_points_do_not_pay_for_it(shape):
    mesh = mesh_of(shape)
    for _ in range(5):
        mesh.closest_point(shape[2])
    assert mesh._better.thread is None


def test_the_thread_is_gone_when_the_tree_is_there_or_cancelled(shape):
    mesh = mesh_of(shape)
    for _ in range(5):
        mesh.cast_rays(*shape[2:])
    mesh.cancel()
    mesh._better.thread.wait()
    assert not [t for t in threading.enumerate() if t.name == "tree build" and t.is_alive()]


def test_scenes_pay_for_better_trees_too(shape):
    mesh = mesh_of(shape)
    quick, scene = packed(mesh), sc.Scene()
    scene.add_many(mesh, np.tile(np.eye(4), (3, 1, 1)))
    for _ in range(6):
        scene.cast_rays(*shape[2:])
    wait_for_thread(mesh)
    assert packed(mesh) is not quick
