# SPDX-License-Identifier: MIT
"""The JSON and the buffers of glTF files, text or binary, and the arrays in them."""

import base64
import json
import os
import re
from typing import Any, NoReturn
from urllib.parse import unquote, unquote_to_bytes

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError

Json = dict[str, Any]

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

# Extensions that do not change geometry (materials, lights, metadata), and those that are read.
_KNOWN = re.compile(
    r"[A-Z]+_(materials|techniques|texture|lights|xmp|animation)(_.*)?"
    r"|KHR_mesh_quantization|EXT_mesh_gpu_instancing"
)


class GltfData:
    """The JSON of a file and its buffers, which may be in files of its `folder`.

    Faults raise MeshFileError, or an error of Python where the JSON has something of another type.
    """

    def __init__(self, content: bytes, folder: str) -> None:
        text, self._chunk = _parts(content)
        self.root = _object(json.loads(text, parse_constant=_refuse))
        self._folder, self._size = folder, len(content)
        self._buffers: dict[int, bytes] = {}
        asset = _object(self.root["asset"])
        version, least = str(asset["version"]), asset.get("minVersion", "2.0")
        if version.startswith("2."):
            version = str(least)
        if version != "2.0":
            raise MeshFileError(f"the file is of version {version!r} of glTF, which is not read")
        required = self.root.get("extensionsRequired", [])
        if not isinstance(required, list):
            raise MeshFileError("the glTF file is damaged: extensionsRequired is no list")
        for name in required:
            if not _KNOWN.fullmatch(name):
                raise MeshFileError(f"the glTF file requires {name}, which is not read")

    def item(self, kind: str, index: Any) -> Json:
        """An item of one of the file's lists, such as "nodes"."""
        listed = self.root.get(kind, [])
        if type(index) is not int or not 0 <= index < len(listed):
            raise MeshFileError(f"the glTF file is damaged: it has no {index!r} of its {kind}")
        return _object(listed[index])

    def array(self, index: Any, *types: str) -> npt.NDArray[Any]:
        """The rows (N, width) of an accessor, which must be of one of the `types`."""
        accessor = self.item("accessors", index)
        if accessor["type"] not in types:
            raise MeshFileError(f"accessor {index} of the glTF file is not of {' or '.join(types)}")
        kind, width = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]]
        count = _whole(accessor, "count")
        if "bufferView" in accessor:
            values = self._viewed(accessor, kind, width, count)
        elif count <= self._size:
            values = np.zeros((count, width), kind)
        else:
            raise MeshFileError(f"accessor {index} of the glTF file is larger than the file")
        if "sparse" in accessor:
            values = self._with_sparse(values, accessor["sparse"])
        if accessor.get("normalized") is True and kind.kind != "f":
            return np.maximum(values / np.float64(np.iinfo(kind).max), -1.0)
        return values

    def _with_sparse(self, values: npt.NDArray[Any], sparse: Json) -> npt.NDArray[Any]:
        count, width = _whole(sparse, "count"), values.shape[1]
        kind = np.dtype(_KINDS[sparse["indices"]["componentType"]])
        rows = self._viewed(sparse["indices"], kind, 1, count)[:, 0]
        if kind.kind != "u" or (rows >= len(values)).any():
            raise MeshFileError("the glTF file is damaged: a sparse accessor has wrong indices")
        changed = values.copy()
        changed[rows] = self._viewed(sparse["values"], values.dtype, width, count)
        return changed

    def _viewed(self, owner: Json, kind: np.dtype[Any], width: int, count: int) -> npt.NDArray[Any]:
        """Rows of the buffer view that `owner` names, without a copy."""
        view = self.item("bufferViews", owner["bufferView"])
        packed = _object(view.get("extensions", {}))
        data = self._buffer(view["buffer"], packed)
        start, length = _whole(view, "byteOffset", 0), _whole(view, "byteLength")
        offset, size = _whole(owner, "byteOffset", 0), kind.itemsize * width
        stride = _whole(view, "byteStride", size)
        end = offset + (count - 1) * stride + size if count else 0
        if stride < size or end > length or start + length > len(data):
            raise MeshFileError("the glTF file is damaged: an accessor reaches beyond its buffer")
        place = start + offset if count else 0
        return np.ndarray((count, width), kind, data, place, (stride, kind.itemsize))

    def _buffer(self, index: Any, packed: Json) -> bytes:
        buffer = self.item("buffers", index)
        if index not in self._buffers:
            length, uri = _whole(buffer, "byteLength"), buffer.get("uri")
            if uri is not None:
                data = self._at(uri)
            elif index == 0 and self._chunk is not None:
                data = self._chunk
            else:
                why = f", but is packed by {', '.join(packed)}, which is not read" if packed else ""
                raise MeshFileError(f"buffer {index} of the glTF file has no data{why}")
            if len(data) < length:
                raise MeshFileError(f"the glTF file is damaged: its buffer {index} is too short")
            self._size += length
            self._buffers[index] = data
        return self._buffers[index]

    def _at(self, uri: str) -> bytes:
        """The bytes in a data URI, or in the file that a URI names within the folder."""
        if uri[:5].lower() == "data:":
            media, _, data = uri[5:].partition(",")
            is_base64 = media.lower().endswith(";base64")
            content = unquote_to_bytes(data)
            return base64.b64decode(content, validate=True) if is_base64 else content
        path = unquote(uri)
        steps = re.split(r"[/\\]", path)
        if not steps[0] or ":" in path or "\0" in path or ".." in steps:
            raise MeshFileError(
                f"the glTF file names {uri[:60]!r}, which is not read: "
                "its buffers must be in files of its folder"
            )
        full = os.path.join(self._folder, path)
        if not os.path.isfile(full):
            raise MeshFileError(f"the glTF file needs {path[:60]!r}, which is not beside it")
        with open(full, "rb") as file:
            return file.read()


def _parts(content: bytes) -> tuple[bytes, bytes | None]:
    """The JSON of a file, and the buffer that follows it in a binary file."""
    if not content.startswith(b"glTF"):
        return content, None
    version, length = (int.from_bytes(content[at : at + 4], "little") for at in (4, 8))
    if version != 2:
        raise MeshFileError(f"the file is of version {version} of glTF, which is not read")
    chunks: list[tuple[bytes, bytes]] = []
    place, end = 12, length
    while place + 8 <= length <= len(content):
        end = place + 8 + int.from_bytes(content[place : place + 4], "little")
        chunks.append((content[place + 4 : place + 8], content[place + 8 : end]))
        place = end
    if end > len(content) or not chunks or chunks[0][0] != b"JSON":
        raise MeshFileError("the glTF file is damaged: it ends too soon")
    text = chunks[0][1].rstrip(b"\0")  # some files pad it with zeros, not with blanks
    return text, chunks[1][1] if chunks[1:] and chunks[1][0] == b"BIN\0" else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _object(value: Any) -> Json:
    if not isinstance(value, dict):
        raise TypeError("something in it is no JSON object")
    return value


def _whole(owner: Json, name: str, default: int | None = None) -> int:
    """A field with a whole number, 0 or more; without a `default` it must be present."""
    value = owner.get(name, default)
    if type(value) is not int or not 0 <= value < 2**63:
        raise MeshFileError(f"the glTF file is damaged: it has the {name} {value!r}")
    return value
