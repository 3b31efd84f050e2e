# SPDX-License-Identifier: GPL-3.0-or-later
"""Hide and show objects and collections, and isolate some."""

import bpy

from .common import ANY, action, objects, one, operate, select, some


def layer_collections():
    """The view layer's collections, but for the scene's own."""
    found = []

    def visit(layer):
        for child in layer.children:
            found.append(child)
            visit(child)

    visit(bpy.context.view_layer.layer_collection)
    return sorted(found, key=lambda layer: layer.name)


@action(ANY)
def hide_or_show(rng):
    obj = one(rng, objects())
    obj.hide_set(not obj.hide_get())


@action(ANY)
def disable_or_enable(rng):
    obj = one(rng, objects())
    obj.hide_viewport = not obj.hide_viewport


@action(ANY)
def select_some(rng):
    for obj in some(rng, objects()):
        obj.select_set(not obj.select_get())


@action(ANY)
def hide_one_and_show_another(rng):
    for obj in some(rng, objects(), 2):
        obj.hide_set(not obj.hide_get())
        obj.location = objects()[0].location


@action()
def isolate(rng):
    select(some(rng, objects()))
    operate(bpy.ops.object.hide_view_set, unselected=rng.randrange(3) > 0)


@action()
def show_all(_rng):
    operate(bpy.ops.object.hide_view_clear)
    for obj in objects():
        obj.hide_viewport = False
    for layer in layer_collections():
        layer.exclude = layer.hide_viewport = layer.collection.hide_viewport = False


@action()
def move_to_a_collection(rng):
    collection = bpy.data.collections.new("Group")
    above = [bpy.context.scene.collection, *(layer.collection for layer in layer_collections())]
    rng.choice(above).children.link(collection)
    for obj in some(rng, objects()):
        for user in list(obj.users_collection):
            user.objects.unlink(obj)
        collection.objects.link(obj)


@action()
def exclude_or_include(rng):
    layer = one(rng, layer_collections())
    layer.exclude = not layer.exclude


@action(ANY)
def hide_or_show_a_collection(rng):
    layer = one(rng, layer_collections())
    owner = rng.choice((layer, layer.collection))
    owner.hide_viewport = not owner.hide_viewport


@action()
def isolate_a_collection(rng):
    chosen = one(rng, layer_collections())
    for layer in layer_collections():
        layer.hide_viewport = layer != chosen


@action()
def remove_a_collection(rng):
    bpy.data.collections.remove(one(rng, layer_collections()).collection)


@action(ANY)
def change_an_instancer(rng):
    makers = [obj for obj in objects() if obj.instance_type != "NONE"]
    obj = one(rng, makers)
    obj.show_instancer_for_viewport = not obj.show_instancer_for_viewport


@action()
def change_an_instanced_collection(rng):
    maker = one(rng, [obj for obj in objects() if obj.instance_collection])
    member = one(rng, maker.instance_collection.objects)
    if rng.randrange(2):
        member.hide_viewport = not member.hide_viewport
    else:
        maker.instance_collection.objects.unlink(member)


@action(ANY)
def display_otherwise(rng):
    one(rng, objects()).display_type = rng.choice(("BOUNDS", "WIRE", "TEXTURED"))
