# SPDX-License-Identifier: GPL-3.0-or-later
"""Tolerance: what is thinner than a pixel is taken from beside it, and nothing else is."""

import bpy
import numpy as np
import pytest

from .scenes import collection_instance, mesh_object, square, suzanne
from .seen_nearest import Screen, Unclear, expected
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


def random_ribbons(rng, name, count, spread=1.5):
    """Thin strips in all directions at heights between -1 and 2, each of two quads."""
    vertices, faces = [], []
    for _ in range(count):
        middle = rng.uniform((-2, -1.5, -1), (2, 1.5, 2))
        along = rng.normal(size=3) * (1, 1, 0.3)
        along *= rng.uniform(0.2, spread) / np.linalg.norm(along)
        across = np.cross(along, rng.normal(size=3))
        across *= 10 ** rng.uniform(-3, -1) / np.linalg.norm(across)
        first = len(vertices)
        for share in (-0.5, 0.1, 0.5):
            vertices += [middle + share * along - across / 2, middle + share * along + across / 2]
        faces += [(first, first + 1, first + 3, first + 2)]
        faces += [(first + 2, first + 3, first + 5, first + 4)]
    return mesh_object(name, [tuple(v) for v in vertices], faces)


def bumpy(rng, name, cells, size, height, slope):
    """A square of many quads, tilted and with bumps."""
    x, y = np.meshgrid(np.linspace(-size, size, cells + 1), np.linspace(-size, size, cells + 1))
    z = slope * x - 0.5 * slope * y + height + rng.uniform(-0.1, 0.1, x.shape)
    row = cells + 1
    faces = [
        (i * row + j, i * row + j + 1, (i + 1) * row + j + 1, (i + 1) * row + j)
        for i in range(cells)
        for j in range(cells)
    ]
    return mesh_object(name, list(zip(x.flat, y.flat, z.flat, strict=True)), faces)


def random_scene(rng):
    """Ribbons, before, behind and across bumpy slopes; instances, mirrored and sheared ones."""
    random_ribbons(rng, "Loose", 30)
    bumpy(rng, "Slope", 14, 1.2, -1.5, rng.uniform(-1, 1))
    bumpy(rng, "Rough", 40, 0.5, 0.2, rng.uniform(-2, 2)).location = (1.2, 0.6, 0)
    mirrored = random_ribbons(rng, "Mirrored", 8)
    mirrored.scale = (-1.3, 0.4, 0.8)
    mirrored.rotation_euler = rng.uniform(-0.4, 0.4, 3)
    random_ribbons(rng, "Flat", 6).scale = (1, 1, 0)
    part = random_ribbons(rng, "Part", 8)
    part.rotation_euler = (0.2, 0.1, 0.7)
    collection_instance(part, (-0.3, 0.2, 0.4)).scale = (0.9, 1.4, 0.7)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_what_is_nearest_on_the_screen_by_brute_force(raypick, rng, kind):
    counts = dict.fromkeys(("beside nothing", "before the hit", "kept", "missed", "unclear"), 0)
    for _ in range(3):
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        random_scene(rng)
        view = looking_down(kind)
        screen = Screen(view, WIDTH, HEIGHT)
        for position in rng.uniform((120, 40), (520, 360), (60, 2)):
            counts[compare(raypick, view, screen, position, rng.choice([2.0, 6.0, 15.0]))] += 1
    print(counts)
    assert min(counts[name] for name in counts if name != "unclear") > 5
    assert counts["unclear"] < 10


def compare(raypick, view, screen, position, radius):
    """Judge one pick by brute force, and say what it was."""
    exact = pick(raypick, view, *position, all_hits=True)
    ray = raypick.api.camera(region(), view).ray(*position)
    try:
        nearest = expected(screen, ray, position, radius, exact[0] if exact else None)
    except Unclear:
        return "unclear"
    found = pick(raypick, view, *position, all_hits=True, tolerance=radius)
    if not nearest:
        assert found == exact
        return "kept" if exact else "missed"
    hit = found[0]
    assert found[1:] == exact
    name = (hit.object, hit.instancer, hit.instance, hit.face, hit.triangle)
    assert name in [each for each, _, _ in nearest]
    _, away, world = nearest[[each for each, _, _ in nearest].index(name)]
    assert_taken(raypick, view, position, hit, away)
    assert np.array(hit.point) == pytest.approx(world, abs=1e-5)
    assert pick(raypick, view, *position, tolerance=radius) == [hit]
    return "before the hit" if exact else "beside nothing"
