# SPDX-License-Identifier: MIT
"""Arrays in NumPy's .npy format, of whoever: numbers and texts, in either order of axes."""

import math
import re
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..errors import TableFileError

_MAGIC = re.compile(rb"\x93NUMPY([\1\2\3])\0")
_MOST_HEADER = 1 << 14
_PIECE = 1 << 20

# As NumPy writes it: no other Python literal is understood, and so none is evaluated.
_HEADER = re.compile(
    rb"\{'descr': '([<>|])([biufU])([0-9]{1,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,19},? ?){0,32})\), \} *\n?"
)
LONGEST_TEXT = (1 << 24) - 1
"""The length of the longest text that is read."""

_SIZES = {
    "b": (1,),
    "i": (1, 2, 4, 8),
    "u": (1, 2, 4, 8),
    "f": (2, 4, 8),
    "U": range(1, LONGEST_TEXT + 1),
}


def read(file: IO[bytes], size: int, name: str) -> npt.NDArray[Any]:
    """The array that the next `size` bytes of a file are, in the byte order of this machine.

    TableFileError if they are none of numbers or texts. No more memory is taken than `size` says.
    """
    magic = _MAGIC.fullmatch(_exactly(file, min(size, 8), name))
    if magic is None:
        raise TableFileError(f"{name} is no array in NumPy's format")
    width = 2 if magic[1] == b"\1" else 4
    length = int.from_bytes(_exactly(file, width, name), "little")
    left = size - 8 - width - length
    if length > _MOST_HEADER or left < 0:
        raise TableFileError(f"{name} is damaged: its header is longer than any")
    header = _HEADER.fullmatch(_exactly(file, length, name))
    if header is None:
        raise TableFileError(f"{name} is no array of numbers or texts")
    order, kind, each, fortran, listed = (part.decode("ascii") for part in header.groups())
    shape = tuple(map(int, re.findall("[0-9]+", listed)))
    if int(each) not in _SIZES[kind]:
        raise TableFileError(f"{name} is no array of numbers or texts")
    dtype = np.dtype(f"{order}{kind}{each}")
    if math.prod(shape) * dtype.itemsize != left or max(shape, default=0) > _PIECE + left:
        raise TableFileError(f"{name} is damaged: it is not of the size in its header")
    content = np.empty(left, np.uint8)
    _fill(file, content.data, name)
    array = content.view(dtype) if left else np.empty(math.prod(shape), dtype)
    if kind == "b" and left and content.max() > 1:
        raise TableFileError(f"{name} is damaged: a bool is neither true nor false")
    if kind == "U" and left and content.view(f"{order}u4").max() > 0x10FFFF:
        raise TableFileError(f"{name} is damaged: it holds what is no character")
    array = array.reshape(shape, order="F" if fortran == "True" else "C")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _fill(file: IO[bytes], content: memoryview, name: str) -> None:
    for start in range(0, len(content), _PIECE):
        part = content[start : start + _PIECE]
        part[:] = _exactly(file, len(part), name)


def _exactly(file: IO[bytes], size: int, name: str) -> bytes:
    content = file.read(size)
    if len(content) != size:
        raise TableFileError(f"{name} is damaged: it ends too soon")
    return content
