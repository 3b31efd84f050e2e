# SPDX-License-Identifier: GPL-3.0-or-later
"""Hits at random places of an evaluated mesh, and where these are by plain sums."""

import importlib

import bpy
import numpy as np


def evaluated_triangles(obj):
    """Positions (T, 3, 3) in local space of all triangles, as Blender splits the faces."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    corners = [[mesh.vertices[v].co[:] for v in each.vertices] for each in mesh.loop_triangles]
    evaluated.to_mesh_clear()
    return np.array(corners).reshape(-1, 3, 3)


def hits_at(raypick, obj, count, seed):
    """Yield hits at random places of random triangles, and their points in world space."""
    rng = np.random.default_rng(seed)
    triangles = evaluated_triangles(obj)
    for triangle in rng.integers(len(triangles), size=count).tolist():
        weights = rng.dirichlet((1.0, 1.0, 1.0))
        hit = raypick.api.place(bpy.context, obj, triangle=triangle, barycentric=weights)
        local = sum(float(w) * p for w, p in zip(weights, triangles[triangle], strict=True))
        yield hit, np.array(obj.matrix_world)[:3, :3] @ local + np.array(obj.matrix_world)[:3, 3]


def mark(raypick, obj, points, name="Marks"):
    """Add landmarks at the places of an object that are nearest to points (N, 3) of world space."""
    bridge = f"{raypick.__name__}.bridge.landmarks"
    anchoring, editing, storage = (
        importlib.import_module(f"{bridge}.{part}") for part in ("anchoring", "editing", "storage")
    )
    document = storage.read(obj)
    placed = anchoring.anchored_points(bpy.context, obj, np.asarray(points, float))
    group = editing.new_set(document, name)
    for number, each in enumerate(placed):
        group = group.with_landmark(editing.landmark_at(each, f"{number}", each.distance))
    storage.write(obj, document.with_set(group))


def reasons(raypick, obj):
    """Return why landmarks are not known, one for each."""
    return [each.reason for each in raypick.api.landmarks.where(bpy.context, obj)]
