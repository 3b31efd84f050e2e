# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that once escaped as errors of NumPy or Python now raise named ones."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle

TWO, THREE = np.zeros((2, 3)), np.ones((3, 3))
CORNERS = (0, 0, 0), (1, 0, 0), (0, 1, 0)
MESH = sc.Mesh(CORNERS, [[0, 1, 2]])
CAMERA = sc.Camera(np.eye(4), np.diag([1, 1, -0.1, 1]), 10, 10)


@pytest.mark.parametrize(
    "call",
    [
        lambda: triangle.plane_parametric_many(TWO, THREE, *CORNERS),
        lambda: triangle.moller_trumbore_many(TWO, THREE, *CORNERS),
        lambda: triangle.watertight_many(TWO, THREE, *CORNERS),
        lambda: triangle.barycentric(TWO, THREE, *CORNERS[1:]),
        lambda: triangle.contains_angle_sum(TWO, THREE, *CORNERS[1:]),
        lambda: triangle.contains_same_side(TWO, THREE, *CORNERS[1:]),
        lambda: triangle.contains_barycentric(TWO, THREE, *CORNERS[1:]),
        lambda: triangle.interpolate(np.zeros((2, 3, 1)), THREE),
        lambda: CAMERA.rays([1, 2], [1, 2, 3]),
        lambda: CAMERA.unproject([1, 2], [1, 2], [0, 0, 0]),
    ],
)
def test_shapes_that_do_not_fit_are_named(call):
    with pytest.raises(errors.ShapeError, match=r"do not fit each other: \w+ \("):
        call()


@pytest.mark.parametrize("not_a_ray", ["x", None, (0, 0, 1)])
def test_what_is_no_ray_is_told(not_a_ray):
    for call in (
        lambda: triangle.plane_parametric(not_a_ray, *CORNERS),
        lambda: triangle.moller_trumbore(not_a_ray, *CORNERS),
        lambda: triangle.watertight(not_a_ray, *CORNERS),
        lambda: sc.Plane((0, 0, 1), 0).intersect_ray(not_a_ray),
        lambda: sc.Sphere((0, 0, 0), 1).intersect_ray(not_a_ray),
        lambda: sc.Box((0, 0, 0), (1, 1, 1)).intersect_ray(not_a_ray),
    ):
        with pytest.raises(errors.DtypeError, match="ray must be a Ray"):
            call()


def test_what_is_no_plane_is_told():
    with pytest.raises(errors.DtypeError, match="plane must be a Plane"):
        CAMERA.point_on_plane(1, 1, "x")


@pytest.mark.parametrize("cull", [np.array(["back", "front"]), "sideways", 1, ["back"]])
def test_a_cull_that_is_none_is_told(cull):
    with pytest.raises(errors.ArgumentError, match="cull must be"):
        MESH.ray_cast((0, 0, 1), (0, 0, -1), cull=cull)


def test_integers_beyond_float64_are_told():
    with pytest.raises(errors.NonFiniteError, match="origin"):
        MESH.ray_cast((0, 0, 10**400), (0, 0, -1))


def test_one_ray_takes_one_distance():
    with pytest.raises(errors.ShapeError, match="max_distance"):
        MESH.ray_cast((0, 0, 1), (0, 0, -1), max_distance=[5])


@pytest.mark.parametrize("identifier", [7, [], None, "0"])
def test_an_instance_that_is_not_there_is_told(identifier):
    scene = sc.Scene()
    scene.add(MESH)
    with pytest.raises(errors.UnknownInstanceError):
        scene.remove(identifier)


def test_the_side_of_no_place_is_told():
    with pytest.raises(errors.NonFiniteError, match="points"):
        sc.Plane((0, 0, 1), 0).side((np.nan, 0, 0))


def test_a_triangle_with_corners_that_are_not_finite_contains_nothing():
    assert not triangle.contains_angle_sum((0, 0, 0), (0, 0, 0), (np.nan, 0, 0), (0, 1, 0))


@pytest.mark.parametrize("convention", ["opengl", "direct3d"])
def test_parallel_rays_of_a_projection_with_a_divide(convention):
    """All rays meet at infinity though w is not constant: x and w are divided alike."""
    projection = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0, 0, 1]], dtype=float)
    if convention == "direct3d":
        projection = projection.T
    camera = sc.Camera(np.eye(4), projection, 100, 100, convention)
    assert not camera.is_perspective
    for point in ((0.3, 0.2, 0.4), (-0.5, 0.1, 0.9)):
        x, y, depth = camera.project(point)
        ray = camera.ray(x, y)
        assert ray.direction.tolist() == [0, 0, 1]
        assert np.cross(np.array(point) - ray.origin, ray.direction) == pytest.approx(np.zeros(3))
        assert camera.unproject(x, y, depth) == pytest.approx(point, abs=1e-14)
