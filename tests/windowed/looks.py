# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mouse picks at the pixels of a mesh that is shown with `face_ids`, and what is drawn."""

from dataclasses import dataclass

import numpy as np

from tests.windowed.face_ids import NOTHING
from tests.windowed.scans import is_near_an_edge

UNCLEAR = 0.01
"""So near to an edge, in pixels, nobody can tell which face is at a pixel's center."""

GEOMETRY = """
mesh.calc_loop_triangles()
triangles = [[*each.vertices, each.polygon_index] for each in mesh.loop_triangles]
[[list(row) for row in scan.matrix_world], triangles]
"""


@dataclass(frozen=True)
class Look:
    """What is seen and picked in a region.

    Attributes
    ----------
    picture : (H, W) int
        The face that is drawn on each pixel of the window, as `drawn_faces` has it.
    seen_by : list
        The region's rectangle in the window, and the matrix that Blender draws it with.
    pixels : (N, 2) int
        Some pixels of the window.
    drawn, picked : (N,) int
        The faces that are drawn and picked there, or `NOTHING`.
    points : list
        The places that are picked there.
    clear : (N,) bool
        Whether their centers are clear of edges.
    """

    picture: np.ndarray
    seen_by: list
    pixels: np.ndarray
    drawn: np.ndarray
    picked: np.ndarray
    points: list
    clear: np.ndarray


def geometry(blender, vertices):
    """Of the mesh that is shown: vertices in world space, triangles and their faces."""
    blender.redraw()
    matrix, triangles = map(np.array, blender.py(GEOMETRY))
    world = vertices.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    return world, triangles[:, :3], triangles[:, 3]


def look_at(blender, picture, seen_by, mesh, rng, inside, beside):
    """Pick at random pixels where a region draws the mesh, and at some just beside it."""
    pixels = np.concatenate(
        [
            random_pixels(picture >= 0, seen_by, rng, inside),
            random_pixels(is_rim(picture), seen_by, rng, beside),
        ]
    )
    picked = blender.py(f"picks({pixels.tolist()})")
    return Look(
        picture,
        seen_by,
        pixels,
        drawn=at(picture, pixels),
        picked=np.array([face for face, _ in picked]),
        points=[point for _, point in picked],
        clear=is_clear(pixels, seen_by, mesh),
    )


def random_pixels(mask, seen_by, rng, count):
    """So many of the pixels of a region that a mask of the window has: (count, 2)."""
    (x, y, width, height), _ = seen_by
    inside = np.argwhere(mask[y : y + height, x : x + width])[:, ::-1]
    return rng.choice(inside, count, replace=False) + (x, y)


def at(picture, pixels):
    """What a picture has at pixels (N, 2)."""
    return picture[pixels[:, 1], pixels[:, 0]]


def is_rim(picture):
    """Which pixels of a picture have nothing, and a face beside them."""
    is_mesh = picture >= 0
    beside = [np.roll(is_mesh, shift, axis) for shift in (-1, 1) for axis in (0, 1)]
    return (picture == NOTHING) & np.any(beside, axis=0)


def is_well_inside(picture):
    """Which pixels of a picture have nothing but faces within three pixels."""
    inside = picture >= 0
    for axis in (0, 1):
        inside = np.all([np.roll(inside, shift, axis) for shift in range(-3, 4)], axis=0)
    return inside


def faces_picked(blender, pixels):
    """The faces that are picked at window pixels."""
    return [face for face, _ in blender.py(f"picks({pixels.tolist()})")]


def projected(points, seen_by):
    """Where points (N, 3) are seen, by Blender's own matrix: pixels of the window (N, 2)."""
    (x, y, width, height), matrix = seen_by
    clip = np.column_stack([points, np.ones(len(points))]) @ np.array(matrix).T
    return (clip[:, :2] / clip[:, 3:] + 1.0) / 2.0 * (width, height) + (x, y)


def is_clear(pixels, seen_by, mesh):
    """Which pixels (N, 2) have their centers clear of the edges of a mesh."""
    world, triangles, faces = mesh
    corners = projected(world, seen_by)
    return ~is_near_an_edge(pixels + 0.5, corners, triangles, faces, UNCLEAR)


def send(blender, events):
    """Have Blender handle events one after the other, and redraw after the last."""
    blender.py(f"for event in {events}:\n    viewport()[0].event_simulate(**event)\nresult = None")


def move(x, y):
    """The event of a mouse that has moved to a pixel."""
    return [{"type": "MOUSEMOVE", "value": "NOTHING", "x": int(x), "y": int(y)}]


def press(x, y, key="LEFTMOUSE", **modifiers):
    """The events of a key or button that is pressed and released at a pixel."""
    event = {"type": key, "x": int(x), "y": int(y), **modifiers}
    return [*move(x, y), event | {"value": "PRESS"}, event | {"value": "RELEASE"}]


def faces_kept(blender, pixels, **pressed):
    """The faces that are kept in the history where a key or button is pressed at pixels."""
    blender.py("history.clear()\nresult = None")
    send(blender, [event for pixel in pixels for event in press(*pixel, **pressed)])
    return blender.py("[record.hits[0].face for record in reversed(history.records())]")


def faces_hovered(blender, pixels):
    """The faces that are shown under a mouse that moves from pixel to pixel."""
    faces = []
    for pixel in pixels:
        send(blender, move(*pixel))
        faces.append(blender.py("current.hovered().hits[0].face"))
    return faces
