# SPDX-License-Identifier: GPL-3.0-or-later
"""Values never change, and are equal by what they hold.

What is handed out cannot be used to break what is inside: it is read-only, or a copy.

Deprecated names work as the new ones do, and say what these are.
"""

import copy
import io
import pickle
import warnings
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import Box, Plane, Ray, Sphere, errors, triangle
from standalone_core.numerics.values import DeprecatedAlias, Value, deprecated_alias

from ..cameras import orthographic, perspective
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


FROZEN_RECORDS = {
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
@pytest.mark.parametrize("name", FROZEN_RECORDS)
def test_arrays_of_the_fields_of_answers_are_read_only(name, way):
    record = WAYS[way](FROZEN_RECORDS[name]())
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


def camera(**changes):
    given = {"view": np.eye(4), "projection": perspective(), "width": 64, "height": 48}
    return sc.Camera(**{**given, **changes})


SAME = {
    "Ray": lambda: Ray((0, 0, 5), (1, 2, 3)),
    "Plane": lambda: Plane((1, 2, 3), 4),
    "Sphere": lambda: Sphere((1, 2, 3), 4),
    "Box": lambda: Box((0, 0, 0), (1, 2, inf)),
    "Region": lambda: sc.Region.of([[1, 0, 0, 1], [0, 1, 0, 1]]),
    "Camera": camera,
}

OTHERS = {
    "Ray": [lambda: Ray((0, 0, 5), (1, 2, 4)), lambda: Ray((0, 1, 5), (1, 2, 3))],
    "Plane": [lambda: Plane((1, 2, 3), 5), lambda: Plane((1, 2, 4), 4)],
    "Sphere": [lambda: Sphere((1, 2, 3), 5), lambda: Sphere((1, 2, 4), 4)],
    "Box": [lambda: Box((0, 0, 0), (1, 2, 3)), lambda: Box((0, 0, 1), (1, 2, inf))],
    "Region": [lambda: sc.Region.of([[1, 0, 0, 1]]), lambda: sc.Region.of([[1, 0, 0, 1]] * 2)],
    "Camera": [
        lambda: camera(view=np.diag([2.0, 2, 2, 1])),
        lambda: camera(projection=orthographic()),
        lambda: camera(width=63),
        lambda: camera(height=49),
        lambda: camera(convention="direct3d", projection=perspective().T),
        lambda: camera(offset=(1, 0)),
        lambda: camera(depth_range=(0, 1)),
        lambda: camera(reversed_z=True),
    ],
}

each_value = pytest.mark.parametrize("name", SAME)


def arrays_of(value):
    held = {name: getattr(value, name) for name in dir(value) if not name.startswith("__")}
    return {name: array for name, array in held.items() if isinstance(array, np.ndarray)}


@each_value
def test_values_of_the_same_numbers_are_equal_and_one_key_of_a_dict(name):
    one, other = SAME[name](), SAME[name]()
    assert one is not other
    assert one == other
    assert not one.__ne__(other)
    assert len({one, other}) == 1


@each_value
def test_values_of_other_numbers_differ(name):
    assert len(OTHERS[name]) >= 2
    for make in OTHERS[name]:
        assert SAME[name]() != make()
        assert len({SAME[name](), make(), make()}) == 2


@each_value
@pytest.mark.parametrize("other", [None, 5, "Ray", (0, 0, 5), object()])
def test_a_value_leaves_it_to_others_to_be_equal_to_it(name, other):
    value = SAME[name]()
    assert value.__eq__(other) is NotImplemented
    assert value != other
    assert [value == make() for make in SAME.values()].count(True) == 1


def test_an_array_is_compared_with_a_value_element_by_element():
    assert (np.zeros(3) == Ray((0, 0, 0), (0, 0, 1))).tolist() == [False] * 3


def test_zeros_of_either_sign_are_equal():
    assert Ray((0.0, 0, 5), (0, 0, 1)) == Ray((-0.0, 0, 5), (-0.0, 0, 1))
    assert hash(Plane((0, 0, 1), 0.0)) == hash(Plane((0, 0, 1), -0.0))


class Held(Value):
    """A value of whatever it is given."""

    __slots__ = ("it",)

    def __init__(self, it):
        self._hold(it=it)


@pytest.mark.parametrize("kind", [float, np.float64, lambda x: np.array([1.0, x])])
def test_numbers_that_are_none_are_equal_whatever_their_bits(kind):
    assert Held(kind(nan)) == Held(kind(-nan))
    assert len({Held(kind(nan)), Held(kind(-nan)), Held(kind(1.0))}) == 2
    assert Held(kind(0.0)) == Held(kind(-0.0)) != Held(kind(nan))


@each_value
@pytest.mark.parametrize("way", WAYS)
def test_copies_are_equal_and_cannot_be_changed_either(name, way):
    value = WAYS[way](SAME[name]())
    assert value == SAME[name]()
    assert hash(value) == hash(SAME[name]())
    assert arrays_of(value)
    for held, array in arrays_of(value).items():
        if held != "eye":  # computed for each who asks
            assert_frozen(array)


def assert_frozen(array):
    while isinstance(array, np.ndarray):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
        array = array.base
    assert array is None or isinstance(array, bytes)


@each_value
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_every_protocol_give_the_same_value(name, protocol):
    assert pickle.loads(pickle.dumps(SAME[name](), protocol)) == SAME[name]()


@each_value
def test_to_set_or_delete_an_attribute_is_refused_by_name(name):
    value = SAME[name]()
    public = [each for each in dir(value) if not each.startswith("__")]
    assert public
    for each in [*public, "anything"]:
        for change in (lambda: setattr(value, each, 1), lambda: delattr(value, each)):  # noqa: B023
            with pytest.raises(errors.FrozenError, match=f"{each} cannot be changed: a {name}"):
                change()
    assert value == SAME[name]()


RECORDS = {
    "Hit": lambda: mesh().ray_cast((1, 1, 5), (0, 0, -1)),
    "RayHits": lambda: mesh().cast_rays((1, 1, 5), (0, 0, -1)),
    "ClosestPoints": lambda: mesh().closest_point((1, 1, 5)),
    "Triangles": lambda: mesh().triangles_in(SAME["Region"]()),
    "TriangleHit": lambda: triangle.watertight(sc.Ray((1, 1, 5), (0, 0, -1)), *TRIANGLE),
    "TriangleHits": lambda: triangle.watertight_many((1, 1, 5), (0, 0, -1), *TRIANGLE),
    "Instance": lambda: sc.Instance(mesh(), np.eye(4), np.eye(3), None),
    "MeshStats": lambda: mesh().stats,
    "State": sc.compiled.state,
    "Tree": lambda: built(mesh()).tree,
}
TRIANGLE = (0, 0, 0), (4, 0, 0), (0, 4, 0)


def mesh():
    return sc.Mesh(TRIANGLE, [[0, 1, 2]])


def built(made):
    made.build()
    return made


@pytest.mark.parametrize("name", RECORDS)
def test_to_set_or_delete_a_field_of_a_record_is_refused_by_name_too(name):
    record = RECORDS[name]()
    assert type(record).__name__ == name
    before = repr(record)
    words = f"cannot be changed: an? {name} is a value, make a new one"
    for each in [*(field.name for field in fields(record)), "anything"]:
        with pytest.raises(errors.FrozenError, match=f"{each} {words}"):
            setattr(record, each, 1)
        with pytest.raises(errors.FrozenError, match=f"{each} {words}"):
            delattr(record, each)
    assert repr(record) == before


@pytest.mark.parametrize(
    "name", ["Hit", "RayHits", "ClosestPoints", "Triangles", "TriangleHit", "TriangleHits"]
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_of_records_of_every_protocol_are_equal(name, protocol):
    record = RECORDS[name]()
    assert pickle.loads(pickle.dumps(record, protocol)) == record == RECORDS[name]()


def test_an_error_of_a_change_is_the_one_that_python_programmers_expect():
    assert issubclass(errors.FrozenError, AttributeError)
    assert issubclass(errors.FrozenError, FrozenInstanceError)
    assert issubclass(errors.FrozenError, sc.RaypickError)


def test_a_subclass_is_a_value_too_but_not_equal_to_its_base():
    class Sunbeam(Ray):
        """A ray with a name of its own."""

    beam = Sunbeam((0, 0, 5), (0, 0, -1))
    assert beam == Sunbeam((0, 0, 5), (0, 0, -1)) == copy.deepcopy(beam)
    assert beam != Ray((0, 0, 5), (0, 0, -1))
    assert type(copy.copy(beam)) is Sunbeam
    with pytest.raises(errors.FrozenError):
        beam.name = "noon"


def test_reprs_of_simple_values_are_python_that_makes_them_again(rng):
    names = {"Ray": Ray, "Plane": Plane, "Sphere": Sphere, "Box": Box, "inf": inf}
    for _ in range(200):
        a, b = rng.normal(size=(2, 3)) * 10.0 ** rng.integers(-200, 200)
        for value in (
            *(Ray(a, b), Plane(a, b[0]), Plane.from_point_normal(a, b), Sphere(a, abs(b[0]))),
            *(Box(np.minimum(a, b), np.maximum(a, b)), Box.bounding([a]), Box(a, (inf,) * 3)),
        ):
            assert eval(repr(value), names) == value


def test_reprs_of_large_values_say_what_they_are_in_a_line():
    assert repr(camera()) == "<Camera perspective 64 x 48 opengl>"
    assert repr(SAME["Region"]()) == "<Region between 2 planes>"


class Base:
    @property
    def hit(self):
        return "hit"

    def casts(self, *rays, cull=None):
        return rays, cull

    found = deprecated_alias("found", "hit", since="0.2")
    cast = deprecated_alias("cast", "casts", since="1.3")


class Derived(Base):
    @property
    def hit(self):
        return "derived"


@dataclass(frozen=True, slots=True)
class Record:
    distance: float
    length = deprecated_alias("length", "distance", since="0.2")


def test_an_old_attribute_has_the_value_of_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"^Base.found is deprecated since 0.2: use Base"):
        assert Base().found == "hit"


def test_an_old_method_takes_the_arguments_of_the_new_one():
    with pytest.warns(DeprecationWarning, match=r"since 1.3: use Base.casts$"):
        assert Base().cast(1, 2, cull="back") == ((1, 2), "back")


def test_a_subclass_answers_with_its_own_and_is_named():
    with pytest.warns(DeprecationWarning, match=r"^Derived.found .* Derived.hit$"):
        assert Derived().found == "derived"


def test_the_warning_points_to_the_line_that_used_the_old_name():
    with pytest.warns(DeprecationWarning, match="found") as caught:
        Base().found  # noqa: B018
    assert Path(caught[0].filename) == Path(__file__)


def test_a_record_keeps_its_fields_and_can_be_pickled():
    record = pickle.loads(pickle.dumps(Record(2.0)))
    assert list(Record.__dataclass_fields__) == ["distance"]
    with pytest.warns(DeprecationWarning, match="length"):
        assert record.length == 2.0


def test_looking_at_the_class_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        documentation = [getattr(Base, name).__doc__ for name in ("found", "cast")]
    assert documentation == [
        "The old name of ``hit``.\n\n.. deprecated:: 0.2",
        "The old name of ``casts``.\n\n.. deprecated:: 1.3",
    ]
