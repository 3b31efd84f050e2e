# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays at edges and vertices of closed meshes, and whether each crossing is counted once.

A ray that starts and ends outside of a closed mesh goes in and out by turns, at most once if the
mesh is exactly convex; one from inside of a sphere leaves it once; one through its inside crosses
it twice. A crossing that is missing is a leak, one that is counted again a double.

The rays of most families miss the edge or vertex that they are aimed at by the rounding of the
direction, to one side or the other. Those at the dyadic meshes meet it exactly: all their
coordinates are small whole multiples of a power of two.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

import standalone_core as sc

from . import meshes
from .oracle import EPS

SCALES = (1e-6, 1.0, 1e6)
OFFSETS = (0.0, 1e3, 1e6)
DYADIC_SCALES = (2.0**-20, 1.0, 2.0**20)
DYADIC_OFFSETS = (0.0, 2.0**10, 2.0**20)

CHUNK = 1 << 16
"""How many rays are cast at once; it bounds the memory."""

SAME_PLACE = 16 * EPS
"""Crossings no farther apart, relative to the distance, may come in any order."""

LEAST_HEIGHT = 64
"""Triangles are degenerate if lower than so many units in the last place of coordinates."""

SHOWN = 3
"""How many wrong rays of a row are kept."""


@dataclass(frozen=True, eq=False)
class Body:
    """A closed mesh, its triangles counter-clockwise from outside, at a place.

    It `is_convex` if it is so to the last digit.
    """

    name: str
    vertices: np.ndarray
    triangles: np.ndarray
    middle: np.ndarray = field(default_factory=lambda: np.zeros(3))
    is_convex: bool = False

    @property
    def radius(self):
        """Distance of the farthest vertex from the middle."""
        return float(np.linalg.norm(self.vertices - self.middle, axis=1).max())

    @property
    def has_collapsed(self):
        """Whether a triangle is hardly higher than the rounding of its coordinates."""
        a, b, c = (self.vertices[self.triangles[:, i]] for i in range(3))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        longest = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
        digit = np.spacing(np.abs(self.vertices).max())
        return bool((area < LEAST_HEIGHT * digit * longest).any())

    def placed(self, scale, offset, turn=None):
        """The body turned, scaled and moved."""
        turn = np.eye(3) if turn is None else turn
        middle = np.asarray(offset, dtype=float)
        vertices = (self.vertices @ turn.T) * scale + middle
        return replace(self, vertices=vertices, middle=middle)


@dataclass(frozen=True)
class Family:
    """A way to make rays, and how often each of them must cross; None: in and out by turns.

    Rays that begin on the mesh must cross what the same ray crosses from there on, if it begins
    outside.
    """

    name: str
    rays: Callable
    crossings: int | None = None
    begins_on_it: bool = False


@dataclass(eq=False)
class Row:
    """The count of one family of rays at one body; `skipped` says why there is none."""

    family: str
    mesh: str
    scale: float
    offset: float
    rays: int = 0
    leaks: int = 0
    doubles: int = 0
    seconds: float = 0.0
    skipped: str = ""
    wrong: list = field(default_factory=list)


# Bodies


def noisy(subdivisions):
    """A sphere with lumps and with noise at each vertex, as of a scanner.

    Vertices move along their own radius, so that the mesh is star-shaped and never meets itself.
    """
    vertices, triangles = meshes.icosphere(subdivisions)
    rng = np.random.default_rng(7)
    lumps = np.cos(vertices @ rng.normal(size=(3, 5)) * 3 + rng.uniform(0, 6, 5)).sum(axis=1)
    edge = 2.0 / 2**subdivisions
    radius = 1 + 0.05 * lumps + 0.2 * edge * rng.uniform(-1, 1, len(vertices))
    return vertices * radius[:, None], triangles


def block(heights):
    """A block over the square from -1 to 1, of the given height (N, N) at each grid point."""
    count = len(heights)
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    flat = np.stack([i, j], axis=-1).reshape(-1, 2) * (2 / (count - 1)) - 1
    top = np.column_stack([flat, np.ravel(heights)])
    bottom = np.column_stack([flat, np.full(count**2, -1.0)])
    index = np.arange(count**2).reshape(count, count)
    a, b, c, d = (
        part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
    )
    lid = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    rim = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    after = np.roll(rim, -1)
    low, low_after = rim + count**2, after + count**2
    walls = [np.stack([low, low_after, after], axis=1), np.stack([low, after, rim], axis=1)]
    return np.concatenate([top, bottom]), np.concatenate([lid, lid[:, ::-1] + count**2, *walls])


def terrain(cells):
    """A block whose upper side is rough, all heights multiples of 1/8."""
    heights = np.random.default_rng(7).integers(-4, 9, (cells + 1, cells + 1)) / 8
    return block(heights)


def octahedron(cells):
    """An octahedron, each side a lattice of cells * cells triangles."""
    corners = []
    for signs in itertools.product((1, -1), repeat=3):
        for i, j in itertools.product(range(cells), repeat=2):
            cell = [((i, j), (i + 1, j), (i, j + 1)), ((i + 1, j), (i + 1, j + 1), (i, j + 1))]
            for triangle in cell[: max(0, min(2, cells - i - j))]:
                around = [np.array(signs) * (p, q, cells - p - q) for p, q in triangle]
                corners.append(around[:: int(np.prod(signs))])
    points = np.array(corners).reshape(-1, 3)
    vertices, index = np.unique(points, axis=0, return_inverse=True)
    return vertices / cells, index.reshape(-1, 3)


def round_bodies(detail):
    """Bodies whose coordinates are rounded, by the number of subdivisions."""
    yield Body("icosphere", *meshes.icosphere(detail))
    yield Body("torus", *meshes.torus(24 * detail, 12 * detail))
    yield Body("noisy sphere", *noisy(detail + 1))


def dyadic_bodies(detail):
    """Bodies whose coordinates are exact, and stay so where they are placed."""
    cells = 2**detail
    yield Body("cube", *block(np.ones((cells + 1, cells + 1))), is_convex=True)
    yield Body("terrain", *terrain(cells))
    yield Body("octahedron", *octahedron(cells), is_convex=True)


def is_closed(triangles):
    """Whether each edge is passed once in each direction."""
    there = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    back = there[:, ::-1]
    return len(np.unique(there, axis=0)) == len(there) and np.array_equal(
        there[np.lexsort(there.T)], back[np.lexsort(back.T)]
    )


# Rays


def aims(rng, body, count, on_edges=True):
    """Vertices, middles of edges, and (unless they must be exact) points anywhere on edges."""
    edges = meshes.edges(body.triangles)
    start, end = np.moveaxis(body.vertices[edges[rng.integers(0, len(edges), count)]], 1, 0)
    kind = rng.integers(0, 3 if on_edges else 2, count)[:, None]
    share = rng.random((count, 1))
    along = np.where(kind == 2, start + share * (end - start), (start + end) / 2)
    return np.where(kind == 0, body.vertices[rng.integers(0, len(body.vertices), count)], along)


def from_outside(rng, body, count):
    """From all around toward edges and vertices, on either side of the body."""
    targets = aims(rng, body, count)
    origins = body.middle + 4 * body.radius * meshes.directions(rng, count)
    return origins, (targets - origins) * rng.uniform(0.1, 10, (count, 1))


def from_inside(rng, body, count):
    """From half-way to the surface of a sphere, toward edges and vertices."""
    targets = aims(rng, body, count)
    origins = body.middle + 0.5 * body.radius * meshes.directions(rng, count)
    return origins, (targets - origins) * rng.uniform(0.1, 10, (count, 1))


def through(rng, body, count):
    """From outside through an edge or vertex of a sphere and through its inner half."""
    targets = aims(rng, body, count)
    inner = body.middle + 0.5 * body.radius * meshes.directions(rng, count)
    origins = targets + 3 * (targets - inner)
    return origins, (targets - origins) * rng.uniform(0.1, 10, (count, 1))


def along_axes(rng, body, count):
    """Parallel to an axis, exactly through vertices and middles of edges."""
    origins = aims(rng, body, count, on_edges=False)
    rows, axis, side = np.arange(count), rng.integers(0, 3, count), rng.choice([-1.0, 1.0], count)
    far = 4 * power_of_two_above(body.radius)
    origins[rows, axis] = body.middle[axis] - side * far
    directions = np.zeros((count, 3))
    directions[rows, axis] = side * rng.uniform(0.1, 10, count)
    return origins, directions


def between_lattice_points(rng, body, count):
    """From points of a lattice outside, exactly through vertices and middles of edges."""
    targets = aims(rng, body, count, on_edges=False)
    far = 4 * power_of_two_above(body.radius)
    lattice = np.rint(meshes.directions(rng, count) * 8) / 8
    lattice[np.arange(count), rng.integers(0, 3, count)] = 1
    origins = body.middle + far * lattice
    return origins, (targets - origins) * rng.choice([1.0, 3.0, 0.25], (count, 1))


def along_edges(rng, body, count):
    """Exactly along edges, from outside."""
    edges = meshes.edges(body.triangles)
    chosen = edges[rng.integers(0, len(edges), count)]
    start, end = np.moveaxis(body.vertices[rng.permuted(chosen, axis=1)], 1, 0)
    return start - 256 * (end - start), end - start


def from_the_surface(rng, body, count):
    """From vertices and middles of edges to others, both ends exactly on the body."""
    origins, targets = (aims(rng, body, count, on_edges=False) for _ in range(2))
    directions = targets - origins
    directions[~directions.any(axis=1)] = (power_of_two_above(body.radius), 0, 0)
    return origins, directions


def power_of_two_above(size):
    return 2.0 ** np.ceil(np.log2(size))


OUTSIDE = Family("outside, at edges and vertices", from_outside)
SPHERE = (
    Family("inside, at edges and vertices", from_inside, 1),
    Family("through the inside", through, 2),
)
TIES = (
    Family("tie: along an axis", along_axes),
    Family("tie: between lattice points", between_lattice_points),
    Family("tie: along an edge", along_edges),
    Family("tie: from the surface", from_the_surface, begins_on_it=True),
)


# Counting


def questions(seed, detail, extra=(), kind="all") -> Iterator[tuple[Family, Body, float, float]]:
    """Each family of rays with each body it is for, at each place; or those of ties alone."""
    rng = np.random.default_rng(seed)
    if kind == "ties":
        yield from ties(detail)
        return
    for body in extra:
        yield OUTSIDE, body, 1.0, 0.0
    for body in round_bodies(detail):
        families = (OUTSIDE, *SPHERE) if body.name == "icosphere" else (OUTSIDE,)
        for scale, offset in itertools.product(SCALES, OFFSETS):
            direction = offset * np.array([1, -0.7, 0.3])
            placed = body.placed(scale, direction, meshes.rotation(rng))
            yield from ((family, placed, scale, offset) for family in families)
    yield from ties(detail)


def ties(detail):
    """Each family of ties with each body, at each place."""
    for body in dyadic_bodies(detail):
        for scale, offset in itertools.product(DYADIC_SCALES, DYADIC_OFFSETS):
            placed = body.placed(scale, offset * np.array([1, -0.75, 0.25]))
            yield from ((family, placed, scale, offset) for family in TIES)


def measure(rays, seed, engine="auto", detail=4, extra=(), kind="all") -> Iterator[Row]:
    """Count the crossings of so many rays in all.

    Parameters
    ----------
    rays, seed : int
    engine : str
    detail : int
        How fine the bodies are.
    extra : sequence of Body
        Closed meshes to measure beside the others, where they are.
    kind : str
        "all" or "ties".

    Yields
    ------
    Row
        One for each family, body and place, as soon as it is counted.
    """
    asked = list(questions(seed, detail, extra, kind))
    shares = np.diff(np.linspace(0, rays, len(asked) + 1).astype(int)).tolist()
    for number, ((family, body, scale, offset), share) in enumerate(
        zip(asked, shares, strict=True)
    ):
        row = Row(family.name, body.name, scale, offset)
        if body.has_collapsed:
            row.skipped = "its triangles collapse"
        else:
            count(row, family, body, np.random.default_rng([seed, number]), share, engine)
        yield row


def count(row, family, body, rng, rays, engine):
    """Cast so many rays of a family at a body, and fill in the row."""
    start = time.perf_counter()
    mesh = sc.Mesh(body.vertices, body.triangles, engine=engine)
    while row.rays < rays:
        origins, directions = family.rays(rng, body, min(CHUNK, rays - row.rays))
        hits, splits = mesh.cast_rays_all(origins, directions)
        if family.begins_on_it:
            leaks, doubles = judged_by_longer_rays(mesh, origins, directions, splits)
        else:
            leaks, doubles = judged(hits, splits, family.crossings)
        doubles |= body.is_convex & (np.diff(splits) > 2)
        leaks &= ~doubles
        row.rays += len(origins)
        row.leaks += int(leaks.sum())
        row.doubles += int(doubles.sum())
        for ray in np.flatnonzero(leaks | doubles)[: SHOWN - len(row.wrong)]:
            row.wrong.append((origins[ray].tolist(), directions[ray].tolist()))
    row.seconds = time.perf_counter() - start


def judged_by_longer_rays(mesh, origins, directions, splits):
    """Rays (R,) with fewer and with more hits than the same rays have that begin outside.

    All coordinates are whole multiples of a power of two, so the longer ray is on the same line.
    """
    lead = 2.0**8
    hits, whole = mesh.cast_rays_all(origins - lead * directions, directions)
    ray = np.repeat(np.arange(len(origins)), np.diff(whole))
    start = lead * np.linalg.norm(directions, axis=1)
    after = hits.distance > start[ray] * (1 - SAME_PLACE)
    wanted, found = np.bincount(ray[after], minlength=len(origins)), np.diff(splits)
    return found < wanted, found > wanted


def judged(hits, splits, crossings=None):
    """Rays (R,) that leak, and rays that count a crossing again; none is both."""
    number = np.diff(splits)
    ray = np.repeat(np.arange(len(number)), number)
    inward = np.where(hits.front, 1, -1)
    if crossings is None:
        return judged_by_turns(ray, hits.distance, inward, len(number))
    balance = np.bincount(ray, inward, len(number))
    wrong_sides = (number == crossings) & (balance != -(crossings % 2))
    return (number < crossings) | wrong_sides, number > crossings


def judged_by_turns(ray, distance, inward, rays):
    """As `judged`, for rays that go in and out by turns, and are outside in the end."""
    leaks, doubles = np.zeros(rays, dtype=bool), np.zeros(rays, dtype=bool)
    if not len(ray):
        return leaks, doubles
    moved_on = np.diff(distance) > SAME_PLACE * distance[1:]
    starts = np.concatenate([[0], 1 + np.flatnonzero((np.diff(ray) > 0) | moved_on)])
    step, at = np.add.reduceat(inward, starts), ray[starts]
    first = np.searchsorted(at, at)
    since_start = np.cumsum(step)
    depth = since_start - (since_start - step)[first]
    last = np.append(at[1:] != at[:-1], True)
    doubles[at[np.abs(step) > 1]] = True
    leaks[at[(depth < 0) | (depth > 1) | (last & (depth != 0))]] = True
    return leaks & ~doubles, doubles
