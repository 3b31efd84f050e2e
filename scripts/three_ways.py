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
import importlib
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from build_extension import build
from checkout import CACHE, run_script
from environment import run_in

_OF_HITS = "face", "triangle", "barycentric", "point", "normal", "distance", "front"
_COLUMNS = ("instance", *_OF_HITS)
_CALL = "import sys, three_ways; getattr(three_ways, sys.argv[1])(*sys.argv[2:])"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare three ways to cast rays at a scene.")
    parser.add_argument("--rays", type=int, default=2_000_000)
    parser.add_argument("--sample", type=int, default=2_000, help="rays to cast one by one too")
    parser.add_argument("--seed", type=int, default=20240229)
    asked = parser.parse_args()
    extension = build()
    with tempfile.TemporaryDirectory(prefix="three-ways-", dir=CACHE) as folder:
        own = {"BLENDER_USER_RESOURCES": str(Path(folder, "profile"))}
        numbers = [str(each) for each in (asked.rays, asked.sample, asked.seed)]
        blend, rays = Path(folder, "scene.blend"), Path(folder, "rays.npz")
        steps = (
            ("bpy-5.0", "-c", _CALL, "cast_in_blender", extension, folder, *numbers),
            (
                *("bpy-5.0", "-m", "standalone_core.distributed.in_bpy", "--extension", extension),
                *(blend, "--", "cast", "--rays", rays, "--out", Path(folder, "command.npz")),
                *("--passes", "id,face,weights,point,normal,distance,front", "--quiet"),
            ),
            ("dask", "-c", _CALL, "cast_on_dask", folder),
        )
        for name, *command in steps:
            if run_in(name, *command, **own) != 0:
                return 1
        return _compare(Path(folder))


def cast_in_blender(extension: str, to: str, *numbers: str) -> None:
    """In Blender: write the scene, the rays and their hits, some of them also cast one by one."""
    import bpy

    from demo_scene import build_scene

    folder, (count, sample, seed) = Path(to), map(int, numbers)
    bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=extension, enable_on_install=True
    )
    api = importlib.import_module("bl_ext.user_default.raypick.api")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(count, 3)) * 4 + (0, 0, 3)
    directions = rng.normal(size=(count, 3)) * 2 - origins
    np.savez(folder / "rays.npz", origins=origins, directions=directions)
    api.save_scene(api.core_scene(bpy.context), folder / "scene.npz")
    start = time.perf_counter()
    hits = api.cast_rays(bpy.context, origins, directions)
    print(f"api.cast_rays: {count / (time.perf_counter() - start):,.0f} rays a second", flush=True)
    np.savez(folder / "api.npz", **hits)
    rows = rng.choice(np.flatnonzero(hits.hit), sample)
    alone = [api.ray_cast(bpy.context, origins[i], directions[i])[0] for i in rows]
    columns = {name: np.array([getattr(hit, name) for hit in alone]) for name in _OF_HITS}
    keys = [(hit.object, hit.instancer, hit.instance) for hit in alone]
    table = hits.instances
    row_of = {
        (hits.objects[table.object[i]], table.instancer[i], table.persistent_id[i]): i
        for i in range(len(table))
    }
    np.savez(folder / "alone.npz", row=rows, instance=[row_of[key] for key in keys], **columns)


def cast_on_dask(to: str) -> None:
    """Without Blender: cast the rays at the scene's file on two workers."""
    import dask.array as da
    from dask.distributed import Client, LocalCluster

    import standalone_core as sc

    folder = Path(to)
    with np.load(folder / "rays.npz") as rays:
        given = [da.from_array(rays[name], (100_000, 3)) for name in ("origins", "directions")]
    workers = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with workers as cluster, Client(cluster):
        start = time.perf_counter()
        hits = sc.distributed.cast_rays(folder / "scene.npz", *given, columns=_COLUMNS)
        columns = hits.compute()
        seconds = time.perf_counter() - start
    print(f"on Dask: {len(given[0]) / seconds:,.0f} rays a second", flush=True)
    np.savez(folder / "dask.npz", **columns)


def _compare(folder: Path) -> int:
    ways = {way: np.load(folder / f"{way}.npz") for way in ("api", "command", "dask")}
    sample = np.load(folder / "alone.npz")
    rows, wrong = sample["row"], 0
    for name in _COLUMNS:
        first = ways["api"][name]
        compared = [(way, first, ways[way][name]) for way in ("command", "dask")]
        for way, one, other in (*compared, ("api.ray_cast", first[rows], sample[name])):
            if one.tobytes() != other.astype(first.dtype).tobytes():
                print(f"{way}: {name} differs", file=sys.stderr)
                wrong += 1
    hits = np.count_nonzero(ways["api"]["instance"] >= 0)
    cast = f"{len(ways['api']['instance']):,} rays, {hits:,} hits, {len(rows):,} of them also alone"
    print(f"{cast}: {f'{wrong} columns differ' if wrong else 'the same bits in three ways'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    run_script(main)
