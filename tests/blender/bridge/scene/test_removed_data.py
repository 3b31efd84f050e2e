# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that is removed between picks is missed by the next one, which never crashes."""

import bpy
import pytest

from ...actions.common import window
from ...scenes import collection_instance, down, instance_on_points, mesh_object, square


def in_a_library(tmp_path):
    """A file with a square in a collection, linked into this one."""
    path = tmp_path / "library.blend"
    obj = square("Linked")
    collection = bpy.data.collections.new("Linked Collection")
    collection.objects.link(obj)
    bpy.data.libraries.write(str(path), {collection})
    bpy.data.objects.remove(obj)
    bpy.data.collections.remove(collection)
    bpy.data.meshes.remove(bpy.data.meshes["Linked"])
    with bpy.data.libraries.load(str(path), link=True) as (_, linked):
        linked.collections = ["Linked Collection"]
    return bpy.data.collections["Linked Collection"]


def test_a_library_that_is_removed(raypick, tmp_path):
    collection = in_a_library(tmp_path)
    bpy.context.scene.collection.children.link(collection)
    assert down(raypick, 0.25, 0.5)[0].object == "Linked"
    bpy.data.libraries.remove(bpy.data.libraries[0])
    assert down(raypick, 0.25, 0.5) == []


def test_a_library_that_is_removed_from_under_an_instance(raypick, tmp_path):
    empty = bpy.data.objects.new("Instancer", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.instance_type = "COLLECTION"
    empty.instance_collection = in_a_library(tmp_path)
    assert down(raypick, 0.25, 0.5)[0].instancer == "Instancer"
    bpy.data.libraries.remove(bpy.data.libraries[0])
    assert down(raypick, 0.25, 0.5) == []


@pytest.mark.parametrize("remove", ["object", "mesh", "node group", "collection", "scene"])
def test_data_that_is_removed_between_picks(raypick, remove):
    source = square("Tile")
    carrier = mesh_object("Carrier", [(5, 0, 0)], [])
    instance_on_points(carrier, source)
    inside = collection_instance(square("Inside", z=-1.0), (10, 0, 0))
    for x in (0.25, 5.25, 10.25):
        assert down(raypick, x, 0.5)
    if remove == "object":
        bpy.data.objects.remove(source)
        expected = [0, 0, 1]
    elif remove == "mesh":
        bpy.data.meshes.remove(source.data)
        expected = [0, 0, 1]
    elif remove == "node group":
        bpy.data.node_groups.remove(carrier.modifiers[0].node_group)
        expected = [1, 0, 1]
    elif remove == "collection":
        bpy.data.collections.remove(inside.instance_collection)
        expected = [1, 1, 0]
    else:
        scene = bpy.context.scene
        window().scene = bpy.data.scenes.new("Other")
        bpy.data.scenes.remove(scene)
        expected = [0, 0, 0]
    for _ in range(2):
        assert [len(down(raypick, x, 0.5)) for x in (0.25, 5.25, 10.25)] == expected
