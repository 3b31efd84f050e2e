# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of ``exactness.py`` that needs NumPy; that script starts it."""

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import standalone_core as sc
from exactness import parse_arguments
from tests.core.exactness import Body, Row, is_closed, measure

_HEADING = ("rays", "mesh", "scale", "offset", "count", "leaks", "doubles", "seconds")
_LINE = "{:30}  {:14} {:>8} {:>8} {:>10} {:>7} {:>7} {:>8}"


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if a ray is wrong, or a mesh or the engine cannot be used."""
    options = parse_arguments(arguments)
    try:
        extra = [read(path) for path in options.mesh]
        sc.Mesh(np.zeros((0, 3)), [], engine=options.engine)
    except (OSError, KeyError, ValueError, sc.RaypickError) as error:
        print(f"raypick: {error}")
        return 1
    print(f"Seed {options.seed}, engine {options.engine}, NumPy {np.__version__}\n")
    rows = measure(options.rays, options.seed, options.engine, extra=extra, kind=options.kind)
    return report(rows)


def read(path: Path) -> Body:
    with np.load(path) as file:
        vertices, triangles = file["vertices"].astype(float), file["triangles"].astype(int)
    if not is_closed(triangles):
        raise ValueError(f"{path} is not closed: an edge lacks two triangles of equal winding")
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    return Body(path.stem, vertices, triangles, middle)


def report(rows: Iterable[Row]) -> int:
    """Print each row as it comes, then the sum and the wrong rays; return the exit status."""
    show(*_HEADING)
    done = []
    for row in rows:
        done.append(row)
        counts = (row.rays, row.leaks, row.doubles, f"{row.seconds:.2f}")
        if row.skipped:
            counts = (f"skipped: {row.skipped}", "", "", "")
        show(row.family, row.mesh, f"{row.scale:.3g}", f"{row.offset:.3g}", *counts)
    leaks, doubles = (sum(getattr(row, name) for row in done) for name in ("leaks", "doubles"))
    seconds = f"{sum(row.seconds for row in done):.0f}"
    print()
    show("all", "", "", "", sum(row.rays for row in done), leaks, doubles, seconds)
    for row in done:
        for origin, direction in row.wrong:
            print(f"\nWrong: {row.family}, {row.mesh}, scale {row.scale:g}, offset {row.offset:g}")
            print(f"  origin    {origin}\n  direction {direction}")
    return 1 if leaks or doubles else 0


def show(*cells: object) -> None:
    print(_LINE.format(*map(str, cells)).rstrip(), flush=True)


if __name__ == "__main__":
    sys.exit(main())
