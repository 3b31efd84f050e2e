# SPDX-License-Identifier: GPL-3.0-or-later
"""The hits of a ray across all objects: the nearest first, each once, or an error by name."""

from dataclasses import replace
from importlib import import_module

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ..scenes import down, instance_on_points, mesh_object, square


def test_06_the_nearest_hit_is_not_the_nearest_origin(raypick):
    near = square("Origin far away", z=5.0)
    near.data.transform(Matrix.Translation((-100, 0, 0)))
    near.location.x = 100.0
    square("Origin at hand")
    assert down(raypick, 0.25, 0.5)[0].object == "Origin far away"


def test_10_all_hits_are_all_hits(raypick):
    """Stepping an epsilon along the ray finds a face again and again, or none of two close ones."""
    corners = [(x, y, 100 - i * 1e-3) for i in range(20) for x, y in ((0, 0), (1, 0), (0, 1))]
    mesh_object("Sheets", corners, [(i, i + 1, i + 2) for i in range(0, 60, 3)])
    square("Coincident", z=100.0)
    hits = raypick.api.ray_cast(bpy.context, (0.2, 0.2, 200), (0, 0, -1), all_hits=True)
    assert len(hits) == 21
    assert sorted(hit.object for hit in hits[:2]) == ["Coincident", "Sheets"]


def test_11_a_shared_edge_or_vertex_is_hit_once(raypick, rng):
    """Blender's own ray cast and its BVHTree let some of such rays through."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=30, y_subdivisions=30)
    vertices = np.array([vertex.co for vertex in bpy.context.object.data.vertices])
    interior = vertices[np.abs(vertices).max(axis=1) < 1.0 - 1e-4]
    edges = (interior[:, None] + interior[rng.integers(len(interior), size=1)]) / 2
    for target in np.concatenate([interior, edges[:, 0]]):
        origin = rng.uniform((-1, -1, 3), (1, 1, 5))
        hits = raypick.api.ray_cast(bpy.context, origin, target - origin, all_hits=True)
        assert len(hits) == 1


def test_a_pick_that_the_scene_changes_under_is_told(raypick, monkeypatch):
    """Handlers of others may remove what is being read; the next pick is right again."""
    square()
    source = import_module(f"{raypick.__name__}.bridge.mesh.scene_mesh").Source
    opened = source.opened

    def gone(self):
        raise ReferenceError("StructRNA of type Object has been removed")

    monkeypatch.setattr(source, "opened", gone)
    with pytest.raises(raypick.api.RaypickError, match="pick again"):
        down(raypick, 0.25, 0.5)
    monkeypatch.setattr(source, "opened", opened)
    assert down(raypick, 0.25, 0.5)


def test_a_fault_of_our_own_is_no_change_of_the_scene(raypick, monkeypatch):
    query = import_module(f"{raypick.__name__}.bridge.query")
    asked = []

    def faulty(*_):
        asked.append(1)
        raise KeyError("a fault")

    monkeypatch.setattr(query.report, "pick_hits", faulty)
    square()
    with pytest.raises(KeyError, match="a fault"):
        down(raypick, 0.25, 0.5)
    assert len(asked) == 1


def test_an_instance_that_is_gone_is_a_change_of_the_scene(raypick, monkeypatch):
    """It is asked for once more, and by then it is known to be gone."""
    source = import_module(f"{raypick.__name__}.bridge.mesh.scene_mesh")
    instance_on_points(mesh_object("Carrier", [(0, 0, 0)], []))
    assert down(raypick, 0.25, 0.2)
    snapshot = import_module(f"{raypick.__name__}.bridge.scene.snapshot")
    (mesh,) = [each for each in snapshot._meshes() if each.source.original is None]
    mesh.source = replace(mesh.source, place=99)
    with pytest.raises(source.OutOfDateError), mesh.opened():
        pass
    assert down(raypick, 0.25, 0.2)[0].instancer == "Carrier"
