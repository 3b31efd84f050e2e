# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of what callers of the API give; each raises ArgumentError for what cannot be used."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import bpy

from ..standalone_core.arguments import instance_of, iterable
from ..standalone_core.errors import ArgumentError


def addresses(objects: Iterable[str | bpy.types.Object]) -> frozenset[int]:
    """Addresses of original objects that are given by themselves or by their names."""
    if isinstance(objects, str):
        raise ArgumentError(f"exclude must be a list of objects or names, not {objects!r}")
    return frozenset(object_named(each).as_pointer() for each in iterable(objects, "exclude"))


def index(given: int | None, name: str) -> int | None:
    """Check an integer."""
    try:
        return None if given is None else operator.index(given)
    except TypeError:
        raise ArgumentError(f"{name} must be an integer, not {given!r}") from None


def object_named(given: str | bpy.types.Object, library: str | None = None) -> bpy.types.Object:
    """The original object that is given by itself or by its name, and that of its library."""
    if not isinstance(given, str):
        try:
            return instance_of(given, bpy.types.Object, "each object").original
        except ReferenceError:
            raise ArgumentError("object has been removed") from None
    if library is not None and not isinstance(library, str):
        raise ArgumentError(f"library must be the path of a file, not {library!r}")
    found = bpy.data.objects.get((given, library))
    if found is None and library is None:
        found = bpy.data.objects.get(given)
    if found is None:
        which = "" if library is None else f" of the library {library!r}"
        raise ArgumentError(f"there is no object {given!r}{which}")
    return found
