# SPDX-License-Identifier: MIT
"""glTF files, as text or binary (GLB): the triangles of a scene, where its nodes place them."""

import os
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from ..numerics.arrays import FloatArray, IntArray, moved
from ..numerics.rational import orientation
from ..numerics.vectors import matmul
from .gltf_data import GltfData, Json
from .meshes import Faces, strips

World = dict[int, FloatArray]
"""The matrices (N, 4, 4) that place each node; several if it has instances."""

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_NO_FACES = range(4)

# Defaults of a node, or of one of its instances.
_AT_REST = {"translation": (0.0,) * 3, "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0,) * 3}

_MOST = 2**31
"""More vertices or triangles are refused: a few bytes can ask for any number of instances."""


def read(file: IO[bytes]) -> Faces:
    """The faces of a file and of those beside it that it names; MeshFileError if it is damaged.

    They are those of the default scene, node by node, morphed and skinned, but not animated.
    Primitives of a node that have the same vertices share them.
    """
    try:
        data = GltfData(file.read(), os.path.dirname(file.name))
        with np.errstate(over="ignore", invalid="ignore"):
            return _faces(data)
    except MeshFileError:
        raise
    except KeyError as error:
        raise MeshFileError(f"the glTF file is damaged: it has no {error}") from None
    except (IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise MeshFileError(f"the file is no glTF file, or it is damaged: {error}") from None
    except RecursionError:
        raise MeshFileError("the glTF file is damaged: its lists are nested too deeply") from None


def _faces(data: GltfData) -> Faces:
    world = _placed(data)
    points: list[FloatArray] = [np.empty((0, 3))]
    corners: list[IntArray] = [np.empty((0, 3), np.int64)]
    vertices = triangles = meshes = 0
    for node, matrices in world.items():
        entry = data.item("nodes", node)
        if "mesh" not in entry:
            continue
        meshes += 1
        for places, rows in _parts(data, entry, world):
            for matrix in matrices if "skin" not in entry else np.eye(4)[None]:
                is_mirrored = orientation(*matrix[:3, :3].tolist()) < 0
                points.append(moved(places, matrix[:3]))
                corners.append((rows[:, [0, 2, 1]] if is_mirrored else rows) + vertices)
                vertices, triangles = vertices + len(places), triangles + len(rows)
                if max(vertices, triangles) > _MOST:
                    raise MemoryError
    if not meshes and data.root.get("meshes"):
        raise MeshFileError("the glTF file has meshes, but no node of its scene has one")
    found = np.concatenate(corners)
    return Faces(np.concatenate(points), found.reshape(-1), np.full(len(found), 3))


def _placed(data: GltfData) -> World:
    """The matrices of the scene's nodes, in order."""
    nodes, scenes = data.root.get("nodes", []), data.root.get("scenes", [])
    if scenes:
        roots = data.item("scenes", data.root.get("scene", 0)).get("nodes", [])
    else:
        below = {child for node in nodes for child in node.get("children", [])}
        roots = [node for node in range(len(nodes)) if node not in below]
    world: World = {}
    waiting = [(root, np.eye(4)) for root in reversed(roots)]
    while waiting:
        index, above = waiting.pop()
        node = data.item("nodes", index)
        if index in world:
            raise MeshFileError(f"the glTF file is damaged: node {index} is below two others")
        matrix = matmul(above, _local(node))
        world[index] = matmul(matrix, _instances(data, node))
        if not (np.isfinite(matrix).all() and np.isfinite(world[index]).all()):
            raise MeshFileError(f"the matrix of node {index} of the glTF file is not finite")
        waiting += [(child, matrix) for child in reversed(node.get("children", []))]
    return world


def _local(node: Json) -> FloatArray:
    if "matrix" in node:
        return _floats(node["matrix"], 4, 4).T
    given = {
        name: _floats(node.get(name, rest), len(rest))[None] for name, rest in _AT_REST.items()
    }
    return np.asarray(_composed(**given)[0])


def _instances(data: GltfData, node: Json) -> FloatArray:
    """The matrices (N, 4, 4) of a node's copies of its mesh, in the node's space."""
    instancing = node.get("extensions", {}).get("EXT_mesh_gpu_instancing")
    if instancing is None:
        return np.eye(4)[None]
    accessors = instancing["attributes"]
    given = {
        name: data.array(accessors[name.upper()], f"VEC{len(rest)}").astype(np.float64)
        for name, rest in _AT_REST.items()
        if name.upper() in accessors
    }
    count = len(next(iter(given.values()))) if given else 1
    rests = {name: np.tile(rest, (count, 1)) for name, rest in _AT_REST.items()}
    return _composed(**(rests | given))


def _composed(translation: FloatArray, rotation: FloatArray, scale: FloatArray) -> FloatArray:
    """Matrices (N, 4, 4) that scale, then turn by quaternions (x, y, z, w), then shift."""
    x, y, z, w = (rotation / np.sqrt((rotation * rotation).sum(axis=1, keepdims=True))).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    matrices = np.zeros((len(translation), 4, 4))
    matrices[:, :3, :3] = np.moveaxis(np.array(rows), 2, 0) * scale[:, None, :]
    matrices[:, :3, 3] = translation
    matrices[:, 3, 3] = 1
    return matrices


def _parts(data: GltfData, node: Json, world: World) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield each array of vertices of a node's mesh, with the triangles that have them.

    They are in the space of the node, or of the scene if the mesh is skinned.
    """
    mesh = data.item("meshes", node["mesh"])
    weights = node.get("weights", mesh.get("weights", []))
    skin = data.item("skins", node["skin"]) if "skin" in node else None
    shared: dict[str, tuple[FloatArray, list[IntArray]]] = {}
    for primitive in mesh["primitives"]:
        attributes = primitive["attributes"]
        if primitive.get("mode", _TRIANGLES) in _NO_FACES or "POSITION" not in attributes:
            continue
        packed = primitive.get("extensions", {}).keys() & {"KHR_draco_mesh_compression"}
        if packed and "bufferView" not in data.item("accessors", attributes["POSITION"]):
            raise MeshFileError(f"the glTF file is packed by {packed.pop()}, which is not read")
        targets = primitive.get("targets", [])
        of_skin = sorted(attributes.items()) if skin is not None else None
        key = repr((attributes["POSITION"], targets, of_skin))
        if key not in shared:
            places = data.array(attributes["POSITION"], "VEC3").astype(np.float64)
            for weight, target in zip(_floats(weights), targets, strict=False):
                if weight and "POSITION" in target:
                    places = places + weight * data.array(target["POSITION"], "VEC3")
            if skin is not None:
                places = _skinned(data, skin, attributes, places, world)
            shared[key] = places, []
        places, found = shared[key]
        found.append(_triangles(data, primitive, len(places)))
    for places, found in shared.values():
        yield places, np.concatenate(found)


def _triangles(data: GltfData, primitive: Json, vertices: int) -> IntArray:
    """The triangles (T, 3) of a primitive; an incomplete last one is left out."""
    if "indices" in primitive:
        corners = _whole(data.array(primitive["indices"], "SCALAR")[:, 0])
        if (corners >= vertices).any():
            raise MeshFileError(
                f"the glTF file is damaged: a face has the vertex {corners.max()}, counted from 0, "
                f"but there are {vertices}"
            )
    else:
        corners = np.arange(vertices)
    mode = primitive.get("mode", _TRIANGLES)
    if mode == _STRIP:
        return strips(corners)
    if mode == _FAN:
        middle = np.full(max(len(corners) - 2, 0), corners[0] if len(corners) else 0)
        return np.stack([corners[1:-1], corners[2:], middle], axis=1)
    if mode != _TRIANGLES:
        raise ValueError(f"primitives have no mode {mode!r}")
    return corners[: len(corners) // 3 * 3].reshape(-1, 3)


def _skinned(
    data: GltfData, skin: Json, attributes: Json, places: FloatArray, world: World
) -> FloatArray:
    """Places (V, 3) as the joints of a skin bend them, in the space of the scene."""
    bones = np.stack([world[joint][0] for joint in skin["joints"]])
    if "inverseBindMatrices" in skin:
        columns = data.array(skin["inverseBindMatrices"], "MAT4").astype(np.float64)
        bones = matmul(bones, columns.reshape(-1, 4, 4).transpose(0, 2, 1)[range(len(bones))])
    bent, total = np.zeros_like(places), np.zeros((len(places), 1))
    for number in range(len(attributes)):
        if f"JOINTS_{number}" not in attributes:
            break
        joints = _whole(data.array(attributes[f"JOINTS_{number}"], "VEC4"))
        weights = data.array(attributes[f"WEIGHTS_{number}"], "VEC4").astype(np.float64)
        for joint, weight in zip(joints.T, weights.T, strict=True):
            bent += weight[:, None] * moved(places, bones[joint, :3])
            total += weight[:, None]
    return bent / np.where(total == 0, 1, total)


def _whole(indices: npt.NDArray[Any]) -> IntArray:
    if indices.dtype.kind != "u":
        raise ValueError("indices are not whole numbers without a sign")
    return indices.astype(np.int64)


def _floats(values: Any, *shape: int) -> FloatArray:
    """An array of a list of numbers, in the `shape` if given; ValueError if it does not fit."""
    found = np.array(values, np.float64)
    if found.ndim != 1:
        raise ValueError("a list of numbers has other things")
    return found.reshape(shape or -1)
