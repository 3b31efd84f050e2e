# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is read from Blender or built before a ray needs it, and nothing is kept in vain."""

from importlib import import_module

import addon_utils
import bpy
import pytest

from ...conftest import PACKAGE
from ...scenes import down, height, square, suzanne


@pytest.fixture
def reads(raypick, monkeypatch):
    """The meshes whose faces are read from Blender, by name."""
    geometry = import_module(f"{raypick.__name__}.bridge.mesh.arrays")
    names = []
    original = geometry.faces
    monkeypatch.setattr(geometry, "faces", lambda mesh: names.append(mesh.name) or original(mesh))
    return names


def test_what_is_unchanged_is_not_read_again(raypick, reads):
    obj = square()
    for x in (0.1, 0.2, 0.3):
        height(raypick, x)
    obj.location.z = 2.0
    assert height(raypick) == 2.0
    obj.select_set(True)
    assert height(raypick) == 2.0
    assert reads == ["Square"]


def test_of_a_thousand_objects_only_the_one_that_changes_is_read_again(raypick, reads):
    objects = [square(f"At {z}", -z) for z in range(1000)]
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 1000
    assert len(reads) == 1000
    reads.clear()
    objects[500].data.vertices[0].co.z = -499.5
    objects[500].data.update()
    objects[7].location.z = 3.0
    assert len(down(raypick, 0.25, 0.5, all_hits=True)) == 1000
    assert reads == ["At 500"]


def test_only_what_a_ray_can_meet_is_read(raypick, reads):
    square("Near")
    square("Behind", z=-1.0)
    aside = square("Aside")
    aside.location.x = 5.0
    assert down(raypick, 0.25, 0.5)[0].object == "Near"
    assert reads == ["Near"]


def test_enabling_and_loading_read_nothing(raypick, reads, tmp_path):
    square()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    addon_utils.disable(PACKAGE)
    addon_utils.enable(PACKAGE)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.context.view_layer.update()
    assert reads == []


def test_threads_end_and_memory_is_given_back_as_soon_as_they_are_in_vain(raypick):
    snapshot = import_module(f"{PACKAGE}.bridge.scene.snapshot")
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=300, y_subdivisions=300)
    obj = bpy.context.object
    for _ in range(2):
        assert down(raypick, 0.123, 0.234)
    thread = snapshot._meshes()[0].polygons._thread
    obj.data.update()
    bpy.context.view_layer.update()
    assert thread._cancelled
    assert raypick.api.indexing() is None
    assert snapshot.memory().bytes > 0
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert snapshot.memory().bytes == 0


def test_07_the_first_pick_builds_no_tree(raypick):
    obj = suzanne(levels=3)
    assert down(raypick, 0.1, 0.2)
    (mesh,) = import_module(f"{PACKAGE}.bridge.scene.snapshot")._meshes()
    assert len(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.polygons) > 30000
    assert not mesh.polygons.built
