# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core.numerics.columns import distinct


@pytest.mark.parametrize("count", [0, 1, 2, 500])
def test_columns_that_are_equal_are_of_one_kind_and_others_are_not(rng, count):
    keys = rng.integers(-1, 2, (3, count)) * 1.0
    first, kind = distinct(keys)
    assert np.array_equal(keys[:, first[kind]], keys)
    assert len(first) == len({tuple(column) for column in keys.T.tolist()})


def test_zeros_are_equal_whatever_their_sign():
    first, kind = distinct(np.array([[0.0, -0.0, 1.0], [1.0, 1.0, 1.0]]))
    assert len(first) == 2
    assert kind[0] == kind[1] != kind[2]
