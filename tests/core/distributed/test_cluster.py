# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks of rays on a cluster of processes, some of which are killed."""

import os
import signal

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.distributed import target

from ..meshes import torus
from ..peers import peer
from .helpers import RecordingMesh, assert_same_bits, casts, copies, rays_around, wait_until

DOWN = (0, 0, -1.0)


@pytest.fixture(scope="module")
def mesh():
    mesh = sc.Mesh(*torus(60, 40))
    mesh.build()
    return mesh


@pytest.fixture
def on_cluster(dask, client):
    """Return what computes collections on the cluster, and gives their values in order."""

    def compute(*collections):
        return client.gather(client.compute(list(collections)))

    return compute


def living(client):
    """The processes of the workers; one that is dying has none."""
    pids = client.run(os.getpid, on_error="return").values()
    return {pid for pid in pids if isinstance(pid, int)}


def meshes_made():
    """How many meshes a worker has made so far."""
    return target.meshes.made


def test_hits_are_those_of_one_cast(rng, da, mesh, on_cluster):
    origins, directions = rays_around(rng, (300, 4))
    chunked = da.from_array(origins, chunks=(70, 3, 3))
    hits = sc.distributed.cast_rays(mesh, chunked, directions)
    computed = dict(zip(hits, on_cluster(*hits.values()), strict=True))
    assert_same_bits(computed, mesh.cast_rays(origins, directions))


@pytest.mark.parametrize("kind", ["in memory", "in a file"])
def test_a_worker_gets_a_mesh_once(tmp_path, rng, da, client, on_cluster, kind):
    mesh = sc.Mesh(torus(30, 20)[0] + rng.normal(size=3), torus(30, 20)[1])  # a new one to all
    mesh.build()
    mesh.save(tmp_path / "mesh.npz")
    origins, directions = rays_around(rng, (400,))
    target = mesh if kind == "in memory" else tmp_path / "mesh.npz"
    before = client.run(meshes_made)
    for _ in range(2):
        chunked = da.from_array(origins, chunks=(10, 3))
        hits = sc.distributed.cast_rays(target, chunked, directions, columns=["triangle", "hit"])
        triangle, hit = on_cluster(hits.triangle, hits.hit)
        assert (triangle == mesh.cast_rays(origins, directions).triangle).all()
        assert (hit == (triangle >= 0)).all()
    made = {worker: count - before[worker] for worker, count in client.run(meshes_made).items()}
    assert set(made.values()) == {1}


def test_a_killed_worker_loses_nothing(tmp_path, rng, da, client):
    """Kill one of three in the middle of a run, twice: results that it held are made again."""
    distributed = peer("distributed")
    mesh = RecordingMesh(tmp_path / "casts", *torus(60, 40), seconds=0.2)
    origins, directions = rays_around(rng, (6000,))
    chunks = 60
    rows = len(origins) // chunks
    hits = sc.distributed.cast_rays(mesh, da.from_array(origins, chunks=(rows, 3)), directions)
    kept = dict(zip(hits, client.persist(list(hits.values())), strict=True))
    for share in (chunks // 4, chunks // 2):
        wait_until(lambda share=share: len(casts(mesh.file)) >= share)
        assert not all(future.done() for future in distributed.futures_of(list(kept.values())))
        pids = set(client.run(os.getpid).values())
        os.kill(min(pids), getattr(signal, "SIGKILL", signal.SIGTERM))
        wait_until(lambda pids=pids: living(client) - pids)  # until another is in its place
    computed = dict(zip(kept, client.gather(client.compute(list(kept.values()))), strict=True))
    assert_same_bits(computed, sc.Mesh(*torus(60, 40)).cast_rays(origins, directions))
    notes = casts(mesh.file)
    assert len({pid for pid, *_ in notes}) >= 4  # three workers, and at least one in a dead's place
    assert len(notes) > chunks  # what was lost was cast again


def test_what_a_worker_cannot_read_is_an_error_that_names_it(tmp_path, da, mesh, on_cluster):
    mesh.save(tmp_path / "mesh.npz")
    hits = sc.distributed.cast_rays(tmp_path / "mesh.npz", copies(da, (1, 0, 5), 4, 2), DOWN)
    (tmp_path / "mesh.npz").unlink()
    with pytest.raises(sc.errors.MeshFileError, match=r"mesh\.npz' cannot be read here"):
        on_cluster(hits.distance)


def test_a_chunk_that_fails_says_why(dask, da, mesh, on_cluster):
    def fail(_):
        raise ValueError("the disk is on fire")

    good, bad = (
        copies(da, (1, 0, 5), 4, 2),
        copies(da, (1, 0, 5), 4, 4).map_blocks(fail, dtype=float, meta=np.empty((0, 0))),
    )
    hits = sc.distributed.cast_rays(mesh, da.concatenate([good, bad]), DOWN)
    assert on_cluster(hits.hit[:4])[0].all()
    with pytest.raises(ValueError, match="the disk is on fire"):
        on_cluster(hits.hit)


def test_a_worker_uses_the_threads_it_was_given_and_no_more(tmp_path, rng, da):
    distributed = peer("distributed")
    mesh = RecordingMesh(tmp_path / "casts", *torus(60, 40), seconds=0.02)
    origins, directions = rays_around(rng, (3000,))
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=3, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        for rows in (3000, 100):  # a chunk that is alone, then many
            chunked = da.from_array(origins, chunks=(rows, 3))
            hits = sc.distributed.cast_rays(mesh, chunked, directions, columns="triangle")
            client.gather(client.compute(hits.triangle))
    alone, *many = casts(mesh.file)
    assert alone[3] == 3
    assert len(many) == 30
    assert {threads for *_, threads in many} <= {1, 2, 3}
    for _, moment, _, _ in many:
        assert sum(n for _, start, end, n in many if start <= moment < end) <= 3
    assert len({pid for pid, *_ in many}) == 1
