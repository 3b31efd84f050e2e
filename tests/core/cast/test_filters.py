# SPDX-License-Identifier: GPL-3.0-or-later
"""What filters let through is what a loop over all hits keeps, of all six queries."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from ..questions import assert_same_bits, assert_same_hits, built, lattice_rays, toward

each_path = pytest.mark.parametrize("path", ["scan", "tree", "polygons", "scene", "big scene"])


def caster_of(path, shape, engine):
    vertices, triangles = shape
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    if path == "scan":
        return mesh
    if path == "tree":
        mesh.build()
        return mesh
    if path == "polygons":
        return sc.PolygonMesh(vertices, np.ravel(triangles), 3, engine=engine)
    mesh.build()
    scene = sc.Scene()
    scene.add(mesh)
    if path == "big scene":
        moved = np.tile(np.eye(4), (40, 1, 1))
        moved[:, :3, 3] = np.linspace(-2, 2, 40)[:, None]
        scene.add_many(mesh, moved)
    return scene


def shapes(rng):
    yield meshes.soup(rng, 80)
    yield meshes.stack(6, gap=1.0)
    yield meshes.icosphere(1)


def rays(rng, shape, count=24):
    at, through = toward(rng, *shape, count), lattice_rays(rng, count)
    return tuple(np.concatenate(pair) for pair in zip(at, through, strict=True))


def assert_kept(caster, given, options, keep):
    """All queries with these options answer what is kept of all hits, (ray, hits) -> mask.

    Returns how many hits are kept, and how many are not.
    """
    every, splits = caster.cast_rays_all(*given)
    ray = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    kept = np.asarray(keep(ray, every), bool)
    hits, ray = every.take(kept), ray[kept]
    splits = np.searchsorted(ray, np.arange(len(splits)))
    found, found_splits = caster.cast_rays_all(*given, **options)
    np.testing.assert_array_equal(found_splits, splits)
    assert_same_bits(found, hits)
    counts = np.diff(splits)
    np.testing.assert_array_equal(caster.count_hits(*given, **options), counts)
    np.testing.assert_array_equal(caster.any_hit(*given, **options), counts > 0)
    nearest = caster.cast_rays(*given, **options)
    for i, one in enumerate(zip(*given, strict=True)):
        if i % 2:  # Alone a ray is asked twice, which takes most of the time.
            assert_same_hits([nearest[i]], [hits[splits[i]]] if counts[i] else [None])
            continue
        own = {name: _of_ray(i, name, value) for name, value in options.items()}
        alone = [hits[row] for row in range(*splits[i : i + 2])]
        assert_same_hits([nearest[i]], alone[:1] or [None])
        assert_same_hits(caster.ray_cast_all(*one, **own), alone)
        assert_same_hits([caster.ray_cast(*one, **own)], alone[:1] or [None])
    return kept.sum(), (~kept).sum()


def _of_ray(row, name, value):
    return value[row] if name == "min_distance" and np.ndim(value) else value


def assert_some(tallies):
    kept, left = np.sum(tallies, axis=0)
    assert min(kept, left) > 20


@each_path
def test_hits_before_min_distance_do_not_count_and_those_at_it_do(rng, engine, path):
    tallies = []
    for shape in shapes(rng):
        caster, given = caster_of(path, shape, engine), rays(rng, shape)
        least = np.nan_to_num(caster.cast_rays(*given).distance, posinf=1.0)
        for limits in (least, np.nextafter(least, np.inf), np.nextafter(least, 0.0), least * 1.5):

            def keep(ray, hits, limits=limits):
                return hits.distance >= limits[ray]

            tallies.append(assert_kept(caster, given, {"min_distance": limits}, keep))
        both = {"min_distance": 3.0, "max_distance": 7.0}

        def keep(ray, hits):
            return (hits.distance >= 3) & (hits.distance <= 7)

        tallies.append(assert_kept(caster, given, both, keep))
    assert_some(tallies)


@each_path
def test_directions_of_any_length_have_the_same_min_distance(rng, engine, path):
    shape = meshes.soup(rng, 60)
    caster, (origins, directions) = caster_of(path, shape, engine), rays(rng, shape)
    for length in (1e-3, 7.0, 1e30):
        given = origins, directions * length
        least = np.nan_to_num(caster.cast_rays(*given).distance, posinf=1.0)

        def keep(ray, hits, least=least):
            return hits.distance >= least[ray]

        assert_kept(caster, given, {"min_distance": least}, keep)


@pytest.mark.parametrize("path", ["scan", "tree", "polygons"])
def test_only_some_triangles_may_be_hit_named_by_indices_a_mask_or_a_set(rng, engine, path):
    tallies = []
    for shape in shapes(rng):
        caster, given = caster_of(path, shape, engine), rays(rng, shape)
        count = len(shape[1])
        mask = rng.random(count) < 0.6

        def keep(ray, hits, mask=mask):
            return mask[hits.triangle]

        for only in (mask, np.flatnonzero(mask), set(np.flatnonzero(mask).tolist())):
            tallies.append(assert_kept(caster, given, {"only": only}, keep))
        out = {"only": mask, "exclude": {0, 1}}

        def keep(ray, hits, mask=mask):
            return mask[hits.triangle] & (hits.triangle > 1)

        tallies.append(assert_kept(caster, given, out, keep))
    assert_some(tallies)


def test_only_some_instances_may_be_hit_named_by_ids_a_mask_or_a_set(rng, engine):
    shape = meshes.icosphere(1)
    scene, given = caster_of("big scene", shape, engine), rays(rng, shape)
    scene.remove(3)
    chosen = rng.random(len(scene)) < 0.5
    ids = scene.ids[chosen]
    tallies = []
    for named in (chosen, ids, set(ids.tolist()), ids.tolist()):

        def only(ray, hits):
            return np.isin(hits.instance, ids)

        def others(ray, hits):
            return ~np.isin(hits.instance, ids)

        tallies.append(assert_kept(scene, given, {"only": named}, only))
        tallies.append(assert_kept(scene, given, {"exclude": named}, others))
    assert_some(tallies)


@pytest.mark.parametrize("path", ["scan", "tree", "polygons"])
def test_each_triangle_may_have_a_side_that_is_not_hit(rng, engine, path):
    tallies = []
    for shape in shapes(rng):
        caster, given = caster_of(path, shape, engine), rays(rng, shape)
        count = len(shape[1])
        back, front = rng.random(count) < 0.4, rng.random(count) < 0.3
        front &= ~back
        names = np.where(back, "back", np.where(front, "front", None))

        def keep(ray, hits, back=back, front=front):
            return ~np.where(hits.front, front[hits.triangle], back[hits.triangle])

        tallies.append(assert_kept(caster, given, {"cull": names}, keep))
        assert_kept(caster, given, {"cull": names.tolist()}, keep)

        def keep(ray, hits, back=back):
            return hits.front | ~back[hits.triangle]

        tallies.append(assert_kept(caster, given, {"cull": back}, keep))
        out = rng.random(count) < 0.2

        def keep(ray, hits, back=back, out=out):
            return (hits.front | ~back[hits.triangle]) & ~out[hits.triangle]

        tallies.append(assert_kept(caster, given, {"cull": back, "exclude": out}, keep))
    assert_some(tallies)


@each_path
def test_max_hits_keeps_the_nearest_of_each_ray(rng, engine, path):
    shape = meshes.stack(6, gap=1.0)
    caster, given = caster_of(path, shape, engine), rays(rng, shape)
    for most in (1, 2, 5, 10**6):
        hits, splits = caster.cast_rays_all(*given)
        found, found_splits = caster.cast_rays_all(*given, max_hits=most)
        rank = np.arange(len(hits)) - np.repeat(splits[:-1], np.diff(splits))
        assert_same_bits(found, hits.take(rank < most))
        np.testing.assert_array_equal(np.diff(found_splits), np.minimum(np.diff(splits), most))
        one = given[0][0], given[1][0]
        assert_same_hits(caster.ray_cast_all(*one, max_hits=most), caster.ray_cast_all(*one)[:most])


def test_more_rays_than_are_cast_together_keep_their_nearest_hits(rng):
    mesh = built(*meshes.stack(5, gap=1.0))
    origins = np.tile((0.1, 0.2, 9.0), (40_000, 1))
    hits, splits = mesh.cast_rays_all(origins, (0, 0, -1), max_hits=3)
    assert (np.diff(splits) == 3).all()
    assert (
        hits.distance.reshape(-1, 3)
        == mesh.ray_cast_all(origins[0], (0, 0, -1))[0].distance + np.arange(3)
    ).all()


@pytest.mark.parametrize("most", [0, -1, 1.5, "many", True])
def test_max_hits_that_are_no_number_are_refused(most):
    with pytest.raises(errors.ArgumentError, match="max_hits"):
        built(*meshes.cube()).ray_cast_all((0, 0, 5), (0, 0, -1), max_hits=most)


@pytest.mark.parametrize("least", [-1.0, np.nan, "x", (1, 2)])
def test_min_distances_that_are_none_are_refused(least):
    with pytest.raises(errors.ArgumentError, match="min_distance"):
        built(*meshes.cube()).ray_cast((0, 0, 5), (0, 0, -1), min_distance=least)


def test_nothing_is_hit_between_a_far_start_and_a_near_end():
    for caster in (built(*meshes.cube()), caster_of("scene", meshes.cube(), "auto")):
        limits = {"max_distance": 3, "min_distance": 5}
        assert caster.ray_cast((0.1, 0.2, 9), (0, 0, -1), min_distance=5) is not None
        assert caster.ray_cast((0.1, 0.2, 9), (0, 0, -1), **limits) is None
        assert not caster.cast_rays([(0.1, 0.2, 9)], (0, 0, -1), **limits).hit.any()


def test_a_scene_has_one_cull_for_all_and_says_so():
    scene = caster_of("scene", meshes.cube(), "auto")
    with pytest.raises(errors.ArgumentError, match="triangle of a scene"):
        scene.ray_cast((0, 0, 5), (0, 0, -1), cull=[True])
