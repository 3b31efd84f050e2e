# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mesh can be made of and asked with, and how it refuses the rest."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes
from .questions import assert_same_bits, built, lattice_rays, toward

VERTICES = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 1]], dtype=float)
TRIANGLES = np.array([[0, 1, 2], [1, 3, 2]])
DOWN = (1, 1, 5), (0, 0, -1)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(array):
    return np.repeat(np.repeat(array, 2, axis=0), 3, axis=1)[::2, ::3]


FORMS = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(map(tuple, a.tolist())),
    "list of arrays": list,
    "float32 or int32": lambda a: a.astype(a.dtype.kind + "4"),
    "float64 or int64": lambda a: a.astype(a.dtype.kind + "8"),
    "Fortran order": np.asfortranarray,
    "not contiguous": strided,
    "backwards": lambda a: a[::-1].copy()[::-1],
    "read-only": read_only,
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
}
each_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


@each_form
def test_every_form_of_numbers_gives_the_same_hits(rng, form):
    vertices, triangles = meshes.nasty(rng)
    vertices = vertices.astype(np.float32).astype(float)
    faces = rng.integers(0, 9, (len(triangles), 1))
    origins, directions = lattice_rays(rng, 40)
    expected = built(vertices, triangles, faces[:, 0]).cast_rays_all(origins, directions)
    flat_faces = np.asarray(form(faces)).reshape(-1)
    mesh = sc.Mesh(form(vertices), form(triangles), flat_faces)
    hits, splits = mesh.cast_rays_all(form(origins), form(directions))
    assert_same_bits(hits, expected[0])
    np.testing.assert_array_equal(splits, expected[1])


@pytest.mark.parametrize("kind", "bBhHiIlLqQ")
def test_indices_can_be_integers_of_any_kind(kind):
    mesh = sc.Mesh(VERTICES, TRIANGLES.astype(kind), np.array([5, 6]).astype(kind))
    assert mesh.ray_cast(*DOWN).face == 5


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i4", "u1"])
def test_positions_can_be_real_numbers_of_any_kind(kind):
    mesh = sc.Mesh(VERTICES.astype(kind), TRIANGLES)
    hit = mesh.ray_cast(np.array((1, 1, 5)).astype(kind), (0, 0, -1))
    assert (hit.triangle, hit.distance) == (0, 5.0)


def test_a_refused_array_is_not_changed_nor_is_an_accepted_one():
    vertices, triangles = read_only(VERTICES), read_only(TRIANGLES.astype(np.int32))
    mesh = sc.Mesh(vertices, triangles)
    mesh.build()
    mesh.refit(vertices)
    assert mesh.ray_cast(*DOWN).triangle == 0
    np.testing.assert_array_equal(vertices, VERTICES)


def test_faces_map_triangles_to_polygons():
    mesh = sc.Mesh(VERTICES, TRIANGLES, faces=[7, 7])
    assert mesh.faces.tolist() == [7, 7]
    assert mesh.ray_cast(*DOWN).face == 7
    assert mesh.ray_cast((3.5, 3.5, 5), (0, 0, -1)).face == 7
    assert mesh.ray_cast((3.5, 3.5, 5), (0, 0, -1)).triangle == 1


def test_without_faces_each_triangle_is_its_own():
    mesh = sc.Mesh(VERTICES, TRIANGLES)
    assert mesh.faces.tolist() == [0, 1]
    assert mesh.ray_cast((3.5, 3.5, 5), (0, 0, -1)).face == 1


def test_one_origin_or_one_direction_serves_all_rays(rng):
    mesh = built(*meshes.icosphere(1))
    directions, origins = meshes.directions(rng, 9), rng.normal(size=(9, 3)) * 3
    shared_origin = mesh.cast_rays((0, 0, 0), directions)
    assert_same_bits(shared_origin, mesh.cast_rays(np.zeros((9, 3)), directions))
    shared_direction = mesh.cast_rays(origins, (0, 0, 1))
    assert_same_bits(shared_direction, mesh.cast_rays(origins, np.tile((0, 0, 1.0), (9, 1))))
    assert mesh.cast_rays((0, 0, 0), (0, 0, 1)).shape == ()


def test_each_ray_may_have_a_max_distance_of_its_own():
    mesh = sc.Mesh(*meshes.stack(3, gap=1.0))
    origins = np.tile((0, 0, 5.0), (3, 1))
    _, splits = mesh.cast_rays_all(origins, (0, 0, -1), [2, 3.5, np.inf])
    assert splits.tolist() == [0, 0, 1, 4]


@pytest.mark.parametrize("length", [5e-324, 1e-300, 1e-9, 1e9, 1e300])
def test_distances_do_not_depend_on_the_length_of_the_direction(length):
    mesh = sc.Mesh(VERTICES, TRIANGLES)
    assert mesh.ray_cast((1, 1, 5), (0, 0, -length)).distance == 5
    assert mesh.ray_cast((1, 1, 5), (0, 0, -length), 4.9) is None


def test_no_rays_give_no_hits():
    mesh = sc.Mesh(VERTICES, TRIANGLES)
    nobody = np.empty((0, 3))
    assert len(mesh.cast_rays(nobody, nobody)) == 0
    hits, splits = mesh.cast_rays_all(nobody, nobody)
    assert len(hits) == 0
    assert splits.tolist() == [0]
    assert mesh.any_hit(nobody, nobody).tolist() == mesh.count_hits(nobody, nobody).tolist() == []


EMPTY = {
    "nothing": (np.empty((0, 3)), np.empty((0, 3), int)),
    "empty lists": (np.empty((0, 3)), []),
    "vertices alone": (VERTICES, []),
    "nothing finite": (np.full((3, 3), np.nan), [[0, 1, 2]]),
    "no area": (np.zeros((3, 3)), [[0, 1, 2], [0, 0, 0]]),
}


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
@pytest.mark.parametrize("arguments", EMPTY.values(), ids=EMPTY)
def test_an_empty_mesh_is_never_hit(make, arguments):
    mesh = make(*arguments)
    assert mesh.ray_cast(*DOWN) is None
    assert mesh.ray_cast_all(*DOWN) == []
    hits = mesh.cast_rays(np.zeros((4, 3)), (0, 0, 1))
    assert not hits.hit.any()
    assert mesh.cast_rays_all(np.zeros((4, 3)), (0, 0, 1))[1].tolist() == [0] * 5
    assert mesh.any_hit(np.zeros((4, 3)), (0, 0, 1)).tolist() == [False] * 4
    assert mesh.count_hits(np.zeros((4, 3)), (0, 0, 1)).tolist() == [0] * 4
    mesh.validate()


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1.7e308])
def test_vertices_that_are_not_finite_never_harm_their_neighbours(rng, make, bad):
    vertices, triangles = meshes.grid(8)
    origins = np.column_stack([rng.uniform(0, 1, (300, 2)), np.ones(300)])
    whole, _ = make(vertices, triangles).cast_rays_all(origins, (0, 0, -1))
    broken = vertices.copy()
    broken[[10, 33, 50], [0, 1, 2]] = bad
    touched = np.isin(triangles, [10, 33, 50]).any(axis=1)
    hits, _ = make(broken, triangles).cast_rays_all(origins, (0, 0, -1))
    unharmed = ~touched[whole.triangle]
    assert 0 < unharmed.sum() < 300
    assert_same_bits(hits.take(~touched[hits.triangle]), whole.take(unharmed))
    if not np.isfinite(bad):
        assert not touched[hits.triangle].any()


@pytest.mark.parametrize("make", [sc.Mesh, built], ids=["scan", "tree"])
def test_a_triangle_whose_corners_lie_on_a_line_is_never_hit_by_rays_at_the_line(rng, make):
    mesh = make([[0, 0, 0], [3, 3, 0], [1, 1, 0]], [[0, 1, 2]])
    along = rng.uniform(0, 3, 200)
    targets = np.column_stack([along, along, 0 * along])
    origins = rng.normal(size=(200, 3)) * 5
    assert not mesh.cast_rays(origins, targets - origins).hit.any()


def test_degenerate_triangles_are_never_hit_nor_harm_their_neighbours(rng):
    vertices, triangles = meshes.icosphere(1)
    flat = np.column_stack([triangles[:, 0], triangles[:, 1], triangles[:, 0]])
    origins, directions = toward(rng, vertices, triangles, 200)
    alone = built(vertices, triangles).cast_rays_all(origins, directions)
    mixed = built(vertices, np.concatenate([triangles, flat])).cast_rays_all(origins, directions)
    assert_same_bits(alone[0], mixed[0])


BAD_MESHES = [
    ([[0, 0]], [], None, errors.ShapeError, r"vertices must have shape \(N, 3\)"),
    ([1, 2, 3], [], None, errors.ShapeError, "vertices must have shape"),
    ([["a", "b", "c"]], [], None, errors.DtypeError, "vertices must be real numbers"),
    ([[0, 0, 1j]], [], None, errors.DtypeError, "vertices must be real numbers"),
    ([[0, 0, 0], [1, 2]], [], None, errors.ShapeError, "vertices is not a regular array"),
    ([[None, 0, 0]], [], None, errors.DtypeError, "vertices must be real numbers"),
    (VERTICES, [0, 1, 2], None, errors.ShapeError, r"triangles must have shape \(T, 3\)"),
    (VERTICES, [[0, 1, 2, 3]], None, errors.ShapeError, "triangles must have shape"),
    (VERTICES, [[0.0, 1.0, 2.0]], None, errors.DtypeError, "triangles must be integers"),
    (VERTICES, [[True, False, True]], None, errors.DtypeError, "triangles must be integers"),
    (VERTICES, [[0, 1, 2], [0, 1, 4]], None, errors.IndexRangeError, r"triangle 1 .*\[0, 1, 4\]"),
    (VERTICES, [[0, 1, -1]], None, errors.IndexRangeError, "triangle 0 .* 4 vertices"),
    (VERTICES, np.array([[2**63, 0, 1]], "u8"), None, errors.IndexRangeError, "triangles"),
    (VERTICES, TRIANGLES, [1], errors.ShapeError, r"faces must have shape \(2,\), not \(1,\)"),
    (VERTICES, TRIANGLES, [1.0, 2.0], errors.DtypeError, "faces must be integers"),
]


@pytest.mark.parametrize(("vertices", "triangles", "faces", "error", "words"), BAD_MESHES)
def test_a_bad_mesh_is_refused_with_its_reason(vertices, triangles, faces, error, words):
    with pytest.raises(error, match=words):
        sc.Mesh(vertices, triangles, faces)


def test_an_unknown_engine_is_refused():
    with pytest.raises(errors.EngineError, match="warp"):
        sc.Mesh(VERTICES, TRIANGLES, engine="warp")


def test_the_numba_engine_gives_the_same_hits_or_says_that_it_is_not_there(rng):
    vertices, triangles = meshes.icosphere(2)
    rays = toward(rng, vertices, triangles, 50)
    try:
        mesh = sc.Mesh(vertices, triangles, engine="numba")
    except errors.EngineError:
        with pytest.raises(errors.EngineError, match="numba"):
            sc.Mesh(vertices, triangles, engine="numba")
    else:
        mesh.build()
        assert_same_bits(mesh.cast_rays(*rays), built(vertices, triangles).cast_rays(*rays))


@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_a_negative_index_of_few_bits_was_taken_for_a_large_one(kind):
    vertices = np.zeros((70_000, 3))
    with pytest.raises(sc.errors.IndexRangeError, match="triangle 1"):
        sc.Mesh(vertices, np.array([[0, 1, 2], [0, 1, -1]], dtype=kind))


def test_15_numpy_arrays_are_taken_and_bad_indices_do_not_crash():
    vertices, triangles = meshes.UNIT_TRIANGLE
    mesh = sc.Mesh(vertices, triangles)
    assert mesh.ray_cast(np.array([0.25, 0.25, 1]), np.array([0, 0, -1])).triangle == 0
    with pytest.raises(sc.errors.IndexRangeError, match="triangle 0 has vertex indices"):
        sc.Mesh(vertices, [[0, 1, 3]])
