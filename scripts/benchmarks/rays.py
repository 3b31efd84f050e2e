# SPDX-License-Identifier: GPL-3.0-or-later
"""The rays that are cast at a mesh, and the points whose closest places on it are sought."""

import numpy as np

from .shape import Shape

IMAGE = 1024
_STRIPE = 16


def incoherent(
    corners: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """From anywhere on a sphere around a box (2, 3) to anywhere in the box."""
    middle, radius = _ball(corners)
    origins = middle + 1.5 * radius * _units(rng.normal(size=(count, 3)))
    targets = rng.uniform(corners[0], corners[1], size=(count, 3))
    return origins, _units(targets - origins)


def points_around(corners: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (N, 3) anywhere in a box (2, 3) that is made larger by a tenth on each side."""
    margin = 0.1 * (corners[1] - corners[0])
    return rng.uniform(corners[0] - margin, corners[1] + margin, size=(count, 3))


def points_near(shape: Shape, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (N, 3) evenly spread over a mesh, moved by about a hundredth of its size."""
    a, b, c = (shape.vertices[column] for column in shape.triangles.T)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    rows = rng.choice(len(shape), size=count, p=areas / areas.sum())
    u, v = np.sort(rng.uniform(size=(2, count, 1)), axis=0)
    _, radius = _ball(shape.corners)
    moved = 0.01 * radius * rng.normal(size=(count, 3))
    return u * a[rows] + (v - u) * b[rows] + (1 - v) * c[rows] + moved


def camera(corners: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rays of an image of 1024 x 1024 pixels that shows a box (2, 3), row by row.

    Fewer rows than all are stripes of 16 neighbours each, spread evenly, so that neighbouring rays
    stay together and the background keeps its share.
    """
    middle, radius = _ball(corners)
    forward, up = _units(np.array([[-1.0, 0.8, -0.5]]))[0], np.array([0.0, 0.0, 1.0])
    right = _units(np.cross(forward, up)[None])[0]
    up = np.cross(right, forward)
    pixels = (np.arange(IMAGE) + 0.5) / IMAGE * 2 - 1
    x, y = np.meshgrid(pixels, pixels[stripes(rows)])
    directions = forward + 0.35 * (x[..., None] * right + y[..., None] * up)
    directions = _units(directions.reshape(-1, 3))
    return np.tile(middle - 2.5 * radius * forward, (len(directions), 1)), directions


def stripes(rows: int) -> np.ndarray:
    """Rows of the image in evenly spread stripes of 16: at least 4 of them, at most all."""
    count = int(np.clip(rows // _STRIPE, 4, IMAGE // _STRIPE))
    starts = np.arange(count) * (IMAGE // _STRIPE) // count * _STRIPE
    return (starts[:, None] + np.arange(_STRIPE)).ravel()


def _ball(corners: np.ndarray) -> tuple[np.ndarray, float]:
    return corners.mean(axis=0), float(np.linalg.norm(corners[1] - corners[0])) / 2


def _units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
