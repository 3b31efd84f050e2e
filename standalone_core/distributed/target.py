# SPDX-License-Identifier: MIT
"""The target that all chunks of rays are cast at: a mesh, or its file, loaded once per process.

It is one task of a plan, sent once to each worker.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import arguments
from ..building.buildable import Buildable
from ..cast.caster import Caster
from ..concurrency.forks import Lock
from ..concurrency.threads import ThreadLimit
from ..copies import of_this_copy
from ..errors import ArgumentError, DtypeError, MeshFileError
from ..files import whole_file
from ..numerics.reading import described
from ..scene import Scene
from ..scene_file import load_mesh_or_scene
from .workers import dask, threads_here

_VARIABLE = "RAYPICK_MESH_CACHE"
_BYTES = 1 << 30
# The keyword that includes another file in Abaqus, as meshio reads it.
_INCLUDE = re.compile(rb"^[\s*]*include\b", re.IGNORECASE | re.MULTILINE)


@dataclass(eq=False)
class Target:
    """A source of a mesh or scene, with the arguments of casts that all rays share."""

    source: FileSource | Parcel
    options: dict[str, Any]
    threads: int | None

    @contextmanager
    def caster(self) -> Iterator[Caster]:
        """The mesh or scene with its trees, while this task holds the threads that it may use."""
        with threads_here(self.threads) as threads, ThreadLimit(threads):
            yield meshes.get(self.source.digest, self._make)

    def _make(self) -> Caster:
        caster = self.source.make()
        # The trees of a scene's meshes are built when the first rays reach them.
        if isinstance(caster, Buildable):
            caster.build()
        return caster

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sys.getsizeof(self.source)


def planned(mesh: Any, shared: dict[str, Any], threads: int | None, **more: Any) -> Any:
    """A target as a delayed value; errors that need no rays to be found are raised at once.

    `shared` are the options of :meth:`.Mesh.cast_rays` that all rays share; `more` are further ones
    of the function for each chunk.
    """
    ThreadLimit(threads)  # raises if it is no number of threads
    mesh = of_this_copy(mesh, Caster)
    shared = {name: _listed(given) for name, given in shared.items()}
    if isinstance(mesh, Caster):
        none = np.empty((0, 3))
        mesh.cast_rays(none, none, **shared)
    else:
        if isinstance(shared["cull"], str):
            arguments.cull_sign(shared["cull"])  # type: ignore[arg-type]
        arguments.border_or_none(shared["border"])
    options = {**shared, **more}
    try:
        content = pickle.dumps(options, protocol=5)
    except Exception as error:  # the caller's object may raise anything
        names = ", ".join(options)
        raise DtypeError(f"one of {names} cannot be sent to workers: {error}") from error
    # The caller's arrays may change after this; those of the plan must not.
    target = Target(_source_of(mesh), pickle.loads(content), threads)
    name = _digest(pickle.dumps((target.source.digest, content, threads), protocol=5))
    return dask("delayed").delayed(target, name=f"raypick-target-{name}", traverse=False)


def _listed(given: Any) -> Any:
    """The argument itself; an iterator, which can only be read once, as a list."""
    return list(given) if isinstance(given, Iterator) else given


def chosen(value: Any, choices: tuple[str, ...], name: str) -> str:
    """The value, which must be one of the choices."""
    if not isinstance(value, str):
        raise DtypeError(f"{name} must be a text, not {type(value).__name__}")
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise ArgumentError(f"{name} must be one of {known}, not {value!r}")
    return value


# Where a worker gets the mesh from


def _source_of(given: Any) -> FileSource | Parcel:
    if isinstance(given, Caster):
        return Parcel(given)
    if isinstance(given, (str, bytes, os.PathLike)):
        return FileSource(given)
    raise DtypeError(f"mesh must be a mesh, a scene or the path of a file, not {described(given)}")


class Parcel:
    """A mesh or scene as it is now, pickled, with its trees."""

    def __init__(self, caster: Caster) -> None:
        self.content = pickle.dumps(caster, protocol=5)
        self.digest = _digest(self.content)

    def make(self) -> Caster:
        """Unpack it."""
        caster: Caster = pickle.loads(self.content)
        return caster

    def __sizeof__(self) -> int:  # tells Dask how much there is to send
        return object.__sizeof__(self) + len(self.content)


class FileSource:
    """The file of a mesh: its path, and a digest of its content with its ending, the format.

    MeshFileError if it cannot be read, here or on a worker; if it has changed on a worker; or if it
    may have parts in other files, whose changes would go unnoticed.
    """

    def __init__(self, path: Any) -> None:
        self.path = os.path.abspath(whole_file.path_of(path))
        with _readable(self.path):
            self.content = _digest_of_file(self.path)
            has_parts = _may_have_parts(self.path)
        self.digest = self.content + whole_file.ending_of(self.path)
        if has_parts:
            raise MeshFileError(
                f"{self.path!r} may have parts in other files, whose changes would go unnoticed: "
                "load the mesh and pass it, or a .npz of it"
            )

    def make(self) -> Caster:
        """Read the mesh, if the file is still what it was."""
        before = whole_file.stamp_of(self.path)
        with _readable(self.path):
            if _digest_of_file(self.path) != self.content:
                raise MeshFileError(
                    f"{self.path!r} has changed since this was planned: plan it again"
                )
            try:
                mesh = load_mesh_or_scene(self.path)
            except MeshFileError as error:
                raise MeshFileError(f"{self.path!r}: {error}") from None
        if whole_file.stamp_of(self.path) != before:
            raise MeshFileError(f"{self.path!r} changes while it is read: plan this again")
        return mesh


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Raise MeshFileError with a file's name if it cannot be read."""
    try:
        yield
    except OSError as error:
        raise MeshFileError(f"{path!r} cannot be read here: {error.strerror or error}") from None


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _digest_of_file(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _may_have_parts(path: str) -> bool:
    ending = whole_file.ending_of(path)
    if ending in (".gltf", ".glb"):
        return _has_buffers_outside(path)
    if ending == ".inp":
        with open(path, "rb") as file:
            return _INCLUDE.search(file.read()) is not None
    return ending in (".xdmf", ".xmf")


def _has_buffers_outside(path: str) -> bool:
    with open(path, "rb") as file:
        head = file.read(20)
        is_binary = head.startswith(b"glTF")
        text = file.read(int.from_bytes(head[12:16], "little")) if is_binary else head + file.read()
    try:
        uris = [buffer.get("uri", "") for buffer in json.loads(text).get("buffers", [])]
        return any(uri and uri[:5].lower() != "data:" for uri in uris)
    except (ValueError, AttributeError, TypeError):
        return False  # the file is damaged, as its reader will say


# The meshes that a process keeps


class _Entry(Lock):
    """A caster, once it is made; its lock is held while it is made."""

    caster: Caster | None = None


class MeshCache:
    """Casters by digest. The last used are kept, as many as fit into a number of bytes.

    The last one is always kept. Sizes are measured again whenever room is made, as trees are built
    later. (``zict.LRU`` measures once, and does not keep a value that is too large.)
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self.made = 0
        self._most = most
        self._lock = Lock()
        self._known: WeakValueDictionary[str, _Entry] = WeakValueDictionary()
        self._kept: dict[str, _Entry] = {}  # the last used at the end

    def get(self, digest: str, make: Callable[[], Caster]) -> Caster:
        """The caster of a digest; if it is missing, it is made while other threads wait for it."""
        most = self._most()
        with self._lock.here:
            entry = self._known.setdefault(digest, _Entry())
        with entry.here:
            caster = entry.caster
            if caster is None:
                caster = entry.caster = make()
                with self._lock.here:
                    self.made += 1
        with self._lock.here:
            self._kept.pop(digest, None)
            self._kept[digest] = entry
            while len(self._kept) > 1 and self._bytes() > most:
                del self._kept[next(iter(self._kept))]
        return caster

    def _bytes(self) -> int:
        return sum(nbytes_of(entry.caster) for entry in self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)


def nbytes_of(caster: Any) -> int:
    """Memory of a mesh, or of the distinct meshes of a scene."""
    if isinstance(caster, Scene):
        meshes = {id(mesh): mesh for mesh in (caster[each].mesh for each in caster)}
        return sum(getattr(mesh, "nbytes", 0) for mesh in meshes.values())
    return int(getattr(caster, "nbytes", 0))


def most_bytes() -> int:
    """How much memory a process keeps meshes in: ``RAYPICK_MESH_CACHE`` bytes, or 1 GiB."""
    given = os.environ.get(_VARIABLE, "").strip()
    if not given:
        return _BYTES
    if not re.fullmatch("[0-9]{1,18}", given):
        raise ArgumentError(f"{_VARIABLE} must be a whole number of bytes, not {given[:40]!r}")
    return int(given)


meshes = MeshCache(most_bytes)  # of this process
