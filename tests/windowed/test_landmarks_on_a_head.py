# SPDX-License-Identifier: GPL-3.0-or-later
"""Twelve landmarks of a template on a head that moves in all ways, as a person places them.

Where each is, is computed in Blender from the text that the object keeps: the three vertices that
it names, read plainly of the evaluated mesh, by plain sums of their weights.
"""

import pytest

from tests.windowed.hand import choose_tool, in_viewport
from tests.windowed.views import EMPTY

pytestmark = pytest.mark.beside

NAMES = (
    *("nasion", "pronasale", "subnasale", "stomion", "gnathion", "glabella"),
    *("exocanthion.L", "exocanthion.R", "zygion.L", "zygion.R", "otobasion.L", "otobasion.R"),
)

HEAD = """
import json, math
import bpy
import numpy as np
from mathutils import Quaternion, Vector
from bl_ext.user_default.raypick import api

bpy.ops.mesh.primitive_monkey_add()
head = bpy.context.object
head.name = "Head"
head.shape_key_add(name="Basis")
smile = head.shape_key_add(name="Smile")
for number, point in enumerate(smile.data):
    x, y, z = point.co
    point.co = (x * 1.2 + 0.1 * math.sin(3 * z), y - 0.1 * math.cos(4 * x), z + 0.15 * x * x)
for frame, value in ((1, 0.0), (12, 1.0), (24, 0.2)):
    smile.value = value
    smile.keyframe_insert("value", frame=frame)

bones = bpy.data.armatures.new("Bones")
rig = bpy.data.objects.new("Rig", bones)
bpy.context.scene.collection.objects.link(rig)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for name, low, high in (("Neck", -1.5, 0.0), ("Skull", 0.0, 1.5)):
    bone = bones.edit_bones.new(name)
    bone.head, bone.tail = (0, 0, low), (0, 0, high)
bpy.ops.object.mode_set(mode="OBJECT")
for name in ("Neck", "Skull"):
    group = head.vertex_groups.new(name=name)
    for vertex in head.data.vertices:
        up = min(max(vertex.co.z + 0.5, 0.0), 1.0)
        group.add([vertex.index], up if name == "Skull" else 1.0 - up, "REPLACE")
head.modifiers.new("Rig", "ARMATURE").object = rig
skull = rig.pose.bones["Skull"]
skull.rotation_mode = "XYZ"
for frame, turn in ((1, 0.0), (12, 0.5), (24, -0.3)):
    skull.rotation_euler = (turn, turn / 2, -turn)
    skull.keyframe_insert("rotation_euler", frame=frame)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
bpy.context.scene.frame_set(1)
bpy.context.view_layer.objects.active = head
for obj in bpy.context.selected_objects:
    obj.select_set(obj == head)
rig.hide_set(True)

_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = False
view.view_location = (0, 0, 0)
view.view_rotation = Quaternion((math.sqrt(0.5), math.sqrt(0.5), 0, 0))
view.view_distance = 5.0
view.view_perspective = "PERSP"

def plainly(name="Head"):
    # The landmarks where the text and the evaluated mesh say they are, and nothing of Raypick.
    obj = bpy.data.objects[name]
    kept = json.loads(obj["raypick_landmarks"])
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = []
    for each in kept["sets"][0]["landmarks"]:
        anchor = each.get("anchor")
        if anchor is None:
            points.append([np.nan] * 3)
            continue
        place = Vector((0, 0, 0))
        for vertex, weight in zip(anchor["vertices"], anchor["barycentric"]):
            place += mesh.vertices[vertex].co * weight
        points.append(list(obj.matrix_world @ place))
    evaluated.to_mesh_clear()
    return np.array(points)

def furthest(name="Head"):
    # How far a landmark is from where it should be; inf if any other than the missing is not known.
    found, plain = api.landmarks.points(bpy.context, name), plainly(name)
    if not len(found) or (np.isnan(found) != np.isnan(plain)).any():
        return float("inf")
    return float(np.nanmax(np.abs(found - plain)))
result = None
"""

PIXELS = """
hits = []
for row in range(60, 5, -3):
    for column in range(30, 71, 4):
        pixel = region.width * column // 100, region.height * row * 1.4 // 100
        found = api.pick(bpy.context, region, view, [i + 0.5 for i in pixel])
        if found and found[0].object == "Head" and min(found[0].barycentric) > 0.05:
            hits.append([region.x + pixel[0], region.y + pixel[1]])
hits[:: max(1, len(hits) // 12)][:12]
"""


AGAIN = """
head, rig = bpy.data.objects["Head"], bpy.data.objects["Rig"]
smile, skull = head.data.shape_keys.key_blocks["Smile"], rig.pose.bones["Skull"]
_, area, region, view = viewport()
result = None
"""

_saved = {}
"""Where each Blender keeps the head with its landmarks, once they have been placed."""


@pytest.fixture
def placed(blender):
    """Place the twelve landmarks with clicks of the tool on a head in the window."""
    blender.py(EMPTY)
    blender.py(HEAD)
    blender.redraw(2)
    in_viewport(blender, f"bpy.ops.raypick.type_template(names={', '.join(NAMES)!r})")
    places = blender.py(PIXELS)
    assert len(places) == 12
    choose_tool(blender, "raypick.landmark_tool")
    for x, y in places:
        blender.move(int(x), int(y))
        blender.click(int(x), int(y))
    yield blender
    leave(blender)


@pytest.fixture
def head(request, blender):
    """Return a Blender with the head and its landmarks, placed once and loaded ever since."""
    if blender in _saved:
        blender.py(f"bpy.ops.wm.open_mainfile(filepath={_saved[blender]!r})\nresult = None")
        blender.py(AGAIN)
    else:
        request.getfixturevalue("placed")
        path = _saved[blender] = blender.py("bpy.app.tempdir + '/placed.blend'")
        blender.py(f"bpy.ops.wm.save_as_mainfile(filepath={path!r}, copy=True)\nresult = None")
    yield blender
    leave(blender)


def leave(blender):
    """Leave the tool, and the file."""
    blender.py(EMPTY)
    blender.py("_, area, region, view = viewport()\nresult = None")
    choose_tool(blender, "builtin.select_box")
    blender.move(5, 5)


def names(blender, obj="Head"):
    return blender.py(f"[each.name for each in api.landmarks.of({obj!r})]")


def with_places(blender):
    """The names of the landmarks that are not missing."""
    return blender.py("[x.name for x in api.landmarks.of('Head') if x.face is not None]")


def test_the_template_is_placed_click_after_click(placed):
    assert names(placed) == [*NAMES]
    assert placed.py("furthest()") < 1e-6


def test_at_every_frame_each_is_on_its_surface_point(head):
    away = head.py(
        "away = []\n"
        "for frame in range(1, 25):\n"
        "    bpy.context.scene.frame_set(frame)\n"
        "    away.append(furthest())\n"
        "away"
    )
    assert len(away) == 24
    assert max(away) < 1e-6
    moved = head.py(
        "float(np.abs(np.diff(api.landmarks.points(bpy.context, 'Head', "
        "frames=[1, 12]), axis=0)).max())"
    )
    assert moved > 0.1  # the head really moves


def test_playback_draws_them_where_they_are(head):
    in_viewport(head, "bpy.ops.screen.animation_play()")
    head.wait("bpy.context.scene.frame_current > 5")
    in_viewport(head, "bpy.ops.screen.animation_cancel(restore_frame=False)")
    head.redraw(2)
    away = head.py(
        "from bl_ext.user_default.raypick.session import landmarks as drawn\n"
        "(shown,) = drawn.shown(bpy.context)\n"
        "float(np.abs(shown.places.points - plainly()).max())"
    )
    assert away < 1e-6


def test_posing_and_shape_keys_move_them(head):
    head.py("skull.rotation_euler = (0.2, -0.9, 0.4)\nbpy.context.view_layer.update()")
    assert head.py("furthest()") < 1e-6
    head.py(
        "curves = head.data.shape_keys\n"
        "curves.animation_data_clear()\n"
        "smile.value = 0.7\nbpy.context.view_layer.update()"
    )
    assert head.py("furthest()") < 1e-6


def test_undo_and_redo_take_placing_and_posing_back(placed):
    before = placed.py("api.landmarks.points(bpy.context, 'Head')")
    for count in (11, 10):
        in_viewport(placed, "bpy.ops.ed.undo()")
        placed.redraw()
        assert len(with_places(placed)) == count
        assert placed.py("furthest()") < 1e-6
    for count in (11, 12):
        in_viewport(placed, "bpy.ops.ed.redo()")
        assert len(with_places(placed)) == count
    assert names(placed) == [*NAMES]
    after = placed.py("api.landmarks.points(bpy.context, 'Head')")
    assert after == before


def test_they_are_saved_loaded_and_appended_to_another_file(head):
    path = head.py("bpy.app.tempdir + '/head.blend'")
    before = head.py("bpy.context.scene.frame_set(9)\napi.landmarks.points(bpy.context, 'Head')")
    head.py(f"bpy.ops.wm.save_as_mainfile(filepath={path!r})\nresult = None")
    head.py(EMPTY)
    head.py(f"bpy.ops.wm.open_mainfile(filepath={path!r})\nresult = None")
    assert names(head) == [*NAMES]
    assert head.py("api.landmarks.points(bpy.context, 'Head')") == before
    assert head.py("furthest()") < 1e-6
    head.py(EMPTY)
    head.py(
        f"with bpy.data.libraries.load({path!r}) as (there, here):\n"
        "    here.objects = ['Head']\n"
        "bpy.context.scene.collection.objects.link(here.objects[0])\n"
        "bpy.context.scene.frame_set(17)"
    )
    assert names(head) == [*NAMES]
    assert head.py("furthest()") < 1e-6


EDITS = """
import bmesh, random
from bl_ext.user_default.raypick.session import landmarks as drawn

def rotate(edited, chance):
    inner = [edge for edge in edited.edges if len(edge.link_faces) == 2]
    bmesh.ops.rotate_edges(edited, edges=[chance.choice(inner)])

def flip(edited, chance):
    bmesh.ops.reverse_faces(edited, faces=[chance.choice(edited.faces)])

def delete(edited, chance):
    bmesh.ops.delete(edited, geom=[chance.choice(edited.faces)], context="FACES")

def poke(edited, chance):
    bmesh.ops.poke(edited, faces=[chance.choice(edited.faces)])

def divide(edited, chance):
    bmesh.ops.subdivide_edges(edited, edges=[chance.choice(edited.edges)], cuts=1)

def merge(edited, chance):
    bmesh.ops.collapse(edited, edges=[chance.choice(edited.edges)])

def sort(edited, chance):
    order = [*range(len(edited.faces))]
    chance.shuffle(order)
    for face, number in zip(edited.faces, order):
        face.index = number
    edited.faces.sort()

def edit(seed):
    # One random edit, whether all landmarks are flagged, and all known again once it is undone.
    chance = random.Random(seed)
    before = head.data.copy()
    edited = bmesh.new()
    edited.from_mesh(head.data)
    edited.faces.ensure_lookup_table()
    edited.edges.ensure_lookup_table()
    act = chance.choice((rotate, flip, delete, poke, divide, merge, sort))
    act(edited, chance)
    edited.to_mesh(head.data)
    edited.free()
    head.data.update()
    bpy.context.view_layer.update()
    (shown,) = drawn.shown(bpy.context)
    flagged = all(why == "The topology has changed" for why in shown.places.reasons)
    back = bmesh.new()
    back.from_mesh(before)
    back.to_mesh(head.data)
    back.free()
    bpy.data.meshes.remove(before)
    bpy.context.view_layer.update()
    (shown,) = drawn.shown(bpy.context)
    return flagged and not any(shown.places.reasons), act.__name__
result = None
"""


def test_each_of_200_random_edits_of_the_topology_is_flagged(head, rng):
    seed = int(rng.integers(2**31))
    head.py("head.shape_key_clear()\n" + EDITS)
    found = head.py(f"[edit({seed} + number) for number in range(200)]", timeout=300)
    assert [name for is_right, name in found if not is_right] == []
    assert {name for _, name in found} >= {"rotate", "flip", "sort", "delete"}


def test_a_transfer_to_another_object_of_the_same_topology_is_exact(head):
    head.py(
        "other = head.copy()\n"
        "other.data = head.data.copy()\n"
        "other.name = 'Other'\n"
        "del other['raypick_landmarks']\n"
        "bpy.context.scene.collection.objects.link(other)\n"
        "other.matrix_world.translation = (0.5, 0.25, 1.0)\n"
        "other.select_set(True)\n"
        "bpy.context.view_layer.update()"
    )
    in_viewport(head, "bpy.ops.raypick.transfer_landmarks()")
    assert names(head, "Other") == [*NAMES]
    assert head.py("furthest('Other')") < 1e-6
    same = head.py(
        "[api.landmarks.of(a)[i].barycentric == api.landmarks.of('Head')[i].barycentric "
        "for a in ['Other'] for i in range(12)]"
    )
    assert all(same)
