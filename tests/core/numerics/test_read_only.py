# SPDX-License-Identifier: GPL-3.0-or-later
"""What is handed out cannot be used to break what is inside: it is read-only, or a copy."""

import copy
import io
import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import triangle
from standalone_core.numerics.values import DeprecatedAlias

from ..public_calls import CORNERS, MATRIX, NOT_ASKED, RAY, RAYS, Things, all_calls, public_methods

ANSWERS = {"ray_hits", "triangles", "closest_points", "tree_build"}
THINGS = sorted(name for name in vars(Things) if not name.startswith("_") and name not in ANSWERS)

WAYS = {
    "as made": lambda thing: thing,
    "pickled": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copied": copy.copy,
    "deeply copied": copy.deepcopy,
}


CHANGES = {"add", "add_many", "remove", "remove_many", "set_matrix", "build_in_thread"}
"""Methods whose second call does not answer as the first."""


def attributes(thing):
    """All that a thing has under public names, but for methods."""
    for name in dir(thing):
        known = getattr(type(thing), name, None)
        if not (name.startswith("_") or callable(known) or isinstance(known, DeprecatedAlias)):
            yield name, getattr(thing, name)


def arrays(value, path=""):
    """All arrays of a value and of what it has, with their paths."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            yield from arrays(each, f"{path}[{place}]")
    elif isinstance(value, dict):
        yield from arrays(list(value.values()), path)
    if type(value).__module__.startswith("standalone_core"):
        for name, each in attributes(value):
            yield from arrays(each, f"{path}.{name}")


def same(one, other):
    """Whether two answers are the same, whatever they are made of."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) and one.dtype.names:
        return all(same(one[name], other[name]) for name in one.dtype.names)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other) or repr(one) == repr(other)


def scribble(value):
    """Write nonsense to all arrays of a value that can be written to."""
    for _, array in list(arrays(value)):
        if array.flags.writeable:
            array[...] = 123 if array.dtype.kind in "iu" else -9.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", THINGS)
def test_arrays_of_public_attributes_are_read_only_or_copies(name, way):
    thing = WAYS[way](getattr(Things(), name)())
    paths = dict(arrays(thing))
    again = dict(arrays(thing))
    assert paths.keys() == again.keys()
    for path, array in paths.items():
        is_copy = path in again and not np.shares_memory(array, again[path])
        assert not array.flags.writeable or (is_copy and array.size), f"{name}{path}"


RECORDS = {
    "hit": lambda: Things().mesh().ray_cast(*RAY.values()),
    "hit of a batch": lambda: Things().ray_hits()[0],
    "hit in a scene": lambda: Things().scene().ray_cast(*RAY.values()),
    "triangle hit": lambda: triangle.watertight(sc.Ray(*RAY.values()), **CORNERS),
    "triangle hit of another test": lambda: triangle.moller_trumbore(
        sc.Ray(*RAY.values()), **CORNERS
    ),
    "hit of a segment": lambda: triangle.watertight_segment((1, 1, 5), (1, 1, -5), **CORNERS),
    "triangle hits": lambda: triangle.watertight_many(*RAYS.values(), **CORNERS),
    "ray hits": lambda: Things().ray_hits(),
    "all ray hits": lambda: Things().scene().cast_rays_all(*RAYS.values())[0],
    "ray hits of an array": lambda: sc.RayHits.from_structured(Things().ray_hits().as_structured()),
    "closest point": lambda: Things().closest_points()[0],
    "closest points": lambda: Things().closest_points(),
    "all closest points": lambda: Things().mesh().closest_point_all([(0, 0, 1.0)])[0],
    "surface path": lambda: Things().surface_path(),
    "triangles": lambda: Things().triangles(),
    "triangles of polygons": lambda: Things().polygon_mesh().triangles_in(Things().region()),
    "triangles of a scene": lambda: Things().scene().triangles_in(Things().region()),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", RECORDS)
def test_arrays_of_the_fields_of_answers_are_read_only(name, way):
    record = WAYS[way](RECORDS[name]())
    held = [getattr(record, field.name) for field in fields(record)]
    held = [value for value in held if isinstance(value, np.ndarray)]
    assert held
    assert not any(array.flags.writeable for array in held)


def test_every_public_class_with_arrays_is_among_them():
    classes = {name for name in sc.__all__ if isinstance(getattr(sc, name), type)}
    known = {type(getattr(Things(), name)()).__name__ for name in (*THINGS, *ANSWERS)}
    others = {"RaypickError", "EngineWarning", "Placeable", "MeshStats", "TriangleHit"}
    others |= {"Hit", "ClosestPoint"}  # rows of those that are known
    others |= {"Rays"}  # a plain tuple of what is the caller's own
    assert classes - known == others


def test_every_public_method_is_asked():
    for maker in (*THINGS, *ANSWERS):
        cls = type(getattr(Things(), maker)())
        alike = {each for each in (*THINGS, *ANSWERS) if type(getattr(Things(), each)()) is cls}
        calls = (call.rpartition(".") for call in all_calls())
        asked = {method for owner, _, method in calls if owner in {*alike, cls.__name__}}
        assert public_methods(cls) - NOT_ASKED.get(cls.__name__, set()) <= asked, maker


@pytest.mark.parametrize("name", all_calls())
def test_an_answer_that_is_written_to_changes_no_later_answer(name, engine):
    make, given = all_calls(engine)[name]
    ask = make()
    reference = copy.deepcopy(make()(**given)) if "thread" not in name else None
    first = ask(**given)
    if name.split(".")[1] in CHANGES:
        return
    assert same(first, reference)
    scribble(first)
    assert same(ask(**given), reference)


@pytest.mark.parametrize("name", ["mesh", "built_mesh", "polygon_mesh", "built_polygons", "scene"])
def test_all_that_can_be_written_to_changes_no_cast(name, engine):
    thing = getattr(Things(engine), name)()
    before = copy.deepcopy(thing.cast_rays_all(*RAYS.values()))
    for _ in range(2):
        scribble(thing)
        assert same(thing.cast_rays_all(*RAYS.values()), before)
        placed = sc.Scene()
        if name != "scene":
            placed.add(thing)
            assert placed.ray_cast(*RAY.values()) is not None


def test_what_is_given_is_not_kept_but_for_vertices_and_triangles():
    """Whoever changes them later changes nothing inside."""
    matrix, planes, projection = MATRIX.copy(), np.eye(4), np.diag([1.0, 1, -0.1, 1])
    scene, faces = sc.Scene(), np.array([5, 6, 7])
    mesh = sc.Mesh(np.eye(3), [[0, 1, 2]] * 3, faces)
    scene.add(mesh, matrix)
    scene.add_many(mesh, matrix[None])
    scene.set_matrix(0, matrix)
    instance = sc.Instance(mesh, matrix, projection[:3, :3], None)
    camera = sc.Camera(matrix, projection, 10, 10)
    region = sc.Region.of(planes)
    parts = (
        *(instance.matrix, instance.linear_inverse),
        *(scene[0].matrix, scene[1].matrix, camera.view, camera.projection, mesh.faces),
        *(region.planes, region.sizes),
    )
    before = copy.deepcopy(parts)
    for array in (matrix, planes, projection, faces):
        array += 5
    assert same(parts, before)


@pytest.mark.parametrize("way", WAYS)
def test_nobody_makes_the_matrices_of_an_instance_writeable(way):
    scene, mesh = sc.Scene(), sc.Mesh(np.eye(3), [[0, 1, 2]])
    scene.add(mesh, MATRIX)
    scene.add_many(mesh, [MATRIX, MATRIX])
    scene.add_many(mesh, [MATRIX.T], convention="direct3d")
    scene.set_matrices([1], [MATRIX])
    built = sc.Instance(mesh, MATRIX, np.eye(3), None)
    for instance in (*(scene[key] for key in scene), built):
        for array in (WAYS[way](instance).matrix, WAYS[way](instance).linear_inverse):
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.flags.writeable = True


def test_the_matrices_of_many_instances_are_parts_of_one_copy():
    scene = sc.Scene()
    ids = scene.add_many(sc.Mesh(np.eye(3), [[0, 1, 2]]), [MATRIX, MATRIX])
    first, second = (scene[key] for key in ids)
    assert first.matrix.base is second.matrix.base is not None
    assert first.linear_inverse.base is second.linear_inverse.base is not None


def test_without_copies_vertices_and_triangles_are_those_of_the_caller():
    vertices, triangles = np.eye(3), np.array([[0, 1, 2]], dtype=np.int32)
    mesh = sc.Mesh(vertices, triangles, copy=False)
    assert np.shares_memory(mesh.vertices, vertices)
    assert np.shares_memory(mesh.triangles, triangles)
    assert vertices.flags.writeable
    assert triangles.flags.writeable


def test_what_is_loaded_is_read_only():
    file = io.BytesIO()
    Things().built_mesh().save(file)
    file.seek(0)
    for path, array in arrays(sc.Mesh.load(file)):
        assert not array.flags.writeable, path
