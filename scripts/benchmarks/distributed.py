# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure chunks of rays on clusters of this machine: rays a second, overhead, memory.

    python scripts/environment.py dask benchmarks.distributed --mesh bunny.npz

Rays are on the workers before a measure begins, and results stay there. Rates and overheads are
the best of three runs. The load of other programs is printed, as it affects all figures.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import psutil
from distributed import Client, LocalCluster, wait

import standalone_core as sc
from checkout import say

from .meshes import incoherent_rays, loaded
from .timing import OtherWork, cores

RUNS = 3
TINY_CHUNKS = 1000
COLUMNS = {"triangle": ["triangle"], "all columns": None}


def main() -> None:
    options = parse_arguments()
    shape = loaded(options.mesh, seed=1)
    mesh = sc.Mesh(shape.vertices, shape.triangles)
    mesh.build()
    sc.compile()
    other = OtherWork()
    say(f"{options.mesh.stem}, {len(shape):,} triangles, {options.rays:,} rays, {cores()} cores")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mesh.npz")
        mesh.save(path)
        print_row("", *COLUMNS, "a tiny chunk", "memory of a worker")
        print_row(*["---"] * 5)
        for threads in (1, cores()):
            found = measure_alone(mesh, shape.corners, options, threads)
            print_row(f"one process, {counted(threads, 'thread')}", *found, "", "")
        for workers, threads in ((1, 1), (2, 1), (4, 1), (1, cores())):
            with cluster(workers, threads) as client:
                name = f"{counted(workers, 'worker')} of {counted(threads, 'thread')}"
                print_row(name, *measure_on(client, path, shape.corners, options))
    busy = other.cores()
    say("" if busy is None else f"with the workers, other programs kept {busy:.1f} cores busy")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure chunks of rays on clusters.")
    parser.add_argument("--mesh", type=Path, required=True, help="an npz file, see benchmark.py")
    parser.add_argument("--rays", type=int, default=2_000_000)
    parser.add_argument("--chunk", type=int, default=100_000, help="rays in a chunk")
    return parser.parse_args()


@contextmanager
def cluster(workers: int, threads: int) -> Iterator[Client]:
    """Start so many workers, and compile the code in each."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=threads, dashboard_address=None
        ) as local,
        Client(local) as client,
    ):
        client.run(sc.compile)
        yield client


def measure_alone(
    mesh: sc.Mesh, corners: np.ndarray, options: argparse.Namespace, threads: int
) -> list[str]:
    """Rays a second without Dask, in the same chunks; hits always have all columns there."""
    parts = [
        incoherent_rays(corners, options.chunk, np.random.default_rng(i))
        for i in range(chunks(options))
    ]

    def run(*names: str) -> list[Any]:
        found = (mesh.cast_rays(*part, threads=threads) for part in parts)
        return [[np.array(getattr(hits, name)) for name in names] for hits in found]

    every = tuple(sc.distributed.cast_rays(mesh, *parts[0]))
    run("triangle")
    seconds = [best(partial(run, *names)) for names in (("triangle",), every)]
    return [rate(options, each) for each in seconds]


def measure_on(
    client: Client, path: Path, corners: np.ndarray, options: argparse.Namespace
) -> list[str]:
    numbers = da.arange(chunks(options), chunks=1)
    rays = [
        numbers.map_blocks(
            rays_of, corners, options.chunk, part, new_axis=1, chunks=(options.chunk, 3),
            dtype=float, meta=np.empty((0, 0)),
        )
        for part in (0, 1)
    ]  # fmt: skip
    origins, directions = client.persist(rays)
    wait([origins, directions])
    before = max(client.run(memory).values())

    def run(names: list[str] | None) -> None:
        hits = sc.distributed.cast_rays(path, origins, directions, columns=names)
        done = client.persist(list(hits.values()))
        wait(done)

    run(["triangle"])
    with_mesh = max(client.run(memory).values())
    rates = [rate(options, best(partial(run, names))) for names in COLUMNS.values()]
    grown = f"{before / 1e6:.0f} MB, with the mesh {with_mesh / 1e6:.0f} MB"
    return [*rates, f"{1e3 * tiny_chunk(client, path):.1f} ms", grown]


def tiny_chunk(client: Client, path: Path) -> float:
    """Seconds for a chunk of one ray."""
    rays = da.zeros((TINY_CHUNKS, 3), chunks=(1, 3))

    def cast() -> None:
        hits = sc.distributed.cast_rays(path, rays, (0, 0, 1.0), columns="triangle")
        wait(client.persist(hits.triangle))

    cast()
    return best(cast) / TINY_CHUNKS


def rays_of(number: np.ndarray, corners: np.ndarray, count: int, part: int) -> np.ndarray:
    """Origins or directions (count, 3) of a chunk, the same in every process."""
    return incoherent_rays(corners, count, np.random.default_rng(number[0]))[part]


def memory() -> int:
    return int(psutil.Process().memory_info().rss)


def counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count > 1)}"


def chunks(options: argparse.Namespace) -> int:
    return int(options.rays // options.chunk)


def best(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def rate(options: argparse.Namespace, seconds: float) -> str:
    return f"{chunks(options) * options.chunk / seconds / 1e6:.2f} M rays/s"


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
