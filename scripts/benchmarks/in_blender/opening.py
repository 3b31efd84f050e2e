# SPDX-License-Identifier: GPL-3.0-or-later
"""What enabling the extension and opening a file cost: nothing is read before the first pick."""

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import bpy

from ..timing import latencies, quiet
from . import extension, scenes
from .bench import Bench
from .contestants import OURS

_OBJECTS, _FACES = 100, 10_000
WITHOUT = "without raypick"


def opening(bench: Bench) -> None:
    """Enable the extension, and open a file, in rounds; count the meshes read by either."""
    scenes.empty()
    scenes.show_tori(scenes.lattice(_OBJECTS, 4.0), _FACES // bench.small)
    scene = f"{_OBJECTS} meshes"
    enabling, opened, plain, held, read = [], [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scene.blend")
        bpy.ops.wm.save_as_mainfile(filepath=file, compress=False)
        for _ in range(bench.rounds):
            extension.disable()
            plain.append(_timed(lambda: bpy.ops.wm.open_mainfile(filepath=file)))
            scenes.evaluate()
            enabling.append(_timed(extension.enable))
            held += extension.held_bytes()
            with extension.counted_reads() as readers:
                opened.append(_timed(lambda: bpy.ops.wm.open_mainfile(filepath=file)))
                scenes.evaluate()
            read += sum(reader.call_count for reader in readers)
    bench.add("enable", scene, OURS, statistics.median(enabling))
    bench.add("open", scene, OURS, statistics.median(opened))
    bench.add("open", scene, WITHOUT, statistics.median(plain))
    bench.add("read_early", scene, OURS, read + held, "x")


def _timed(work: Callable[[], object]) -> float:
    with quiet():
        return latencies(work, [()])[0]
