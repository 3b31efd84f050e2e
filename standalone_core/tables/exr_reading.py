# SPDX-License-Identifier: MIT
"""Reading of OpenEXR pictures in scan lines, of one part or many, whoever wrote them.

Nothing in a file is trusted: sizes are held to the bytes that are there before memory is taken, and
a file that a stopped program left unfinished is refused.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..concurrency.threads import one_by_one
from ..errors import TableFileError
from . import exr_file
from .exr_file import (
    LINES,
    NONE,
    RLE,
    ZIP,
    ZIPS,
    Attributes,
    Cursor,
    Window,
    text_in,
    text_of,
    value_in,
    window_in,
)
from .formats import File
from .table import check_growth

Channels = list[tuple[str, "np.dtype[Any]"]]
Picture = npt.NDArray[Any]

_WINDOWS = ("data", "display")
_OTHERS = ("PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB", "HTJ2K256", "HTJ2K32")  # compressions

# Bytes that one byte becomes at most: two of RLE are 128, and for DEFLATE see zlib's notes.
_MOST_GROWTH = {NONE: 1, RLE: 64, ZIPS: 1032, ZIP: 1032}

_ROW = 512  # bytes that are summed up in a row

_OF_PARTS = {b"name", b"type", b"view"}  # texts that are not about the picture


class ExrPicture(NamedTuple):
    """A picture of any channels.

    Attributes
    ----------
    channels : dict of ndarray (H, W) of float16, float32 or uint32
        By name, such as ``"Z"``, or ``"normal.X"`` of the layer "normal". Row 0 is the top row.
    texts : dict of str
        The file's attributes that are texts, by name.
    data_window, display_window : tuple of int
        The first column, first row, last column and last row that the channels have, and those that
        the picture shows. Other programs may write pictures in which these differ.

    Examples
    --------
    >>> import numpy as np
    >>> import standalone_core as sc
    >>> window = (0, 0, 2, 1)
    >>> picture = sc.tables.ExrPicture({"Z": np.ones((2, 3), np.float16)}, {}, window, window)
    >>> picture.channels["Z"].shape
    (2, 3)
    """

    channels: dict[str, Picture]
    texts: dict[str, str]
    data_window: Window
    display_window: Window


def read_exr(path: File) -> ExrPicture:
    """Read a picture from an OpenEXR file, whoever wrote it.

    Parameters
    ----------
    path : path-like
        A file of one part or several, in scan lines, not compressed or by RLE, ZIPS or ZIP. A
        channel of a view gets its name where the file tells it apart, such as ``"Z.left.V"`` of
        ``"Z.V"``; channels of one name in several parts get the part's name before it.

    Raises
    ------
    TableFileError
        If the file is damaged, incomplete, compressed in another way, in tiles, deep or no OpenEXR
        picture; if its parts have different windows or some channels fewer pixels; or if the
        picture would take more memory than 512 MiB plus 256 times the file, which is checked before
        the memory is taken.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from standalone_core.tables import read_exr, write_exr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_exr(f"{folder}/depth.exr", {"Z": np.ones((2, 3), np.float32)}, {"camera": "A"})
    ...     picture = read_exr(f"{folder}/depth.exr")
    >>> picture.channels["Z"].shape, picture.texts["camera"]
    ((2, 3), 'A')
    """
    file = ExrFile(path)
    texts = {name: text for part in reversed(file.texts) for name, text in part.items()}
    return ExrPicture(file.read(file.kinds), texts, file.data_window, file.display_window)


class _Part(NamedTuple):
    """Channels whose rows are packed together."""

    names: list[str]
    ends: list[int]  # of the channels in a row, in bytes
    compression: int
    number: tuple[int, ...]  # of the part, which its blocks tell if there may be several


class _Block(NamedTuple):
    """Some rows of a part, as they are packed in the file."""

    part: _Part
    rows: range
    packed: memoryview

    @property
    def size(self) -> int:
        """Its bytes when it is unpacked."""
        return len(self.rows) * self.part.ends[-1]


class ExrFile:
    """An OpenEXR file that is whole, whose channels are read when they are asked for.

    Attributes
    ----------
    kinds : dict of dtype
        Of all channels, by name.
    texts : list of dict
        The texts in the header of each part.
    shape : tuple of int
        The height and width of all channels.
    data_window, display_window : tuple of int
        As those of :class:`ExrPicture`.
    """

    def __init__(self, path: File) -> None:
        file = exr_file.opened(path)
        headers, has_parts = exr_file.read_headers(file)
        self.texts = [_texts(header) for header in headers]
        channels = _named([*map(exr_file.channels_in, headers)], headers)
        self.kinds = {name: kind for each in channels for name, kind in each}
        windows = {tuple(window_in(header, each) for each in _WINDOWS) for header in headers}
        if len(windows) > 1:
            raise TableFileError("the parts of the file have different windows of the picture")
        ((self.data_window, self.display_window),) = windows
        left, top, right, bottom = self.data_window
        self.shape = bottom - top + 1, right - left + 1
        self._content, self._size = memoryview(file.content), len(file.content)
        self._blocks: list[_Block] = []
        for number, (header, each) in enumerate(zip(headers, channels, strict=True)):
            ends = [*accumulate(kind.itemsize * self.shape[1] for _, kind in each)]
            names = [name for name, _ in each]
            part = _Part(names, ends, _compression(header), (number,) if has_parts else ())
            self._blocks += self._located(part, self._places(file, header, part))

    def _places(self, file: Cursor, header: Attributes, part: _Part) -> list[int]:
        """Where the blocks of a part are; the cursor stands at their table, and then after it."""
        count = -(-self.shape[0] // LINES[part.compression])
        if b"chunkCount" in header and value_in(header, b"chunkCount", b"int", "<i") != (count,):
            raise TableFileError("the file is damaged: it has other rows than it says")
        places = np.frombuffer(file.take(8 * count), "<u8")
        if not places.all():
            raise TableFileError("the file is incomplete: what wrote it was stopped")
        found: list[int] = places.tolist()
        return found

    def _located(self, part: _Part, places: list[int]) -> Iterator[_Block]:
        """The blocks of a part, whose places and sizes are possible; nothing is unpacked yet."""
        top, height, lines = self.data_window[1], self.shape[0], LINES[part.compression]
        form = struct.Struct(f"<{len(part.number) + 2}i")
        for row, place in zip(range(0, height, lines), places, strict=True):
            start = place + form.size
            if start > self._size:
                raise TableFileError("the file is cut off")
            *where, length = form.unpack_from(self._content, place)
            if where != [*part.number, top + row]:
                raise TableFileError("the file is damaged: a block is not where it should be")
            if not 0 <= length <= self._size - start:
                raise TableFileError("the file is cut off")
            rows = range(row, min(row + lines, height))
            block = _Block(part, rows, self._content[start : start + length])
            if not length <= block.size <= _MOST_GROWTH[part.compression] * length:
                raise TableFileError("the file is damaged: a block is not of the size that it says")
            yield block

    def read(self, names: Collection[str]) -> dict[str, Picture]:
        """The channels (H, W) of some names; TableFileError if a block of theirs is damaged."""
        kinds = {name: self.kinds[name] for name in names}
        blocks = [each for each in self._blocks if not kinds.keys().isdisjoint(each.part.names)]
        size = sum(kind.itemsize for kind in kinds.values()) * math.prod(self.shape)
        check_growth(size, self._size, "the picture")
        try:
            found = {name: np.empty(self.shape, kind) for name, kind in kinds.items()}
            for _ in one_by_one(partial(_unpack, found), blocks, size):
                pass
        except MemoryError:
            raise TableFileError("the picture does not fit in memory") from None
        return {
            name: each.astype(each.dtype.newbyteorder("="), copy=False)
            for name, each in found.items()
        }


def _compression(header: Attributes) -> int:
    (found,) = value_in(header, b"compression", b"compression", "<B")
    if found not in LINES:
        name = dict(enumerate(_OTHERS, len(LINES))).get(found, f"method {found}")
        raise TableFileError(
            f"the picture is compressed by {name}: choose ZIP, ZIPS, RLE or none "
            "(in Blender, Codec in Output Properties)"
        )
    return found


def _unpack(found: Mapping[str, Picture], block: _Block) -> None:
    """Fill the rows of a block in those of its channels that are wanted."""
    content = _unpacked(block.packed, block.size, block.part.compression)
    rows = np.frombuffer(content, np.uint8).reshape(len(block.rows), -1)
    start = 0
    for name, end in zip(block.part.names, block.part.ends, strict=True):
        if name in found:
            found[name][block.rows.start : block.rows.stop].view(np.uint8)[:] = rows[:, start:end]
        start = end


def _unpacked(
    packed: memoryview, size: int, compression: int
) -> memoryview | npt.NDArray[np.uint8]:
    """The bytes of a block; TableFileError if they are not so many."""
    if len(packed) == size:  # it would not get smaller
        return packed
    content = _from_runs(bytes(packed), size) if compression == RLE else _inflated(packed, size)
    if content is None or len(content) != size:
        raise TableFileError("the file is damaged: a block cannot be unpacked")
    # First come the even bytes, then the odd ones; each is 128 + its difference from the last.
    apart = _sums(np.frombuffer(content, np.uint8) ^ np.uint8(128)) ^ np.uint8(128)
    together = apart[size // 2 :].astype("<u2")
    together <<= 8
    together |= apart[: size // 2]
    return together.view(np.uint8)


def _sums(steps: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The sums of the bytes up to each one, modulo 256.

    Sums in rows, of 2 bytes, then of 4 and so on, and of rows take half the time of
    :meth:`numpy.ufunc.accumulate`, which waits for each sum before the next.
    """
    rows = np.zeros((-(-len(steps) // _ROW), _ROW), np.uint8)
    rows.reshape(-1)[: len(steps)] = steps
    done = 1
    while done < _ROW:
        rows[:, done:] += rows[:, :-done]
        done *= 2
    rows[1:] += np.add.accumulate(rows[:-1, -1], dtype=np.uint8)[:, None]
    return rows.reshape(-1)[: len(steps)]


def _inflated(packed: memoryview, size: int) -> bytes | None:
    """What zlib unpacks, of `size` bytes and no more; None if that is not all, or damaged."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, size + 1)
    except zlib.error:
        return None
    return content if unpacking.eof else None


def _from_runs(packed: bytes, size: int) -> bytes | None:
    """What run-length encoding unpacks; None if that is more than `size` bytes."""
    content, place = bytearray(), 0
    while place < len(packed) and len(content) <= size:
        count, place = packed[place], place + 1
        if count < 128:  # the next byte, once more than it says
            content += packed[place : place + 1] * (count + 1)
            place += 1
        else:  # as many bytes as the number below 0 says
            content += packed[place : place + 256 - count]
            place += 256 - count
    return bytes(content) if place == len(packed) else None


def _texts(header: Attributes) -> dict[str, str]:
    return {
        text_of(name): text_in(header, name)
        for name, (kind, _) in header.items()
        if kind == b"string" and name not in _OF_PARTS
    }


def _named(channels: list[Channels], headers: list[Attributes]) -> list[Channels]:
    """The channels of all parts under names that tell them apart."""
    views = [*map(exr_file.view_in, headers)]
    channels = [
        [(_of_view(name, view), kind) for name, kind in each]
        for each, view in zip(channels, views, strict=True)
    ]
    count = Counter(name for each in channels for name, _ in each)
    parts = [text_in(header, b"name") for header in headers]
    channels = [
        [(name if count[name] == 1 else f"{part}.{name}", kind) for name, kind in each]
        for each, part in zip(channels, parts, strict=True)
    ]
    names = [name for each in channels for name, _ in each]
    if len({*names}) < len(names):
        raise TableFileError("the file is damaged: two of its channels have the same name")
    return channels


def _of_view(name: str, view: str) -> str:
    """The name of a channel with its view before the last point, if that is not there already."""
    layer, _, last = name.rpartition(".")
    if not view or layer.rpartition(".")[2] == view:
        return name
    return ".".join(each for each in (layer, view, last) if each)
