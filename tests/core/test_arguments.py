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


@pytest.mark.parametrize("kind", [object, np.int8, np.uint64])
@pytest.mark.parametrize("form", [np.array, lambda t: [[np.int64(i) for i in row] for row in t]])
def test_integers_of_any_kind_are_indices(form, kind):
    given = form(np.array(HALVES, dtype=kind))
    assert sc.Mesh(SQUARE, given).triangles.tolist() == np.array(HALVES).tolist()
    last = np.array([1], dtype=kind)
    found = sc.Mesh(SQUARE, HALVES).cast_rays([(0.75, 0.25, 1), (0.25, 0.75, 1)], (0, 0, -1))
    left = sc.Mesh(SQUARE, HALVES).cast_rays(
        [(0.75, 0.25, 1), (0.25, 0.75, 1)], (0, 0, -1), exclude=last
    )
    assert found.hit.all()
    assert sorted(left.triangle.tolist()) == [-1, 0]


@pytest.mark.parametrize("beyond", [2**63, 2**64, -(2**63) - 1, 10**30])
def test_only_integers_beyond_int64_are_said_to_be(beyond):
    for triangles in ([[0, 1, beyond]], np.array([[0, 1, beyond]], dtype=object)):
        with pytest.raises(errors.IndexRangeError, match="beyond the range of int64"):
            sc.Mesh(SQUARE, triangles)
    with pytest.raises(errors.IndexRangeError, match=f"indices .*{2**63 - 1}.*4 vertices"):
        sc.Mesh(SQUARE, np.array([[0, 1, 2**63 - 1]], dtype=object))


@pytest.mark.parametrize("kind", [None, object])
def test_a_bool_among_integers_is_no_index(kind):
    given = [[True, 1, 2]] if kind is None else np.array([[True, 1, 2]], dtype=kind)
    with pytest.raises(errors.DtypeError, match="triangles must be integers, not a bool"):
        sc.Mesh(SQUARE, given)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exclude": [9]}, "exclude has the index 9, but there are 2 triangles"),
        ({"only": [-1]}, "only has the index -1, that of a miss, but there are 2 triangles"),
        ({"exclude": [True]}, r"mask of shape \(1,\), but there are 2 triangles: .* \(2,\)"),
        ({"exclude": True}, "exclude must be a list of indices or a mask, not True"),
        ({"cull": ["back"]}, "one for all triangles or one for each, not 1: there are 2 triangles"),
        ({"cull": [True] * 3}, "or one for each, not 3: there are 2 triangles"),
        ({"cull": [1, 0]}, r'"back", "front", None, a list of these .* or a mask, not \[1, 0\]'),
        ({"cull": ["back", "up"]}, "cull 1 must be None, .* not 'up'"),
        ({"max_hits": -1}, "max_hits must be None, or 1 or more, not -1"),
        ({"max_hits": 0}, "max_hits must be None, or 1 or more, not 0"),
    ],
)
def test_messages_say_what_there_is_and_what_is_wanted(options, words):
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Mesh(SQUARE, HALVES).ray_cast_all((0, 0, 1), (0, 0, -1), **options)


def test_more_hits_than_any_computer_has_are_all():
    mesh = sc.Mesh(SQUARE, HALVES)
    assert len(mesh.ray_cast_all((0.75, 0.25, 1), (0, 0, -1), max_hits=2**80)) == 1
    assert len(mesh.cast_rays_all([(0.75, 0.25, 1)], (0, 0, -1), max_hits=2**80)[0]) == 1


@pytest.mark.parametrize("bounding", [sc.Sphere.bounding, sc.Box.bounding])
@pytest.mark.parametrize("nothing", [[], np.empty((0, 3)), [(np.nan, 0, 0)]])
def test_nothing_is_not_bounded_and_the_error_says_why(bounding, nothing):
    with pytest.raises(errors.ArgumentError, match="no finite point to bound"):
        bounding(nothing)


@pytest.mark.parametrize("copy", ["no", None, 2, 0.0, [], np.array([True, False])], ids=repr)
def test_a_copy_that_is_neither_wanted_nor_not_is_told(copy):
    mesh = sc.Mesh(CORNERS, [[0, 1, 2]])
    for call in (
        lambda: sc.Mesh(CORNERS, [[0, 1, 2]], copy=copy),
        lambda: mesh.refit(CORNERS, copy=copy),
        lambda: sc.PolygonMesh(CORNERS, [0, 1, 2], [3], copy=copy),
    ):
        with pytest.raises(errors.DtypeError, match="copy must be True or False, not"):
            call()


@pytest.mark.parametrize("copy", [True, False, np.True_, np.False_, 1, 0])
def test_a_copy_is_made_where_its_flag_is_true(copy):
    vertices = np.array(CORNERS, float)
    mesh = sc.Mesh(vertices, [[0, 1, 2]], copy=copy)
    assert np.shares_memory(mesh.vertices, vertices) == (not copy)
