# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that once escaped as errors of NumPy or Python are refused by named ones."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle

from .meshes import HALVES, SQUARE

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


@pytest.mark.parametrize("cull", [np.array(["back", "front"]), "sideways", 1, ["back", "back"]])
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


@pytest.mark.parametrize("name", [np.empty(0, "S3"), np.array(["auto"] * 2), np.array("auto")])
@pytest.mark.parametrize("argument", ["engine", "building"])
def test_an_array_for_a_name_ended_in_an_error_of_numpy(argument, name):
    with pytest.raises(sc.RaypickError, match=argument):
        sc.Mesh(SQUARE, HALVES, **{argument: name})


@pytest.mark.parametrize("ragged", [[1, [2]], [[1], [2, 3]]])
def test_ragged_distances_ended_in_an_error_of_numpy(ragged):
    for call in (sc.Mesh(SQUARE, HALVES).cast_rays, sc.Mesh(SQUARE, HALVES).closest_point):
        with pytest.raises(sc.RaypickError, match="max_distance"):
            call(np.zeros((2, 3)), *[(0, 0, 1)] * (call.__name__ == "cast_rays"), ragged)


@pytest.mark.parametrize("start", ["build", "build_in_thread"])
def test_progress_that_cannot_be_called_ended_in_an_error_of_python(start):
    with pytest.raises(sc.RaypickError, match="progress"):
        getattr(sc.Mesh(SQUARE, HALVES), start)(np.ones(3))
