# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled selection of a median: always right, and never many passes."""

import numpy as np
import pytest

from ...new_engine import module_of_kernels

build_kernel = module_of_kernels("build_kernel")

COUNT = 100_000
ROW = np.arange(COUNT)
KEYS = {
    "rising": ROW,
    "rising, then falling": np.minimum(ROW, COUNT - ROW),
    "falling, then rising": np.maximum(ROW, COUNT - ROW),
    "a saw": ROW % 1000,
    "a peak at each sample": np.where(ROW % 787 == 393, 2**30, ROW % 787),
    "two values": ROW % 2,
    "one value": ROW * 0,
    "the ends of the range": np.where(ROW % 2, 2**30, -(2**30)),
    "random": np.random.default_rng(0).integers(-(2**30), 2**30, COUNT),
}


@pytest.mark.parametrize("share", [0.0001, 0.012, 0.1, 0.5, 0.66, 0.9, 0.987, 0.9999])
@pytest.mark.parametrize("name", KEYS)
def test_a_few_passes_part_any_rows_at_any_place(monkeypatch, name, share):
    records = np.zeros((COUNT, 4), dtype=np.int32)
    records[:, 1], records[:, 3] = KEYS[name], ROW
    passes = []
    part = build_kernel._part
    monkeypatch.setattr(build_kernel, "_part", lambda *given: passes.append(given) or part(*given))
    keys, spare = np.empty(127, dtype=np.int32), np.empty((8, 4), dtype=np.int32)
    middle = int(COUNT * share)
    build_kernel._select.py_func(records, 0, COUNT, middle, 1, keys, spare)
    assert records[:middle, 1].max() <= records[middle:, 1].min()
    np.testing.assert_array_equal(np.sort(records[:, 3]), ROW)
    np.testing.assert_array_equal(records[:, 1], KEYS[name][records[:, 3]])
    assert len(passes) < 60
