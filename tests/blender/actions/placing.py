# SPDX-License-Identifier: GPL-3.0-or-later
"""Move, turn and scale objects, by themselves and by what they follow."""

import bpy
from mathutils import Euler, Matrix

from .common import (
    ANY,
    action,
    below,
    is_shown_by,
    objects,
    one,
    operate,
    place,
    select,
    size,
    some,
    turn,
)


@action(ANY)
def move(rng):
    one(rng, objects()).location = place(rng)


@action(ANY)
def scale(rng):
    one(rng, objects()).scale = size(rng)


@action(ANY)
def rotate(rng):
    obj = one(rng, objects())
    obj.rotation_mode = rng.choice(("XYZ", "ZYX"))
    obj.rotation_euler = turn(rng)


@action(ANY)
def set_matrix(rng):
    matrix = Matrix.LocRotScale(place(rng), Euler(turn(rng)), size(rng))
    one(rng, objects()).matrix_world = matrix


@action()
def translate_by_operator(rng):
    select(some(rng, objects()))
    operate(bpy.ops.transform.translate, value=[x / 4 for x in place(rng)])


@action()
def apply_transforms(rng):
    select([one(rng, objects("MESH", "CURVE", "FONT", "SURFACE"))])
    operate(bpy.ops.object.transform_apply)


@action()
def set_origin(rng):
    select([one(rng, objects("MESH"))])
    operate(bpy.ops.object.origin_set, type=rng.choice(("ORIGIN_GEOMETRY", "GEOMETRY_ORIGIN")))


@action()
def parent(rng):
    obj = one(rng, objects())
    obj.parent = one(rng, [other for other in below(obj) if not is_shown_by(other, obj)])
    if rng.randrange(2):
        obj.matrix_parent_inverse = obj.parent.matrix_world.inverted_safe()


@action()
def parent_to_a_bone(rng):
    obj = one(rng, objects())
    obj.parent = one(rng, below(obj, "ARMATURE"))
    obj.parent_type, obj.parent_bone = "BONE", obj.parent.data.bones[0].name


@action()
def unparent(rng):
    select(some(rng, [obj for obj in objects() if obj.parent]))
    operate(bpy.ops.object.parent_clear, type=rng.choice(("CLEAR", "CLEAR_KEEP_TRANSFORM")))


@action()
def constrain(rng):
    obj = one(rng, objects())
    kind = rng.choice(("COPY_LOCATION", "COPY_ROTATION", "CHILD_OF", "TRACK_TO"))
    obj.constraints.new(kind).target = one(rng, below(obj))


@action()
def change_a_constraint(rng):
    obj = one(rng, [obj for obj in objects() if obj.constraints])
    constraint = one(rng, obj.constraints)
    if rng.randrange(2):
        constraint.influence = rng.random()
    else:
        obj.constraints.remove(constraint)


@action()
def pose(rng):
    armature = one(rng, objects("ARMATURE"))
    one(rng, armature.pose.bones).rotation_euler = turn(rng)


@action()
def bend_a_lattice(rng):
    point = one(rng, one(rng, objects("LATTICE")).data.points)
    point.co_deform = [x / 4 for x in place(rng)]
