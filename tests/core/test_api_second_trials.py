# SPDX-License-Identifier: GPL-3.0-or-later
"""Values, trees and messages as a second stranger tried them."""

import copy

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle
from standalone_core.viewport import Viewport

from .cameras import orthographic

VERTICES, TRIANGLES = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
MESH = sc.Mesh(VERTICES, TRIANGLES)
CAMERA = sc.Camera(np.eye(4), orthographic(), 64, 48)
MOVED = np.array([[1.0, 0, 0, 7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: CAMERA.project((0, 0, 0), world=MOVED.T),
        lambda: CAMERA.unproject(1, 1, 0, world=MOVED.T),
    ],
)
def test_an_error_advises_no_argument_that_the_call_does_not_take(ask):
    with pytest.raises(errors.ArgumentError, match=r"for column vectors: transpose it$"):
        ask()


def test_regions_take_matrices_of_either_convention():
    region = sc.Region.of([(1, 0, 0, -3)])
    assert region.moved(MOVED) == region.moved(MOVED.T, "direct3d")
    with pytest.raises(errors.ArgumentError, match='or pass convention="direct3d"'):
        region.moved(MOVED.T)


def test_rays_are_a_pair_that_is_equal_by_its_numbers():
    rays = CAMERA.rays()
    assert rays == CAMERA.rays()
    assert (rays != CAMERA.rays()) is False
    assert rays != sc.Rays(rays.origins, -rays.directions)
    assert rays != (rays.origins.copy(), rays.directions.copy())
    assert (rays.shape, repr(rays), len(rays)) == ((48, 64), "<Rays (48, 64)>", 2)
    assert sc.Rays(np.zeros(3), np.ones((4, 3))).shape == (4,)


def test_more_pixels_than_memory_has_room_for_are_refused():
    camera = sc.Camera(np.eye(4), orthographic(), 1e9, 1e9)
    with pytest.raises(errors.ArgumentError, match="too many pixels for one call"):
        camera.rays()
    assert camera.rays([1, 2], 3).shape == (2,)


def test_a_viewport_has_as_many_pixels_as_there_can_be_rays():
    def viewport(width, height):
        return Viewport.read(width, height, "opengl", (0, 0), None)

    x, y = viewport(46340.5, 46340).pixels()  # 46,341 columns
    assert 2**31 - 46341 < x.size * y.size < 2**31
    for width, height in ((46340.5, 46340.5), (46341, 46341)):
        with pytest.raises(errors.ArgumentError, match="too many pixels"):
            viewport(width, height).pixels()


def test_instances_are_equal_by_what_they_hold():
    scene = sc.Scene()
    one, other, named = scene.add(MESH), scene.add(MESH), scene.add(MESH, name="a")
    moved = scene.add(MESH, MOVED)
    assert scene[one] == scene[other] == copy.copy(scene[one])
    assert scene[one] not in (scene[named], scene[moved])
    assert scene[one] != "a"


def test_a_ray_that_leaves_a_sphere_from_its_surface_starts_inside():
    sphere, ray = sc.Sphere((0, 0, 0), 1), sc.Ray((1, 0, 0), (1, 0, 0))
    assert str(sphere.intersect_ray(ray)) == "(-2.0, 0.0)"
    assert sphere.case(ray) == "inside"


def test_a_corner_of_a_box_that_is_nan_is_named_as_such():
    with pytest.raises(errors.NonFiniteError, match="upper must not be NaN"):
        sc.Box((0, 0, 0), (1, np.nan, 1))


def test_numbers_of_several_triangles_need_a_last_axis_and_the_error_says_so():
    weights = np.full((4, 3), 1 / 3)
    with pytest.raises(errors.ShapeError, match=r"single numbers need a last axis, values\[\.\.\."):
        triangle.interpolate(np.ones((4, 3)), weights)
    assert triangle.interpolate(np.ones((4, 3, 1)), weights).shape == (4, 1)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda: sc.bvh.over_boxes([(0, 0, 0)], [(1, 1, 1)] * 2),
            "lower has 1 corner, but upper 2",
        ),
        (lambda: sc.bvh.over_boxes(5, [(1, 1, 1)]), "lower must have shape"),
        (lambda: sc.bvh.sah_cost(MESH), "tree must be a Tree, not a Mesh"),
        (lambda: sc.bvh.sah_cost(None), "tree must be a Tree, not None"),
        (lambda: sc.bvh.validate(None, [], []), "tree must be a Tree, not None"),
        (lambda: sc.compile("now"), "wait must be True or False, not 'now'"),
    ],
)
def test_what_a_tree_is_not_made_of_is_refused_in_words(ask, words):
    with pytest.raises(errors.ArgumentError, match=words):
        ask()


def test_trees_are_made_of_lists_too():
    assert sc.bvh.over_boxes([(0, 0, 0)], [(1, 1, 1)]).order.tolist() == [0]
    assert sc.bvh.over_boxes([], []).order.tolist() == []


def test_arrays_of_a_tree_could_be_made_writeable_and_crashed_compiled_code():
    mesh = sc.Mesh(VERTICES, TRIANGLES)
    mesh.build()
    tree = mesh.tree
    for array in (tree.order, tree.center, tree.nodes, tree.starts, *tree.levels):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_a_build_says_how_far_it_is():
    build = sc.Mesh(VERTICES, TRIANGLES).build_in_thread()
    build.wait()
    assert repr(build) == "<TreeBuild ended, 100% done>"
