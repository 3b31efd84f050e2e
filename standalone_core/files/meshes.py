# SPDX-License-Identifier: MIT
"""The faces of a mesh file, and formats that trimesh or meshio read."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..concurrency.forks import imported
from ..errors import MeshFileError, MissingPackageError
from ..numerics.arrays import FloatArray, IntArray


class Faces(NamedTuple):
    """Vertices (V, 3), the vertex of each corner (L,), and how many corners each face has (F,)."""

    vertices: FloatArray
    corners: IntArray
    counts: IntArray


def fans(faces: Faces) -> tuple[FloatArray, IntArray, IntArray | None]:
    """Vertices, the triangles (T, 3) of all faces, and the face (T,) of each if not its own row.

    A face is split as a fan around its first corner; with less than three corners, it is left out.
    MeshFileError if a corner has no vertex, or if there is no triangle.
    """
    vertices, corners, counts = faces
    outside = (corners < 0) | (corners >= len(vertices))
    if outside.any():
        corner = int(np.argmax(outside))
        owner = int(np.searchsorted(np.cumsum(counts), corner, "right"))
        raise MeshFileError(
            f"face {owner} has the vertex {corners[corner]}, counted from 0, "
            f"but the file has {len(vertices)}"
        )
    each = np.maximum(counts - 2, 0)
    if not each.any():
        raise MeshFileError("the file has no faces, so there is nothing to hit")
    starts = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), each)
    step = np.arange(len(face)) - np.repeat(np.cumsum(each) - each, each)
    first = starts[face]
    rows = np.stack([first, first + step + 1, first + step + 2], axis=1)
    return vertices, corners[rows], None if (counts == 3).all() else face


def strips(corners: IntArray) -> IntArray:
    """The triangles (T, 3) of strips, which -1 separates; every second in a strip is reversed."""
    index = np.arange(len(corners))
    first = np.maximum.accumulate(np.where(corners == -1, index + 1, 0))
    start = index[: max(len(corners) - 2, 0)]
    turned = (start - first[: len(start)]) % 2
    triangles = corners[np.stack([start, start + 1 + turned, start + 2 - turned], axis=1)]
    return np.asarray(triangles[(triangles != -1).all(axis=1)])


def whole_numbers(values: npt.NDArray[Any], name: str) -> IntArray:
    """Numbers of any type as int64; MeshFileError if one is not whole."""
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    if values.dtype.kind == "f" and not (whole == values).all():
        raise MeshFileError(f"{name} are not all whole numbers")
    return whole


_FACES = ("triangle", "quad", "polygon")  # meshio's names for faces with straight edges
_SKIN = re.compile(rb"<(?:\w+:)?instance_controller\b")  # of COLLADA


def read(path: str, ending: str) -> Faces:
    """The faces of a file; MissingPackageError if nothing here reads its format."""
    trimesh, meshio = _package("trimesh"), _package("meshio")
    # Formats that both list are for meshio: trimesh would call meshio too, and split the faces.
    if meshio is not None and ending in meshio.extension_to_filetypes:
        reader = _by_meshio
    elif trimesh is not None and ending[1:] in trimesh.available_formats():
        reader = _by_trimesh
    else:
        raise MissingPackageError(_why_none(ending, trimesh, meshio))
    name = reader.__name__.removeprefix("_by_")
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            found = reader(path)
    except (MeshFileError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # meshio prints why, and ends Python
        why = said.getvalue() if isinstance(error, SystemExit) else str(error)
        raise MeshFileError(
            f"{name} cannot read the file and says: {' '.join(why.split())}"
        ) from None
    if not len(found.counts):  # the file may have faces that are not read, such as skinned ones
        raise MeshFileError(f"{name} finds no faces in the file")
    return found


def _why_none(ending: str, trimesh: Any, meshio: Any) -> str:
    files = f"mesh files of {ending!r}" if ending else "mesh files without an ending"
    if trimesh is None and meshio is None:
        return f"{files} need trimesh or meshio, of which none is installed"
    if trimesh is None or meshio is None:
        there, other = ("meshio", "trimesh") if trimesh is None else ("trimesh", "meshio")
        return f"{there} reads no {files}, and {other} is not installed"
    return f"neither trimesh nor meshio reads {files}"


def _package(name: str) -> Any:
    try:
        return imported(name)
    except ImportError:
        return None


def _by_trimesh(path: str) -> Faces:
    """All meshes of a file in its space, nothing merged and nothing left out."""
    if path.casefold().endswith(".dae") and _SKIN.search(Path(path).read_bytes()):
        raise MeshFileError("it has meshes with skins, which trimesh leaves out")
    scene = imported("trimesh").load_scene(path, process=False)
    scene.graph.repair_rigid = None  # it would make nearly rigid matrices exactly rigid
    mesh = scene.to_mesh()
    triangles = np.asarray(mesh.faces, np.int64).reshape(-1, 3)
    vertices = np.asarray(mesh.vertices, np.float64).reshape(-1, 3)
    return Faces(vertices, triangles.reshape(-1), np.full(len(triangles), 3))


def _by_meshio(path: str) -> Faces:
    """The faces of a file: triangles, quads and polygons; solids have none."""
    mesh = imported("meshio").read(path)
    blocks = [each.data for each in mesh.cells if each.type in _FACES]
    for each in mesh.cells:
        if each.dim == 2 and each.type not in _FACES:
            raise MeshFileError(f"the file has faces of the kind {each.type!r}, which are not read")
    rows = [np.asarray(row) for block in blocks for row in block]
    corners = np.concatenate(rows) if rows else np.empty(0, np.int64)
    counts = np.array([len(row) for row in rows], np.int64)
    points = np.asarray(mesh.points, np.float64)
    if points.shape[1] == 2:
        points = np.pad(points, ((0, 0), (0, 1)))
    return Faces(points, whole_numbers(corners, "the vertices of faces"), counts)
