# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches at scenes answer as rays alone do, to the last bit, whatever stands in the scene."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.tree_mesh import TreeMesh

from . import meshes
from .polygon_meshes import both
from .questions import assert_same_bits, assert_same_hits, lattice_rays
from .test_scene import SHEAR
from .test_scene_instances import DOWN, TILE, at

ALL = 64


def assert_as_alone(scene, origins, directions, limits=np.inf, cull=None, exclude=None):
    """All four questions of a batch have the answers of rays cast alone; how many hits."""
    limits = np.broadcast_to(limits, len(origins))
    options = {"cull": cull, "exclude": exclude}
    nearest = scene.cast_rays(origins, directions, limits, **options)
    every, splits = scene.cast_rays_all(origins, directions, limits, **options)
    any_hit = scene.any_hit(origins, directions, limits, **options)
    counts = scene.count_hits(origins, directions, limits, **options)
    for row, ray in enumerate(zip(origins, directions, limits, strict=True)):
        alone = scene.ray_cast_all(*ray, **options)
        assert_same_hits([nearest[row]], [scene.ray_cast(*ray, **options)])
        assert_same_hits([every[i] for i in range(*splits[row : row + 2])], alone)
        assert any_hit[row] == (len(alone) > 0)
        assert counts[row] == len(alone)
    return len(every)


def rays_at(rng, scene, count=ALL):
    """Rays at vertices and middles of triangles of instances, from 0.1 to 10 sizes away."""
    chosen = [scene[i] for i in rng.choice(list(scene), count)]
    targets, sizes = [], []
    for each in chosen:
        corners = each.mesh.vertices[each.mesh.triangles[rng.integers(len(each.mesh.triangles))]]
        local = corners[0] if rng.random() < 0.2 else corners.mean(axis=0)
        targets.append(each.matrix[:3, :3] @ local + each.matrix[:3, 3])
        sizes.append(np.abs(each.matrix[:3, :3]).max())
    directions = meshes.directions(rng, count) * rng.uniform(0.01, 100, (count, 1))
    return np.array(targets) - directions * np.array(sizes)[:, None], directions


def built(arrays, engine):
    mesh = sc.Mesh(*arrays, engine=engine)
    mesh.build()
    return mesh


def linear_part(rng):
    choices = (
        meshes.rotation(rng),
        meshes.rotation(rng) @ np.diag([-1, 2, 0.1]),
        meshes.rotation(rng) @ SHEAR,
        1e-6 * meshes.rotation(rng),
        np.eye(3),
    )
    return choices[rng.integers(len(choices))]


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30, 1e-120, 1e120])
@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_batches_answer_as_rays_alone(rng, engine, scale, cull):
    arrays = meshes.icosphere(1), meshes.torus(9, 7), meshes.soup(rng, 12)
    several = [built(each, engine) for each in arrays]
    scene = sc.Scene()
    for i in range(40):
        offset = rng.normal(size=3) * 10.0 ** rng.choice([0, 0, 3])
        scene.add(several[i % 3], meshes.placement(linear_part(rng) * scale, offset * scale))
    origins, directions = rays_at(rng, scene)
    limits = np.where(rng.random(ALL) < 0.5, np.inf, rng.uniform(0, 10, ALL) * scale)
    assert assert_as_alone(scene, origins, directions, limits, cull) > 10
    some = slice(40)  # More than the 32 that are cast together at least.
    assert_as_alone(
        scene, origins[some], directions[some], cull=cull, exclude=list(range(0, 40, 3))
    )


def test_rays_through_edges_of_touching_and_coincident_instances(rng, engine):
    mesh, scene = built(meshes.nasty(rng), engine), sc.Scene()
    for offset in ((0, 0, 0), (0, 0, 0), (3, 0, 0), (0, -3, 1)):
        scene.add(mesh, meshes.placement(offset=offset))
    assert assert_as_alone(scene, *lattice_rays(rng, 100)) > 100


class Lazy(sc.Placeable):
    """What is loaded when a ray first meets its box."""

    bounds = np.full(3, -1.0), np.ones(3)
    revision = 0
    engine = "auto"
    mesh = None

    def loaded(self):
        self.mesh = self.mesh or sc.PolygonMesh(meshes.cube()[0], meshes.cube()[1].ravel(), 3)
        return self.mesh

    def _cast_many(self, rays):
        return self.loaded()._cast_many(rays)

    def _cast(self, ray):
        return self.loaded()._cast(ray)


def test_all_kinds_of_meshes_answer_together(rng, engine):
    sphere = meshes.icosphere(1)
    several = [
        built(sphere, engine),
        built(sphere, "numpy"),
        sc.Mesh(*sphere, engine=engine, building="never"),
        sc.Mesh(*sphere, engine=engine),
        sc.PolygonMesh(sphere[0], sphere[1].ravel(), 3, engine=engine),
        built((np.empty((0, 3)), []), engine),
        built((np.full((3, 3), np.nan), [[0, 1, 2]]), engine),
        sc.Mesh(*sphere, faces=rng.integers(0, 9, len(sphere[1])), engine=engine),
    ]
    scene = sc.Scene()
    for each in several * 4:
        scene.add(each, meshes.placement(linear_part(rng), rng.normal(size=3) * 2))
    origins = rng.normal(size=(ALL, 3)) * 6
    assert assert_as_alone(scene, origins, rng.normal(size=(ALL, 3)) - origins) > ALL
    assert_as_alone(scene, origins, rng.normal(size=(ALL, 3)) - origins, exclude=[0, 3, 8])


def test_polygon_meshes_with_trees_are_cast_at_by_compiled_code_with_their_faces(rng, engine):
    polygons, plain, _, _ = both(rng, engine, (3, 4, 5), 200)
    polygons.build()
    assert (polygons._plain_shape(1, "numba") is not None) == (engine == "numba")
    matrices = [meshes.placement(linear_part(rng), rng.normal(size=3)) for _ in range(6)]
    as_polygons, as_triangles = sc.Scene(), sc.Scene()
    as_polygons.add_many(polygons, matrices)
    as_triangles.add_many(plain, matrices)
    origins = rng.normal(size=(ALL, 3)) * 6
    rays = origins, rng.normal(size=(ALL, 3)) - origins
    hits = as_polygons.cast_rays(*rays)
    assert hits == as_triangles.cast_rays(*rays)
    assert len(np.unique(hits.face[hits.hit])) > 20
    assert (as_polygons.count_hits(*rays) == as_triangles.count_hits(*rays)).all()


def test_what_no_ray_of_a_batch_meets_is_not_loaded(engine):
    scene, near, far = sc.Scene(), Lazy(), Lazy()
    scene.add(built(meshes.cube(), engine))
    scene.add(near, at(10))
    scene.add(far, meshes.placement(offset=(50, 0, 0)))
    origins = np.tile((0.1, 0.2, 20), (50, 1))
    for ask in (scene.cast_rays, scene.cast_rays_all, scene.any_hit, scene.count_hits):
        ask(origins, (0, 0, -1))
    assert near.mesh is not None
    assert far.mesh is None


def test_what_stands_behind_a_hit_is_not_loaded(engine):
    scene, behind = sc.Scene(), Lazy()
    scene.add(built(meshes.cube(), engine))
    scene.add(behind, at(-10))
    assert scene.cast_rays(np.tile((0.1, 0.2, 20), (50, 1)), (0, 0, -1)).hit.all()
    assert behind.mesh is None


def test_more_hits_than_compiled_code_has_room_for_are_all_there(engine):
    scene = sc.Scene()
    scene.add(built(meshes.stack(40), engine))
    scene.add_many(TILE, [at(-1 - i) for i in range(1100)])
    hits, splits = scene.cast_rays_all(np.tile((0, 0, 5), (34, 1)), (0, 0, -1))
    assert (np.diff(splits) == 1140).all()
    alone = scene.ray_cast_all(*DOWN)
    assert_same_hits([hits[i] for i in range(1140)], alone)
    assert scene.count_hits(np.tile((0, 0, 5), (34, 1)), (0, 0, -1)).tolist() == [1140] * 34


def test_a_batch_of_few_distinct_rays_beside_changes_of_meshes(rng, engine):
    mesh = sc.Mesh(*meshes.icosphere(1), engine=engine)
    scene = sc.Scene()
    scene.add_many(mesh, [meshes.placement(offset=rng.normal(size=3) * 3) for _ in range(30)])
    origins = rng.normal(size=(ALL, 3)) * 6
    rays = origins, rng.normal(size=(ALL, 3)) - origins
    before = scene.cast_rays(*rays)
    mesh.build()
    assert_same_bits(scene.cast_rays(*rays), before)
    mesh.refit(mesh.vertices * 0.5)
    assert_as_alone(scene, *rays)
    mesh.refit(mesh.vertices * 2)
    assert_same_bits(scene.cast_rays(*rays), before)


def test_trees_that_the_first_rays_pay_for_serve_the_others():
    scene, mesh = sc.Scene(), sc.Mesh(*meshes.icosphere(2))
    scene.add_many(mesh, [at(3 * i) for i in range(4)])
    assert mesh.tree is None
    hits = scene.cast_rays(np.tile((0.1, 0.2, 20), (10_000, 1)), (0, 0, -1))
    assert set(hits.instance.tolist()) == {3}
    assert mesh.tree is not None


def test_a_scene_of_compiled_meshes_leaves_no_ray_to_numpy(rng, monkeypatch):
    try:
        mesh = built(meshes.torus(30, 20), "numba")
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    mesh.ray_cast(*DOWN)
    scene = sc.Scene()
    scene.add_many(mesh, [meshes.placement(linear_part(rng), rng.normal(size=3)) for _ in range(9)])
    origins = rng.normal(size=(ALL, 3)) * 6
    rays = origins, rng.normal(size=(ALL, 3)) - origins
    expected = [scene.ray_cast(*ray) for ray in zip(*rays, strict=True)]
    for name in ("_cast", "_cast_many"):
        monkeypatch.delattr(TreeMesh, name)
    assert_same_hits(list(scene.cast_rays(*rays)), expected)
    assert scene.any_hit(*rays).tolist() == [hit is not None for hit in expected]
    assert scene.count_hits(*rays).sum() == len(scene.cast_rays_all(*rays)[0]) > ALL // 2
