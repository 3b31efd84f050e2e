# SPDX-License-Identifier: GPL-3.0-or-later
"""The landmark under the mouse, which a click of the landmark tool selects."""

from dataclasses import replace
from importlib import import_module

import bpy
import pytest

from ..bridge.view.test_cameras import HEIGHT, WIDTH, perspective, region, seen_by
from ..scenes import square

MIDDLE = (WIDTH // 2, HEIGHT // 2)


@pytest.fixture
def hover(raypick):
    return import_module(f"{raypick.__name__}.session.hover")


@pytest.fixture
def storage(raypick):
    return import_module(f"{raypick.__name__}.bridge.landmarks.storage")


@pytest.fixture
def under(hover):
    """The landmark under a pixel of a view from above, which shows (0, 0) in its middle."""
    camera = perspective()
    camera.location, camera.rotation_euler = (0.0, 0.0, 9.0), (0, 0, 0)
    view = seen_by(camera)

    def look(pixel=MIDDLE):
        return hover.landmark_under(bpy.context, hover.Spot(None, region(), view, pixel))

    return look


def plane(z=0.0):
    made = square(size=2.0)
    made.location = (-1.0, -1.0, z)
    bpy.context.view_layer.update()
    return made


def mark(api, obj, places, names=None):
    """Landmarks in the first triangle of a plane, at places (N, 2) of the world."""
    hits = [
        api.ray_cast(bpy.context, (x, y, obj.location.z + 0.1), (0, 0, -1))[0] for x, y in places
    ]
    return api.landmarks.add_many(bpy.context, hits, names)


def test_it_is_the_one_at_the_mouse_with_its_place(raypick, under):
    assert under() is None
    obj = plane()
    assert under() is None
    mark(raypick.api, obj, [(0.0, 0.0), (0.5, 0.5)], ["nasion", "pronasale"])
    found = under()
    assert (found.object, found.landmark.name) == (obj, "nasion")
    assert found.point == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)
    assert under((MIDDLE[0] + 6, MIDDLE[1])).landmark.name == "nasion"
    assert under((MIDDLE[0] + 12, MIDDLE[1])) is None


def test_the_foremost_counts_and_what_a_surface_hides_does_not(raypick, under):
    low, high = plane(), plane(1.0)
    mark(raypick.api, low, [(0.0, 0.0)], ["low"])
    assert under() is None
    mark(raypick.api, high, [(0.0, 0.0)], ["high"])
    assert (under().object, under().landmark.name) == (high, "high")
    high.hide_set(True)
    bpy.context.view_layer.update()
    assert (under().object, under().landmark.name) == (low, "low")


@pytest.mark.parametrize("how", ["hidden", "locked"])
@pytest.mark.parametrize("is_set", [True, False])
def test_hidden_and_locked_ones_are_passed_over(raypick, under, storage, how, is_set):
    obj = plane()
    mark(raypick.api, obj, [(0.0, 0.0), (0.0, 0.001)], ["A", "B"])
    document = storage.read(obj)
    (group,) = document.sets
    first = replace(group.landmarks[0], **({} if is_set else {how: True}))
    group = replace(
        group, landmarks=(first, *group.landmarks[1:]), **({how: True} if is_set else {})
    )
    storage.write(obj, document.with_set(group))
    found = under()
    assert found is None if is_set else found.landmark.name == "B"


def test_of_thousands_on_many_objects_the_one_at_the_mouse_is_found(raypick, under, rng):
    for number in range(5):
        places = [*rng.uniform(0.1, 0.9, (999, 2)).tolist(), (0.0, 0.0)]
        names = [f"{number} {row}" for row in range(1000)]
        mark(raypick.api, plane(-0.01 * number), places, names)
    assert under().landmark.name == "0 999"
    beside = (MIDDLE[0], MIDDLE[1] - 20)
    assert under(beside) is None


def test_a_crowd_behind_a_surface_takes_no_more_than_a_few_rays(raypick, hover, under, monkeypatch):
    low = plane()
    mark(raypick.api, low, [(0.0, 0.0)] * 50)
    plane(1.0)
    rays, hits = [], hover.query.hits
    monkeypatch.setattr(hover.query, "hits", lambda *given: rays.append(1) or hits(*given))
    assert under() is None
    assert 0 < len(rays) < 10
