# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known to have changed, and of which depsgraph nothing is known."""

from importlib import import_module
from types import SimpleNamespace

import addon_utils
import bpy
import pytest

from ...conftest import PACKAGE
from ...scenes import height, square


def depsgraph(address):
    return SimpleNamespace(as_pointer=lambda: address)


@pytest.fixture
def changes(raypick):
    changes = import_module(f"{PACKAGE}.bridge.scene.changes").Changes()
    changes.clear()
    return changes


def test_of_the_first_depsgraph_of_a_file_nothing_was_removed(changes):
    assert changes.track(depsgraph(1))
    assert not changes.removed


def test_of_a_depsgraph_that_blender_told_nothing_of_things_may_be_removed(changes):
    changes.track(depsgraph(1))
    changes.evaluated[1] = {7}
    assert not changes.track(depsgraph(2))
    assert changes.removed
    assert not changes.evaluated


def test_a_depsgraph_that_was_picked_from_is_known(changes):
    changes.track(depsgraph(1))
    changes.track(depsgraph(2))
    changes.clear()
    assert changes.track(depsgraph(1))
    assert changes.track(depsgraph(2))
    assert not changes.removed


def test_a_depsgraph_that_no_window_shows_is_not_known_after_a_change(changes):
    changes.track(depsgraph(1))
    changes.drop_undisplayed()
    assert not changes.track(depsgraph(1))
    assert changes.removed


def test_a_pick_in_a_handler_that_stands_before_ours_was_stale(raypick):
    obj = square()
    seen = []

    def pick(*_):
        seen.append((obj.matrix_world.translation.z, height(raypick)))

    bpy.app.handlers.depsgraph_update_post.insert(0, pick)
    try:
        # Enabled again, ours stands first.
        addon_utils.disable(PACKAGE)
        addon_utils.enable(PACKAGE)
        assert height(raypick) == 0.0
        obj.location.z = 2.0
        bpy.context.view_layer.update()
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(pick)
    assert seen[-1] == (2.0, 2.0)


@pytest.mark.parametrize("name", ["depsgraph_update_post", "frame_change_post", "load_post"])
def test_picks_were_stale_after_a_script_had_cleared_the_handlers(raypick, name):
    obj = square()
    assert height(raypick) == 0.0
    getattr(bpy.app.handlers, name).clear()
    obj.location.z = 2.0
    assert height(raypick) == 2.0
    obj.location.z = 3.0
    assert height(raypick) == 3.0
    addon_utils.disable(PACKAGE)
    addon_utils.enable(PACKAGE)


@pytest.mark.parametrize("name", ["depsgraph_update_post", "frame_change_post"])
def test_a_pick_in_a_handler_that_was_put_before_ours_was_stale(raypick, name):
    obj = square()
    obj.keyframe_insert("location", frame=1)
    obj.location.z = 4.0
    obj.keyframe_insert("location", frame=5)
    bpy.context.scene.frame_set(1)
    assert height(raypick) == 0.0
    seen = []

    def pick(*_):
        if len(seen) < 10:
            seen.append((obj.matrix_world.translation.z, height(raypick)))

    handlers = getattr(bpy.app.handlers, name)
    handlers.insert(0, pick)
    try:
        for frame in (5, 1, 5):
            bpy.context.scene.frame_set(frame)
            obj.data.update()
            bpy.context.view_layer.update()
    finally:
        handlers.remove(pick)
    assert seen
    assert all(told == pytest.approx(true) for true, told in seen)
