# SPDX-License-Identifier: GPL-3.0-or-later
"""Which meshes are measured in a run, and what is asked of each."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from . import cad_like, meshes
from .mesh_files import in_folder, loaded
from .options import MEASURES, PLOTTED, RAY_COUNTS, SMALL
from .results import Results
from .shape import Shape

_OF_ALL = set(PLOTTED)
_BESIDE = {"scene", "small", "alone"}
_OF_REFERENCE = set(MEASURES) - _BESIDE
_SUMMED_UP = _OF_REFERENCE - {"first", "build", "refit", "memory"}
_SCENE_SIZE, _PEAK_SIZE, _LARGE = "10k", "10M", "1M"
_GENERATED = {"20k": 20_000, "200k": 200_000}


@dataclass(frozen=True)
class Chosen:
    """A mesh, what is asked of it, and up to how many rays it answers from arrays."""

    shape: Shape
    asked: set[str]
    most_rays: int = RAY_COUNTS[-2]


def chosen(options: Namespace, results: Results) -> Iterator[Chosen]:
    """Yield what is to be measured, one mesh in memory at a time; tell the results what it is."""
    only = set(options.only)
    yield from _summed_up(options, results) if options.meshes else _ladder(options, results)
    if "small" in only:
        yield Chosen(cad_like.box(f"{SMALL[0]} triangles"), {"small"})
        for count in SMALL[1:]:
            shape = meshes.noisy_icosphere(f"{count} triangles", _frequency(count), options.seed)
            yield Chosen(shape, {"small"})
    if "alone" in only:
        yield Chosen(_icosphere(options, _LARGE), {"alone"})
    if "scene" in only:
        yield Chosen(_icosphere(options, _SCENE_SIZE), {"scene"})


def _ladder(options: Namespace, results: Results) -> Iterator[Chosen]:
    """Spheres that differ in size alone, of which one is of reference, and a scan of that size."""
    results.sizes = sizes = list(options.sizes)
    at = _LARGE if _LARGE in sizes else sizes[-1]
    for size in sizes:
        asked = set(options.only) & (_OF_REFERENCE if size == at else _OF_ALL)
        peak = {"peak"} if size == _PEAK_SIZE and "memory" in options.only else set()
        if size == at:
            results.reference.append(size)
        if asked | peak:
            yield Chosen(_icosphere(options, size), asked | peak)
        if asked and size == at:
            scan = _scan(options, at)
            results.reference.append(scan.name)
            yield Chosen(scan, asked)


def _summed_up(options: Namespace, results: Results) -> Iterator[Chosen]:
    """The meshes of a folder and generated ones; the largest of a group answers most rays.

    In the interest of time, of the generated ones none does if there is a folder.
    """
    files: list[Shape] = []
    if isinstance(options.meshes, Path):
        files, absent = in_folder(options.meshes, options.cad)
        results.notes += absent
    generated = []
    for name, count in list(_GENERATED.items())[: 1 if options.quick else None]:
        scan = meshes.scan_like(f"scan-like {name}", _frequency(count), options.seed)
        part = cad_like.cad_like(f"CAD-like {name}", count, options.seed)
        generated += [replace(scan, group="generated scans"), replace(part, group="generated CAD")]
    results.groups = {shape.name: shape.group for shape in files + generated}
    results.reference = list(results.groups)
    largest = {shape.group: shape.name for shape in files or generated}.values()
    for shape in files + generated:
        most = RAY_COUNTS[-1 if shape.name in largest and not options.quick else -2]
        yield Chosen(shape, set(options.only) & _SUMMED_UP, most)


def _icosphere(options: Namespace, size: str) -> Shape:
    return meshes.noisy_icosphere(size, meshes.FREQUENCIES[size], options.seed)


def _scan(options: Namespace, size: str) -> Shape:
    if options.mesh:
        return loaded(options.mesh, options.seed)
    return meshes.scan_like(f"scan {size}", meshes.FREQUENCIES[size], options.seed)


def _frequency(triangles: int) -> int:
    """Of an icosphere of about so many triangles."""
    return round((triangles / 20) ** 0.5)
