# SPDX-License-Identifier: GPL-3.0-or-later
"""What the header of an OpenEXR picture says, without its pixels."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"\x76\x2f\x31\x01"
_MOST_NAME = 256
_MOST_VALUE = 1 << 28


def read_exr_meta(path: Path) -> dict[str, str]:
    """The attributes of a picture that are texts, by name; ValueError if it is none."""
    found = {}
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            raise ValueError("the file is no OpenEXR picture")
        file.seek(4, 1)  # version and flags
        while name := _name(file):
            kind = _name(file)
            (size,) = struct.unpack("<i", file.read(4))
            if not 0 <= size <= _MOST_VALUE:
                raise ValueError("the file is damaged")
            value = file.read(size)
            if kind == "string":
                found[name] = value.decode("utf-8")
    return found


def _name(file: BinaryIO) -> str:
    """The text up to the next zero."""
    letters = bytearray()
    while (letter := file.read(1)) != b"\0":
        letters += letter
        if not letter or len(letters) > _MOST_NAME:
            raise ValueError("the file is damaged")
    return letters.decode("utf-8")
