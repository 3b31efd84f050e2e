# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of ``sample.py`` that needs NumPy; that script starts it.

All is as in Direct3D: a left-handed world, matrices for row vectors, pixels from the top left. The
teapot's body and lid are surfaces of revolution, its spout and handle bent tubes. Its triangles run
clockwise seen from outside, so that (b - a) x (c - a) points outward in that world.
"""

import numpy as np

import standalone_core as sc
from sample import parse_arguments

WIDTH, HEIGHT = 640, 480
EYE, TARGET, UP = (0.0, 4.0, -12.0), (0.0, 1.2, 0.0), (0.0, 1.0, 0.0)
CLICKS = [(320, 240), (325, 205), (250, 230), (395, 245), (440, 215), (30, 30)]

_BODY = [(0.0, 0.0), (0.9, 0.0), (1.5, 0.35), (1.95, 1.0), (1.85, 1.7), (1.4, 2.35), (1.3, 2.4)]
_LID = [(1.3, 2.4), (1.1, 2.55), (0.6, 2.75), (0.2, 2.85), (0.22, 3.0), (0.32, 3.1), (0.0, 3.2)]
_SPOUT = [(1.5, 0.7, 0.5), (2.3, 0.95, 0.4), (2.65, 1.6, 0.27), (2.9, 2.2, 0.2), (3.2, 2.4, 0.17)]
_HANDLE = [(-1.6, 2.0, 0.13), (-2.4, 2.05, 0.15), (-2.75, 1.6, 0.15), (-2.4, 0.9, 0.14),
           (-1.75, 0.6, 0.12)]  # fmt: skip


def main() -> None:
    options = parse_arguments()
    mesh = sc.Mesh(*teapot(), engine="numpy")  # compiling takes longer than all clicks
    sphere = mesh.bounding_sphere
    print(f"A teapot of {len(mesh.triangles)} triangles, {WIDTH} x {HEIGHT} pixels.")
    for frame in range(options.frames):
        world = world_matrix(frame)
        print(f"\nframe {frame}")
        for x, y in CLICKS:
            print(f"  click ({x}, {y}): {described(pick(mesh, sphere, world, x + 0.5, y + 0.5))}")


def pick(mesh: sc.Mesh, sphere: sc.Sphere, world: np.ndarray, x: float, y: float) -> list[sc.Hit]:
    """All hits at a position in pixels, the nearest first."""
    # The position becomes a ray in the world, and this a ray in the teapot's own space.
    ray = camera().ray(x, y).transformed(np.linalg.inv(world), convention="direct3d")
    # The bounding sphere is the cheap first test.
    if sphere.intersect_ray(ray) is None:
        return []
    return mesh.ray_cast_all(ray.origin, ray.direction)


def described(hits: list[sc.Hit]) -> str:
    if not hits:
        return "nothing"
    hit = hits[0]
    _, u, v = hit.barycentric
    behind = f", and {len(hits) - 1} behind it" if len(hits) > 1 else ""
    return f"hit face {hit.face}, u {u:.6f}, v {v:.6f}, distance {hit.distance:.6f}{behind}"


def camera() -> sc.Camera:
    view = look_at_lh(EYE, TARGET, UP)
    projection = perspective_fov_lh(np.pi / 4, WIDTH / HEIGHT, 0.1, 100.0)
    return sc.Camera(view, projection, WIDTH, HEIGHT, "direct3d")


def world_matrix(frame: int) -> np.ndarray:
    """Where the teapot is in a frame: it turns about its axis, and goes from left to right.

    It neither shrinks nor grows, so distances in its own space are those of the world.
    """
    angle = 0.35 * frame
    cosine, sine = np.cos(angle), np.sin(angle)
    place = [0.8 * frame - 2.0, 0.2 * np.sin(2 * angle), 0, 1]
    return np.array([[cosine, 0, -sine, 0], [0, 1, 0, 0], [sine, 0, cosine, 0], place])


def look_at_lh(eye: tuple, target: tuple, up: tuple) -> np.ndarray:
    """D3DXMatrixLookAtLH: world to view space."""
    z = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    x = np.cross(up, z) / np.linalg.norm(np.cross(up, z))
    y = np.cross(z, x)
    view = np.eye(4)
    view[:3, :3] = np.column_stack([x, y, z])
    view[3, :3] = -np.dot(x, eye), -np.dot(y, eye), -np.dot(z, eye)
    return view


def perspective_fov_lh(fov_y: float, aspect: float, near: float, far: float) -> np.ndarray:
    """D3DXMatrixPerspectiveFovLH: view to clip space."""
    scale = 1 / np.tan(fov_y / 2)
    depth = far / (far - near)
    return np.array(
        [[scale / aspect, 0, 0, 0], [0, scale, 0, 0], [0, 0, depth, 1], [0, 0, -near * depth, 0]]
    )


def teapot(detail: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3), y up, and triangles (T, 3) of a teapot; `detail` points around the body."""
    parts = [
        _turned(_curve(_BODY, detail), detail),
        _turned(_curve(_LID, detail), detail),
        _tube(_curve(_SPOUT, detail // 2), detail // 2),
        _tube(_curve(_HANDLE, detail // 2), detail // 2),
    ]
    points, rows = zip(*parts, strict=True)
    starts = np.cumsum([0, *map(len, points[:-1])])
    vertices = np.concatenate(points)
    triangles = np.concatenate([row + start for row, start in zip(rows, starts, strict=True)])
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
    return _joined(np.stack([x, np.broadcast_to(height, x.shape), z], axis=-1))


def _tube(line: np.ndarray, around: int) -> tuple[np.ndarray, np.ndarray]:
    """A tube along a line (N, 3) of x, y and radius in the plane z = 0."""
    way = np.gradient(line[:, :2], axis=0)
    way /= np.linalg.norm(way, axis=1)[:, None]
    side = np.stack([-way[:, 1], way[:, 0], np.zeros(len(line))], axis=-1)
    angles = 2 * np.pi * np.arange(around) / around
    middle = np.column_stack([line[:, :2], np.zeros(len(line))])
    ring = side[:, None] * np.cos(angles)[:, None] - np.sin(angles)[:, None] * (0, 0, 1)
    return _joined(middle[:, None] + line[:, 2, None, None] * ring)


def _joined(rings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join rings (N, M, 3), with two triangles for each quad."""
    count, around, _ = rings.shape
    index = np.arange(count * around).reshape(count, around)
    beside = np.roll(index, -1, axis=1)
    a, b, c, d = index[:-1], index[1:], beside[1:], beside[:-1]
    triangles = np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])
    return rings.reshape(-1, 3), triangles.reshape(-1, 3)


if __name__ == "__main__":
    main()
