# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes from npz files: arrays ``v`` (V, 3), ``f`` (T, 3), or ``vertices``, ``triangles``."""

import zlib
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from checkout import SetupError

from .shape import Shape

SCANS, CAD, UNSORTED = "scans", "CAD", "meshes"
_KINDS = {"scan": SCANS, "scans": SCANS, "cad": CAD}
_SCAN_AT_LEAST = 500_000

_UNREADABLE = (OSError, EOFError, TypeError, ValueError, AttributeError, BadZipFile, zlib.error)
"""What NumPy raises for files that are not npz files, or damaged ones."""


def loaded(path: Path, seed: int, at_least: int = _SCAN_AT_LEAST) -> Shape:
    """Read a scan and divide its triangles in four until there are enough."""
    scan = _read(path, UNSORTED)
    vertices, triangles = scan.vertices, scan.triangles
    rng = np.random.default_rng(seed)
    while len(triangles) < at_least:
        vertices, triangles = _subdivided(vertices, triangles, rng)
    return Shape(path.stem, vertices, triangles)


def in_folder(folder: Path, cad: Sequence[str]) -> tuple[list[Shape], list[str]]:
    """Read all files of a folder; return the meshes, and why others are absent.

    CAD parts come last, and small meshes of a group first.

    A field ``kind`` in a file, "scan" or "cad", says what it is. Of the others, those named in
    `cad` are CAD parts and the rest are scans; if none is named, they are in a group of their own.
    """
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise SetupError(f"no .npz files in {folder}" if folder.is_dir() else f"no folder {folder}")
    unknown = set(cad) - {file.stem for file in files}
    if unknown:
        raise SetupError(f"no mesh named {', '.join(sorted(unknown))} in {folder}")
    shapes, absent = [], []
    for file in files:
        usual = CAD if file.stem in cad else SCANS if cad else UNSORTED
        try:
            shapes.append(_read(file, usual))
        except SetupError as error:
            absent.append(str(error))
    if not shapes:
        raise SetupError(f"no mesh could be read: {'; '.join(absent)}")
    return sorted(shapes, key=lambda shape: (shape.group == CAD, len(shape))), absent


def _read(path: Path, usual: str) -> Shape:
    """Read one file; SetupError if it is not a mesh. `usual` is the group of one of no kind."""
    try:
        with np.load(path) as arrays:
            keys = ("v", "f") if "v" in arrays else ("vertices", "triangles")
            vertices, triangles = (arrays[key] for key in keys)
            kind = str(arrays["kind"]).lower() if "kind" in arrays else ""
    except KeyError:
        raise SetupError(f"{path} is no mesh: it has no arrays 'v' and 'f'") from None
    except _UNREADABLE as error:
        raise SetupError(f"{path} cannot be read: {error}") from None
    if wrong := _fault(vertices, triangles, kind):
        raise SetupError(f"{path} is no mesh to measure: {wrong}")
    group = _KINDS[kind] if kind else usual
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    return Shape(path.stem, vertices, np.ascontiguousarray(triangles, dtype=np.int32), group)


def _fault(vertices: np.ndarray, triangles: np.ndarray, kind: str) -> str:
    """Say what is wrong with a mesh; empty if nothing is."""
    for name, array, kinds in (("vertices", vertices, "fiu"), ("triangles", triangles, "iu")):
        if array.ndim != 2 or array.shape[1] != 3 or not len(array):
            return f"its {name} have shape {array.shape}, not (N, 3)"
        if array.dtype.kind not in kinds:
            return f"its {name} are of type {array.dtype}"
    if not np.isfinite(vertices).all():
        return "a vertex is not finite"
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        return "a triangle has a vertex that is not there"
    if kind and kind not in _KINDS:
        return f"its kind is {kind!r}, not 'scan' or 'cad'"
    return ""


def _subdivided(
    vertices: np.ndarray, triangles: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Divide triangles in four at the middles of their edges, which are moved a little."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1), axis=-1)
    keys = ends[..., 0].astype(np.int64) * len(vertices) + ends[..., 1]
    edges, middle = np.unique(keys, return_inverse=True)
    start, end = vertices[edges // len(vertices)], vertices[edges % len(vertices)]
    length = np.linalg.norm(end - start, axis=1, keepdims=True)
    added = (start + end) / 2 + 0.02 * length * rng.normal(size=start.shape)
    ab, bc, ca = (middle.reshape(-1, 3) + len(vertices)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    rows = np.concatenate([np.stack(part, axis=1) for part in parts]).astype(np.int32)
    return np.concatenate([vertices, added]), rows
