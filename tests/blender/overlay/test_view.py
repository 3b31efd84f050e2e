# SPDX-License-Identifier: GPL-3.0-or-later
"""Places are where the matrices of the view say, a little nearer; colors as Blender shows them."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from mathutils import Color, Euler, Matrix, Vector

SIZE = (640, 360)


@pytest.fixture
def view_space(raypick):
    return import_module(f"{raypick.__name__}.overlay.view")


def shown(kind, offset=(0.0, 0.0, 0.0)):
    """A context that shows the world from a place, and the matrices that it does that with."""
    camera = Matrix.Translation(Vector((1.0, -7.0, 2.0)) + Vector(offset))
    camera = camera @ Euler((1.4, 0.1, 0.2)).to_matrix().to_4x4()
    near, far, x, y = 0.1, 100.0, 1.4, 1.4 * SIZE[0] / SIZE[1]
    if kind == "perspective":
        a, b = (near + far) / (near - far), 2 * near * far / (near - far)
        window = [(x, 0, 0.2, 0), (0, y, -0.1, 0), (0, 0, a, b), (0, 0, -1, 0)]
    else:
        window = [(x / 5, 0, 0, 0.1), (0, y / 5, 0, 0), (0, 0, -1 / far, 0), (0, 0, 0, 1)]
    data = SimpleNamespace(view_matrix=camera.inverted(), window_matrix=Matrix(window))
    region = SimpleNamespace(width=SIZE[0], height=SIZE[1])
    return SimpleNamespace(region=region, region_data=data)


@pytest.mark.parametrize("kind", ["perspective", "orthographic"])
@pytest.mark.parametrize("nearer", [0.0, 2.0, 30.0])
def test_points_are_at_the_pixels_of_the_matrices_and_nearer(view_space, rng, kind, nearer):
    context = shown(kind)
    points = rng.uniform(-2, 2, (200, 3))
    pixels, depths = view_space.ViewSpace.of(context, nearer).seen(points)
    for point, pixel, depth in zip(points, pixels, depths, strict=True):
        seen = (
            context.region_data.window_matrix
            @ context.region_data.view_matrix
            @ Vector((*point, 1))
        )
        x, y, z = (np.array(seen[:3]) / seen[3] + 1) / 2
        assert pixel == pytest.approx((x * SIZE[0], y * SIZE[1]), abs=0.01)
        assert depth < z


@pytest.mark.parametrize("kind", ["perspective", "orthographic"])
def test_what_is_nearer_by_pixels_is_as_far_from_the_surface_as_they_are_wide(view_space, kind):
    context = shown(kind)
    space = view_space.ViewSpace.of(context, 10.0)
    world = np.array([(0.3, 0.4, -0.2)])
    there = context.region_data.view_matrix @ Vector(world[0])
    drawn = Vector(space.points(world)[0])
    aside = Vector((0.0, 0.0, 0.0))
    aside.x = 1e-3
    ends = [
        context.region_data.window_matrix @ Vector((*(there + way), 1.0))
        for way in (Vector(), aside)
    ]
    pixels = abs(ends[1].x / ends[1].w - ends[0].x / ends[0].w) * SIZE[0] / 2
    assert (there.z - drawn.z) == pytest.approx(-10.0 * 1e-3 / pixels, rel=1e-3)


def test_behind_the_eye_nothing_is_seen(view_space):
    pixels, depths = view_space.ViewSpace.of(shown("perspective")).seen(
        np.array([(1.0, -50.0, 2.0), (0.0, 0.0, 0.0)])
    )
    assert np.isnan(pixels[0]).all()
    assert np.isnan(depths[0])
    assert np.isfinite(pixels[1]).all()


def test_linear_colors_are_shown_as_blender_converts_them(raypick, rng):
    colors = import_module(f"{raypick.__name__}.model.survey_colors")
    linear = np.concatenate(
        [rng.random((200, 3)), rng.random((50, 3)) * 0.004, [(0, 1, 0.0031308)]]
    )
    expected = [Color(color).from_scene_linear_to_srgb()[:] for color in linear.tolist()]
    assert colors.to_srgb(linear) == pytest.approx(np.array(expected), abs=0.1 / 255)
