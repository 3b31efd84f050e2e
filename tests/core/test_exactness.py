# SPDX-License-Identifier: GPL-3.0-or-later
"""A sample of what scripts/exactness.py counts in full, and whether it would see a fault."""

from fractions import Fraction

import numpy as np
import pytest

import exactness_in_core
import standalone_core as sc

from . import exactness, oracle

SAMPLE = {"rays": 20_000, "detail": 2}


def test_no_ray_leaks_and_none_counts_a_crossing_again(seed, engine):
    rows = list(exactness.measure(seed=seed, engine=engine, **SAMPLE))
    wrong = [row for row in rows if row.leaks or row.doubles]
    assert wrong == []
    assert sum(row.rays for row in rows) == SAMPLE["rays"]
    assert not any(row.skipped for row in rows)


BODIES = [*exactness.round_bodies(2), *exactness.dyadic_bodies(2)]
each_body = pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)


@each_body
def test_the_meshes_are_closed_and_look_outward(body):
    assert exactness.is_closed(body.triangles)
    a, b, c = (body.vertices[body.triangles[:, i]] for i in range(3))
    assert np.einsum("ni,ni->n", a, np.cross(b, c)).sum() > 0


def test_a_mesh_with_a_hole_or_a_flipped_triangle_is_not_closed():
    triangles = BODIES[0].triangles
    assert not exactness.is_closed(triangles[1:])
    assert not exactness.is_closed(np.concatenate([triangles[1:], triangles[:1, ::-1]]))


def test_the_noisy_sphere_is_star_shaped_so_it_never_meets_itself():
    body = BODIES[2]
    a, b, c = (body.vertices[body.triangles[:, i]] for i in range(3))
    assert (np.einsum("ni,ni->n", a, np.cross(b, c)) > 0).all()


@pytest.mark.parametrize("body", BODIES[3:], ids=lambda body: body.name)
@pytest.mark.parametrize("family", exactness.TIES, ids=lambda family: family.name)
@pytest.mark.parametrize("scale", exactness.DYADIC_SCALES, ids="{:g}".format)
def test_rays_at_dyadic_meshes_meet_a_vertex_or_the_middle_of_an_edge_exactly(
    rng, body, family, scale
):
    placed = body.placed(scale, np.array([1, -0.75, 0.25]) * max(exactness.DYADIC_OFFSETS))
    edges = exactness.meshes.edges(placed.triangles)
    aims = np.concatenate([placed.vertices, placed.vertices[edges].mean(axis=1)])
    exact_aims = [oracle.exact(aim) for aim in aims]
    for origin, direction in zip(*family.rays(rng, placed, 10), strict=True):
        o, d = oracle.exact(origin), oracle.exact(direction)
        assert any(not any(oracle.cross(oracle.sub(aim, o), d)) for aim in exact_aims)
        distance = oracle.length(oracle.sub(o, oracle.exact(placed.middle)))
        assert family.begins_on_it or distance > Fraction(placed.radius)


def with_one_ray(shape, origin, direction, crossings=None):
    leaks, doubles = exactness.judged(
        *sc.Mesh(*shape).cast_rays_all([origin], [direction]), crossings
    )
    return bool(leaks[0]), bool(doubles[0])


CUBE = exactness.block(np.ones((2, 2)))
UP = (0.25, 0.5, -5), (0, 0, 1)
FROM_WITHIN = (0.25, 0.5, 0), (0, 0, 1)


def without(shape, rows):
    return shape[0], np.delete(shape[1], rows, axis=0)


def doubled(shape, rows):
    return shape[0], np.concatenate([shape[1], shape[1][rows]])


@pytest.mark.parametrize(("change", "fault"), [(without, (True, False)), (doubled, (False, True))])
@pytest.mark.parametrize("end", [0, 1])
def test_a_missing_triangle_is_a_leak_and_one_that_is_there_twice_a_double(change, fault, end):
    rows = [sc.Mesh(*CUBE).ray_cast_all(*UP)[end].triangle]
    assert with_one_ray(CUBE, *UP) == with_one_ray(CUBE, *UP, 2) == (False, False)
    assert with_one_ray(change(CUBE, rows), *UP) == fault
    assert with_one_ray(change(CUBE, rows), *UP, 2) == fault
    if end == 1:
        assert with_one_ray(change(CUBE, rows), *FROM_WITHIN, 1) == fault
    assert with_one_ray(CUBE, *FROM_WITHIN, 1) == (False, False)


def test_a_triangle_that_looks_inward_is_a_leak():
    row = sc.Mesh(*CUBE).ray_cast(*UP).triangle
    vertices, triangles = CUBE[0], CUBE[1].copy()
    triangles[row] = triangles[row, ::-1]
    assert with_one_ray((vertices, triangles), *UP) == (True, False)
    assert with_one_ray((vertices, triangles), *UP, 2) == (True, False)


def test_only_the_rays_that_are_wrong_are_told():
    shape = without(CUBE, [sc.Mesh(*CUBE).ray_cast(*UP).triangle])
    origins = [(9, 9, -5), UP[0], (0.5, -0.25, -5), (0.5, -0.25, 5), UP[0]]
    directions = [UP[1], UP[1], UP[1], (1, 0, -0.001), (0, 0, -1)]
    leaks, doubles = exactness.judged(*sc.Mesh(*shape).cast_rays_all(origins, directions))
    assert leaks.tolist() == [False, True, False, False, False]
    assert not doubles.any()


def test_crossings_at_the_same_place_may_come_in_any_order():
    ray = np.array([0, 0, 1, 1, 2, 2])
    distance = np.array([1, 1, 1, 1 + 4 * oracle.EPS, 1, 1.5])
    inward = np.array([-1, 1, -1, 1, -1, 1])
    leaks, doubles = exactness.judged_by_turns(ray, distance, inward, 4)
    assert leaks.tolist() == [False, False, True, False]
    assert not doubles.any()


def test_a_mesh_whose_coordinates_collapse_is_skipped_and_said_to_be():
    body = BODIES[0].placed(1e-9, (1e6, 0, 0))
    row = next(exactness.measure(rays=1000, seed=1, detail=1, extra=[body]))
    assert (row.mesh, row.rays, row.leaks) == ("icosphere", 0, 0)
    assert row.skipped


def rows_of(body):
    yield next(exactness.measure(rays=5000, seed=1, detail=1, extra=[body]))


def test_the_status_is_1_if_anything_is_wrong_and_the_wrong_rays_are_shown(capsys):
    good = exactness.Body("cube", *CUBE)
    assert exactness_in_core.report(rows_of(good)) == 0
    assert "Wrong" not in capsys.readouterr().out
    holed = exactness.Body("holed", *without(CUBE, [0]))
    assert exactness_in_core.report(rows_of(holed)) == 1
    assert "Wrong: outside, at edges and vertices, holed" in capsys.readouterr().out


def test_a_mesh_of_a_file_is_counted_too_if_it_is_closed(tmp_path, capsys):
    good, holed = tmp_path / "scan.npz", tmp_path / "holed.npz"
    for path, shape in ((good, CUBE), (holed, without(CUBE, [0]))):
        np.savez(path, vertices=shape[0], triangles=shape[1])
    assert exactness_in_core.read(good).radius == pytest.approx(3**0.5)
    assert exactness_in_core.main(["--mesh", str(holed)]) == 1
    assert "holed.npz is not closed" in capsys.readouterr().out
