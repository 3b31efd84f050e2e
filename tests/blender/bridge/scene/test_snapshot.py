# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is read from Blender or built before a ray needs it, and nothing is kept in vain.

What a viewport hides is not hit; what counts by the options is what may be hit.
"""

from importlib import import_module

import addon_utils
import bpy
import pytest

from ...conftest import PACKAGE
from ...scenes import collection_instance, down, height, square, suzanne


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


def test_02_hidden_is_not_hit_and_display_and_selectability_have_a_rule(raypick):
    obj = square()
    collection = bpy.data.collections.new("Collection")
    bpy.context.scene.collection.children.link(collection)
    hidden = square("Hidden", z=1.0)
    bpy.context.scene.collection.objects.unlink(hidden)
    collection.objects.link(hidden)
    assert down(raypick, 0.25, 0.5)[0].object == "Hidden"
    bpy.context.view_layer.layer_collection.children["Collection"].hide_viewport = True
    assert down(raypick, 0.25, 0.5)[0].object == "Square"
    obj.hide_render = True
    obj.hide_select = True
    assert down(raypick, 0.25, 0.5)
    assert not down(raypick, 0.25, 0.5, selectable_only=True)
    obj.hide_select = False
    for display, hits in (("WIRE", 0), ("BOUNDS", 0), ("SOLID", 1), ("TEXTURED", 1)):
        obj.display_type = display
        assert len(down(raypick, 0.25, 0.5)) == 1
        assert len(down(raypick, 0.25, 0.5, solid_only=True)) == hits


def test_02_instances_are_as_selectable_as_what_makes_them(raypick):
    source = square("Tile")
    empty = collection_instance(source, (5, 0, 0))
    source.hide_select = True
    assert down(raypick, 5.25, 0.5, selectable_only=True)
    empty.hide_select = True
    assert not down(raypick, 5.25, 0.5, selectable_only=True)


def test_02_instances_are_as_solid_as_their_object_and_as_what_makes_them(raypick):
    source = square("Tile")
    empty = collection_instance(source, (5, 0, 0))
    for obj in (source, empty):
        for display, hits in (("WIRE", 0), ("BOUNDS", 0), ("SOLID", 1), ("TEXTURED", 1)):
            obj.display_type = display
            assert len(down(raypick, 5.25, 0.5)) == 1
            assert len(down(raypick, 5.25, 0.5, solid_only=True)) == hits


def test_02_a_collection_can_make_its_objects_unselectable(raypick):
    collection = bpy.data.collections.new("Collection")
    bpy.context.scene.collection.children.link(collection)
    obj = square()
    bpy.context.scene.collection.objects.unlink(obj)
    collection.objects.link(obj)
    assert down(raypick, 0.25, 0.5, selectable_only=True)
    collection.hide_select = True
    assert not down(raypick, 0.25, 0.5, selectable_only=True)


def test_what_is_selectable_in_another_view_layer_is_what_its_window_would_select(raypick, rng):
    """Blender tells it of the window's alone, and so the wrong object was hit, or none."""
    scene, window = bpy.context.scene, bpy.context.window
    around = [scene.collection]
    for i in range(6):
        around.append(bpy.data.collections.new(f"Collection {i}"))
        around[int(rng.integers(i + 1))].children.link(around[-1])
    made = [square(f"Square {i}", -float(i)) for i in range(8)]
    for obj in made:
        scene.collection.objects.unlink(obj)
        for each in rng.choice(len(around), int(rng.integers(1, 3)), replace=False):
            around[each].objects.link(obj)
    first, second = window.view_layer, scene.view_layers.new("Second")
    seen = set()
    for _ in range(40):
        for each in (*around[1:], *made):
            each.hide_select, each.hide_viewport = (rng.random(2) < 0.15).tolist()
        layers = [*second.layer_collection.children]
        for layer in layers:
            layers += layer.children
            layer.exclude = bool(rng.random() < 0.15)
            layer.hide_viewport = bool(rng.random() < 0.15)
        window.view_layer = second
        expected = down(raypick, 0.25, 0.5, all_hits=True, selectable_only=True)
        window.view_layer = first
        with bpy.context.temp_override(view_layer=second):
            found = down(raypick, 0.25, 0.5, all_hits=True, selectable_only=True)
        assert [hit.object for hit in found] == [hit.object for hit in expected]
        seen.update(hit.object for hit in found)
    assert len(seen) > 4


def test_what_is_selectable_where_there_is_no_window(raypick):
    square("Locked").hide_select = True
    square("Low", -1.0)
    with bpy.context.temp_override(window=None):
        assert down(raypick, 0.25, 0.5, selectable_only=True)[0].object == "Low"


@pytest.mark.parametrize(
    "hide",
    [
        lambda obj: obj.hide_set(True),
        lambda obj: setattr(obj, "hide_viewport", True),
        lambda obj: setattr(obj.users_collection[0], "hide_viewport", True),
        lambda obj: setattr(
            bpy.context.view_layer.layer_collection.children[0], "hide_viewport", True
        ),
        lambda obj: setattr(bpy.context.view_layer.layer_collection.children[0], "exclude", True),
    ],
    ids=["hide_set", "hide_viewport", "hidden collection", "hidden layer", "excluded layer"],
)
def test_what_is_hidden_is_not_hit(raypick, hide):
    obj = square()
    collection = bpy.data.collections.new("Group")
    bpy.context.scene.collection.children.link(collection)
    bpy.context.scene.collection.objects.unlink(obj)
    collection.objects.link(obj)
    assert down(raypick, 0.25, 0.5)
    hide(obj)
    assert not down(raypick, 0.25, 0.5)


def test_what_is_visible_is_hit_whether_selectable_rendered_or_drawn_as_wire(raypick):
    obj = square()
    obj.hide_select = True
    obj.hide_render = True
    obj.display_type = "WIRE"
    assert down(raypick, 0.25, 0.5)
