# SPDX-License-Identifier: GPL-3.0-or-later
"""trimesh's calls: answers of its kinds and shapes, for meshes that change as its meshes do."""

import copy
import inspect
import pickle
from operator import attrgetter

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.adapters.trimesh import ProximityQuery, RayMeshIntersector

from ..meshes import cube, icosphere
from ..peers import peer

# What trimesh's tests ask of model files, which its source distribution does not have. These tests
# get meshes of ours instead, made in upstream/generic.py.
STAND_INS = {
    "test_mutate.MutateTests.test_not_mutated_bunny": {"bunny.ply"},
    "test_mutate.MutateTests.test_not_mutated_cube": {"cube.OBJ"},
    "test_mutate.MutateTests.test_not_mutated_teapot": {"teapot.stl"},
    "test_mutate.MutateTests.test_not_mutated_torus": {"torus.STL"},
    "test_proximity.NearestTest.test_coplanar_signed_distance": {"origin_inside.STL"},
    "test_proximity.NearestTest.test_edge_case": {"20mm-xyz-cube.stl"},
    "test_proximity.NearestTest.test_helper": {"unit_cube.STL", "unit_sphere.STL"},
    "test_ray.test_box": {"unit_cube.STL"},
    "test_ray.test_contain_single": {"teapot.stl"},
    "test_ray.test_contains": {"unit_cube.STL"},
    "test_ray.test_empty": {"unit_sphere.STL"},
    "test_ray.test_on_edge": {"7_8ths_cube.stl"},
    "test_ray.test_rays": {"7_8ths_cube.stl", "featuretype.STL", "unit_cube.STL"},
    "test_ray.test_rps": {"unit_sphere.STL"},
    "test_ray_upstream.test_issue_1362_many_rays_consistency": {"featuretype.STL"},
    "test_registration.RegistrationTest.test_mesh_other_no_reflection": {"featuretype.STL"},
    "test_sample.SampleTest.test_sample": {"featuretype.STL"},
    "test_thickness.ThicknessTest.test_known": {"1002_tray_bottom.STL"},
}

# Those that ask trimesh's own functions alone: which faces may be nearest, by its boxes; its slow
# function; and the one that wants a place further away than the nearest (upstream/drop_in.py).
ASK_NOTHING_OF_OURS = {
    "test_proximity.NearestTest.test_candidates",
    "test_proximity.NearestTest.test_candidates_empty",
    "test_proximity.NearestTest.test_candidates_rtree_versions",
    "test_proximity.NearestTest.test_naive",
    "test_proximity.NearestTest.test_returns_correct_point_in_ambiguous_cases",
}


class Solid:
    """What the drop-in needs of a mesh, without trimesh."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.array(vertices, float), np.array(faces)

    def __hash__(self):
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


def bare(vertices, faces, **more):
    """A mesh that has no more than that."""
    return type("Bare", (), {"vertices": vertices, "faces": faces, **more})()


@pytest.fixture
def solid():
    """A cube from -1 to 1."""
    return Solid(*cube())


@pytest.fixture(scope="module")
def upstream():
    """How trimesh's own tests went with the drop-ins."""
    peer("trimesh")
    import trimesh_tests

    return {outcome.name: outcome for outcome in trimesh_tests.run()}


def test_trimeshs_own_tests_of_rays_proximity_and_contains_pass(upstream):
    assert len(upstream) == 62
    assert {name: o.problem for name, o in upstream.items() if o.problem} == {}


def test_trimeshs_own_tests_did_ask_the_drop_ins(upstream):
    assert {name for name, outcome in upstream.items() if not outcome.asked} == ASK_NOTHING_OF_OURS


def test_trimeshs_own_tests_without_model_files_are_known_by_name(upstream):
    made = {name: set(outcome.stand_ins) for name, outcome in upstream.items()}
    assert {name: models for name, models in made.items() if models} == STAND_INS


@pytest.mark.parametrize(
    ("module", "mesh", "more"),
    [
        ("ray_triangle", "mesh", {}),
        ("ray_pyembree", "geometry", {"multiple_hits": True, "max_hits": 5}),
    ],
)
def test_both_of_trimeshs_classes_are_asked_by_the_same_keywords(trimesh, module, mesh, more):
    box = trimesh.creation.box()
    down = {"ray_origins": [[0.1, 0.2, 5.0]], "ray_directions": [[0.0, 0.0, -1.0]]}
    first = {"multiple_hits": False}
    for kind in (getattr(trimesh.ray, module).RayMeshIntersector, RayMeshIntersector):
        ray = kind(**{mesh: box}, **({"scale_to_box": False} if more else {}))
        assert ray.mesh is box
        assert len(ray.intersects_id(**down, return_locations=False, **more)) == 2
        assert len(ray.intersects_id(**down, return_locations=True, **more)[2]) == 2
        assert len(ray.intersects_location(**down, **first)[0]) == 1
        assert ray.intersects_first(**down).shape == (1,)
        assert ray.intersects_any(**down).tolist() == [True]
        assert ray.contains_points(points=[[0.0, 0.1, 0.2]]).tolist() == [True]


def parameters(method):
    """The names that a method of trimesh takes beside `self`, and whether it takes any others."""
    inner = inspect.getclosurevars(method).nonlocals.get("method", method)  # of what logs the time
    _, *given = inspect.signature(inner).parameters.values()
    names = [each.name for each in given if each.kind is not each.VAR_KEYWORD]
    return names, len(names) < len(given)


@pytest.mark.parametrize(
    ("module", "ours"),
    [
        ("ray.ray_triangle", RayMeshIntersector),
        ("ray.ray_pyembree", RayMeshIntersector),
        ("proximity", ProximityQuery),
    ],
)
def test_every_parameter_of_trimeshs_methods_is_taken_and_ignored_where_trimesh_does(
    trimesh, module, ours
):
    theirs = getattr(attrgetter(module)(trimesh), ours.__name__)
    methods = {name: each for name, each in vars(theirs).items() if inspect.isfunction(each)}
    public = {name for name in methods if not name.startswith("_")} | {"__init__"}
    assert len(public) >= 4
    for name in public:
        names, has_others = parameters(methods[name])
        given = dict.fromkeys(names + ["of_another_release"] * has_others)
        inspect.signature(getattr(ours, name)).bind(None, **given)


def test_keywords_that_trimesh_ignores_change_nothing(trimesh, solid):
    down = [[0.1, 0.2, 5.0]], [[0.0, 0.0, -1.0]]
    box = trimesh.creation.box(extents=(2, 2, 2))
    for ray in (RayMeshIntersector(solid), trimesh.ray.ray_triangle.RayMeshIntersector(box)):
        assert len(ray.intersects_id(*down, precision="high")[0]) == 2
        assert len(ray.intersects_location(*down, precision="high")[0]) == 2
        assert ray.intersects_any(*down, multiple_hits=False).tolist() == [True]
        assert ray.intersects_first(*down, max_hits=3).shape == (1,)


def test_multiple_hits_of_locations_follows_the_rays_by_place(trimesh, solid):
    down = [[0.1, 0.2, 5.0]], [[0.0, 0.0, -1.0]]
    box = trimesh.creation.box(extents=(2, 2, 2))
    for ray in (RayMeshIntersector(solid), trimesh.ray.ray_pyembree.RayMeshIntersector(box)):
        assert [len(ray.intersects_location(*down, every)[0]) for every in (False, True)] == [1, 2]


@pytest.fixture
def rays(rng):
    """Origins and directions (500, 3) of any length, towards a mesh around the origin."""
    origins = rng.normal(0, 4, (500, 3))
    return origins, (rng.uniform(-1.5, 1.5, (500, 3)) - origins) * rng.uniform(0.1, 9, (500, 1))


@pytest.mark.parametrize("module", ["ray_triangle", "ray_pyembree"])
def test_answers_are_those_of_trimesh(trimesh, module, rays):
    mesh = trimesh.Trimesh(*icosphere(2), process=False)
    theirs = getattr(trimesh.ray, module).RayMeshIntersector(mesh)
    ours = RayMeshIntersector(mesh)
    order = {}
    for name, intersector in (("theirs", theirs), ("ours", ours)):
        tri, ray, places = intersector.intersects_id(*rays, return_locations=True)
        distance = np.linalg.norm(places - rays[0][ray], axis=1)
        sorting = np.lexsort((distance, ray))
        order[name] = tri[sorting], ray[sorting], places[sorting]
    assert len(order["ours"][0]) > 300
    for a, b in zip(order["ours"], order["theirs"], strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, atol=1e-6)
    for call in ("intersects_first", "intersects_any"):
        a, b = getattr(ours, call)(*rays), getattr(theirs, call)(*rays)
        assert 0 < np.count_nonzero(a != a.min()) < len(a)
        np.testing.assert_array_equal(a, b)
    points = rays[0] / 4
    inside = ours.contains_points(points)
    assert 0.1 < inside.mean() < 0.9
    np.testing.assert_array_equal(inside, theirs.contains_points(points))


def test_a_mesh_of_trimesh_answers_by_its_drop_in(trimesh):
    mesh = trimesh.creation.box()
    mesh.ray = RayMeshIntersector(mesh)
    mesh.nearest = ProximityQuery(mesh)
    assert mesh.contains([[0, 0, 0], [2, 0, 0]]).tolist() == [True, False]
    assert mesh.ray.intersects_first([[0.1, 0.2, 5]], [[0, 0, -1]]).tolist() != [-1]
    mesh.apply_translation([2, 0, 0])
    assert mesh.contains([[0, 0, 0], [2, 0, 0]]).tolist() == [False, True]
    assert mesh.nearest.signed_distance([[2, 0, 0], [2, 0, 5]]).tolist() == [0.5, -4.5]


def test_changes_in_place_are_followed(trimesh):
    mesh = trimesh.creation.box()
    ray = RayMeshIntersector(mesh)
    down = [[0.125, 0.25, 5]], [[0, 0, -1]]
    before = ray.exact
    assert ray.intersects_location(*down, multiple_hits=False)[0].tolist() == [[0.125, 0.25, 0.5]]
    mesh.vertices[:, 2] += 1
    assert ray.intersects_location(*down, multiple_hits=False)[0].tolist() == [[0.125, 0.25, 1.5]]
    assert ray.exact is before
    mesh.update_faces(mesh.face_normals[:, 2] < 0.5)
    assert ray.intersects_location(*down, multiple_hits=False)[0].tolist() == [[0.125, 0.25, 0.5]]
    assert ray.exact is not before


def test_a_mesh_that_did_not_change_is_not_read_again(solid):
    ray = RayMeshIntersector(solid)
    vertices = ray.exact.vertices
    assert ray.exact.vertices is vertices
    assert ray.exact.revision == 0


def test_what_is_touched_is_followed_too(solid):
    ray = RayMeshIntersector(solid)
    corner = [[1, 1, -5]], [[0, 0, 1]]
    assert ray.intersects_any(*corner).all()
    solid.vertices[:, 0] -= 0.5
    assert not ray.intersects_any(*corner).any()
    solid.vertices[:, 0] += 0.5
    assert ray.intersects_any(*corner).all()


def test_changes_in_place_reach_the_answers_through_the_hash_alone(solid):
    solid.__class__ = type("Unmarked", (Solid,), {"__hash__": lambda self: 7})
    ray = RayMeshIntersector(solid)
    down = [[0.1, 0.2, 5]], [[0, 0, -1]]
    before = ray.intersects_location(*down)[0]
    solid.vertices += 1
    assert ray.intersects_location(*down)[0].tolist() == before.tolist()


def test_the_hits_of_a_ray_are_sorted_and_limited_by_number(solid):
    ray = RayMeshIntersector(solid)
    both = [[0.1, 0.2, -5], [9, 9, 9], [0.3, 0.2, 5]], [[0, 0, 1], [0, 0, 1], [0, 0, -1]]
    places, index_ray, index_tri = ray.intersects_location(*both)
    assert places[:, 2].tolist() == [-1, 1, 1, -1]
    assert index_ray.tolist() == [0, 0, 2, 2]
    normals = np.cross(*np.diff(solid.vertices[solid.faces[index_tri]], axis=1).swapaxes(0, 1))
    assert np.sign(normals[:, 2]).tolist() == [-1, 1, 1, -1]
    for options in ({"multiple_hits": False}, {"max_hits": 1}):
        assert ray.intersects_location(*both, **options)[0][:, 2].tolist() == [-1, 1]
        assert ray.intersects_id(*both, **options)[1].tolist() == [0, 2]


def test_first_and_any_have_a_row_for_each_ray(solid):
    ray = RayMeshIntersector(solid)
    rays = [[0.1, 0.2, -5], [9, 9, 9]], [[0, 0, 1], [0, 0, 1]]
    first = ray.intersects_first(*rays)
    assert first.dtype == np.int64
    assert first[0] == ray.intersects_id(*rays, multiple_hits=False)[0][0]
    assert first[1] == -1
    assert ray.intersects_any(*rays).tolist() == [True, False]


def test_arrays_without_hits_have_their_shapes(solid):
    ray = RayMeshIntersector(solid)
    for rays in (([[9, 9, 9]], [[0, 0, 1]]), (np.empty((0, 3)), np.empty((0, 3)))):
        places, index_ray, index_tri = ray.intersects_location(*rays)
        assert places.shape == (0, 3)
        assert index_ray.shape == index_tri.shape == (0,)
        assert index_ray.dtype == index_tri.dtype == np.int64


def test_answers_can_be_changed_as_trimeshs_can(solid, rays):
    ray, near = RayMeshIntersector(solid), ProximityQuery(solid)
    answers = [*ray.intersects_location(*rays), ray.intersects_first(*rays)]
    answers += [ray.intersects_any(*rays), ray.contains_points(rays[0])]
    answers += [*near.on_surface(rays[0]), *near.vertex(rays[0]), near.signed_distance(rays[0])]
    for array in answers:
        array[:] = 0


def test_a_ray_far_away_is_as_exact_as_one_near(solid):
    ray = RayMeshIntersector(solid, scale_to_box=False)
    solid.vertices += [0, 0, 2.0**40]
    rays = [[0.1, 0.2, 2.0**40 - 5]], [[0, 0, 1]]
    assert (ray.intersects_location(*rays)[0][:, 2] - 2.0**40).tolist() == [-1, 1]


def test_edges_are_crossed_once(solid):
    counts = np.bincount(RayMeshIntersector(solid).intersects_id([[0, 0, 5]], [[0, 0, -1]])[1])
    assert counts.tolist() == [2]


def test_the_nearest_places_are_those_of_trimesh(trimesh, rng):
    mesh = trimesh.Trimesh(*icosphere(2), process=False)
    points = rng.normal(0, 0.8, (300, 3))
    ours, theirs = ProximityQuery(mesh), trimesh.proximity.ProximityQuery(mesh)
    places = [query.on_surface(points) for query in (ours, theirs)]
    for a, b in zip(*places, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
    np.testing.assert_allclose(places[0][0], places[1][0], atol=1e-9)
    np.testing.assert_allclose(places[0][1], places[1][1], atol=1e-9)
    for a, b in zip(ours.vertex(points), theirs.vertex(points), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, atol=1e-9)
    signed = ours.signed_distance(points)
    assert 0.1 < (signed > 0).mean() < 0.9
    np.testing.assert_allclose(signed, theirs.signed_distance(points), atol=1e-9)


def test_the_nearest_place_is_the_nearest_however_near_another_is():
    """As trimesh's test of ambiguous cases, which wants the place on the other face."""
    corners = [[0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 0, -1]]
    near = ProximityQuery(Solid(corners, [[0, 1, 2], [0, 1, 3]]))
    places, distance, face = near.on_surface([[-0.25 - 1e-9, 0, -0.25], [-0.25 + 1e-9, 0, -0.25]])
    assert face.tolist() == [0, 1]
    np.testing.assert_allclose(distance, [0.25, 0.25 - 1e-9], rtol=1e-15)
    np.testing.assert_allclose(places, [[-0.25 - 1e-9, 0, 0], [0, 0, -0.25]], rtol=1e-15)


def test_of_faces_as_near_the_one_that_faces_the_point_is_named():
    roof = Solid([[-1, 0, -1], [1, 0, -1], [0, 0, 0], [0, 1, 0]], [[0, 2, 3], [2, 1, 3]])
    near = ProximityQuery(roof)
    assert near.on_surface([[-1, 0.5, 3], [1, 0.5, 3]])[2].tolist() == [0, 1]


def test_distances_are_positive_inside_and_0_on_the_surface(solid):
    signed = ProximityQuery(solid).signed_distance([[0.75, 0, 0], [3, 0, 0], [1, 0.3, 0.2]])
    assert signed.tolist() == [0.25, -2.0, 0.0]
    assert not np.signbit(signed[2])


def test_a_mesh_without_faces_has_no_nearest_place():
    places, distance, face = ProximityQuery(Solid([[0, 0, 0]], np.empty((0, 3), int))).on_surface(
        [[1, 2, 3]]
    )
    assert np.isnan(places).all()
    assert (distance.tolist(), face.tolist()) == ([np.inf], [-1])


def test_rays_that_touch_the_outline_exactly_hit_it(solid):
    ray = RayMeshIntersector(solid)
    middles = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]]
    origins = np.array([[x, y, -5.0] for x, y in middles])
    up = np.array([[0, 0, 1.0]])
    assert ray.intersects_any(origins, up).all()
    assert (ray.intersects_first(origins, up) >= 0).all()
    places, index_ray, _ = ray.intersects_location(origins, up)
    assert index_ray.tolist() == np.repeat(np.arange(8), 2).tolist()
    assert places.tolist() == [[x, y, z] for x, y in middles for z in (-1, 1)]
    first, index_ray, _ = ray.intersects_location(origins, up, multiple_hits=False)
    assert index_ray.tolist() == list(range(8))
    assert (first[:, 2] == -1).all()
    past = origins * [1 + 1e-15, 1 + 1e-15, 1]
    assert not ray.intersects_any(past, up).any()


def test_a_vertex_counts_whether_a_face_uses_it_or_not(solid):
    solid.vertices = np.concatenate([solid.vertices, [[0, 0, 3.0]]])
    distance, vertex = ProximityQuery(solid).vertex([[0, 0, 5]])
    assert (distance.tolist(), vertex.tolist()) == ([2.0], [8])


def test_vertices_follow_the_mesh(solid):
    near = ProximityQuery(solid)
    assert near.vertex([[1, 1, 5]])[0].tolist() == [4]
    solid.vertices += 1
    assert near.vertex([[2, 2, 5]])[0].tolist() == [3]


def test_the_classes_print_in_a_line(trimesh, solid):
    box = trimesh.creation.box()
    assert repr(RayMeshIntersector(box)) == f"<RayMeshIntersector of {box!r}>"
    assert repr(ProximityQuery(box)) == f"<ProximityQuery of {box!r}>"
    solid.__class__ = type("Long", (Solid,), {"__repr__": lambda self: "two\nlines" * 999})
    assert len(repr(RayMeshIntersector(solid))) < 300
    assert "\n" not in repr(ProximityQuery(solid))


def test_one_point_makes_one_row(solid):
    near, point = ProximityQuery(solid), [0.0, 0.25, 0.5]
    answers = [*near.on_surface(point)[1:], near.signed_distance(point)]
    answers += [RayMeshIntersector(solid).contains_points(point)]
    assert [answer.shape for answer in answers] == [(1,)] * 4
    assert near.on_surface(point)[0].shape == (1, 3)


def test_a_point_for_which_no_other_place_is_found_keeps_its_own(solid, monkeypatch):
    near = ProximityQuery(solid)
    points = [[3, 3, 3], [-3, 0.5, 0.25], [-3, -3, -3]]
    places, _, faces = near.on_surface(points)

    def none_of_the_first(mesh, asked):
        found, splits = closest_point_all(mesh, asked)
        return found.take(slice(splits[1], None)), np.maximum(splits - splits[1], 0)

    closest_point_all = sc.Mesh.closest_point_all
    monkeypatch.setattr(sc.Mesh, "closest_point_all", none_of_the_first)
    again, _, same = near.on_surface(points)
    np.testing.assert_array_equal(again, places)
    assert same[1:].tolist() == faces[1:].tolist()


def test_a_mesh_wider_than_float64_has_nearest_places():
    wide = Solid([[0, 0, 0], [1.7e308] * 3, [-1.7e308, 0, 0]], [[0, 1, 2]])
    points = [[0, 0, 1], [0.5, 0, 1]]
    near = ProximityQuery(wide)
    places, distance, face = near.on_surface(points)
    np.testing.assert_allclose(np.linalg.norm(places - points, axis=1), distance, rtol=1e-15)
    assert face.tolist() == [0, 0]


def test_copies_and_pickles_answer_alike(trimesh):
    mesh = trimesh.creation.box()
    mesh.ray = RayMeshIntersector(mesh)
    assert mesh.ray.intersects_any([[0, 0, 5]], [[0, 0, -1]]).all()
    for other in (copy.copy(mesh.ray), pickle.loads(pickle.dumps(mesh.ray))):
        assert other.intersects_any([[0, 0, 5]], [[0, 0, -1]]).all()
    assert pickle.loads(pickle.dumps(mesh)).ray.intersects_any([[0, 0, 5]], [[0, 0, -1]]).all()
    assert copy.deepcopy(mesh).contains([[0, 0, 0]]).all()


def test_a_copy_of_a_mesh_has_trimeshs_own_classes_again(trimesh):
    mesh = trimesh.creation.box()
    mesh.ray = RayMeshIntersector(mesh)
    assert not isinstance(mesh.copy().ray, RayMeshIntersector)
    assert isinstance(pickle.loads(pickle.dumps(mesh)).ray, RayMeshIntersector)


def test_nothing_around_an_open_box_is_inside_of_it():
    vertices, faces = cube()
    points = np.random.default_rng(11).uniform(-3, 3, (2000, 3))
    is_within = (np.abs(points) < 1).all(axis=1)
    for without in range(len(faces)):
        box = Solid(vertices, np.delete(faces, without, axis=0))
        found = RayMeshIntersector(box).contains_points(points)
        assert not found[~is_within].any()
        assert (
            found.sum() > 0.6 * is_within.sum()
        )  # the others see the opening one way or the other
    one = Solid(vertices, faces[:1])
    assert not RayMeshIntersector(one).contains_points(points).any()


def test_behind_an_open_mesh_distances_are_positive():
    x, y = np.meshgrid(np.arange(7.0), np.arange(7.0), indexing="ij")
    heights = np.random.default_rng(14).uniform(0, 8, (7, 7))
    corner = np.arange(49).reshape(7, 7)[:-1, :-1].ravel()[:, None]
    faces = np.concatenate([corner + [0, 7, 8], corner + [0, 8, 1]])
    ground = Solid(np.column_stack([x.ravel(), y.ravel(), heights.ravel()]), faces)
    points = np.random.default_rng(15).uniform([2, 2, -1], [4, 4, 9], (2000, 3))
    (i, j), (u, v) = np.floor(points.T[:2]).astype(int), points.T[:2] % 1
    step = np.where(u > v, heights[i + 1, j], heights[i, j + 1])  # the corner of its triangle
    low, high = np.minimum(u, v), np.maximum(u, v)
    below = points[:, 2] < (
        (1 - high) * heights[i, j] + (high - low) * step + low * heights[i + 1, j + 1]
    )
    assert 500 < below.sum() < 1500
    signed = ProximityQuery(ground).signed_distance(points)
    assert (signed > 0).tolist() == below.tolist()
    turned = Solid(ground.vertices, faces[:, ::-1])
    assert ProximityQuery(turned).signed_distance(points).tolist() == (-signed).tolist()
    rest = ProximityQuery(ground).signed_distance([ground.vertices[9], [np.nan, 0, 0]])
    assert (rest[0], np.isnan(rest[1])) == (0, True)


def test_the_mesh_goes_by_both_of_its_names(solid):
    assert RayMeshIntersector(mesh=solid).mesh is solid
    assert RayMeshIntersector(geometry=solid, scale_to_box=True).mesh is solid


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: RayMeshIntersector(), "one mesh is needed"),
        (lambda s: RayMeshIntersector(bare("x", [[0, 1, 2]])).exact, "vertices must be real"),
        (lambda s: RayMeshIntersector(bare(np.eye(3), [[1, [2]]])).exact, "faces is not a regular"),
        (lambda s: RayMeshIntersector(bare(np.eye(3), np.eye(3))).exact, "faces must be integers"),
        (lambda s: RayMeshIntersector(s).contains_points(sc.Ray((0, 0, 0), (0, 0, 1))), "points"),
        (
            lambda s: RayMeshIntersector(s).intersects_id(*[[(0, 0, 1)]] * 2, multiple_hits="x"),
            "multiple_hits must be True or False",
        ),
        (lambda s: RayMeshIntersector(bare([], [], __hash__=None)).exact, "mesh must have a hash"),
        (lambda s: RayMeshIntersector(s, mesh=s), "one mesh is needed"),
        (lambda s: RayMeshIntersector(5), "mesh must have vertices; an int has none"),
        (lambda s: RayMeshIntersector(s).intersects_any([[0, 0]], [[0, 0, 1]]), "origins"),
        (lambda s: RayMeshIntersector(s).intersects_id([[0, 0, 1]], [[0, 0]]), "directions"),
        (lambda s: RayMeshIntersector(s).contains_points("a"), "must be real numbers"),
        (lambda s: ProximityQuery(s).on_surface([[0, 0]]), "points must have shape"),
        (
            lambda s: RayMeshIntersector(s).intersects_id([[0, 0, 1]], [[0, 0, 1]], max_hits=0),
            "max_hits must be",
        ),
    ],
)
def test_a_wrong_argument_is_a_named_error(call, words, solid):
    with pytest.raises(sc.RaypickError, match=words):
        call(solid)


def test_a_point_that_is_none_had_a_signed_distance_of_minus_inf(solid):
    signed = ProximityQuery(solid).signed_distance([[0.0, 0, 0], [np.nan, 0, 0]])
    assert np.isnan(signed).tolist() == [False, True]


def test_a_mesh_of_ours_is_none_of_trimeshs(solid):
    exact = RayMeshIntersector(solid).exact
    for follow in (RayMeshIntersector, ProximityQuery):
        with pytest.raises(sc.errors.DtypeError, match="a Mesh answers by itself"):
            follow(exact)
