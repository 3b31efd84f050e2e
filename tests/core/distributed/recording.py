# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh that notes each cast in a file: when it began and ended, and how many threads it had."""

import os
import time
from pathlib import Path

import standalone_core as sc


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
