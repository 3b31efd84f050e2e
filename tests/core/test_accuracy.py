# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a hit may be from rational arithmetic: a few last digits, whatever the triangle."""

from fractions import Fraction

import numpy as np
import pytest

import standalone_core as sc

from . import meshes, oracle
from .oracle import EPS
from .rational import exact_hits

DISTANCE = 4
"""EPS of the distance itself."""

POINT = 4
"""EPS of the largest coordinate of the triangle's corners: of what the point lies among. It does
not grow with the way that the ray has come. (A point near 0 inside a triangle around 0 has fewer
correct digits of its own; its error is no larger.)"""

WEIGHT = 4
"""EPS of 1, the sum of the weights."""

NORMAL = 4
"""EPS of 1, the length of the normal, in each of its components."""

SUM = 2
"""EPS by which the three weights as they are returned may miss the sum 1."""

RAYS, TRIANGLES = 200, 16
FAR_OFF = 1e6 * np.array([1, -0.7, 0.3])


def triangles_of_size(rng, size):
    """Triangles (T, 3, 3) thrown about 0, about as wide as high."""
    middles = rng.uniform(-1, 1, (TRIANGLES, 1, 3))
    return size * (middles + rng.uniform(-1, 1, (TRIANGLES, 3, 3)))


def slivers(rng, size, aspect):
    """Triangles as long as `size` and `aspect` times less high, turned at random."""
    flat = np.zeros((TRIANGLES, 3, 3))
    flat[:, 1, 0] = 1
    flat[:, 2, 0] = rng.uniform(-0.5, 1.5, TRIANGLES)
    flat[:, 2, 1] = 1 / aspect
    turned = np.stack([triangle @ meshes.rotation(rng).T for triangle in flat])
    return size * (turned + rng.uniform(-1, 1, (TRIANGLES, 1, 3)))


def aims(rng, corners):
    """Corners of triangles, and a point in each of them; every third lies on an edge."""
    weights = rng.dirichlet((1, 1, 1), RAYS)
    weights[::3, 0] = 0
    weights /= weights.sum(axis=1)[:, None]
    weights = rng.permuted(weights, axis=1)
    chosen = corners[rng.integers(0, TRIANGLES, RAYS)]
    return chosen, np.einsum("ni,nij->nj", weights, chosen)


def toward(rng, corners, distance):
    """Rays at the triangles, from `distance` away on all sides."""
    _, targets = aims(rng, corners)
    origins = targets + distance * rng.uniform(0.5, 2, (RAYS, 1)) * meshes.directions(rng, RAYS)
    return origins, targets - origins


def grazing(rng, corners, least, most):
    """Rays that meet triangles at a slope between `least` and `most`."""
    chosen, targets = aims(rng, corners)
    along = np.einsum("ni,nij->nj", rng.normal(size=(RAYS, 2)), chosen[:, 1:] - chosen[:, :1])
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.cross(chosen[:, 1] - chosen[:, 0], chosen[:, 2] - chosen[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    slope = 10 ** rng.uniform(np.log10(least), np.log10(most), (RAYS, 1))
    origins = targets - 5 * (along + slope * rng.choice([-1, 1], (RAYS, 1)) * normal)
    return origins, targets - origins


def seen_from(make_rays, make_corners, offset=0.0):
    """A family: corners of triangles (T, 3, 3) at an offset, and rays at them."""

    def family(rng):
        corners = make_corners(rng) + offset
        return corners, *make_rays(rng, corners)

    return family


def near(size):
    return lambda rng, corners: toward(rng, corners, 5 * size)


FAMILIES = {
    "ordinary": seen_from(near(1), lambda rng: triangles_of_size(rng, 1)),
    "slivers": seen_from(near(1), lambda rng: slivers(rng, 1, 1e6)),
    "at 1e6": seen_from(near(1), lambda rng: triangles_of_size(rng, 1), FAR_OFF),
    "1e-3 at 1e6": seen_from(near(1e-3), lambda rng: triangles_of_size(rng, 1e-3), FAR_OFF),
    "slivers at 1e6": seen_from(near(1), lambda rng: slivers(rng, 1, 1e6), FAR_OFF),
    "slivers of 1e-3 at 1e6": seen_from(near(1e-3), lambda rng: slivers(rng, 1e-3, 1e6), FAR_OFF),
    "grazed": seen_from(
        lambda rng, corners: grazing(rng, corners, 1e-7, 1e-2),
        lambda rng: triangles_of_size(rng, 1),
    ),
    "grazed slivers": seen_from(
        lambda rng, corners: grazing(rng, corners, 1e-7, 1e-5), lambda rng: slivers(rng, 1, 1e6)
    ),
    "from 1e4 sizes away": seen_from(
        lambda rng, corners: toward(rng, corners, 1e4), lambda rng: triangles_of_size(rng, 1)
    ),
    "slivers from 1e4 sizes away": seen_from(
        lambda rng, corners: toward(rng, corners, 1e4), lambda rng: slivers(rng, 1, 1e6)
    ),
}


def errors_in_eps(hit, exact, corners, normal):
    """What a hit of a triangle of an exact normal is wrong by, in the units of the bounds."""
    size = Fraction(float(np.abs(corners).max()))
    weights = [Fraction(float(weight)) for weight in hit.barycentric]
    pairs = {
        "distance": (abs(Fraction(hit.distance) - exact.distance), exact.distance),
        "point": (largest_gap(hit.point, exact.point), size),
        "weights": (largest_gap(hit.barycentric, exact.weights), 1),
        "normal": (largest_gap(hit.normal, normal), 1),
        "sum": (abs(sum(weights) - 1), 1),
        "below 0": (max(0, -min(weights)), 1),
        "above 1": (max(0, max(weights) - 1), 1),
    }
    return {name: float(error / (Fraction(EPS) * unit)) for name, (error, unit) in pairs.items()}


def largest_gap(numbers, exact):
    return max(abs(Fraction(float(x)) - y) for x, y in zip(numbers, exact, strict=True))


def exact_normal(corners):
    a, b, c = oracle.exact(corners)
    normal = oracle.cross(oracle.sub(b, a), oracle.sub(c, a))
    return oracle.scaled(normal, 1 / oracle.length(normal))


BOUNDS = {
    "distance": DISTANCE,
    "point": POINT,
    "weights": WEIGHT,
    "normal": NORMAL,
    "sum": SUM,
    "below 0": 0,
    "above 1": 0,
}


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6], ids="{:g}".format)
@pytest.mark.parametrize("family", FAMILIES)
def test_hits_are_those_of_rational_arithmetic_to_the_last_digits(rng, engine, family, scale):
    corners, origins, directions = FAMILIES[family](rng)
    vertices, triangles = corners.reshape(-1, 3) * scale, np.arange(3 * TRIANGLES).reshape(-1, 3)
    origins, directions = origins * scale, directions * rng.uniform(0.1, 10, (RAYS, 1))
    mesh = sc.Mesh(vertices, triangles, engine=engine)
    nearest = mesh.cast_rays(origins, directions)
    hits, splits = mesh.cast_rays_all(origins, directions)

    normals = [exact_normal(own) for own in vertices[triangles]]
    worst, other_triangles, struck = dict.fromkeys(BOUNDS, 0.0), [], 0
    for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        exact = exact_hits(origin, direction, vertices, triangles)
        found = [hits[row] for row in range(*splits[ray : ray + 2])]
        struck += bool(exact)
        expected = [(hit.triangle, hit.front) for hit in exact]
        first = expected[0][0] if expected else -1
        if [(hit.triangle, hit.front) for hit in found] != expected or (
            nearest.triangle[ray] != first
        ):
            other_triangles.append(ray)
            continue
        for hit, true in zip(found, exact, strict=True):
            own = vertices[triangles[hit.triangle]], normals[hit.triangle]
            wrong = errors_in_eps(hit, true, *own)
            worst = {name: max(worst[name], wrong[name]) for name in worst}

    assert struck > RAYS / 3
    assert other_triangles == []
    assert {name: error for name, error in worst.items() if error > BOUNDS[name]} == {}
