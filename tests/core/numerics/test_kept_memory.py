# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of an answer serves the next one only when nobody holds any of the first."""

import gc
import threading

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.cast.hits import _LARGE, empty_hits
from standalone_core.numerics import kept_memory
from standalone_core.numerics.kept_memory import numbers

from .. import meshes
from ..questions import toward


@pytest.fixture(autouse=True)
def nothing_kept():
    gc.collect()
    kept_memory._kept.clear()
    yield
    kept_memory._kept.clear()


def kept():
    return [memory.ctypes.data for memory in kept_memory._kept]


def test_memory_that_nobody_holds_serves_the_next():
    first = numbers(1000)
    place = first.ctypes.data
    assert not kept()
    del first
    assert kept() == [place]
    assert numbers(900).ctypes.data == place


@pytest.mark.parametrize(
    "held",
    [
        lambda array: array[5:],
        lambda array: array.reshape(10, -1)[3],
        lambda array: array.view(np.int64)[::2],
        lambda array: memoryview(array),
        lambda array: np.asarray(array[2:])[1:].T,
        lambda array: np.lib.stride_tricks.as_strided(array[1:], (3,), (0,)),
        lambda array: array.__array_interface__ and iter(array),
    ],
)
def test_a_part_holds_the_whole(held):
    array = numbers(1000)
    part = held(array)
    del array
    gc.collect()
    assert not kept()
    del part
    gc.collect()
    assert len(kept()) == 1


def test_a_copy_holds_nothing():
    array = numbers(1000)
    copy = array[5:].copy()
    del array
    assert len(kept()) == 1
    assert len(copy) == 995


def test_memory_serves_one_at_a_time():
    first = numbers(1000)
    del first
    second, third = numbers(1000), numbers(1000)
    assert second.ctypes.data != third.ctypes.data


def test_one_piece_is_kept_the_last():
    first, second = numbers(1000), numbers(1000)
    places = first.ctypes.data, second.ctypes.data
    assert places[0] != places[1]
    del first, second
    assert kept() == [places[1]]


@pytest.mark.parametrize("count", [1001, 499])
def test_memory_that_is_too_small_or_far_too_large_stays_where_it_is(count):
    first = numbers(1000)
    place = first.ctypes.data
    del first
    assert numbers(count).ctypes.data != place
    gc.collect()


def test_much_memory_goes_back(monkeypatch):
    monkeypatch.setattr(kept_memory, "_MOST", 100)
    array = numbers(101)
    del array
    assert not kept()


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


def test_threads_that_ask_at_once_get_memory_of_their_own():
    wrong, barrier = [], threading.Barrier(4)

    def ask(number):
        barrier.wait()
        for _ in range(300):
            array = numbers(50_000)
            array[::5000] = number
            if (array[::5000] != number).any():
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
