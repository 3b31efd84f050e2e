# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh such as CAD programs export: flat n-gons cut into slivers, long quads, fillets, gears.

Each part is a loft: polygons, counter-clockwise as seen from above, joined one to the next by
strips of triangles. With a bore, the last polygon is joined to the first; others end in caps.
"""

from itertools import pairwise

import numpy as np

from .meshes import Shape

Mesh = tuple[np.ndarray, np.ndarray]
"""Vertices (V, 3) and triangles (T, 3)."""

_SPACING = 2.5
_FILLET_STEPS = 5


def box(name: str) -> Shape:
    """Make a box of 12 triangles."""
    square = np.array([(1, -1), (1, 1), (-1, 1), (-1, -1)])
    return Shape(name, *_loft([(square, -0.5), (square, 0.5)]))


def cad_like(name: str, triangles: int, seed: int) -> Shape:
    """Make an assembly of closed parts over a plate, of about so many triangles in all.

    One part in four has any rotation, the others lie along the axes. Parts do not touch, and no
    triangle is degenerate.
    """
    rng = np.random.default_rng(seed)
    makers = (_gear, _filleted_box, _pipe, _stacked_boxes, _shaft)
    count = max(2 * round(5 * (triangles / 20_000) ** 0.5), len(makers))
    columns = int(np.ceil(count**0.5))
    side = _SPACING * columns
    plate, rows = _bevelled_box((side, side, 0.3), bevel=0.05)
    made = [(plate + (side / 2, side / 2, -1.5), rows)]
    for number in range(count):
        points, rows = makers[number % len(makers)](triangles // count, rng)
        cell = np.array([number // columns + 0.5, number % columns + 0.5, 0])
        made.append((points @ _rotation(rng, freely=number % 4 == 0).T + _SPACING * cell, rows))
    return Shape(name, *_together(made))


def _gear(triangles: int, rng: np.random.Generator) -> Mesh:
    """A ring of many teeth, chamfered, with a bore of few segments."""
    segments = 24 + triangles // 200
    teeth = max((triangles - 4 * segments) // 32, 6)
    pitch = 2 * np.pi / teeth
    # With teeth this high, no flank is hidden from the edges of the bore that it is joined to.
    depth, chamfer = min(0.6 * pitch, 0.2), min(0.2 * pitch, 0.05)
    angles = pitch * (np.arange(teeth)[:, None] + (0, 0.25, 0.5, 0.75))
    radii = 0.9 - depth * np.tile((1, 0, 0, 1), teeth)
    outline, bore = _polar(radii, angles.ravel()), _circle(rng.uniform(0.3, 0.5), segments)
    smaller, half = outline * (1 - chamfer), rng.uniform(0.1, 0.4)
    outside = [(smaller, -half), (outline, chamfer - half), (outline, half - chamfer)]
    rings = [*outside, (smaller, half), (bore, half), (bore, -half)]
    return _loft(rings, has_bore=True)


def _filleted_box(triangles: int, rng: np.random.Generator) -> Mesh:
    steps = max(triangles // (16 * _FILLET_STEPS + 16) - 1, 2)
    size, radius = rng.uniform(0.45, 0.7, size=3), rng.uniform(0.1, 0.2)
    fillet = radius * rng.uniform(0.3, 0.8)
    rings = []
    for side in (-1, 1):
        for angle in np.linspace(0, np.pi / 2, _FILLET_STEPS + 1)[::side]:
            inset = fillet * (1 - np.cos(angle))
            outline = _rounded_rectangle(size[:2] - inset, radius - inset, steps)
            rings.append((outline, side * (size[2] - fillet * (1 - np.sin(angle)))))
    return _loft(rings)


def _pipe(triangles: int, rng: np.random.Generator) -> Mesh:
    """A thin pipe, smoother outside than inside."""
    segments = max(triangles // 7, 32)
    outer, inner = _circle(0.8, segments), _circle(rng.uniform(0.7, 0.75), segments * 3 // 4)
    half = rng.uniform(0.5, 0.9)
    return _loft([(outer, -half), (outer, half), (inner, half), (inner, -half)], has_bore=True)


def _stacked_boxes(triangles: int, rng: np.random.Generator) -> Mesh:
    count = max(triangles // 44, 1)
    height = 1.6 / count
    made = []
    for number in range(count):
        width, depth = rng.uniform(0.3, 1.2, size=2)
        points, rows = _bevelled_box((width, depth, 0.8 * height), 0.1 * height)
        made.append((points + (0, 0, (number + 0.5) * height - 0.8), rows))
    return _together(made)


def _shaft(triangles: int, rng: np.random.Generator) -> Mesh:
    radii = rng.permutation(np.linspace(0.3, 0.8, 6))
    segments = max(triangles // (4 * len(radii)), 12)
    heights = np.linspace(-0.9, 0.9, len(radii) + 1)
    rings = []
    for radius, (bottom, top) in zip(radii, pairwise(heights), strict=True):
        circle = _circle(radius, segments)
        rings += [(circle, bottom), (circle, top)]
    return _loft(rings)


def _bevelled_box(size: tuple[float, float, float], bevel: float) -> Mesh:
    """A box with flat bevels: 44 triangles."""
    x, y, z = np.array(size) / 2
    a, b = x - bevel, y - bevel
    rectangle = np.array([(a, -b), (a, b), (-a, b), (-a, -b)])
    octagon = np.array([(x, -b), (x, b), (a, y), (-a, y), (-x, b), (-x, -b), (-a, -y), (a, -y)])
    rings = [(rectangle, -z), (octagon, bevel - z), (octagon, z - bevel), (rectangle, z)]
    return _loft(rings)


def _circle(radius: float, segments: int) -> np.ndarray:
    return _polar(np.full(segments, radius), np.arange(segments) * (2 * np.pi / segments))


def _polar(radii: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _rounded_rectangle(half: np.ndarray, radius: float, steps: int) -> np.ndarray:
    corner = _polar(np.full(steps + 1, radius), np.linspace(0, np.pi / 2, steps + 1))
    corner += half - radius
    mirrored = corner[::-1] * (-1, 1)
    return np.concatenate([corner, mirrored, -corner, -mirrored])


def _loft(rings: list[tuple[np.ndarray, float]], has_bore: bool = False) -> Mesh:
    """Join polygons (N, 2) at their heights; without a bore, first and last must be convex."""
    starts = np.cumsum([0, *(len(outline) for outline, _ in rings)])
    numbers = [np.arange(*ends) for ends in pairwise(starts)]
    parts = [
        _strip(numbers[i - 1], numbers[i], rings[i - 1][0], rings[i][0])
        for i in range(0 if has_bore else 1, len(rings))
    ]
    if not has_bore:
        parts += [_fan(numbers[0])[:, ::-1], _fan(numbers[-1])]
    points = [np.insert(outline.astype(float), 2, height, axis=1) for outline, height in rings]
    return np.concatenate(points), np.concatenate(parts).astype(np.int32)


def _strip(a: np.ndarray, b: np.ndarray, at_a: np.ndarray, at_b: np.ndarray) -> np.ndarray:
    """Triangles between two rings of vertices, each edge joined to the vertex that it faces."""
    middle_a, middle_b = (
        [np.arange(len(a)), np.arange(len(b))]
        if len(a) == len(b)
        else [_angles(at_a + np.roll(at_a, -1, axis=0)), _angles(at_b + np.roll(at_b, -1, axis=0))]
    )
    facing_a = b[np.searchsorted(middle_b, middle_a) % len(b)]
    facing_b = a[np.searchsorted(middle_a, middle_b, side="right") % len(a)]
    of_a = np.stack([a, np.roll(a, -1), facing_a], axis=1)
    of_b = np.stack([np.roll(b, -1), b, facing_b], axis=1)
    return np.concatenate([of_a, of_b])


def _angles(points: np.ndarray) -> np.ndarray:
    """Rising angles of points (N, 2) around the origin, rounded so that equal ones are equal."""
    return np.unwrap(np.arctan2(points[:, 1], points[:, 0])).round(9)


def _fan(ring: np.ndarray) -> np.ndarray:
    """Slivers from the first vertex of a convex polygon, as exporters make them."""
    return np.stack([np.full(len(ring) - 2, ring[0]), ring[1:-1], ring[2:]], axis=1)


def _rotation(rng: np.random.Generator, freely: bool) -> np.ndarray:
    """A random rotation (3, 3); if not `freely`, one that maps axes to axes."""
    if not freely:
        return np.roll(np.eye(3), rng.integers(3), axis=0)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def _together(parts: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(points) for points, _ in parts[:-1])])
    rows = [rows + start for (_, rows), start in zip(parts, starts, strict=True)]
    return np.concatenate([points for points, _ in parts]), np.concatenate(rows).astype(np.int32)
