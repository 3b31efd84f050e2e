# SPDX-License-Identifier: MIT
"""Scenes and meshes in files.

A scene is a table of NumPy arrays: its meshes, each once, and its instances.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .arguments import Border, instance_of
from .building.buildable import Building
from .cast.rays import Geometry
from .concurrency.threads import ThreadLimit
from .engines import Engine, check_engine
from .errors import ArgumentError, DtypeError, MeshFileError, TableFileError
from .files import gltf, meshes, obj, off, ply, stl
from .files.meshes import fans
from .files.whole_file import ending_of, path_of
from .instancing.instance import Placeable
from .mesh import Mesh
from .numerics.arrays import IntArray
from .numerics.reading import described
from .polygon_mesh import PolygonMesh
from .scene import Scene
from .tables import Table, read_meta, read_table, write_table

File = str | os.PathLike[str]

VERSION = 1
"""Version of the format that is written; files of newer ones are refused."""

_MARK = "raypick_scene"


def save_scene(scene: Scene, path: File) -> None:
    """Write a scene to a file that :func:`load_scene` reads: its meshes, matrices and names.

    Trees and ids are not stored. An existing file stays whole until the new one takes its place.

    Parameters
    ----------
    scene : Scene
        A scene of :class:`.Mesh` and :class:`.PolygonMesh` objects.
    path : path-like
        With the ending ``.npz``.

    Raises
    ------
    DtypeError
        If it is not a Scene, or has instances of other classes.
    ArgumentError
        If the path has another ending.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import standalone_core as sc
    >>> scene = sc.Scene()
    >>> tile = sc.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> tile_id = scene.add(tile, name="Tile")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sc.save_scene(scene, f"{folder}/scene.npz")
    ...     again = sc.load_scene(f"{folder}/scene.npz")
    >>> again.ray_cast((0.25, 0.25, 1), (0, 0, -1)).distance, again[tile_id].name
    (1.0, 'Tile')
    """
    scene = instance_of(scene, Scene, "scene")
    _check_ending(path)
    placed = [scene[identifier] for identifier in scene]
    kinds: dict[Placeable, int] = {}
    mesh = [kinds.setdefault(instance.mesh, len(kinds)) for instance in placed]
    texts = [instance.name for instance in placed if instance.name is not None]
    numbers = iter(range(len(texts)))
    write_table(
        path,
        {
            "mesh": np.array(mesh, dtype=np.int64),
            "matrix": np.array([each.matrix for each in placed]).reshape(-1, 4, 4),
            "name": np.array([-1 if i.name is None else next(numbers) for i in placed], np.int64),
        },
        names={"name": texts},
        extra=_arrays([_plain(each) for each in kinds]),
        meta={_MARK: VERSION},
    )


def load_scene(path: File, engine: Engine = "auto") -> Scene:
    """Read a scene that :func:`save_scene` wrote; its answers are the same to the last bit.

    The ids of its instances are 0, 1 and so on, in their order.

    Parameters
    ----------
    path : path-like
        With the ending ``.npz``.
    engine : {"auto", "numpy", "numba"}
        The engine of all meshes, as for a new :class:`.Mesh`.

    Returns
    -------
    Scene

    Raises
    ------
    MeshFileError
        If the file is damaged, or holds no scene.
    EngineError
        If the engine is unknown, or cannot be used here.
    OSError
        If it cannot be opened.

    Examples
    --------
    See :func:`save_scene`.

    >>> import standalone_core as sc
    >>> sc.load_scene("scene.obj")
    Traceback (most recent call last):
    standalone_core.errors.ArgumentError: the file of a scene ends in .npz, unlike 'scene.obj'
    """
    _check_ending(path)
    check_engine(engine)
    try:
        table = read_table(path)
        version = table.meta.get(_MARK)
        if isinstance(version, int) and 1 <= version <= VERSION:
            return _scene(table, engine)
    except (ArgumentError, KeyError, IndexError) as error:
        raise MeshFileError(f"the file holds no sound scene: {error}") from None
    raise MeshFileError(f"the file holds no scene of a version up to {VERSION}")


def is_scene(path: File) -> bool:
    """Whether a file has the mark of a scene."""
    try:
        _check_ending(path)
        return _MARK in read_meta(path)
    except (ArgumentError, TableFileError):
        return False


def load_mesh_or_scene(
    path: File, engine: Engine = "auto", threads: int | None = None
) -> Mesh | Scene:
    """Read a file that holds either a mesh or a scene."""
    if is_scene(path):
        return load_scene(path, engine)
    return load_mesh(path, engine, threads=threads)


def _check_ending(path: File) -> None:
    if ending_of(path_of(path)) != ".npz":
        raise ArgumentError(f"the file of a scene ends in .npz, unlike {described(path)}")


def _plain(mesh: Placeable) -> Mesh:
    if isinstance(mesh, PolygonMesh):
        return mesh.as_mesh()
    if isinstance(mesh, Mesh):
        return mesh
    raise DtypeError(f"scene has an instance of {type(mesh).__name__}, which no file holds")


def _arrays(meshes: list[Mesh]) -> dict[str, Any]:
    """The arrays of all meshes, concatenated, and the rows where each mesh begins."""
    no_rows, no_faces = np.empty((0, 3), np.int64), np.empty(0, np.int64)
    return {
        "vertices": np.concatenate([np.empty((0, 3)), *(mesh.vertices for mesh in meshes)]),
        "triangles": np.concatenate([no_rows, *(mesh.triangles for mesh in meshes)]),
        "faces": np.concatenate([no_faces, *(mesh.faces for mesh in meshes)]),
        "vertex_splits": _splits([len(mesh.vertices) for mesh in meshes]),
        "triangle_splits": _splits([len(mesh.triangles) for mesh in meshes]),
        "closed_border": np.array([mesh.border == "closed" for mesh in meshes], dtype=np.bool_),
    }


def _splits(counts: list[int]) -> IntArray:
    return np.append(0, np.cumsum(counts, dtype=np.int64)).astype(np.int64)


def _scene(table: Table, engine: Engine) -> Scene:
    columns, extra = table.columns, table.extra
    parts = (
        _parts(_checked(extra["vertices"], np.float64, 2), extra["vertex_splits"]),
        _parts(_checked(extra["triangles"], np.int64, 2), extra["triangle_splits"]),
        _parts(_checked(extra["faces"], np.int64), extra["triangle_splits"]),
    )
    borders = _checked(extra["closed_border"], np.bool_)
    if not len(borders) == len(parts[0]) == len(parts[1]):
        raise MeshFileError("the arrays are of different numbers of meshes")
    meshes = [
        Mesh(*arrays, engine, border="closed" if closed else "open", copy=False)
        for arrays, closed in zip(zip(*parts, strict=True), borders, strict=True)
    ]
    texts = table.names["name"]
    rows = _checked(columns["name"], np.int64).tolist()
    names = [None if row < 0 else texts[row] for row in rows]
    scene = Scene()
    rows = _checked(columns["mesh"], np.int64).tolist()
    if min(rows, default=0) < 0:
        raise MeshFileError("an instance is of no mesh")
    scene.add_many([meshes[row] for row in rows], columns["matrix"], names)
    return scene


def _checked(values: Any, dtype: type, axes: int = 1) -> Any:
    """Return an array if its type and axes are those that :func:`save_scene` writes."""
    if values.dtype != dtype or values.ndim != axes:
        raise MeshFileError(f"an array is {values.dtype} of shape {values.shape}")
    return values


def _parts(values: Any, splits: Any) -> list[Any]:
    """The parts of an array of all meshes, one for each mesh."""
    places = _checked(splits, np.int64)
    known = np.append(np.diff(places), 0)
    if not len(places) or places[0] or places[-1] != len(values) or known.min() < 0:
        raise MeshFileError("the meshes are not as long as their arrays")
    # Without places, np.split makes a part too.
    return np.split(values, places[1:-1])[: len(places) - 1]


_OWN = {
    ".glb": gltf.read,
    ".gltf": gltf.read,
    ".obj": obj.read,
    ".off": off.read,
    ".ply": ply.read,
    ".stl": stl.read,
    ".stl_ascii": stl.read,
}


def load_mesh(
    path: str | os.PathLike[str],
    engine: Engine = "auto",
    building: Building = "auto",
    threads: int | None = None,
    *,
    border: Border = "open",
) -> Mesh:
    r"""Read a mesh from a file, whose ending tells its format.

    Parameters
    ----------
    path : path-like
        ``.npz`` of :meth:`.Mesh.save`, with its tree; ``.obj``; ``.ply``, ``.stl``, ``.gltf`` and
        ``.glb``, text or binary; ``.off``, text, of three dimensions. Files with any other ending
        are read by meshio or else trimesh, if one is installed and supports the format.
    engine, building, border
        As for a new :class:`.Mesh`.
    threads : int, optional
        How many threads read an ``.npz``, this one included; see :func:`.set_threads`.

    Returns
    -------
    Mesh
        In the space of the file, with its vertices in their order. A polygon is split as a fan
        around its first corner, and :attr:`.Mesh.faces` has the polygon of each triangle. Each
        triangle of a strip is a face, even without area; in a PLY file they come after the others.
        Corners of an STL file that are equal to the last bit are one vertex, and triangle i is the
        i-th of the file. A glTF file gives its scene at rest, each mesh where its node places it.
        Its files of buffers must be in its folder. If it requires an extension that is not
        supported, such as a compression, an error names the extension. Trimesh returns triangles,
        never polygons.

    Raises
    ------
    MeshFileError
        If the file is damaged, is of another format, or holds no faces.
    MissingPackageError
        If nothing that is installed reads its format.
    OSError
        If it cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/square.obj", "w") as file:
    ...         _ = file.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    ...     mesh = load_mesh(f"{folder}/square.obj")
    >>> mesh.triangles.tolist(), mesh.faces.tolist()
    ([[0, 1, 2], [0, 2, 3]], [0, 0])
    """
    name = path_of(path)
    ending = ending_of(name)
    if ending == ".npz":
        return Mesh.load(name, engine, building, threads, border=border)
    with ThreadLimit(threads), open(name, "rb") as file:
        try:
            found = _OWN[ending](file) if ending in _OWN else meshes.read(name, ending)
            arrays = Geometry(*fans(found)).constant()
            return Mesh(*arrays, engine, building, border=border, copy=False)
        except MemoryError:
            raise MeshFileError("the mesh does not fit in memory") from None
