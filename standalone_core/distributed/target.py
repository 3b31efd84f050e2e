# SPDX-License-Identifier: MIT
"""What every chunk of rays is cast at, and how: one task of a plan, sent once to each worker."""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np

from .. import arguments
from ..arguments import Selection
from ..cast.caster import Caster
from ..concurrency.threads import ThreadLimit
from ..errors import ArgumentError, DtypeError
from .packages import dask_delayed
from .sources import Source, caster_of, source_of
from .thread_share import threads_here


class Target:
    """A source of a mesh or scene, with the arguments of casts that all rays share."""

    def __init__(self, source: Source, options: dict[str, Any], threads: int | None) -> None:
        self.source = source
        self.options = options
        self.threads = threads

    @contextmanager
    def caster(self) -> Iterator[Caster]:
        """What to cast at, while this task holds the threads that it may use."""
        with threads_here(self.threads) as threads, ThreadLimit(threads):
            yield caster_of(self.source)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sys.getsizeof(self.source)


def planned(
    mesh: Any,
    cull: Any,
    exclude: Selection,
    only: Selection,
    threads: int | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """A target as a delayed value; what is wrong without looking at rays is an error at once.

    `more` are further options of what is done with each chunk.
    """
    with ThreadLimit(threads):  # an error, if it is no number of threads
        pass
    shared = {"cull": _listed(cull), "exclude": _listed(exclude), "only": _listed(only)}
    if isinstance(mesh, Caster):
        none = np.empty((0, 3))
        mesh.cast_rays(none, none, **shared)
    elif isinstance(cull, str):
        arguments.cull_sign(cull)  # type: ignore[arg-type]
    words = _pickled({**shared, **more})
    # The caller's arrays may change after this; those of the plan must not.
    target = Target(source_of(mesh), pickle.loads(words), threads)
    named = pickle.dumps((target.source.digest, words, threads), protocol=5)
    name = hashlib.blake2b(named, digest_size=16).hexdigest()
    return dask_delayed()(target, name=f"raypick-target-{name}", traverse=False)


def _pickled(options: dict[str, Any]) -> bytes:
    try:
        return pickle.dumps(options, protocol=5)
    except Exception as error:  # whatever the caller's object raises
        names = ", ".join(options)
        raise DtypeError(f"one of {names} cannot be sent to workers: {error}") from error


def _listed(given: Any) -> Any:
    """What was given; an iterator, which could be read once alone, as a list."""
    return list(given) if isinstance(given, Iterator) else given


def chosen(value: Any, choices: tuple[str, ...], name: str) -> str:
    """One of some texts."""
    if not isinstance(value, str):
        raise DtypeError(f"{name} must be a text, not {type(value).__name__}")
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise ArgumentError(f"{name} must be one of {known}, not {value!r}")
    return value
