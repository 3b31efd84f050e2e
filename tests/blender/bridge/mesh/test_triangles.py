# SPDX-License-Identifier: GPL-3.0-or-later
"""The triangle is Blender's own `loop_triangles` index, for every face of a zoo."""

import bpy
import numpy as np
import pytest

from ...scenes import evaluated_mesh, mesh_object, suzanne

STAR_CORNERS = [(i * np.pi / 5, (2.0, 0.8)[i % 2]) for i in range(10)]
STAR = [(np.cos(a) * r, np.sin(a) * r) for a, r in STAR_CORNERS]
COMB = [
    (0, 0),
    (7, 0),
    (7, 3),
    (6, 3),
    (6, 1),
    (4, 1),
    (4, 3),
    (3, 3),
    (3, 1),
    (1, 1),
    (1, 3),
    (0, 3),
]

ZOO = {
    "triangles": [[(0, 0), (2, 0), (0, 2)], [(2, 0), (2, 2), (0, 2)]],
    "quads": [[(0, 0), (2, 0), (2, 1), (0, 1)]],
    "concave at each corner": [
        np.roll([(0, 0), (2, 0), (0.6, 0.6), (0, 2)], turn, axis=0) + (3 * turn, 0)
        for turn in range(4)
    ],
    "clockwise": [[(0, 0), (0, 1), (2, 1), (2, 0)], [(5, 0), (5, 2), (3.5, 0.4), (3, 0)]],
    "quads with a straight corner": [
        np.roll([(0, 0), (2, 0), (1, 1), (0, 2)], turn, axis=0) + (3 * turn, 0) for turn in range(4)
    ],
    "bow tie": [[(0, 0), (2, 0), (0, 1), (2, 1)]],
    "sliver": [[(0, 0), (9, 0), (9, 1e-3), (0, 1e-3)]],
    "n-gons": [STAR, np.array(COMB) + (5, 0), [(np.cos(a), np.sin(a) + 5) for a in range(6)]],
    "mixed": [
        [(0, 0), (1, 0), (0, 1)],
        np.array(STAR) + (4, 0),
        [(8, 0), (10, 0), (10, 1), (8, 1)],
        np.array(COMB) + (11, 0),
        [(20, 0), (21, 0), (20, 1)],
    ],
    "three and five balance": [
        [(0, 0), (1, 0), (0, 1)],
        [(3, 0), (4, 0), (4.5, 1), (3.5, 2), (2.5, 1)],
    ],
    "degenerate among good": [
        [(0, 0), (0, 0), (0, 0), (0, 0)],
        [(1, 0), (2, 0), (3, 0), (4, 0)],
        [(0, 1), (2, 1), (2, 2), (0, 2)],
    ],
}


def zoo(name, warp, rng):
    rings = [np.array(ring, dtype=float) for ring in ZOO[name]]
    flat = np.concatenate(rings)
    heights = rng.uniform(-warp, warp, len(flat))
    ends = np.cumsum([len(ring) for ring in rings])
    faces = [tuple(range(end - len(ring), end)) for end, ring in zip(ends, rings, strict=True)]
    return mesh_object("Zoo", np.column_stack([flat, heights]).tolist(), faces)


def check_all(raypick, obj, rng, each=3, alone=1):
    """Rays through every triangle with an area; the triangle hit is Blender's own.

    They are cast in one call, and one of so many is also cast `alone`.
    """
    mesh = evaluated_mesh(obj)
    vertices = np.array([vertex.co for vertex in mesh.vertices])
    own = np.array([triangle.vertices for triangle in mesh.loop_triangles])
    faces = np.array([triangle.polygon_index for triangle in mesh.loop_triangles])
    corners = vertices[own]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    aimed = np.repeat(np.flatnonzero(sizes >= 1e-7), each)
    weights = rng.dirichlet((3.0, 3.0, 3.0), len(aimed))
    points = np.einsum("ri,rij->rj", weights, corners[aimed])
    origins = points + normals[aimed] / sizes[aimed, None]
    rays = origins, points - origins
    columns = ("face", "triangle", "vertices", "barycentric")
    hits = raypick.api.cast_rays_all(bpy.context, *rays, columns=columns)
    assert (hits["vertices"] == own[hits["triangle"]]).all()
    assert (hits["face"] == faces[hits["triangle"]]).all()
    rows = np.flatnonzero(hits["triangle"] == aimed[hits["ray"]])
    assert hits["ray"][rows].tolist() == list(range(len(aimed)))
    assert hits["barycentric"][rows] == pytest.approx(weights, abs=1e-4)
    for ray in range(0, len(aimed), alone):
        found = raypick.api.ray_cast(bpy.context, *(part[ray] for part in rays), all_hits=True)
        of_ray = slice(*hits.splits[ray : ray + 2])
        for column in columns:
            assert [getattr(hit, column) for hit in found] == [
                tuple(value) if isinstance(value, list) else value
                for value in hits[column][of_ray].tolist()
            ]
    return len(aimed)


@pytest.mark.parametrize("warp", [0.0, 0.3], ids=["flat", "warped"])
@pytest.mark.parametrize("name", ZOO)
def test_every_triangle_of_the_zoo(raypick, rng, name, warp):
    assert check_all(raypick, zoo(name, warp, rng), rng)


def test_a_face_with_a_hole_that_a_bridge_cuts_open(raypick, rng):
    """Blender has no holes: an edge that is walked twice leads to the inner ring."""
    outer = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]
    inner = [(1, 1, 0), (1, 3, 0), (3, 3, 0), (3, 1, 0)]
    obj = mesh_object("Holed", outer + inner, [(0, 1, 2, 7, 6, 5, 4, 7, 2, 3)])
    assert check_all(raypick, obj, rng)


@pytest.mark.parametrize("modifier", [None, "SUBSURF", "BEVEL", "DECIMATE", "BOOLEAN", "REMESH"])
def test_every_triangle_of_a_head_with_modifiers(raypick, rng, modifier):
    obj = suzanne()
    if modifier:
        added = obj.modifiers.new("Modifier", modifier)
        if modifier == "BOOLEAN":
            bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.5, 0, 0))
            added.object = bpy.context.object
            bpy.context.object.hide_set(True)
        if modifier == "DECIMATE":
            added.ratio = 0.5
    assert check_all(raypick, obj, rng, each=1, alone=10) > 300
