# SPDX-License-Identifier: MIT
"""Meshes in files: an .npz of the mesh's arrays and of the order of its tree's leaves.

The tree's boxes are not stored. To compute the same bits from the order and the vertices takes less
time than to check stored boxes, which could be wrong. Files are not mapped into memory either: what
another process wrote to them later would not be checked.

The checksums of the arrays in the archive reveal damage. The digest of these checksums reveals
arrays that were not saved together; in version 1 it was a digest of all bytes, which took longer
than reading them. Neither stops a forger, so all that could do harm is checked separately.
"""

import hashlib
import math
import os
import zipfile
from collections.abc import Iterable, Mapping
from io import FileIO
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..bvh import Tree
from ..cast.rays import Geometry
from ..concurrency.forks import Lock
from ..concurrency.threads import on_all_cores
from ..errors import ArgumentError, DtypeError, MeshFileError
from ..numerics.arrays import FloatArray, IndexArray, IntArray, finite_bounds
from . import archive, whole_file
from .archive import read_npy, write_npy

VERSION = 2
"""Version of the format that is written; files of newer ones are refused."""

_VERSION_NAME = "raypick_mesh_version"
_NAMES = (
    *(_VERSION_NAME, "digest", "vertices", "triangles", "faces"),
    *("tree_center", "tree_scale", "tree_order"),
)

_ENDING = ".npy"
_BYTES_A_NUMBER = 16  # bytes read in the time that work on one number takes, see on_all_cores

Array = npt.NDArray[Any]

TreeOrder = tuple[IndexArray, FloatArray, float]
"""Order, center and scale, from which :meth:`.EngineModule.refit` makes the tree again."""

File = str | os.PathLike[str] | IO[bytes]
"""What meshes are written to and read from: a path, or a binary file object."""


def save(
    file: File,
    vertices: FloatArray,
    triangles: IndexArray,
    faces: IntArray | None,
    tree: Tree | None,
) -> None:
    """Write a mesh, with its tree if there is one; see :meth:`.Mesh.save`."""
    version = np.array(VERSION, dtype=np.int64)
    arrays = {_VERSION_NAME: version, "vertices": vertices, "triangles": triangles}
    if faces is not None:
        arrays["faces"] = faces
    if tree is not None:
        scale = np.array(tree.scale, dtype=np.float64)
        arrays |= {"tree_center": tree.center, "tree_scale": scale, "tree_order": tree.order}
    if not hasattr(file, "write"):
        with whole_file.atomic_write(file) as opened:
            _write(opened, arrays)
        return
    try:
        _write(file, arrays)
    except (TypeError, ValueError, AttributeError) as error:
        raise DtypeError(f"file is no binary file that can be written to: {error}") from None


def _write(file: Any, arrays: Mapping[str, Array]) -> None:
    """Write an .npz.

    Unlike with ``numpy.savez``, no archive stays open after a failure, which would write again
    when it is deleted.
    """
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:

        def write(name: str, array: Array) -> None:
            with archive.open(f"{name}{_ENDING}", "w", force_zip64=True) as member:
                write_npy(member, array)

        for name, array in arrays.items():
            write(name, array)
        sums = ((each.filename, each.file_size, each.CRC) for each in archive.infolist())
        write("digest", _digest(sums))


def is_mesh(path: str) -> bool:
    """Whether a file is an archive with a mesh, as :func:`save` writes it."""
    try:
        with open(path, "rb", buffering=0) as file:
            names = {member.name for member in archive.members(file)}
    except MeshFileError:
        return False
    return f"{_VERSION_NAME}{_ENDING}" in names


def load(file: File) -> tuple[FloatArray, IndexArray, IntArray | None, TreeOrder | None]:
    """Read what :func:`save` was given, with the errors of :meth:`.Mesh.load`."""
    if not hasattr(file, "read"):
        with open(whole_file.path_of(file), "rb", buffering=0) as opened:
            return load(opened)
    try:
        arrays = _arrays(file)
        stored, rows = _array(arrays, "vertices", "f8"), _array(arrays, "triangles", "i4", "i8")
        vertices = arguments.floats(stored, "vertices", (None, 3))
        triangles = arguments.triangle_indices(rows, len(vertices))
        faces = tree = None
        if "faces" in arrays:
            faces = arguments.face_indices(_array(arrays, "faces", "i8"), len(triangles))
        if "tree_order" in arrays:
            tree = _tree(arrays, vertices, triangles)
    except MeshFileError:
        raise
    except MemoryError:
        raise MeshFileError("the mesh does not fit in memory") from None
    except ArgumentError as error:
        raise MeshFileError(f"the file's arrays are no mesh: {error}") from None
    return *Geometry(vertices, triangles, faces).constant(), tree


def _arrays(file: Any) -> dict[str, Array]:
    """All arrays of a file; MeshFileError if its version is unknown or they do not fit."""
    try:
        lock = Lock()
        members = {member.name.removesuffix(_ENDING): member for member in archive.members(file)}
        if _VERSION_NAME not in members:
            raise MeshFileError(f"the file holds no mesh: it has no {_VERSION_NAME}")

        def read(member: archive.Member) -> Array:
            return read_npy(archive.Reader(file, member, lock))

        version = _checked_version(read(members[_VERSION_NAME]))
        unknown = sorted(members.keys() - set(_NAMES))
        if unknown:
            raise MeshFileError(f"the file holds {members[unknown[0]].name!r}, which no mesh has")
        size = sum(member.size for member in members.values())
        # A caller's file object may not be thread-safe.
        work = size // _BYTES_A_NUMBER if type(file) is FileIO else 0
        found = on_all_cores(read, members.values(), work)
        arrays = dict(zip(members, found, strict=True))
    except (MeshFileError, MemoryError):
        raise
    except Exception as error:
        # The file object fails, not its content: it is closed, no file, or on a broken disk.
        raise MeshFileError(f"the file cannot be read: {error}") from None
    sums = ((member.name, member.size, member.crc) for member in members.values())
    digest = _digest_of_arrays(arrays) if version == 1 else _digest(sums)
    if _array(arrays, "digest", "u1").tobytes() != digest.tobytes():
        raise MeshFileError(
            "the arrays are not those that were saved together: a tree does not fit its mesh, "
            "or the file is damaged"
        )
    return arrays


def _checked_version(version: Array) -> int:
    if version.shape != () or version.dtype.kind not in "iu" or version < 1:
        raise MeshFileError(f"{_VERSION_NAME} must be a whole number from 1, not {version}")
    if version > VERSION:
        raise MeshFileError(
            f"the file is of format version {version}, but this Raypick reads none after {VERSION}"
        )
    return int(version)


def _tree(arrays: Mapping[str, Array], vertices: FloatArray, triangles: IndexArray) -> TreeOrder:
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
    if len(order) < len(triangles):
        left_out = np.flatnonzero(~held)  # rays must not be able to hit these
        finite = np.isfinite(vertices[triangles[left_out]]).reshape(-1, 9).all(axis=1)
        if finite.any():
            raise MeshFileError(f"triangle {left_out[np.argmax(finite)]} is in no leaf of the tree")
    with np.errstate(over="ignore", invalid="ignore"):
        # Rounded as boxes are (:func:`.boxes_of`); NaN where no vertex is finite.
        reach = ((np.array(finite_bounds(vertices)) - center) / scale).astype(np.float32)
    if (np.abs(reach) > 2.0).any():
        raise MeshFileError("tree_center and tree_scale do not fit the vertices")
    return order.astype(triangles.dtype, copy=False), center, scale


def _array(arrays: Mapping[str, Array], name: str, *dtypes: str) -> Array:
    if name not in arrays:
        raise MeshFileError(f"the file has no {name}")
    array = arrays[name]
    if array.dtype.str[1:] not in dtypes:
        raise DtypeError(f"{name} must be of {' or '.join(dtypes)}, not {array.dtype.str[1:]}")
    return array


def _digest(sums: Iterable[tuple[str, int, int]]) -> npt.NDArray[np.uint8]:
    """A fingerprint of names, sizes and checksums of all members but the digest itself."""
    known = sorted(each for each in sums if each[0] != f"digest{_ENDING}")
    text = "".join(f"{name} {size} {crc};" for name, size, crc in known)
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    return np.frombuffer(digest, dtype=np.uint8)


def _digest_of_arrays(arrays: Mapping[str, Array]) -> npt.NDArray[np.uint8]:
    """The digest of version 1: of names, types, shapes and numbers, in whatever byte order."""
    digest = hashlib.blake2b(digest_size=32)
    for name in sorted(set(arrays) - {"digest"}):
        array = np.ascontiguousarray(arrays[name], arrays[name].dtype.newbyteorder("<"))
        digest.update(f"{name} {array.dtype.str} {arrays[name].shape};".encode())
        digest.update(array.view(np.uint8).data if array.size else b"")
    return np.frombuffer(digest.digest(), dtype=np.uint8)
