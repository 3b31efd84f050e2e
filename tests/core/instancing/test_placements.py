# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the meshes of a scene, and when it is old.

Which instances rays can meet: never one too few, whatever the matrices, and not many more.
"""

import itertools

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import bvh
from standalone_core.engines.numba import compiling
from standalone_core.instancing.instance import Instance
from standalone_core.instancing.many_rays import met_instances
from standalone_core.instancing.placements import InstanceIndex, Revisions, _moved_boxes

from .. import meshes, oracle
from ..ray_batches import batch, lone


def test_a_mesh_that_is_refitted_while_others_are_put_apart_is_not_missed():
    first, second = (sc.Mesh(np.eye(3), [[0, 1, 2]]) for _ in range(2))
    known = Revisions([first, second])
    first.refit(2 * np.eye(3))
    assert known.refitted() == {first}
    second.refit(2 * np.eye(3))  # as another thread may
    others = known.without({first})
    assert others.are_old
    assert others.refitted() == {second}


CUBE = sc.Mesh(*meshes.cube())
SPHERE = sc.Mesh(*meshes.icosphere(1))


def index_of(placed, engine="numpy", ids=None):
    """An index of (mesh, matrix) pairs that asks an engine."""
    ids = np.arange(len(placed)) if ids is None else np.asarray(ids)
    inverses = [np.linalg.inv(matrix[:3, :3]) for _, matrix in placed]
    instances = [Instance(*pair, inverses[i], None) for i, pair in enumerate(placed)]
    index = InstanceIndex.of(dict(zip(ids.tolist(), instances, strict=True)))
    for part in index.parts:
        part._engine = engine
    return index


def met(index, ray):
    """Id, distance and instance of those that one ray meets."""
    return met_instances(index.parts, ray)


def along_x(count, gap=4.0):
    """Cubes from -1 to 1 in a row, at 0, gap, ..."""
    return [(CUBE, meshes.placement(offset=(gap * i, 0, 0))) for i in range(count)]


def placements(rng, count, scale=1.0, offset=0.0):
    """Spheres and cubes turned, stretched, mirrored and sheared at random."""
    middles = offset * rng.normal(size=3) + 3 * scale * rng.normal(size=(count, 3))
    linear = scale * rng.normal(size=(count, 3, 3)) * 10.0 ** rng.uniform(-2, 0, (count, 1, 3))
    return [((SPHERE, CUBE)[i % 2], meshes.placement(linear[i], middles[i])) for i in range(count)]


def rays_at(rng, placed, count, far=10.0):
    """Rays at vertices of instances, as origins and directions, and the instance of each."""
    chosen = rng.integers(0, len(placed), count)
    targets, size = [], []
    for mesh, matrix in (placed[i] for i in chosen):
        corner = mesh.vertices[rng.integers(len(mesh.vertices))]
        targets.append(matrix[:3, :3] @ (0.9 * corner) + matrix[:3, 3])
        size.append(np.abs(matrix[:3, :3]).max())
    directions = meshes.directions(rng, count)
    directions[::3] = np.eye(3)[rng.integers(0, 3, len(directions[::3]))]
    origins = np.array(targets) - far * np.array(size)[:, None] * directions
    return origins, directions * rng.uniform(0.1, 10, (count, 1)), chosen


def met_pairs(index, rays):
    """Pairs of ray and id with the distance of each, from a batch."""
    found = {}
    for part in index.parts:
        for pairs in part.met_many(rays, rays.limits):
            ids = part.placed.ids[pairs.place].tolist()
            for row, identifier, distance in zip(pairs.row.tolist(), ids, pairs.entry, strict=True):
                assert (row, identifier) not in found
                found[row, identifier] = float(distance)
    return found


@pytest.mark.parametrize("offset", [0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_a_box_holds_the_moved_vertices_of_its_mesh_exactly(rng, offset, scale):
    linear = rng.normal(size=(6, 3, 3)) * scale
    matrices = np.array([meshes.placement(m, rng.normal(size=3) * offset) for m in linear])
    corners = [SPHERE.bounds] * 6
    lower, upper = _moved_boxes(*np.moveaxis(np.array(corners), 1, 0), matrices)
    for row, matrix in enumerate(oracle.exact(matrices)):
        moved = [oracle.apply(matrix, (*oracle.exact(v), 1))[:3] for v in SPHERE.vertices]
        for axis, values in enumerate(zip(*moved, strict=True)):
            assert lower[row, axis] <= min(values)
            assert max(values) <= upper[row, axis]


def test_a_box_is_hardly_larger_than_that_of_its_moved_corners(rng):
    matrix = meshes.placement(rng.normal(size=(3, 3)), (10, 20, 30))
    lower, upper = _moved_boxes(np.full((1, 3), -1.0), np.ones((1, 3)), matrix[None])
    corners = np.array(list(itertools.product((-1, 1), repeat=3))) @ matrix[:3, :3].T
    np.testing.assert_allclose(lower[0], corners.min(axis=0) + (10, 20, 30), rtol=1e-13)
    np.testing.assert_allclose(upper[0], corners.max(axis=0) + (10, 20, 30), rtol=1e-13)


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1.0, 1e30])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("far", [0.0, 10.0, 1e9])
def test_no_instance_that_a_ray_meets_is_left_out(rng, engine, scale, offset, far):
    placed = placements(rng, 40, scale, offset * scale)
    index = index_of(placed, engine)
    origins, directions, chosen = rays_at(rng, placed, 40, far)
    rays = batch(origins, directions)
    found = met_pairs(index, rays)
    assert set(enumerate(chosen.tolist())) <= set(found)
    for row in range(40):
        assert chosen[row] in [identifier for identifier, *_ in met(index, rays.ray(row))]


@pytest.mark.parametrize("count", [5, 60])
def test_a_ray_alone_and_in_a_batch_meets_the_same_instances_at_the_same_distances(
    rng, engine, count
):
    placed = placements(rng, count)
    index = index_of(placed, engine, ids=rng.permutation(1000)[:count])
    origins, directions, _ = rays_at(rng, placed, 40)
    limits = np.where(rng.random(40) < 0.5, np.inf, rng.uniform(0, 20, 40))
    excluded = rng.random(1000) < 0.2
    rays = batch(origins, directions, limits, excluded=excluded)
    together = met_pairs(index, rays)
    alone = {
        (row, identifier): entry
        for row in range(40)
        for identifier, entry, _ in met(index, rays.ray(row))
    }
    assert alone == together
    assert len(alone) > 20


def test_no_hit_is_nearer_than_the_place_where_its_instance_is_met(rng):
    placed = placements(rng, 30)
    index = index_of(placed)
    rays = batch(*rays_at(rng, placed, 60)[:2])
    found = met_pairs(index, rays)
    hits = 0
    for identifier, (mesh, matrix) in enumerate(placed):
        scene = sc.Scene()
        scene.add(mesh, matrix)
        nearest = scene.cast_rays(rays.origins, rays.directions)
        for row in np.flatnonzero(nearest.hit):
            assert found[row, identifier] <= nearest.distance[row]
            hits += 1
    assert hits > 60


def test_the_nearest_instance_comes_first(engine):
    index = index_of(along_x(20), engine)
    (x, entries, _) = zip(*met(index, lone((37.9, 0, 0), (-2.0, 0, 0))), strict=True)
    assert x == tuple(range(9, -1, -1))
    np.testing.assert_allclose(entries, [37.9 - 4 * i - 1 for i in range(9, -1, -1)], atol=1e-11)


def test_few_others_are_met(rng):
    placed = [(CUBE, meshes.placement(offset=3.0 * np.array(p))) for p in np.ndindex(8, 8, 8)]
    index = index_of(placed)
    origins, directions, _ = rays_at(rng, placed, 50)
    assert len(met_pairs(index, batch(origins, directions))) < 50 * 25


def test_what_is_behind_or_beyond_the_limit_is_not_met(engine):
    index = index_of(along_x(20), engine)
    ray = (41.5, 0, 0), (3.0, 0, 0)
    assert [i for i, *_ in met(index, lone(*ray))] == list(range(11, 20))
    assert [i for i, *_ in met(index, lone(*ray, 1.4))] == []
    assert [i for i, *_ in met(index, lone(*ray, 1.5))] == [11]
    assert set(met_pairs(index, batch(*ray, 6.0))) == {(0, 11), (0, 12)}


def test_an_instance_that_holds_the_origin_is_met_at_once(engine):
    ((identifier, entry, _), *_) = met(
        index_of(along_x(20), engine), lone((12.5, 0, 0), (1.0, 0, 0))
    )
    assert identifier == 3
    assert entry <= 0


def test_excluded_ids_are_not_met(engine):
    index = index_of(along_x(4), engine, ids=[7, 3, 5, 0])
    excluded = np.zeros(8, dtype=bool)
    excluded[[3, 0]] = True
    ray = (-9, 0, 0), (1.0, 0, 0)
    assert [i for i, *_ in met(index, lone(*ray))] == [7, 3, 5, 0]
    assert [i for i, *_ in met(index, lone(*ray, excluded=excluded))] == [7, 5]
    assert set(met_pairs(index, batch(*ray, excluded=excluded))) == {(0, 7), (0, 5)}


def test_an_index_is_stale_once_one_of_its_meshes_was_refitted():
    meshes_there = [sc.Mesh(*meshes.cube()) for _ in range(3)]
    index = index_of([(mesh, np.eye(4)) for mesh in meshes_there])
    assert not index.is_stale
    meshes_there[1].build()
    assert not index.is_stale
    meshes_there[1].refit(meshes_there[1].vertices + 1)
    assert index.is_stale


def test_a_mesh_of_nothing_is_never_met(engine):
    nothing = sc.Mesh(np.full((3, 3), np.nan), [[0, 1, 2]])
    empty = sc.Mesh(np.empty((0, 3)), [])
    index = index_of([(nothing, np.eye(4)), (CUBE, np.eye(4)), (empty, np.eye(4))], engine)
    assert [i for i, *_ in met(index, lone((0, 0, 9), (0, 0, -1.0)))] == [1]
    assert set(met_pairs(index, batch((0, 0, 9), (0, 0, -1.0)))) == {(0, 1)}


def test_a_box_beyond_float64_hides_no_other(engine):
    far = sc.Mesh([[1e2, 0, 0], [1e10, 1, 0], [1e10, 0, 1]], [[0, 1, 2]])
    index = index_of([(far, np.diag([1e300, 1e300, 1e300, 1])), (CUBE, np.eye(4))], engine)
    assert 1 in [i for i, *_ in met(index, lone((0, 0, 9), (0, 0, -1.0)))]


def test_an_empty_index_meets_nothing():
    index = index_of([])
    assert not index.is_stale
    assert met(index, lone((0, 0, 9), (0, 0, -1.0))) == []
    assert met_pairs(index, batch((0, 0, 9), (0, 0, -1.0))) == {}
    assert met_pairs(index_of(along_x(3)), batch(np.empty((0, 3)), np.empty((0, 3)))) == {}


def test_more_boxes_than_compiled_code_has_room_for_are_all_met(engine):
    index = index_of(along_x(700), engine)
    found = met(index, lone((-9, 0, 0), (1.0, 0, 0)))
    assert [identifier for identifier, *_ in found] == list(range(700))


@pytest.mark.parametrize(
    ("engines", "chosen"),
    [
        (["numpy", "numpy"], "numpy"),
        (["numpy", "auto"], "auto"),
        (["auto", "numba", "numpy"], "auto"),
        ([], "numpy"),
    ],
)
def test_compiled_code_is_used_if_it_is_there_unless_all_meshes_are_for_numpy(engines, chosen):
    try:
        placed = [(sc.Mesh(*meshes.cube(), engine=name), np.eye(4)) for name in engines]
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    instances = {i: Instance(mesh, m, m[:3, :3], None) for i, (mesh, m) in enumerate(placed)}
    (part,) = InstanceIndex.of(instances).parts
    assert part._engine == chosen


@pytest.mark.parametrize("name", ["numpy", "auto"])
def test_without_compiled_code_a_pick_after_a_change_builds_no_tree(monkeypatch, name):
    monkeypatch.setattr(compiling, "engine", lambda wait: None)
    scene = sc.Scene()
    mesh = sc.Mesh(*meshes.cube(), engine=name)
    for x in range(3):
        scene.add(mesh, meshes.placement(offset=(4 * x, 0, 0)))
    monkeypatch.setattr(bvh, "over_boxes", None)
    for height in (1.0, 2.0):
        scene.set_matrices([1], [meshes.placement(offset=(4, 0, height))])
        assert scene.ray_cast((4.5, 0, 9), (0, 0, -1)).point[2] == height + 1.0


def test_a_scene_needs_bounding_boxes_to_skip_most_triangles(monkeypatch):
    scene = sc.Scene()
    mesh = sc.Mesh(*meshes.cube(), engine="numpy")
    for x in range(50):
        scene.add(mesh, meshes.placement(offset=(4 * x, 0, 0)))
    asked = []

    def count(name, rays_of):
        ask = getattr(sc.Mesh, name)
        counted = lambda self, rays: asked.append(rays_of(rays)) or ask(self, rays)  # noqa: E731
        monkeypatch.setattr(sc.Mesh, name, counted)

    count("_cast", lambda ray: 1)
    count("_cast_many", len)
    assert scene.ray_cast((40.5, 0, 9), (0, 0, -1)).instance == 10
    assert asked == [1]
    for rays in (3, 30):
        asked.clear()
        hits = scene.cast_rays([(40.5, 0, 9)] * rays, (0, 0, -1))
        assert hits.instance.tolist() == [10] * rays
        assert sum(asked) == rays
