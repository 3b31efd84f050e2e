# SPDX-License-Identifier: MIT
"""Tables as NumPy archives (.npz): a member for each array, as it is.

A member is compressed if a sample of it shrinks to less than half. Ids, faces and misses come in
long runs and shrink to a tenth or less. Weights and points, whose last digits are like noise, would
take many times longer to write, and stay as large. All dates in the archive are the same, so that
one version of zlib writes equal tables as equal bytes.
"""

import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..errors import ArgumentError, TableFileError
from ..files.archive import read_header, write_npy
from .table import Array, Chosen, Table, check_growth

_ENDING = ".npy"
_NAMES, _META = "_names", "meta"
_OURS = "raypick_table"
_VERSION = 1
_LEVEL = 1
_MOST_MEMBERS = 4096
_MOST_GROWTH = 1032  # bytes that one deflated byte becomes at most (zlib's technical notes)
_PIECE = 1 << 20
_SAMPLES, _SAMPLE = 16, 1 << 12

_MAGIC = re.compile(rb"\x93NUMPY([\1\2\3])\0")
_MOST_HEADER = 1 << 14
_LONGEST_TEXT = (1 << 24) - 1  # characters of a text that is read or written

_SIZES: dict[str, Sequence[int]] = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}
_SIZES["U"] = range(1, _LONGEST_TEXT + 1)


def write(file: IO[bytes], table: Table) -> None:
    """Write a table with its extra arrays and meta."""
    if _OURS in table.meta:
        raise ArgumentError(f"the meta of a table has no {_OURS!r} of its own")
    members = dict(_members(table))
    if len(members) > _MOST_MEMBERS:
        raise ArgumentError(f"an .npz table has up to {_MOST_MEMBERS} arrays, not {len(members)}")
    for name, array in members.items():
        if array.dtype.kind == "U" and array.dtype.itemsize > _LONGEST_TEXT * 4:
            raise ArgumentError(f"{name} of a table has a text that is too long for .npz")
    if len(members) < len(table.columns) + len(table.extra) + len(table.names) + 1:
        raise ArgumentError("columns, names and extra arrays of a table need names of their own")
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in members.items():
            info = zipfile.ZipInfo(f"{name}{_ENDING}")
            info.create_system, info.external_attr = 3, 0o600 << 16
            info.file_size = array.nbytes
            info.compress_type = zipfile.ZIP_DEFLATED if _shrinks(array) else zipfile.ZIP_STORED
            # `ZipFile.writestr` sets this from the archive's level, but `ZipFile.open` does not.
            info._compresslevel = _LEVEL  # type: ignore[attr-defined]
            with archive.open(info, "w") as member:
                write_npy(member, array)


def _members(table: Table) -> Iterator[tuple[str, Array]]:
    yield from table.columns.items()
    for name, texts in table.names.items():
        yield f"{name}{_NAMES}", np.array(texts or (), dtype=np.str_)
    yield from table.extra.items()
    layout = {"version": _VERSION, "columns": [*table.columns], "names": [*table.names]}
    try:
        text = json.dumps({**table.meta, _OURS: layout}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"the meta of a table must be what JSON has: {error}") from None
    yield _META, np.array(text)


def _shrinks(array: Array) -> bool:
    """Whether compression halves an array, judged by pieces of it."""
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    step = max(len(content) // _SAMPLES, _SAMPLE)
    pieces = [content[start : start + _SAMPLE] for start in range(0, len(content), step)]
    packed = sum(len(zlib.compress(piece.tobytes(), _LEVEL)) for piece in pieces)
    return packed < sum(map(len, pieces)) // 2


def read(file: IO[bytes]) -> Table:
    """Read any NumPy archive of numbers; from one of :func:`write`, the table it was given.

    All arrays in another program's archive are columns.
    """
    arrays = read_arrays(file)
    meta, layout = _meta_and_layout(arrays)
    if layout is None:
        return Table(arrays, {}, {}, {})
    try:
        columns = {name: arrays.pop(name) for name in layout["columns"]}
        names = {
            name: tuple(arrays.pop(f"{name}{_NAMES}").astype(np.str_).tolist())
            for name in layout["names"]
        }
        del arrays[_META]
    except (KeyError, TypeError, ValueError) as error:
        raise TableFileError(f"the table is damaged: it has not what it lists ({error})") from None
    return Table(columns, names, arrays, meta)


def read_meta(file: IO[bytes]) -> dict[str, Any]:
    """Read only the meta of a table; it is empty for another program's archive."""
    arrays = read_arrays(file, lambda names: {_META: _META} if _META in names else {})
    return _meta_and_layout(arrays)[0]


def _meta_and_layout(arrays: Mapping[str, Array]) -> tuple[dict[str, Any], Any]:
    """The meta of an archive, and its list of members; None if :func:`write` did not make it."""
    try:
        meta = json.loads(str(arrays[_META])) if _META in arrays else {}
    except (ValueError, RecursionError):
        meta = {}
    layout = meta.pop(_OURS, None) if isinstance(meta, dict) else None
    if not isinstance(layout, dict):
        return {}, None
    version = layout.get("version")
    if not isinstance(version, int) or version > _VERSION:
        raise TableFileError(
            f"the table is of format version {version}, "
            f"but this Raypick reads none after {_VERSION}"
        )
    return meta, layout


def read_arrays(file: IO[bytes], chosen: Chosen | None = None) -> dict[str, Array]:
    """All arrays of a NumPy archive, or the chosen ones; TableFileError if it is not an archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if len(members) > _MOST_MEMBERS:
                raise TableFileError("the archive has more members than any table")
            named = {info.filename.removesuffix(_ENDING): info for info in members}
            if len(named) < len(members):
                raise TableFileError("two members of the archive have the same name")
            listed = {name: name for name in named} if chosen is None else chosen([*named])
            _check_sizes(archive, [named[name] for name in listed.values()])
            return {key: _array(archive, named[name]) for key, name in listed.items()}
    except (TableFileError, MemoryError):
        raise
    except Exception as error:  # damaged files make zipfile raise errors of many kinds
        raise TableFileError(f"the file is damaged, or no .npz archive: {error}") from None


def _check_sizes(archive: zipfile.ZipFile, wanted: list[zipfile.ZipInfo]) -> None:
    """TableFileError if members overlap, or are much larger than the file."""
    members = sorted(archive.infolist(), key=lambda info: info.header_offset)
    starts = [info.header_offset for info in members]
    for info, end in zip(members, [*starts[1:], archive.start_dir], strict=True):
        least = zipfile.sizeFileHeader + len(info.filename) + info.compress_size  # type: ignore[attr-defined]
        if info.header_offset + least > end:
            raise TableFileError(f"{info.filename} is damaged: it lies over another member")
    for info in wanted:
        if info.file_size > _MOST_GROWTH * info.compress_size + _PIECE:
            raise TableFileError(f"{info.filename} is damaged: it is smaller than it says")
    check_growth(sum(info.file_size for info in wanted), archive.start_dir)


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise TableFileError(f"{info.filename} is compressed in a way that NumPy does not use")
    with archive.open(info) as member:
        array = read_npy(member, info.file_size, info.filename)
        if member.read(1):  # reading to the end checks the checksum
            raise TableFileError(f"{info.filename} is damaged: it goes on after its end")
    return array


def read_npy(file: IO[bytes], size: int, name: str) -> npt.NDArray[Any]:
    """Read the next `size` bytes of a file as an array, in the byte order of this machine.

    TableFileError if they are no array of numbers or texts. Takes no more memory than `size`, or
    twice that where it changes the byte order.
    """
    magic = _MAGIC.fullmatch(_exactly(file, min(size, 8), name))
    if magic is None:
        raise TableFileError(f"{name} is no array in NumPy's format")
    width = 2 if magic[1] == b"\1" else 4
    length = int.from_bytes(_exactly(file, width, name), "little")
    left = size - 8 - width - length
    if length > _MOST_HEADER or left < 0:
        raise TableFileError(f"{name} is damaged: its header is longer than any")
    header = read_header(_exactly(file, length, name))
    if header is None or header.width not in _SIZES[header.kind]:
        raise TableFileError(f"{name} is no array of numbers or texts")
    if not header.fits(left):
        raise TableFileError(f"{name} is damaged: it is not of the size in its header")
    content = np.empty(left, np.uint8)
    for start in range(0, left, _PIECE):
        part = content.data[start : start + _PIECE]
        part[:] = _exactly(file, len(part), name)
    order, kind, shape = header.order, header.kind, header.shape
    dtype = np.dtype(f"{order}{kind}{header.width}")
    array = content.view(dtype) if left else np.empty(math.prod(shape), dtype)
    if kind == "b" and left and content.max() > 1:
        raise TableFileError(f"{name} is damaged: a bool is neither true nor false")
    if kind == "U" and left and content.view(f"{order}u4").max() > 0x10FFFF:
        raise TableFileError(f"{name} is damaged: it holds what is no character")
    array = array.reshape(shape, order="F" if header.is_fortran else "C")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _exactly(file: IO[bytes], size: int, name: str) -> bytes:
    content = file.read(size)
    if len(content) != size:
        raise TableFileError(f"{name} is damaged: it ends too soon")
    return content
