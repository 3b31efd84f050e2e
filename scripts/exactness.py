# SPDX-License-Identifier: GPL-3.0-or-later
"""Cast many rays at edges and vertices of closed meshes, and count missing and double hits.

    python scripts/exactness.py
    python scripts/exactness.py --rays 1000000 --seed 7 --engine numpy
    python scripts/exactness.py --kind ties
    python scripts/exactness.py --mesh scan.npz

Sets up what it needs first, in the checkout. Prints a row for each family of rays, mesh, scale and
offset, and ends with status 1 if a single ray is wrong.
"""

import argparse
import sys
from pathlib import Path

from checkout import run_script
from environment import run_in


def main() -> int:
    parse_arguments()
    return run_in("core", "-m", "exactness_in_core", *sys.argv[1:])


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Count wrong hits at edges and vertices.")
    parser.add_argument("--rays", type=int, default=10_000_000, help="how many in all")
    parser.add_argument("--seed", type=int, default=20240229, help="seed of all that is random")
    parser.add_argument("--kind", choices=("all", "ties"), default="all", help="which rays")
    parser.add_argument("--engine", choices=("auto", "numpy", "numba"), default="auto")
    parser.add_argument(
        "--mesh",
        action="append",
        type=Path,
        default=[],
        metavar="FILE.npz",
        help="cast at this mesh too: 'vertices' (V, 3) and 'triangles' (T, 3), closed, without "
        "self-intersections, counter-clockwise from outside (may be repeated)",
    )
    options = parser.parse_args(arguments)
    if options.rays < 1:
        parser.error("--rays must be 1 or more")
    return options


if __name__ == "__main__":
    run_script(main)
