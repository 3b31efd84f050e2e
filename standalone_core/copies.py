# SPDX-License-Identifier: MIT
"""Values of another copy of this package in the same process.

An extension of Blender may bring the core as a wheel, and meet the one inside of Raypick: classes
of the same names, and yet others. What crosses by value has a method ``__raypick__``. It returns
the name of its class, and the arguments that make an equal value of any copy.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from .concurrency.forks import Lock
from .errors import DtypeError
from .numerics.reading import kind_of, with_article

T = TypeVar("T")

Plain = tuple[str, dict[str, Any]]
"""The name of a class, and arguments that make a value of it."""

# What was made of meshes of other copies, and of which revision, so that a mesh that is placed
# often is one mesh here, too.
_made: WeakKeyDictionary[Any, tuple[int, Any]] = WeakKeyDictionary()
_noting = Lock()


def of_this_copy(value: Any, kind: type[Any]) -> Any:
    """Turn a value of another copy into an equal `kind` of this one; leave others as they are.

    DtypeError if the other copy is of a version whose values have other arguments.
    """
    plain = None if isinstance(value, kind) else getattr(type(value), "__raypick__", None)
    if plain is None:
        return value
    revision = getattr(value, "revision", None)  # of a mesh, before its vertices are read
    if revision is None:
        return _made_of(value, kind, plain(value))
    with _noting.here:
        known = _made.get(value)
    if known is None or known[0] != revision or not isinstance(known[1], kind):
        known = revision, _made_of(value, kind, plain(value))
        with _noting.here:
            _made[value] = known
    return known[1]


def taken_over(value: Any, kind: type[T], name: str, wanted: str = "") -> T:
    """As :func:`of_this_copy`, or DtypeError if that is no `kind`; it names two copies if so."""
    own = of_this_copy(value, kind)
    if isinstance(own, kind):
        return own
    wanted, given = wanted or with_article(kind.__name__), kind_of(value)
    if kind.__name__ in (each.__name__ for each in type(value).__mro__):
        wanted, given = f"{wanted} of {_copy_of(kind)}", f"{given} of {_copy_of(type(value))}"
    raise DtypeError(f"{name} must be {wanted}, not {given}")


def by_fields(value: Any) -> Plain:
    """The method ``__raypick__`` of dataclasses that are made of their fields."""
    return type(value).__name__, {each.name: getattr(value, each.name) for each in fields(value)}


def _made_of(value: Any, kind: type[Any], plain: Plain) -> Any:
    name, content = plain
    found = next((each for each in _with_subclasses(kind) if each.__name__ == name), None)
    if found is None:
        return value
    try:
        return getattr(found, "_of_plain", found)(**content)
    except TypeError as error:
        here, there = _copy_of(found), _copy_of(type(value))
        raise DtypeError(
            f"{with_article(name)} of {there} cannot cross to {here}: {error}"
        ) from None


def _with_subclasses(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _with_subclasses(each)


def _copy_of(kind: type[Any]) -> str:
    """The package that a class belongs to, with its version and folder."""
    package = kind.__module__
    while package and not hasattr(sys.modules.get(package), "__version__"):
        package = package.rpartition(".")[0]
    home = sys.modules.get(package)
    if home is None:
        return kind.__module__
    known = getattr(sys.modules.get(kind.__module__), kind.__name__, kind)
    when = "" if known is kind else " before it was loaded anew"
    folder = os.path.dirname(getattr(home, "__file__", None) or "")
    return f"{package} {home.__version__} ({folder}){when}"
