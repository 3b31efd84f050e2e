# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch at a scene, which compiled code takes over once that pays."""

from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.engines.numba import compiling
from standalone_core.instancing import many_rays

from .. import new_engine

CHUNK = 64


@pytest.fixture
def scene(monkeypatch, rng):
    """A scene of 40 instances, and rays that start at different points."""
    monkeypatch.setattr(many_rays, "_CHUNK", CHUNK)
    mesh = sc.Mesh(rng.random((60, 3)), np.arange(60).reshape(20, 3))
    mesh.build()
    scene = sc.Scene()
    for offset in rng.random((40, 3)) * 4.0:
        matrix = np.eye(4)
        matrix[:3, 3] = offset
        scene.add(mesh, matrix)
    origins = rng.random((400, 3)) * 5.0
    return scene, origins, rng.random((400, 3)) * 5.0 - origins


def answers(scene, origins, directions):
    nearest = scene.cast_rays(origins, directions)
    return (
        nearest.instance,
        nearest.triangle,
        nearest.distance,
        scene.count_hits(origins, directions),
    )


def test_compiled_code_takes_over_between_chunks_with_equal_answers(scene, monkeypatch):
    pytest.importorskip("numba")
    sc.compile()
    engine = compiling._engine
    new_engine.forget(monkeypatch)
    asked = []

    def engine_after(spent, expected=0.0):
        if expected:
            asked.append(expected)
            monkeypatch.setattr(compiling, "_engine", engine)
        return compiling._engine

    monkeypatch.setattr(compiling, "engine_after", lambda *_: None)
    wanted = answers(*scene)
    monkeypatch.setattr(compiling, "engine_after", engine_after)
    for got, expected in zip(answers(*scene), wanted, strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(asked) == 1


def test_each_chunk_but_the_first_tells_how_long_the_rest_takes(scene, monkeypatch):
    new_engine.forget(monkeypatch)
    clock = SimpleNamespace(thread_time=map(float, range(1000)).__next__)
    monkeypatch.setattr(many_rays, "time", clock)
    asked = []
    monkeypatch.setattr(compiling, "engine_after", lambda *given: asked.append(given))
    cast, *rays = scene
    cast.count_hits(*rays)
    rest = [given[1] * CHUNK for given in asked if given[1:] and given[1]]
    assert rest == [400 - start for start in range(2 * CHUNK, 400, CHUNK)]
