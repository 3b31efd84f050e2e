# SPDX-License-Identifier: GPL-3.0-or-later
"""Direct3D's viewport and world matrix, row vectors everywhere, and reversed depth."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes, oracle
from .cameras import (
    HEIGHT,
    PROJECTIONS,
    WIDTH,
    direct3d_orthographic,
    direct3d_perspective,
    orthographic,
    perspective,
    random_view,
)

X, Y, MIN_Z, MAX_Z = 40.0, 25.0, 0.25, 0.75
VIEWPORT = {"offset": (X, Y), "depth_range": (MIN_Z, MAX_Z)}
CONVENTIONS = ("opengl", "direct3d")


def vec3_project(point, world, view, projection):
    """D3DXVec3Project in rational arithmetic, row vectors."""
    p = (*oracle.exact(point), 1)
    for matrix in (world, view, projection):
        p = oracle.apply(oracle.transposed(oracle.exact(matrix)), p)
    x, y, z, w = p
    width, height, left, top = oracle.exact((WIDTH, HEIGHT, X, Y))
    least, most = oracle.exact((MIN_Z, MAX_Z))
    return (
        left + (1 + x / w) * width / 2,
        top + (1 - y / w) * height / 2,
        least + z / w * (most - least),
    )


def world_matrix(rng):
    """An object's place, row vectors, scaled unevenly."""
    return meshes.placement(rng.normal(size=(3, 3)), rng.normal(size=3)).T


@pytest.mark.parametrize("projection", [direct3d_perspective(), direct3d_orthographic()])
def test_project_and_unproject_with_viewport_and_world_as_d3dx_has_them(rng, projection):
    for _ in range(50):
        view, world = random_view(rng).T, world_matrix(rng)
        camera = sc.Camera(view, projection, WIDTH, HEIGHT, "direct3d", **VIEWPORT)
        ahead = np.array([*rng.uniform(-2, 2, 2), rng.uniform(2, 20), 1]) @ np.linalg.inv(view)
        point = (ahead @ np.linalg.inv(world))[:3]
        expected = oracle.approximate(vec3_project(point, world, view, projection))
        found = camera.project(point, world)
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        again = camera.unproject(*found, world)
        scale = np.linalg.cond(world)
        np.testing.assert_allclose(
            again, point, rtol=0, atol=1e-11 * scale * (1 + abs(point).max())
        )
        np.testing.assert_allclose(camera.project(ahead[:3]), expected, rtol=1e-9)


def test_the_ray_of_a_pixel_counts_from_the_viewports_corner(rng):
    plain = sc.Camera(np.eye(4), direct3d_perspective(), WIDTH, HEIGHT, "direct3d")
    moved = sc.Camera(np.eye(4), direct3d_perspective(), WIDTH, HEIGHT, "direct3d", **VIEWPORT)
    for x, y in rng.integers(0, 1000, (20, 2)):
        np.testing.assert_array_equal(moved.ray(x + X, y + Y).direction, plain.ray(x, y).direction)


def test_opengl_takes_a_viewport_and_a_depth_range_too():
    camera = sc.Camera(np.eye(4), perspective(1, 9), 100, 50, offset=(10, 20), depth_range=(0, 1))
    assert camera.project((0, 0, -1)) == pytest.approx((60, 45, 0), abs=1e-15)
    assert camera.project((0, 0, -9)) == pytest.approx((60, 45, 1))
    np.testing.assert_allclose(camera.unproject(60, 45, 1), (0, 0, -9), rtol=1e-14)


def test_a_depth_range_may_run_backward():
    camera = sc.Camera(
        np.eye(4), direct3d_perspective(1, 9), 100, 50, "direct3d", depth_range=(1, 0)
    )
    assert [camera.project((0, 0, z))[2] for z in (1, 9)] == pytest.approx([1, 0], abs=1e-15)
    np.testing.assert_allclose(camera.unproject(50, 25, 1), (0, 0, 1), rtol=1e-14)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_matrix_means_the_same_in_either_convention(rng, convention):
    for _ in range(20):
        matrix = meshes.placement(rng.normal(size=(3, 3)), rng.normal(size=3))
        given = matrix if convention == "opengl" else matrix.T
        ray = sc.Ray(rng.normal(size=3), rng.normal(size=3))
        expected = ray.transformed(matrix)
        moved = ray.transformed(given, convention=convention)
        assert moved.origin.tolist() == expected.origin.tolist()
        assert moved.direction.tolist() == expected.direction.tolist()
        scene, mesh = sc.Scene(), sc.Mesh(*meshes.cube())
        first = scene.add(mesh, given, convention=convention)
        (second,) = scene.add_many(mesh, [given], convention=convention)
        third = scene.add(mesh)
        scene.set_matrix(third, given, convention=convention)
        for instance in (first, second, third):
            assert scene[instance].matrix.tolist() == matrix.tolist()


TRANSLATION = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]]


def test_a_translation_for_row_vectors_moved_a_ray_to_a_seventh():
    ray = sc.Ray((1, 1, 1), (0, 0, 1))
    with pytest.raises(errors.ArgumentError, match=r'transpose.*convention="direct3d"'):
        ray.transformed(TRANSLATION)
    assert ray.transformed(TRANSLATION, "direct3d").origin.tolist() == [2, 3, 4]
    with pytest.raises(errors.ArgumentError, match=r'transpose.*convention="opengl"'):
        ray.transformed(np.transpose(TRANSLATION), "direct3d")


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_matrix_of_the_other_convention_is_refused_and_transposition_named(convention):
    wrong = TRANSLATION if convention == "opengl" else np.transpose(TRANSLATION)
    swapped = perspective().T if convention == "opengl" else direct3d_perspective().T
    scene, mesh = sc.Scene(), sc.Mesh(*meshes.cube())
    one = scene.add(mesh)
    camera = sc.Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 9, 9, convention)
    other = "direct3d" if convention == "opengl" else "opengl"
    for ask in (
        lambda: scene.add(mesh, wrong, convention=convention),
        lambda: scene.add_many(mesh, [wrong], convention=convention),
        lambda: scene.set_matrix(one, wrong, convention=convention),
        lambda: sc.Camera(wrong, np.diag([1, 1, -0.1, 1]), 9, 9, convention),
        lambda: sc.Camera(np.eye(4), swapped, 9, 9, convention),
    ):
        with pytest.raises(errors.ArgumentError, match=f'transpose it.*convention="{other}"'):
            ask()
    for ask in (  # whose convention is the camera's
        lambda: camera.project((0, 0, 0), wrong),
        lambda: camera.unproject(0, 0, 0, wrong),
    ):
        with pytest.raises(errors.ArgumentError, match=r"transpose it$"):
            ask()


def test_an_unknown_convention_is_refused_by_all():
    scene, mesh = sc.Scene(), sc.Mesh(*meshes.cube())
    for ask in (
        lambda: sc.Ray((0, 0, 0), (0, 0, 1)).transformed(np.eye(4), "vulkan"),
        lambda: scene.add(mesh, np.eye(4), convention="vulkan"),
        lambda: scene.add_many(mesh, [np.eye(4)], convention=None),
        lambda: scene.set_matrix(scene.add(mesh), np.eye(4), convention=3),
    ):
        with pytest.raises(errors.ArgumentError, match="convention must be"):
            ask()


@pytest.mark.parametrize("kind", PROJECTIONS, ids=" ".join)
@pytest.mark.parametrize("told", [None, True])
def test_reversed_depth_gives_the_same_rays_from_the_near_plane(rng, kind, told):
    convention, name = kind
    near, far = 0.5, 80.0
    usual, low = PROJECTIONS[kind](near=near, far=far), -1 if convention == "opengl" else 0
    rows = usual if convention == "opengl" else usual.T
    other = rows.copy()
    other[2] = (1 + low) * rows[3] - rows[2]
    projection = other if convention == "opengl" else other.T
    view = random_view(rng)
    view = view if convention == "opengl" else view.T
    one = sc.Camera(view, usual, WIDTH, HEIGHT, convention)
    two = sc.Camera(view, projection, WIDTH, HEIGHT, convention, reversed_z=told)
    for x, y in rng.uniform(0, 1, (20, 2)) * (WIDTH, HEIGHT):
        ray, turned = one.ray(x, y), two.ray(x, y)
        np.testing.assert_allclose(turned.direction, ray.direction, atol=1e-14)
        np.testing.assert_allclose(turned.origin, ray.origin, atol=1e-12)
        assert two.project(ray.at(5.0))[2] == pytest.approx(
            1 + low - one.project(ray.at(5.0))[2], abs=1e-12
        )
        np.testing.assert_allclose(two.unproject(x, y, 1), one.unproject(x, y, low), atol=1e-11)
    start = np.linalg.inv(view if convention == "opengl" else view.T)
    forward = -start[:3, 2] if convention == "opengl" else start[:3, 2]
    assert np.dot(two.ray(WIDTH / 2, HEIGHT / 2).direction, forward) > 0.999
    if name == "orthographic":
        middle = two.ray(WIDTH / 2, HEIGHT / 2)
        np.testing.assert_allclose(middle.origin, start[:3, 3] + near * forward, atol=1e-12)


def test_a_clip_space_on_both_sides_of_the_origin_is_reversed_where_that_is_said():
    usual = orthographic(near=-50, far=100)
    back = np.diag([1, 1, -1, 1]) @ usual
    for matrix, told, start in ((usual, None, 50), (back, None, -100), (back, True, 50)):
        ray = sc.Camera(np.eye(4), matrix, 8, 8, reversed_z=told).ray(4, 4)
        assert ray.origin[2] == pytest.approx(start)
        assert ray.direction[2] == -np.sign(start)


def test_a_reversed_perspective_without_a_far_plane_has_infinity_at_depth_0():
    projection = np.zeros((4, 4))
    projection[[0, 1], [0, 1]] = 1.5
    projection[3, 2], projection[2, 3] = 0.1, 1
    camera = sc.Camera(np.eye(4), projection, 100, 100, "direct3d")
    assert camera.ray(50, 50).direction.tolist() == [0, 0, 1]
    assert camera.project((0, 0, 0.1))[2] == pytest.approx(1)
    assert camera.project((0, 0, 1e9))[2] == pytest.approx(1e-10)
    assert camera.unproject(50, 50, 0).tolist() == [0, 0, np.inf]
    assert camera.unproject(100, 0, 0).tolist() == [np.inf, np.inf, np.inf]


@pytest.mark.parametrize("name", ["convention", "width", "height"])
def test_a_camera_could_be_set_to_junk_after_it_was_made(name):
    camera = sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT)
    with pytest.raises(AttributeError):
        setattr(camera, name, "junk")


def test_a_ray_could_be_set_to_junk_after_it_was_made():
    ray = sc.Ray((0, 0, 0), (0, 0, 1))
    for name in ("origin", "direction"):
        with pytest.raises(AttributeError):
            setattr(ray, name, (0, 0, 2))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"offset": (1, np.nan)}, "offset is not finite"),
        ({"offset": 3}, "offset must have shape"),
        ({"depth_range": (0.5, 0.5)}, "two depths that differ"),
        ({"depth_range": (0, np.inf)}, "depth_range is not finite"),
        ({"reversed_z": "yes"}, "reversed_z must be"),
    ],
)
def test_a_bad_viewport_is_refused_with_its_reason(options, words):
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Camera(np.eye(4), perspective(), WIDTH, HEIGHT, **options)


def test_counter_clockwise_is_seen_the_other_way_in_a_left_handed_world():
    """The front is where (b - a) x (c - a) points: seen from there, as the pixels have it."""
    a, b, c = (0, 0, 0), (1, 0, 0), (0, 1, 0)
    right = sc.Camera(meshes.placement(offset=(0, 0, -5)), perspective(), 100, 100)
    view = np.array([[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 5, 1.0]])
    left = sc.Camera(view, direct3d_perspective(), 100, 100, "direct3d")
    turns = []
    for camera, up in ((right, 1), (left, -1)):
        (ax, ay), (bx, by), (cx, cy) = (camera.project(p)[:2] for p in (a, b, c))
        turns.append(np.sign((bx - ax) * (cy - ay) * up - (cx - ax) * (by - ay) * up))
        ray = camera.ray(*np.mean([(ax, ay), (bx, by), (cx, cy)], axis=0))
        assert sc.triangle.moller_trumbore(ray, a, b, c).front
    assert turns == [1, -1]
