# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes to pick in, of one or many tori with hills, and rays that hit them."""

import bpy
import numpy as np
from mathutils import Matrix

Place = tuple[float, float, float]

Ray = tuple[Place, Place]
"""Origin and direction in world space."""

REACH = 1.6
"""A radius around the centre of a torus that holds all of it."""


def empty() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


def torus(name: str, faces: int, triangles: bool = False) -> bpy.types.Mesh:
    """Make a closed mesh of about so many faces, quads or triangles."""
    side = max(round((faces / 2 if triangles else faces) ** 0.5), 3)
    points, quads = _torus_arrays(side)
    rows = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3) if triangles else quads
    return mesh_of(name, points, rows)


def mesh_of(name: str, points: np.ndarray, rows: np.ndarray) -> bpy.types.Mesh:
    """Make a mesh from float32 points (V, 3) and int32 rows of vertices (F, N), one a face."""
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    mesh.loops.add(rows.size)
    mesh.polygons.add(len(rows))
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.loops.foreach_set("vertex_index", rows.ravel())
    starts = np.arange(0, rows.size, rows.shape[1], dtype=np.int32)
    mesh.polygons.foreach_set("loop_start", starts)
    mesh.update(calc_edges=True)
    return mesh


def _torus_arrays(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions (side², 3) and quads (side², 4)."""
    steps = np.arange(side) * (2 * np.pi / side)
    along, around = np.meshgrid(steps, steps, indexing="ij")
    tube = 0.45 + 0.05 * np.sin(9 * along) * np.sin(7 * around)
    ring = 1 + tube * np.cos(around)
    points = np.stack([ring * np.cos(along), ring * np.sin(along), tube * np.sin(around)], axis=-1)
    here = np.arange(side * side).reshape(side, side)
    next_along, next_around = np.roll(here, -1, axis=0), np.roll(here, -1, axis=1)
    quads = np.stack([here, next_along, np.roll(next_along, -1, axis=1), next_around], axis=-1)
    return points.reshape(-1, 3).astype(np.float32), quads.reshape(-1, 4).astype(np.int32)


def add_attributes(mesh: bpy.types.Mesh) -> None:
    mesh.uv_layers.new(name="UVMap")
    mesh.color_attributes.new(name="Color", type="BYTE_COLOR", domain="CORNER")


def show(name: str, data: bpy.types.ID | None, place: tuple = (0, 0, 0)) -> bpy.types.Object:
    shown = bpy.data.objects.new(name, data)
    shown.location = place
    bpy.context.scene.collection.objects.link(shown)
    return shown


def show_tori(places: np.ndarray, faces: int) -> None:
    """Add an object at each place (N, 3), each with a mesh of its own."""
    for place in places.tolist():
        show("Torus", torus("Torus", faces), place)
    evaluate()


def evaluate() -> bpy.types.Depsgraph:
    return bpy.context.evaluated_depsgraph_get()


def make_cold(mesh: bpy.types.Mesh) -> None:
    """Have Blender forget the triangles and the BVH of a mesh, and evaluate it again.

    `Mesh.transform` marks all positions as moved, which `Mesh.update` alone does not. A cast then
    takes as long as at a new mesh.
    """
    mesh.transform(Matrix.Identity(4))
    mesh.update()
    evaluate()


def rays(centers: np.ndarray, rng: np.random.Generator, scale: float = 1.0) -> list[Ray]:
    """A ray for each torus, from just outside it to a point on its ring (N for N centres)."""
    count = len(centers)
    angle = rng.uniform(0, 2 * np.pi, count)
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)
    toward = rng.normal(size=(count, 3))
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    origins = centers - toward * (REACH * scale * 1.1)
    directions = centers + ring * scale - origins
    pairs = zip(origins.tolist(), directions.tolist(), strict=True)
    return [(tuple(origin), tuple(direction)) for origin, direction in pairs]


def lattice(count: int, spacing: float) -> np.ndarray:
    """Places (count, 3) in a cube, row by row."""
    side = int(np.ceil(round(count ** (1 / 3), 6)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1)
    return places.reshape(-1, 3)[:count] * spacing
