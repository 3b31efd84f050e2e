# SPDX-License-Identifier: MIT
"""Meshes in files: an .npz of the mesh's arrays and of the order of its tree's leaves.

The tree's boxes are not stored. They follow from the order and the vertices, bit by bit and sooner
than they are checked; and boxes that are not read cannot be wrong.
"""

import hashlib
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..bvh import Tree
from ..bvh.boxes import boxes_of
from ..bvh.refit import refit_tree
from ..errors import ArgumentError, DtypeError, MeshFileError
from ..numerics.arrays import FloatArray, IndexArray, IntArray
from . import npy_member, stored_archive, whole_file

VERSION = 1
"""Version of the format that is written; files of newer ones are refused."""

_VERSION_NAME = "raypick_mesh_version"

_NAMES = (
    *(_VERSION_NAME, "digest", "vertices", "triangles", "faces"),
    *("tree_center", "tree_scale", "tree_order"),
)

Array = npt.NDArray[Any]


def save(
    file: Any,
    vertices: FloatArray,
    triangles: IndexArray,
    faces: IntArray | None,
    tree: Tree | None,
) -> None:
    """Write a mesh, with its tree if there is one, as :meth:`.Mesh.save` has it."""
    version = np.array(VERSION, dtype=np.int64)
    arrays = {_VERSION_NAME: version, "vertices": vertices, "triangles": triangles}
    if faces is not None:
        arrays["faces"] = faces
    if tree is not None:
        scale = np.array(tree.scale, dtype=np.float64)
        arrays |= {"tree_center": tree.center, "tree_scale": scale, "tree_order": tree.order}
    arrays["digest"] = _digest(arrays)
    if not hasattr(file, "write"):
        with whole_file.atomic_write(file) as opened:
            _write(opened, arrays)
        return
    try:
        _write(file, arrays)
    except (TypeError, ValueError, AttributeError) as error:
        raise DtypeError(f"file is no binary file that can be written to: {error}") from None


def _write(file: Any, arrays: Mapping[str, Array]) -> None:
    """Write an .npz as ``numpy.savez`` does, which lets a failed archive write again later."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load(file: Any) -> tuple[FloatArray, IndexArray, IntArray | None, Tree | None]:
    """Read what :func:`save` was given, with the errors of :meth:`.Mesh.load`."""
    if not hasattr(file, "read"):
        with open(whole_file.path_of(file), "rb") as opened:
            return load(opened)
    try:
        arrays = _arrays(file)
        vertices, triangles, faces = _mesh(arrays)
        tree = _tree(arrays, vertices, triangles) if "tree_order" in arrays else None
    except MeshFileError:
        raise
    except MemoryError:
        raise MeshFileError("the mesh does not fit in memory") from None
    except ArgumentError as error:
        raise MeshFileError(f"the file's arrays are no mesh: {error}") from None
    return vertices, triangles, faces, tree


def _arrays(file: Any) -> dict[str, Array]:
    """All arrays of a file of a version that is known."""
    try:
        members = {member.name: member for member in stored_archive.members(file)}
        if f"{_VERSION_NAME}.npy" not in members:
            raise MeshFileError(f"the file holds no mesh: it has no {_VERSION_NAME}")
        _check_version(_read(file, members[f"{_VERSION_NAME}.npy"]))
        unknown = sorted(members.keys() - {f"{name}.npy" for name in _NAMES})
        if unknown:
            raise MeshFileError(f"the file holds {unknown[0]!r}, which no saved mesh does")
        return {
            name: _read(file, members[f"{name}.npy"]) for name in _NAMES if f"{name}.npy" in members
        }
    except (MeshFileError, MemoryError):
        raise
    except Exception as error:
        # It is the file object that fails, not its content: closed, on a broken disk, no file.
        raise MeshFileError(f"the file cannot be read: {error}") from None


def _read(file: Any, member: stored_archive.Member) -> Array:
    return npy_member.read(stored_archive.Reader(file, member))


def _check_version(version: Array) -> None:
    if version.shape != () or version.dtype.kind not in "iu" or version < 1:
        raise MeshFileError(f"{_VERSION_NAME} must be a whole number from 1, not {version}")
    if version > VERSION:
        raise MeshFileError(
            f"the file is of format version {version}, but this Raypick reads none after {VERSION}"
        )


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


def _tree(arrays: Mapping[str, Array], vertices: FloatArray, triangles: IndexArray) -> Tree:
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
    # By the vertices: in units that do not fit them, the box of a triangle need not be finite.
    finite = np.asarray(np.isfinite(vertices).all(axis=1))[triangles].all(axis=1)
    if (finite & ~held).any():
        raise MeshFileError(f"triangle {np.argmax(finite & ~held)} is in no leaf of the tree")
    lower, upper = boxes_of(vertices, triangles, center, scale)
    if not ((lower[:, finite] >= -2.0).all() and (upper[:, finite] <= 2.0).all()):
        raise MeshFileError("tree_center and tree_scale do not fit the vertices")
    return refit_tree(order.astype(triangles.dtype), lower, upper, center, scale)


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
