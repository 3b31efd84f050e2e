# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that have been read, as long as they are up to date and fit into memory.

A mesh is found by the address of its evaluated data. That address may be used again, so a mesh is
forgotten when any of its users has its geometry updated, or when nothing displays it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from .scene_mesh import SceneMesh


@dataclass(slots=True)
class _Entry:
    mesh: SceneMesh
    users: set[int]


class MeshCache:
    """Meshes by key, with their users: addresses of the original data that they come from."""

    def __init__(self) -> None:
        self._entries: dict[object, _Entry] = {}

    @property
    def meshes(self) -> list[SceneMesh]:
        return [entry.mesh for entry in self._entries.values()]

    @property
    def nbytes(self) -> int:
        """Memory held by all, in bytes."""
        return sum(mesh.nbytes for mesh in self.meshes)

    def find(self, key: object, users: Collection[int], read: Callable[[], SceneMesh]) -> SceneMesh:
        """The mesh of a key, if it has one of the users, or else what `read` returns."""
        entry = self._entries.get(key)
        if entry is None or entry.users.isdisjoint(users):
            self._drop(key)
            entry = self._entries[key] = _Entry(read(), set())
        entry.users.update(users)
        return entry.mesh

    def forget(self, users: Collection[int]) -> None:
        for key in self._keys(users):
            self._drop(key)

    def cancel(self, users: Collection[int]) -> None:
        """End what threads do for the meshes of any of these users."""
        for key in self._keys(users):
            self._entries[key].mesh.cancel()

    def keep_only(self, keys: Collection[object]) -> None:
        for key in [key for key in self._entries if key not in keys]:
            self._drop(key)

    def clear(self) -> None:
        self.keep_only(())

    def _keys(self, users: Collection[int]) -> list[object]:
        return [key for key, entry in self._entries.items() if not entry.users.isdisjoint(users)]

    def _drop(self, key: object) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            entry.mesh.release()


def trim_caches(caches: Collection[MeshCache], limit: int, since: int) -> None:
    """Let go of memory, least recently used first, until all hold at most `limit` bytes.

    What was used after the number `since` is kept, whatever it takes.
    """
    held = sum(cache.nbytes for cache in caches)
    if held <= limit:
        return
    every = (mesh for cache in caches for mesh in cache.meshes)
    for mesh in sorted(every, key=lambda mesh: mesh.used):
        if held <= limit or mesh.used > since:
            break
        held -= mesh.nbytes
        mesh.release()
