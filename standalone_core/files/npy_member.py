# SPDX-License-Identifier: MIT
"""Arrays in NumPy's .npy format, read only where header and size agree."""

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import MeshFileError
from .stored_archive import Reader

_LEAST_LIMIT = 1 << 20
_PIECE = 1 << 20
_MAGIC = b"\x93NUMPY\x01\x00"

# As NumPy writes it: no other Python literal is understood, and so none is evaluated.
_HEADER = re.compile(
    rb"\{'descr': '([<>|])([biuf])([1248])', 'fortran_order': False, "
    rb"'shape': \(((?:[0-9]{1,19},? ?){0,4})\), \} *\n"
)


def write(file: Any, array: npt.NDArray[Any]) -> None:
    """Write an array as :func:`read` takes it."""
    content = np.ascontiguousarray(array).reshape(array.shape)
    header = np.lib.format.header_data_from_array_1_0(content)
    np.lib.format.write_array_header_1_0(file, header)
    data = content.reshape(-1).view(np.uint8).data
    for start in range(0, len(data), _PIECE):  # what is compressed is then never held as a whole
        file.write(data[start : start + _PIECE])


def read(member: Reader) -> npt.NDArray[Any]:
    """The array that a member of an archive holds, in the byte order of this machine.

    MeshFileError if it holds none, or one that no mesh has: of more than four axes, of objects or
    texts, or in the order of Fortran.
    """
    prefix = member.read(len(_MAGIC) + 2)
    length = int.from_bytes(prefix[len(_MAGIC) :], "little")
    header = _HEADER.fullmatch(member.read(length)) if prefix.startswith(_MAGIC) else None
    if header is None:
        raise MeshFileError(f"{member.name} is no array of numbers that a mesh has")
    order, kind, size, listed = (part.decode("ascii") for part in header.groups())
    shape = tuple(map(int, re.findall("[0-9]+", listed)))
    if (
        math.prod(shape) * int(size) != member.left
        or max(shape, default=0) > _LEAST_LIMIT + member.left
    ):
        raise MeshFileError(f"the file is damaged: {member.name} is not of the size in its header")
    try:
        array = np.empty(shape, np.dtype(order + kind + size))
    except (TypeError, ValueError, MemoryError) as error:
        raise MeshFileError(f"{member.name} cannot be held: {error}") from None
    member.fill(array.reshape(-1).view(np.uint8).data)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
