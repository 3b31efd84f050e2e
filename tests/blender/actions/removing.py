# SPDX-License-Identifier: GPL-3.0-or-later
"""Delete, duplicate, join, separate and exchange objects and their data."""

import bpy

from .common import action, objects, one, operate, place, ranked, select, some, without_shape_keys


@action()
def delete_by_operator(rng):
    select(some(rng, objects()))
    operate(bpy.ops.object.delete, use_global=rng.randrange(2) == 0)


@action()
def remove_object(rng):
    bpy.data.objects.remove(one(rng, objects()))


@action()
def remove_object_data(rng):
    mesh = one(rng, objects("MESH")).data
    bpy.data.meshes.remove(mesh)


@action()
def remove_several(rng):
    bpy.data.batch_remove(some(rng, objects()))


@action()
def purge_orphans(_rng):
    bpy.data.orphans_purge()


@action()
def unlink_object(rng):
    obj = one(rng, objects())
    one(rng, obj.users_collection).objects.unlink(obj)


@action()
def replace_under_the_same_name(rng):
    old = one(rng, objects("MESH"))
    name, data_name = old.name, old.data.name
    bpy.data.meshes.remove(old.data)
    bpy.ops.mesh.primitive_cone_add(vertices=5, location=place(rng))
    new = ranked(bpy.context.object)
    new.name, new.data.name = name, data_name


@action()
def swap_names(rng):
    first, second = one(rng, objects()), one(rng, objects())
    names = first.name, second.name
    first.name = "?"
    second.name, first.name = names


@action()
def duplicate(rng):
    select(some(rng, objects()))
    operate(bpy.ops.object.duplicate, linked=rng.randrange(2) == 0)
    for obj in bpy.context.selected_objects:
        obj.location = place(rng)


@action()
def copy_object(rng):
    obj = one(rng, objects())
    copy = obj.copy()
    if obj.data and rng.randrange(2):
        copy.data = obj.data.copy()
    copy.location = place(rng)
    bpy.context.scene.collection.objects.link(copy)


@action()
def join(rng):
    select(some(rng, without_shape_keys(objects("MESH"))))
    operate(bpy.ops.object.join)


@action()
def separate(rng):
    select([one(rng, without_shape_keys(objects("MESH")))])
    operate(bpy.ops.object.mode_set, mode="EDIT")
    operate(bpy.ops.mesh.separate, type="LOOSE")
    operate(bpy.ops.object.mode_set, mode="OBJECT")


@action()
def convert_to_mesh(rng):
    select([one(rng, objects("CURVE", "FONT", "SURFACE", "META"))])
    operate(bpy.ops.object.convert, target="MESH")
    ranked(bpy.context.object)


@action()
def make_single_user(rng):
    select([one(rng, objects())])
    operate(bpy.ops.object.make_single_user, object=True, obdata=True)


@action()
def link_data(rng):
    to, of = one(rng, objects("MESH")), one(rng, objects("MESH"))
    to.data = of.data


@action()
def make_instances_real(rng):
    makers = [obj for obj in objects() if obj.instance_type != "NONE"]
    select([one(rng, makers)])
    operate(bpy.ops.object.duplicates_make_real)
