# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in files of NumPy: positions in ``.npy``, and places on triangles in ``.npz``.

No code in a file is run: the header of an array is matched against patterns, not evaluated.
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .format import MOST_BYTES, Format, Layout, Mark, MarkFile, MarkFileError
from .text import MOST_MARKS, name_of, too_many, weights

_MAGIC = b"\x93NUMPY"
_TYPE = re.compile(rb"'descr': *'([<>|=])([A-Za-z])([0-9]{1,6})'")
_ORDER = re.compile(rb"'fortran_order': *(True|False)")
_SHAPE = re.compile(rb"'shape': *\(([0-9]{0,12}(?:L?, *[0-9]{1,12}){0,3}L?,?)\)")
_SIZES = {"i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8)}


def _is_positions(data: bytes) -> bool:
    """Whether it is an array of numbers, rather than one of Python objects."""
    return data.startswith(_MAGIC) and _array(data, "it").dtype.kind in "iuf"


def _read_positions(data: bytes, name: str) -> list[MarkFile]:
    """A set of positions (N, 3), or S sets (S, N, 3); positions of NaN are missing."""
    found = _array(data, "it")
    if found.dtype.kind not in "iuf" or found.ndim not in (2, 3) or found.shape[-1] != 3:
        raise MarkFileError(f"it is {found.dtype} of shape {found.shape}, not positions (N, 3)")
    if found.size > 3 * MOST_MARKS or len(found) > MOST_MARKS:
        raise too_many()
    sets = found.astype(np.float64).reshape(-1, *found.shape[-2:])
    if np.isinf(sets).any():
        raise MarkFileError("a number is not finite")
    alone = len(sets) == 1
    return [
        MarkFile(name if alone else f"{name} {number}", tuple(map(_mark, rows)))
        for number, rows in enumerate(sets.tolist(), 1)
    ]


def _mark(row: Sequence[float]) -> Mark:
    x, y, z = row
    missing = np.isnan(row)
    if missing.any() and not missing.all():
        raise MarkFileError("of a landmark only some of the three coordinates are there")
    return Mark("", None if missing.any() else (x, y, z))


def _write_positions(group: MarkFile) -> bytes:
    """An array (N, 3) of float64, with NaN where a landmark is missing."""
    points = [mark.point or (np.nan, np.nan, np.nan) for mark in group.marks]
    return _saved(np.array(points, np.float64).reshape(-1, 3))


def _saved(values: npt.NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, values, allow_pickle=False)
    return file.getvalue()


POSITIONS = Format(
    "npy",
    "NumPy Positions",
    "An array of positions, without names (.npy)",
    (".npy",),
    frozenset({"positions", "missing"}),
    _read_positions,
    _write_positions,
    _is_positions,
)


class _Pair(NamedTuple):
    """The names of an array of triangles and one of weights, and the suffix of their set's name.

    The names are from flame_pytorch, smplx (body_models.py), the embedding of MediaPipe's landmarks
    that FLAME publishes, and DECA (decalib/models/FLAME.py). A landmark is the sum of its weights
    times the corners of its triangle.
    """

    triangles: str
    weights: str
    suffix: str


_FLAME = _Pair("lmk_face_idx", "lmk_b_coords", "")
_SMPLX = _Pair("lmk_faces_idx", "lmk_bary_coords", "")
_STATIC = _Pair("static_lmk_faces_idx", "static_lmk_bary_coords", "static")
_FULL = _Pair("full_lmk_faces_idx", "full_lmk_bary_coords", "full")
_DYNAMIC = _Pair("dynamic_lmk_faces_idx", "dynamic_lmk_bary_coords", "dynamic")
_PAIRS = (_FLAME, _SMPLX, _STATIC, _FULL, _DYNAMIC)
_INDICES, _NAMES, _COUNT = "landmark_indices", "names", "triangle_count"
_KNOWN = {*(name for pair in _PAIRS for name in pair[:2]), _INDICES, _NAMES, _COUNT}

_MOST_MEMBERS = 1_000
_ZIP = b"PK"
_NO_NPZ = (
    "it is no .npz. A pickle is not read, as it could run anything: load it in the Python of the "
    "face model and save its arrays with numpy.savez('landmarks.npz', **arrays)"
)


def _read_embedding(data: bytes, name: str) -> list[MarkFile]:
    """A set for each row of each pair of arrays; arrays with unknown names are not read.

    FLAME, SMPL-X and DECA publish theirs as pickles, which are never read: unpickling runs code.
    """
    if not data.startswith(_ZIP):
        raise MarkFileError(_NO_NPZ)
    arrays = _arrays(data)
    names = _texts(arrays[_NAMES]) if _NAMES in arrays else []
    sets = [each for pair in _PAIRS for each in _sets(pair, arrays, names, name)]
    if not sets:
        raise MarkFileError(f"it has no arrays such as {_FLAME.triangles} and {_FLAME.weights}")
    if len(sets) == 2 and sets[0].marks == sets[1].marks:  # DECA's files have one set twice
        sets = [MarkFile(name, sets[0].marks)]
    total = arrays.get(_COUNT)
    if total is not None and (total.shape != () or total.dtype.kind not in "iu" or total < 0):
        total = None
    return [replace(each, triangle_count=None if total is None else int(total)) for each in sets]


def _arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays with known names; MarkFileError if one is too large when decompressed."""
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if len(file.infolist()) > _MOST_MEMBERS:
                raise MarkFileError(f"it has more than {_MOST_MEMBERS} arrays")
            for info in file.infolist():
                name = info.filename.removesuffix(".npy")
                if name in arrays:
                    raise MarkFileError(f"it has {name} twice")
                if name in _KNOWN:
                    arrays[name] = _array(_unzipped(file, info), name)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        if isinstance(error, MarkFileError):
            raise
        raise MarkFileError(f"its zip is damaged: {error}") from None
    except (NotImplementedError, RuntimeError, KeyError) as error:
        raise MarkFileError(f"its zip is of another kind: {error}") from None
    return arrays


def _unzipped(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise MarkFileError(f"{info.filename} is compressed otherwise than NumPy does")
    if info.file_size > MOST_BYTES:
        raise MarkFileError(f"{info.filename} has more than {MOST_BYTES} bytes")
    with file.open(info) as member:
        return member.read(MOST_BYTES + 1)


def _sets(
    pair: _Pair, arrays: dict[str, npt.NDArray[Any]], names: list[str], name: str
) -> Iterator[MarkFile]:
    """The sets of a pair of arrays: one, or one for each row."""
    triangles, places = arrays.get(pair.triangles), arrays.get(pair.weights)
    if triangles is None and places is None:
        return
    if triangles is None or places is None:
        there, missing = pair[:2] if places is None else pair[1::-1]
        raise MarkFileError(f"it has {there} without {missing}")
    if triangles.dtype.kind not in "iu" or places.dtype.kind != "f":
        raise MarkFileError(f"{pair.triangles} has no whole numbers, or {pair.weights} no weights")
    if triangles.ndim not in (1, 2) or places.shape != (*triangles.shape, 3):
        shapes = f"{triangles.shape} and {places.shape}"
        raise MarkFileError(f"{pair.triangles} and {pair.weights} do not fit: {shapes}")
    if triangles.size > MOST_MARKS or triangles.shape[0] > MOST_MARKS:
        raise too_many()
    rows = np.atleast_2d(triangles)
    title = f"{name} {pair.suffix}" if pair.suffix else name
    indices = arrays.get(_INDICES)
    for number, row in enumerate(zip(rows, places.reshape(*rows.shape, 3), strict=True), 1):
        numbered = title if len(rows) == 1 else f"{title} {number}"
        yield MarkFile(numbered, tuple(_marks(pair, *row, names, indices)))


def _marks(
    pair: _Pair,
    triangles: npt.NDArray[Any],
    places: npt.NDArray[Any],
    names: list[str],
    indices: npt.NDArray[Any] | None,
) -> Iterator[Mark]:
    fitting = names if len(names) == len(triangles) else [""] * len(triangles)
    numbers: list[Any] = [None] * len(triangles)
    if indices is not None and indices.shape == triangles.shape and indices.dtype.kind in "iu":
        numbers = indices.tolist()
    rows = zip(triangles.tolist(), places.tolist(), fitting, numbers, strict=True)
    for count, (triangle, weight, name, number) in enumerate(rows):
        where = f"{pair.triangles}[{count}]"
        if triangle < 0:
            raise MarkFileError(f"{where} is {triangle}")
        place = weights(weight, f"{pair.weights}[{count}]")
        yield Mark(name_of(name), triangle=triangle, barycentric=place, index=number)


def _write_embedding(*sets: MarkFile, layout: str) -> bytes:
    """A file of one set, or for DECA of two, whose names end in static and full.

    The arrays have the names, shapes and types that the code of the face model expects; Raypick
    adds `names`, and the mesh's `triangle_count`. DECA's code loads a pickle by
    ``numpy.load(path, allow_pickle=True)[()]``; for this file, that is ``dict(numpy.load(path))``.
    If no landmark has an index of MediaPipe's, the indices count from 0.
    """
    if layout == "deca":
        arrays = _of_deca(sets)
    else:
        pair, kind = (_SMPLX, np.int64) if layout == "smplx" else (_FLAME, np.uint32)
        triangles, places = _columns(sets[0].marks)
        arrays = {pair.triangles: triangles.astype(kind), pair.weights: places}
        if layout == "mediapipe":
            arrays[_INDICES] = _indices(sets[0].marks)
        arrays |= _named(sets[0])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        for name, values in arrays.items():
            members.writestr(zipfile.ZipInfo(f"{name}.npy"), _saved(values))
    return file.getvalue()


def _of_deca(sets: Sequence[MarkFile]) -> dict[str, npt.NDArray[Any]]:
    by_name = {each.name.rpartition(" ")[2]: each for each in sets}
    if len(sets) == 1:
        by_name = dict.fromkeys(("static", "full"), sets[0])
    if by_name.keys() != {"static", "full"}:
        raise MarkFileError('for DECA there is one set, or there are two, "static" and "full"')
    static, static_places = _columns(by_name["static"].marks)
    full, full_places = _columns(by_name["full"].marks)
    return {
        _STATIC.triangles: static,
        _STATIC.weights: static_places,
        _FULL.triangles: full[None],
        _FULL.weights: full_places[None],
    } | _named(by_name["full"])


def _columns(marks: Sequence[Mark]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    triangles = np.array([mark.triangle for mark in marks], np.int64)
    return triangles, np.array([mark.barycentric for mark in marks], np.float64).reshape(-1, 3)


def _indices(marks: Sequence[Mark]) -> npt.NDArray[np.int64]:
    without = [mark.name for mark in marks if mark.index is None]
    if len(without) == len(marks):
        return np.arange(len(marks))
    if without:
        raise MarkFileError(f"landmark {without[0]!r} has no index of MediaPipe's, others do")
    return np.array([mark.index for mark in marks], np.int64)


def _named(group: MarkFile) -> dict[str, npt.NDArray[Any]]:
    """Raypick's own arrays: the names, and the number of triangles of the mesh."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    if any(mark.name for mark in group.marks):
        arrays[_NAMES] = np.array([name_of(mark.name) for mark in group.marks], np.str_)
    if group.triangle_count is not None:
        arrays[_COUNT] = np.array(group.triangle_count, np.int64)
    return arrays


EMBEDDING = Format(
    "embedding",
    "Face Model Embedding",
    "Triangles and weights for FLAME, SMPL-X, MediaPipe and DECA (.npz)",
    (".npz", ".npy", ".pkl", ".pickle"),
    frozenset({"triangles", "names", "lines"}),
    _read_embedding,
    _write_embedding,
    layouts={
        "flame": Layout("FLAME", "Arrays lmk_face_idx and lmk_b_coords"),
        "smplx": Layout("SMPL-X", "Arrays lmk_faces_idx and lmk_bary_coords"),
        "mediapipe": Layout("MediaPipe", "As FLAME, with the array landmark_indices"),
        "deca": Layout("DECA", "Arrays static_lmk_ and full_lmk_", holds_sets=True),
    },
    layouts_tell="Whose names and shapes the arrays have",
    most_bytes=1 << 29,
)


def _array(data: bytes, name: str) -> npt.NDArray[Any]:
    """The array of a ``.npy`` file or member; MarkFileError, with the name, if it is none."""
    if not data.startswith(_MAGIC) or len(data) < 10 or data[6] not in (1, 2, 3):
        raise MarkFileError(f"{name} is no array of NumPy, or it was cut off")
    start = 10 if data[6] == 1 else 12
    header = data[start : start + int.from_bytes(data[8:start], "little")]
    content = data[start + len(header) :]
    if b"O'" in header.split(b"fortran_order")[0] or b"[" in header:
        raise MarkFileError(f"{name} has Python objects, or records, and those are not read")
    kind, order, shape = _TYPE.search(header), _ORDER.search(header), _SHAPE.search(header)
    if not (kind and order and shape):
        raise MarkFileError(f"the header of {name} is not one that NumPy writes")
    letter, length = kind[2].decode(), int(kind[3])
    descr = f"{kind[1].decode()}{letter}{length}"
    if length not in _SIZES.get(letter, ()) and not (letter in "US" and length > 0):
        raise MarkFileError(f"{name} has values of type {descr}, not numbers or text")
    dtype = np.dtype(descr)
    sizes = tuple(int(size) for size in re.findall(b"[0-9]+", shape[1]))
    if math.prod(sizes) * dtype.itemsize != len(content):
        raise MarkFileError(f"{name} is not as long as its header says, {sizes}")
    return np.frombuffer(content, dtype).reshape(sizes, order="F" if order[1] == b"True" else "C")


def _texts(values: npt.NDArray[Any]) -> list[str]:
    """The texts of an array; invalid characters are replaced."""
    if values.dtype.kind == "S":
        return [bytes(item).decode("utf-8", "replace") for item in values.reshape(-1)]
    codes = np.ascontiguousarray(values.reshape(-1)).view(values.dtype.byteorder + "u4")
    codes = codes.reshape(values.size, -1)
    return ["".join(chr(c) if c < 0x110000 else "\ufffd" for c in row if c) for row in codes]
