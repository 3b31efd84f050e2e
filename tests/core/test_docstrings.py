# SPDX-License-Identifier: GPL-3.0-or-later
"""What is public is documented, with an example; the examples run in test_package.py."""

import inspect

import pytest

from .public import DOCUMENTED, MODULES, NAMES

WITHOUT_EXAMPLE = {
    "errors.DegenerateError",
    "triangle.watertight_many",
    "errors.DtypeError",
    "errors.ShapeError",
    "thread_count",
    "errors.IndexRangeError",
    "errors.UnknownInstanceError",
    "errors.ArgumentError",
    "triangle.moller_trumbore_many",
    "EngineWarning",
    "bvh.Tree",
    "triangle.plane_parametric_many",
    "triangle.TriangleHit",
    "compiled.State",
    "Triangles",
    "triangle.watertight",
    "Placeable",
    "compile",
    "ClosestPoints",
    "triangle.moller_trumbore_segments",
    "triangle.plane_parametric",
    "triangle.moller_trumbore",
    "triangle.contains_barycentric",
    "compiled.compile",
    "errors.DirectionError",
    "triangle.plane_parametric_segments",
    "TreeBuild",
    "triangle.contains_same_side",
    "Region",
    "bvh.validate",
    "errors.MeshFileError",
    "triangle.watertight_segment",
    "TriangleHit",
    "errors.RaypickError",
    "triangle.plane_parametric_segment",
    "Instance",
    "triangle.moller_trumbore_segment",
    "errors.SingularMatrixError",
    "triangle.watertight_segments",
    "triangle.TriangleHits",
    "RaypickError",
    "triangle.barycentric",
    "Hit",
    "bvh.over_boxes",
    "triangle.contains_angle_sum",
    "errors.NonFiniteError",
    "RayHits",
    "errors.EngineError",
    "bvh.sah_cost",
    "MeshStats",
}


def members(cls):
    """The public methods and properties of a class that the core defines."""
    for name in dir(cls):
        static = inspect.getattr_static(cls, name)
        is_own = any(
            name in vars(base) and base.__module__.startswith("standalone_core")
            for base in cls.__mro__
        )
        described = isinstance(static, property) or callable(getattr(cls, name))
        if is_own and described and not name.startswith("_"):
            yield name, getattr(cls, name)


def documented_members():
    return {
        f"{owner}.{name}": member
        for owner, cls in DOCUMENTED.items()
        if inspect.isclass(cls)
        for name, member in members(cls)
    }


def test_the_public_names_are_found():
    assert {"Mesh", "triangle.watertight", "errors.ShapeError", "bvh.Tree"} <= set(DOCUMENTED)
    assert {"Mesh.ray_cast", "Scene.ray_cast", "Camera.width"} <= set(documented_members())


@pytest.mark.parametrize("name", MODULES)
def test_a_public_module_has_a_docstring(name):
    assert MODULES[name].__doc__


def test_every_class_and_function_has_a_docstring_of_its_own():
    bare = {
        name
        for name, thing in DOCUMENTED.items()
        if not (vars(thing) if inspect.isclass(thing) else {"__doc__": thing.__doc__})["__doc__"]
    }
    assert bare == set()


def test_every_method_and_property_has_a_docstring():
    assert {name for name, member in documented_members().items() if not member.__doc__} == set()


def test_every_class_and_function_has_an_example():
    lacking = {name for name, thing in DOCUMENTED.items() if ">>>" not in (thing.__doc__ or "")}
    assert lacking == WITHOUT_EXAMPLE
    assert set(NAMES) >= WITHOUT_EXAMPLE
