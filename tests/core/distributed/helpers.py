# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests share: rays, what their hits must be equal to, a mesh that notes its casts."""

import os
import time
from dataclasses import fields
from pathlib import Path

import numpy as np

import standalone_core as sc


def rays_around(rng, shape):
    """Rays (..., 3) from around toward the middle, some of which are no rays."""
    origins = rng.normal(size=(*shape, 3)) * 2
    directions = 0.4 * rng.normal(size=(*shape, 3)) - origins
    flat = directions.reshape(-1, 3)
    flat[::17] = 0.0
    flat[5::23, 1] = np.nan
    return origins, directions


def copies(da, place, count, rows):
    """So many copies (count, 3) of a place, in chunks of so many rows."""
    return da.from_array(np.full((count, 3), place, dtype=float), chunks=(rows, 3))


def assert_same_bits(computed, hits):
    """Compare columns with those of hits, to the last bit."""
    assert set(computed) == {*(field.name for field in fields(sc.RayHits)), "hit", "invalid"}
    for name, column in computed.items():
        wanted = np.asarray(getattr(hits, name))
        assert (column.dtype, column.shape) == (wanted.dtype, wanted.shape), name
        assert column.tobytes() == wanted.tobytes(), name


class RecordingMesh(sc.Mesh):
    """Appends a line to a file for each cast of any rays, which takes some time at least."""

    def __init__(self, file, *args, seconds=0.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.file, self.seconds = str(file), seconds

    def cast_rays(self, origins, directions, *args, **kwargs):
        start = time.monotonic()
        hits = super().cast_rays(origins, directions, *args, **kwargs)
        if hits.shape[0]:
            time.sleep(self.seconds)
            note = f"{os.getpid()} {start} {time.monotonic()} {sc.thread_count()}\n"
            with open(self.file, "a") as file:  # one write: lines of others come before or after
                file.write(note)
        return hits


def casts(file):
    """What was noted: process, start, end, threads."""
    path = Path(file)
    lines = path.read_text().splitlines() if path.exists() else []
    notes = [line.split() for line in lines]
    return [(int(pid), float(start), float(end), int(n)) for pid, start, end, n in notes]


def wait_until(condition, patience=120.0):
    """Wait for a condition, so many seconds at most."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
