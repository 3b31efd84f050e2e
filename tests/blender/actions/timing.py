# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes, drivers, and frames that go by."""

import bpy

from .common import ANY, action, below, objects, one, place, turn


@action(ANY)
def keyframe_a_transform(rng):
    obj = one(rng, objects())
    for frame in (1, 6):
        obj.location, obj.rotation_euler = place(rng), turn(rng)
        for path in ("location", "rotation_euler"):
            obj.keyframe_insert(path, frame=frame)


@action(ANY)
def keyframe_visibility(rng):
    obj = one(rng, objects())
    for frame, hidden in ((1, False), (4, True), (7, False)):
        obj.hide_viewport = hidden
        obj.keyframe_insert("hide_viewport", frame=frame)


@action(ANY)
def keyframe_a_modifier(rng):
    obj = one(rng, [obj for obj in objects() if len(obj.modifiers)])
    modifier = one(rng, obj.modifiers)
    for frame, shown in ((1, True), (5, False), (9, True)):
        modifier.show_viewport = shown
        modifier.keyframe_insert("show_viewport", frame=frame)


@action(ANY)
def keyframe_a_shape(rng):
    mesh = one(rng, [obj for obj in objects("MESH") if obj.data.shape_keys]).data
    key = mesh.shape_keys.key_blocks[-1]
    for frame, value in ((1, 0.0), (8, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


@action(ANY)
def drive(rng):
    """A coordinate that follows the frame, or another object."""
    obj = one(rng, objects())
    driver = obj.driver_add("location", rng.randrange(3)).driver
    older = below(obj)
    if older and rng.randrange(2):
        driver.type = "SUM"
        target = driver.variables.new().targets[0]
        target.id, target.data_path = rng.choice(older), "location.x"
    else:
        driver.expression = "frame / 5"


@action(ANY)
def clear_animation(rng):
    one(rng, [obj for obj in objects() if obj.animation_data]).animation_data_clear()


@action(ANY)
def scrub(rng):
    bpy.context.scene.frame_set(rng.randint(1, 10), subframe=rng.choice((0.0, 0.5)))


@action(ANY)
def step_a_frame(_rng):
    bpy.context.scene.frame_current += 1
