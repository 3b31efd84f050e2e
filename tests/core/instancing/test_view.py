# SPDX-License-Identifier: GPL-3.0-or-later
"""Rays from one origin find in a view what they find in waves and alone, to the last bit."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import concurrency
from standalone_core.instancing import many_rays, picture, view

from .. import meshes
from ..questions import assert_same_bits, assert_same_hits, built

WIDTH, HEIGHT = 30, 20


@pytest.fixture(autouse=True)
def views(monkeypatch):
    """How many rays each view leaves to the waves, for the views that batches of any size make."""
    made, cast = [], view.View.cast_nearest

    def spy(self):
        hits, left = cast(self)
        made.append(len(left))
        return hits, left

    monkeypatch.setattr(view, "_FEWEST", 1)
    monkeypatch.setattr(view, "_INSTANCE", -10_000)  # makes up for the triangles
    monkeypatch.setattr(picture, "_BAND", 64)
    monkeypatch.setattr(view.View, "cast_nearest", spy)
    return made


def through_pixels(rotation, zoom=1.0, shift=(0.0, 0.0)):
    """Directions (R, 3) of a camera that looks along -z of a rotation (3, 3)."""
    x, y = np.meshgrid(np.linspace(-1, 1, WIDTH) + shift[0], np.linspace(-1, 1, HEIGHT) + shift[1])
    return np.stack([x, y, np.full_like(x, -zoom)], axis=-1).reshape(-1, 3) @ rotation.T


def looking_along(rng, ahead):
    """A rotation (3, 3), or a mirrored one, whose -z is along a vector."""
    frame, _ = np.linalg.qr(np.column_stack([ahead, rng.normal(size=(3, 2))]))
    return np.column_stack([frame[:, 1], frame[:, 2], -ahead / np.linalg.norm(ahead)])


def assert_same_as_in_waves(scene, origin, directions, views, **options):
    """The hits of a view, which are those of a batch with another origin and of rays alone."""
    hits = scene.cast_rays(origin, directions, **options)
    assert views
    after = len(views)
    origins = np.repeat([origin], len(directions) + 1, axis=0)
    origins[-1] = origins[-1] * 1.5 + 1e-30
    several = {}
    for name, value in options.items():
        several[name] = np.append(value, 1.0) if isinstance(value, np.ndarray) else value
    others = scene.cast_rays(origins, np.append(directions, [[1, 1, 1]], axis=0), **several)
    assert len(views) == after
    assert_same_bits(hits, others.take(slice(len(hits))))
    for row in range(0, len(hits), 37):
        if np.isfinite(directions[row]).all():
            own = {k: v[row] if isinstance(v, np.ndarray) else v for k, v in options.items()}
            alone = scene.ray_cast(origin, directions[row], **own)
            assert_same_hits([hits[row]], [alone])
    return hits


FLAT, TOO_FLAT = 1e-4, 1e-9
"""Scales along one axis: a view sees the first, and leaves the other to the waves."""


def linear_part(rng, flat):
    rotation = meshes.rotation(rng)
    parts = (
        rotation,
        rotation @ np.diag([1, 1, -2]),
        rng.normal(size=(3, 3)),
        rotation @ np.diag([1, 1, flat]),
        rotation * 10.0 ** rng.uniform(-3, 2),
    )
    return parts[rng.integers(len(parts))]


def random_scene(rng, scale=1.0, offset=0.0, flat=FLAT):
    several = [meshes.icosphere(1), meshes.torus(9, 7), meshes.soup(rng, 12), meshes.cube()]
    several = [built(*mesh, engine="numpy") for mesh in several]
    scene = sc.Scene()
    for _ in range(12):
        place = rng.normal(size=3) * rng.choice([1, 3, 30]) + offset
        mesh = several[rng.integers(len(several))]
        scene.add(mesh, meshes.placement(linear_part(rng, flat) * scale, place * scale))
    return scene


@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e30])
@pytest.mark.parametrize("cull", [None, "back", "front"])
@pytest.mark.parametrize(
    ("offset", "flat"), [(0.0, FLAT), (1e5, FLAT), (0.0, TOO_FLAT)], ids=["near", "far", "flat"]
)
def test_random_scenes_from_among_their_triangles(rng, views, scale, cull, offset, flat):
    found = 0
    for zoom in (1, 1, 2, 8):
        scene = random_scene(rng, scale, offset, flat)
        origin = (rng.normal(size=3) * rng.choice([0.1, 5]) + offset) * scale
        ahead = (scene[0].matrix[:3, 3] - origin) / scale
        directions = through_pixels(looking_along(rng, ahead), zoom, rng.normal(size=2) / 4)
        count = len(directions)
        limits = {
            "cull": cull,
            "max_distance": np.where(
                rng.random(count) < 0.5, np.inf, rng.random(count) * 9 * scale
            ),
            "min_distance": np.where(rng.random(count) < 0.5, 0.0, rng.random(count) * scale),
        }
        found += assert_same_as_in_waves(scene, origin, directions, views, **limits).hit.sum()
    assert found > 0
    if flat == FLAT:
        assert views.count(0) > 1  # a random matrix may be too flat, too


@pytest.mark.parametrize("turned", [False, True])
def test_rays_through_edges_and_vertices_of_coincident_instances(rng, views, turned):
    mesh, scene = built(*meshes.grid(8), engine="numpy"), sc.Scene()
    turn = meshes.rotation(rng) if turned else np.eye(3)
    for offset in ((0, 0, 0), (0, 0, 0), (1, 0, 0), (0, 1, 0), (-1, -1, -1)):
        scene.add(mesh, meshes.placement(turn, turn @ offset))
    steps = np.arange(-16, 17) / 8
    targets = np.stack(np.meshgrid(steps, steps, [0.0]), axis=-1).reshape(-1, 3)
    for origin in ((0, 0, 1), (0.5, 0.25, 4), (0.375, 8, 0.125)):
        directions = (targets - origin) @ turn.T
        hits = assert_same_as_in_waves(scene, turn @ origin, directions, views)
        assert hits.hit.sum() > 150
        assert views[-1] == 0
        assert turned or set(hits.instance[hits.hit].tolist()) >= {0, 2, 3}


def test_triangles_that_reach_from_behind_the_camera_far_ahead(rng, views):
    scene = sc.Scene()
    for _ in range(8):
        corners = rng.normal(size=(3, 3)) * 10.0 ** rng.integers(0, 6, (3, 1))
        scene.add(built(corners, [[0, 1, 2]], engine="numpy"))
    hits = assert_same_as_in_waves(scene, np.zeros(3), through_pixels(np.eye(3)), views)
    assert hits.hit.any()
    assert views == [0]


def test_what_has_no_tree_yet_and_what_is_excluded(rng, views):
    scene = random_scene(rng)
    unbuilt = sc.Mesh(*meshes.icosphere(2), engine="numpy")
    for offset in ((0, 0, 0), (2, 1, 0)):
        scene.add(unbuilt, meshes.placement(offset=offset))
    origin, directions = np.array([0, 0, 6.0]), through_pixels(np.eye(3))
    directions[5] = np.nan
    for options in ({"exclude": [0, 3]}, {"only": [2, 12]}, {}):
        hits = assert_same_as_in_waves(scene, origin, directions, views, **options)
        assert np.flatnonzero(hits.invalid).tolist() == [5]
    assert views[0] > 0 == views[-1]


def test_rays_whose_cells_hold_too_many_triangles_are_left(rng, views, monkeypatch):
    monkeypatch.setattr(view, "_MOST_PAIRS", 50)
    assert_same_as_in_waves(random_scene(rng), np.zeros(3), through_pixels(np.eye(3)), views)
    assert views[0] > 50


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_batch_is_seen_in_several_views_and_by_several_threads(
    rng, views, monkeypatch, threads
):
    scene, rays = random_scene(rng), (np.array([0, 0, 9.0]), through_pixels(np.eye(3)))
    whole = assert_same_as_in_waves(scene, *rays, views)
    monkeypatch.setattr(many_rays, "_VIEW", 250)
    monkeypatch.setattr(concurrency.threads, "_WORTH_IT", 1)
    views.clear()
    assert_same_bits(scene.cast_rays(*rays, threads=threads), whole)
    assert views == [0, 0, 0]


def test_a_view_is_made_only_where_it_pays(views, monkeypatch):
    scene, directions = sc.Scene(), through_pixels(np.eye(3))
    mesh = built(*meshes.torus(9, 7), engine="numpy")
    for x in range(-3, 4):
        scene.add(mesh, meshes.placement(offset=(x, 0, -5)))
    scene.cast_rays(np.zeros(3), directions)
    assert views == [0]
    views.clear()
    scene.cast_rays(np.zeros(3), np.concatenate([directions, -directions]))
    scene.cast_rays(directions, -directions)
    for instance in (0, 1000):  # more triangles, or instances, in the picture than are worth it
        monkeypatch.setattr(view, "_INSTANCE", instance)
        scene.cast_rays(np.zeros(3), directions)
    monkeypatch.setattr(view, "_FEWEST", len(directions) + 1)
    monkeypatch.setattr(view, "_INSTANCE", -10_000)
    scene.cast_rays(np.zeros(3), directions)
    assert views == []
