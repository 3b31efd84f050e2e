# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of an answer serves the next one only when nobody holds any of the first."""

import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.cast import hits
from standalone_core.cast.hits import _LARGE, empty_hits, uninitialized

from .. import meshes
from ..questions import assert_same_bits, built, toward


@pytest.fixture(autouse=True)
def nothing_kept():
    hits._kept.clear()
    yield
    hits._kept.clear()


def place_of(array):
    return array.__array_interface__["data"][0]


def test_memory_that_nobody_holds_serves_the_next():
    first = uninitialized(1000)
    place = place_of(first)
    del first
    assert place_of(uninitialized(900)) == place


@pytest.mark.parametrize(
    "held",
    [
        lambda array: array,
        lambda array: array[5:],
        lambda array: array.reshape(10, -1)[3],
        lambda array: array.view(np.int64)[::2],
        lambda array: memoryview(array),
        lambda array: np.asarray(array[2:])[1:].T,
        lambda array: np.lib.stride_tricks.as_strided(array[1:], (3,), (0,)),
        lambda array: iter(array),
        lambda array: array.base,
    ],
)
def test_a_part_holds_the_whole(held):
    array = uninitialized(1000)
    place, part = place_of(array), held(array)
    del array
    second = uninitialized(1000)
    assert place_of(second) != place
    del part, second
    assert len(hits._kept) == 1


def test_a_copy_holds_nothing():
    array = uninitialized(1000)
    place, copy = place_of(array), array[5:].copy()
    del array
    assert place_of(uninitialized(1000)) == place
    assert len(copy) == 995


def test_memory_serves_one_at_a_time():
    first = uninitialized(1000)
    del first
    second, third = uninitialized(1000), uninitialized(1000)
    assert place_of(second) != place_of(third)


def test_the_memory_of_the_last_answer_is_kept():
    first, second = uninitialized(1000), uninitialized(1000)
    (kept,) = hits._kept
    assert place_of(kept) == place_of(second) != place_of(first)


@pytest.mark.parametrize(("count", "held"), [(1001, 1001), (1000, 1000), (500, 1000), (499, 499)])
def test_memory_that_is_too_small_or_far_too_large_goes_back(count, held):
    first = uninitialized(1000)
    del first
    assert len(uninitialized(count).base) == held


def test_much_memory_goes_back(monkeypatch):
    monkeypatch.setattr(hits, "_MOST", 100)
    uninitialized(101)
    assert not hits._kept


@pytest.mark.parametrize("name", ["distance", "normal", "face", "instance"])
def test_no_later_cast_changes_a_column_that_is_held(rng, engine, name):
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    mesh.build()
    rays = toward(rng, vertices, triangles, _LARGE)
    answer = mesh.cast_rays(*rays)
    column = getattr(answer, name)[7:]
    before = column.copy()
    del answer
    for _ in range(3):
        mesh.cast_rays(-rays[0], rays[1])
        empty_hits(_LARGE).distance[:] = 7.0
    np.testing.assert_array_equal(column, before)


def test_the_nearest_hits_of_rays_are_the_same_in_several_blocks(rng, engine, monkeypatch):
    vertices, triangles = meshes.torus(20, 12)
    mesh, rays = built(vertices, triangles, engine=engine), toward(rng, vertices, triangles, 200)
    whole, splits = mesh.cast_rays_all(*rays, max_hits=2)
    monkeypatch.setattr(hits, "_BLOCK", 64)
    some, others = mesh.cast_rays_all(*rays, max_hits=2)
    assert_same_bits(some, whole)
    assert others.tolist() == splits.tolist()
    assert splits[-1] > 200


def test_threads_that_ask_at_once_get_memory_of_their_own():
    wrong, barrier = [], threading.Barrier(4)

    def ask(number):
        barrier.wait()
        for _ in range(300):
            array = uninitialized(50_000)
            array[::5000] = number
            if (array[::5000] != number).any():
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
