# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of all meshes of the depsgraph, with their matrices and the objects they come from.

Objects without faces (hair curves, point clouds, Grease Pencil and volumes) are listed apart: no
ray can hit them, and each has only a box in local space.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...standalone_core.extension import FloatArray, IntArray, inverse_direction, slab_interval
from ..mesh.cache import MeshCache
from ..mesh.scene_mesh import SceneMesh, Source

# The depsgraph lists the surface of such an object as an instance made by the object itself.
_SURFACE_TYPES = frozenset({"CURVE", "CURVES", "SURFACE", "FONT", "META"})
_UNUSED = 2**31 - 1  # what fills a persistent id after its last level

_Key = tuple[int, str]
"""The key of a mesh: the address of its data, and the mode of the object that owns it."""

_FACELESS_TYPES = frozenset({"CURVES", "POINTCLOUD", "GREASEPENCIL", "GPENCIL", "VOLUME"})


# Objects that nothing is listed of, unless they make instances.
_EMPTY_TYPES = frozenset(
    {"ARMATURE", "CAMERA", "EMPTY", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"}
)


@dataclass(slots=True, eq=False)
class _Columns:
    """The columns of a list; where objects moved, another array of matrices replaces the old."""

    matrices: FloatArray  # (N, 4, 4), local to world space
    ids: npt.NDArray[np.int32]  # (N, 8), the depsgraph's persistent ids


class ListedMesh(NamedTuple):
    """A mesh of the list, as an object or as an instance."""

    mesh: SceneMesh
    number: int  # its row in the columns
    columns: _Columns
    original: bpy.types.Object  # the mesh's object; good until the scene changes
    uid: int
    instancer: str | None  # name of the object that makes the instance, if it is one
    instancer_uid: int | None
    owner: int  # address of the original object that a click selects, whose visibility counts
    solid: bool  # neither the object nor its instancer is displayed as wire or bounds
    in_front: bool  # drawn in front of all others

    @property
    def matrix(self) -> FloatArray:
        """Local to world space, (4, 4)."""
        return np.asarray(self.columns.matrices[self.number])

    @property
    def persistent_id(self) -> tuple[int, ...] | None:
        """An index for each level of nesting, innermost first; None if this is no instance."""
        return persistent_ids([self])[0]


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """All meshes of the depsgraph, their `matrices` (N, 4, 4), and the objects without faces."""

    meshes: list[ListedMesh]
    columns: _Columns
    unpickable: list[Unpickable]
    alone: dict[int, int]
    """The rows of mesh objects by the objects' addresses."""
    entwined: frozenset[int]
    """The addresses of objects of other rows: instances, their makers, and unpickable objects."""
    of_object: dict[int, list[ListedMesh]]
    """The meshes of each object and of its instances, by its session UID."""

    @property
    def matrices(self) -> FloatArray:
        return self.columns.matrices

    def move(
        self, moved: Mapping[int, bpy.types.Object], depsgraph: bpy.types.Depsgraph
    ) -> IntArray | None:
        """Move objects, given by their addresses; return their rows (M,).

        None if that is not sure to be all that is needed: the list must be read anew then.
        """
        if not self.entwined.isdisjoint(moved):
            return None
        rows, matrices = [], []
        for address, original in moved.items():
            evaluated = original.evaluated_get(depsgraph)
            row = self.alone.get(address)
            if evaluated.instance_type != "NONE" or not evaluated.show_instancer_for_viewport:
                return None
            if row is not None:
                listed = self.meshes[row]
                if _look(evaluated, evaluated) != (listed.solid, listed.in_front):
                    return None
                rows.append(row)
                matrices.append(evaluated.matrix_world)
            elif original.type not in _EMPTY_TYPES:
                return None
        if rows:
            self.columns.matrices = self.columns.matrices.copy()
            self.columns.matrices[rows] = np.array(matrices, dtype=np.float64)
            self.columns.matrices[rows, 3] = 0, 0, 0, 1  # as `_matrices` has it
        return np.array(rows, dtype=np.int64)


def listing(depsgraph: bpy.types.Depsgraph, cache: MeshCache, evaluated: bool) -> Listing:
    """List all meshes, and read the positions of those that are not in the cache.

    Where `evaluated` is False, objects' own meshes replace the evaluated ones.

    Curves, text and metaballs come twice, as themselves and as an instance of the mesh that they
    are evaluated to. Only that mesh is listed.
    """
    lister = _Lister(depsgraph, cache, evaluated)
    for place, instance in enumerate(depsgraph.object_instances):
        if instance.object.type == "MESH" and instance.show_self:
            lister.add(place, instance)
        elif instance.object.type in _FACELESS_TYPES and instance.show_self:
            lister.add_unpickable(place, instance)
    return lister.listing()


def unlisted(
    depsgraph: bpy.types.Depsgraph, originals: Sequence[bpy.types.Object], evaluated: bool
) -> list[ListedMesh]:
    """What :func:`listing` lists of visible mesh objects themselves; all meshes are read."""
    found = [each.evaluated_get(depsgraph) for each in originals]
    matrices = np.array([each.matrix_world for each in found], np.float64).reshape(-1, 4, 4)
    matrices[:, 3] = 0, 0, 0, 1  # as `_matrices` has it
    columns = _Columns(matrices, np.full((len(found), 8), _UNUSED, np.int32))
    meshes: dict[_Key, SceneMesh] = {}
    rows = []
    for number, (original, own) in enumerate(zip(originals, found, strict=True)):
        data: Any = own.data if evaluated else original.data
        key = data.as_pointer(), original.mode
        if key not in meshes:
            meshes[key] = _read(Source(depsgraph, original, 0, evaluated))
        of_object = original.session_uid, None, None, original.as_pointer()
        rows.append(
            ListedMesh(meshes[key], number, columns, original, *of_object, *_look(own, own))
        )
    return rows


class _Lister:
    """Collects what the depsgraph lists; reads a mesh once all objects that use it are known."""

    def __init__(self, depsgraph: bpy.types.Depsgraph, cache: MeshCache, evaluated: bool) -> None:
        self._depsgraph = depsgraph
        self._cache = cache
        self._evaluated = evaluated
        self._matrices = _matrices(depsgraph)
        self._ids = _column(depsgraph, "persistent_id", np.int32, 8)
        self._depths = _depths(self._ids)
        self._sources: dict[_Key, Source] = {}
        self._users: dict[_Key, set[int]] = {}
        self._places: list[int] = []
        # The values of ListedMesh, with a key in place of the mesh, and without number and columns.
        self._rows: list[tuple[Any, ...]] = []
        self._unpickable: list[Unpickable] = []
        self._alone: dict[int, int] = {}
        self._entwined: set[int] = set()

    def add(self, place: int, instance: bpy.types.DepsgraphObjectInstance) -> None:
        """Add the mesh of an instance, which is valid only in this step of the iteration.

        Only its `object`, `parent`, `is_instance` and `show_self` are read: if the depsgraph lists
        an instance first, Blender has freed its other properties. The columns are right.
        """
        evaluated = instance.object
        original = evaluated.original
        maker = instance.parent if instance.is_instance else None
        owner = maker or evaluated
        key = self._key(place, evaluated, maker)
        depth = self._depths[place]
        if depth == 1 and maker and maker.original == original and maker.type in _SURFACE_TYPES:
            maker = None  # the surface of a curve, a text or the like counts as the object itself
        address = owner.original.as_pointer()
        if instance.is_instance:
            self._entwined |= {address, original.as_pointer()}
        else:
            self._alone[address] = len(self._rows)
        self._places.append(place)
        self._rows.append(
            (
                key,
                original,
                original.session_uid,
                None if maker is None else maker.name,
                None if maker is None else maker.original.session_uid,
                address,
                *_look(evaluated, owner),
            )
        )

    def add_unpickable(self, place: int, instance: bpy.types.DepsgraphObjectInstance) -> None:
        evaluated = instance.object
        corners = np.array(evaluated.bound_box, dtype=np.float64)
        box = np.stack([corners.min(axis=0), corners.max(axis=0)])
        owner = (instance.parent if instance.is_instance else None) or evaluated
        addresses = {evaluated.original.as_pointer(), owner.original.as_pointer()}
        self._entwined |= addresses
        if np.isfinite(box).all() and (box[1] > box[0]).any():  # else the object is empty
            self._unpickable.append(
                Unpickable(evaluated.name, frozenset(addresses), box, self._matrices[place])
            )

    def listing(self) -> Listing:
        """The listing of all that was added; the cache forgets all other meshes."""
        meshes = {}
        for key, source in self._sources.items():
            meshes[key] = self._cache.find(key, self._users[key], partial(_read, source))
            meshes[key].source = source
        self._cache.keep_only(meshes.keys())
        places = np.array(self._places, dtype=np.int64)
        columns = _Columns(self._matrices[places], self._ids[places])
        rows = enumerate(self._rows)
        listed = [ListedMesh(meshes[key], row, columns, *rest) for row, (key, *rest) in rows]
        of_object: dict[int, list[ListedMesh]] = {}
        for row in listed:
            of_object.setdefault(row.uid, []).append(row)
        entwined = frozenset(self._entwined)
        return Listing(listed, columns, self._unpickable, self._alone, entwined, of_object)

    def _key(self, place: int, evaluated: bpy.types.Object, maker: bpy.types.Object | None) -> _Key:
        """The key of an object's mesh; also notes the mesh's source and users."""
        original = evaluated.original
        data: Any = evaluated.data
        own: Any = original.data
        is_own = original.type == "MESH" and (
            maker is None or original.evaluated_get(self._depsgraph).data == data
        )
        if is_own and not self._evaluated:
            data = own
        key = data.as_pointer(), original.mode if is_own else ""
        users = self._users.setdefault(key, set())
        users.add(original.as_pointer())
        if key not in self._sources and is_own:
            self._sources[key] = Source(self._depsgraph, original, place, self._evaluated)
            users.add(own.as_pointer())
        elif key not in self._sources:
            source = self._sources[key] = Source(self._depsgraph, None, place)
            self._cache.find(key, users, partial(_read_evaluated, source, evaluated))
        return key


def persistent_ids(rows: Sequence[ListedMesh]) -> list[tuple[int, ...] | None]:
    """The :attr:`ListedMesh.persistent_id` of each of some rows of one list."""
    ids = np.array([row.columns.ids[row.number] for row in rows], np.int32).reshape(-1, 8)
    return [
        None if row.instancer is None else tuple(own[:depth])
        for row, own, depth in zip(rows, ids.tolist(), _depths(ids).tolist(), strict=True)
    ]


def _look(evaluated: bpy.types.Object, owner: bpy.types.Object) -> tuple[bool, bool]:
    """Whether an object, shown by its owner, has solid faces, and whether it is In Front."""
    return (
        not {evaluated.display_type, owner.display_type} & {"WIRE", "BOUNDS"},
        evaluated.show_in_front or owner.show_in_front,
    )


def _read(source: Source) -> SceneMesh:
    with source.opened() as (_, mesh):
        return SceneMesh(source, mesh)


def _read_evaluated(source: Source, evaluated: bpy.types.Object) -> SceneMesh:
    with source.lent(evaluated) as mesh:
        return SceneMesh(source, mesh)


def _depths(ids: npt.NDArray[np.int32]) -> IntArray:
    return np.asarray(((ids != _UNUSED) * np.arange(1, 9)).max(axis=1, initial=1))


def _matrices(depsgraph: bpy.types.Depsgraph) -> FloatArray:
    columns = _column(depsgraph, "matrix_world", np.float32, 16)
    matrices = columns.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    # Blender multiplies matrices by inverses, which may leave rounding errors in this row.
    matrices[:, 3] = 0, 0, 0, 1
    return matrices


def _column(
    depsgraph: bpy.types.Depsgraph, name: str, dtype: npt.DTypeLike, width: int
) -> npt.NDArray[Any]:
    """A property of all instances, (N, width)."""
    instances = depsgraph.object_instances
    values = np.empty((len(instances), width), dtype=dtype)
    if len(values):
        instances.foreach_get(name, values.ravel())
    return values


class Unpickable(NamedTuple):
    """An object or instance without faces."""

    name: str
    addresses: frozenset[int]  # of the original object and of the one that a click selects
    box: FloatArray  # (2, 3), lower and upper corner in local space
    matrix: FloatArray  # (4, 4), local to world space

    def is_met(
        self, origin: Sequence[float], direction: Sequence[float], least: float, most: float
    ) -> bool:
        """Whether a world ray with a unit direction meets the box between two distances."""
        with np.errstate(all="ignore"):
            try:
                to_local = np.linalg.inv(self.matrix[:3, :3])
            except np.linalg.LinAlgError:
                return False
            start = to_local @ (origin - self.matrix[:3, 3])
            inverse = inverse_direction(to_local @ np.array(direction))
        first, leave = slab_interval(start, inverse, self.box[0], self.box[1], 0.0)
        entry = max(float(first), least)
        return bool(entry <= leave and entry < most)
