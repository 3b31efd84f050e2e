# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays of more rows than int32 counts are refused before they are read or copied."""

import sys
import tracemalloc

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors
from standalone_core.numerics import reading

MANY = 2**31  # one more than there may be
TRIANGLE = np.eye(3), np.array([[0, 1, 2]], dtype=np.int32)
MESH, SCENE = sc.Mesh(*TRIANGLE), sc.Scene()
SCENE.add(MESH)
CAMERA = sc.Camera(np.eye(4), np.eye(4), 4, 3)


def repeated(row, kind=np.float64, count=MANY):
    """So many rows that are all the same, which take no memory."""
    return np.broadcast_to(np.array(row, dtype=kind), (count, *np.shape(row)))


POINTS, ROWS = repeated((0, 0, 0)), repeated((0, 1, 2), np.int32)
AXIS = repeated((0, 0, 1), count=1 << 16)
CALLS = {
    "vertices": lambda: sc.Mesh(POINTS, []),
    "shared vertices": lambda: sc.Mesh(POINTS, [], copy=False),
    "triangles": lambda: sc.Mesh(np.eye(3), ROWS),
    "triangles of bytes": lambda: sc.Mesh(np.eye(3), repeated((0, 1, 2), np.uint8)),
    "faces": lambda: sc.Mesh(*TRIANGLE, repeated(0, np.uint32)),
    "a refit": lambda: MESH.refit(POINTS),
    "vertices of polygons": lambda: sc.PolygonMesh(POINTS, [], 3),
    "float32 vertices of polygons": lambda: sc.PolygonMesh(repeated((0, 0, 0), "f4"), [], 3),
    "corners": lambda: sc.PolygonMesh(np.eye(3), repeated(0, np.int32), 3),
    "sizes": lambda: sc.PolygonMesh(np.eye(3), [0, 1, 2], repeated(3, np.int64)),
    "origins": lambda: MESH.cast_rays(POINTS, (0, 0, 1)),
    "directions": lambda: MESH.any_hit((0, 0, 0), POINTS),
    "rays of a grid": lambda: MESH.count_hits(AXIS[:, None], AXIS[None]),
    "rays at a scene": lambda: SCENE.cast_rays_all(POINTS, (0, 0, 1)),
    "points": lambda: MESH.closest_point(POINTS),
    "points inside": lambda: SCENE.contains(POINTS),
    "distances": lambda: MESH.cast_rays((0, 0, 0), (0, 0, 1), repeated(1.0)),
    "matrices": lambda: SCENE.add_many(MESH, repeated(np.eye(4))),
    "moved instances": lambda: SCENE.set_matrices([0], repeated(np.eye(4))),
    "places": lambda: sc.Places(ROWS, (1.0, 0, 0)),
    "weights": lambda: sc.Places((0, 1, 2), repeated((1.0, 0, 0))),
    "places of a grid": lambda: sc.Places(
        repeated((0, 1, 2), np.int64, 1 << 16)[:, None], repeated((1.0, 0, 0), count=1 << 16)
    ),
    "places of a mesh": lambda: MESH.places(repeated(0, np.int64), (1.0, 0, 0)),
    "excluded triangles": lambda: MESH.ray_cast((0, 0, 0), (0, 0, 1), exclude=repeated(0, int)),
    "points of a camera": lambda: CAMERA.project(POINTS),
    "a triangle's rays": lambda: sc.triangle.watertight_many(POINTS, (0, 0, 1), *np.eye(3)),
    "a box": lambda: sc.Box.bounding(POINTS),
}


@pytest.fixture
def traced():
    tracemalloc.start()
    yield tracemalloc.get_traced_memory
    tracemalloc.stop()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_more_rows_than_there_can_be_are_refused_at_once(call, traced):
    with pytest.raises(errors.ArgumentError, match=r"2,147,483,647 rows at most, not [248],"):
        call()
    assert traced()[1] < 1e7


@pytest.mark.skipif(sys.platform == "win32", reason="there files have no holes by themselves")
@pytest.mark.parametrize("copy", [True, False])
def test_a_huge_file_of_holes_is_refused_at_once(tmp_path, copy):
    path = tmp_path / "vertices.bin"
    path.touch()
    try:
        with open(path, "r+b") as file:
            file.truncate(MANY * 24)
        mapped = np.memmap(path, np.float64, "r", shape=(MANY, 3))
    except OSError as error:
        pytest.skip(f"no such file can be here: {error}")
    with pytest.raises(errors.ArgumentError, match="vertices must have 2,147,483,647 rows"):
        sc.Mesh(mapped, [], copy=copy)


@pytest.fixture
def most(monkeypatch):
    """Let there be no more than 6 rows."""
    monkeypatch.setattr(reading, "MOST_ROWS", 6)
    return 6


def test_as_many_rows_as_there_can_be_are_taken(most):
    vertices, triangles = np.ones((most, 3)), repeated((0, 1, 2), count=most, kind=int)
    mesh = sc.Mesh(vertices, triangles)
    mesh.refit(vertices)
    assert mesh.cast_rays(vertices, (0, 0, 1)).shape == (most,)
    assert mesh.cast_rays(np.ones((2, 1, 3)), np.ones((3, 3))).shape == (2, 3)
    assert sc.PolygonMesh(vertices.astype("f4"), [0, 1, 2, 3, 4, 5], 3).triangle_count == 2
    assert sc.Places(triangles, (1.0, 0, 0)).shape == (most,)


@pytest.mark.parametrize(
    "call",
    [
        lambda mesh: sc.Mesh(np.ones((7, 3)), []),
        lambda mesh: sc.Mesh(np.ones((3, 3)), [[0, 1, 2]] * 7),
        lambda mesh: mesh.cast_rays(np.ones((7, 1, 3)), (0, 0, 1)),
        lambda mesh: mesh.cast_rays(np.ones((7, 1, 3)), np.ones((1, 1, 3))),
        lambda mesh: mesh.cast_rays(np.ones((2, 1, 3)), np.ones((4, 3))),
        lambda mesh: sc.PolygonMesh(np.ones((3, 3)), [0, 1, 2] * 3, 3),
        lambda mesh: sc.Places([0, 1, 2], [[1.0, 0, 0]] * 7),
        lambda mesh: sc.triangle.interpolate(np.ones((7, 3, 1)), (1.0, 0, 0)),
    ],
)
@pytest.mark.usefixtures("most")
def test_one_row_more_is_refused(call):
    mesh = sc.Mesh(*TRIANGLE)
    with pytest.raises(errors.ArgumentError, match="6 rows at most"):
        call(mesh)
