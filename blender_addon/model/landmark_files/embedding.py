# SPDX-License-Identifier: GPL-3.0-or-later
"""Embeddings of landmarks in face models, ``.npz``, with the names that each code expects.

A landmark is the sum of its weights times the corners of its triangle. FLAME, SMPL-X and DECA
publish theirs as pickles. Those are never read: unpickling runs what is in a file.
`LAYOUTS` has the names as in flame_pytorch, smplx (body_models.py), the embedding of MediaPipe's
landmarks that FLAME publishes, and DECA (decalib/models/FLAME.py).
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import npy
from .format import Format
from .mark import Mark, MarkFile, MarkFileError
from .text import MOST_BYTES, MOST_MARKS, name_of, too_many, weights


class Pair(NamedTuple):
    """The names of the arrays of triangles and of weights, and what their set is called."""

    triangles: str
    weights: str
    suffix: str


_FLAME = Pair("lmk_face_idx", "lmk_b_coords", "")
_SMPLX = Pair("lmk_faces_idx", "lmk_bary_coords", "")
_STATIC = Pair("static_lmk_faces_idx", "static_lmk_bary_coords", "static")
_FULL = Pair("full_lmk_faces_idx", "full_lmk_bary_coords", "full")
_DYNAMIC = Pair("dynamic_lmk_faces_idx", "dynamic_lmk_bary_coords", "dynamic")
_PAIRS = (_FLAME, _SMPLX, _STATIC, _FULL, _DYNAMIC)
_INDICES, _NAMES, _COUNT = "landmark_indices", "names", "triangle_count"
_KNOWN = {*(name for pair in _PAIRS for name in pair[:2]), _INDICES, _NAMES, _COUNT}

LAYOUTS = ("flame", "smplx", "mediapipe", "deca")
_MOST_MEMBERS = 1_000
_ZIP = b"PK"
_NO_NPZ = (
    "it is no .npz. A pickle is not read, as it could run anything: load it in the Python of the "
    "face model and save its arrays with numpy.savez('landmarks.npz', **arrays)"
)


def read(data: bytes, name: str) -> list[MarkFile]:
    """A set for each pair of arrays, and for each row of them; other arrays are not looked at."""
    if not data.startswith(_ZIP):
        raise MarkFileError(_NO_NPZ)
    arrays = _arrays(data)
    names = npy.texts(arrays[_NAMES]) if _NAMES in arrays else []
    sets = [each for pair in _PAIRS for each in _sets(pair, arrays, names, name)]
    if not sets:
        raise MarkFileError(f"it has no arrays such as {_FLAME.triangles} and {_FLAME.weights}")
    count = _count(arrays.get(_COUNT))
    return [replace(each, triangle_count=count) for each in _without_copies(sets, name)]


def _count(array: npt.NDArray[Any] | None) -> int | None:
    """How many triangles the mesh has, where the file says so."""
    if array is None or array.shape != () or array.dtype.kind not in "iu" or array < 0:
        return None
    return int(array)


def _arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays with known names, none larger than allowed, however small it is compressed."""
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
                    arrays[name] = npy.array(_unzipped(file, info), name)
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
    pair: Pair, arrays: dict[str, npt.NDArray[Any]], names: list[str], name: str
) -> Iterator[MarkFile]:
    """The sets of a pair: one, or one a row where it has rows."""
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
    pair: Pair,
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


def _without_copies(sets: list[MarkFile], name: str) -> list[MarkFile]:
    """One set for two of the same landmarks, as :func:`write` writes for DECA."""
    if len(sets) == 2 and sets[0].marks == sets[1].marks:
        return [MarkFile(name, sets[0].marks)]
    return sets


def write(sets: Sequence[MarkFile], layout: str) -> bytes:
    """A file of one set, or for DECA of two, whose names end in static and full.

    The arrays have the names, shapes and types that the code expects; `names` and `triangle_count`,
    of all triangles of the mesh, are ours.
    DECA's code loads a pickle by ``numpy.load(path, allow_pickle=True)[()]``; for this file, that
    is ``dict(numpy.load(path))``. Where no landmark has an index of MediaPipe's, they count from 0.
    """
    arrays = _of_deca(sets) if layout == "deca" else _of_one(sets, layout)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        for name, values in arrays.items():
            member = io.BytesIO()
            np.save(member, values, allow_pickle=False)
            members.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return file.getvalue()


def _of_one(sets: Sequence[MarkFile], layout: str) -> dict[str, npt.NDArray[Any]]:
    if len(sets) != 1:
        raise MarkFileError(f"an embedding has one set of landmarks, not {len(sets)}")
    marks = sets[0].marks
    pair, kind = (_SMPLX, np.int64) if layout == "smplx" else (_FLAME, np.uint32)
    triangles, places = _columns(marks)
    arrays = {pair.triangles: triangles.astype(kind), pair.weights: places}
    if layout == "mediapipe":
        arrays[_INDICES] = _indices(marks)
    return arrays | _named(sets[0])


def _of_deca(sets: Sequence[MarkFile]) -> dict[str, npt.NDArray[Any]]:
    by_name = {each.name.rpartition(" ")[2]: each for each in sets}
    if len(sets) == 1:
        by_name = {"static": sets[0], "full": sets[0]}
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
    for mark in marks:
        if mark.triangle is None or mark.barycentric is None:
            raise MarkFileError(f"landmark {mark.name!r} is not on a triangle")
        if not 0 <= mark.triangle < 1 << 32:
            raise MarkFileError(f"landmark {mark.name!r} has the triangle {mark.triangle}")
    triangles = np.array([mark.triangle for mark in marks], np.int64)
    return triangles, np.array([mark.barycentric for mark in marks], np.float64).reshape(-1, 3)


def _indices(marks: Sequence[Mark]) -> npt.NDArray[np.int64]:
    numbers = [mark.index for mark in marks]
    if all(number is None for number in numbers):
        return np.arange(len(marks))
    for mark in marks:
        if mark.index is None:
            raise MarkFileError(f"landmark {mark.name!r} has no index of MediaPipe's, others do")
    return np.array(numbers, np.int64)


def _named(of: MarkFile) -> dict[str, npt.NDArray[Any]]:
    """The arrays of ours: names, and what tells whether triangles are of another mesh."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    if any(mark.name for mark in of.marks):
        arrays[_NAMES] = np.array([name_of(mark.name) for mark in of.marks], np.str_)
    if of.triangle_count is not None:
        arrays[_COUNT] = np.array(of.triangle_count, np.int64)
    return arrays


FORMAT = Format(
    "embedding",
    "Face Model Embedding",
    (".npz", ".npy", ".pkl", ".pickle"),
    frozenset({"triangles", "names", "lines"}),
    read,
    write,
    layouts=LAYOUTS,
    most_bytes=1 << 29,
)
