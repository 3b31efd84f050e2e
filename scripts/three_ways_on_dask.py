# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of ``three_ways.py`` that runs on a cluster of processes, without Blender."""

import sys
import time
from pathlib import Path

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import standalone_core as sc
from three_ways import COLUMNS


def main(folder: Path) -> None:
    """Cast the rays at the scene's file on two workers."""
    with np.load(folder / "rays.npz") as rays:
        given = [da.from_array(rays[name], (100_000, 3)) for name in ("origins", "directions")]
    workers = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with workers as cluster, Client(cluster):
        start = time.perf_counter()
        hits = sc.distributed.cast_rays(folder / "scene.npz", *given, columns=COLUMNS)
        columns = hits.compute()
        seconds = time.perf_counter() - start
    print(f"on Dask: {len(given[0]) / seconds:,.0f} rays a second", flush=True)
    np.savez(folder / "dask.npz", **columns)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
