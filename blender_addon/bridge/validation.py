# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what callers of the API give; each raises ArgumentError for what cannot be used."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import bpy
import numpy as np

from ..standalone_core.extension import (
    ArgumentError,
    IndexRangeError,
    described,
    instance_of,
    iterable,
)
from .hit_objects import named_object

_INTEGERS = 2**31
"""Blender's integers are below this, and not below its negative."""


def addresses(objects: Iterable[str | bpy.types.Object]) -> frozenset[int]:
    """Addresses of original objects that are given by themselves or by their names."""
    if isinstance(objects, str):
        raise ArgumentError(f"exclude must be a list of objects or names, not {described(objects)}")
    return frozenset(object_named(each).as_pointer() for each in iterable(objects, "exclude"))


def index(given: int | None, name: str) -> int | None:
    """Check an integer that need not be given."""
    return None if given is None else required_index(given, name)


def required_index(given: int, name: str) -> int:
    """Check an integer that must be given."""
    try:
        number = operator.index(given)
    except Exception as error:  # whatever the caller's object raises
        raise ArgumentError(f"{name} must be an integer, not {described(given)}") from error
    if not -_INTEGERS <= number < _INTEGERS:
        raise IndexRangeError(f"{name} is beyond the integers of Blender: {described(number)}")
    return number


def persistent_id(given: Iterable[int]) -> tuple[int, ...]:
    """Check the id of an instance."""
    return tuple(
        required_index(each, "each number of instance") for each in iterable(given, "instance")
    )


def flag(given: bool, name: str) -> bool:
    """Check what is to be True or False; of integers, 0 alone is False."""
    if not isinstance(given, (bool, int, np.bool_)):
        raise ArgumentError(f"{name} must be True or False, not {described(given)}")
    return bool(given)


def text(given: str, name: str) -> str:
    """Check a text that Blender can look for."""
    if not isinstance(given, str):
        raise ArgumentError(f"{name} must be a text, not {described(given)}")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{name} has characters that no text of Blender has") from None
    return given


def space_given(given: bpy.types.SpaceView3D | None) -> bpy.types.SpaceView3D | None:
    """Check a viewport."""
    return None if given is None else instance_of(given, bpy.types.SpaceView3D, "space")


def object_named(given: str | bpy.types.Object, library: str | None = None) -> bpy.types.Object:
    """The original object that is given by itself or by its name, and that of its library."""
    if not isinstance(given, str):
        try:
            return instance_of(given, bpy.types.Object, "object").original
        except ReferenceError:
            raise ArgumentError("object has been removed") from None
    text(given, "the name of an object")
    found = named_object(given, None if library is None else instance_of(library, str, "library"))
    if found is None and library is None:
        found = bpy.data.objects.get(given)
    if found is None:
        which = "" if library is None else f" of the library {described(library)}"
        raise ArgumentError(f"there is no object {described(given)}{which}")
    return found
