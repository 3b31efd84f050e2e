# SPDX-License-Identifier: GPL-3.0-or-later
"""A writer of OpenEXR files of any form, also of wrong ones, by the description of the format."""

import struct
import zlib
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

TYPES = {"<u4": 0, "<f2": 1, "<f4": 2}
NONE, RLE, ZIPS, ZIP = range(4)
MANY_PARTS, DEEP, TILED = 0x1000, 0x800, 0x200


@dataclass
class Part:
    """A part of a file: its channels (H, W) by name, and what its header says."""

    channels: dict
    compression: int = ZIP
    texts: dict = field(default_factory=dict)
    corner: tuple = (0, 0)
    display: tuple = ()  # the window; by default that of the data
    more: dict = field(default_factory=dict)  # attributes: a type and a value by name

    @property
    def shape(self):
        return next(iter(self.channels.values())).shape

    @property
    def window(self):
        (left, top), (height, width) = self.corner, self.shape
        return left, top, left + width - 1, top + height - 1

    def header(self):
        listed = b"".join(
            name.encode() + struct.pack("<xiB3xii", TYPES[self.channels[name].dtype.str], 0, 1, 1)
            for name in sorted(self.channels, key=str.encode)
        )
        attributes = {
            "channels": ("chlist", listed + b"\0"),
            "compression": ("compression", bytes([self.compression])),
            "dataWindow": ("box2i", struct.pack("<4i", *self.window)),
            "displayWindow": ("box2i", struct.pack("<4i", *(self.display or self.window))),
            "lineOrder": ("lineOrder", b"\0"),
            **{name: ("string", text.encode()) for name, text in self.texts.items()},
            **self.more,
        }
        return b"".join(
            f"{name}\0{kind}\0".encode() + struct.pack("<i", len(value)) + value
            for name, (kind, value) in attributes.items()
        )

    def blocks(self):
        """The first row of each block, and its packed bytes."""
        lines = 16 if self.compression == ZIP else 1
        for row in range(0, self.shape[0], lines):
            raw = b"".join(
                self.channels[name][line].tobytes()
                for line in range(row, min(row + lines, self.shape[0]))
                for name in sorted(self.channels, key=str.encode)
            )
            short = packed(raw, self.compression)
            yield self.corner[1] + row, short if len(short) < len(raw) else raw


def packed(raw, compression):
    if compression == NONE:
        return raw
    apart = raw[::2] + raw[1::2]
    steps = bytes([apart[0], *((b - a + 128) % 256 for a, b in pairwise(apart))])
    return runs(steps) if compression == RLE else zlib.compress(steps)


def runs(raw):
    """Run-length encoding: equal bytes as their number less one and the byte, others after -n."""
    found, place = b"", 0
    while place < len(raw):
        end = place
        while end < len(raw) and end - place < 128 and raw[end] == raw[place]:
            end += 1
        if end - place > 2:
            found += bytes([end - place - 1, raw[place]])
        else:
            end = min(place + 127, next(iter(equal(raw, place)), len(raw)))
            found += bytes([256 - (end - place)]) + raw[place:end]
        place = end
    return found


def equal(raw, place):
    """Where three equal bytes begin after a place."""
    return (i for i in range(place + 1, len(raw) - 2) if raw[i] == raw[i + 1] == raw[i + 2])


def exr(*parts, flags=None, backward=False):
    """The bytes of a file; with `backward` the last rows come first."""
    many = len(parts) > 1 if flags is None else bool(flags & MANY_PARTS)
    flags = (MANY_PARTS if many else 0) if flags is None else flags
    blocks = [[*part.blocks()] for part in parts]
    header = b"v/1\x01" + struct.pack("<i", 2 | 0x400 | flags)
    for part, each in zip(parts, blocks, strict=True):
        header += part.header()
        if many:
            header += b"chunkCount\0int\0" + struct.pack("<ii", 4, len(each))
        header += b"\0"
    header += b"\0" * many
    place = len(header) + 8 * sum(map(len, blocks))
    tables, content = [[0] * len(each) for each in blocks], b""
    order = [(number, i) for number, each in enumerate(blocks) for i in range(len(each))]
    for number, i in reversed(order) if backward else order:
        row, data = blocks[number][i]
        tables[number][i] = place + len(content)
        told = (number, row, len(data)) if many else (row, len(data))
        content += struct.pack(f"<{len(told)}i", *told) + data
    table = [each for table in tables for each in table]
    return header + struct.pack(f"<{len(table)}Q", *table) + content


def table_of(content, count):
    """Where the table of so many blocks begins: its first number is where it ends."""
    return next(
        place
        for place in range(8, len(content))
        if content[place : place + 8] == struct.pack("<Q", place + 8 * count)
    )


def drawn(rng, kind, shape):
    """A picture of numbers of a kind, with all that they can be."""
    bits = rng.integers(0, 2 ** (8 * np.dtype(kind).itemsize), shape)
    noise = bits.astype(f"u{np.dtype(kind).itemsize}").view(kind)
    smooth = np.add.outer(np.arange(shape[0]), np.arange(shape[1])).astype(kind)
    return np.where(rng.random(shape) < 0.5, noise, smooth) if rng.random() < 0.5 else smooth
