# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be asked of the benchmark."""

from __future__ import annotations

import argparse
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
    "all": "a batch of random rays, all hits of each",
    "refit": "adapting the tree to moved vertices",
    "memory": "memory of the tree, and the peak of the largest build",
    "scene": "100,000 instances of one mesh: adding them, the first pick, a warm pick",
}
IN_BLENDER = {
    "open": "enabling the extension, opening a file",
    "first": "the first pick at an untouched mesh of 2,000,000 quads",
    "later": "the picks that follow, while the index is built and afterwards",
    "edit": "picks in edit mode after an edit and between edits, 1,000,000 triangles",
    "instances": "10,000 instances in three ways: the first pick and later ones",
    "objects": "1,000 objects of which one changes",
    "deform": "a pick on each frame at a mesh of 200,000 vertices that deforms",
    "memory": "memory held, against the limit of the preferences",
}
SIZES = ("10k", "100k", "1M", "10M")
_QUICK_SIZES = SIZES[:2]
PLOTTED = ("first", "build", "pick")
OUTPUT = ROOT / "dist"
EXTENSION_VARIABLE = "RAYPICK_BENCHMARK_EXTENSION"
"""Names the environment variable that tells a run in Blender where the extension's zip is."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line; lists become tuples, and what was left out is filled in."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--blender", action="store_true", help="measure picks in Blender")
    in_blender = first.parse_known_args()[0].blender
    parser = _parser(first, IN_BLENDER if in_blender else MEASURES)
    if in_blender:
        _add_options_in_blender(parser)
    else:
        _add_options_of_core(parser)
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 5)
    if not in_blender:
        _fill_in(options)
    return options


def _parser(first: argparse.ArgumentParser, measures: dict[str, str]) -> argparse.ArgumentParser:
    """Make the parser of what both kinds of run take."""
    listing = "".join(f"\n  {name:11}{text}" for name, text in measures.items())
    parser = argparse.ArgumentParser(
        prog="benchmark.py",
        description="Measure Raypick beside other ray casters, or in Blender beside Blender's own.",
        epilog=f"measures:{listing}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        parents=[first],
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run: small meshes, 3 rounds")
    parser.add_argument(
        "--only",
        type=_some_of(tuple(measures)),
        default=tuple(measures),
        metavar="NAME,...",
        help="these measures alone",
    )
    parser.add_argument("--rounds", type=_positive, help="rounds of each measure (5; quick: 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the meshes and rays")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser


def _add_options_in_blender(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--blender-version", choices=BPY_VERSIONS, default=BPY_VERSIONS[-1])
    output = OUTPUT / "benchmark-blender.json"
    parser.add_argument("--json", type=Path, metavar="FILE", default=output)


def _add_options_of_core(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes",
        type=_some_of(SIZES),
        metavar="SIZE,...",
        help=f"these icospheres alone, of {', '.join(SIZES)}",
    )
    parser.add_argument(
        "--mesh",
        type=Path,
        metavar="FILE.npz",
        help="a scan, as arrays 'vertices' and 'triangles', in place of the one that is made up",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", default=OUTPUT / "benchmark.json")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="where the picture goes")


def _fill_in(options: argparse.Namespace) -> None:
    options.sizes = options.sizes or (_QUICK_SIZES if options.quick else SIZES)
    if options.plot is None:
        whole = options.sizes == SIZES and set(PLOTTED) <= set(options.only)
        options.plot = (ROOT / "docs" / "images" if whole else OUTPUT) / "benchmark.png"


def _some_of(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of names between commas, which puts them in the order of `known`."""

    def read(text: str) -> tuple[str, ...]:
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"no {name!r}, but any of {', '.join(known)}")
        return tuple(name for name in known if name in names)

    return read


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
