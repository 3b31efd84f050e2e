# SPDX-License-Identifier: GPL-3.0-or-later
"""`min_distance`: the hits that are left are those of all hits that are at least as far away."""

from math import inf, nextafter

import bpy
import numpy as np
import pytest

from tests.blender.bridge.test_tolerance import beside, looking_down, ribbon
from tests.blender.bridge.view.test_cameras import region
from tests.blender.scenes import link, mesh_object, square, suzanne

from .test_batches import ALL_COLUMNS, crowd, random_rays  # noqa: F401


@pytest.fixture
def api(raypick):
    return raypick.api


@pytest.fixture
def floors():
    """Squares at whole heights from -3 to 3; from z = 4 their distances are whole too."""
    for z in range(-3, 4):
        square(f"Floor {z}", float(z), 2.0)
    bpy.context.view_layer.update()


def heights(hits):
    return [hit.point[2] for hit in hits]


DOWN = (0.5, 0.75, 4.0), (0.0, 0.0, -1.0)


def test_a_hit_exactly_at_the_distance_counts(api, floors):
    for least in (0.0, 1.0, 2.0, 7.0):
        expected = [4.0 - away for away in range(1, 8) if away >= least]
        for nearest, options in ((False, {"all_hits": True}), (True, {})):
            hits = api.ray_cast(bpy.context, *DOWN, min_distance=least, **options)
            assert heights(hits) == (expected[:1] if nearest else expected)
            more = nextafter(least, inf)
            hits = api.ray_cast(bpy.context, *DOWN, min_distance=more, **options)
            rest = [z for z in expected if 4.0 - z > least]
            assert heights(hits) == (rest[:1] if nearest else rest)
    assert heights(api.ray_cast(bpy.context, *DOWN, 3.0, min_distance=3.0)) == [1.0]
    assert not api.ray_cast(bpy.context, *DOWN, 2.9, min_distance=2.1)
    assert not api.ray_cast(bpy.context, *DOWN, 2.0, min_distance=3.0)
    assert not api.ray_cast(bpy.context, *DOWN, min_distance=inf)


def test_on_a_surface_the_ray_leaves_it_with_any_distance(api, floors):
    start = (0.5, 0.75, 3.0), DOWN[1]
    assert heights(api.ray_cast(bpy.context, *start)) == [3.0]
    assert heights(api.ray_cast(bpy.context, *start, min_distance=0.0)) == [3.0]
    assert heights(api.ray_cast(bpy.context, *start, min_distance=5e-324)) == [2.0]


def test_batches_agree_with_all_hits_and_with_single_rays(api, crowd, rng):  # noqa: F811
    origins, directions = random_rays(rng, 250)
    every = api.cast_rays_all(bpy.context, origins, directions)
    each = rng.uniform(3, 9, 250)
    known = np.flatnonzero(np.diff(every.splits) > 0)[:100]
    each[known] = every["distance"][every.splits[known]]  # exactly at the first hit
    each[known[::2]] = np.nextafter(each[known[::2]], inf)  # and just beyond it
    for least in (0.0, 4.0, each, each.tolist(), 5):
        limits = np.broadcast_to(least, 250)
        far = every["distance"] >= limits[every["ray"]]
        some = api.cast_rays_all(bpy.context, origins, directions, min_distance=least)
        for name in every:
            assert some[name].tobytes() == every[name][far].tobytes(), name
        counts = np.bincount(every["ray"][far], minlength=250)
        options = {"min_distance": least, "threads": 2}
        assert np.array_equal(api.count_hits(bpy.context, origins, directions, **options), counts)
        found = api.any_hit(bpy.context, origins, directions, **options)
        assert np.array_equal(found, counts > 0)
        first = api.cast_rays(bpy.context, origins, directions, columns=ALL_COLUMNS, **options)
        assert np.array_equal(first.hit, counts > 0)
        rows = every["ray"][far]
        firsts = np.flatnonzero(far)[np.unique(rows, return_index=True)[1]]
        for name in every.columns.keys() - {"ray"}:
            assert first[name][first.hit].tobytes() == every[name][firsts].tobytes(), name
        for row in range(0, 250, 10):
            alone = api.ray_cast(
                bpy.context, origins[row], directions[row], min_distance=float(limits[row])
            )
            assert bool(alone) == first.hit[row]
            for hit in alone:
                assert (hit.distance, hit.face) == (first["distance"][row], first["face"][row])
    core = api.core_scene(bpy.context).cast_rays(origins, directions, min_distance=each)
    assert np.array_equal(
        core.distance,
        api.cast_rays(bpy.context, origins, directions, min_distance=each)["distance"],
    )


def test_a_batch_takes_any_shape_that_fits_and_misses_where_it_is_no_distance(api, floors):
    rays = np.broadcast_to(DOWN[0], (2, 3, 3)), DOWN[1]
    hits = api.cast_rays(bpy.context, *rays, min_distance=[1.5, 2.0, 2.5])
    assert hits["point"][..., 2].tolist() == [[2.0, 2.0, 1.0]] * 2
    hits = api.cast_rays(bpy.context, *rays, min_distance=[[1.0], [6.5]])
    assert hits["distance"].tolist() == [[1.0] * 3, [7.0] * 3]
    hits = api.cast_rays(bpy.context, *rays, min_distance=[np.nan, -1.0, inf])
    assert not hits.hit.any()
    for wrong, message in (
        ([1, 2], "min_distance must be a number or fit the shape"),
        (-1, "min_distance must be 0 or more"),
        (np.nan, "min_distance must be 0 or more"),
        ("near", "min_distance must"),
    ):
        for ask in (api.cast_rays, api.cast_rays_all, api.any_hit, api.count_hits):
            with pytest.raises(api.RaypickError, match=message):
                ask(bpy.context, *rays, min_distance=wrong)
    for wrong in (-1, np.nan, [1, 2], "near"):
        with pytest.raises(api.RaypickError, match="min_distance must"):
            api.ray_cast(bpy.context, *DOWN, min_distance=wrong)
        with pytest.raises(api.RaypickError, match="min_distance must"):
            api.survey(bpy.context, wide(), min_distance=wrong)


def wide(kind="PERSP"):
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    camera.data.type, camera.data.ortho_scale = kind, 3.0
    camera.location = (0.4, 0.6, 4.0)
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y = 24, 16
    bpy.context.view_layer.update()
    return camera


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip", [False, True])
def test_a_survey_sees_the_first_of_all_hits_that_are_far_enough(api, floors, kind, clip):
    camera = wide(kind)
    camera.data.clip_start, camera.data.clip_end = 1.5, 6.0
    head = suzanne()
    head.scale = (1, 1, 3)
    origins, directions = api.render_camera(bpy.context, camera).rays(
        *np.meshgrid(np.arange(24) + 0.5, np.arange(16) + 0.5)
    )
    every = api.cast_rays_all(bpy.context, origins, directions)
    plain = api.survey(bpy.context, camera, clip=clip)
    depths = api.survey(bpy.context, camera, clip=clip, columns=["depth"])["depth"]
    assert depths[plain.hit].min() >= (1.5 if clip else 0.0)
    for least in (0, 2.0, 3.25):
        found = api.survey(
            bpy.context, camera, clip=clip, min_distance=least, columns=["depth", "distance"]
        )
        away = every["distance"]
        depth = camera.location.z - every["point"][:, 2]
        counts = away >= least
        if clip:
            counts &= (depth >= 1.5) & (depth <= 6.0)
        expected = np.full(24 * 16, inf)
        np.minimum.at(expected, every["ray"][counts], away[counts])
        assert np.array_equal(found["distance"].ravel(), expected)
    assert np.isfinite(expected).sum() > 50


VIEW = region()


def pick(api, view, position, **options):
    return api.pick(bpy.context, VIEW, view, position, **options)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_picks_leave_out_what_is_nearer(api, floors, kind, rng):
    view, count = looking_down(kind), 0
    for position in rng.uniform((280, 150), (460, 330), (15, 2)):
        for clip in (True, False):
            every = pick(api, view, position, all_hits=True, clip=clip)
            for least in (0.0, 5.5, 8.0):
                options = {"clip": clip, "min_distance": least}
                rest = [hit for hit in every if hit.distance >= least]
                assert pick(api, view, position, all_hits=True, **options) == rest
                assert pick(api, view, position, **options) == rest[:1]
                count += len(rest)
    assert count > 50


def test_behind_the_start_of_an_orthographic_view_hits_count_without_a_distance_alone(api, floors):
    """Without clipping, such hits have distances below 0."""
    view = looking_down("ORTHO", height=1.5)
    x, y, _ = api.camera(VIEW, view).project((0.5, 0.75, 0.0))
    behind = pick(api, view, (x, y), all_hits=True, clip=False)
    assert heights(behind) == [3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0]
    for least, expected in ((0.0, [1.0, 0.0, -1.0, -2.0, -3.0]), (3.0, [-2.0, -3.0])):
        hits = pick(api, view, (x, y), all_hits=True, clip=False, min_distance=least)
        assert heights(hits) == expected
        assert heights(pick(api, view, (x, y), clip=False, min_distance=least)) == expected[:1]


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip", [False, True])
def test_the_tolerance_takes_nothing_that_is_nearer(raypick, api, kind, clip):
    """It looks past what is nearer, which hides nothing."""
    view = looking_down(kind)
    ribbon("Low", z=0.0)
    bpy.context.view_layer.update()
    position = beside(raypick, view, (0, 0, 0), 2.0)
    (low,) = pick(api, view, position, tolerance=4, clip=clip)
    assert low.object == "Low"
    assert pick(api, view, position, tolerance=4, clip=clip, min_distance=low.distance) == [low]
    beyond = low.distance + 0.5  # than its other places within the tolerance
    assert not pick(api, view, position, tolerance=4, clip=clip, min_distance=beyond)
    wall = square("Wall", 4.0, 8.0)
    wall.location.x = wall.location.y = -4.0
    bpy.context.view_layer.update()
    (hit,) = pick(api, view, position, tolerance=4, clip=clip)
    assert hit.object == "Wall"
    (hit,) = pick(api, view, position, tolerance=4, clip=clip, min_distance=5.0)
    assert hit.point == low.point


def test_the_tolerance_takes_nothing_from_behind_an_orthographic_view(raypick, api):
    view = looking_down("ORTHO", height=1.5)
    ribbon("Behind", z=6.0)
    bpy.context.view_layer.update()
    position = beside(raypick, view, (0, 0, 6.0), 2.0)
    (hit,) = pick(api, view, position, tolerance=4, clip=False)
    assert hit.distance < -4.0
    (hit,) = pick(api, view, position, max_distance=1.0, tolerance=4, clip=False)
    assert hit.distance < -4.0
    for least in (0.0, 1.0, 9.0):
        assert not pick(api, view, position, tolerance=4, clip=False, min_distance=least)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_what_snaps_to_a_nearer_place_is_left_out(raypick, api, kind):
    """As what snaps beyond the greatest distance is."""
    view = looking_down(kind)
    mesh_object("Slope", [(-2, -2, 0), (2, -2, 3), (2, 2, 3), (-2, 2, 0)], [(0, 1, 2, 3)])
    bpy.context.view_layer.update()
    x, y, _ = api.camera(VIEW, view).project((1.9, 1.9, 2.925))
    options = {"snap": "vertex", "snap_radius": 60.0}
    (plain,) = pick(api, view, (x, y))
    (moved,) = pick(api, view, (x, y), **options)
    assert moved.point == (2.0, 2.0, 3.0)
    least = (plain.distance + moved.distance) / 2
    if moved.distance < plain.distance:
        assert not pick(api, view, (x, y), min_distance=least, **options)
        assert pick(api, view, (x, y), min_distance=least) == [plain]
    assert pick(api, view, (x, y), min_distance=moved.distance, **options) == (
        [moved] if moved.distance <= plain.distance else []
    )


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
@pytest.mark.parametrize("clip", [False, True])
def test_a_survey_of_a_viewport_sees_what_picks_hit(api, floors, kind, clip):
    """Behind the start of an orthographic view too, if there is no distance."""
    view, small = looking_down(kind, height=1.5), region(32, 20)
    seen = 0
    for least in (None, 0, 1.0, 2.25):
        options = {"clip": clip, "min_distance": least}
        found = api.survey(bpy.context, region=small, region_data=view, **options)
        for row, column in np.ndindex(20, 32):
            position = column + 0.5, row + 0.5
            hits = api.pick(bpy.context, small, view, position, **options)
            assert found["distance"][row, column] == (hits[0].distance if hits else inf)
            seen += len(hits)
        if kind == "ORTHO" and not clip:
            assert (found["distance"].min() < 0) == (least is None)
    assert seen > 100
