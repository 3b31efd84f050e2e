# SPDX-License-Identifier: MIT
"""Pictures as OpenEXR files: in scan lines, compressed without loss.

Blender and all compositors read them, but Blender's Python has no package that writes them. A
checksum at the end of the header tells whether a file is complete and unchanged.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..concurrency.threads import one_by_one
from ..errors import ArgumentError, DtypeError, IndexRangeError, ShapeError, TableFileError
from ..files.whole_file import atomic_write
from ..numerics.columns import Columns
from ..numerics.reading import as_array, described_shape, real_numbers
from .exr_file import LINES, LONG_NAME, TYPES, ZIP, opened, packed_header, read_headers, window_in
from .formats import File

_LINES = LINES[ZIP]
_LEVEL = 4  # of zlib, as in OpenEXR's own library

META = "raypick"  # the attribute with a picture's meta as JSON
_PARTS = {2: "XY", 3: "XYZ", 4: "RGBA"}
_NONE = 2**32 - 1  # of uint32, for -1
_CHECKSUM, _DIGITS = b"checksum", 32  # the last attribute, so that its offset is known

Picture = npt.NDArray[Any]


def write_exr(
    path: File,
    channels: Mapping[str, npt.ArrayLike] | Columns,
    meta: Mapping[str, str] | None = None,
) -> None:
    """Write a picture with any channels to an OpenEXR file, which is replaced as a whole.

    Parameters
    ----------
    path : path-like
    channels : mapping of array_like (H, W) or (H, W, k), or answers such as :class:`.RayHits`
        By name, such as ``"Z"``, or ``"normal.X"`` of the layer "normal". Row 0 is the top row, as
        of a ``"direct3d"`` camera: turn others over, ``hits[::-1]``. The parts of a channel with
        several are called X, Y, Z: ``"normal"`` becomes ``"normal.X"`` and so on; four are called
        R, G, B, A. A file holds float16, float32 and uint32: float64 is rounded to float32,
        booleans become 0 and 1, integers uint32, and -1 there, which says none, 4294967295.
    meta : mapping of str, optional
        Attributes of the file, by name.

    Raises
    ------
    ArgumentError
        If a name or a channel cannot be written; ShapeError, DtypeError if channels are of
        different shapes, or no real numbers; IndexRangeError for other integers.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from standalone_core.tables import write_exr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_exr(f"{folder}/depth.exr", {"Z": np.ones((2, 3), np.float32)}, {"camera": "A"})
    ...     Path(f"{folder}/depth.exr").read_bytes()[:4].hex()
    '762f3101'
    """
    given = channels.as_dict() if isinstance(channels, Columns) else channels
    parts = [*chain.from_iterable(_pictures(name, each) for name, each in given.items())]
    pictures = dict(parts)
    if len(pictures) < len(parts):
        raise ArgumentError("two channels of a picture have the same name: " + _twice(parts))
    shapes = {picture.shape for picture in pictures.values()}
    if len(shapes) != 1:
        listed = ", ".join(map(str, sorted(shapes))) or "none"
        raise ShapeError(f"the channels of a picture must be of one shape, not {listed}")
    if 0 in next(iter(shapes)):
        raise ShapeError("a picture must not be empty")
    named = {_name(name): picture for name, picture in pictures.items()}
    ordered = dict(sorted(named.items(), key=lambda item: item[0]))
    texts = [
        (_name(name), _encoded(f"attribute {name!r}", text)) for name, text in (meta or {}).items()
    ]
    header = _header(ordered, texts)
    height, width = shapes.pop()
    lines = sum(picture.dtype.itemsize for picture in ordered.values()) * width
    starts = range(0, height, _LINES)
    with atomic_write(path) as file:
        file.write(header)
        place = len(header) + 8 * len(starts)
        file.seek(place)
        digest, places = _digest(header), []
        for start, block in zip(starts, _blocks(ordered, starts, lines), strict=True):
            places.append(place)
            content = struct.pack("<ii", start, len(block)) + block
            digest.update(content)
            place += file.write(content)
        table = struct.pack(f"<{len(places)}Q", *places)
        digest.update(table)
        file.seek(len(header) - 1 - _DIGITS)
        file.write(digest.hexdigest().encode() + b"\0" + table)


def read_texts(path: File) -> dict[str, str]:
    """The texts in the header of a picture that :func:`write_exr` made; reads and checks all of it.

    TableFileError if it is incomplete, changed or another file; OSError if it cannot be read.
    """
    file = opened(path)
    try:
        attributes = read_headers(file)[0][0]
        digest = _digest(file.content[: file.place])
        _, top, _, bottom = window_in(attributes, "data")
        table = file.take(8 * -(-(bottom - top + 1) // _LINES))
        digest.update(memoryview(file.content)[file.place :])
        digest.update(table)
        if [*attributes.items()][-1] != (_CHECKSUM, (b"string", digest.hexdigest().encode())):
            raise TableFileError("the picture is not all that was written")
        texts = {name: text for name, (kind, text) in attributes.items() if kind == b"string"}
        return {name.decode(): text.decode() for name, text in texts.items()}
    except TableFileError:
        raise
    except (KeyError, ValueError, struct.error) as error:
        raise TableFileError(f"the file is damaged, or no picture of ours: {error}") from None


def _digest(header: bytes) -> Any:
    """A digest of the header without its checksum's digits; callers add the rest of the file."""
    return hashlib.blake2b(header[: -1 - _DIGITS], digest_size=_DIGITS // 2)


def _pictures(name: str, channel: Any) -> Iterator[tuple[str, Picture]]:
    """The channels (H, W) of one that may have several parts, with their names."""
    picture = as_array(channel, f"channel {name!r}")
    if picture.dtype.kind != "b":
        picture = real_numbers(picture, f"channel {name!r}")
    if picture.ndim == 2:
        yield name, _stored(name, picture)
    elif picture.ndim == 3 and picture.shape[2] in _PARTS:
        for part, letter in enumerate(_PARTS[picture.shape[2]]):
            yield f"{name}.{letter}", _stored(name, picture[:, :, part])
    else:
        given = described_shape(picture.shape)
        raise ShapeError(f"channel {name!r} must have shape (H, W), or (H, W, 2 to 4), not {given}")


def _twice(parts: list[tuple[str, Picture]]) -> str:
    names = [name for name, _ in parts]
    return next(repr(name) for name in names if names.count(name) > 1)


def _stored(name: str, picture: Picture) -> Picture:
    """The numbers as a type that files hold."""
    kind = picture.dtype
    if kind.str[1:] in TYPES:
        return picture.astype(kind.newbyteorder("<"), copy=False)
    if kind.kind == "f":
        with np.errstate(over="ignore"):
            return picture.astype("<f4")
    if kind.kind in "iu":
        lower, upper = (int(pick(initial=0)) for pick in (picture.min, picture.max))
        if lower < -1 or upper > _NONE:
            raise IndexRangeError(
                f"channel {name!r} has integers from {lower} to {upper}: a picture holds those "
                f"from 0 to {_NONE}, and -1 as the last of them; pass float32 for others"
            )
    return picture.astype("<u4")


def _encoded(name: str, text: Any) -> bytes:
    if not isinstance(text, str):
        raise DtypeError(f"{name} of a picture must be text")
    return text.encode("utf-8", "backslashreplace")


def _name(name: Any) -> bytes:
    raw = _encoded("names", name)
    if not 0 < len(raw) <= LONG_NAME or b"\0" in raw:
        raise ArgumentError(f"{name!r} cannot be the name of a channel or an attribute")
    return raw


def _header(channels: Mapping[bytes, Picture], texts: list[tuple[bytes, bytes]]) -> bytes:
    height, width = next(iter(channels.values())).shape
    listed = b"".join(
        name + struct.pack("<xiB3xii", TYPES[channel.dtype.str[1:]], 0, 1, 1)
        for name, channel in channels.items()
    )
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = [
        (b"channels", b"chlist", listed + b"\0"),
        (b"compression", b"compression", bytes([ZIP])),
        (b"dataWindow", b"box2i", window),
        (b"displayWindow", b"box2i", window),
        (b"lineOrder", b"lineOrder", b"\0"),
        (b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
        (b"screenWindowCenter", b"v2f", struct.pack("<2f", 0, 0)),
        (b"screenWindowWidth", b"float", struct.pack("<f", 1)),
    ]
    taken = {_CHECKSUM, *(name for name, _, _ in attributes)}
    for name, _ in texts:
        if name in taken:
            raise ArgumentError(f"every picture has its own {name.decode()!r}: name it otherwise")
    texts = [*texts, (_CHECKSUM, b"0" * _DIGITS)]
    attributes += [(name, b"string", text) for name, text in texts]
    longest = max(map(len, (*channels, *(name for name, _ in texts))), default=0)
    return packed_header(attributes, longest)


def _blocks(channels: Mapping[bytes, Picture], starts: range, line: int) -> Iterator[bytes]:
    """Compressed blocks of scan lines of `line` bytes each; several at a time, on all cores."""

    def block(start: int) -> bytes:
        parts = [
            np.ascontiguousarray(channel[start : start + _LINES]).view(np.uint8)
            for channel in channels.values()
        ]
        content = np.concatenate(parts, axis=1).reshape(-1)
        # First the even bytes, then the odd ones, each as the difference from the byte before.
        apart = np.concatenate([content[::2], content[1::2]])
        apart[1:] = apart[1:] - apart[:-1] + 128
        packed = zlib.compress(apart.tobytes(), _LEVEL)
        return packed if len(packed) < len(content) else content.tobytes()

    return one_by_one(block, starts, len(starts) * _LINES * line)
