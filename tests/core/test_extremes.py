# SPDX-License-Identifier: GPL-3.0-or-later
"""Found bugs at the ends of float64's range, and triangles that are hardly any."""

import numpy as np
import pytest

import standalone_core as sc

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
HALVES = [[0, 1, 2], [2, 1, 3]]


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("scale", [1e-300, 1e-250, 1e-150, 1e-90, 1e90, 1e150, 1e200])
def test_a_mesh_of_extreme_scale_was_missed_or_hit_at_distance_0(scale, built):
    mesh = sc.Mesh(SQUARE * scale, HALVES)
    if built:
        mesh.build()
    hit = mesh.ray_cast(np.array((0.25, 0.25, 1)) * scale, (0, 0, -1))
    assert hit.triangle == 0
    assert hit.distance == pytest.approx(scale, rel=1e-14)
    assert hit.barycentric == pytest.approx([0.5, 0.25, 0.25], rel=1e-14)
    assert hit.normal.tolist() == [0, 0, 1]


@pytest.mark.parametrize("height", [1e-150, 1e-170, 1e-200, 1e-230])
@pytest.mark.parametrize("turn", [0, 1])
def test_a_needle_had_no_normal_or_raised(height, turn):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, height, 0]])
    mesh = sc.Mesh(np.roll(corners, turn, axis=1), [[0, 1, 2]])
    ray = np.roll((0.25, height / 4, 1), turn), np.roll((0, 0, -1), turn)
    hit = mesh.ray_cast(*ray)
    assert hit.distance == 1
    assert hit.barycentric == pytest.approx([0.5, 0.25, 0.25], rel=1e-14)
    assert hit.normal.tolist() == np.roll((0, 0, 1), turn).tolist()
    assert mesh.cast_rays([ray[0]], ray[1]).normal.tolist() == [hit.normal.tolist()]


@pytest.mark.parametrize(
    ("corners", "origin", "direction"),
    [
        ([(-3, 8, -3), (-27, 40, 25), (17, 16, -35)], (-4, 18, -4), (-2, -2, -3)),
        ([(3, -3, 6), (11, 9, 30), (11, 17, 30)], (7, 5, 18), (-3, 0, 2)),
    ],
)
def test_a_ray_that_starts_exactly_on_a_triangle_was_said_to_start_behind_it(
    corners, origin, direction
):
    mesh = sc.Mesh(np.array(corners) * 0.1, [[0, 1, 2]])
    for turned in (direction, np.negative(direction)):
        assert mesh.ray_cast(np.array(origin) * 0.1, turned).distance == 0


def test_a_triangle_behind_the_origin_by_less_than_any_float_was_hit_at_minus_0(engine):
    corners = [(-1 / 3 * 1e-30, 0, -1), (1e-200, 0, 0), (1e-200, -1e-200, 1)]
    origin, directions = (-1e-200, 0, 0), np.array([(-2, 1, -1), (-2e-6, 1e-6, -1e-6)])
    mesh = sc.Mesh(corners, [[0, 1, 2]], engine=engine)
    for _ in range(2):
        assert [mesh.ray_cast(origin, direction) for direction in directions] == [None, None]
        assert mesh.cast_rays(origin, directions).triangle.tolist() == [-1, -1]
        mesh.build()


def test_a_direction_beyond_1e20_loses_what_is_below_1e_308_of_it_and_nothing_else():
    half = sc.Mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0)], [[0, 1, 2]])

    def is_hit(x, z):
        return half.ray_cast((0, 0, 1), (x, 0, -z)) is not None

    long = 2.0**900
    assert is_hit(1e-250 * long, long)
    assert not is_hit(-1e-250 * long, long)
    assert is_hit(-1e-300, 1e300) == is_hit(1e-300, 1e300) == is_hit(0, 1)


@pytest.mark.parametrize("built", [False, True])
@pytest.mark.parametrize("far", [1e39, 1e100, 1e300])
def test_a_ray_from_or_to_beyond_float32_warned(built, far):
    mesh = sc.Mesh(SQUARE, HALVES)
    if built:
        mesh.build()
    down = (0, 0, -1)
    assert mesh.ray_cast((0.25, 0.25, far), down).distance == far
    assert mesh.ray_cast((0.25, 0.25, far), down, far).distance == far
    assert mesh.ray_cast((0.25, 0.25, 1), down, far).distance == 1
    assert mesh.ray_cast((far, 0.25, 1), down) is None
    hits = mesh.cast_rays([(0.25, 0.25, far), (far, far, far)], down, far)
    assert hits.hit.tolist() == [True, False]


@pytest.mark.parametrize("order", [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1]])
def test_the_order_of_corners_decided_whether_a_thin_triangle_was_hit(order):
    corners = [[0, 0, 0], [1, 0, 0], [1, 2**-52, 0]]
    across = 0.9, 0.9 * 2**-53
    assert sc.Mesh(corners, [order]).ray_cast((*across, 1), (0, 0, -1)) is not None


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("late", [False, True], ids=["built so", "refitted to"])
def test_one_vertex_that_is_not_finite_keeps_a_far_tree_precise(rng, bad, late):
    far = rng.uniform(-1, 1, (300, 3)) + 1e7
    broken = far.copy()
    broken[17, 1] = bad
    mesh = sc.Mesh(far if late else broken, np.arange(300).reshape(-1, 3))
    mesh.build()
    mesh.refit(broken)
    mesh.build()
    assert np.abs(mesh.tree.center - 1e7).max() < 2
    assert mesh.tree.scale <= 2
    mesh.validate()


LENGTHS = [1, 0.5, 0.99, 1.7, 3, 1e-19, 1e-21, 1e-300, 5e-324, 1e19, 1e25, 1e300]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("far", [1.5e308, 1.79e308])
def test_a_hit_at_the_end_of_the_range_was_missed_along_short_directions(engine, length, far):
    """The parameter along the direction was beyond float64, and the distance was not."""
    mesh = sc.Mesh([[-1, -1, far], [1, -1, far], [0, 1, far]], [[0, 1, 2]], engine=engine)
    scene = sc.Scene()
    scene.add(mesh)
    ray = (0, 0, 0), (0, 0, length)
    for _ in range(2):
        for caster in (mesh, scene):
            assert caster.ray_cast(*ray).distance == pytest.approx(far, rel=1e-15)
            assert caster.ray_cast_all(*ray)[0].distance == caster.ray_cast(*ray).distance
            assert caster.cast_rays(*ray).distance.tolist() == [caster.ray_cast(*ray).distance]
        mesh.build()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("near", [5e-324, 1e-320, 1e-310])
def test_a_subnormal_distance_is_right_to_1e_323_of_the_direction(engine, length, near):
    mesh = sc.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]], engine=engine)
    for _ in range(2):
        hit = mesh.ray_cast((0, 0, near), (0, 0, -length))
        assert abs(hit.distance - near) <= 1e-323 * max(1, min(length, 1e20))
        mesh.build()
