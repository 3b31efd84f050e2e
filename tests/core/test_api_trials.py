# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that once fell short, as a stranger to the library would make them.

What is asked of meshes and scenes by rays and points has a file of its own, beside this one.
"""

import copy
from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors, triangle

from .cameras import direct3d_orthographic, direct3d_perspective, orthographic, perspective

VERTICES, TRIANGLES = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]
MESH = sc.Mesh(VERTICES, TRIANGLES)
DOWN = sc.Ray((0.25, 0.25, 1), (0, 0, -1))
FLOOR = sc.Plane((0, 0, 1), 0)
CAMERA = sc.Camera(np.eye(4), orthographic(), 64, 48)
HITS = MESH.cast_rays([(0.25, 0.25, 1), (9, 9, 1)], (0, 0, -1))


# Files


@pytest.mark.parametrize(("file", "words"), [(None, "None"), ([], "a list"), (5, "an int")])
@pytest.mark.parametrize("call", [MESH.save, sc.Mesh.load])
def test_what_is_no_file_is_refused_in_words(call, file, words):
    with pytest.raises(errors.DtypeError, match=f"a path or an open binary file, not {words}$"):
        call(file)


# Records


@pytest.mark.parametrize("matrix", [np.eye(4).tolist(), np.eye(4, dtype=np.float32)])
def test_an_instance_reads_lists_as_matrices(matrix):
    instance = sc.Instance(MESH, matrix, np.eye(3, dtype=int).tolist(), None)
    assert instance.matrix.tolist() == np.eye(4).tolist()
    assert instance.linear_inverse.tolist() == np.eye(3).tolist()
    assert not instance.matrix.flags.writeable


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("mesh", np.eye(4), np.eye(3), None), "mesh must be a Placeable, not a str"),
        ((MESH, "matrix", np.eye(3), None), "matrix must be real numbers, not text"),
        ((MESH, [[1]], np.eye(3), None), r"matrix must have shape \(4, 4\), not \(1, 1\)"),
        ((MESH, np.eye(4), "inverse", None), "inverse must be real numbers, not text"),
        ((MESH, np.eye(4), np.eye(4), None), r"inverse must have shape \(3, 3\), not \(4, 4\)"),
        ((MESH, np.eye(4), np.eye(3), 5), "name must be a str, not an int"),
    ],
)
def test_an_instance_of_other_things_is_refused_in_words(given, words):
    with pytest.raises(errors.ArgumentError, match=words):
        sc.Instance(*given)


@pytest.mark.parametrize("row", [b"a", 0.0, [0.0], True, [None], {}])
def test_what_is_no_row_of_an_answer_is_refused_by_name(row):
    with pytest.raises(errors.DtypeError, match="rows must be"):
        HITS[row]


@pytest.mark.parametrize("row", [5, [5], -3, [0, -3]])
def test_a_row_that_an_answer_has_not_is_refused_by_name(row):
    with pytest.raises(errors.IndexRangeError, match=r"no (such )?row"):
        HITS[row]


def test_no_rows_of_an_answer_have_the_types_of_all():
    none = HITS[[]]
    assert len(none) == 0
    for name, column in vars(HITS).items():
        assert (vars(none)[name].dtype, vars(none)[name].shape[1:]) == (
            column.dtype,
            column.shape[1:],
        )


def test_a_hit_of_one_triangle_says_its_place_and_side():
    hit = triangle.watertight(DOWN, *VERTICES)
    mesh_hit = MESH.ray_cast(DOWN.origin, DOWN.direction)
    assert hit.point.tolist() == mesh_hit.point.tolist() == [0.25, 0.25, 0.0]
    assert hit.front is mesh_hit.front is True
    assert triangle.watertight(sc.Ray((0.25, 0.25, -1), (0, 0, 1)), *VERTICES).front is False


def test_a_hit_of_one_triangle_is_that_of_its_mesh_to_the_bit(rng):
    for corners in rng.normal(size=(200, 3, 3)):
        origin = rng.normal(size=3) * 5
        ray = sc.Ray(origin, rng.dirichlet((1, 1, 1)) @ corners - origin)
        hit = triangle.watertight(ray, *corners)
        mesh_hit = sc.Mesh(corners, TRIANGLES).ray_cast(ray.origin, ray.direction)
        assert (hit.t, hit.front) == (mesh_hit.distance, mesh_hit.front)
        assert hit.point.tolist() == mesh_hit.point.tolist()
        assert [hit.u, hit.v] == mesh_hit.barycentric.tolist()[1:]


# One array where several things are meant


def test_a_plane_goes_through_the_three_points_of_one_array():
    assert sc.Plane.from_points(np.array(VERTICES)) == sc.Plane.from_points(*VERTICES) == FLOOR


@pytest.mark.parametrize(
    "points", [[(0, 0, 0)], [(0, 0, 0), (1, 0, 0)], [(0, 0)] * 3, 5, [[VERTICES]]]
)
def test_a_plane_of_another_number_of_points_is_refused_in_words(points):
    with pytest.raises(errors.ShapeError, match=r"three points must have shape \(3, 3\), not"):
        sc.Plane.from_points(points)
    with pytest.raises(errors.ArgumentError, match="takes three points a, b and c, or one array"):
        sc.Plane.from_points((0, 0, 0), (1, 0, 0))


@pytest.mark.parametrize("pixel", [(3, 4), [3, 4], np.array([3.0, 4.0])])
def test_a_pixel_may_be_given_as_one_thing(pixel):
    assert CAMERA.ray(pixel) == CAMERA.ray(3, 4)
    assert CAMERA.rays(pixel).origins.tolist() == CAMERA.ray(3, 4).origin.tolist()


@pytest.mark.parametrize("pixel", [5, (1, 2, 3), [], ((1, 2), (3, 4))])
def test_what_is_no_pixel_is_refused_in_words(pixel):
    with pytest.raises(errors.ShapeError, match="x must be"):
        CAMERA.ray(pixel)
    with pytest.raises(errors.ArgumentError, match="y is given without x"):
        CAMERA.rays(y=3)


# Values stay as they were checked


def test_the_direction_of_a_ray_cannot_be_set():
    with pytest.raises(errors.FrozenError, match="direction cannot be changed: a Ray"):
        DOWN.direction = (0, 0, 2)
    assert FLOOR.intersect_ray(DOWN) == 1.0


def test_the_radius_of_a_sphere_cannot_be_set():
    sphere = sc.Sphere((0, 0, 0), 0.5)
    with pytest.raises(errors.FrozenError, match="radius"):
        sphere.radius = -1
    assert sphere.radius == 0.5


@pytest.mark.parametrize("name", ["width", "convention", "view"])
def test_what_a_camera_was_made_of_cannot_be_set(name):
    camera = copy.deepcopy(CAMERA)
    with pytest.raises(errors.FrozenError, match=name):
        setattr(camera, name, 0)
    assert camera == CAMERA


def test_arrays_of_a_ray_cannot_be_made_writeable():
    with pytest.raises(ValueError, match="WRITEABLE"):
        DOWN.origin.flags.writeable = True
    assert isinstance(DOWN.origin.base, bytes)


# Numbers at the ends of float64


def test_a_sphere_bounds_points_at_both_ends_of_float64():
    sphere = sc.Sphere.bounding([(1e308, 0, 0), (-1e308, 0, 0)])
    assert sphere.center.tolist() == [0, 0, 0]
    assert sphere.radius == pytest.approx(1e308, rel=1e-13)
    assert sphere.contains([(1e308, 0, 0), (-1e308, 0, 0)]).all()
    with pytest.raises(errors.NonFiniteError):
        sc.Sphere.bounding([(1.7e308,) * 3, (-1.7e308,) * 3])


@pytest.mark.parametrize("camera", [CAMERA, sc.Camera(np.eye(4), perspective(), 64, 48)])
def test_a_pixel_or_a_depth_at_infinity_is_refused_by_name(camera):
    for given, name in (((np.inf, 1, 0), "x"), ((1, -np.inf, 0), "y"), ((1, 1, np.nan), "depth")):
        with pytest.raises(errors.NonFiniteError, match=f"{name} is not finite"):
            camera.unproject(*given)
    assert np.isfinite(camera.unproject(1, 1, 0.5)).all()


def test_an_infinite_value_of_a_vertex_counts_by_its_weight():
    assert triangle.interpolate([np.inf, 0, 0], [0.5, 0.25, 0.25]) == np.inf
    assert triangle.interpolate([np.inf, 1, 2], [0, 0.5, 0.5]) == 1.5


def test_a_segment_from_end_to_end_of_float64_meets_the_plane_in_its_middle():
    assert FLOOR.intersect_segment((0, 0, 1e308), (0, 0, -1e308)) == 0.5
    offset, top = 1.2e308, 1.7e308
    exact = (Fraction(top) + Fraction(offset)) / (2 * Fraction(top))
    share = sc.Plane((0, 0, 1), offset).intersect_segment((0, 0, top), (0, 0, -top))
    assert share == pytest.approx(float(exact), rel=1e-15)


# Matrices of the other convention


def test_a_matrix_for_row_vectors_is_refused_where_it_evidently_is_one():
    matrix = np.eye(4)
    matrix[3, :3] = 1, 2, 3
    scene = sc.Scene()
    instance = scene.add(MESH)
    for ask in (
        lambda: sc.Ray((1, 1, 1), (0, 0, 1)).transformed(matrix),
        lambda: sc.Region.of([[1, 0, 0, 1]]).moved(matrix),
        lambda: sc.Camera(matrix, perspective(), 64, 48),
        lambda: CAMERA.project((0, 0, 0), world=matrix),
        lambda: scene.add(MESH, matrix),
        lambda: scene.set_matrix(instance, matrix),
    ):
        with pytest.raises(errors.ArgumentError, match="transpose"):
            ask()
    moved = sc.Ray((1, 1, 1), (0, 0, 1)).transformed(matrix, "direct3d")
    assert (
        moved == sc.Ray((2, 3, 4), (0, 0, 1)) == sc.Ray((1, 1, 1), (0, 0, 1)).transformed(matrix.T)
    )


# Weights


def test_weights_are_of_a_place_or_of_none():
    with pytest.raises(errors.ArgumentError, match=r"add up to 1, unlike \[0.5, 0.5, 0.5\]"):
        triangle.interpolate([1, 2, 3], [0.5, 0.5, 0.5])
    assert np.isnan(triangle.interpolate([1, 2, 3], [np.nan, 0, 0]))


def test_the_weights_of_a_miss_mix_to_nan():
    mixed = triangle.interpolate([1, 2, 4], HITS.barycentric)
    np.testing.assert_array_equal(mixed, [2.0, np.nan])


# Masked arrays


@pytest.mark.parametrize(
    "ask",
    [
        lambda masked: sc.Ray(masked, (0, 0, 1)),
        lambda masked: sc.Ray((0, 0, 0), masked),
        lambda masked: sc.Plane(masked, 1),
        lambda masked: sc.Sphere(masked, 1),
        lambda masked: sc.Sphere.bounding([masked, masked]),
        lambda masked: sc.Box(masked, (5, 5, 5)),
        lambda masked: CAMERA.project(masked),
        lambda masked: CAMERA.rays(masked, 1),
        lambda masked: sc.Mesh([masked] * 3, TRIANGLES),
        lambda masked: MESH.ray_cast(masked, (0, 0, 1)),
        lambda masked: triangle.interpolate(masked, (1, 0, 0)),
        lambda masked: triangle.watertight(DOWN, masked, (1, 0, 0), (0, 1, 0)),
    ],
)
def test_a_mask_is_not_lost_in_silence(ask):
    with pytest.raises(errors.ArgumentError, match="is masked: fill or compress it"):
        ask(np.ma.masked_array([1.0, 2, 3], [True, False, False]))


# Messages


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "real numbers, not None"),
        ((None, 0, 0), "real numbers, not None"),
        ("abc", "real numbers, not text"),
        (b"abc", "real numbers, not bytes"),
        ({"x": 1}, "real numbers, not a dict"),
        ({1, 2, 3}, "real numbers, not a set"),
        (object(), "real numbers, not an object"),
        ((True, False, True), "real numbers, not booleans"),
        ((1j, 0, 0), "real numbers, not complex numbers"),
        (np.array(["2020-01-01"] * 3, "M8[D]"), "real numbers, not dates"),
        (np.zeros(3, "m8[s]"), "real numbers, not spans of time"),
        (np.zeros(3, [("x", float)]), "real numbers, not records"),
        (5, r"have shape \(3,\), not a single number"),
        ((1, 2), r"have shape \(3,\), not \(2,\)"),
    ],
)
def test_a_point_that_is_none_is_refused_in_words(given, words):
    with pytest.raises(errors.ArgumentError, match=f"^origin must (be )?{words}$"):
        sc.Ray(given, (0, 0, 1))


def test_lists_of_uneven_length_are_named_as_such():
    for given in ([[1], [2, 3]], [0, [0], 1]):
        with pytest.raises(errors.ShapeError, match=r"its lists differ in length or depth$"):
            sc.Ray(given, (0, 0, 1))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "be a real number, not None"),
        ("1", "be a real number, not text"),
        ((1, 2, 3), r"be a single number, not of shape \(3,\)"),
        (True, "be a real number, not booleans"),
        (-1, "be 0 or more, not -1"),
    ],
)
def test_a_radius_that_is_none_is_refused_in_words(given, words):
    with pytest.raises(errors.ArgumentError, match=f"^radius must {words}$"):
        sc.Sphere((0, 0, 0), given)


@pytest.mark.parametrize("name", ["width", "height"])
@pytest.mark.parametrize(("size", "text"), [(-5, "-5"), (0, "0"), (np.inf, "inf"), (np.nan, "nan")])
def test_a_viewport_without_area_is_refused_by_one_rule(name, size, text):
    given = {"width": 64, "height": 48, name: size}
    with pytest.raises(
        errors.ArgumentError, match=f"^{name} must be above 0 and finite, not {text}$"
    ):
        sc.Camera(np.eye(4), perspective(), **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([None], "be integers, not None"),
        ("a", "be integers, not text"),
        ([[0, 1, 2.0]], "be integers, not float64"),
        ([[True, False, True]], "be integers, not booleans"),
        ([[0, 1, None]], "be integers, not None"),
        (5, r"have shape \(T, 3\), not a single number"),
    ],
)
def test_triangles_that_are_none_are_refused_in_words(given, words):
    with pytest.raises(errors.ArgumentError, match=f"^triangles must {words}$"):
        sc.Mesh(VERTICES, given)


@pytest.mark.parametrize("given", ["a", None, 0.0])
def test_a_triangle_of_a_polygon_mesh_that_is_no_number_is_refused_by_name(given):
    with pytest.raises(errors.DtypeError, match="triangle must be an integer"):
        sc.PolygonMesh(VERTICES, [0, 1, 2], [3]).triangle_vertices(given)


# Cameras


@pytest.mark.parametrize("convention", ["opengl", "direct3d"])
@pytest.mark.parametrize("hand", [1, -1], ids=["usual hand", "other hand"])
@pytest.mark.parametrize("told", [None, True])
def test_rays_of_a_reversed_orthographic_view_start_near_and_look_forward(convention, hand, told):
    near, far = 0.5, 80.0
    make = {"opengl": orthographic, "direct3d": direct3d_orthographic}[convention]
    flip, low = np.diag([1.0, 1, hand, 1]), {"opengl": -1.0, "direct3d": 0.0}[convention]
    usual = make(near=near, far=far)
    usual = usual @ flip if convention == "opengl" else flip @ usual
    reverse = np.diag([1.0, 1, -1, 1])
    reverse[2, 3] = 1 + low
    turned = reverse @ usual if convention == "opengl" else usual @ reverse.T
    forward = hand * {"opengl": -1, "direct3d": 1}[convention]
    for projection, is_reversed in ((usual, None), (usual, False), (turned, told)):
        camera = sc.Camera(np.eye(4), projection, 64, 48, convention, reversed_z=is_reversed)
        ray = camera.ray(20, 30)
        assert ray.origin[2] == pytest.approx(near * forward)
        assert ray.direction.tolist() == [0, 0, forward]
        depth = 1.0 if projection is turned else low
        assert camera.project(ray.origin)[2] == pytest.approx(depth)


@pytest.mark.parametrize("convention", ["opengl", "direct3d"])
def test_rays_of_a_camera_without_pixels_are_those_of_all_pixel_centers(convention):
    projection = {"opengl": perspective, "direct3d": direct3d_perspective}[convention]()
    camera = sc.Camera(np.eye(4), projection, 8, 5, convention, offset=(100, 20))
    origins, directions = rays = camera.rays()
    assert origins.shape == directions.shape == (5, 8, 3)
    assert type(rays) is sc.Rays
    for row in range(5):
        for column in range(8):
            ray = camera.ray(100 + column + 0.5, 20 + row + 0.5)
            np.testing.assert_array_equal(directions[row, column], ray.direction)
            np.testing.assert_array_equal(origins[row, column], ray.origin)
