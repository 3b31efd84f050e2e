# SPDX-License-Identifier: GPL-3.0-or-later
import itertools
import math

import numpy as np

from standalone_core.arrays import normalized
from standalone_core.instance import _unit

NUMBERS = [0.0, 1.0, -3.0, 1e-320, 1e-200, 1e200, -1.7e308, math.inf, -math.inf, math.nan]


def test_a_lone_normal_gets_the_bits_of_many():
    for vector in itertools.product(NUMBERS, repeat=3):
        with np.errstate(all="ignore"):
            expected = normalized(np.array(vector))
        np.testing.assert_array_equal(np.array(_unit(vector)), expected, str(vector))
