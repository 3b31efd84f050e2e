# SPDX-License-Identifier: GPL-3.0-or-later
"""Cast the same rays at the same scene in three ways, and compare the hits bit by bit.

    python scripts/three_ways.py
    python scripts/three_ways.py --rays 100000 --sample 200

The ways are ``api.cast_rays`` in Blender, the command ``raypick cast`` in another Blender, and
``standalone_core.distributed.cast_rays`` on a cluster of processes without Blender. A sample is
also cast ray by ray with ``api.ray_cast``. Sets up what it needs first, in the checkout. The exit
status is 1 if a single number differs.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from build_extension import build
from checkout import CACHE, run_script
from environment import run_in

COLUMNS = (
    *("instance", "face", "triangle", "barycentric", "point", "normal", "distance", "front"),
)


def main() -> int:
    """Cast in all ways, and say whether they agree."""
    parser = argparse.ArgumentParser(description="Compare three ways to cast rays at a scene.")
    parser.add_argument("--rays", type=int, default=2_000_000)
    parser.add_argument("--sample", type=int, default=2_000, help="rays that are cast alone too")
    parser.add_argument("--seed", type=int, default=20240229)
    asked = parser.parse_args()
    extension = build()
    with tempfile.TemporaryDirectory(prefix="three-ways-", dir=CACHE) as folder:
        own = {"BLENDER_USER_RESOURCES": str(Path(folder, "profile"))}
        numbers = [str(each) for each in (asked.rays, asked.sample, asked.seed)]
        blend, rays = Path(folder, "scene.blend"), Path(folder, "rays.npz")
        steps = (
            ("bpy-5.0", "-m", "three_ways_in_blender", extension, folder, *numbers),
            (
                *("bpy-5.0", "-m", "standalone_core.distributed.in_bpy", "--extension", extension),
                *(blend, "--", "cast", "--rays", rays, "--out", Path(folder, "command.npz")),
                *("--passes", "id,face,weights,point,normal,distance,front", "--quiet"),
            ),
            ("dask", "-m", "three_ways_on_dask", folder),
        )
        for name, *command in steps:
            if run_in(name, *command, **own) != 0:
                return 1
        return _compare(Path(folder))


def _compare(folder: Path) -> int:
    ways = {way: np.load(folder / f"{way}.npz") for way in ("api", "command", "dask")}
    sample = np.load(folder / "alone.npz")
    rows, wrong = sample["row"], 0
    for name in COLUMNS:
        first = ways["api"][name]
        for way in ("command", "dask"):
            if first.tobytes() != ways[way][name].astype(first.dtype).tobytes():
                print(f"{way}: {name} differs", file=sys.stderr)
                wrong += 1
        if first[rows].tobytes() != sample[name].astype(first.dtype).tobytes():
            print(f"api.ray_cast: {name} differs", file=sys.stderr)
            wrong += 1
    hits = np.count_nonzero(ways["api"]["instance"] >= 0)
    print(
        f"{len(ways['api']['instance']):,} rays, {hits:,} hits, {len(rows):,} of them alone: ",
        end="",
    )
    print(f"{wrong} columns differ" if wrong else "the same bits in three ways")
    return 1 if wrong else 0


if __name__ == "__main__":
    run_script(main)
