# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core.cast import scan
from standalone_core.polygons import scan as polygon_scan
from standalone_core.polygons.polygons import Polygons

from ..polygon_meshes import quad_grid, random_polygons, split_one_by_one
from ..questions import exact_hits, toward
from ..ray_batches import batch

SIZES = [3, 4, 6, (3, 4, 5, 7)]


def at_triangles(rng, vertices, corners, sizes, count):
    """Rays at faces, and the triangles of which faces they may hit."""
    owner = FanOwner(sizes)
    found, faces = split_one_by_one(vertices, corners, sizes, owner)
    triangles = corners[found]
    origins, directions = toward(rng, vertices.astype(float), triangles, count)
    return origins, directions, triangles, faces


class FanOwner:
    """Larger faces as fans around their first corners."""

    def __init__(self, sizes):
        self.starts, self.sizes = np.cumsum(sizes) - sizes, sizes

    def corners(self, face):
        start, size = int(self.starts[face]), int(self.sizes[face])
        return [(start, start + i + 1, start + i + 2) for i in range(size - 2)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_every_face_that_a_ray_hits_is_a_candidate(rng, sizes, kind):
    vertices, corners, sizes = random_polygons(rng, 40, sizes)
    vertices = vertices.astype(kind)
    polygons = Polygons(vertices, corners, sizes)
    origins, directions, triangles, faces = at_triangles(rng, vertices, corners, sizes, 15)
    rays = batch(origins, directions)
    some = 0
    for i in range(15):
        found = polygon_scan.candidates(rays.ray(i), polygons)
        assert found.tolist() == sorted(set(found.tolist()))
        sure, _, _ = exact_hits(origins[i], directions[i], vertices.astype(float), triangles)
        assert set(faces[list(sure)].tolist()) <= set(found.tolist())
        some += len(sure)
    assert some >= 5


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_chunks_and_the_form_of_sizes_change_nothing(rng, sizes, monkeypatch):
    vertices, corners, sizes = random_polygons(rng, 100, sizes)
    ways = [Polygons(vertices, corners, sizes), Polygons(vertices.astype(float), corners, sizes)]
    if (sizes == sizes[0]).all():
        ways.append(Polygons(vertices, corners, int(sizes[0])))
    origins, directions, *_ = at_triangles(rng, vertices, corners, sizes, 5)
    rays = batch(origins, directions)
    whole = [polygon_scan.candidates(rays.ray(i), ways[0]).tolist() for i in range(5)]
    assert any(whole)
    for chunk in (1, 7, 99, 100, 101):
        monkeypatch.setattr(scan, "_CHUNK", chunk)
        monkeypatch.setattr(polygon_scan, "_CHUNK", chunk)
        for polygons in ways:
            found = [polygon_scan.candidates(rays.ray(i), polygons).tolist() for i in range(5)]
            assert found == whole


def test_few_others_are_candidates(rng):
    vertices, corners = quad_grid(60)
    rays = batch(
        rng.uniform(0.1, 0.9, (20, 3)) + (0, 0, 1), rng.normal(0, 0.1, (20, 3)) - (0, 0, 1)
    )
    for sizes in (4, np.full(3600, 4)):
        polygons = Polygons(vertices, corners, sizes)
        counts = [len(polygon_scan.candidates(rays.ray(i), polygons)) for i in range(20)]
        assert 1 <= max(counts) < 3600 / 100


def test_a_float32_mesh_has_the_bounds_of_a_float64_one(rng):
    for count in (0, 1, 5, 1023, 1024, 1025, 5000):
        for broken in (0, 3):
            vertices = rng.normal(size=(count, 3)).astype(np.float32)
            vertices[: min(broken, count), 1] = np.nan
            lower, upper = Polygons(vertices, [], 4).bounds
            good = vertices[np.isfinite(vertices).all(axis=1)].astype(float)
            nothing = np.full((1, 3), np.nan)
            np.testing.assert_array_equal(lower, (good if len(good) else nothing).min(axis=0))
            np.testing.assert_array_equal(upper, (good if len(good) else nothing).max(axis=0))
            assert lower.dtype == upper.dtype == np.float64


def test_no_faces_have_no_candidates():
    ray = batch((0, 0, 0), (0, 0, 1.0)).ray(0)
    for vertices in (np.empty((0, 3)), np.ones((4, 3), dtype=np.float32)):
        for sizes in (3, 4, []):
            assert polygon_scan.candidates(ray, Polygons(vertices, [], sizes)).tolist() == []
