# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks on what modifiers make of faces are kept on the original mesh, and stay in place.

The oracle knows nothing of the order of faces: attributes that Blender itself carries through the
modifiers tell which face and which copy a place is on, and positions where it is.
"""

import importlib
import itertools

import bpy
import numpy as np
import pytest

from ...scenes import link, mesh_object
from .oracle import evaluated_triangles, hits_at

SIZES = (3, 4, 5, 6, 7)


@pytest.fixture
def landmarks(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks")


def flat(name="Flat"):
    """Faces of 3 to 7 corners in a row, all convex, none regular, in the plane z = 1."""
    rng = np.random.default_rng(17)
    vertices, faces = [], []
    for place, size in enumerate(SIZES):
        angles = 2 * np.pi * (np.arange(size) + rng.uniform(-0.2, 0.2, size)) / size
        ring = np.stack([np.cos(angles) + 3.0 * place + 2.0, np.sin(angles) + 2.0, 0 * angles + 1.0], 1)
        faces.append(tuple(range(len(vertices), len(vertices) + size)))
        vertices += ring.tolist()
    return mesh_object(name, vertices, faces)


def bent(name="Bent"):
    """A connected, bent patch of a triangle, quads, a pentagon and a hexagon."""
    height = lambda x, y: 0.2 * np.sin(1.3 * x + 0.7 * y)  # noqa: E731
    places = [(x, y) for y in range(4) for x in range(4)] + [(1.5, 3.6), (3.6, 1.5)]
    faces = [(0, 1, 5, 4), (1, 2, 5), (2, 6, 5), (2, 3, 7, 6), (4, 5, 9, 8), (5, 6, 10, 9)]
    faces += [(6, 7, 17, 11, 10), (8, 9, 13, 12), (9, 10, 11, 15, 14, 16, 13)]
    return mesh_object(name, [(x + 0.5, y + 0.5, 1.0 + height(x, y)) for x, y in places], faces)


def add(obj, kind, **settings):
    modifier = obj.modifiers.new(kind.title(), kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    bpy.context.view_layer.update()
    return modifier


def place(raypick, obj, count, seed):
    """Add landmarks at random places of all triangles of the evaluated mesh; where they are."""
    points = []
    for number, (hit, point) in enumerate(hits_at(raypick, obj, count, seed)):
        raypick.api.landmarks.add(bpy.context, hit, f"{number}")
        points.append(point)
    return np.array(points)


def now(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


STACKS = {
    "subsurf 1": [("SUBSURF", {"levels": 1})],
    "subsurf 2": [("SUBSURF", {"levels": 2})],
    "subsurf 3": [("SUBSURF", {"levels": 3})],
    "subsurf twice": [("SUBSURF", {"levels": 1}), ("SUBSURF", {"levels": 2})],
    "mirror": [("MIRROR", {})],
    "mirror 3": [("MIRROR", {"use_axis": (True, True, True)})],
    "array": [
        ("ARRAY", {"count": 3, "relative_offset_displace": (0, 0, 1), "use_constant_offset": True})
    ],
    "array fit": [("ARRAY", {"fit_type": "FIT_LENGTH", "fit_length": 40.0})],
    "solid": [("SOLIDIFY", {"thickness": 0.2})],
    "mirror, subsurf": [("MIRROR", {}), ("SUBSURF", {"levels": 2})],
    "subsurf, mirror": [("SUBSURF", {"levels": 2}), ("MIRROR", {"use_axis": (True, True, False)})],
    "solid, mirror, subsurf": [
        ("SOLIDIFY", {"thickness": 0.2, "use_rim": False}),
        ("MIRROR", {}),
        ("SUBSURF", {"levels": 1}),
    ],
    "subsurf, solid": [("SUBSURF", {"levels": 1}), ("SOLIDIFY", {"thickness": 0.2})],
}


@pytest.mark.parametrize("make", [flat, bent], ids=lambda make: make.__name__)
@pytest.mark.parametrize("stack", STACKS)
def test_what_was_hit_on_modified_faces_is_where_it_was_hit(raypick, make, stack):
    obj = make()
    for kind, settings in STACKS[stack]:
        add(obj, kind, **settings)
    points = place(raypick, obj, 60, seed=1)
    kept = raypick.api.landmarks.of(obj)
    rims = [each for each in kept if each.evaluated]
    assert not rims or "solid" in stack
    assert len(rims) < len(kept)
    assert np.abs(now(raypick, obj) - points).max() < 1e-6
