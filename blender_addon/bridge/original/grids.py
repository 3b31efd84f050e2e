# SPDX-License-Identifier: GPL-3.0-or-later
"""The quads that Blender's subdivision makes of one face, in their order, and places on them.

At level L a quad becomes a grid of 2^L x 2^L quads. Any other face of n corners becomes n grids of
2^(L-1) x 2^(L-1): one at each corner, between that corner, the middle of the edge after it, the
center of the face, and the middle of the edge before it. All quads of a grid have their corners in
the order of the grid's own. Which quad comes when was read off Blender 4.2 to 5.0.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ...standalone_core.extension import FloatArray, IntArray
from .spots import Spots, corners_at


def subdivided(spots: Spots, levels: int) -> tuple[IntArray, FloatArray]:
    """The number (N,) among the quads of its face, and the place there (N, 2), of each place."""
    numbers = np.zeros(len(spots.faces), np.int64)
    at = np.empty_like(spots.at)
    for size in np.unique(spots.sizes).tolist():
        rows = np.flatnonzero(spots.sizes == size)
        side = _side(size, levels)
        grid, inside = _in_grid(size, spots.at[rows])
        scaled = inside * side
        cell = np.clip(np.floor(scaled), 0, side - 1).astype(np.int64)
        numbers[rows] = _numbers(size, side)[grid, cell[:, 0], cell[:, 1]]
        at[rows] = scaled - cell
    return numbers, at


def united(sizes: IntArray, numbers: IntArray, at: FloatArray, levels: int) -> FloatArray:
    """The reverse: places (N, 2) on faces of so many corners, by those on the quads of these."""
    found = np.empty_like(at)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        side = _side(size, levels)
        cells = _cells(size, side)[numbers[rows]]
        inside = (cells[:, 1:] + at[rows]) / side
        found[rows] = _out_of_grid(size, cells[:, 0], inside)
    return found


def _side(size: int, levels: int) -> int:
    """How many quads a grid is wide."""
    return 1 << (levels if size == 4 else levels - 1)


def _in_grid(size: int, at: FloatArray) -> tuple[IntArray, FloatArray]:
    """The grid (N,) of places (N, 2) on a polygon, and where they are in its unit square (N, 2)."""
    if size == 4:
        return np.zeros(len(at), np.int64), at
    step = 2.0 * np.pi / size
    grid = np.round(np.arctan2(at[:, 1], at[:, 0]) / step).astype(np.int64) % size
    # Seen from the corner, which is at (0, 0): the center at (1, 0), a middle at (h, k) and (h, -k)
    angle = step * grid
    x = 1.0 - (at[:, 0] * np.cos(angle) + at[:, 1] * np.sin(angle))
    y = at[:, 1] * np.cos(angle) - at[:, 0] * np.sin(angle)
    h, k = _middle(size)
    # A place (s, t) of the square is at x = (s + t) h + s t (1 - 2 h), y = (s - t) k.
    apart, bend = y / k, (1.0 - 2.0 * h) / 4.0
    wanted = x + bend * apart * apart
    root = np.sqrt(np.maximum(h * h + 4.0 * bend * wanted, 0.0))
    together = 2.0 * wanted / (h + root)
    return grid, np.stack([together + apart, together - apart], axis=-1) / 2.0


def _out_of_grid(size: int, grid: IntArray, inside: FloatArray) -> FloatArray:
    if size == 4:
        return inside
    s, t = inside.T
    h, k = _middle(size)
    x, y = 1.0 - ((s + t) * h + s * t * (1.0 - 2.0 * h)), (s - t) * k
    cos, sin = corners_at(grid, np.full(len(grid), size)).T
    return np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)


def _middle(size: int) -> tuple[float, float]:
    """How far the middle of an edge is from a corner, toward the center and across."""
    half = np.pi / size
    return float(np.sin(half) ** 2), float(np.sin(half) * np.cos(half))


@lru_cache(maxsize=16)
def _cells(size: int, side: int) -> IntArray:
    """Grid, column and row (Q, 3) of all quads of a face, in Blender's order."""
    return _quad_order(side) if size == 4 else _fan_order(size, side)


@lru_cache(maxsize=16)
def _numbers(size: int, side: int) -> IntArray:
    """The number of each quad of a face, by its grid, column and row."""
    cells = _cells(size, side)
    numbers: IntArray = np.empty((1 if size == 4 else size, side, side), np.int64)
    numbers[tuple(cells.T)] = np.arange(len(cells))
    return numbers


def _quad_order(side: int) -> IntArray:
    """Those inside, row after row, then those along the border, from each corner on."""
    last = side - 1
    inside, there, back = np.arange(1, last), np.arange(last), np.arange(last, 0, -1)
    return np.concatenate(
        [
            _block(0, inside, inside[:, None]),
            _block(0, there, 0),
            _block(0, last, there),
            _block(0, back, last),
            _block(0, 0, back),
        ]
    )


def _fan_order(size: int, side: int) -> IntArray:
    """Those inside of the grids, then along lines to the center, around it, and at the border."""
    last, grids = side - 1, np.arange(size)
    center = _block(grids, last, last)
    if not last:
        return center
    inside, zero = np.arange(1, last), np.zeros(side, np.int64)
    columns = np.concatenate([np.arange(side), zero[1:]])
    rows = np.concatenate([zero, np.arange(1, side)])
    return np.concatenate(
        [
            _block(grids[:, None, None], np.arange(1, side), inside[:, None]),
            _block(np.roll(grids, -1)[:, None], inside, last),
            center,
            _block(grids[:, None], columns, rows),
        ]
    )


def _block(grids: ArrayLike, columns: ArrayLike, rows: ArrayLike) -> IntArray:
    """Cells (K, 3) of grids, columns and rows that are broadcast against each other."""
    cells: IntArray = np.stack(np.broadcast_arrays(grids, columns, rows), axis=-1).reshape(-1, 3)
    return cells
