# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the arguments of the API; each raises ArgumentError for what cannot be used."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, TypeVar

import bpy
import numpy as np

from ..standalone_core.extension import (
    ArgumentError,
    Border,
    IndexRangeError,
    described,
    instance_of,
    is_one_of,
    iterable,
)
from .hit_objects import named_object

Viewport: TypeAlias = bpy.types.SpaceView3D | None

Choice: TypeAlias = str | bpy.types.Object | bpy.types.Collection
Choices: TypeAlias = Choice | Iterable[Choice] | None
"""Objects, collections or names, one or many. Objects come before collections of the same name."""

Visibility: TypeAlias = Literal["viewport", "render"]
"""What can be hit: what viewports show, or what renders show."""

_AnyID = TypeVar("_AnyID", bound=bpy.types.ID)

_INT32 = np.iinfo(np.int32)
"""The range of Blender's integers."""


def listed(choices: Choices, argument: str) -> list[Choice]:
    """What is chosen, as a list."""
    if choices is None:
        return []
    if isinstance(choices, Iterable) and not isinstance(choices, (str, bpy.types.ID)):
        return [*iterable(choices, argument)]
    return [choices]


def addresses(choices: Choices, argument: str) -> frozenset[int]:
    """Addresses of the original objects that are chosen, those of collections included."""
    given = listed(choices, argument)
    return frozenset(each.as_pointer() for one in given for each in _objects(one, argument))


def _objects(choice: Choice, argument: str) -> Iterable[bpy.types.Object]:
    if isinstance(choice, str):
        choice = _named(text(choice, argument))
    if isinstance(choice, bpy.types.Collection):
        return _original(choice, f"one of {argument}").all_objects
    if not isinstance(choice, bpy.types.Object):
        raise ArgumentError(
            f"each of {argument} must be an object, a collection or a name, not {described(choice)}"
        )
    return [_original(choice, f"one of {argument}")]


def _named(name: str) -> bpy.types.Object | bpy.types.Collection:
    """The object or else the collection of a name, of this file before those of libraries."""
    both: list[Any] = [bpy.data.objects, bpy.data.collections]
    found: bpy.types.Object | bpy.types.Collection
    for found in (named.get(key) for named in both for key in ((name, None), name)):
        if found is not None:
            return found
    raise ArgumentError(f"there is no object or collection {described(name)}")


def index(value: int | None, name: str) -> int | None:
    """Check an integer, or None."""
    return None if value is None else _integer(value, name)


def persistent_id(value: Iterable[int]) -> tuple[int, ...]:
    """Check the id of an instance."""
    return tuple(_integer(each, "each number of instance") for each in iterable(value, "instance"))


def flag(value: bool, name: str) -> bool:
    """Check a truth value, which may be an integer: 0 is False."""
    if not isinstance(value, (bool, int, np.bool_)):
        raise ArgumentError(f"{name} must be True or False, not {described(value)}")
    return bool(value)


def checked_visibility(value: Visibility) -> Visibility:
    """Check what can be hit."""
    if not is_one_of(value, "viewport", "render"):
        raise ArgumentError(f'visibility must be "viewport" or "render", not {described(value)}')
    return value


def checked_border(value: Border) -> Border:
    """Check what happens to rays exactly through a border."""
    one_of(value, ("open", "closed"), "border")
    return value


def text(value: str, name: str) -> str:
    """Check a string that Blender can search for."""
    if not isinstance(value, str):
        raise ArgumentError(f"{name} must be a text, not {described(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{name} has characters that no text of Blender has") from None
    return value


def optional_text(value: str | None, name: str) -> str | None:
    """Check a text, or None."""
    return None if value is None else text(value, name)


def frames(values: Iterable[float]) -> Iterator[float]:
    """Check frames one after the other: there may be too many for the memory."""
    try:
        return map(_frame, iter(values))
    except TypeError:
        raise ArgumentError(f"frames must be a list, not {described(values)}") from None


def one_of(value: str, names: Iterable[str], argument: str) -> str:
    """Check that a value is one of the names."""
    known = [*names]
    if not isinstance(value, str) or value not in known:
        raise ArgumentError(f"{argument} must be one of {', '.join(known)}, not {described(value)}")
    return value


def viewport(space: Viewport) -> Viewport:
    """Check a viewport, or None."""
    return None if space is None else instance_of(space, bpy.types.SpaceView3D, "space")


def object_in(context: bpy.types.Context, value: str | bpy.types.Object) -> bpy.types.Object:
    """The original of an object, given itself or by name; the context is checked too."""
    obj = original_object(value)
    instance_of(context, bpy.types.Context, "context")
    return obj


def original_object(
    value: str | bpy.types.Object, library: str | None = None, argument: str = "object"
) -> bpy.types.Object:
    """The original of an object, given itself or by name, perhaps of a library."""
    if not isinstance(value, str):
        return _original(instance_of(value, bpy.types.Object, argument), argument)
    text(value, "the name of an object")
    found = named_object(value, None if library is None else instance_of(library, str, "library"))
    if found is None and library is None:
        found = bpy.data.objects.get(value)
    if found is None:
        which = "" if library is None else f" of the library {described(library)}"
        raise ArgumentError(f"there is no object {described(value)}{which}")
    return found


def _original(value: _AnyID, argument: str) -> _AnyID:
    try:
        return value.original
    except ReferenceError:
        raise ArgumentError(f"{argument} has been removed") from None


def _integer(value: int, name: str) -> int:
    try:
        number = operator.index(value)
    except Exception as error:  # whatever the caller's object raises
        raise ArgumentError(f"{name} must be an integer, not {described(value)}") from error
    if not _INT32.min <= number <= _INT32.max:
        raise IndexRangeError(f"{name} is beyond the integers of Blender: {described(number)}")
    return number


def _frame(value: float) -> float:
    """A frame that Blender can be set to."""
    try:
        frame = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"each of frames must be a number, not {described(value)}") from None
    if not abs(frame) < 1e6:
        raise ArgumentError(f"there is no frame {described(value)}")
    return frame


def file_path(value: str | os.PathLike[str]) -> str:
    """Check a path, and replace ``//`` at its start by the folder of the open file."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(os.fspath(value), str):
        raise ArgumentError(f"path must be a path, not {described(value)}")
    return bpy.path.abspath(os.fspath(value))
