# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of all meshes that the depsgraph shows, as columns: what, where, and made by whom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ..mesh.cache import MeshCache
from ..mesh.scene_mesh import SceneMesh
from ..mesh.shown_mesh import shown_mesh
from ..mesh.source import OriginalSource, Source
from . import unpickable
from .unpickable import Unpickable

# Objects whose own surface the depsgraph lists as an instance that they make of themselves.
_SURFACE_TYPES = frozenset({"CURVE", "CURVES", "SURFACE", "FONT", "META"})
_UNUSED = 2**31 - 1


class Row(NamedTuple):
    """A mesh of the list, as an object or as an instance.

    Attributes
    ----------
    mesh : SceneMesh
    original : bpy.types.Object
        The object whose mesh it is; good until the scene changes.
    uid : int
        Its session UID.
    instancer : str or None
        Name of the object that makes the instance; None for an object in its own right.
    instancer_uid : int or None
        Its session UID.
    owner : int
        Address of the original object that a click there selects, and that decides on visibility.
    solid : bool
        Whether it is displayed with faces: neither the object nor what makes the instance is shown
        as wire or bounds.
    in_front : bool
        Whether it is drawn in front of all that is not.
    """

    mesh: SceneMesh
    original: bpy.types.Object
    uid: int
    instancer: str | None
    instancer_uid: int | None
    owner: int
    solid: bool
    in_front: bool


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """All meshes that the depsgraph shows.

    Attributes
    ----------
    rows : list of Row
    matrices : ndarray (N, 4, 4) of float64
        Local to world space of each row.
    identifiers : ndarray (N, 8) of int32
        The depsgraph's persistent ids.
    unpickable : list of Unpickable
        What is shown besides, and has no faces.
    """

    rows: list[Row]
    matrices: npt.NDArray[np.float64]
    identifiers: npt.NDArray[np.int32]
    unpickable: list[Unpickable]

    def persistent_id(self, row: int) -> tuple[int, ...] | None:
        """An index a level of nesting, the innermost first; None for no instance."""
        if self.rows[row].instancer is None:
            return None
        return _path(self.identifiers[row].tolist())


def listing(depsgraph: bpy.types.Depsgraph, cache: MeshCache, evaluated: bool) -> Listing:
    """List all meshes; those that the cache does not know are read, as far as boxes need it.

    Where `evaluated` is False, objects' own meshes take the place of what they are evaluated to.

    Only meshes count: curves, text and metaballs come twice, as themselves and as an instance of
    the mesh that they are evaluated to.
    """
    identifiers = _column(depsgraph, "persistent_id", np.int32, 8)
    found = _Found(depsgraph, cache, identifiers, Source if evaluated else OriginalSource)
    for place, instance in enumerate(depsgraph.object_instances):
        if instance.object.type == "MESH" and instance.show_self:
            found.add(place, instance)
        elif instance.object.type in unpickable.TYPES and instance.show_self:
            found.add_unpickable(place, instance)
    meshes = found.meshes()
    cache.keep_only(meshes.keys())
    places, matrices = np.array(found.places, dtype=np.int64), _matrices(depsgraph)
    return Listing(
        rows=[Row(meshes[key], *rest) for key, *rest in found.rows],
        matrices=matrices[places],
        identifiers=identifiers[places],
        unpickable=[
            Unpickable(name, addresses, box, matrices[place])
            for place, name, addresses, box in found.unpickable
        ],
    )


class _Found:
    """What the depsgraph lists.

    A mesh is known by a key: the address of its data, and the mode of the object that owns it.

    Attributes
    ----------
    places : list of int
        The place of each row in ``depsgraph.object_instances``.
    rows : list of tuple
        As :class:`Row`, with the key of the mesh.
    unpickable : list of tuple
        As :class:`Unpickable`, with the place in front, and without the matrix.
    """

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        cache: MeshCache,
        identifiers: npt.NDArray[np.int32],
        own_source: type[Source],
    ) -> None:
        self._own_source = own_source
        self._depsgraph = depsgraph
        self._cache = cache
        self._identifiers = identifiers
        self._sources: dict[tuple[int, str], Source] = {}
        self._users: dict[tuple[int, str], set[int]] = {}
        self.places: list[int] = []
        self.rows: list[tuple[Any, ...]] = []
        self.unpickable: list[tuple[Any, ...]] = []

    def add(self, place: int, instance: bpy.types.DepsgraphObjectInstance) -> None:
        """Add what an instance shows; it ends with the step of the iteration.

        Only its `object`, `parent`, `is_instance` and `show_self` are asked for: where the list
        begins with an instance, Blender has freed the rest of it. Columns have it right.
        """
        evaluated = instance.object
        original, data = evaluated.original, evaluated.data
        maker = instance.parent if instance.is_instance else None
        is_own = original.type == "MESH" and (
            maker is None or original.evaluated_get(self._depsgraph).data == data
        )
        if is_own and not self._own_source.is_evaluated:
            data = original.data
        key = data.as_pointer(), original.mode if is_own else ""
        users = self._users.setdefault(key, set())
        users.add(original.as_pointer())
        if key not in self._sources:
            kind = self._own_source if is_own else Source
            self._sources[key] = kind(self._depsgraph, original if is_own else None, place)
            if is_own:
                users.add(original.data.as_pointer())
            else:
                self._read_now(key, evaluated)
        owner = maker or evaluated
        if maker is not None and self._is_own_surface(original, maker, place):
            maker = None
        self.places.append(place)
        self.rows.append(
            (
                key,
                original,
                original.session_uid,
                None if maker is None else maker.name,
                None if maker is None else maker.original.session_uid,
                owner.original.as_pointer(),
                not {evaluated.display_type, owner.display_type} & {"WIRE", "BOUNDS"},
                evaluated.show_in_front or owner.show_in_front,
            )
        )

    def add_unpickable(self, place: int, instance: bpy.types.DepsgraphObjectInstance) -> None:
        """Add what an instance shows that has no faces."""
        evaluated = instance.object
        box = unpickable.box_of(evaluated)
        if box is not None:
            owner = (instance.parent if instance.is_instance else None) or evaluated
            addresses = {evaluated.original.as_pointer(), owner.original.as_pointer()}
            self.unpickable.append((place, evaluated.name, frozenset(addresses), box))

    def meshes(self) -> dict[tuple[int, str], SceneMesh]:
        """The mesh of each key, read where the cache does not know it."""
        meshes = {}
        for key, source in self._sources.items():
            meshes[key] = self._cache.find(key, self._users[key], partial(_read, source))
            meshes[key].source = source
        return meshes

    def _is_own_surface(
        self, original: bpy.types.Object, maker: bpy.types.Object, place: int
    ) -> bool:
        """Whether an instance is the surface of a curve, a text or the like, and stands for it."""
        return (
            maker.type in _SURFACE_TYPES
            and maker.original == original
            and len(_path(self._identifiers[place].tolist())) == 1
        )

    def _read_now(self, key: tuple[int, str], evaluated: bpy.types.Object) -> None:
        read = partial(_read_evaluated, self._sources[key], evaluated)
        self._cache.find(key, self._users[key], read)


def _read(source: Source) -> SceneMesh:
    with source.opened() as (_, mesh):
        return SceneMesh(source, mesh)


def _read_evaluated(source: Source, evaluated: bpy.types.Object) -> SceneMesh:
    with shown_mesh(evaluated) as mesh:
        return SceneMesh(source, mesh)


def _matrices(depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """Local to world space (N, 4, 4) of all rows."""
    columns = _column(depsgraph, "matrix_world", np.float32, 16).reshape(-1, 4, 4)
    matrices = columns.transpose(0, 2, 1).astype(np.float64)
    # Blender multiplies by inverses, after which this row may be off by rounding.
    matrices[:, 3] = 0, 0, 0, 1
    return matrices


def _column(depsgraph: bpy.types.Depsgraph, name: str, dtype: type, width: int) -> np.ndarray:
    instances = depsgraph.object_instances
    values = np.empty((len(instances), width), dtype=dtype)
    if len(values):
        instances.foreach_get(name, values.ravel())
    return values


def _path(identifier: list[int]) -> tuple[int, ...]:
    """The used part of a persistent id."""
    used = list(identifier)
    while len(used) > 1 and used[-1] == _UNUSED:
        used.pop()
    return tuple(used)
