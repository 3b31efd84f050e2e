# SPDX-License-Identifier: GPL-3.0-or-later
"""A reader of OpenEXR pictures of scan lines, by the description of the format alone."""

import struct
import zlib

import numpy as np

TYPES = {0: np.dtype("<u4"), 1: np.dtype("<f2"), 2: np.dtype("<f4")}


def read(path):
    """The channels (H, W) of a picture, the top row first, and its texts."""
    data = path.read_bytes()
    assert data[:4] == b"v/1\x01"
    place, attributes = 8, {}

    def word():
        nonlocal place
        end = data.index(b"\0", place)
        found, place = data[place:end].decode(), end + 1
        return found

    while name := word():
        kind = word()
        (size,) = struct.unpack_from("<i", data, place)
        attributes[name] = kind, data[place + 4 : place + 4 + size]
        place += 4 + size
    left, top, right, bottom = struct.unpack("<4i", attributes["dataWindow"][1])
    width, height = right - left + 1, bottom - top + 1
    kinds = dict(channels(attributes["channels"][1]))
    assert attributes["compression"][1] in (b"\0", b"\2", b"\3")
    lines = {0: 1, 2: 1, 3: 16}[attributes["compression"][1][0]]
    pictures = {name: np.empty((height, width), kind) for name, kind in kinds.items()}
    for block in range(-(-height // lines)):
        (start,) = struct.unpack_from("<Q", data, place + 8 * block)
        first, size = struct.unpack_from("<ii", data, start)
        rows = min(lines, height - first)
        raw = unpacked(data[start + 8 : start + 8 + size], rows * width * line_size(kinds))
        at = 0
        for row in range(first, first + rows):
            for name, kind in kinds.items():
                pictures[name][row] = np.frombuffer(raw, kind, width, at)
                at += width * kind.itemsize
    texts = {name: value.decode() for name, (kind, value) in attributes.items() if kind == "string"}
    return pictures, texts


def channels(data):
    """The names and types of channels, in their order."""
    place = 0
    while data[place]:
        end = data.index(b"\0", place)
        (kind,) = struct.unpack_from("<i", data, end + 1)
        yield data[place:end].decode(), TYPES[kind]
        place = end + 17


def line_size(kinds):
    """The bytes of a pixel."""
    return sum(kind.itemsize for kind in kinds.values())


def unpacked(block, size):
    """A block as it was before it was packed."""
    if len(block) == size:
        return block
    steps = bytearray(zlib.decompress(block))
    for i in range(1, len(steps)):
        steps[i] = (steps[i - 1] + steps[i] - 128) & 255
    half = (len(steps) + 1) // 2
    found = bytearray(len(steps))
    found[::2], found[1::2] = steps[:half], steps[half:]
    return bytes(found)
