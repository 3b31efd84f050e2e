# SPDX-License-Identifier: MIT
"""Mesh files of all other formats, read by trimesh or else meshio, where they are installed."""

import io
import re
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from ..concurrency.forks import imported
from ..errors import MeshFileError, MissingPackageError
from .faces import Faces, whole_numbers

# What meshio calls faces whose edges are straight.
_FACES = ("triangle", "quad", "polygon")

_SKIN = re.compile(rb"<(?:\w+:)?instance_controller\b")  # of COLLADA


def read(path: str, ending: str) -> Faces:
    """The faces of a file; MissingPackageError if nothing here reads its format."""
    trimesh, meshio = _package("trimesh"), _package("meshio")
    by_trimesh = trimesh is not None and ending[1:] in trimesh.available_formats()
    by_meshio = meshio is not None and ending in meshio.extension_to_filetypes
    if by_meshio:  # also what both list: trimesh has it read by meshio, and splits its faces
        reader = _by_meshio
    elif by_trimesh:
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
    if not len(found.counts):  # which the file may have, such as those that a skin bends
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
    scene.graph.repair_rigid = None  # it would turn and scale what is nearly rigid until it is
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
