# SPDX-License-Identifier: GPL-3.0-or-later
"""What is public is documented, with an example; the examples run in test_package.py."""

import inspect
from typing import Any

import pytest

from .public import DOCUMENTED, MODULES


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
    assert lacking == set()


def signatures():
    """The signatures of public functions and methods, of what makes public classes too."""
    calls = {n: v for n, v in {**DOCUMENTED, **documented_members()}.items() if callable(v)}
    for name, call in calls.items():
        try:
            yield name, inspect.signature(call)
        except ValueError:  # of exceptions, as Python makes them
            assert issubclass(call, BaseException)


def test_every_parameter_is_typed_as_what_it_takes():
    untyped = {
        f"{name}({parameter.name})"
        for name, signature in signatures()
        for parameter in signature.parameters.values()
        if parameter.name != "self"
        and parameter.annotation in (Any, "Any", inspect.Parameter.empty)
    }
    assert untyped == set()


def test_every_signature_can_be_read_at_a_prompt():
    """Where annotations are not kept as text, `help` writes all that ArrayLike stands for."""
    too_long = {name for name, signature in signatures() if "Buffer" in str(signature)}
    assert too_long == set()
