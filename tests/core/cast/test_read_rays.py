# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays are taken as people have them: of any shape, as values, in any number type."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from .. import meshes
from ..cameras import perspective
from ..questions import assert_same_bits, assert_same_hits

QUERIES = ("cast_rays", "any_hit", "count_hits", "cast_rays_all")


def a_mesh():
    return sc.Mesh(*meshes.icosphere(2))


def a_scene():
    scene = sc.Scene()
    scene.add(a_mesh())
    return scene


each_caster = pytest.mark.parametrize("make", [a_mesh, a_scene])


def rays(rng, *shape):
    return rng.normal(size=(*shape, 3)) * 3, meshes.directions(rng, int(np.prod(shape))).reshape(
        *shape, 3
    )


@each_caster
def test_a_ray_is_taken_as_a_whole(make, rng):
    caster = make()
    for _ in range(20):
        ray = sc.Ray(rng.normal(size=3) * 2, rng.normal(size=3))
        parts = ray.origin, ray.direction
        assert_same_hits([caster.ray_cast(ray)], [caster.ray_cast(*parts)])
        assert_same_hits(caster.ray_cast_all(ray), caster.ray_cast_all(*parts))
        assert caster.any_hit(ray) == bool(caster.ray_cast_all(*parts))
        assert caster.cast_rays(ray).distance == caster.cast_rays(*parts).distance


@each_caster
@pytest.mark.parametrize("shape", [(), (1,), (7,), (4, 5), (0,)])
def test_a_ray_is_taken_as_six_numbers(make, rng, shape):
    caster, parts = make(), rays(rng, *shape)
    both = np.concatenate(parts, axis=-1)
    for query in QUERIES:
        one, other = getattr(caster, query)(both), getattr(caster, query)(*parts)
        if query == "cast_rays_all":
            assert one[0] == other[0]
        else:
            assert np.all(one == other)
    if not shape:
        assert_same_hits(caster.ray_cast_all(both.tolist()), caster.ray_cast_all(*parts))
        assert_same_hits([caster.ray_cast(both)], [caster.ray_cast(*parts)])


@each_caster
@pytest.mark.parametrize("given", [[[1, 2, 3, 4, 5]], np.zeros((2, 3)), "abcdef", [["a"] * 6]])
def test_other_rays_without_directions_are_refused_in_words(make, given):
    for query in (*QUERIES, "ray_cast", "ray_cast_all"):
        with pytest.raises(errors.ArgumentError, match=r"rays? (is|are) (an )?origins? and"):
            getattr(make(), query)(given)


@each_caster
@pytest.mark.parametrize("shape", [(), (1,), (7,), (4, 5), (2, 3, 2), (0,), (3, 0)])
def test_answers_have_the_shape_of_the_rays(make, rng, shape):
    caster, (origins, directions) = make(), rays(rng, *shape)
    flat = caster.cast_rays(origins.reshape(-1, 3), directions.reshape(-1, 3))
    hits = caster.cast_rays(origins, directions)
    assert hits.shape == shape
    assert hits.distance.shape == hits.triangle.shape == hits.invalid.shape == shape
    assert hits.point.shape == hits.barycentric.shape == (*shape, 3)
    assert_same_bits(hits.reshape(-1), flat)
    assert np.shape(caster.any_hit(origins, directions)) == shape
    counts = caster.count_hits(origins, directions)
    assert np.shape(counts) == shape
    found, splits = caster.cast_rays_all(origins, directions)
    np.testing.assert_array_equal(np.diff(splits), np.ravel(counts))
    assert found.shape == (splits[-1],)


@each_caster
def test_origins_directions_and_distances_are_broadcast(make, rng):
    caster = make()
    origins, directions = rng.normal(size=(4, 1, 3)) * 3, meshes.directions(rng, 5)
    ends = rng.uniform(1, 9, (4, 1))
    hits = caster.cast_rays(origins, directions, ends, min_distance=rng.uniform(0, 1, 5))
    assert hits.shape == (4, 5)
    whole = [np.broadcast_to(x, (4, 5, 3)).reshape(-1, 3) for x in (origins, directions)]
    every = caster.cast_rays(*whole, np.broadcast_to(ends, (4, 5)).ravel())
    near = hits.reshape(-1)
    agreed = near.distance == every.distance
    assert agreed.mean() > 0.5


@pytest.mark.parametrize("one", [(), (1,), (1, 1), (1, 1, 1)])
@pytest.mark.parametrize("shape", [(6,), (6, 4), (1, 6), (6, 1), (0, 4)])
def test_one_ray_of_any_shape_serves_all_others(rng, engine, shape, one):
    mesh = sc.Mesh(*meshes.icosphere(2), engine=engine)
    many, single = rng.normal(size=(*shape, 3)) * 3, rng.normal(size=(*one, 3))
    whole = np.broadcast_shapes(shape, one)
    for given in ((many, single), (single, many)):
        rows = [np.broadcast_to(x, (*whole, 3)).reshape(-1, 3) for x in given]
        hits = mesh.cast_rays(*given)
        assert hits.shape == whole
        assert_same_bits(hits.reshape(-1), mesh.cast_rays(*map(np.array, rows)))


def test_rows_of_an_image_are_found_by_their_pixel(rng):
    camera = sc.Camera(np.eye(4), perspective(), 8, 6)
    mesh = sc.Mesh(*[meshes.icosphere(1)[0] + (0, 0, -4), meshes.icosphere(1)[1]])
    x, y = np.meshgrid(np.arange(8) + 0.5, np.arange(6) + 0.5)
    hits = mesh.cast_rays(*camera.rays(x, y))
    assert hits.shape == (6, 8)
    assert len(hits) == 6
    hit = hits[3, 4]
    assert_same_hits([hit], [mesh.ray_cast(camera.ray(4.5, 3.5))])
    assert_same_hits([hits[3][4]], [hit])
    assert hits[3, 2:6].shape == (4,)
    assert hits[0, 0] is None
    assert hits[hits.hit].shape == (hits.hit.sum(),)
    with pytest.raises(errors.IndexRangeError, match="no such rows"):
        hits[6]
    with pytest.raises(errors.IndexRangeError, match="no such rows"):
        hits[0, 0, 0]


def test_all_pixels_of_a_camera_go_straight_in():
    camera = sc.Camera(np.eye(4), perspective(), 8, 6)
    mesh = sc.Mesh(*[meshes.icosphere(1)[0] + (0, 0, -4), meshes.icosphere(1)[1]])
    hits = mesh.cast_rays(camera.rays())
    assert hits.shape == (6, 8)
    for row, column in ((0, 0), (3, 4), (5, 7)):
        alone = mesh.ray_cast(camera.ray(column + 0.5, row + 0.5))
        assert_same_hits([hits[row, column]], [alone])


def test_a_list_of_rays_is_a_batch(rng):
    mesh = a_mesh()
    many = [sc.Ray(rng.normal(size=3) * 2, rng.normal(size=3)) for _ in range(9)]
    hits = mesh.cast_rays(many)
    assert_same_hits(list(hits), [mesh.ray_cast(ray) for ray in many])


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int32, np.longdouble, ">f8"])
def test_numbers_of_any_type_are_taken_as_they_are(kind, rng):
    mesh = a_mesh()
    origins = np.round(rng.normal(size=(40, 3)) * 3).astype(kind)
    directions = np.round(rng.normal(size=(40, 3)) * 9).astype(kind) + np.asarray(1, kind)
    exactly = origins.astype(float), directions.astype(float)
    assert_same_bits(mesh.cast_rays(origins, directions), mesh.cast_rays(*exactly))


@pytest.mark.parametrize("method", QUERIES)
def test_empty_lists_are_no_rays(method):
    answer = getattr(a_mesh(), method)([], [])
    if method == "cast_rays_all":
        hits, splits = answer
        assert (len(hits), splits.tolist()) == (0, [0])
    else:
        assert len(answer) == 0


FAULTS = [
    ((np.nan, 0, 5), (0, 0, -1), "origin is not finite"),
    ((0, np.inf, 5), (0, 0, -1), "origin is not finite"),
    ((0, 0, 5), (0, np.nan, -1), "direction is not finite"),
    ((0, 0, 5), (0, 0, -np.inf), "direction is not finite"),
    ((0, 0, 5), (0, 0, 0), "direction has no length"),
]


@each_caster
@pytest.mark.parametrize("build", [False, True])
def test_a_ray_that_is_none_is_a_miss_with_a_reason(make, build, rng, engine):
    caster = sc.Mesh(*meshes.icosphere(2), engine=engine) if make is a_mesh else make()
    if build and make is a_mesh:
        caster.build()
    good = rng.normal(size=(200, 3)) * 3
    origins, directions = np.repeat(good[:, None], 6, 1), np.repeat(-good[:, None], 6, 1)
    for column, (origin, direction, _) in enumerate(FAULTS):
        origins[50, column], directions[50, column] = origin, direction
    hits = caster.cast_rays(origins, directions)
    assert hits.invalid.sum() == len(FAULTS)
    assert not hits.hit[hits.invalid].any()
    assert hits.distance[50, 0] == np.inf
    for column, (_, _, reason) in enumerate(FAULTS):
        assert reason in hits.reason((50, column))
        assert reason in hits[50].reason(column)
    assert hits.reason((50, 5)) is None
    assert hits.hit[:50].all()
    assert_same_bits(hits[:50], caster.cast_rays(origins[:50], directions[:50]))
    counts, found = caster.count_hits(origins, directions), caster.any_hit(origins, directions)
    assert not counts[hits.invalid].any()
    assert not found[hits.invalid].any()
    np.testing.assert_array_equal(found, hits.hit)
    _, splits = caster.cast_rays_all(origins, directions)
    np.testing.assert_array_equal(np.diff(splits), counts.ravel())
    assert caster.cast_rays((9, 9, 9), (0, 0, 1)).reason() == "the ray hits nothing"


def test_distances_that_are_none_make_a_miss_with_a_reason():
    mesh = a_mesh()
    ray = [(0, 0, 5.0)] * 3, (0, 0, -1)
    hits = mesh.cast_rays(*ray, [9, -1, np.nan])
    assert hits.hit.tolist() == [True, False, False]
    assert [hits.reason(row) for row in (1, 2)] == ["the ray's max_distance is not 0 or more"] * 2
    hits = mesh.cast_rays(*ray, min_distance=[0, -1, np.nan])
    assert hits.invalid.tolist() == [False, True, True]
    assert "min_distance" in hits.reason(1)
    for bad in ({"max_distance": -1}, {"min_distance": np.nan}):
        with pytest.raises(errors.ArgumentError, match="must be 0 or more"):
            mesh.cast_rays(*ray, **bad)


def test_rows_that_are_taken_keep_what_is_invalid():
    hits = a_mesh().cast_rays([(0, 0, 5), (9, 9, 9), (np.nan, 0, 0)], (0, 0, -1))
    for rows in ([2, 0], (2, 0), np.array([False, False, True]), slice(2, 3)):
        assert hits.take(rows).invalid[0]
        assert "origin is not finite" in hits.take(rows).reason(0)
    assert hits.take([]).invalid.shape == (0,)
    with pytest.raises(errors.DtypeError, match=r"must name one of the rows"):
        hits.reason()


@each_caster
def test_no_limit_is_not_the_limit_0(make):
    with pytest.raises(errors.DtypeError, match="max_distance"):
        make().cast_rays([(0, 0, 5)], (0, 0, -1), max_distance=None)


@each_caster
def test_rays_with_another_direction_are_refused(make, rng):
    with pytest.raises(errors.ArgumentError, match="rays must stand alone, without a direction"):
        make().any_hit(sc.Rays(*rays(rng, 2)), (0, 0, -1))


def test_what_to_do_with_rays_that_are_none_is_one_of_two():
    with pytest.raises(errors.ArgumentError, match='invalid must be "miss" or "raise"'):
        a_mesh().cast_rays([(0, 0, 5)], (0, 0, -1), invalid="ignore")


@pytest.mark.parametrize("method", [*QUERIES, "ray_cast", "ray_cast_all"])
@pytest.mark.parametrize("given", [(0, 0, 5), [(0, 0, 5)] * 2, None, "ray"])
def test_a_missing_direction_is_told(method, given):
    with pytest.raises(errors.ArgumentError, match=r"an origin and a dir|origins and directions"):
        getattr(a_mesh(), method)(given)


RAY = sc.Ray((0.25, 0.5, 5), (0, 0, -1))


@pytest.mark.parametrize("method", QUERIES)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([None], "a list with None at 0"),
        ([RAY, None], "a list with None at 1"),
        ((RAY, 5), "a tuple with an int at 1"),
        (np.zeros((2, 5)), r"an array of shape \(2, 5\)"),
        (sc.Camera, "the class Camera"),
        (a_mesh(), "a Mesh"),
    ],
)
def test_what_is_no_ray_is_named_with_its_place(method, given, words):
    with pytest.raises(errors.ArgumentError, match=f"alone a Ray.*: {words} is none of these"):
        getattr(a_mesh(), method)(given)


@pytest.mark.parametrize("more", [5, 5.0, (0, 0, 1)])
def test_what_follows_a_ray_is_passed_by_name(more):
    for call in (a_mesh().ray_cast, a_mesh().ray_cast_all):
        with pytest.raises(errors.ArgumentError, match=r"a Ray must stand alone.*max_distance"):
            call(RAY, more)
    for rays in (RAY, [RAY], sc.Rays(np.zeros((2, 3)), np.ones((2, 3)))):
        with pytest.raises(errors.ArgumentError, match=r"rays must stand alone.*max_distance"):
            a_mesh().cast_rays(rays, more)
    assert a_mesh().ray_cast(RAY, max_distance=5) is not None


@pytest.mark.parametrize(
    ("origins", "directions", "distance", "words"),
    [
        ((0, 0, 1), (0, 0, 0), 1, "directions must be finite"),
        ([(0, 0, 1)], (0, 0, 0), 1, "directions must be finite"),
        (np.zeros((2, 2, 3)), [[(0, 0, 1), (0, 0, 0)]], 1, r"directions \(0, 1\) must be finite"),
        ((0, 0, np.nan), (0, 0, 1), 1, "origins is not finite at index 2"),
        (np.zeros((2, 2, 3)), (0, 0, 1), [1, -1], r"max_distance \(0, 1\) must be 0 or more"),
    ],
)
def test_a_bad_row_is_named_by_its_place_in_what_was_passed(origins, directions, distance, words):
    with pytest.raises(errors.ArgumentError, match=words):
        a_mesh().cast_rays(origins, directions, distance, invalid="raise")


def test_of_a_single_ray_the_answers_are_plain_values():
    mesh = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    ray = sc.Ray((0.2, 0.2, 1), (0, 0, -1))
    assert (mesh.any_hit(ray), mesh.any_hit(ray, max_distance=0.5)) == (True, False)
    assert (type(mesh.any_hit(ray)), type(mesh.count_hits(ray))) == (bool, int)
    assert mesh.any_hit([ray]).shape == (1,)
