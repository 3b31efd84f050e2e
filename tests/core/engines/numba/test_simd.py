# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled code reads at an address what NumPy has there, and nothing of another type."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from standalone_core.engines.numba.kernel_types import MASK, POINTS  # noqa: E402
from standalone_core.engines.numba.simd import array_at, row_of  # noqa: E402


@numba.njit
def _read(row, point, axis, place):
    points = array_at(row[0], (row[1], 3), np.float64)
    mask = array_at(row[2], (row[3],), np.bool_)
    return points[point, axis], mask[place], points.shape, len(mask)


def test_arrays_are_read_where_they_are(rng):
    points, mask = rng.normal(size=(5, 3)), rng.random(7) < 0.5
    row = row_of([points, mask], [POINTS, MASK])
    for point, axis, place in rng.integers(0, (5, 3, 7), (20, 3)):
        found = _read(row, point, axis, place)
        assert found == (points[point, axis], mask[place], (5, 3), 7)


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((5, 3), dtype=np.float32),
        np.zeros((3, 5)).T,
        np.zeros(15),
        np.frombuffer(bytes(1 + 8 * 15), np.uint8)[1:].view(np.float64).reshape(5, 3),
    ],
)
def test_what_compiled_code_would_misread_is_refused(points):
    with pytest.raises(TypeError, match="compiled code takes"):
        row_of([points], [POINTS])
