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
        self.told, self.expected = [], []
        self.better = None

    def hear(self, spent, expected=0.0):
        self.told.append(spent + expected)
        self.expected.append(expected)
        return self.better

    def engine(self, **work):
        return TimedEngine(SimpleNamespace(**work), self.hear)


@pytest.fixture
def clock(monkeypatch):
    """The clock of the timed engine, which has one thread."""
    clock = Clock()
    monkeypatch.setattr(timed_engine, "thread_count", lambda: 1)
    monkeypatch.setattr(timed_engine.time, "thread_time", lambda: clock.now)
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


def test_nobody_is_told_what_a_single_ray_will_take_so_it_never_waits(clock, cast):
    for _ in range(3):
        cast(30.0)
    assert clock.expected == [0.0] * 3


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


def counting(clock, seconds, threads=1):
    """An engine that takes so many seconds a ray, and answers with the ray's number."""

    def count_hits(geometry, tree, rays):
        clock.now += seconds * len(rays) / (threads if len(rays) > timed_engine._CHUNK else 1)
        return rays.numbers

    return clock.engine(count_hits=count_hits)


def test_rays_of_a_batch_tell_what_the_others_will_take(clock):
    engine = counting(clock, 3e-5)
    assert len(engine.count_hits(None, None, Rays(10_000))) == 10_000
    first = timed_engine._FIRST * 3e-5
    both = first + timed_engine._SAMPLE * 3e-5
    assert clock.told == pytest.approx([0.0, first, first, both, 0.3, 0.3])


@pytest.mark.parametrize(("threads", "share"), [(1, 1.0), (2, 0.5), (3, 1 / 3), (64, 0.25)])
def test_a_large_batch_is_expected_to_be_shared_by_threads(clock, monkeypatch, threads, share):
    monkeypatch.setattr(timed_engine, "thread_count", lambda: threads)
    engine = counting(clock, 3e-5, threads=min(threads, 4))
    engine.count_hits(None, None, Rays(100_000))
    rest = 100_000 - timed_engine._FIRST - timed_engine._SAMPLE
    expected = [seconds for seconds in clock.expected if seconds]
    assert expected[0] == pytest.approx(rest * 3e-5 * share)
    assert clock.now == pytest.approx(100_000 * 3e-5 * share, rel=0.1)
    clock.expected.clear()
    engine.count_hits(None, None, Rays(100_000))
    assert clock.expected[0] == pytest.approx(100_000 * 3e-5 * share)


def test_threads_that_gain_nothing_are_noticed_after_a_piece(clock, monkeypatch):
    monkeypatch.setattr(timed_engine, "thread_count", lambda: 4)
    engine = counting(clock, 1e-5)
    engine.count_hits(None, None, Rays(1_000_000))
    clock.expected.clear()
    engine.count_hits(None, None, Rays(1_000_000))
    assert clock.expected[0] == pytest.approx(10.0)


def test_a_chunk_of_the_engine_is_what_one_thread_takes():
    assert timed_engine._CHUNK == numpy_engine._CHUNK


def test_the_first_rays_which_also_prepare_a_mesh_are_no_measure(clock):
    seconds = [7.0]

    def count_hits(geometry, tree, rays):
        clock.now += seconds.pop() if seconds else 1e-5 * len(rays)
        return rays.numbers

    clock.engine(count_hits=count_hits).count_hits(None, None, Rays(10_000))
    assert max(clock.told) < 7.2


def test_the_next_batch_is_told_before_it_is_cast(clock):
    engine = counting(clock, 3e-5)
    engine.count_hits(None, None, Rays(10_000))
    engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(20_000))
    assert clock.told[0] == pytest.approx(0.3 + 3e-5 + 0.6)


def test_a_large_build_is_told_before_it_begins(clock):
    many = SimpleNamespace(triangles=range(10_000_000))
    builds = clock.engine(build=lambda geometry: "NumPy's").build
    assert builds(many) == "NumPy's"
    assert clock.told[0] == pytest.approx(10_000_000 * timed_engine._BUILD)
    clock.better = SimpleNamespace(build=lambda geometry: "a better one")
    assert builds(many) == "a better one"


def test_single_rays_are_no_measure_of_batches(clock):
    engine = counting(clock, 1.0)
    for _ in range(2):
        engine.count_hits(None, None, Rays(1))
    clock.told.clear()
    engine.count_hits(None, None, Rays(2))
    assert clock.told[0] == pytest.approx(2.0)


@pytest.mark.parametrize("count", [0, 1, 4095, 4097, 100_000, 199_999, 200_001, 1_000_000])
def test_a_batch_in_pieces_is_answered_whole(clock, count):
    found = counting(clock, 1e-5).count_hits(None, None, Rays(count))
    np.testing.assert_array_equal(found, np.arange(count))


def test_a_slow_batch_is_cut_into_pieces_of_about_the_same_time(clock):
    engine = counting(clock, 1e-4)
    engine.count_hits(None, None, Rays(30_000))
    ends = clock.told[1::2]
    steps = np.diff(ends[1:])
    assert len(steps) == 5
    assert steps[:-1] == pytest.approx(timed_engine._PIECE)
    assert timed_engine._PIECE < steps[-1] < 2 * timed_engine._PIECE


def test_a_better_engine_that_comes_takes_the_rest_of_a_batch(clock):
    engine = counting(clock, 1e-5)
    sizes = []

    def count_hits(geometry, tree, rays):
        sizes.append(len(rays))
        return -rays.numbers

    def told(spent, expected=0.0):
        if clock.now > 5.0:
            clock.better = SimpleNamespace(count_hits=count_hits)
        return clock.better

    engine._better = told
    sampled = timed_engine._FIRST + timed_engine._SAMPLE
    clock.now = engine.seconds = 5.0 - sampled * 1e-5
    found = engine.count_hits(None, None, Rays(1_000_000))
    assert sizes == [1_000_000 - sampled - 50_000]
    assert found[sampled + 49_999] == sampled + 49_999
    assert found[sampled + 50_000] == -sampled - 50_000


@pytest.mark.parametrize("sample", [1 << 11, 7])
def test_the_answers_of_pieces_are_those_of_the_whole(rng, monkeypatch, sample):
    monkeypatch.setattr(timed_engine, "_FIRST", sample)
    monkeypatch.setattr(timed_engine, "_SAMPLE", sample)
    monkeypatch.setattr(timed_engine, "_PIECE", 0.0)
    engine = TimedEngine(numpy_engine, lambda *seconds: None)
    vertices, triangles = meshes.torus(20, 12)
    mesh = sc.Mesh(vertices, triangles, engine="numpy")
    mesh.build()
    rays = toward(rng, vertices, triangles, 50)
    pieced = sc.Mesh(vertices, triangles)
    pieced.build()
    monkeypatch.setattr("standalone_core.tree_mesh.engine_named", lambda name: engine)
    nearest, (every, splits) = pieced.cast_rays(*rays), pieced.cast_rays_all(*rays)
    any_hit, counts = pieced.any_hit(*rays), pieced.count_hits(*rays)
    monkeypatch.undo()
    assert_same_bits(nearest, mesh.cast_rays(*rays))
    same, same_splits = mesh.cast_rays_all(*rays)
    assert_same_bits(every, same)
    np.testing.assert_array_equal(splits, same_splits)
    np.testing.assert_array_equal(any_hit, mesh.any_hit(*rays))
    np.testing.assert_array_equal(counts, mesh.count_hits(*rays))
