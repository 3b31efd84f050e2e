# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of trees and builds, each measured in a process of its own (on Linux).

Run as a module, this is that process: the contestant's name and the folder of the mesh are its
arguments, and it prints two numbers.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from checkout import CACHE, say

from . import field, shape
from .bench import Bench

_STATUS = Path("/proc/self/status")


def tree(bench: Bench) -> None:
    """Measure the bytes of a tree for each triangle."""
    for name, (size, _) in _measured(bench, [c.name for c in bench.contestants]).items():
        bench.add("memory", name, size / len(bench.shape), "B", 1)


def peak(bench: Bench) -> None:
    """Measure the most memory that a process holds that loads Raypick and builds the tree."""
    ours = [contestant.name for contestant in bench.contestants if contestant.is_ours]
    for name, (_, most) in _measured(bench, ours).items():
        bench.add("peak", name, most, "B", 1)


def _measured(bench: Bench, names: list[str]) -> dict[str, tuple[int, int]]:
    """Bytes of the tree and of the process at its peak."""
    if not _STATUS.exists():
        say("memory is measured on Linux alone")
        return {}
    found = {}
    with tempfile.TemporaryDirectory(prefix="bench-", dir=CACHE) as folder:
        shape.save(bench.shape, Path(folder))
        for name in names:
            command = [sys.executable, "-m", __spec__.name, name, folder]
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode:
                say(f"no memory of {name}: {(run.stderr.splitlines() or ['it crashed'])[-1]}")
            else:
                size, most = map(int, run.stdout.splitlines()[-1].split())
                found[name] = (size, most)
    return found


def _measure(name: str, folder: Path) -> None:
    contestant = field.MAKERS[name]()
    field.warm_up(contestant)
    contestant.prepare(shape.read(folder))
    contestant.forget()
    before = _memory("VmRSS")
    contestant.construct_and_build()
    size = contestant.tree_bytes()
    print(_memory("VmRSS") - before if size is None else size, _memory("VmHWM"))


def _memory(field: str) -> int:
    """Memory of this process; ``ru_maxrss`` would count the one that started it, too."""
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    _measure(sys.argv[1], Path(sys.argv[2]))
