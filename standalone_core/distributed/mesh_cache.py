# SPDX-License-Identifier: MIT
"""The meshes and scenes that this process has at hand, each made once however many tasks ask.

They are named by a digest of what they were made of, so that one that is found is never stale.
"""

import os
import re
from collections.abc import Callable
from typing import Any

from ..cast.caster import Caster
from ..concurrency.forks import Lock
from ..errors import ArgumentError
from ..scene import Scene

_VARIABLE = "RAYPICK_MESH_CACHE"
_BYTES = 1 << 30


class MeshCache:
    """Casters by digest, of which the last used are kept: all that fit in so many bytes.

    The last one is kept in any case. A size is what it is when room is made, with trees that came
    later.
    """

    def __init__(self, most: Callable[[], int]) -> None:
        self.made = 0
        self._most = most
        self._lock = Lock()
        self._entries: dict[str, _Entry] = {}  # the last used at the end

    def get(self, digest: str, make: Callable[[], Caster]) -> Caster:
        """The one of that digest; made now if it is not there, while others who want it wait."""
        with self._lock.here:
            entry = self._entries.pop(digest, None) or _Entry()
            self._entries[digest] = entry
        with entry.lock.here:
            if entry.caster is None:
                try:
                    entry.caster = make()
                except BaseException:
                    with self._lock.here:
                        if self._entries.get(digest) is entry:
                            del self._entries[digest]
                    raise
                with self._lock.here:
                    self.made += 1
            caster = entry.caster
        self._make_room()
        return caster

    def __len__(self) -> int:
        return len(self._entries)

    def _make_room(self) -> None:
        most = self._most()
        with self._lock.here:
            # One that is being made stays, or who asks for it next would make it again.
            sizes = {
                digest: nbytes_of(entry.caster)
                for digest, entry in self._entries.items()
                if entry.caster is not None
            }
            total = sum(sizes.values())
            for digest in list(sizes)[:-1]:
                if total <= most:
                    break
                total -= sizes[digest]
                del self._entries[digest]


class _Entry:
    """A caster, once it is made; its lock is held meanwhile."""

    __slots__ = ("caster", "lock")

    def __init__(self) -> None:
        self.lock = Lock()
        self.caster: Caster | None = None


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


meshes = MeshCache(most_bytes)
"""Those of this process."""
