# SPDX-License-Identifier: GPL-3.0-or-later
"""Single rays take a short way to compiled code, and are answered as all others are."""

import copy
import gc
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.engines import engine_named, lone_caster_of

from ... import meshes
from ...questions import assert_same_bits

pytest.importorskip("numba")


def rays(rng, count=200):
    origins = rng.normal(size=(count, 3)) * 3
    directions = rng.uniform(-0.6, 0.6, (count, 3)) - origins
    return list(zip(map(tuple, origins.tolist()), map(tuple, directions.tolist()), strict=True))


def sample(rng, engine="numba", faces=False):
    """Triangles in all directions, with a tree."""
    corners = rng.uniform(-1, 1, (150, 1, 3)) + rng.normal(size=(150, 3, 3)) * 0.3
    numbers = rng.permutation(150) if faces else None
    triangles = np.arange(450).reshape(-1, 3)
    mesh = sc.Mesh(corners.reshape(-1, 3), triangles, numbers, engine=engine, building="never")
    mesh.build()
    return mesh


def numpys(mesh):
    """The same mesh, answered by NumPy."""
    given = mesh.vertices, mesh.triangles, mesh.faces
    return sc.Mesh(*given, engine="numpy", building="never")


def assert_equal(hit, other):
    assert (hit is None) == (other is None)
    if hit is not None:
        assert_same_bits(hit, other)


def short_way(mesh, *ray):
    """What the short way answers; it must be open."""
    mesh.ray_cast((9.0, 9.0, 9.0), (0.0, 0.0, 1.0))
    return mesh._cast_quickly(*ray, np.inf)


@pytest.mark.parametrize("faces", [False, True])
@pytest.mark.parametrize("limit", [np.inf, 2.5])
def test_hits_are_those_of_numpy(rng, faces, limit):
    mesh = sample(rng, faces=faces)
    other, hits = numpys(mesh), 0
    for origin, direction in rays(rng):
        hit = mesh.ray_cast(origin, direction, limit)
        assert_equal(hit, other.ray_cast(origin, direction, limit))
        hits += hit is not None
    assert 20 < hits < 200


@pytest.mark.parametrize("cull", [None, "back", "front"])
def test_what_is_excluded_or_culled_is_not_hit(rng, cull):
    mesh = sample(rng, faces=True)
    other, mask = numpys(mesh), rng.random(150) < 0.5
    for origin, direction in rays(rng):
        given = {"origin": origin, "direction": direction, "cull": cull, "exclude": mask}
        assert_equal(mesh.ray_cast(**given), other.ray_cast(**given))
        found, right = mesh.ray_cast_all(**given), other.ray_cast_all(**given)
        assert len(found) == len(right)
        for hit, its in zip(found, right, strict=True):
            assert_same_bits(hit, its)


@pytest.mark.parametrize("kind", [tuple, list, np.array])
def test_usual_rays_take_the_short_way(rng, kind):
    mesh = sample(rng)
    for origin, direction in rays(rng, 20):
        hit = short_way(mesh, kind(origin), kind(direction))
        assert hit is not NotImplemented
        assert_equal(hit, mesh.ray_cast(origin, direction, exclude=[]))


@pytest.mark.parametrize(
    "origin",
    [
        (0, 0, 3),
        (0.0, 0, True),
        (0.5, Fraction(1, 3), 3.0),
        np.array([0.1, 0.2, 3.0], np.float32),
        np.array([0, 0, 3]),
        np.array([0.1, 0.2, 3.0], np.longdouble),
        np.array([0.1, 0.2, 3.0], ">f8"),
        np.array([0.1, 0.2, 3.0, 7.0])[:3][::-1],
        [0.1, np.float32(0.2), np.float64(3.0)],
    ],
    ids=str,
)
def test_numbers_of_any_kind_give_the_ray_that_they_give_on_the_long_way(rng, origin):
    mesh = sample(rng)
    short_way(mesh, (0.0, 0.0, 3.0), (0.0, 0.0, -1.0))
    for direction in ((-0.1, 0.0, -1.0), np.array([0.0, 0.1, -2.0]), [0, 0, -1]):
        assert_equal(mesh.ray_cast(origin, direction), mesh.ray_cast(origin, direction, exclude=[]))
        assert_equal(mesh.ray_cast(direction, origin), mesh.ray_cast(direction, origin, exclude=[]))


@pytest.mark.parametrize(
    ("origin", "direction", "limit"),
    [
        ((0.0, 0.0, np.nan), (0.0, 0.0, 1.0), np.inf),
        ((0.0, -np.inf, 0.0), (0.0, 0.0, 1.0), np.inf),
        ((0.0, 0.0, 3.0), (0.0, 0.0, 0.0), np.inf),
        ((0.0, 0.0, 3.0), (0.0, np.nan, 0.0), np.inf),
        ((0.0, 0.0, 3.0), (0.0, np.inf, 0.0), np.inf),
        ((0.0, 0.0, 3.0), (0.0, 0.0, -1.0), -1.0),
        ((0.0, 0.0, 3.0), (0.0, 0.0, -1.0), np.nan),
        ((0.0, 0.0), (0.0, 0.0, -1.0), np.inf),
        (("0", "0", "3"), (0.0, 0.0, -1.0), np.inf),
        ((0.0, "0", 3.0), (0.0, 0.0, -1.0), np.inf),
        ((0.0, 10**400, 3.0), (0.0, 0.0, -1.0), np.inf),
        ((0.0, 1j, 3.0), (0.0, 0.0, -1.0), np.inf),
        ((0.0, None, 3.0), (0.0, 0.0, -1.0), np.inf),
        (np.zeros((1, 3)), np.array([0.0, 0.0, -1.0]), np.inf),
        (np.zeros((3, 1)), np.array([0.0, 0.0, -1.0]), np.inf),
        (np.array(["0", "0", "3"]), np.array([0.0, 0.0, -1.0]), np.inf),
        (np.broadcast_to(0.0, (10**9, 10**9)), np.array([0.0, 0.0, -1.0]), np.inf),
        (iter((0.0, 0.0, 3.0)), (0.0, 0.0, -1.0), np.inf),
        ((0.0, 0.0, 3.0), (0.0, 0.0, -1.0), "inf"),
        ({0.0: 1, 1.0: 2, 2.0: 3}, (0.0, 0.0, -1.0), np.inf),
        ((True, False, True), (0.0, 0.0, -1.0), np.inf),
        ((0.0, 0.0, 3.0), None, np.inf),
    ],
)
def test_bad_rays_are_refused_by_name_as_ever(rng, origin, direction, limit):
    mesh = sample(rng)
    assert short_way(mesh, (0.0, 0.0, 3.0), (0.0, 0.0, -1.0)) is not NotImplemented
    with pytest.raises(sc.errors.RaypickError) as ours:
        mesh.ray_cast(origin, direction, limit)
    with pytest.raises(sc.errors.RaypickError) as its:
        numpys(mesh).ray_cast(origin, direction, limit)
    assert type(ours.value) is type(its.value)
    assert str(ours.value) == str(its.value)


@pytest.mark.parametrize("scale", [1e-15, 1e-3, 0.1, 1.0, 7.0, 1e15])
def test_directions_of_any_usual_length_take_it_too(rng, scale):
    mesh = sample(rng)
    other = numpys(mesh)
    for origin, way in rays(rng, 60):
        x, y, z = (np.array(way) / np.linalg.norm(way) * scale).tolist()
        hit = short_way(mesh, origin, (x, y, z))
        assert hit is not NotImplemented
        assert_equal(hit, other.ray_cast(origin, (x, y, z)))


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_directions_of_unusual_length_are_cast_the_long_way(rng, scale):
    mesh = sample(rng)
    other = numpys(mesh)
    for origin, (x, y, z) in rays(rng, 40):
        way = (x * scale, y * scale, z * scale)
        assert_equal(mesh.ray_cast(origin, way), other.ray_cast(origin, way))
        assert short_way(mesh, origin, way) is NotImplemented


def test_a_refit_is_seen_by_the_next_ray(rng):
    mesh = sample(rng)
    for step in range(5):
        mesh.refit(mesh.vertices + 0.1 * step)
        other = numpys(mesh)
        for ray in rays(rng, 40):
            assert_equal(mesh.ray_cast(*ray), other.ray_cast(*ray))


def test_a_better_tree_is_taken_by_what_casts_already(rng):
    mesh = sample(rng)
    given = rays(rng)
    before = [mesh.ray_cast(*ray) for ray in given]
    caster = mesh._lone[1]
    first = caster.packed
    state = mesh._state
    engine_named("numba").improve(state.geometry, state.tree, lambda done: None)
    assert caster.packed is not first
    assert mesh._lone[1] is caster is lone_caster_of("numba", state.geometry, state.tree)
    for ray, hit in zip(given, before, strict=True):
        assert_equal(mesh.ray_cast(*ray), hit)


def test_rays_of_the_short_way_count_for_a_better_tree(rng):
    mesh = sample(rng)
    short_way(mesh, *rays(rng, 1)[0])
    before = mesh._better._rays
    for ray in rays(rng, 30):
        mesh.ray_cast(*ray)
    assert mesh._better._rays == before + 30


def test_threads_cast_together_at_meshes_that_are_refitted_and_dropped(rng):
    given = rays(rng, 100)
    fields = [sample(rng) for _ in range(4)]
    right = [[numpys(mesh).ray_cast(*ray) for ray in given] for mesh in fields]
    moved = [mesh.vertices * 2.0 for mesh in fields]
    still = [mesh.vertices.copy() for mesh in fields]

    def cast(number):
        mesh = sc.Mesh(still[number], fields[number].triangles, engine="numba", building="never")
        mesh.build()
        found = []
        for turn in range(20):
            mesh.refit(moved[number])
            mesh.ray_cast(*given[turn])
            mesh.refit(still[number])
            found.append([mesh.ray_cast(*ray) for ray in given])
        return found

    def improve(number):
        state = fields[number]._state
        for _ in range(10):
            engine_named("numba").improve(state.geometry, state.tree, lambda done: None)
        return [[fields[number].ray_cast(*ray) for ray in given] for _ in range(10)]

    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(cast, range(4)), *pool.map(improve, range(4))]
    for number, turns in enumerate(answers):
        for hits in turns:
            for hit, its in zip(hits, right[number % 4], strict=True):
                assert_equal(hit, its)


def test_a_hit_outlives_its_mesh(rng):
    mesh = sample(rng)
    given = rays(rng)
    right = [numpys(mesh).ray_cast(*ray) for ray in given]
    hits = [mesh.ray_cast(*ray) for ray in given]
    del mesh
    gc.collect()
    for hit, its in zip(hits, right, strict=True):
        assert_equal(hit, its)


def test_copies_and_pickled_meshes_find_their_own_way(rng):
    mesh = sample(rng)
    given = rays(rng, 50)
    right = [mesh.ray_cast(*ray) for ray in given]
    for other in (pickle.loads(pickle.dumps(mesh)), copy.copy(mesh), copy.deepcopy(mesh)):
        assert other._lone is None
        for ray, hit in zip(given, right, strict=True):
            assert_equal(other.ray_cast(*ray), hit)
        assert other._lone is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_forked_process_casts_on(rng):
    mesh = sample(rng)
    given = rays(rng, 50)
    right = [mesh.ray_cast(*ray) for ray in given]
    child = os.fork()
    if not child:
        same = all(
            (a is None) == (b is None) and (a is None or a.distance == b.distance)
            for a, b in zip([mesh.ray_cast(*ray) for ray in given], right, strict=True)
        )
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_without_a_tree_or_compiled_code_the_way_is_closed(rng):
    ray = rays(rng, 1)[0]
    assert (
        sc.Mesh(*meshes.cube(), engine="numba", building="never")._cast_quickly(*ray, np.inf)
        is NotImplemented
    )
    assert sample(rng, engine="numpy")._cast_quickly(*ray, np.inf) is NotImplemented
