# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapping: hits move to the nearest vertex, edge or middle of their face, if it is seen near."""

import bpy
import numpy as np
import pytest

from ..scenes import mesh_object, square, suzanne
from .view.test_cameras import region, seen_by

CONCAVE = [(-2, -2, 0), (2, -2, 0.5), (2, 2, 0), (0, -1, 0.2), (-2, 2, 0.4)]


@pytest.fixture(params=["PERSP", "ORTHO"])
def view(request):
    """A camera's view of the origin."""
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = request.param, 6.0
    camera = bpy.data.objects.new("Camera", data)
    bpy.context.scene.collection.objects.link(camera)
    camera.location = (0.3, -0.2, 8)
    bpy.context.view_layer.update()
    return seen_by(camera, request.param)


def pick(raypick, view, x, y, **options):
    return raypick.api.pick(bpy.context, region(), view, (x, y), **options)


def pixel_of(raypick, view, point):
    x, y, _ = raypick.api.camera(region(), view).project(point)
    return np.array((x, y))


def candidates(hit, kind):
    """All that a hit may snap to, finely sampled: (N, 3)."""
    corners = np.array(hit.face_corners)
    if kind == "vertex":
        return corners
    if kind == "face":
        return corners.mean(axis=0)[None]
    shares = np.linspace(0, 1, 2001)[:, None]
    ends = zip(corners, np.roll(corners, -1, axis=0), strict=True)
    return np.concatenate([(1 - shares) * a + shares * b for a, b in ends])


@pytest.mark.parametrize("kind", ["vertex", "edge", "face"])
def test_it_is_the_nearest_that_is_seen(raypick, view, rng, kind):
    """Against a search among all candidates."""
    if kind == "face":  # the middle of a quad that is not flat is beside it
        bpy.ops.mesh.primitive_ico_sphere_add(radius=2, subdivisions=4)
    else:
        suzanne().scale = (2, 2, 2)
    camera = raypick.api.camera(region(), view)

    def away(points, pixel):
        """How many pixels from one points (N, 3) are seen."""
        x, y, _ = camera.project(points)
        return np.hypot(x - pixel[0], y - pixel[1])

    snapped = 0
    for pixel in rng.uniform((150, 50), (490, 350), (150, 2)):
        plain = pick(raypick, view, *pixel, all_hits=True)
        moved = pick(raypick, view, *pixel, all_hits=True, snap=kind, snap_radius=12)
        plain, moved = (sorted(hits, key=lambda hit: hit.face) for hits in (plain, moved))
        for before, after in zip(plain, moved, strict=True):
            assert after.face == before.face
            points = candidates(before, kind)
            least = away(points, pixel).min()
            if least > 12.01:
                assert after == before
            elif least < 11.99:
                snapped += 1
                assert away(np.array([after.point]), pixel) <= least + 1e-6
                assert np.linalg.norm(points - after.point, axis=1).min() < 1e-3
    assert snapped > 30


def test_a_vertex_has_all_the_weight(raypick, view):
    square(size=2.0)
    x, y = pixel_of(raypick, view, (1.95, 1.96, 0))
    (hit,) = pick(raypick, view, x, y, snap="vertex", snap_radius=20)
    assert sorted(hit.barycentric) == [0.0, 0.0, 1.0]
    assert hit.point == (2.0, 2.0, 0.0)
    assert hit.vertices[hit.barycentric.index(1.0)] == 2
    ray = raypick.api.camera(region(), view).ray(x, y)
    assert hit.distance == pytest.approx(np.linalg.norm(np.array(hit.point) - ray.origin))


def test_diagonals_of_a_face_are_no_edges(raypick, view):
    square(size=2.0)
    x, y = pixel_of(raypick, view, (1.0, 1.0, 0))
    plain, moved = pick(raypick, view, x, y), pick(raypick, view, x, y, snap="edge", snap_radius=30)
    assert moved == plain


def test_the_middle_of_a_concave_face_is_on_the_face(raypick, view):
    """The mean of its vertices is beside it; the nearest place of the face stands in."""
    mesh_object("Concave", CONCAVE, [(0, 1, 2, 3, 4)])
    x, y = pixel_of(raypick, view, (0.0, -1.05, 0.2))
    (hit,) = pick(raypick, view, x, y, snap="face", snap_radius=200)
    assert min(hit.barycentric) >= 0.0
    assert sum(hit.barycentric) == pytest.approx(1.0)
    again = raypick.api.place(bpy.context, hit.object, hit.face, hit.triangle, hit.barycentric)
    assert again.point == pytest.approx(hit.point, abs=1e-12)


def test_far_from_everything_nothing_moves(raypick, view):
    square(size=2.0)
    x, y = pixel_of(raypick, view, (0.9, 0.8, 0))
    plain = pick(raypick, view, x, y)
    for kind in ("vertex", "edge", "face"):
        assert pick(raypick, view, x, y, snap=kind, snap_radius=2) == plain


def test_what_cannot_be_snapped_to_is_told(raypick, view):
    square()
    with pytest.raises(raypick.api.RaypickError, match="snap must be"):
        pick(raypick, view, 10, 10, snap="corner")
    with pytest.raises(raypick.api.RaypickError, match="snap_radius"):
        pick(raypick, view, 10, 10, snap="vertex", snap_radius=-1)
