# SPDX-License-Identifier: GPL-3.0-or-later
"""What callers do to their arrays after a call changes nothing that was made of them."""

import numpy as np
import pytest

import standalone_core as sc

from . import meshes

DOWN = (0.2, 0.3, 9.0), (0.0, 0.0, -1.0)

# A square as two triangles, or as a quad and a triangle beside it, in the types that are kept.
VERTICES = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0]], dtype=np.float64)
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
CORNERS, SIZES = np.array([0, 1, 2, 3, 1, 4, 2], np.int32), np.array([4, 3], dtype=np.int32)
PLACE = np.eye(4)
SCENE = sc.Scene()
SCENE.add(sc.Mesh(VERTICES, TRIANGLES))


def hits(thing):
    return thing.cast_rays([DOWN[0], (1.1, 0.1, 9.0)], DOWN[1])


def refitted(vertices):
    mesh = sc.Mesh(VERTICES + 5, TRIANGLES)
    mesh.refit(vertices)
    return mesh


def placed(matrix):
    scene = sc.Scene()
    scene.add(sc.Mesh(VERTICES, TRIANGLES), matrix)
    return scene


def placed_twice(matrices):
    scene = sc.Scene()
    scene.add_many(sc.Mesh(VERTICES, TRIANGLES), matrices)
    return scene


def moved(change, matrix):
    scene = placed(PLACE)
    getattr(scene, change)(*((0, matrix) if change == "set_matrix" else ([0], matrix[None])))
    return scene


# What is made of arrays, the arrays, and what it then answers.
MAKERS = {
    "a mesh": (sc.Mesh, (VERTICES, TRIANGLES, np.array([3, 4])), hits),
    "a refitted mesh": (refitted, (VERTICES,), hits),
    "polygons": (sc.PolygonMesh, (VERTICES, CORNERS, SIZES), hits),
    "polygons of float32": (sc.PolygonMesh, (VERTICES.astype("f4"), CORNERS, SIZES), hits),
    "a scene": (placed, (PLACE,), hits),
    "a scene of many": (placed_twice, (np.stack([PLACE, np.diag([2.0, 2, 2, 1])]),), hits),
    "a moved instance": (lambda m: moved("set_matrix", m), (PLACE,), hits),
    "moved instances": (lambda m: moved("set_matrices", m), (PLACE,), hits),
    "an instance": (
        lambda m, i: sc.Instance(SCENE[0].mesh, m, i, None),
        (PLACE, np.eye(3)),
        lambda made: (made.matrix.tolist(), made.linear_inverse.tolist()),
    ),
    "a camera": (
        lambda v, p: sc.Camera(v, p, 4, 3),
        (PLACE, np.diag([1.0, 1.0, -1.0, 1.0])),
        lambda made: made.rays()[1].tolist(),
    ),
    "places": (
        sc.Places,
        (np.array([[0, 1, 2]]), np.array([[0.5, 0.25, 0.25]]), np.array([0])),
        lambda made: (made.points(VERTICES).tolist(), made.triangle.tolist()),
    ),
    "places of a mesh": (
        sc.Mesh(VERTICES, TRIANGLES).places,
        (np.array([0]), np.array([[0.5, 0.25, 0.25]])),
        lambda made: (made.points(VERTICES).tolist(), made.triangle.tolist()),
    ),
    "a box": (sc.Box, (np.zeros(3), np.ones(3)), repr),
    "a plane": (lambda n: sc.Plane(n, 1.0), (np.array([0.0, 0.0, 1.0]),), repr),
    "a sphere": (lambda c: sc.Sphere(c, 1.0), (np.ones(3),), repr),
    "a ray": (sc.Ray, (np.ones(3), np.array([0.0, 0.0, 1.0])), repr),
    "a region": (sc.Region.of, (np.array([[1.0, 0, 0, 2]]),), lambda made: made.planes.tolist()),
    "hits of rows": (
        sc.RayHits.from_structured,
        (hits(SCENE).as_structured(),),
        lambda made: made.distance.tolist(),
    ),
}


def change(array):
    """Make all numbers of an array others, of which none is beyond those that there were."""
    array[...] = np.zeros(1, array.dtype)[0]


@pytest.mark.parametrize("when", ["before any answer", "after one"])
@pytest.mark.parametrize(("make", "arrays", "answer"), MAKERS.values(), ids=MAKERS)
def test_a_change_of_the_callers_arrays_is_no_change_of_what_was_made_of_them(
    make, arrays, answer, when
):
    given = [array.copy() for array in arrays]
    made, expected = make(*given), answer(make(*(array.copy() for array in arrays)))
    if when == "after one":
        assert answer(made) == expected
    for array in given:
        change(array)
    assert answer(made) == expected


@pytest.mark.parametrize("build", [False, True])
def test_a_mesh_whose_vertices_were_changed_in_place_missed_in_silence(build):
    vertices, triangles = meshes.grid(8)
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    mesh, expected = sc.Mesh(vertices, triangles), sc.Mesh(vertices.copy(), triangles)
    if build:
        mesh.build()
    vertices += 1000
    assert mesh.ray_cast(*DOWN) == expected.ray_cast(*DOWN) is not None
    assert mesh.bounds[1].tolist() == expected.bounds[1].tolist()
    mesh.validate()


VIEWS = {
    "a view": lambda array: array[:],
    "a read-only view": lambda array: read_only(array[:]),
    "a read-only view of a view": lambda array: read_only(read_only(array[:])[:]),
    "a memory view": memoryview,
    "an object with __array__": lambda array: Wrapped(array),
    "a class of arrays": lambda array: array.view(Named),
}


class Wrapped:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Named(np.ndarray):
    pass


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_of_what_changes_are_copied_even_if_they_are_read_only(view):
    vertices, triangles, corners = VERTICES.copy(), TRIANGLES.copy(), CORNERS.copy()
    mesh = sc.Mesh(view(vertices), view(triangles))
    again = sc.Mesh(VERTICES + 7, TRIANGLES)
    again.refit(view(vertices))
    polygons = sc.PolygonMesh(view(vertices), view(corners), view(SIZES.copy()))
    for array in (vertices, triangles, corners):
        change(array)
    for each in (mesh, again, polygons):
        assert each.ray_cast(*DOWN).point.tolist() == [0.2, 0.3, 0.0]


@pytest.mark.parametrize("copy", [True, False])
def test_files_in_memory_are_copied_unless_that_is_asked_not_to_be(tmp_path, copy):
    np.save(tmp_path / "vertices.npy", VERTICES)
    np.save(tmp_path / "triangles.npy", TRIANGLES)
    mapped = [np.load(tmp_path / f"{name}.npy", "r") for name in ("vertices", "triangles")]
    mesh = sc.Mesh(*mapped, copy=copy)
    mesh.build()
    assert np.shares_memory(mesh.vertices, mapped[0]) is not copy
    assert np.shares_memory(mesh.triangles, mapped[1]) is not copy
    assert mesh.ray_cast(*DOWN).triangle == 1


def test_a_refit_without_a_copy_shares_its_vertices():
    vertices = VERTICES + (0.0, 0.0, 1.0)
    mesh = sc.Mesh(VERTICES, TRIANGLES)
    mesh.refit(vertices, copy=False)
    assert np.shares_memory(mesh.vertices, vertices)
    assert vertices.flags.writeable


@pytest.mark.parametrize("refit", [False, True])
def test_what_a_mesh_copied_cannot_be_made_writeable(refit):
    mesh = sc.Mesh(VERTICES, TRIANGLES, [5, 6])
    if refit:
        mesh.refit(VERTICES * 2)
    for array in (mesh.vertices, mesh.triangles):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_a_copy_leaves_the_callers_arrays_as_they_were():
    vertices, triangles = VERTICES.copy(), TRIANGLES.copy()
    sc.Mesh(vertices, triangles)
    sc.PolygonMesh(vertices, CORNERS, SIZES)
    assert vertices.flags.writeable
    assert triangles.flags.writeable
    assert vertices.tolist() == VERTICES.tolist()
