# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not seen is not hit: clip planes and clipping regions, against what states them."""

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ...scenes import link, square
from .test_cameras import HEIGHT, WIDTH, pixels, region, seen_by

RANGES = [(1e-6, 1e-2), (0.1, 100.0), (1e-3, 1e6), (50.0, 51.0), (1e-6, 1e6)]


@pytest.fixture
def clip(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.view.cameras")


def camera(kind="PERSP", clip_range=(0.1, 100.0), z=10.0):
    """A camera at (0, 0, z) that looks down."""
    obj = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    obj.data.type = kind
    obj.data.clip_start, obj.data.clip_end = clip_range
    obj.matrix_world = Matrix.Translation((0.0, 0.0, z))
    return obj


def space_of(obj, shading="SOLID"):
    """A viewport that looks through a camera."""
    return SimpleNamespace(
        camera=obj, clip_start=7.0, clip_end=8.0, shading=SimpleNamespace(type=shading)
    )


def seen_interval(clip, view, ray, space=None):
    """The distances between which a view shows what a ray meets."""
    return clip.clip_interval(clip.view_planes(view, space), ray)


def depths(view, ray, distances):
    """How far in front of the eye the points at distances along a ray are."""
    points = ray.origin + np.asarray(distances)[:, None] * ray.direction
    rows = np.array(view.view_matrix)
    return -(points @ rows[2, :3] + rows[2, 3])


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip_range", RANGES)
def test_a_camera_sees_from_its_near_to_its_far_clip_plane(raypick, clip, rng, kind, clip_range):
    obj = camera(kind, clip_range)
    view = seen_by(obj, "CAMERA")
    start, end = obj.data.clip_start, obj.data.clip_end
    for xy in pixels(rng, 20):
        ray = raypick.api.camera(region(), view).ray(*xy)
        interval = seen_interval(clip, view, ray, space_of(obj))
        near, far = depths(view, ray, interval)
        # An orthographic camera's rays start at the near plane of the matrix.
        assert near == pytest.approx(start, rel=1e-6, abs=1e-6 * end if kind == "ORTHO" else 0.0)
        assert far == pytest.approx(end, rel=1e-6)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip_range", RANGES)
def test_the_matrix_alone_leaves_out_nothing_that_is_seen(raypick, clip, rng, kind, clip_range):
    """It gives the far end of a perspective only as well as single precision can."""
    obj = camera(kind, clip_range)
    view = seen_by(obj)
    start, end = obj.data.clip_start, obj.data.clip_end
    for xy in pixels(rng, 20):
        ray = raypick.api.camera(region(), view).ray(*xy)
        near, far = depths(view, ray, np.minimum(seen_interval(clip, view, ray), 1e300))
        assert start * (1 - 1e-5) - (1e-6 * end if kind == "ORTHO" else 0.0) <= near
        assert near <= start or kind == "ORTHO"
        assert far >= end
        if kind == "ORTHO" or end / start < 1e4:
            assert far == pytest.approx(end, rel=1e-6 * max(1.0, end / start))


def test_a_perspective_viewport_states_its_clip_planes_itself(raypick, clip):
    view = seen_by(camera(clip_range=(0.01, 1e5)))
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    space = space_of(None)
    space.clip_start, space.clip_end = 0.01, 1e5
    assert seen_interval(clip, view, ray, space) == pytest.approx((0.01, 1e5), rel=1e-12)
    without = seen_interval(clip, view, ray)
    assert without[0] <= 0.01
    assert without[1] > 1e5 * 1.01


def test_what_is_stated_is_believed_only_where_the_matrix_agrees(raypick, clip):
    """A viewport that was not drawn since its clip range was changed."""
    view = seen_by(camera(clip_range=(0.1, 100.0)))
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    assert seen_interval(clip, view, ray, space_of(None)) == pytest.approx((0.1, 100.0), rel=1e-3)


def test_an_object_that_is_no_camera_is_unpickable_with_the_viewports_range(raypick, clip):
    view = seen_by(camera(clip_range=(7.0, 8.0)))
    view.view_perspective = "CAMERA"
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    for through in (None, link(bpy.data.objects.new("Empty", None))):
        interval = seen_interval(clip, view, ray, space_of(through))
        assert interval == pytest.approx((7.0, 8.0), abs=1e-12)


def clipped(view, planes, **options):
    view.use_clip_planes = True
    view.clip_planes = [*planes, *[(0.0, 0.0, 0.0, 0.0)] * (6 - len(planes))]
    for name, value in options.items():
        setattr(view, name, value)
    return view


def random_planes(rng, count):
    """Planes around the origin, which is on the side that they show."""
    normals = rng.normal(size=(count, 3))
    return np.column_stack([normals, rng.uniform(0.5, 4.0, count)]).tolist()


@pytest.mark.parametrize(
    ("given", "options", "counted"),
    [(4, {}, 4), (6, {}, 6), (6, {"use_box_clip": True}, 4), (6, {"use_clip_planes": False}, 0)],
    ids=["Alt+B", "six planes", "the box of a quad view", "off"],
)
def test_points_in_front_of_all_planes_are_seen(raypick, clip, rng, given, options, counted):
    obj = camera()
    for _ in range(10):
        planes = random_planes(rng, given)
        view = clipped(seen_by(obj), planes, **options)
        view_camera = raypick.api.camera(region(), view)
        for point in rng.uniform(-4.0, 4.0, (20, 3)):
            ray = view_camera.ray(*view_camera.project(point)[:2])
            least, most = seen_interval(clip, view, ray)
            seen = all(np.dot(plane[:3], point) + plane[3] >= 0 for plane in planes[:counted])
            assert (least <= np.linalg.norm(point - ray.origin) <= most) == seen


def test_a_ray_beside_the_clipping_region_meets_nothing(raypick, clip):
    aside = [(1.0, 0.0, 0.0, -2.0)]
    view = clipped(seen_by(camera("ORTHO")), aside)
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    least, most = seen_interval(clip, view, ray)
    assert least > most


@pytest.mark.parametrize(
    ("shading", "shown"),
    [("WIREFRAME", True), ("SOLID", True), ("MATERIAL", False), ("RENDERED", False)],
)
def test_only_wireframe_and_solid_shading_show_the_clipping_region(raypick, clip, shading, shown):
    obj = camera()
    below = [(0.0, 0.0, -1.0, 3.0)]
    view = clipped(seen_by(obj, "CAMERA"), below)
    ray = raypick.api.camera(region(), view).ray(WIDTH / 2, HEIGHT / 2)
    least, _ = seen_interval(clip, view, ray, space_of(obj, shading))
    assert least == pytest.approx(7.0 if shown else 0.1, rel=1e-6)


def stack():
    """Squares at the heights 9, 5 and -5, so 1, 5 and 15 below the camera."""
    for name, z in (("Top", 9.0), ("Middle", 5.0), ("Bottom", -5.0)):
        square(name, z=z, size=4.0).location = (-2.0, -2.0, 0.0)


def picked(raypick, view, **options):
    hits = raypick.api.pick(bpy.context, region(), view, (WIDTH / 2, HEIGHT / 2), **options)
    return [hit.object for hit in hits]


ALL = ["Top", "Middle", "Bottom"]


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize(
    ("clip_range", "seen"),
    [
        ((0.1, 100.0), ALL),
        ((2.0, 100.0), ["Middle", "Bottom"]),
        ((0.1, 10.0), ["Top", "Middle"]),
        ((2.0, 10.0), ["Middle"]),
        ((6.0, 10.0), []),
        ((20.0, 30.0), []),
    ],
)
def test_picks_are_between_the_clip_planes(raypick, kind, clip_range, seen):
    stack()
    view = seen_by(camera(kind, clip_range))
    assert picked(raypick, view) == seen[:1]
    assert picked(raypick, view, all_hits=True) == seen
    assert picked(raypick, view, all_hits=True, clip=False) == ALL
    assert picked(raypick, view, clip=False) == ALL[:1]


@pytest.mark.parametrize("cull", ["back", "front", None])
def test_what_is_before_an_orthographic_near_plane_is_seen_from_the_same_side(raypick, cull):
    stack()
    bpy.data.objects["Top"].data.flip_normals()
    view = seen_by(camera("ORTHO", (2.0, 100.0)))
    position = (WIDTH / 2, HEIGHT / 2)
    options = {"all_hits": True, "clip": False, "cull": cull}
    hits = raypick.api.pick(bpy.context, region(), view, position, **options)
    expected = {"Top": (-1.0, False), "Middle": (3.0, True), "Bottom": (13.0, True)}
    left = [name for name in ALL if cull is None or expected[name][1] == (cull == "back")]
    assert [hit.object for hit in hits] == left
    for hit in hits:
        distance, front = expected[hit.object]
        assert hit.distance == pytest.approx(distance, rel=1e-6)
        assert hit.front is front


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize(
    ("planes", "seen"),
    [
        ([(0.0, 0.0, -1.0, 6.0)], ["Middle", "Bottom"]),
        ([(0.0, 0.0, 1.0, 0.0)], ["Top", "Middle"]),
        ([(0.0, 0.0, -1.0, 6.0), (0.0, 0.0, 1.0, 0.0)], ["Middle"]),
        ([(1.0, 0.0, 0.0, -1.0)], []),
        ([(1.0, 0.0, 0.0, 1.0)], ALL),
    ],
    ids=["below 6", "above 0", "between", "beside", "around"],
)
def test_picks_are_inside_the_clipping_region(raypick, kind, planes, seen):
    stack()
    view = clipped(seen_by(camera(kind)), planes)
    assert picked(raypick, view) == seen[:1]
    assert picked(raypick, view, all_hits=True) == seen
    assert picked(raypick, view, all_hits=True, clip=False) == ALL


def test_distances_count_from_the_eye_with_clipping_too(raypick):
    stack()
    view = seen_by(camera(clip_range=(2.0, 100.0)))
    (hit,) = raypick.api.pick(bpy.context, region(), view, (WIDTH / 2, HEIGHT / 2))
    assert hit.distance == pytest.approx(5.0, rel=1e-9)
    assert picked(raypick, view, max_distance=4.9) == []
    assert picked(raypick, view, max_distance=5.1) == ["Middle"]
    assert picked(raypick, view, max_distance=5.1, all_hits=True) == ["Middle"]


def orthographic(width, height, start, end):
    return Matrix(
        (
            (2 / width, 0, 0, 0),
            (0, 2 / height, 0, 0),
            (0, 0, -2 / (end - start), -(end + start) / (end - start)),
            (0, 0, 0, 1),
        )
    )


def test_05_an_orthographic_camera_sees_what_is_near_it(raypick):
    """Blender's `region_2d_to_origin_3d` starts in the middle of the view there."""
    near, far = square("Near", z=9.0), square("Far", z=0.0)
    view = Matrix.Translation((0, 0, 10)).inverted()
    for clip_end in (100.0, 1e5, 1e6):
        window = orthographic(width=4.0, height=4.0, start=0.1, end=clip_end)
        region_data = SimpleNamespace(view_matrix=view, window_matrix=window)
        region = SimpleNamespace(width=400, height=400)
        hits = raypick.api.pick(bpy.context, region, region_data, (250, 250), all_hits=True)
        assert [hit.object for hit in hits] == [near.name, far.name]
        assert hits[0].point[:2] == pytest.approx((0.5, 0.5), abs=1e-6)


def test_09_what_the_view_clips_is_not_hit(raypick):
    for z in (9.95, 5.0, -200.0):
        square(f"At {z:g}", z)
    region = SimpleNamespace(width=400, height=400)
    region_data = SimpleNamespace(
        view_matrix=Matrix.Translation((0.25, 0.5, 10)).inverted(),
        window_matrix=orthographic(width=2.0, height=2.0, start=0.1, end=100.0),
    )

    def names(**options):
        hits = raypick.api.pick(bpy.context, region, region_data, (201, 202), **options)
        return [hit.object for hit in hits]

    assert names() == ["At 5"]
    assert names(all_hits=True) == ["At 5"]
    assert names(all_hits=True, clip=False)[-2:] == ["At 5", "At -200"]
    region_data.use_clip_planes = True
    region_data.clip_planes = [(0, 0, -1, 1)] + [(0, 0, 0, 1)] * 5  # z <= 1, all else is open
    assert names() == []
