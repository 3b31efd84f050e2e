# SPDX-License-Identifier: GPL-3.0-or-later
"""Ten thousand random rays at Suzanne: the face and distance of Blender's own ray cast.

They are cast in one call, and every tenth alone too.
"""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from .scenes import evaluated_mesh, suzanne

RAYS = 10_000


def random_rays(rng, count):
    """Rays from a sphere around the origin to places near it; about half of them hit."""
    origins = rng.standard_normal((count, 3))
    origins *= 4.0 / np.linalg.norm(origins, axis=1)[:, None]
    targets = rng.uniform(-1.2, 1.2, (count, 3))
    directions = (targets - origins).astype(np.float32)
    return origins.astype(np.float32).astype(float), directions.astype(float)


def is_near_an_edge(hits, ray):
    """Whether a hit lies on a border of its triangle, as close as float32 can tell."""
    return hits["barycentric"][ray].min() < 1e-4


@pytest.mark.parametrize("levels", [0, 2])
def test_agrees_with_scene_ray_cast_but_for_ties_on_edges(raypick, rng, levels):
    suzanne(levels)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    scene = bpy.context.scene
    origins, directions = random_rays(rng, RAYS)
    hits = raypick.api.cast_rays(bpy.context, origins, directions)
    hit_count = 0
    unexplained = []
    for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        found, place, _, face, _, _ = scene.ray_cast(depsgraph, Vector(origin), Vector(direction))
        hit_count += found
        if not found and not hits.hit[ray]:
            continue
        if found and hits.hit[ray]:
            expected = (place - Vector(origin)).length
            same_distance = hits["distance"][ray] == pytest.approx(expected, rel=1e-5)
            if same_distance and (hits["face"][ray] == face or is_near_an_edge(hits, ray)):
                continue
        unexplained.append((origin, direction, found, face, {n: hits[n][ray] for n in hits}))
    assert RAYS // 5 < hit_count < RAYS
    assert not unexplained
    for ray in range(0, RAYS, 10):
        alone = raypick.api.ray_cast(bpy.context, origins[ray], directions[ray])
        assert bool(alone) == hits.hit[ray]
        for hit in alone:
            assert (hit.face, hit.distance) == (hits["face"][ray], hits["distance"][ray])
            assert (np.array(hit.barycentric) == hits["barycentric"][ray]).all()


@pytest.mark.parametrize("levels", [0, 2])
def test_every_answer_fits_the_evaluated_mesh(raypick, rng, levels):
    mesh = evaluated_mesh(suzanne(levels))
    checked = 0
    for origin, direction in zip(*random_rays(rng, 500), strict=True):
        for hit in raypick.api.ray_cast(bpy.context, origin, direction, all_hits=True):
            triangle = mesh.loop_triangles[hit.triangle]
            assert tuple(triangle.vertices) == hit.vertices
            assert triangle.polygon_index == hit.face
            corners = np.array([mesh.vertices[i].co for i in hit.vertices])
            assert np.array(hit.barycentric) @ corners == pytest.approx(hit.point, abs=1e-12)
            along = origin + hit.distance * direction / np.linalg.norm(direction)
            assert along == pytest.approx(np.array(hit.point), abs=1e-12)
            uv = np.array([mesh.uv_layers.active.uv[i].vector for i in triangle.loops])
            assert np.array(hit.barycentric) @ uv == pytest.approx(hit.uv, abs=1e-9)
            checked += 1
    assert checked > 200


def test_a_ray_through_a_closed_mesh_goes_in_as_often_as_out(raypick, rng):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4)
    for origin, direction in zip(*random_rays(rng, 500), strict=True):
        hits = raypick.api.ray_cast(bpy.context, origin, direction, all_hits=True)
        assert [hit.front for hit in hits] == [True, False] * (len(hits) // 2)
