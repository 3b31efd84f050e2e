# SPDX-License-Identifier: GPL-3.0-or-later
"""The picking sample of the Direct3D tutorials: click on a teapot that moves.

    python scripts/sample.py
    python scripts/sample.py --frames 20

Sets up what it needs first, in the checkout: NumPy, and no Blender. In each frame the teapot moves
on, some pixels are clicked, and a line says what each click hit.
"""

import argparse
import sys

from checkout import run_script
from environment import run_in


def main() -> int:
    parse_arguments()
    return run_in("core", "-m", "sample_in_core", *sys.argv[1:])


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Click on a teapot that moves.")
    parser.add_argument("--frames", type=int, default=6, help="how many to show (6)")
    options = parser.parse_args(arguments)
    if options.frames < 1:
        parser.error("--frames must be 1 or more")
    return options


if __name__ == "__main__":
    run_script(main)
