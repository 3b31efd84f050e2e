# SPDX-License-Identifier: GPL-3.0-or-later
"""NumPy's work is counted, told, and left to a better engine where one comes."""

from types import SimpleNamespace

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.engines import numpy_engine, timed_engine
from standalone_core.engines.timed_engine import TimedEngine

from .. import meshes
from ..questions import assert_same_bits, toward


class Clock:
    """A clock of its own, and what an engine told by it."""

    def __init__(self):
        self.now = 0.0
        self.told = []
        self.better = None

    def engine(self, **work):
        return TimedEngine(SimpleNamespace(**work), self.told.append, lambda: self.better)


@pytest.fixture
def clock(monkeypatch):
    """The clock of the timed engine."""
    clock = Clock()
    monkeypatch.setattr(timed_engine.time, "perf_counter", lambda: clock.now)
    return clock


@pytest.fixture
def cast(clock):
    """Work that takes as many seconds as it is told."""

    def cast(seconds):
        clock.now += seconds
        if seconds > 100:
            raise ArithmeticError
        return seconds

    return clock.engine(cast=cast).cast


def test_the_seconds_are_told_after_each_piece_of_work(clock, cast):
    assert [cast(2.0), cast(0.5)] == [2.0, 0.5]
    assert clock.told == [2.0, 2.5]


def test_work_that_fails_costs_too(clock, cast):
    with pytest.raises(ArithmeticError):
        cast(101)
    assert clock.told == [101]


def test_what_the_engine_cannot_do_it_cannot_do_here(clock):
    with pytest.raises(AttributeError):
        _ = clock.engine().dance


# Batches


class Rays:
    """As much of a batch as a timed engine asks for."""

    def __init__(self, count):
        self.numbers = np.arange(count)

    def __len__(self):
        return len(self.numbers)

    def take(self, rows):
        part = Rays(0)
        part.numbers = self.numbers[rows]
        return part


def counting(clock, seconds):
    """An engine that takes so many seconds a ray, and answers with the ray's number."""

    def count_hits(geometry, tree, rays):
        clock.now += seconds * len(rays)
        return rays.numbers

    return clock.engine(count_hits=count_hits)


def test_a_batch_is_told_before_it_is_cast(clock):
    engine = counting(clock, 3e-5)
    assert len(engine.count_hits(None, None, Rays(10_000))) == 10_000
    assert clock.told == pytest.approx([10_000 * timed_engine._SECONDS, 0.3])


def test_what_was_measured_takes_the_place_of_the_guess(clock):
    engine = counting(clock, 3e-5)
    engine.count_hits(None, None, Rays(10_000))
    engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(20_000))
    assert clock.told[0] == pytest.approx(0.3 + 3e-5 + 0.6)


def test_single_rays_are_no_measure_of_batches(clock):
    engine = counting(clock, 1.0)
    engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(2))
    assert clock.told[0] == pytest.approx(1 + 2 * timed_engine._SECONDS)


@pytest.mark.parametrize("count", [0, 1, 100_000, 199_999, 200_001, 1_000_000])
def test_a_batch_in_pieces_is_answered_whole(clock, count):
    found = counting(clock, 1e-5).count_hits(None, None, Rays(count))
    np.testing.assert_array_equal(found, np.arange(count))


def test_a_better_engine_that_comes_takes_the_rest_of_a_batch(clock):
    engine = counting(clock, 1e-5)
    sizes = []

    def count_hits(geometry, tree, rays):
        sizes.append(len(rays))
        return -rays.numbers

    def told(seconds):
        if seconds > 5.5:
            clock.better = SimpleNamespace(count_hits=count_hits)

    engine._worked = told
    clock.now = engine.seconds = 5.0
    found = engine.count_hits(None, None, Rays(1_000_000))
    assert sizes == [900_000]
    assert found[99_999] == 99_999
    assert found[100_000] == -100_000


@pytest.mark.parametrize("least", [1 << 14, 7])
def test_the_answers_of_pieces_are_those_of_the_whole(rng, monkeypatch, least):
    monkeypatch.setattr(timed_engine, "_LEAST", least)
    monkeypatch.setattr(timed_engine, "_PIECE", 0.0)
    engine = TimedEngine(numpy_engine, lambda seconds: None, lambda: None)
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    rays = toward(rng, vertices, triangles, 50)
    pieced = sc.Mesh(vertices, triangles)
    pieced.build()
    monkeypatch.setattr("standalone_core.mesh.engine_named", lambda name: engine)
    nearest, (every, splits) = pieced.cast_rays(*rays), pieced.cast_rays_all(*rays)
    any_hit, counts = pieced.any_hit(*rays), pieced.count_hits(*rays)
    monkeypatch.undo()
    assert_same_bits(nearest, mesh.cast_rays(*rays))
    same, same_splits = mesh.cast_rays_all(*rays)
    assert_same_bits(every, same)
    np.testing.assert_array_equal(splits, same_splits)
    np.testing.assert_array_equal(any_hit, mesh.any_hit(*rays))
    np.testing.assert_array_equal(counts, mesh.count_hits(*rays))
