# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh of the scene, and where it is found in Blender; it is read when a ray first meets its box.

It is the mesh that a viewport draws of an object, in every mode, or a render, if the depsgraph is
evaluated for one. `Object.data` is not that mesh: in edit mode it is empty or stale, and where the
GPU subdivides, it is the mesh before that. `Object.to_mesh` gives it: in edit mode the result of
the modifiers, not the cage that the overlay draws over it. A brush in sculpt mode changes the
original mesh, without evaluation, and the viewport then draws the original mesh.

Python cannot read the level that multiresolution sculpting draws: its base mesh stands in.
"""

from __future__ import annotations

import hashlib
import itertools
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...settings import engine
from ...standalone_core import PolygonMesh, RaypickError, triangle
from ...standalone_core.extension import (
    Border,
    Engine,
    EngineError,
    FloatArray,
    IndexArray,
    IntArray,
    SingleArray,
    finite_bounds,
    normalized,
)
from . import arrays
from .arrays import hidden_faces
from .evaluation import draws_multires, is_sculpted, shown_modifiers
from .shown_mesh import ReadMesh, ShownMesh, Size

_MANY_VERTICES = 20_000  # Blender computes the normals of fewer in a millisecond or two

use_counter = itertools.count(1)
"""Numbers the uses of all meshes: the mesh with the highest number was used last."""


class SceneMesh(ShownMesh):
    """An object's mesh as displayed, or its own, in local space; hidden faces are not hit.

    Only the positions are read at first, for the box. The rest is read, on Blender's main thread,
    when a ray meets the box, and may be released and read again at any time.
    """

    def __init__(self, source: Source, mesh: bpy.types.Mesh) -> None:
        super().__init__()
        self.source = source  # may be replaced while the mesh stays the same
        self.used = 0  # the number of its last use, of `use_counter`
        self._resized: set[SceneMesh] = set()  # see `note_sizes_in`
        self.size = mesh_size(mesh)
        self._positions: SingleArray | None = arrays.positions(mesh)
        lower, upper = finite_bounds(self._positions)
        self._bounds = lower.astype(np.float64), upper.astype(np.float64)
        self._polygons: PolygonMesh | None = None
        self._splits: _Splits | None = None
        self.kept: dict[int, Any] = {}  # a cache for callers, by the address of an object
        self.kept_polygons: KeptPolygons | None = None

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corner around all finite vertices, in local space."""
        return self._bounds

    @property
    def engine(self) -> Engine:
        return engine()

    @property
    def nbytes(self) -> int:
        if self._polygons is None and not self._in_world:  # as of most meshes of a large scene
            return 0 if self._positions is None else self._positions.nbytes
        splits = None if self._splits is None else self._splits.known
        held = (self._positions, self._polygons, splits, *self._in_world.values())
        return sum(part.nbytes for part in held if part is not None)

    @property
    def is_growing(self) -> bool:
        """Whether threads may add to its size."""
        return self.indexing is not None or bool(self._in_world)

    def note_sizes_in(self, resized: set[SceneMesh]) -> None:
        """Add the mesh to a set, now and whenever its size may have changed."""
        self._resized = resized
        resized.add(self)

    @property
    def indexing(self) -> float | None:
        """How much of a tree is built, from 0 to 1; None if no tree is being built."""
        return None if self._polygons is None else self._polygons.progress

    @property
    def polygons(self) -> PolygonMesh:
        """All faces, which are read now if they have not been."""
        self._note_use()
        if self._polygons is None:
            self._polygons = self._read()
            self._positions = None
        return self._polygons

    def read(self) -> ReadMesh:
        """The mesh as it is, for whoever must not ask Blender later."""
        polygons, splits = self.polygons, self._splits
        with self.opened(copied=True) as (_, mesh):
            edges = arrays.at_corners(mesh, ".corner_edge")
            are_split = polygons.triangle_count > polygons.face_count
            if are_split and splits is not None and splits.known is None:
                splits.known = splits.of(mesh, np.arange(polygons.triangle_count))
        return ReadMesh(polygons, self._hidden, self.size, edges)

    def _plain_shape(
        self, rays: int, engine: Engine, border: Border | None = None
    ) -> tuple[Any, Any] | None:
        return None if self._polygons is None else super()._plain_shape(rays, engine, border)

    @contextmanager
    def opened(self, copied: bool = False) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """Lend the source's object and its mesh: a copy, or one for reading single elements.

        Blender copies a whole array when it is first read, if another mesh shares it. So the mesh
        for single elements is `Object.data` where that is the displayed mesh.

        Blender may not report what a script or a brush does to an object's own mesh. OutOfDateError
        if the mesh's numbers of elements have changed.
        """
        with self.source.found() as evaluated:
            lasting = None if copied else _lasting_mesh(evaluated, self.size)
            lent = self.source.lent(evaluated) if lasting is None else nullcontext(lasting)
            with lent as mesh:
                if mesh_size(mesh) != self.size:
                    raise OutOfDateError("the mesh is another by now")
                yield evaluated, mesh

    def opened_face(
        self, mesh: bpy.types.Mesh, face: int, corners: IntArray, vertices: IntArray
    ) -> Any:
        """A face of a lent mesh; OutOfDateError unless its corners (3,) have the vertices (3,)."""
        found: Any = mesh.polygons[face]
        start, own = found.loop_start, found.vertices[:]
        there = [own[i - start] for i in corners.tolist() if 0 <= i - start < len(own)]
        if there != vertices.tolist():
            raise OutOfDateError("the face is another by now")
        return found

    def knows_smooth_normals(self, mesh: bpy.types.Mesh) -> bool:
        """Whether to take :meth:`smooth_normals` for the normals of the mesh that was lent.

        They are right if corners have their vertices' normals and no face is hidden. With few
        vertices, Blender is as fast.
        """
        if mesh.normals_domain != "POINT" or mesh.has_custom_normals:
            return False
        return self._hidden is None and self.polygons.vertex_count >= _MANY_VERTICES

    def smooth_normals(self, vertices: IntArray, barycentric: FloatArray) -> FloatArray:
        """The local unit normals (N, 3) that Blender shades places of an all-smooth mesh with.

        The places have weights (N, 3) in triangles of vertices (N, 3). NaN where normals cancel
        out.
        """
        every, rows = np.unique(vertices, return_inverse=True)
        normals = np.nan_to_num(self.polygons.vertex_normals(every))
        return normalized(triangle.interpolate(normals[rows.reshape(vertices.shape)], barycentric))

    def go_on(self) -> None:
        """Do what a thread that builds the tree has left to Blender's main thread."""
        if self._polygons is not None:
            self._polygons.continue_build()

    def cancel(self) -> None:
        for mesh in (self._polygons, *self._in_world.values()):
            if mesh is not None:
                mesh.cancel()

    def release(self) -> None:
        """Free all memory, and end what threads do; all can be read again."""
        self.cancel()
        self._in_world.clear()
        self.kept.clear()
        self._polygons = self._positions = self._hidden = self._bare = self._splits = None
        self._resized.add(self)

    def _note_use(self) -> None:
        self.used = next(use_counter)
        self._resized.add(self)

    def _read(self) -> PolygonMesh:
        with self.opened(copied=True) as (evaluated, mesh):
            positions = arrays.positions(mesh) if self._positions is None else self._positions
            corners, sizes = arrays.faces(mesh)
            hidden = hidden_faces(evaluated, mesh, self.source.depsgraph)
        try:
            read = positions, corners, sizes
            made = self.kept_polygons.of(self, *read) if self.kept_polygons else _made(self, *read)
        except EngineError:
            raise
        except RaypickError:  # broken faces, with vertices that do not exist
            return PolygonMesh(np.empty((0, 3)), np.empty(0, np.int32), 3)
        if hidden is not None:
            self._hidden = np.repeat(hidden, np.subtract(sizes, 2))
        polygons, self._splits = made
        return polygons


class _Splits:
    """Splits faces as Blender does: it asks Blender, unless all of its triangles are `known`."""

    polygons: PolygonMesh
    known: IndexArray | None = None  # the corners (T, 3) of all triangles

    def __init__(self, mesh: SceneMesh) -> None:
        self.mesh = mesh

    def __call__(self, faces: IntArray) -> IndexArray:
        """The corners (N, 3) of the triangles of faces; OutOfDateError if these have changed."""
        triangles = self.polygons.triangles_of(faces)
        if self.known is not None:
            return np.asarray(self.known[triangles])
        with self.mesh.opened(copied=True) as (_, mesh):
            return self.of(mesh, triangles)

    def of(self, mesh: bpy.types.Mesh, triangles: IntArray) -> IndexArray:
        """The corners (N, 3) of triangles of a lent mesh; OutOfDateError if it has others."""
        around = triangles[:, None] + np.array([-1, 0, 1])
        around = around.clip(0, self.polygons.triangle_count - 1).ravel()
        if not np.array_equal(arrays.triangle_faces(mesh, around), self.polygons.faces_of(around)):
            raise OutOfDateError("faces have other sizes by now")
        return arrays.triangle_corners(mesh, triangles)


def _made(
    mesh: SceneMesh, positions: SingleArray, corners: IndexArray, sizes: int | IndexArray
) -> tuple[PolygonMesh, _Splits]:
    splits = _Splits(mesh)
    polygons = PolygonMesh(
        positions, corners, sizes, splits, engine(), building="thread", copy=False
    )
    splits.polygons = weakref.proxy(polygons)
    return polygons, splits


class KeptPolygons:
    """Polygons with their trees, for meshes of the next render that are equal to the last bit."""

    def __init__(self) -> None:
        self._frame: float | None = None
        self._layers: set[str] = set()  # of the frame, as far as they were rendered
        self._before: dict[bytes, tuple[PolygonMesh, _Splits]] = {}
        self._now: dict[bytes, tuple[PolygonMesh, _Splits]] = {}

    def begin(self, frame: float, layer: str) -> None:
        """Begin a view layer; with another render, forget what the one before did not use."""
        if frame != self._frame or layer in self._layers:
            self._frame, self._layers = frame, set()
            self._before, self._now = self._now, {}
        self._layers.add(layer)

    def of(
        self, mesh: SceneMesh, positions: SingleArray, corners: IndexArray, sizes: int | IndexArray
    ) -> tuple[PolygonMesh, _Splits]:
        """The polygons of a mesh, and what splits them."""
        digest = hashlib.blake2b()
        for array in (positions, corners, np.asarray(sizes)):
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).data)
        key = digest.digest()
        made = self._now.get(key) or self._before.get(key)
        if made is None:
            made = _made(mesh, positions, corners, sizes)
        else:
            made[1].mesh = mesh  # the one that can be read now
        self._now[key] = made
        return made


class OutOfDateError(LookupError):
    """Something that was read of the scene does not exist any more, or has changed."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where an object's mesh is found; valid until the scene changes."""

    depsgraph: bpy.types.Depsgraph
    original: bpy.types.Object | None  # None for an instance's own mesh: it exists while listed
    place: int  # of one of its instances in ``depsgraph.object_instances``
    is_evaluated: bool = True  # the displayed mesh; else the own, before modifiers and shape keys

    def of(self, original: bpy.types.Object) -> bpy.types.Object:
        """The object whose mesh is read, for one of several originals that share the mesh."""
        return original.evaluated_get(self.depsgraph) if self.is_evaluated else original

    def lent(self, found: bpy.types.Object) -> AbstractContextManager[bpy.types.Mesh]:
        """Lend the mesh of an object that was found."""
        return displayed_mesh(found, self.depsgraph) if self.is_evaluated else copied_mesh(found)

    def is_base_mesh(self, original: bpy.types.Object) -> bool:
        """Whether the mesh stands in for the levels that multiresolution sculpting draws."""
        if self.original is None or not self.is_evaluated:
            return False
        return draws_multires(original, self.depsgraph)

    @contextmanager
    def found(self) -> Iterator[bpy.types.Object]:
        """Lend the object whose mesh is read; OutOfDateError if it does not exist any more."""
        if self.original is not None:
            yield self.of(self.original)
            return
        for place, instance in enumerate(self.depsgraph.object_instances):
            if place == self.place:
                yield instance.object
                return
        raise OutOfDateError("the instance is not there any more")

    @contextmanager
    def opened(self) -> Iterator[tuple[bpy.types.Object, bpy.types.Mesh]]:
        """Lend the object and its mesh; an own mesh includes the edits that were flushed."""
        with self.found() as found, self.lent(found) as mesh:
            yield found, mesh


def displayed_mesh(
    evaluated: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> AbstractContextManager[bpy.types.Mesh]:
    """Lend the mesh that is shown of an object of a depsgraph, for reading only.

    In sculpt mode it is the mesh that the brush changes, unless shape keys or modifiers change it.
    """
    own: Any = evaluated.original.data
    is_brushed = (
        is_sculpted(evaluated, depsgraph)
        and not own.shape_keys
        and all(each.type == "MULTIRES" for each in shown_modifiers(evaluated, depsgraph))
    )
    # A copy, which shares unchanged arrays. Reading an attribute of the mesh itself may move its
    # array, to which the brush points.
    return copied_mesh(evaluated.original if is_brushed else evaluated)


@contextmanager
def copied_mesh(obj: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Lend the mesh of an object as ``to_mesh`` gives it."""
    mesh: Any = obj.to_mesh()
    try:
        yield mesh
    finally:
        obj.to_mesh_clear()


def mesh_size(mesh: bpy.types.Mesh) -> Size:
    """Count the elements of a mesh."""
    return len(mesh.vertices), len(mesh.edges), len(mesh.loops), len(mesh.polygons)


def _lasting_mesh(evaluated: bpy.types.Object, size: Size) -> bpy.types.Mesh | None:
    """`Object.data` where it is the displayed mesh and need not be copied; else None.

    After `displayed_mesh` has lent it, `Object.data` is that mesh, except where the GPU subdivides:
    the mesh lent then has another `size`. It is used in object mode alone: a mesh being edited
    seems empty, and brushes point into arrays that reading may move.
    """
    data = evaluated.data
    if not isinstance(data, bpy.types.Mesh) or evaluated.original.mode != "OBJECT":
        return None
    return data if not data.is_editmode and mesh_size(data) == size else None
