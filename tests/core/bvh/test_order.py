# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import numpy as np
import pytest

from standalone_core.bvh import LEAF, build
from standalone_core.concurrency import threads as core_threads
from standalone_core.concurrency.threads import ThreadLimit

COUNTS = [0, 1, 4, 5, 8, 9, 63, 64, 65, 1000, 1024, 1025, 3000]


def ordered(middles, report=lambda done: None):
    return build.order_items(np.asarray(middles, np.float32), report)


def assert_is_cut_at_medians(middles, items):
    """Each run of LEAF * 2**k items parts from the next along one axis, at most touching it."""
    middles = middles[:, items]
    size = LEAF
    while size < len(items):
        for first in range(0, len(items) - size, 2 * size):
            left = middles[:, first : first + size].max(axis=1)
            right = middles[:, first + size : first + 2 * size].min(axis=1)
            assert (left <= right).any()
        size *= 2


def clouds(rng, count):
    yield rng.uniform(-1, 1, (3, count))
    yield rng.normal(size=(3, count)) * ((1,), (1e-3,), (1e-20,))
    yield rng.integers(-1, 2, (3, count))
    yield np.zeros((3, count))
    yield np.linspace(-1, 1, count) * ((0,), (1,), (1,))


@pytest.mark.parametrize("count", COUNTS)
def test_every_item_comes_once_and_runs_are_cells_of_a_tree_of_medians(rng, count):
    for cloud in clouds(rng, count):
        middles = cloud.astype(np.float32)
        items = ordered(middles)
        assert sorted(items.tolist()) == list(range(count))
        assert_is_cut_at_medians(middles, items)


@pytest.mark.parametrize("count", [1025, 2048, 2049, 5000])
def test_blocks_that_are_halved_apart_join_without_a_seam(rng, monkeypatch, count):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    for cloud in clouds(rng, count):
        middles = cloud.astype(np.float32)
        items = ordered(middles)
        assert sorted(items.tolist()) == list(range(count))
        assert_is_cut_at_medians(middles, items)


def test_the_order_is_the_same_every_time(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    monkeypatch.setattr(core_threads, "_WORTH_IT", 0)
    middles = rng.uniform(-1, 1, (3, 5000)).astype(np.float32)
    first = ordered(middles)
    for count in (1, 2, 7):
        with ThreadLimit(count):
            np.testing.assert_array_equal(ordered(middles), first)


def test_a_run_is_cut_along_its_widest_axis(rng):
    middles = rng.uniform(-1, 1, (3, 64)) * ((1,), (100,), (10,))
    items = ordered(middles)
    assert middles[1, items[:32]].max() <= middles[1, items[32:]].min()


def test_the_given_middles_stay_as_they_are(rng):
    middles = rng.uniform(-1, 1, (3, 100)).astype(np.float32)
    before = middles.copy()
    ordered(middles)
    np.testing.assert_array_equal(middles, before)


def test_the_progress_goes_up_to_1(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)
    told = []
    ordered(rng.uniform(-1, 1, (3, 5000)), told.append)
    assert len(told) > 4
    assert told[-1] == 1
    assert all(0 < a <= b for a, b in itertools.pairwise(told))


def test_what_the_progress_raises_comes_out(rng, monkeypatch):
    monkeypatch.setattr(build, "_BLOCK", 1024)

    def stop(done):
        raise ArithmeticError(done)

    with pytest.raises(ArithmeticError):
        ordered(rng.uniform(-1, 1, (3, 5000)), stop)
