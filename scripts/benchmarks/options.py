# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures and the command line of the benchmark."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from checkout import ROOT
from environment import BPY_VERSIONS

MEASURES = {
    "first": "first hit from arrays in memory, nothing built",
    "build": "the whole build",
    "pick": "one warm pick from Python, median and 99th percentile",
    "incoherent": "a batch of random rays",
    "coherent": "a batch of a camera's rays, row by row",
    "columns": "the same two batches, all that Open3D answers read",
    "any": "a batch of random rays, whether each hits",
    "count": "a batch of random rays, how often each hits",
    "all": "a batch of random rays, all hits of each",
    "closest": "a batch of points, the closest place of each",
    "surface": "batches of segments that start on the surface: to the outside, to vertices",
    "nearest": "one closest place, from Python",
    "rays": "1, 10 ... rays from arrays in memory, nothing built",
    "answer": "memory of an answer to ten million rays",
    "fresh": "one batch in a process of its own, from the start of Python",
    "refit": "adapting the tree to moved vertices",
    "load": "reading a mesh with its tree from a file",
    "memory": "memory of the tree, and the peak of the largest build",
    "scene": "1,000 and 100,000 instances: first pick, warm pick, batches, moving one",
    "small": "one warm pick at meshes of 12 to 980 triangles",
    "alone": "a batch of random rays with NumPy alone, at a million triangles",
    "obj": "a million triangles from an OBJ file to the first answer, from the start of Python",
    "camera": "making the rays of all pixels of a camera",
    "import": "importing the core",
}
IN_BLENDER = {
    "open": "enabling the extension, opening a file",
    "first": "the first pick at an untouched mesh of 2,000,000 quads",
    "later": "the picks that follow, while the index is built and afterwards",
    "edit": "picks in edit mode after an edit and between edits, 1,000,000 triangles",
    "instances": "10,000 instances in three ways: the first pick and later ones",
    "objects": "1,000 objects of which one changes",
    "moving": "4,000 and 20,000 objects of which one moves or is selected",
    "points": "places nearest to points, beside BVHTree.find_nearest: one and many",
    "deform": "a pick on each frame at a mesh of 200,000 vertices that deforms",
    "memory": "memory held, against the limit of the preferences",
    "survey": "all pixels of a render camera, beside a loop of scene.ray_cast",
}
SIZES = {"10k": 10_000, "100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}
RAY_COUNTS = (1, 10, 1_000, 100_000, 10_000_000)
INSTANCES = (1_000, 100_000)
PIXELS = (1000, 800)
SMALL = (12, 80, 320, 980)
"""Triangles of the additional, small meshes."""

PLOTTED = ("first", "build", "pick")
OUTPUT = ROOT / "dist"
EXTENSION_VARIABLE = "RAYPICK_BENCHMARK_EXTENSION"
"""The environment variable that holds the path of the extension's zip for a run in Blender."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line; lists become tuples, and omitted options get their defaults."""
    in_blender = "--blender" in sys.argv
    measures = IN_BLENDER if in_blender else MEASURES
    listing = "".join(f"\n  {name:11}{text}" for name, text in measures.items())
    parser = argparse.ArgumentParser(
        prog="benchmark.py",
        description="Measure Raypick beside other ray casters, or in Blender beside Blender's own.",
        epilog=f"measures:{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--blender", action="store_true", help="measure picks in Blender")
    known = tuple(measures)
    add("--quick", action="store_true", help="a smoke run: small meshes, 3 rounds")
    add(
        "--only",
        type=_some_of(known),
        default=known if in_blender else (),
        metavar="NAME,...",
        help="these measures alone, with a goal or without",
    )
    add("--rounds", type=_positive, help="rounds of each measure (5; quick: 3)")
    add("--seed", type=int, default=1, help="seed of the meshes and rays")
    add("--markdown", action="store_true", help="print the tables as Markdown")
    add("--json", type=Path, metavar="FILE")
    if in_blender:
        add("--blender-version", choices=BPY_VERSIONS, default=BPY_VERSIONS[-1])
        add("--compiled", action="store_true", help="measure the zip that contains Numba")
    else:
        _add_meshes(add)
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 5)
    kind = "-blender" if in_blender else "-meshes" if options.meshes else ""
    options.json = options.json or OUTPUT / f"benchmark{kind}.json"
    if not in_blender:
        if options.meshes and (options.sizes or options.mesh):
            parser.error("--sizes and --mesh cannot be used with --meshes")
        if options.cad and not isinstance(options.meshes, Path):
            parser.error("--cad needs --meshes with a folder")
        options.sizes = options.sizes or tuple(SIZES)[: 2 if options.quick else None]
        whole = options.sizes == tuple(SIZES) and set(PLOTTED) <= set(options.only or PLOTTED)
        folder = ROOT / "docs" / "images" if whole else OUTPUT
        options.plot = options.plot or folder / "benchmark.png"
    return options


def _add_meshes(add: Callable[..., object]) -> None:
    """Add the options that choose the meshes and the file of the plot."""
    sizes = f"these icospheres alone, of {', '.join(SIZES)}"
    add("--sizes", type=_some_of(tuple(SIZES)), metavar="SIZE,...", help=sizes)
    scan = "a scan, as arrays 'vertices' and 'triangles', in place of the generated one"
    add("--mesh", type=Path, metavar="FILE.npz", help=scan)
    add("--plot", type=Path, metavar="FILE.png", help="where the picture goes")
    folder = "averages over the .npz files of a folder, of 'v' and 'f', and over generated meshes"
    add("--meshes", nargs="?", type=Path, const=True, metavar="DIR", help=folder)
    cad = "names of CAD parts in that folder, whose other meshes are scans"
    add("--cad", type=_names, default=(), metavar="NAME,...", help=cad)


def _some_of(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """Return a parser of comma-separated names, which puts them in the order of `known`."""

    def read(text: str) -> tuple[str, ...]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return tuple(name for name in known if name in names)

    return read


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip().removesuffix(".npz") for name in text.split(","))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
