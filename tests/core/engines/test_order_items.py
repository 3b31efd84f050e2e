# SPDX-License-Identifier: GPL-3.0-or-later
"""Each engine's order of items makes a tree of medians; which one does not matter to answers."""

import itertools

import numpy as np
import pytest

from standalone_core.bvh import LEAF
from standalone_core.bvh.build import order_items
from standalone_core.engines import engine_named

ROUNDING = 2.0**-29
"""By how much an engine may take the middles for others; they are of size 1 at most."""


def order_items_of(engine):
    return order_items if engine == "numpy" else engine_named(engine).order_items


def clouds(rng, count):
    yield rng.uniform(-1, 1, (3, count))
    yield rng.normal(size=(3, count)).clip(-1, 1) * ((1,), (1e-3,), (1e-20,))
    yield rng.integers(-1, 2, (3, count))
    yield np.ones((3, count))


@pytest.mark.parametrize("count", [0, 1, 4, 5, 63, 64, 65, 3000, 70_000])
def test_every_item_comes_once_and_runs_part_along_one_axis(rng, engine, count):
    for cloud in clouds(rng, count):
        middles = cloud.astype(np.float32)
        items = order_items_of(engine)(middles, lambda done: None)
        np.testing.assert_array_equal(np.sort(items), np.arange(count))
        ordered = middles[:, items]
        size = LEAF
        while size < count:
            for first in range(0, count - size, 2 * size):
                left = ordered[:, first : first + size].max(axis=1)
                right = ordered[:, first + size : first + 2 * size].min(axis=1)
                assert (left <= right + ROUNDING).any()
            size *= 2


def test_the_progress_goes_up_to_1_and_what_it_raises_comes_out(rng, engine):
    middles = rng.uniform(-1, 1, (3, 200_000)).astype(np.float32)
    told = []
    order_items_of(engine)(middles, told.append)
    assert told[-1] == 1
    assert all(a <= b for a, b in itertools.pairwise(told))

    def stop(done):
        raise ArithmeticError(done)

    with pytest.raises(ArithmeticError):
        order_items_of(engine)(middles, stop)
