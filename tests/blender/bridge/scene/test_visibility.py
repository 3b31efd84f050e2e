# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewport hides is not hit; what counts by the options is what may be hit."""

import bpy
import pytest

from ...scenes import collection_instance, down, square


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
