# SPDX-License-Identifier: MIT
"""What is in a mesh file, or in a table of rays or hits."""

import os
from argparse import Namespace
from typing import Any

from ..console import about
from ..errors import ArgumentError
from ..files.mesh_file import is_mesh
from ..files.whole_file import ending_of
from ..mesh import Mesh
from ..mesh_reading import load_mesh
from ..scene import Scene
from ..scene_file import is_scene, load_scene
from ..tables import Table, read_rays, read_table
from ..tables.table import leading_shape
from .meshes import meshes_of, triangles_not_finite


def info(asked: Namespace) -> dict[str, Any]:
    """Do what the command "info" asks for."""
    with about(asked.file):
        facts = _of(asked.file)
    return {"file": asked.file, "bytes": os.path.getsize(asked.file), **facts}


def _of(path: str) -> dict[str, Any]:
    ending = ending_of(path)
    if is_scene(path):
        return _of_scene(load_scene(path))
    if ending in (".csv", ".parquet") or (ending == ".npz" and not is_mesh(path)):
        return _of_table(read_table(path))
    if ending == ".npy":
        rays = read_rays(path)
        columns = {"origins": rays.origins, "directions": rays.directions}
        return _of_table(Table(columns, {}, {}, {}))
    return _of_mesh(load_mesh(path))


def _of_mesh(mesh: Mesh) -> dict[str, Any]:
    lower, upper = mesh.bounds
    faces = mesh.faces
    return {
        "kind": "mesh",
        "vertices": len(mesh.vertices),
        "triangles": len(mesh.triangles),
        "faces": int(faces.max()) + 1 if len(faces) else 0,
        "lower": lower,
        "upper": upper,
        "triangles_not_finite": triangles_not_finite(mesh),
        "closed": mesh.is_closed,
        "tree": mesh.tree is not None,
    }


def _of_scene(scene: Scene) -> dict[str, Any]:
    lower, upper = scene.bounds
    return {
        "kind": "scene",
        "instances": len(scene),
        "meshes": len(meshes_of(scene)),
        "triangles_not_finite": triangles_not_finite(scene),
        "lower": lower,
        "upper": upper,
    }


def _of_table(table: Table) -> dict[str, Any]:
    columns = {
        name: f"{array.dtype} {list(array.shape)}".replace("[]", "")
        for name, array in {**table.columns, **table.extra}.items()
    }
    return {
        "kind": "table",
        "shape": _shape(table),
        "columns": columns,
        "names": {name: len(texts) for name, texts in table.names.items()},
        "meta": table.meta,
    }


def _shape(table: Table) -> tuple[int, ...] | None:
    """The shape of the rows; None if the arrays of an archive have none in common."""
    try:
        return leading_shape(table.columns)
    except ArgumentError:
        return None
