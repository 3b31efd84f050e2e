# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory for picked meshes is bounded by a preference; what is let go is read again.

The box of what a scale of zero flattens holds every vertex, whatever rounding does.
"""

import time
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ...conftest import PACKAGE
from ...scenes import down


class Held:
    """All that is held of meshes."""

    def __init__(self, snapshot):
        self._snapshot = snapshot

    @property
    def meshes(self):
        return self._snapshot._meshes()

    @property
    def nbytes(self):
        return self._snapshot.memory().bytes


@pytest.fixture
def cache(raypick):
    """The meshes that are held, under a limit that tests set in MiB."""
    preferences = bpy.context.preferences.addons[PACKAGE].preferences
    before = preferences.cache_size
    yield Held(import_module(f"{PACKAGE}.bridge.scene.snapshot"))
    preferences.cache_size = before


def set_limit(mebibytes):
    bpy.context.preferences.addons[PACKAGE].preferences.cache_size = mebibytes


def grids(count, points=200):
    """Grids side by side along x, of 0.5 MB of positions and 0.6 MB of corners each."""
    made = []
    for i in range(count):
        bpy.ops.mesh.primitive_grid_add(x_subdivisions=points, y_subdivisions=points)
        made.append(bpy.context.object)
        made[-1].location.x = 3.0 * i
        made[-1].name = f"Grid {i}"
    return made


def pick(raypick, i):
    (hit,) = down(raypick, 3.0 * i + 0.123, 0.234)
    assert hit.object == f"Grid {i}"
    return hit


def wait_for_the_index(raypick):
    """Until then a mesh needs less memory."""
    while raypick.api.indexing() is not None:
        time.sleep(0.01)


def held(cache):
    return [mesh.nbytes > 0 for mesh in cache.meshes]


def test_a_gibibyte_by_default(raypick):
    assert bpy.context.preferences.addons[PACKAGE].preferences.cache_size == 1024


def test_the_least_recently_used_is_let_go_first(raypick, cache):
    grids(6)
    first = [pick(raypick, i) for i in range(6)]
    assert all(held(cache))
    for i in (1, 0):
        pick(raypick, i)
        wait_for_the_index(raypick)
    limit = 1 + (sum(mesh.nbytes for mesh in cache.meshes[:2]) >> 20)
    assert cache.meshes[2].nbytes > 1 << 20
    set_limit(limit)
    pick(raypick, 1)
    assert cache.nbytes <= limit << 20
    kept = held(cache)
    assert kept[:3] == [True, True, False]
    assert [pick(raypick, i) for i in range(6)] == first
    assert cache.nbytes <= limit << 20


def test_what_a_pick_needs_is_kept_for_it_whatever_the_limit(raypick, cache):
    set_limit(0)
    for obj in grids(3):
        obj.location = (0, 0, obj.location.x)
    for _ in range(2):
        hits = down(raypick, 0.123, 0.234, all_hits=True)
        assert [hit.object for hit in hits] == ["Grid 2", "Grid 1", "Grid 0"]


def test_positions_read_for_boxes_alone_count_and_are_let_go(raypick, cache):
    grids(4)
    set_limit(0)
    pick(raypick, 0)
    assert held(cache) == [True, False, False, False]
    assert pick(raypick, 3)


def test_what_is_deleted_is_let_go(raypick, cache):
    made = grids(3)
    pick(raypick, 0)
    assert len(cache.meshes) == 3
    bpy.data.objects.remove(made[1])
    pick(raypick, 0)
    assert len(cache.meshes) == 2


def test_an_index_under_way_ends_when_its_mesh_changes(raypick, cache):
    (obj,) = grids(1, points=400)
    pick(raypick, 0)
    pick(raypick, 0)
    old = cache.meshes[0].polygons
    assert old._thread is not None
    obj.data.vertices[0].co.z = 1.0
    obj.data.update()
    pick(raypick, 0)
    assert old._thread._cancelled
    assert cache.meshes[0].polygons is not old


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_what_a_scale_of_zero_flattens_is_held_and_let_go_like_the_rest(raypick, cache, mode):
    """It was kept beside the bound, and read its mesh again while that mesh was open."""
    flat, _ = grids(2, points=40)
    flat.scale.z = 0.0
    flat.data.polygons[0].hide = True
    bpy.context.view_layer.objects.active = flat
    bpy.ops.object.mode_set(mode=mode)
    first = pick(raypick, 0)
    assert pick(raypick, 1)
    assert cache.nbytes > 2 * 40 * 40 * 24
    set_limit(0)
    for _ in range(3):
        assert pick(raypick, 0) == first
        assert pick(raypick, 1)
        assert sum(held(cache)) == 1
    bpy.ops.object.mode_set(mode="OBJECT")


def test_positions_that_were_read_for_the_box_are_not_copied_for_the_faces(raypick, cache):
    grids(1, points=8)
    assert down(raypick, 99.0, 99.0) == []
    (mesh,) = cache.meshes
    positions = mesh._positions
    pick(raypick, 0)
    assert np.shares_memory(mesh.polygons._polygons.vertices, positions)


def test_the_box_of_a_flat_mesh_holds_its_vertices_exactly(raypick, rng):
    flat_mesh = import_module(f"{PACKAGE}.bridge.mesh.cache").FlatMesh
    for _ in range(100):
        points = rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-3, 4)
        matrix = np.eye(4)
        matrix[:3] = rng.normal(size=(3, 4))
        matrix[:3, rng.integers(3)] = 0.0
        mesh = SimpleNamespace(bounds=(points.min(axis=0), points.max(axis=0)))
        lower, upper = flat_mesh(mesh, matrix).bounds
        for point in [*points, *mesh.bounds]:
            for axis in range(3):
                row = [Fraction(x) for x in matrix[axis].tolist()]
                place = sum(a * Fraction(x) for a, x in zip(row, point.tolist(), strict=False))
                assert lower[axis] <= place + row[3] <= upper[axis]
        rounded = points @ matrix[:3, :3].T + matrix[:3, 3]
        assert (lower <= rounded).all()
        assert (rounded <= upper).all()


def test_the_memory_that_is_told_is_the_sum_of_all_meshes(raypick, cache, rng):
    """It is counted on from pick to pick, with those meshes alone that were used."""
    made = grids(5, points=60)
    made[4].scale.z = 0.0
    for _ in range(40):
        wait_for_the_index(raypick)
        i = int(rng.integers(5))
        action = rng.choice(["pick", "edit", "link", "limit"])
        if action == "edit":
            made[i].data.vertices[0].co.z += 0.1
            made[i].data.update()
        elif action == "link":
            made[i].data = made[int(rng.integers(4))].data.copy()
        set_limit(int(rng.choice([0, 1, 1024])) if action == "limit" else 1024)
        pick(raypick, i)
        wait_for_the_index(raypick)
        assert cache.nbytes == sum(mesh.nbytes for mesh in cache.meshes) > 0


def test_what_cannot_be_inverted_well_is_told_as_singular_values_tell_it(raypick, rng):
    are_flat = import_module(f"{PACKAGE}.bridge.mesh.cache").are_flat
    turns, _ = np.linalg.qr(rng.normal(size=(2, 4000, 3, 3)))
    scales = 10.0 ** rng.uniform(-9, 9, (4000, 3))
    scales[::3] = 10.0 ** rng.uniform([0, 0, -6.4], [0, 0, -5.6], (1334, 3))  # close to the limit
    scales[::50, 1] = 0.0
    matrices = np.tile(np.eye(4), (4000, 1, 1))
    matrices[:, :3, :3] = turns[0] * scales[:, None] @ turns[1]
    matrices[::31, 0, 3] = np.inf
    expected = []
    for matrix in matrices:
        size = np.abs(matrix[:3, :3]).max(axis=0)
        spread = np.linalg.svd(matrix[:3, :3] / np.where(size, size, 1.0), compute_uv=False)
        expected.append(not np.isfinite(matrix).all() or spread[2] <= 1e-6 * spread[0])
    assert 500 < sum(expected) < 3500
    assert are_flat(matrices).tolist() == expected
