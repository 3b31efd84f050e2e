# SPDX-License-Identifier: GPL-3.0-or-later
"""Values never change, and are equal by what they hold."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields
from math import inf, nan

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import Box, Plane, Ray, Sphere, errors, triangle
from standalone_core.numerics.values import Value

from ..cameras import orthographic, perspective
from .test_read_only import WAYS


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
    "TriangleHit": lambda: triangle.watertight(sc.Ray((1, 1, 5), (0, 0, -1)), *CORNERS),
    "TriangleHits": lambda: triangle.watertight_many((1, 1, 5), (0, 0, -1), *CORNERS),
    "Instance": lambda: sc.Instance(mesh(), np.eye(4), np.eye(3), None),
    "MeshStats": lambda: mesh().stats,
    "State": sc.compiled.state,
    "Tree": lambda: built(mesh()).tree,
}
CORNERS = (0, 0, 0), (4, 0, 0), (0, 4, 0)


def mesh():
    return sc.Mesh(CORNERS, [[0, 1, 2]])


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
