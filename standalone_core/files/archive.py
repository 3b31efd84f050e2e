# SPDX-License-Identifier: MIT
"""Uncompressed zip archives, such as NumPy's ``savez`` writes, and the arrays in them.

No more is read than the file holds, and no size in it is trusted before it is compared with the
file's own. Archives with compressed members are refused.
"""

import io
import math
import re
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..concurrency.forks import Lock
from ..concurrency.threads import go_on
from ..errors import MeshFileError

# Larger archives are refused before their members are read.
_MOST_MEMBERS, _MOST_DIRECTORY = 64, 1 << 14
_PIECE = 1 << 20  # bytes that are still in the processor's cache when they are checked

# The records of PKWARE's APPNOTE.TXT; fields that are not needed are skipped.
_END = struct.Struct("<4s4x2x H L L 2x")
_END_64 = struct.Struct("<4s28x Q Q Q")
_LOCATOR_64 = struct.Struct("<4s16x")
_ENTRY = struct.Struct("<4s4x H H 4x L L L H H H 8x L")
_LOCAL = struct.Struct("<4s22x H H")
_EXTRA = struct.Struct("<H H")

_MOST_COMMENT = (1 << 16) - 1
_IN_EXTRA = (1 << 32) - 1
_ENCRYPTED = 1
_MAGIC = b"\x93NUMPY\x01\x00"

# A header as NumPy writes it; no other Python literal is accepted, so none is evaluated.
_HEADER = re.compile(
    rb"\{'descr': '([<>|])([biufU])([1-9][0-9]{0,8})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,19},? ?){0,32})\), \} *\n?"
)


class Member(NamedTuple):
    """Where a member of an archive lies in its file: its local header begins at `start`."""

    name: str
    start: int
    size: int
    crc: int
    end: int
    """Where the next member, or the directory, begins."""


class Reader:
    """A member's content, from its first byte to its last.

    Threads may read members of one file together, if they share the `lock`.
    """

    def __init__(self, file: Any, member: Member, lock: Lock) -> None:
        with lock.here:
            signature, name_length, extra_length = _LOCAL.unpack(
                _bytes(file, member.start, _LOCAL.size, member.end)
            )
            start = member.start + _LOCAL.size
            name = _bytes(file, start, name_length, member.end)
        if signature != b"PK\3\4" or name != member.name.encode("ascii"):
            raise MeshFileError(f"the file is damaged: {member.name} is not where it should be")
        start += name_length + extra_length
        if start + member.size > member.end:
            raise MeshFileError(f"the file is damaged: {member.name} does not fit in it")
        self._file, self._lock, self._place = file, lock, start
        self._crc, self._expected = 0, member.crc
        self.name, self.left = member.name, member.size

    def read(self, size: int) -> bytes:
        """The next `size` bytes; MeshFileError if there are fewer, or if the checksum is wrong."""
        if size > self.left:
            raise MeshFileError(f"the file is damaged: {self.name} ends too soon")
        content = bytearray(size)
        self.fill(memoryview(content))
        return bytes(content)

    def fill(self, content: memoryview) -> None:
        """Fill an array with the next bytes, as :meth:`read`; there must be enough."""
        for start in range(0, len(content), _PIECE):
            go_on()
            part = content[start : start + _PIECE]
            with self._lock.here:
                self._file.seek(self._place)
                _fill(self._file, part)
            self._crc = zlib.crc32(part, self._crc)
            self._place += len(part)
        self.left -= len(content)
        if not self.left and self._crc != self._expected:
            raise MeshFileError(f"the file is damaged: {self.name} is not what was written")


def members(file: Any) -> list[Member]:
    """The members of the archive at the end of a file, in the order in which they lie there.

    MeshFileError if it is no archive, or one of another kind: with members that are compressed or
    encrypted, are named twice, or are more than those of a mesh. Members that overlap are refused
    by :class:`Reader`.
    """
    directory, start, count, shift = _directory(file)
    found, place = [], 0
    for _ in range(count):
        if place + _ENTRY.size > len(directory):
            raise MeshFileError("the file is damaged: its directory ends too soon")
        member, place = _member(directory, place, shift)
        found.append(member)
    found.sort(key=lambda member: member.start)
    names = {member.name for member in found}
    if len(names) < count:
        raise MeshFileError("the file is damaged: two of its members have the same name")
    if any(member.start > start for member in found):
        raise MeshFileError("the file is damaged: a member is not where it should be")
    ends = [*(member.start for member in found[1:]), start][:count]
    return [member._replace(end=end) for member, end in zip(found, ends, strict=True)]


def _directory(file: Any) -> tuple[bytes, int, int, int]:
    """The directory of an archive, its start, the number of members, and their shift."""
    file.seek(0, 2)
    length = file.tell()
    tail_start = max(length - _END.size - _MOST_COMMENT, 0)
    tail = _bytes(file, tail_start, length - tail_start, length)
    place = tail.rfind(b"PK\5\6")
    if place < 0 or place + _END.size > len(tail):
        raise MeshFileError("the file is damaged, or no .npz archive")
    _, count, size, offset = _END.unpack_from(tail, place)
    end = tail_start + place
    before = end - _LOCATOR_64.size - _END_64.size
    if before >= 0:
        large = _bytes(file, before, end - before, end)
        if large.startswith(b"PK\6\6") and large.startswith(b"PK\6\7", _END_64.size):
            _, count, size, offset = _END_64.unpack_from(large)
            end = before
    shift = end - size - offset  # how many bytes come before the archive
    if shift < 0 or count > _MOST_MEMBERS or size > _MOST_DIRECTORY:
        raise MeshFileError("the file is damaged, or no .npz archive of a mesh")
    return _bytes(file, end - size, size, end), end - size, count, shift


def _member(directory: bytes, place: int, shift: int) -> tuple[Member, int]:
    """A member by its entry at a place of the directory, and the place of the next one."""
    entry = _ENTRY.unpack_from(directory, place)
    signature, flags, method, crc, *sizes, name_length, extra_length, comment_length, start = entry
    place += _ENTRY.size
    raw = directory[place : place + name_length]
    extra = directory[place + name_length : place + name_length + extra_length]
    if signature != b"PK\1\2" or not raw.isascii():
        raise MeshFileError("the file is damaged: its directory has another form")
    name = raw.decode("ascii")
    if method or flags & _ENCRYPTED:
        raise MeshFileError(f"the file holds no saved mesh: {name} is compressed or encrypted")
    packed, size = sizes
    size, packed, start = _large(extra, [size, packed, start])
    if packed != size:
        raise MeshFileError(f"the file is damaged: {name} is stored, but has two sizes")
    member = Member(name, start + shift, size, crc, 0)
    return member, place + name_length + extra_length + comment_length


def _large(extra: bytes, values: list[int]) -> list[int]:
    """Sizes and offset of an entry; those of more than 32 bits are in its extra field."""
    place = 0
    while place + _EXTRA.size <= len(extra) and _IN_EXTRA in values:
        kind, length = _EXTRA.unpack_from(extra, place)
        place += _EXTRA.size
        if kind == 1:
            stored = struct.iter_unpack("<Q", extra[place : place + length // 8 * 8])
            numbers = (number for (number,) in stored)
            return [next(numbers, value) if value == _IN_EXTRA else value for value in values]
        place += length
    return values


def _bytes(file: Any, start: int, size: int, end: int) -> bytes:
    """So many bytes of a file; MeshFileError if some lie beyond `end`."""
    if start + size > end:
        raise MeshFileError("the file is damaged: it ends too soon")
    file.seek(start)
    return _exactly(file, size)


def _fill(file: Any, content: memoryview) -> None:
    if type(file) is not io.FileIO:
        content[:] = _exactly(file, len(content))
        return
    while content:
        count = file.readinto(content)
        if not count:
            raise MeshFileError("the file is damaged: it ends too soon")
        content = content[count:]


def _exactly(file: Any, size: int) -> bytes:
    """So many bytes of a file, however few it gives at a time."""
    pieces = []
    while size:
        piece = file.read(size)
        if not isinstance(piece, bytes):
            raise MeshFileError(
                "the file must be opened in binary mode, and hold something to read"
            )
        if not piece or len(piece) > size:
            raise MeshFileError("the file is damaged: it ends too soon")
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Header(NamedTuple):
    """What the header of an array in NumPy's .npy format says."""

    order: str
    kind: str
    width: int
    is_fortran: bool
    shape: tuple[int, ...]

    def fits(self, size: int) -> bool:
        """Whether an array of so many bytes may follow."""
        each = 4 * self.width if self.kind == "U" else self.width
        # If one axis is 0, the header could still give another any length.
        return math.prod(self.shape) * each == size and max(self.shape, default=0) <= _PIECE + size


def read_header(text: bytes) -> Header | None:
    """Read the text of a header; None unless it describes an array of numbers or texts."""
    found = _HEADER.fullmatch(text)
    if found is None:
        return None
    order, kind, width, fortran, listed = (part.decode("ascii") for part in found.groups())
    shape = tuple(map(int, re.findall("[0-9]+", listed)))
    return Header(order, kind, int(width), fortran == "True", shape)


def read_npy(member: Reader) -> npt.NDArray[Any]:
    """The array that a member of an archive holds, in the byte order of this machine.

    MeshFileError if it holds none, or one that no mesh has: of more than four axes, of objects or
    texts, or in the order of Fortran.
    """
    prefix = member.read(len(_MAGIC) + 2)
    text = member.read(int.from_bytes(prefix[len(_MAGIC) :], "little"))
    header = read_header(text) if prefix.startswith(_MAGIC) else None
    is_of_mesh = header is not None and header.kind != "U" and header.width in (1, 2, 4, 8)
    if header is None or not is_of_mesh or header.is_fortran or len(header.shape) > 4:
        raise MeshFileError(f"{member.name} is no array of numbers that a mesh has")
    if not header.fits(member.left):
        raise MeshFileError(f"the file is damaged: {member.name} is not of the size in its header")
    try:
        array = np.empty(header.shape, np.dtype(f"{header.order}{header.kind}{header.width}"))
    except (TypeError, ValueError, MemoryError) as error:
        raise MeshFileError(f"{member.name} cannot be held: {error}") from None
    member.fill(array.reshape(-1).view(np.uint8).data)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def write_npy(file: Any, array: npt.NDArray[Any]) -> None:
    """Write an array as :func:`read_npy` takes it."""
    content = np.ascontiguousarray(array).reshape(array.shape)
    header = np.lib.format.header_data_from_array_1_0(content)
    np.lib.format.write_array_header_1_0(file, header)
    data = content.reshape(-1).view(np.uint8).data
    for start in range(0, len(data), _PIECE):  # so that ZipFile compresses a piece at a time
        file.write(data[start : start + _PIECE])
