# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries as strangers tried them: each is answered as they meant it, or refused in words.

Those of values, of records and of files are in :mod:`.test_api_trials`.
"""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes

DOWN = (0, 0, -1)


def a_mesh():
    return sc.Mesh(*meshes.cube())


def polygons():
    vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    return sc.PolygonMesh(vertices, [0, 1, 2, 3], 4)


def a_scene():
    scene = sc.Scene()
    scene.add_many(a_mesh(), [np.eye(4)] * 2, ["near", "far"])
    return scene


each_caster = pytest.mark.parametrize("make", [a_mesh, polygons, a_scene])


@each_caster
def test_a_ray_alone_is_a_question(make):
    assert make().ray_cast(sc.Ray((0.25, 0.5, 5), DOWN)) is not None
    with pytest.raises(errors.ArgumentError, match="an origin and a direction, or a Ray"):
        make().ray_cast((0.25, 0.5, 5))


@each_caster
def test_a_zero_direction_is_no_end_of_a_batch(make):
    hits = make().cast_rays([(0.25, 0.5, 5)] * 2, [DOWN, (0, 0, 0)])
    assert hits.hit.tolist() == [True, False]
    assert hits.reason(1) == "the ray's direction has no length"


@each_caster
def test_an_image_of_rays_is_a_batch(make):
    origins = np.zeros((32, 14, 3)) + (0.25, 0.5, 5)
    assert make().cast_rays(origins, DOWN).shape == (32, 14)
    assert make().any_hit(origins, DOWN).all()


@each_caster
def test_points_in_any_shape_have_places(make):
    assert make().closest_point(np.zeros((1, 2, 3))).shape == (1, 2)


@each_caster
def test_empty_lists_are_taken_like_empty_arrays(make):
    assert make().cast_rays([], []).shape == (0,)
    assert make().closest_point([]).shape == (0,)


def test_a_mesh_of_nothing_is_made_of_empty_lists():
    for mesh in (sc.Mesh([], []), sc.PolygonMesh([], [], [])):
        assert mesh.ray_cast((0, 0, 5), DOWN) is None
        assert not mesh.closest_point((0, 0, 0)).hit


@pytest.mark.parametrize("faces", [[-1], [0.0], ["a"], [[0]]])
def test_faces_that_are_none_are_refused(faces):
    """-1 would look like the marker of a miss."""
    with pytest.raises(errors.ArgumentError, match="faces"):
        sc.Mesh(np.eye(3), [[0, 1, 2]], faces)


@pytest.mark.parametrize("name", [5, b"lamp", ["lamp"], True])
def test_a_name_that_is_no_text_is_refused(name):
    scene = a_scene()
    for call in (
        lambda: scene.add(a_mesh(), name=name),
        lambda: scene.add_many(a_mesh(), [np.eye(4)], [name]),
        lambda: scene.replace(0, name=name),
        lambda: scene.named(name),
    ):
        with pytest.raises(errors.DtypeError, match=r"names?( 0)? must be a str"):
            call()
    assert len(scene) == 2


def test_masks_and_sets_name_triangles_and_instances_alike():
    mesh, scene = a_mesh(), a_scene()
    ray = (0.25, 0.5, 5), DOWN
    top = mesh.ray_cast(*ray).triangle
    mask = np.arange(12) == top
    for named in ({top}, [top], mask, frozenset({top}), {top: "a"}.keys()):
        assert mesh.ray_cast(*ray, exclude=named).triangle != top
        assert mesh.ray_cast(*ray, only=named).triangle == top
    for named in ({0}, [0], np.array([True, False]), frozenset({0}), np.array([0])):
        assert scene.ray_cast(*ray, exclude=named).instance == 1
        assert scene.ray_cast(*ray, only=named).instance == 0


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: sc.PolygonMesh(np.eye(3), [0, 1, 2], 3, split=5), "split"),
        (lambda: a_mesh().build(progress=5), "progress"),
        (lambda: a_mesh().build_in_thread(progress=5), "progress"),
        (lambda: polygons().build(progress="x"), "progress"),
    ],
)
def test_what_cannot_be_called_is_one_mistake_with_one_error(call, name):
    with pytest.raises(
        errors.DtypeError, match=f"{name} must be callable or None, not an? (int|str)"
    ):
        call()


def test_places_and_hits_say_in_the_same_word_whether_they_are_there():
    mesh = a_mesh()
    assert mesh.cast_rays([(0, 0, 5)], DOWN).hit.tolist() == [True]
    near = mesh.closest_point([(0, 0, 5)], 1)
    assert near.hit.tolist() == [False]
    with pytest.warns(DeprecationWarning, match=r"use ClosestPoints\.hit"):
        assert near.found.tolist() == [False]


def test_old_names_of_polygons_and_instances_work_and_name_the_new_ones():
    mesh = polygons()
    with pytest.warns(DeprecationWarning, match="triangle_vertices"):
        assert mesh.vertices_of(1).tolist() == mesh.triangle_vertices(1).tolist()
    with pytest.warns(DeprecationWarning, match="split_face"):
        assert mesh.split(0).tolist() == mesh.split_face(0).tolist()
    instance = a_scene()[1]
    with pytest.warns(DeprecationWarning, match="linear_inverse"):
        assert instance.inverse.tolist() == instance.linear_inverse.tolist()


def test_a_placeable_can_be_written_with_what_is_exported():
    """A ball, by the closest of its two roots; types of the queries are those of `extension`."""
    from standalone_core.extension import LoneRay, RayBatch

    class Ball(sc.Placeable):
        revision, engine = 0, "auto"
        bounds = (np.full(3, -1.0), np.full(3, 1.0))

        def _cast(self, ray: LoneRay) -> list[sc.Hit]:
            roots = sc.Sphere((0, 0, 0), 1).intersect_ray(sc.Ray(ray.origin, ray.direction))
            if roots is None or roots[0] > ray.limit:
                return []
            point = sc.Ray(ray.origin, ray.direction).at(roots[0])
            weights = np.array((1.0, 0, 0))
            return [sc.Hit(roots[0], point, point, 0, 0, weights, True, 0)]

        def _cast_many(self, rays: RayBatch):
            raise NotImplementedError

    scene = sc.Scene()
    scene.add(Ball(), [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    hit = scene.ray_cast((5, 0, 3), DOWN)
    assert (hit.distance, hit.point.tolist()) == (2, [5, 0, 1])


def test_instances_are_asked_for_by_a_name_and_the_error_says_how():
    scene = a_scene()
    for ask in (
        lambda: scene["far"],
        lambda: scene.cast_rays((0, 0, 5), DOWN, only="far"),
        lambda: scene.cast_rays((0, 0, 5), DOWN, exclude=["far"]),
        lambda: scene.remove("far"),
    ):
        with pytest.raises(errors.UnknownInstanceError, match=r"'far': ids are .* `named` finds"):
            ask()
    assert scene.cast_rays((0, 0, 5), DOWN, only=scene.named("far")).instance == 1


def test_an_instance_is_replaced_by_nothing():
    scene = a_scene()
    with pytest.raises(errors.ArgumentError, match="a mesh or a name is needed"):
        scene.replace(0)


def test_a_scene_tells_what_is_in_it():
    scene = a_scene()
    assert (0 in scene, np.int64(1) in scene, 2 in scene, "near" in scene, True in scene) == (
        *(True, True),
        *(False, False, False),
    )


def test_faces_and_ids_seemed_to_take_other_numbers():
    for array in (a_mesh().faces, a_scene().ids):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 9


def test_the_triangles_of_hits_are_excluded_misses_and_all():
    mesh = a_mesh()
    hits = mesh.cast_rays([(0, 0, 5), (9, 9, 5)], DOWN)
    with pytest.raises(errors.IndexRangeError, match="-1, that of a miss, but there are 12"):
        mesh.cast_rays((0, 0, 5), DOWN, exclude=hits.triangle)


def test_weights_and_pixels_at_the_ends_of_float64_warn_of_nothing():
    weights = sc.triangle.barycentric((1e308, 1e308, 0), (0, 0, 0), (1, 0, 0), (0, 1, 0))
    assert weights[1:].tolist() == [1e308, 1e308]
    projection = [[1.5, 0, 0, 0], [0, 2, 0, 0], [0, 0, -1.001, -0.1001], [0, 0, -1, 0]]
    camera = sc.Camera(np.eye(4), projection, 64, 48)
    for size in (1.0, 1e150, 1e300, 1e308):
        x, y, depth = camera.project((size, size, size))
        assert (x, y) == pytest.approx((32 - 48, 24 - 48))
        assert depth == pytest.approx(1.001 if size > 1 else 1.1011)


def test_what_came_into_a_scene_between_two_masks_broke_the_query():
    """A generator that adds as it goes stands for another thread that does."""
    scene, mesh = a_scene(), a_mesh()

    def adding():
        scene.add(mesh)
        yield 1

    hit = scene.ray_cast((0.25, 0.5, 5), DOWN, exclude=[0], only=adding())
    assert hit.instance == 1
    assert scene.ray_cast((0.25, 0.5, 5), DOWN, exclude=adding(), only=[0]).instance == 0


@each_caster
def test_a_generator_names_what_is_left_out(make):
    first = make().ray_cast((0.25, 0.5, 5), DOWN, only=(each for each in [0, 1]))
    assert first is None or first.instance < 2
    assert not make().any_hit((0.25, 0.5, 5), DOWN, exclude=iter(range(2)), only=iter([0, 1]))


@each_caster
def test_a_generator_that_fails_is_refused_by_name(make):
    with pytest.raises(errors.DtypeError, match="exclude must be a list, not a generator"):
        make().ray_cast((0.25, 0.5, 5), DOWN, exclude=(1 // each for each in (1, 0)))


def test_a_mesh_without_triangles_has_no_sides_to_cull():
    nothing = sc.Mesh([], [])
    assert nothing.ray_cast((0, 0, 5), DOWN, cull=[]) is None
    with pytest.raises(errors.ShapeError, match="not 0: there are 12 triangles"):
        a_mesh().ray_cast((0, 0, 5), DOWN, cull=[])


def test_a_single_row_says_how_it_is_taken_by_itself():
    row = a_mesh().cast_rays((0.25, 0.5, 5), DOWN)
    assert row[()] == a_mesh().ray_cast((0.25, 0.5, 5), DOWN)
    with pytest.raises(errors.IndexRangeError, match=r"a single row, which \[\(\)\] returns"):
        row[0]
    for ask in (len, list):
        with pytest.raises(errors.DtypeError, match=r"a single row, which \[\(\)\] returns"):
            ask(row)


def test_one_row_is_taken_by_its_number_and_several_by_a_list():
    rows = a_mesh().cast_rays([(0.25, 0.5, 5), (9, 9, 5)], DOWN)
    with pytest.raises(errors.DtypeError, match=r"rows must be a list of indices, .* not 0"):
        rows.take(0)
    with pytest.raises(errors.DtypeError, match=r"row must name one of the rows \(2,\), not \(\)"):
        rows.reason()


def test_an_error_of_a_scene_names_the_scene():
    with pytest.raises(TypeError, match=r"^Scene\.__init__"):
        sc.Scene([a_mesh()])
