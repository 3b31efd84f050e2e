# SPDX-License-Identifier: MIT
"""Where a worker has the mesh from that it casts at: a file that it can read, or a parcel of bytes.

Both are small or sent once, and named by a digest. What is made of them is kept by
:mod:`.mesh_cache`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..building.buildable import Buildable
from ..cast.caster import Caster
from ..errors import DtypeError, MeshFileError
from ..files import whole_file
from ..numerics.reading import described
from ..scene_file import load_mesh_or_scene
from .file_parts import may_have_parts
from .mesh_cache import meshes

_BLOCK = 1 << 20


class FileSource:
    """A file, by its path, and the digest of its content and of its ending, which tells its format.

    Raises
    ------
    MeshFileError
        If it cannot be read, when it is planned or on a worker, or if it has changed meanwhile; or
        if it may have parts in other files, which could change unseen.
    """

    def __init__(self, path: Any) -> None:
        self.path = os.path.abspath(whole_file.path_of(path))
        self.content = digest_of(self.path)
        self.digest = self.content + whole_file.ending_of(self.path)
        with _readable(self.path):
            has_parts = may_have_parts(self.path)
        if has_parts:
            raise MeshFileError(
                f"{self.path!r} may have parts in other files, whose changes nobody would see: "
                "load the mesh and give that, or a .npz of it"
            )

    def make(self) -> Caster:
        """Read the mesh, if the file is still what it was."""
        before = whole_file.stamp_of(self.path)
        if digest_of(self.path) != self.content:
            raise MeshFileError(f"{self.path!r} has changed since this was planned: plan it again")
        mesh = _read(self.path)
        if whole_file.stamp_of(self.path) != before:
            raise MeshFileError(f"{self.path!r} changes while it is read: plan this again")
        return mesh


class Parcel:
    """A mesh or scene as it is now, pickled, with its trees."""

    def __init__(self, caster: Caster) -> None:
        self.content = pickle.dumps(caster, protocol=5)
        self.digest = hashlib.blake2b(self.content, digest_size=16).hexdigest()

    def make(self) -> Caster:
        """Unpack it."""
        caster: Caster = pickle.loads(self.content)
        return caster

    def __sizeof__(self) -> int:  # which tells Dask how much there is to be sent
        return object.__sizeof__(self) + len(self.content)


Source = FileSource | Parcel


def source_of(given: Any) -> Source:
    """A mesh or scene, or the path of a file of one, as workers get it."""
    if isinstance(given, Caster):
        return Parcel(given)
    if isinstance(given, (str, bytes, os.PathLike)):
        return FileSource(given)
    raise DtypeError(f"mesh must be a mesh, a scene or the path of a file, not {described(given)}")


def caster_of(source: Source) -> Caster:
    """What to cast at, with its tree; made once a process."""

    def make() -> Caster:
        caster = source.make()
        # That of a scene's meshes is built when the first rays reach them.
        if isinstance(caster, Buildable):
            caster.build()
        return caster

    return meshes.get(source.digest, make)


def digest_of(path: str) -> str:
    """The digest of a file's content."""
    digest = hashlib.blake2b(digest_size=16)
    with _readable(path), open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _read(path: str) -> Caster:
    with _readable(path):
        try:
            return load_mesh_or_scene(path)
        except MeshFileError as error:
            raise MeshFileError(f"{path!r}: {error}") from None


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Say by its name that a file cannot be read."""
    try:
        yield
    except OSError as error:
        raise MeshFileError(f"{path!r} cannot be read here: {error.strerror or error}") from None
