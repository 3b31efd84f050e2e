# SPDX-License-Identifier: GPL-3.0-or-later
"""All hits of chunks of rays, as rows that know their ray, and as Parquet."""

import numpy as np
import pytest

import standalone_core as sc

from ..meshes import torus
from ..peers import peer
from .rays import rays_around

MESH = sc.Mesh(*torus(24, 16))


def wanted_rows(mesh, origins, directions, **options):
    """Rows (N, 9) of ray, triangle, front, distance, point and two weights."""
    hits, splits = mesh.cast_rays_all(origins, directions, **options)
    rays = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    columns = (rays, hits.triangle, hits.front, hits.distance, hits.point, hits.barycentric[:, :2])
    return np.column_stack(columns)


COLUMNS = [
    *("ray", "triangle", "front", "distance", "point_x", "point_y", "point_z"),
    *("barycentric_a", "barycentric_b"),
]


def rows_of(frame):
    ordered = frame.sort_values("ray", kind="stable")  # of a ray the nearest stays first
    return ordered[COLUMNS].to_numpy(dtype=float)


@pytest.mark.parametrize("most", [None, 1, 2])
@pytest.mark.parametrize("chunks", [(300, 2, 3), (77, 1, 3), (1, 2, 3)])
def test_rows_are_all_hits_with_the_number_of_their_ray(rng, da, chunks, most):
    origins, directions = rays_around(rng, (90, 2))
    chunked = da.from_array(origins, chunks=chunks)
    frame = sc.distributed.cast_rays_all(MESH, chunked, directions, max_hits=most)
    wanted = wanted_rows(MESH, origins, directions, max_hits=most)
    assert len(wanted) > 50
    assert (rows_of(frame.compute()) == wanted).all()
    assert "invalid" not in frame.columns


def test_rows_go_to_parquet_and_come_back(tmp_path, rng, da):
    peer("pyarrow")
    frames = peer("dask.dataframe")
    origins, directions = rays_around(rng, (200,))
    chunked = da.from_array(origins, chunks=(64, 3))
    sc.distributed.cast_rays_all(MESH, chunked, directions).to_parquet(tmp_path / "hits")
    assert len(list((tmp_path / "hits").glob("*.parquet"))) == 4
    again = frames.read_parquet(tmp_path / "hits").compute()
    assert again["ray"].is_monotonic_increasing
    assert (rows_of(again) == wanted_rows(MESH, origins, directions)).all()


def test_rays_that_hit_nothing_make_no_rows_of_the_same_kind(da):
    origins = da.full((4, 3), 9.0, chunks=(2, 3))
    frame = sc.distributed.cast_rays_all(MESH, origins, (0, 0, 1), columns=["face", "front"])
    computed = frame.compute()
    assert list(computed.columns) == list(frame.columns) == ["ray", "face", "front"]
    assert computed.dtypes.tolist() == frame.dtypes.tolist()
    assert len(computed) == 0


def test_a_single_ray_is_ray_0(da):
    frame = sc.distributed.cast_rays_all(MESH, (1, 0, 5.0), (0, 0, -1))
    assert frame.compute()["ray"].tolist() == [0, 0]


def test_so_many_hits_must_be_a_number_from_1(dask):
    with pytest.raises(sc.errors.ArgumentError, match="max_hits"):
        sc.distributed.cast_rays_all(MESH, np.zeros((2, 3)), (0, 0, 1), max_hits=0)
