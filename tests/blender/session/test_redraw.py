# SPDX-License-Identifier: GPL-3.0-or-later
"""The timer of the progress bar ends with the indexing; what waits for rest is looked at once."""

from importlib import import_module

import bpy
import numpy as np

from ..conftest import PACKAGE
from ..scenes import down, height, mesh_object


def test_the_timer_of_the_progress_ran_for_ever_after_a_change(raypick):
    """With an n-gon the index waits for the main thread, which must not touch what is stale."""
    progress = import_module(f"{PACKAGE}.session.redraw")
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=200, y_subdivisions=200)
    obj = bpy.context.object
    ring = [(3 + np.cos(a), np.sin(a), 0) for a in range(6)]
    other = mesh_object("Ring", ring, [tuple(range(6))])
    obj.select_set(True)
    other.select_set(True)
    bpy.ops.object.join()
    for _ in range(2):
        assert down(raypick, 0.123, 0.234)
    polygons = snapshot._meshes()[0].polygons
    polygons._thread.wait(60)
    assert polygons.progress is not None
    obj.location.z = 1.0
    bpy.context.view_layer.update()
    assert progress._tick() is None
    assert height(raypick, 0.123, 0.234) == 1.0
    assert raypick.api.indexing() is not None
    polygons._thread.wait(60)
    assert polygons.built
    assert raypick.api.indexing() is None


def test_what_waits_for_the_scene_to_rest_is_looked_at_once(raypick):
    redraw = import_module(f"{PACKAGE}.session.redraw")
    looks = []

    def look(context):
        looks.append(context.window)

    for _ in range(3):
        redraw.look_at_rest(look)
    assert bpy.app.timers.is_registered(redraw._look)
    for _ in range(2):
        redraw._look()
    assert looks == [*bpy.context.window_manager.windows]
    redraw.stop_timer(redraw._look)
