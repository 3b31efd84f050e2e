# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of many small faces, and how far from their edges a pixel's center is."""

import numpy as np


def scan(rng, rows=120, columns=240):
    """A closed and bumpy surface of triangles and quads: vertices (V, 3) and faces (F, 4).

    A triangle's fourth corner is -1.
    """
    tilt = np.pi * (np.arange(1, rows) + rng.uniform(-0.3, 0.3, (columns, rows - 1))) / rows
    turn = np.arange(columns) + rng.uniform(-0.3, 0.3, (rows - 1, columns))
    tilt, turn = tilt.T, 2.0 * np.pi * turn / columns
    radius = 1.0 + 0.12 * np.sin(5.0 * tilt + 1.0) * np.sin(4.0 * turn)
    radius = radius + rng.uniform(-0.005, 0.005, radius.shape)
    ring = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], -1)
    vertices = np.concatenate(
        [(radius[..., None] * ring).reshape(-1, 3), [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]]
    )
    below = np.arange((rows - 2) * columns).reshape(rows - 2, columns)
    right = np.roll(below, -1, axis=1)
    quads = np.stack([below, below + columns, right + columns, right], axis=-1).reshape(-1, 4)
    split = rng.random(len(quads)) < 0.4
    a, b, c, d = quads[split].T
    none = np.full(len(a), -1)
    first, last = np.arange(columns), np.arange(columns) + (rows - 2) * columns
    caps = [
        [np.full(columns, len(vertices) - 2), first, np.roll(first, -1), np.full(columns, -1)],
        [np.full(columns, len(vertices) - 1), np.roll(last, -1), last, np.full(columns, -1)],
    ]
    parts = [quads[~split], *(np.stack(part, 1) for part in ([a, b, c, none], [a, c, d, none]))]
    faces = np.concatenate([*parts, *(np.stack(cap, 1) for cap in caps)])
    return vertices.astype(np.float32), rng.permutation(faces)


def ribbons(rng, count=30):
    """Ribbons 0.6 to 1.5 wide before a wall: vertices (V, 3) and faces (F, 4), the wall's last."""
    turn, width = rng.uniform(0.0, np.pi, count), rng.uniform(0.6, 1.5, count)
    along = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(count)]) * 50.0
    across = np.column_stack([-np.sin(turn), np.cos(turn), np.zeros(count)]) * width[:, None] / 2.0
    middle = np.column_stack([rng.uniform(-120.0, 120.0, (count, 2)), np.arange(count) / 5.0])
    corners = [-along - across, along - across, along + across, -along + across]
    strips = np.stack([middle + corner for corner in corners], axis=1).reshape(-1, 3)
    wall = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]) * 200.0
    vertices = np.concatenate([strips, np.column_stack([wall, np.full(4, -20.0)])])
    return vertices.astype(np.float32), np.arange(len(vertices)).reshape(-1, 4)


def is_near_an_edge(points, corners, triangles, faces, reach):
    """Which points (P, 2) are within a reach of an edge of a face that faces the eye: (P,) bool.

    Parameters
    ----------
    corners : (V, 2) float
        Where the mesh's vertices are seen, in pixels.
    triangles : (T, 3) int
        Corners of the triangles that are drawn, counterclockwise where they face the eye.
    faces : (T,) int
        The face of each. What two triangles of a face share is no edge, if both face the eye.
    """
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    front = ux * vy - uy * vx > 0.0
    triangles, faces = triangles[front], faces[front]
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1), axis=-1)
    low, high = ends.reshape(-1, 2).T
    names = (np.repeat(faces, 3) * len(corners) + low) * len(corners) + high
    _, rows, counts = np.unique(names, return_index=True, return_counts=True)
    edges = rows[counts == 1]
    start, end = corners[low[edges]], corners[high[edges]]
    left, right = (np.minimum(start, end)[:, 0] - reach, np.maximum(start, end)[:, 0] + reach)
    near = np.zeros(len(points), dtype=bool)
    for i, point in enumerate(points):
        around = (left <= point[0]) & (point[0] <= right)
        near[i] = (_distances(point, start[around], end[around]) <= reach).any()
    return near


def _distances(point, start, end):
    """How far a point (2,) is from segments (E, 2): (E,)."""
    along, to_point = end - start, point - start
    lengths = np.maximum((along**2).sum(axis=1), np.finfo(float).tiny)
    share = np.clip((along * to_point).sum(axis=1) / lengths, 0.0, 1.0)
    return np.linalg.norm(to_point - share[:, None] * along, axis=1)
