# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in NumPy's file format, of numbers and text alone; nothing in a file is run.

The header is matched word for word instead of evaluated:
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from .mark import MarkFileError

MAGIC = b"\x93NUMPY"
_TYPE = re.compile(rb"'descr': *'([<>|=])([A-Za-z])([0-9]{1,6})'")
_ORDER = re.compile(rb"'fortran_order': *(True|False)")
_SHAPE = re.compile(rb"'shape': *\(([0-9]{0,12}(?:L?, *[0-9]{1,12}){0,3}L?,?)\)")
_SIZES = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}


def array(data: bytes, name: str) -> npt.NDArray[Any]:
    """The array of a ``.npy`` file or member; MarkFileError names it where it is none."""
    if not data.startswith(MAGIC) or len(data) < 10 or data[6] not in (1, 2, 3):
        raise MarkFileError(f"{name} is no array of NumPy, or it was cut off")
    start = 10 if data[6] == 1 else 12
    header = data[start : start + int.from_bytes(data[8:start], "little")]
    content = data[start + len(header) :]
    if b"O'" in header.split(b"fortran_order")[0] or b"[" in header:
        raise MarkFileError(f"{name} has Python objects, or records, and those are not read")
    kind, order, shape = _TYPE.search(header), _ORDER.search(header), _SHAPE.search(header)
    if not (kind and order and shape):
        raise MarkFileError(f"the header of {name} is not one that NumPy writes")
    dtype = _dtype(kind[1].decode(), kind[2].decode(), int(kind[3]), name)
    sizes = tuple(int(size) for size in re.findall(b"[0-9]+", shape[1]))
    if math.prod(sizes) * dtype.itemsize != len(content):
        raise MarkFileError(f"{name} is not as long as its header says, {sizes}")
    return np.frombuffer(content, dtype).reshape(sizes, order="F" if order[1] == b"True" else "C")


def _dtype(order: str, kind: str, length: int, name: str) -> np.dtype[Any]:
    if length in _SIZES.get(kind, ()) or (kind in "US" and length > 0):
        return np.dtype(f"{order}{kind}{length}")
    raise MarkFileError(f"{name} has values of type {order}{kind}{length}, not numbers or text")


def texts(values: npt.NDArray[Any]) -> list[str]:
    """The texts of an array of them; what is no character is replaced."""
    if values.dtype.kind == "S":
        return [bytes(item).decode("utf-8", "replace") for item in values.reshape(-1)]
    codes = np.ascontiguousarray(values.reshape(-1)).view(values.dtype.byteorder + "u4")
    codes = codes.reshape(values.size, -1)
    return ["".join(chr(c) if c < 0x110000 else "\ufffd" for c in row if c) for row in codes]
