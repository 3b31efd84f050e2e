# SPDX-License-Identifier: MIT
"""Meshes in files: an .npz of the mesh's arrays and of the order of its tree's leaves.

The tree's boxes are not stored. They follow from the order and the vertices, bit by bit and sooner
than they are checked; and boxes that are not read cannot be wrong.
"""

from __future__ import annotations

import hashlib
import math
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import arguments, bvh
from .arrays import FloatArray, IndexArray, IntArray
from .errors import ArgumentError, DtypeError, MeshFileError

VERSION = 1
"""Version of the format that is written; files of newer ones are refused."""

_VERSION_NAME = "raypick_mesh_version"

# What NumPy and zipfile raise, sooner or later, for one wrong byte or another.
_UNREADABLE = (
    EOFError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)

Array = npt.NDArray[Any]


def save(
    file: Any,
    vertices: FloatArray,
    triangles: IndexArray,
    faces: IntArray | None,
    tree: bvh.Tree | None,
) -> None:
    """Write a mesh, with its tree if there is one.

    Parameters
    ----------
    file : path-like or binary file object
        A path is taken as it is: no ending is added.
    vertices : ndarray (V, 3) of float64
    triangles : ndarray (T, 3) of int32 or int64
    faces : ndarray (T,) of int64, optional
    tree : Tree, optional
    """
    arrays: dict[str, Array] = {
        _VERSION_NAME: np.array(VERSION, dtype=np.int64),
        "vertices": vertices,
        "triangles": triangles,
    }
    if faces is not None:
        arrays["faces"] = faces
    if tree is not None:
        arrays["tree_center"] = tree.center
        arrays["tree_scale"] = np.array(tree.scale, dtype=np.float64)
        arrays["tree_order"] = tree.order
    arrays["digest"] = _digest(arrays)
    if hasattr(file, "write"):
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return
    with open(file, "wb") as opened:
        np.savez(opened, **arrays)  # type: ignore[arg-type]


def load(file: Any) -> tuple[FloatArray, IndexArray, IntArray | None, bvh.Tree | None]:
    """Read what :func:`save` wrote.

    Returns
    -------
    vertices, triangles, faces, tree
        As they were given to :func:`save`.

    Raises
    ------
    MeshFileError
        If the file is not one of a mesh, is damaged, is of a newer version, or its arrays do not
        fit each other.
    OSError
        If it cannot be opened.
    """
    if not hasattr(file, "read"):
        with open(file, "rb") as opened:
            return load(opened)
    arrays = _arrays(file)
    try:
        vertices, triangles, faces = _mesh(arrays)
        tree = _tree(arrays, vertices, triangles) if "tree_order" in arrays else None
    except MeshFileError:
        raise
    except ArgumentError as error:
        raise MeshFileError(f"the file's arrays are no mesh: {error}") from None
    return vertices, triangles, faces, tree


def _arrays(file: Any) -> dict[str, Array]:
    """All arrays of a file of a version that is known."""
    try:
        start = file.tell()
        if not zipfile.is_zipfile(file):
            raise MeshFileError("the file is damaged, or no .npz archive")
        file.seek(start)
        archive = np.load(file, allow_pickle=False)
        with archive:
            if _VERSION_NAME not in archive:
                raise MeshFileError(f"the file holds no mesh: it has no {_VERSION_NAME}")
            _check_version(archive[_VERSION_NAME])
            return {name: _native(archive[name]) for name in archive}
    except MeshFileError:
        raise
    except _UNREADABLE as error:
        raise MeshFileError(f"the file is damaged, or no .npz archive: {error}") from None


def _check_version(version: Array) -> None:
    if version.shape != () or version.dtype.kind not in "iu" or version < 1:
        raise MeshFileError(f"{_VERSION_NAME} must be a whole number from 1, not {version}")
    if version > VERSION:
        raise MeshFileError(
            f"the file is of format version {version}, but this Raypick reads none after {VERSION}"
        )


def _native(array: Array) -> Array:
    """An array in the byte order of this machine, row by row."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)


def _mesh(arrays: Mapping[str, Array]) -> tuple[FloatArray, IndexArray, IntArray | None]:
    if _array(arrays, "digest", "u1").tobytes() != _digest(arrays).tobytes():
        raise MeshFileError(
            "the arrays are not those that were saved together: a tree does not fit its mesh, "
            "or the file is damaged"
        )
    stored, rows = _array(arrays, "vertices", "f8"), _array(arrays, "triangles", "i4", "i8")
    vertices = arguments.floats(stored, "vertices", (None, 3))
    triangles = arguments.triangle_indices(rows, len(vertices))
    if "faces" not in arrays:
        return vertices, triangles, None
    faces = arguments.face_indices(_array(arrays, "faces", "i8"), len(triangles))
    return vertices, triangles, faces


def _tree(arrays: Mapping[str, Array], vertices: FloatArray, triangles: IndexArray) -> bvh.Tree:
    """The tree of a stored order, once it is one of these triangles."""
    center = arguments.point(_array(arrays, "tree_center", "f8"), "tree_center")
    scale = float(arguments.floats(_array(arrays, "tree_scale", "f8"), "tree_scale", ()))
    order = _array(arrays, "tree_order", "i4", "i8")
    if not (0.0 < scale < math.inf and math.frexp(scale)[0] == 0.5):
        raise MeshFileError(f"tree_scale must be a power of two, not {scale}")
    if order.ndim != 1:
        raise MeshFileError(f"tree_order must be a list, not of shape {order.shape}")
    held = arguments.mask(order, len(triangles), "tree_order")
    if np.count_nonzero(held) != len(order):
        raise MeshFileError("tree_order names a triangle twice")
    lower, upper = bvh.boxes_of(vertices, triangles, center, scale)
    finite = np.isfinite(lower).all(axis=0) & np.isfinite(upper).all(axis=0)
    if (finite & ~held).any():
        raise MeshFileError(f"triangle {np.argmax(finite & ~held)} is in no leaf of the tree")
    if (lower[:, finite] < -2.0).any() or (upper[:, finite] > 2.0).any():
        raise MeshFileError("tree_center and tree_scale do not fit the vertices")
    return bvh.refit(order.astype(triangles.dtype), lower, upper, center, scale)


def _array(arrays: Mapping[str, Array], name: str, *dtypes: str) -> Array:
    """One array, of one of these types."""
    if name not in arrays:
        raise MeshFileError(f"the file has no {name}")
    array = arrays[name]
    if array.dtype.str[1:] not in dtypes:
        raise DtypeError(f"{name} must be of {' or '.join(dtypes)}, not {array.dtype.str[1:]}")
    return array


def _digest(arrays: Mapping[str, Array]) -> npt.NDArray[np.uint8]:
    """A fingerprint of names, types, shapes and numbers, on machines of any byte order alike."""
    digest = hashlib.blake2b(digest_size=32)
    for name in sorted(set(arrays) - {"digest"}):
        array = np.ascontiguousarray(arrays[name], arrays[name].dtype.newbyteorder("<"))
        digest.update(f"{name} {array.dtype.str} {arrays[name].shape};".encode())
        digest.update(array.view(np.uint8).data if array.size else b"")
    return np.frombuffer(digest.digest(), dtype=np.uint8)
