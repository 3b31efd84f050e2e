# SPDX-License-Identifier: GPL-3.0-or-later
"""Tolerance: what is thinner than a pixel is taken from beside it, and nothing else is."""

import bpy
import numpy as np
import pytest

from .scenes import collection_instance, mesh_object, square, suzanne
from .test_clip import space_of
from .test_snap import pick, pixel_of
from .test_view import HEIGHT, WIDTH, region, seen_by, view_of


KINDS = ["PERSP", "ORTHO"]


@pytest.fixture(params=KINDS)
def view(request):
    """A camera's view from (0.3, -0.2, 8) down at the origin: about 75 pixels to a unit."""
    return looking_down(request.param)


def looking_down(kind, height=8.0, clip_end=100.0):
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale, data.clip_end = kind, 8.5, clip_end
    camera = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera)
    camera.location = (0.3, -0.2, height)
    return seen_by(camera, kind)


def ribbon(name="Ribbon", z=0.0, width=0.004, x=0.0):
    """A strip along y that is seen 0.3 pixels wide: its right border is at x."""
    corners = [(x - width, -1.5, z), (x, -1.5, z), (x, 1.5, z), (x - width, 1.5, z)]
    return mesh_object(name, corners, [(0, 1, 2, 3)])


def beside(raypick, view, point, pixels):
    """The position so many pixels to the right of where a point is seen."""
    return pixel_of(raypick, view, point) + (pixels, 0.0)


def assert_taken(raypick, view, position, hit, away=None):
    """Compare a hit with what a place of it, and the projection, say."""
    seen = np.hypot(*(pixel_of(raypick, view, hit.point) - position))
    assert hit.pixels_away == pytest.approx(seen, abs=1e-6)
    if away is not None:
        assert hit.pixels_away == pytest.approx(away, abs=1e-6)
    ray = raypick.api.camera(region(), view).ray(*position)
    offset = np.array(hit.point) - ray.origin
    assert hit.distance == pytest.approx(np.linalg.norm(offset), rel=1e-9)
    corners = np.array(hit.corners)
    assert np.array(hit.barycentric) @ corners == pytest.approx(np.array(hit.point), abs=1e-6)
    assert min(hit.barycentric) >= 0.0
    assert sum(hit.barycentric) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("away", [0.4, 1.0, 2.5, 3.9])
def test_a_ribbon_before_nothing_is_taken_from_beside_it(raypick, view, away):
    ribbon()
    position = beside(raypick, view, (0, 0.2, 0), away)
    assert pick(raypick, view, *position) == []
    assert pick(raypick, view, *position, tolerance=away - 0.01) == []
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.object == "Ribbon"
    assert_taken(raypick, view, position, hit, away)
    assert hit.front


def test_a_ribbon_before_a_wall_is_taken_and_the_wall_comes_after_it(raypick, view):
    ribbon(z=1.0)
    square("Wall", z=-0.5, size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, 1.0), 3.0)
    (plain,) = pick(raypick, view, *position)
    assert (plain.object, plain.pixels_away) == ("Wall", 0.0)
    (hit,) = pick(raypick, view, *position, tolerance=4)
    assert hit.object == "Ribbon"
    assert_taken(raypick, view, position, hit, 3.0)
    assert pick(raypick, view, *position, tolerance=4, all_hits=True) == [hit, plain]
    assert pick(raypick, view, *position, tolerance=2.9) == [plain]


def test_a_ribbon_behind_a_wall_is_not_taken(raypick, view):
    ribbon(z=-1.0)
    square("Wall", size=3.0).location = (-1.5, -1.5, 0)
    position = beside(raypick, view, (0, 0.2, -1.0), 1.0)
    plain = pick(raypick, view, *position)
    assert pick(raypick, view, *position, tolerance=9) == plain


def test_what_the_ray_hits_stays_without_anything_before_it(raypick, view):
    suzanne(levels=1).scale = (2, 2, 2)
    x, y = pixel_of(raypick, view, (0.2, 0.3, 1))
    plain = pick(raypick, view, x, y, all_hits=True)
    assert plain
    assert pick(raypick, view, x, y, all_hits=True, tolerance=0) == plain


@pytest.mark.parametrize("tolerance", [-1, float("nan"), float("inf"), "much", None, (1, 2)])
def test_a_tolerance_that_is_none_is_told(raypick, view, tolerance):
    with pytest.raises(raypick.api.RaypickError, match="tolerance"):
        pick(raypick, view, 10, 10, tolerance=tolerance)
