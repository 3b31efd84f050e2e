# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects only move or are selected, the list of meshes is kept; else it is read anew."""

from importlib import import_module

import bpy
import pytest

from ...conftest import PACKAGE
from ...scenes import collection_instance, down, height, link, square


@pytest.fixture
def lists(raypick, monkeypatch):
    """An entry for each list that is read."""
    instances = import_module(f"{PACKAGE}.bridge.scene.instances")
    read, original = [], instances.listing
    monkeypatch.setattr(instances, "listing", lambda *a: read.append(1) or original(*a))
    return read


def child(obj):
    obj.parent = link(bpy.data.objects.new("Parent", None))
    return obj.parent


def copied(obj):
    target = link(bpy.data.objects.new("Target", None))
    obj.constraints.new("COPY_LOCATION").target = target
    return target


@pytest.mark.parametrize("by", [lambda obj: obj, child, copied], ids=["self", "parent", "target"])
def test_a_move_is_seen_with_the_list_as_it_was(raypick, lists, by):
    obj, other = square(), square("Other", -1.0)
    mover = by(obj)
    assert height(raypick) == 0.0
    lists.clear()
    for z in (2.0, -3.0, 1.0):
        mover.location.z = z
        other.select_set(z > 0.0)
        assert height(raypick) == max(z, -1.0)
    assert not lists


def test_a_selection_keeps_the_list_and_hiding_does_not(raypick, lists):
    low, high = square("Low"), square("High")
    high.hide_set(True)
    assert down(raypick, 0.25, 0.5)[0].object == "Low"
    lists.clear()
    low.select_set(True)
    assert down(raypick, 0.25, 0.5)[0].object == "Low"
    assert not lists
    low.hide_set(True)
    high.hide_set(False)
    assert down(raypick, 0.25, 0.5)[0].object == "High"
    assert lists


@pytest.mark.parametrize("z", [2.0, -2.0])
def test_what_is_flat_or_becomes_flat_is_moved_too(raypick, z):
    obj = square()
    assert height(raypick) == 0.0
    for scale in (0.0, 1.0, 0.0):
        obj.location.z, obj.scale.z = z, scale
        assert height(raypick) == z
        obj.location.z = 2 * z
        assert height(raypick) == 2 * z


def test_an_instancer_and_what_it_shows_move(raypick):
    tile = square("Tile")
    empty = collection_instance(tile, (5, 0, 0))
    assert height(raypick, 5.25) == 0.0
    empty.location.z = 1.0
    assert height(raypick, 5.25) == 1.0
    tile.location.z = 1.0
    assert height(raypick, 5.25) == 2.0


def test_what_is_displayed_otherwise_is_not_solid(raypick):
    obj = square()
    assert down(raypick, 0.25, 0.5, solid_only=True)
    obj.display_type = "WIRE"
    assert not down(raypick, 0.25, 0.5, solid_only=True)
    assert down(raypick, 0.25, 0.5)


def test_a_hidden_object_was_hit_where_a_driver_had_hidden_it(raypick):
    obj, other = square(), square("Other", -1.0)
    driver = obj.driver_add("hide_viewport").driver
    driver.type = "SUM"
    target = driver.variables.new().targets[0]
    target.id, target.data_path = other, "location.x"
    assert height(raypick) == 0.0
    other.location.x = 0.5
    bpy.context.view_layer.update()
    other.location.x = 1.0
    assert height(raypick, 1.25) is not None
    assert height(raypick) is None


@pytest.mark.parametrize("picks", [False, True])
def test_what_another_handler_moves_unreported_is_seen(raypick, picks):
    obj, other = square(), square("Other", -1.0)
    assert height(raypick) == 0.0
    done = []

    def handler(*_):
        if not done:
            done.append(1)
            if picks:
                height(raypick)
            obj.location.z = 3.0

    bpy.app.handlers.depsgraph_update_post.append(handler)
    try:
        other.location.x = 6.0
        bpy.context.view_layer.update()
        assert height(raypick) == 3.0
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(handler)


def test_a_list_that_is_not_valid_keeps_no_moves(raypick):
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    state, obj = snapshot._State(), square()
    state.note({obj.as_pointer(): obj})
    assert state.is_behind
    state.note(None)
    assert not state.is_behind
    assert not state.moved
