# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modes' undo takes back what is done with landmarks: in each it is tried."""

from importlib import import_module

import bpy
import pytest

from ..scenes import square

OF_MESHES = ["EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT", "PARTICLE_EDIT"]

OTHERS = {
    "ARMATURE": ("EDIT", "POSE"),
    "CURVE": ("EDIT",),
    "SURFACE": ("EDIT",),
    "META": ("EDIT",),
    "FONT": ("EDIT",),
    "LATTICE": ("EDIT",),
    "CURVES": ("EDIT", "SCULPT_CURVES"),
    "GPENCIL": ("EDIT_GPENCIL", "PAINT_GPENCIL", "SCULPT_GPENCIL"),
    "GREASEPENCIL": ("EDIT", "PAINT_GREASE_PENCIL", "SCULPT_GREASE_PENCIL"),
}
"""Modes in which another object is worked on; a Blender has some of the types, and of the modes."""


@pytest.fixture
def undo(raypick):
    bpy.context.preferences.edit.use_global_undo = True
    square("Marked")
    return import_module(f"{raypick.__name__}.session.undo")


def enter(mode):
    """Enter a mode of the active object; skip where it has none."""
    try:
        bpy.ops.object.mode_set(mode=mode)
    except (TypeError, RuntimeError):
        pytest.skip("this Blender has no such mode")


def is_taken_back(raypick):
    """Whether a landmark that is added is gone after an undo step."""
    bpy.ops.ed.undo_push(message="Before")
    bpy.context.view_layer.update()
    (hit,) = raypick.api.ray_cast(bpy.context, (0.1, 0.2, 9), (0, 0, -1))
    raypick.api.landmarks.add(bpy.context, hit)
    bpy.ops.ed.undo_push(message="Add Landmark")
    bpy.ops.ed.undo()
    return not raypick.api.landmarks.of("Marked")


@pytest.mark.parametrize("mode", ["OBJECT", *OF_MESHES])
def test_undo_covers_landmarks_where_it_takes_one_back(raypick, undo, mode):
    obj = bpy.context.view_layer.objects.active = bpy.data.objects["Marked"]
    if mode == "PARTICLE_EDIT":
        bpy.ops.object.particle_system_add()
        obj.particle_systems[0].settings.type = "HAIR"
    enter(mode)
    assert undo.covers(bpy.context) is is_taken_back(raypick)


@pytest.mark.parametrize(
    ("kind", "mode"), [(kind, mode) for kind, modes in OTHERS.items() for mode in modes]
)
def test_it_does_so_too_while_another_object_is_worked_on(raypick, undo, kind, mode):
    try:
        bpy.ops.object.add(type=kind, location=(9, 9, 0))
    except TypeError:
        pytest.skip("this Blender has no such objects")
    enter(mode)
    assert undo.covers(bpy.context) is is_taken_back(raypick)


@pytest.mark.parametrize("with_curve", [False, True])
@pytest.mark.parametrize("mode", ["SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT"])
def test_it_does_so_too_with_a_brush_along_a_curve(raypick, undo, mode, with_curve):
    bpy.context.view_layer.objects.active = bpy.data.objects["Marked"]
    enter(mode)
    brush = getattr(bpy.context.tool_settings, mode.lower()).brush
    brush.stroke_method = "CURVE"
    if with_curve:
        bpy.ops.paintcurve.new()
    assert undo.covers(bpy.context) is not with_curve
    assert is_taken_back(raypick) is not with_curve
    brush.stroke_method = "SPACE"


def test_without_global_undo_it_covers_nothing(undo):
    bpy.context.preferences.edit.use_global_undo = False
    assert not undo.covers(bpy.context)
    bpy.context.preferences.edit.use_global_undo = True
