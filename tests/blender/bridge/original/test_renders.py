# SPDX-License-Identifier: GPL-3.0-or-later
"""The original face of a face that a render shows is right, whatever the viewport shows.

A render has its own switches and levels of modifiers, and its own limit where a scene simplifies.
It ignores sculpt and paint modes; of edit mode it takes the edits and the viewport's switches.
``RAYPICK_CHAINS`` sets the number of chains.
"""

import importlib
import os

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ...rendering import rendered
from ...scenes import mesh_object
from .chains import ORACLE, UNKNOWN, random_chain, random_mesh, right_faces

CHAINS = int(os.environ.get("RAYPICK_CHAINS", "300"))
MODES = ["OBJECT", "EDIT", "SCULPT", "WEIGHT_PAINT"]
AT_ONCE = 15  # chains in one render
MANY = 500  # faces, from which a viewport shows no finer levels than the render


@pytest.fixture
def trace(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.original.trace")


def enter(mode, objects):
    for obj in objects:
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        bpy.ops.object.mode_set(mode=mode)


def subdividing(obj):
    return [each for each in obj.modifiers if each.type in ("SUBSURF", "MULTIRES")]


def random_object(rng, mode):
    """A mesh with a chain of modifiers whose levels and switches are a render's own."""
    obj = random_mesh(rng)
    enter("OBJECT", [obj])
    if rng.random() < 0.2:
        multires = obj.modifiers.new("Multires", "MULTIRES")
        for _ in range(2):
            bpy.ops.object.multires_subdivide(modifier=multires.name)
        multires.levels, multires.sculpt_levels = rng.integers(3, size=2).tolist()
    random_chain(rng, obj)
    found = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    most = 0 if len(found.data.polygons) > MANY else 2
    for modifier in subdividing(obj):
        modifier.render_levels = modifier.levels
        modifier.levels = int(rng.integers(max(most, modifier.levels) + 1))
    for modifier in obj.modifiers:
        modifier.show_viewport, modifier.show_render = (rng.random(2) < 0.8).tolist()
        # In edit mode renders ignore this switch. But where it is off for all further modifiers,
        # Blender 5.0 does not subdivide, and origins are not known.
        modifier.show_render |= mode == "EDIT"
    return obj


def simplify(rng, render):
    render.use_simplify = bool(rng.random() < 0.5)
    limits = rng.integers(3, size=2).tolist()
    render.simplify_subdivision, render.simplify_subdivision_render = limits


def show_as_rendered(objects, mode):
    """Have viewports show what renders do."""
    render = bpy.context.scene.render
    limit = render.simplify_subdivision if render.use_simplify else 6
    for obj in objects:
        for modifier in subdividing(obj):
            # Edit mode leaves a modifier out whose level in viewports is 0, in renders too.
            is_left_out = mode == "EDIT" and min(modifier.levels, limit) == 0
            modifier.levels = 0 if is_left_out else modifier.render_levels
        if mode != "EDIT":
            for modifier in obj.modifiers:
                modifier.show_viewport = modifier.show_render
    render.simplify_subdivision = render.simplify_subdivision_render


def traced(trace, objects, depsgraph):
    """For each object what is told of each face, what is right, and why one face is not told."""
    answers = []
    for obj in objects:
        found = obj.evaluated_get(depsgraph)
        mesh = found.to_mesh()
        told, right = trace.original_faces(found, mesh, depsgraph), right_faces(mesh)
        _, reason = trace.original_face(found, mesh, 0, depsgraph, {})
        answers.append((told.tolist(), right.tolist(), reason))
        found.to_mesh_clear()
    return answers


@pytest.mark.parametrize("mode", MODES)
def test_no_chain_leads_to_a_wrong_face(trace, rng, mode):
    """What is told is what a viewport with the render's settings is told, no less."""
    known, differ = 0, 0
    for _ in range(CHAINS // len(MODES) // AT_ONCE):
        objects = [random_object(rng, mode) for _ in range(AT_ONCE)]
        simplify(rng, bpy.context.scene.render)
        enter(mode, objects)
        assert {obj.mode for obj in objects} == {mode}
        depsgraph = bpy.context.evaluated_depsgraph_get()
        counts = [len(obj.evaluated_get(depsgraph).data.polygons) for obj in objects]
        seen = rendered(lambda depsgraph, own=objects: traced(trace, own, depsgraph))
        if mode != "EDIT":
            enter("OBJECT", objects)
        show_as_rendered(objects, mode)
        shown = traced(trace, objects, bpy.context.evaluated_depsgraph_get())
        for obj, count, (told, right, reason), as_shown in zip(
            objects, counts, seen, shown, strict=True
        ):
            chain = [each.type for each in obj.modifiers]
            wrong = [pair for pair in zip(told, right, strict=True) if pair[0] not in (-1, pair[1])]
            assert not wrong, chain
            assert (told, right, reason) == as_shown, chain
            known += any(face != UNKNOWN for face in told)
            differ += count != len(right)
        enter("OBJECT", objects)
        bpy.data.batch_remove(objects)
    count = CHAINS // len(MODES)
    print(f"{mode}: {known} of {count} chains are traced, {differ} unlike what a viewport shows")
    assert known > count // 3
    assert differ > count // 10


@pytest.fixture
def patch(rng):
    """A mesh whose faces have numbers that the add-on reads, too; the active object."""
    obj = random_mesh(rng)
    numbers = np.arange(len(obj.data.polygons), dtype=np.int32) + 1
    obj.data.attributes.new("raypick_face", "INT", "FACE").data.foreach_set("value", numbers)
    enter("OBJECT", [obj])
    return obj


def add(obj, kind, viewport=True, render=True, **settings):
    modifier = obj.modifiers.new(kind.title(), kind)
    modifier.show_viewport, modifier.show_render = viewport, render
    for name, value in settings.items():
        setattr(modifier, name, value)
    return modifier


def in_both(trace, obj):
    """What is traced on the faces that a viewport shows, and on those that a render does."""
    (shown,) = traced(trace, [obj], bpy.context.evaluated_depsgraph_get())
    (seen,) = rendered(lambda depsgraph: traced(trace, [obj], depsgraph))
    return shown, seen


def assert_all_told(answer, count=None):
    told, right, reason = answer
    assert (told, reason) == (right, None)
    assert count in (None, len(told))


def test_edit_mode_shows_a_render_its_edits_and_its_modifiers(trace, patch):
    add(patch, "ARRAY", count=2, render=False)
    add(patch, "ARRAY", count=3, viewport=False)
    add(patch, "ARRAY", count=5, show_in_editmode=False)
    add(patch, "DECIMATE", ratio=0.5, show_in_editmode=True)
    add(patch, "SUBSURF", levels=1, render_levels=2)
    add(patch, "SUBSURF", levels=0, render_levels=1)
    twin = patch.copy()
    bpy.context.scene.collection.objects.link(twin)
    enter("EDIT", [patch])
    edited = bmesh.from_edit_mesh(patch.data)
    bmesh.ops.poke(edited, faces=edited.faces[:1])
    own_index = edited.faces.layers.int[ORACLE]
    for index, face in enumerate(edited.faces):
        face[own_index] = index
    bmesh.update_edit_mesh(patch.data)
    corners = sum(len(face.verts) for face in edited.faces)
    for obj in (patch, twin):  # which share the mesh
        shown, seen = in_both(trace, obj)
        assert_all_told(shown, 2 * corners)
        assert_all_told(seen, 2 * corners * 4)


@pytest.mark.parametrize("kind", ["ARRAY", "BEVEL"])
def test_dynamic_topology_is_not_in_a_render(trace, patch, kind):
    """Through a bevel, faces are told by their numbers."""
    add(patch, kind)
    if kind == "ARRAY":
        patch.data.attributes.remove(patch.data.attributes["raypick_face"])
    enter("SCULPT", [patch])
    bpy.ops.sculpt.dynamic_topology_toggle()
    shown, seen = in_both(trace, patch)
    assert {*shown[0]} == {UNKNOWN}
    assert_all_told(seen)


def test_numbers_are_copied_by_what_a_render_evaluates(trace, patch):
    """Dissolving faces may give the others wrong numbers; a bevel does not."""
    add(patch, "BEVEL", width=0.01)
    dissolve = add(patch, "DECIMATE", decimate_type="DISSOLVE", render=False)
    shown, seen = in_both(trace, patch)
    assert {*shown[0]} == {UNKNOWN}
    assert_all_told(seen)
    dissolve.show_viewport, dissolve.show_render = False, True
    shown, seen = in_both(trace, patch)
    assert_all_told(shown)
    assert {*seen[0]} == {UNKNOWN}


def test_vertices_are_moved_by_what_a_render_evaluates(trace, patch):
    """Whether a mirror merges whole faces is known if nothing before it moves vertices."""
    move = add(patch, "DISPLACE", render=False)
    add(patch, "MIRROR", use_axis=(False, False, True), merge_threshold=1e-6)
    add(patch, "SOLIDIFY")
    patch.data.attributes.remove(patch.data.attributes["raypick_face"])
    patch.data.transform(Matrix.Translation((0, 0, 5)))
    count, told = len(patch.data.polygons), []
    for viewport in (True, False):
        move.show_viewport, move.show_render = viewport, not viewport
        for faces, right, _ in in_both(trace, patch):
            assert faces[: 4 * count] in ([UNKNOWN] * 4 * count, right[: 4 * count])
            told.append(faces[0] != UNKNOWN)
    assert told == [False, True, True, False]


def test_faces_are_cut_by_what_a_render_evaluates(trace):
    """A triangle that Blender leaves out, as it is there already, hides those on both faces."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    obj = mesh_object("Doubled", corners, [(0, 1, 2, 3), (0, 1, 2), (1, 4, 5, 2)])
    obj.data.attributes.new(ORACLE, "INT", "FACE").data.foreach_set("value", range(3))
    bevel = add(obj, "BEVEL", render=False)
    add(obj, "TRIANGULATE", quad_method="FIXED")
    shown, (told, right, _) = in_both(trace, obj)
    assert {*shown[0]} == {UNKNOWN}
    assert len(told) == 4
    assert sorted(told)[1:] == [0, 2, 2]
    assert all(face in (UNKNOWN, other) for face, other in zip(told, right, strict=True))
    bevel.show_viewport, bevel.show_render = False, True
    shown, seen = in_both(trace, obj)
    assert shown[:2] == (told, right)
    assert {*seen[0]} == {UNKNOWN}
