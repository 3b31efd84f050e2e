# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of the sample that runs where NumPy is; started by ``sample.py``.

All is as in Direct3D: a left-handed world, matrices for row vectors, pixels from the top left.
"""

import numpy as np

import standalone_core as sc
from sample import parse_arguments
from teapot import teapot

WIDTH, HEIGHT = 640, 480
EYE, TARGET, UP = (0.0, 4.0, -12.0), (0.0, 1.2, 0.0), (0.0, 1.0, 0.0)
CLICKS = [(320, 240), (325, 205), (250, 230), (395, 245), (440, 215), (30, 30)]


def main() -> None:
    """Show some frames, click, and print what is hit."""
    options = parse_arguments()
    mesh = sc.Mesh(*teapot(), engine="numpy")  # a compiler takes longer than all clicks
    sphere = mesh.bounding_sphere
    print(f"A teapot of {len(mesh.triangles)} triangles, {WIDTH} x {HEIGHT} pixels.")
    for frame in range(options.frames):
        world = world_matrix(frame)
        print(f"\nframe {frame}")
        for x, y in CLICKS:
            print(f"  click ({x}, {y}): {described(pick(mesh, sphere, world, x + 0.5, y + 0.5))}")


def pick(mesh: sc.Mesh, sphere: sc.Sphere, world: np.ndarray, x: float, y: float) -> list[sc.Hit]:
    """All that is hit at a position, the nearest first: the four steps of picking."""
    # The position becomes a ray in the world, and that one in the teapot's own space.
    ray = camera().ray(x, y).transformed(np.linalg.inv(world), convention="direct3d")
    # The bounding sphere is the cheap first test.
    if sphere.intersect_ray(ray) is None:
        return []
    return mesh.ray_cast_all(ray.origin, ray.direction)


def described(hits: list[sc.Hit]) -> str:
    """What a click hit, in words."""
    if not hits:
        return "nothing"
    hit = hits[0]
    _, u, v = hit.barycentric
    behind = f", and {len(hits) - 1} behind it" if len(hits) > 1 else ""
    return f"hit face {hit.face}, u {u:.6f}, v {v:.6f}, distance {hit.distance:.6f}{behind}"


def camera() -> sc.Camera:
    """The camera of all frames."""
    view = look_at_lh(EYE, TARGET, UP)
    projection = perspective_fov_lh(np.pi / 4, WIDTH / HEIGHT, 0.1, 100.0)
    return sc.Camera(view, projection, WIDTH, HEIGHT, "direct3d")


def world_matrix(frame: int) -> np.ndarray:
    """Where the teapot is in a frame: it turns about its axis, and goes from left to right.

    It neither shrinks nor grows, so distances in its own space are those of the world.
    """
    angle = 0.35 * frame
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array(
        [
            [cosine, 0, -sine, 0],
            [0, 1, 0, 0],
            [sine, 0, cosine, 0],
            [0.8 * frame - 2.0, 0.2 * np.sin(2 * angle), 0, 1],
        ]
    )


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


if __name__ == "__main__":
    main()
