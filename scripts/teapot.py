# SPDX-License-Identifier: GPL-3.0-or-later
"""A teapot as triangles: body and lid turned on a wheel, spout and handle bent tubes.

Its outlines are smooth curves through the points below. Triangles run clockwise seen from outside
in the left-handed world of the sample, so that (b - a) x (c - a) points outward.
"""

import numpy as np

_BODY = [(0.0, 0.0), (0.9, 0.0), (1.5, 0.35), (1.95, 1.0), (1.85, 1.7), (1.4, 2.35), (1.3, 2.4)]
_LID = [(1.3, 2.4), (1.1, 2.55), (0.6, 2.75), (0.2, 2.85), (0.22, 3.0), (0.32, 3.1), (0.0, 3.2)]
_SPOUT = [(1.5, 0.7, 0.5), (2.3, 0.95, 0.4), (2.65, 1.6, 0.27), (2.9, 2.2, 0.2), (3.2, 2.4, 0.17)]
_HANDLE = [(-1.6, 2.0, 0.13), (-2.4, 2.05, 0.15), (-2.75, 1.6, 0.15), (-2.4, 0.9, 0.14),
           (-1.75, 0.6, 0.12)]  # fmt: skip


def teapot(detail: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3), y up, and triangles (T, 3) of a teapot; `detail` points around the body."""
    parts = [
        _turned(_curve(_BODY, detail), detail),
        _turned(_curve(_LID, detail), detail),
        _tube(_curve(_SPOUT, detail // 2), detail // 2),
        _tube(_curve(_HANDLE, detail // 2), detail // 2),
    ]
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    vertices = np.concatenate([vertices for vertices, _ in parts])
    triangles = np.concatenate(
        [triangles + start for (_, triangles), start in zip(parts, starts, strict=False)]
    )
    a, b, c = vertices[triangles].swapaxes(0, 1)
    has_area = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9
    return vertices, triangles[has_area]


def _curve(points: list[tuple[float, ...]], count: int) -> np.ndarray:
    """A Catmull-Rom spline through points (N, D), as `count` points."""
    p = np.array(points)
    p = np.concatenate([[2 * p[0] - p[1]], p, [2 * p[-1] - p[-2]]])
    places = np.linspace(0, len(points) - 1, count)
    i = np.minimum(places.astype(int), len(points) - 2)
    t = (places - i)[:, None]
    before, start, end, after = p[i], p[i + 1], p[i + 2], p[i + 3]
    return 0.5 * (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * start - 3 * end + after - before) * t**3
    )


def _turned(outline: np.ndarray, around: int) -> tuple[np.ndarray, np.ndarray]:
    """A surface of revolution about the y axis, of an outline (N, 2) of radii and heights."""
    angles = 2 * np.pi * np.arange(around) / around
    radius, height = np.maximum(outline[:, 0, None], 0), outline[:, 1, None]
    x, z = radius * np.cos(angles), radius * np.sin(angles)
    return _woven(np.stack([x, np.broadcast_to(height, x.shape), z], axis=-1))


def _tube(line: np.ndarray, around: int) -> tuple[np.ndarray, np.ndarray]:
    """A tube along a line (N, 3) of x, y and radius in the plane z = 0."""
    way = np.gradient(line[:, :2], axis=0)
    way /= np.linalg.norm(way, axis=1)[:, None]
    side = np.stack([-way[:, 1], way[:, 0], np.zeros(len(line))], axis=-1)
    angles = 2 * np.pi * np.arange(around) / around
    middle = np.column_stack([line[:, :2], np.zeros(len(line))])
    ring = side[:, None] * np.cos(angles)[:, None] - np.sin(angles)[:, None] * (0, 0, 1)
    return _woven(middle[:, None] + line[:, 2, None, None] * ring)


def _woven(rings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rings (N, M, 3) joined by two triangles a field."""
    count, around, _ = rings.shape
    index = np.arange(count * around).reshape(count, around)
    beside = np.roll(index, -1, axis=1)
    a, b, c, d = index[:-1], index[1:], beside[1:], beside[:-1]
    triangles = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return rings.reshape(-1, 3), triangles.reshape(-1, 3)
