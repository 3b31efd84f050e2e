# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes to measure, generated or from npz files, and the rays and points for them."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from checkout import SetupError

SCANS, CAD, UNSORTED = "scans", "CAD", "meshes"
_KINDS = {"scan": SCANS, "scans": SCANS, "cad": CAD}
_SCAN_AT_LEAST = 500_000

_UNREADABLE = (OSError, EOFError, TypeError, ValueError, AttributeError, BadZipFile, zlib.error)
"""What NumPy raises for files that are not npz files, or damaged ones."""

IMAGE = 1024
_STRIPE = 16


@dataclass(frozen=True)
class Shape:
    """A mesh by its arrays, as a program holds it: float64 vertices, int32 triangles."""

    name: str
    vertices: np.ndarray
    triangles: np.ndarray
    group: str = ""  # of meshes whose ratios are averaged together

    def __len__(self) -> int:
        return len(self.triangles)

    @property
    def corners(self) -> np.ndarray:
        """Lower and upper corner (2, 3) around all vertices."""
        return np.array([self.vertices.min(axis=0), self.vertices.max(axis=0)])


def noisy_icosphere(name: str, count: int, seed: int) -> Shape:
    """Make a sphere of about `count` triangles with hills of seven octaves.

    Its radius is noisy by a tenth of an edge.
    """
    rng, frequency = np.random.default_rng(seed), _frequency(count)
    points, triangles = _icosphere(frequency)
    radius = 1 + _hills(points, rng, octaves=7, height=0.12, waves=3.0)
    radius += rng.normal(size=len(points)) * (0.1 / frequency)
    return Shape(name, points * radius[:, None], triangles)


def scan_like(name: str, count: int, seed: int) -> Shape:
    """Make a twisted, noisy blob with limbs, whose triangles differ in size."""
    rng, frequency = np.random.default_rng(seed), _frequency(count)
    points, triangles = _icosphere(frequency)
    radius = 1 + _hills(points, rng, octaves=9, height=0.25, waves=1.7)
    for limb in rng.normal(size=(6, 3)):
        radius += 0.7 * np.exp(12 * (points @ (limb / np.linalg.norm(limb)) - 1))
    x, y, z = (points * radius[:, None]).T
    twist = 0.8 * z
    turned = (x * np.cos(twist) - y * np.sin(twist), x * np.sin(twist) + y * np.cos(twist), 1.3 * z)
    jitter = rng.normal(size=points.shape) * (0.1 / frequency)
    return Shape(name, np.stack(turned, axis=1) + jitter, triangles)


def _frequency(count: int) -> int:
    """The n into which to divide an icosahedron's edges for `count` triangles, about 20 n²."""
    return round((count / 20) ** 0.5)


def _hills(
    points: np.ndarray, rng: np.random.Generator, octaves: int, height: float, waves: float
) -> np.ndarray:
    """Sum waves in random directions; each octave is half as high and about twice as fine."""
    total = np.zeros(len(points))
    for octave in range(octaves):
        for direction in rng.normal(size=(4, 3)):
            direction *= waves * 2.1**octave / np.linalg.norm(direction)
            phase = rng.uniform(0, 2 * np.pi)
            total += height / 4 * 0.5**octave * np.sin(points @ direction + phase)
    return total


def _icosphere(frequency: int) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors (V, 3) and triangles (T, 3) of a subdivided icosahedron.

    Faces share the vertices of their common corners and edges.
    """
    corners, faces = _icosahedron()
    n = frequency
    inside = np.add.outer(np.arange(n + 1), np.arange(n + 1))  # i + j of a lattice point
    i, j = np.nonzero(inside <= n)
    weights = np.stack([n - i - j, i, j], axis=1) / n
    edges: dict[tuple[int, int], int] = {}
    count = 12 + 30 * (n - 1)
    points = np.empty((count + 10 * (n - 1) * (n - 2), 3))
    triangles = []
    for a, b, c in faces.tolist():
        grid = np.full((n + 1, n + 1), -1, dtype=np.int32)
        grid[0, 0], grid[n, 0], grid[0, n] = a, b, c
        step = np.arange(1, n)
        grid[step, 0] = _edge_rows(edges, a, b, n)
        grid[0, step] = _edge_rows(edges, a, c, n)
        grid[n - step, step] = _edge_rows(edges, b, c, n)
        free = (grid < 0) & (inside < n)
        grid[free] = np.arange(count, count + free.sum())
        count += int(free.sum())
        points[grid[i, j]] = weights @ corners[[a, b, c]]
        triangles.append(_lattice_triangles(grid, inside))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points, np.concatenate(triangles)


def _icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """Corners (12, 3) with edges of length 2, and faces (20, 3) counter-clockwise from outside."""
    golden = (1 + 5**0.5) / 2
    rectangle = np.array([(0, y, z) for y in (-1, 1) for z in (-golden, golden)])
    corners = np.concatenate([np.roll(rectangle, turn, axis=1) for turn in range(3)])
    triples = np.array(list(combinations(range(12), 3)))
    sides = corners[triples] - corners[np.roll(triples, 1, axis=1)]
    faces = triples[np.isclose((sides**2).sum(axis=2), 4).all(axis=1)]
    inward = np.linalg.det(corners[faces]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return corners, faces


def _edge_rows(edges: dict[tuple[int, int], int], start: int, end: int, n: int) -> np.ndarray:
    """Rows of the vertices between two corners; `edges` numbers the edges."""
    number = edges.setdefault((min(start, end), max(start, end)), len(edges))
    rows = 12 + number * (n - 1) + np.arange(n - 1)
    return rows if start < end else rows[::-1]


def _lattice_triangles(grid: np.ndarray, inside: np.ndarray) -> np.ndarray:
    n = len(grid) - 1
    i, j = np.nonzero(inside < n)
    up = np.stack([grid[i, j], grid[i + 1, j], grid[i, j + 1]], axis=1)
    i, j = np.nonzero(inside < n - 1)
    down = np.stack([grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]], axis=1)
    return np.concatenate([up, down])


def loaded(path: Path, seed: int, at_least: int = _SCAN_AT_LEAST) -> Shape:
    """Read a scan and divide its triangles in four until there are at least `at_least`."""
    scan = read(path)
    vertices, triangles = scan.vertices, scan.triangles
    rng = np.random.default_rng(seed)
    while len(triangles) < at_least:
        vertices, triangles = _subdivided(vertices, triangles, rng)
    return Shape(path.stem, vertices, triangles)


def in_folder(folder: Path, cad: Sequence[str]) -> tuple[list[Shape], list[str]]:
    """Read all files of a folder; return the meshes, and why others are absent.

    CAD parts come last, and small meshes of a group first.

    The field ``kind`` of a file is "scan" or "cad". Files without it are CAD parts if named in
    `cad`, and scans otherwise; if `cad` is empty, they are in a group of their own.
    """
    files = sorted(folder.glob("*.npz"))
    if not files:
        raise SetupError(f"no .npz files in {folder}" if folder.is_dir() else f"no folder {folder}")
    unknown = set(cad) - {file.stem for file in files}
    if unknown:
        raise SetupError(f"no mesh named {', '.join(sorted(unknown))} in {folder}")
    shapes, absent = [], []
    for file in files:
        usual = CAD if file.stem in cad else SCANS if cad else UNSORTED
        try:
            shapes.append(read(file, usual))
        except SetupError as error:
            absent.append(str(error))
    if not shapes:
        raise SetupError(f"no mesh could be read: {'; '.join(absent)}")
    return sorted(shapes, key=lambda shape: (shape.group == CAD, len(shape))), absent


def read(path: Path, usual: str = UNSORTED) -> Shape:
    """Read one file; SetupError if it is not a mesh. `usual` is the group if it has no kind."""
    try:
        with np.load(path) as arrays:
            keys = ("v", "f") if "v" in arrays else ("vertices", "triangles")
            vertices, triangles = (arrays[key] for key in keys)
            kind = str(arrays["kind"]).lower() if "kind" in arrays else ""
    except KeyError:
        raise SetupError(f"{path} is no mesh: it has no arrays 'v' and 'f'") from None
    except _UNREADABLE as error:
        raise SetupError(f"{path} cannot be read: {error}") from None
    if wrong := _fault(vertices, triangles, kind):
        raise SetupError(f"{path} is no mesh to measure: {wrong}")
    group = _KINDS[kind] if kind else usual
    vertices = np.ascontiguousarray(vertices, dtype=np.float64)
    return Shape(path.stem, vertices, np.ascontiguousarray(triangles, dtype=np.int32), group)


def write_obj(shape: Shape, path: Path) -> None:
    with open(path, "w", encoding="ascii") as file:
        np.savetxt(file, shape.vertices, "v %.9g %.9g %.9g")
        np.savetxt(file, shape.triangles + 1, "f %d %d %d")


def _fault(vertices: np.ndarray, triangles: np.ndarray, kind: str) -> str:
    """Say what is wrong with a mesh; empty if nothing is."""
    for name, array, kinds in (("vertices", vertices, "fiu"), ("triangles", triangles, "iu")):
        if array.ndim != 2 or array.shape[1] != 3 or not len(array):
            return f"its {name} have shape {array.shape}, not (N, 3)"
        if array.dtype.kind not in kinds:
            return f"its {name} are of type {array.dtype}"
    if not np.isfinite(vertices).all():
        return "a vertex is not finite"
    if triangles.min() < 0 or triangles.max() >= len(vertices):
        return "a triangle has a vertex that is not there"
    if kind and kind not in _KINDS:
        return f"its kind is {kind!r}, not 'scan' or 'cad'"
    return ""


def _subdivided(
    vertices: np.ndarray, triangles: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Divide triangles in four at the middles of their edges, which are moved a little."""
    ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1), axis=-1)
    keys = ends[..., 0].astype(np.int64) * len(vertices) + ends[..., 1]
    edges, middle = np.unique(keys, return_inverse=True)
    start, end = vertices[edges // len(vertices)], vertices[edges % len(vertices)]
    length = np.linalg.norm(end - start, axis=1, keepdims=True)
    added = (start + end) / 2 + 0.02 * length * rng.normal(size=start.shape)
    ab, bc, ca = (middle.reshape(-1, 3) + len(vertices)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    rows = np.concatenate([np.stack(part, axis=1) for part in parts]).astype(np.int32)
    return np.concatenate([vertices, added]), rows


def incoherent_rays(
    corners: np.ndarray, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Random rays from a sphere around a box (2, 3) to points in the box."""
    middle, radius = _ball(corners)
    origins = middle + 1.5 * radius * _units(rng.normal(size=(count, 3)))
    targets = rng.uniform(corners[0], corners[1], size=(count, 3))
    return origins, _units(targets - origins)


def points_around(corners: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points (N, 3) in a box (2, 3) that is enlarged by a tenth on each side."""
    margin = 0.1 * (corners[1] - corners[0])
    return rng.uniform(corners[0] - margin, corners[1] + margin, size=(count, 3))


def points_near(shape: Shape, count: int, rng: np.random.Generator) -> np.ndarray:
    """Points (N, 3) evenly spread over a mesh, moved by about a hundredth of its size."""
    places, _, _ = _spread(shape, count, rng)
    _, radius = _ball(shape.corners)
    return places + 0.01 * radius * rng.normal(size=(count, 3))


def ways_out(
    shape: Shape, count: int, rng: np.random.Generator, lift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends (N, 3) of segments that leave a mesh from its surface, to beyond it.

    They start at vertices and at places on faces, in turn, and go anywhere outside of the face.
    Starts are lifted off the surface by this share of the mesh's radius.
    """
    starts, vertices, normals = _spread(shape, count, rng)
    starts[::2] = vertices[::2]
    directions = _units(rng.normal(size=(count, 3)))
    directions *= np.copysign(1.0, (directions * normals).sum(axis=1, keepdims=True))
    _, radius = _ball(shape.corners)
    starts += lift * radius * normals
    return starts, starts + 4 * radius * directions


def sight_lines(
    shape: Shape, count: int, rng: np.random.Generator, lift: float
) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends (N, 3) of segments between vertices, both lifted as for :func:`ways_out`.

    N is `count`, or less where vertices met themselves.
    """
    _, vertices, normals = _spread(shape, 2 * count, rng)
    _, radius = _ball(shape.corners)
    lifted = vertices + lift * radius * normals
    apart = (vertices[:count] != vertices[count:]).any(axis=1)
    return lifted[:count][apart], lifted[count:][apart]


def inner_parts(
    shape: Shape, starts: np.ndarray, ends: np.ndarray, cut: float
) -> tuple[np.ndarray, np.ndarray]:
    """Segments that lose this share of the mesh's radius at each end, and keep at least half."""
    _, radius = _ball(shape.corners)
    ways = ends - starts
    share = np.minimum(cut * radius / np.linalg.norm(ways, axis=1, keepdims=True), 0.25)
    return starts + share * ways, ends - share * ways


def _spread(
    shape: Shape, count: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places evenly spread over a mesh, and a vertex and the unit normal of each one's triangle."""
    a, b, c = (shape.vertices[column] for column in shape.triangles.T)
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    rows = rng.choice(len(shape), size=count, p=areas / areas.sum())
    u, v = np.sort(rng.uniform(size=(2, count, 1)), axis=0)
    places = u * a[rows] + (v - u) * b[rows] + (1 - v) * c[rows]
    return places, a[rows], _units(normals[rows])


def camera_rays(corners: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rays of an image of 1024 x 1024 pixels that shows a box (2, 3), row by row.

    Fewer than 1024 rows are evenly spread stripes of 16, so that neighbouring rays stay together
    and the background keeps its share.
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
