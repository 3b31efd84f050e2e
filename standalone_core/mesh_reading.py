# SPDX-License-Identifier: MIT
"""Meshes from the files of many tools."""

import os
from typing import IO

from .arguments import Border
from .building.buildable import Building
from .concurrency.thread_count import ThreadLimit
from .engines import Engine
from .errors import MeshFileError
from .files import gltf, obj, off, other_meshes, ply, stl
from .files.faces import Faces, fans
from .files.whole_file import ending_of, path_of
from .mesh import Mesh

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
        ``.npz`` of :meth:`.Mesh.save`, which has the tree too; ``.obj``; ``.ply``, ``.stl``,
        ``.gltf`` and ``.glb`` in text or bytes; ``.off`` in text, of three dimensions. Any other
        ending is read by meshio or else trimesh, where one is installed and knows it.
    engine, building, border
        As for a new :class:`.Mesh`.
    threads : int, optional
        How many threads read an ``.npz``, this one included; see :func:`.set_threads`.

    Returns
    -------
    Mesh
        In the space of the file, with its vertices in their order. A polygon is split as a fan
        around its first corner, and :attr:`.Mesh.faces` has the polygon of each triangle. Each
        triangle of a strip is a face, also one without area; in a PLY file they come after the
        others. Corners of an STL file that are equal to the last bit are one vertex, and triangle i
        is the i-th of the file. A glTF file is its scene at rest, each mesh where its node places
        it; its buffers are read from files of its folder alone, and an extension that it requires
        and that is not read, such as a compression, is an error that names it. What trimesh reads
        is triangles, whatever the file has.

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
            vertices, triangles, faces = fans(_faces(file, name, ending))
            return Mesh(vertices, triangles, faces, engine, building, border=border, copy=False)
        except MemoryError:
            raise MeshFileError("the mesh does not fit in memory") from None


def _faces(file: IO[bytes], name: str, ending: str) -> Faces:
    return _OWN[ending](file) if ending in _OWN else other_meshes.read(name, ending)
