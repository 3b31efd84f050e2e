# SPDX-License-Identifier: GPL-3.0-or-later
"""Every call that uses threads can be told how many, and answers the same whatever it is told."""

import threading
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.concurrency import threads

from . import meshes
from .questions import toward

WRONG = [0, -1, 1.0, True, "2", np.float64(2), [2]]


@pytest.fixture(autouse=True)
def _all_work_is_worth_threads(monkeypatch):
    monkeypatch.setattr(threads, "_WORTH_IT", 0)


@contextmanager
def counted(monkeypatch):
    """What begins in threads, whether these are started for it or wait for it."""
    begun, start, begin = [], threading.Thread.start, threads._hand_over
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", lambda one: begun.append(one) or start(one))
        patch.setattr(threads, "_hand_over", lambda work: begun.append(work) or begin(work))
        yield begun


def calls(rng, engine, path):
    """Each call by its name, with what it is asked about made before."""
    vertices, triangles = meshes.torus(60, 40)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    mesh.save(path)
    # More than the chunks of two threads.
    rays = [np.tile(part, (200, 1)) for part in toward(rng, vertices, triangles, 100)]
    scene = sc.Scene()
    scene.add(mesh)
    polygons = sc.PolygonMesh(vertices, triangles.ravel(), 3, engine=engine)
    polygons.build()
    named = {"Mesh": mesh, "Scene": scene, "PolygonMesh": polygons}
    for kind, thing in named.items():
        for name in ("cast_rays", "cast_rays_all", "any_hit", "count_hits"):
            yield f"{kind}.{name}", partial(getattr(thing, name), *rays)
    new = sc.Mesh(vertices, triangles, engine=engine, building="never")
    yield "Mesh.build", new.build
    yield "Mesh.refit", lambda **how: mesh.refit(vertices, **how)
    yield "Mesh.load", lambda **how: sc.Mesh.load(path, engine, **how)
    yield "Mesh.closest_point", lambda **how: mesh.closest_point(vertices[:20], **how)
    other = sc.PolygonMesh(vertices, triangles.ravel(), 3, engine=engine, building="never")
    yield "PolygonMesh.build", other.build


def test_one_thread_starts_no_other(rng, engine, tmp_path, monkeypatch):
    for _name, call in calls(rng, engine, tmp_path / "mesh"):
        with counted(monkeypatch) as begun:
            call(threads=1)
        assert not begun, _name


def test_several_threads_are_used_and_end(rng, engine, tmp_path, monkeypatch):
    for name, call in calls(rng, engine, tmp_path / "mesh"):
        with counted(monkeypatch) as begun:
            call(threads=3)
        assert name == "Mesh.closest_point" or begun, name
    for thread in [each for each in threading.enumerate() if each.name == "raypick helper"]:
        thread.join(60)
        assert not thread.is_alive()


def test_the_process_says_it_for_calls_that_do_not(rng, tmp_path, monkeypatch):
    sc.set_threads(1)
    try:
        for name, call in calls(rng, "numpy", tmp_path / "mesh"):
            with counted(monkeypatch) as begun:
                call()
            assert not begun, name
    finally:
        sc.set_threads(None)


def columns(answer):
    """All arrays of an answer, or of the tree of a mesh."""
    if isinstance(answer, tuple):
        return [*columns(answer[0]), *columns(answer[1])]
    if isinstance(answer, sc.Mesh):
        return [answer.tree.nodes, answer.tree.order]
    return [answer] if isinstance(answer, np.ndarray) else [*answer.as_dict().values()]


def test_the_answers_are_the_same(rng, engine, tmp_path):
    for name, call in calls(rng, engine, tmp_path / "mesh"):
        one, many = call(threads=1), call(threads=3)
        if one is not None:
            for column, same in zip(columns(one), columns(many), strict=True):
                assert column.tobytes() == same.tobytes(), name


@pytest.mark.parametrize("count", WRONG)
def test_what_is_no_number_of_threads_is_refused(rng, tmp_path, count):
    for _, call in calls(rng, "numpy", tmp_path / "mesh"):
        with pytest.raises(sc.errors.ArgumentError, match="threads must be"):
            call(threads=count)
