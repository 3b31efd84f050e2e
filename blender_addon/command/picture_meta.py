# SPDX-License-Identifier: GPL-3.0-or-later
"""What the header of an OpenEXR picture says, without its pixels, and whether these are all there.

As *OpenEXR File Layout* has it: magic number, version, attributes, the places of all blocks of scan
lines, and the blocks.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"\x76\x2f\x31\x01"
_MOST_NAME = 256
_MOST_VALUE = 1 << 28
_LINES = 16  # of a block of the compression that is written


def read_exr_meta(path: Path) -> dict[str, str]:
    """The attributes of a picture of ours that are texts, by name.

    ValueError, struct.error or KeyError if it is none, or not whole.
    """
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            raise ValueError("the file is no OpenEXR picture")
        file.seek(4, 1)  # version and flags
        values: dict[str, bytes] = {}
        texts = {}
        while name := _name(file):
            kind = _name(file)
            (size,) = struct.unpack("<i", file.read(4))
            if not 0 <= size <= _MOST_VALUE:
                raise ValueError("the file is damaged")
            values[name] = file.read(size)
            if kind == "string":
                texts[name] = values[name].decode("utf-8")
        _, top, _, bottom = struct.unpack("<4i", values["dataWindow"])
        _check_end(file, -(-(bottom - top + 1) // _LINES))
    return texts


def _check_end(file: BinaryIO, blocks: int) -> None:
    """Raise ValueError unless the last of so many blocks is there, to its end.

    They are written in their order; their places are what follows in the file.
    """
    file.seek(8 * (blocks - 1), 1)
    (place,) = struct.unpack("<Q", file.read(8))
    file.seek(place)
    _, size = struct.unpack("<ii", file.read(8))
    if place + 8 + size != os.fstat(file.fileno()).st_size:
        raise ValueError("the file is not whole")


def _name(file: BinaryIO) -> str:
    """The text up to the next zero."""
    letters = bytearray()
    while (letter := file.read(1)) != b"\0":
        letters += letter
        if not letter or len(letters) > _MOST_NAME:
            raise ValueError("the file is damaged")
    return letters.decode("utf-8")
