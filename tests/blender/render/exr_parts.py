# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader of OpenEXR pictures of one or more parts, by the description of the format alone."""

import struct
import zlib
from typing import NamedTuple

import numpy as np

_TYPES = {0: np.dtype("<u4"), 1: np.dtype("<f2"), 2: np.dtype("<f4")}
_NONE, _RLE, _ZIPS, _ZIP = range(4)
_LINES = {_NONE: 1, _RLE: 1, _ZIPS: 1, _ZIP: 16}
_TILED, _PARTS = 0x200, 0x1000


class Pictures(NamedTuple):
    """The pictures of a file."""

    channels: dict[str, np.ndarray]  # (H, W) by LAYER.PASS.X or LAYER.PASS.VIEW.X, bottom row first
    texts: dict[str, str]  # of all parts
    size: tuple[int, int]  # width and height of what is displayed
    corner: tuple[int, int]  # of the pictures in it, from the top left


def read(path):
    """The pictures of a file; its views are in the names of channels, even if parts name them."""
    data = path.read_bytes()
    assert data[:4] == b"v/1\x01"
    place, many = 8, data[5] << 8 & _PARTS
    assert not data[5] << 8 & _TILED
    headers = []
    while True:
        header, place = _header(data, place)
        if header:
            headers.append(header)
        if not (header and many):
            break
    channels, texts = {}, {}
    for header in headers:
        left, top, right, bottom = struct.unpack("<4i", header["dataWindow"][1])
        size = bottom - top + 1, right - left + 1
        lines = _LINES[header["compression"][1][0]]
        count = -(-size[0] // lines)
        starts = struct.unpack_from(f"<{count}Q", data, place)
        place += 8 * count
        blocks = [_block(data, start + (4 if many else 0)) for start in starts]
        for name, picture in _channels(header, size, lines, blocks, top):
            assert name not in channels
            channels[name] = picture[::-1]
        texts |= {key: value.decode() for key, (kind, value) in header.items() if kind == "string"}
    shown = struct.unpack("<4i", headers[0]["displayWindow"][1])
    size = shown[2] - shown[0] + 1, shown[3] - shown[1] + 1
    return Pictures(channels, texts, size, (left, top))


def _header(data, place):
    found = {}
    while data[place]:
        name, place = _word(data, place)
        kind, place = _word(data, place)
        (size,) = struct.unpack_from("<i", data, place)
        found[name] = kind, data[place + 4 : place + 4 + size]
        place += 4 + size
    return found, place + 1


def _word(data, place):
    end = data.index(b"\0", place)
    return data[place:end].decode(), end + 1


def _block(data, start):
    row, size = struct.unpack_from("<ii", data, start)
    return row, data[start + 8 : start + 8 + size]


def _channels(header, size, lines, blocks, top):
    """The names and pictures (H, W) of a part."""
    listed, place, kinds = header["channels"][1], 0, {}
    while listed[place]:
        name, place = _word(listed, place)
        kinds[name] = _TYPES[struct.unpack_from("<i", listed, place)[0]]
        place += 16
    line = np.dtype([(name, kind, (size[1],)) for name, kind in kinds.items()])
    pictures = np.empty(size[0], line)
    for row, block in blocks:
        first = row - top
        own = pictures[first : first + lines]
        own[:] = np.frombuffer(_unpacked(header["compression"][1][0], block, own.nbytes), line)
    view = header["view"][1].decode() if "view" in header else ""
    for name in kinds:
        layer, _, letter = name.rpartition(".")
        has_view = not view or layer.endswith(f".{view}")
        yield name if has_view else f"{layer}.{view}.{letter}", pictures[name]


def _unpacked(codec, block, size):
    """A block as it was before it was packed."""
    if len(block) == size:
        return block
    raw = _runs(block) if codec == _RLE else zlib.decompress(block)
    steps = np.frombuffer(raw, np.uint8).astype(np.int64)
    steps[1:] -= 128
    values = np.cumsum(steps).astype(np.uint8)
    half = (size + 1) // 2
    found = np.empty(size, np.uint8)
    found[::2], found[1::2] = values[:half], values[half:]
    return found.tobytes()


def _runs(block):
    """Bytes from runs: a negative count of single ones, or one less than how often one is there."""
    found, place = bytearray(), 0
    while place < len(block):
        (count,) = struct.unpack_from("b", block, place)
        if count < 0:
            found += block[place + 1 : place + 1 - count]
            place += 1 - count
        else:
            found += block[place + 1 : place + 2] * (count + 1)
            place += 2
    return bytes(found)
