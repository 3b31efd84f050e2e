# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks lead hits to their original face through modifiers that change the faces.

The judge is a random vector on each face, which Blender copies along.
"""

import bmesh
import bpy
import numpy as np
import pytest

from ..scenes import down, mesh_object, square, suzanne

JUDGE, MARK = "judge", "raypick_face"


@pytest.fixture
def rock(rng):
    """A ball of triangles whose faces have vectors, decimated and beveled."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3)
    obj = bpy.context.object
    obj.name = "Rock"
    judge(rng, obj.data)
    obj.modifiers.new("Bevel", "BEVEL").width = 0.02
    obj.modifiers.new("Decimate", "DECIMATE").ratio = 0.6
    return obj


def judge(rng, mesh):
    vectors = mesh.attributes.new(JUDGE, "FLOAT_VECTOR", "FACE")
    values = rng.uniform(1.0, 2.0, 3 * len(mesh.polygons)).astype(np.float32)
    vectors.data.foreach_set("vector", values)


def vectors(mesh):
    values = np.empty((len(mesh.polygons), 3), np.float32)
    mesh.attributes[JUDGE].data.foreach_get("vector", values.ravel())
    return list(map(tuple, values.tolist()))


def told(raypick, obj, own=None):
    """Hits from above on an object: how many know their face, which is always the right one.

    `own` are the vectors of its faces, which cannot be read in edit mode.
    """
    faces = {vector: face for face, vector in enumerate(own or vectors(obj.data))}
    shown = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    right = [faces.get(vector) for vector in vectors(shown.to_mesh())]
    shown.to_mesh_clear()
    found = raypick.api.cast_rays(
        bpy.context,
        [(x, y, 5.0) for x in np.linspace(-0.6, 0.6, 15) for y in np.linspace(-0.6, 0.6, 15)],
        (0, 0, -1),
        columns=("face", "original_face"),
        only=obj,
    )
    pairs = list(zip(found["face"].tolist(), found["original_face"].tolist(), strict=True))
    assert all(answer in (-1, right[face]) for face, answer in pairs)
    return sum(answer >= 0 for _, answer in pairs) / len(pairs)


def marks(mesh):
    if MARK not in mesh.attributes:
        return None
    values = np.empty(len(mesh.polygons), np.int32)
    mesh.attributes[MARK].data.foreach_get("value", values)
    return values.tolist()


def test_marks_lead_through_what_changes_the_faces_until_they_are_removed(raypick, rock):
    assert told(raypick, rock) == 0.0
    assert raypick.api.mark_faces(rock) == rock
    assert told(raypick, rock) == 1.0
    assert raypick.api.unmark_faces("Rock")
    assert told(raypick, rock) == 0.0
    assert not raypick.api.unmark_faces(rock)
    assert marks(rock.data) is None


def test_a_copy_is_marked_and_leaves_all_else_alone(raypick, rock):
    before = [{*each} for each in (bpy.data.objects, bpy.data.meshes, bpy.context.scene.objects)]
    copy = raypick.api.mark_faces(rock, copy=True)
    assert marks(rock.data) is None
    assert copy.users_collection == ()
    bpy.context.scene.collection.objects.link(copy)
    assert told(raypick, copy) == 1.0
    assert told(raypick, rock) == 0.0
    bpy.data.meshes.remove(copy.data)
    after = [{*each} for each in (bpy.data.objects, bpy.data.meshes, bpy.context.scene.objects)]
    assert after == before


def test_a_copy_of_what_is_edited_is_as_edited_so_far(raypick, rock):
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(rock.data)
    bmesh.ops.delete(edited, geom=edited.faces[:9], context="FACES_ONLY")
    bmesh.update_edit_mesh(rock.data)
    copy = raypick.api.mark_faces(rock, copy=True)
    assert len(marks(copy.data)) == len(edited.faces)
    assert edited.faces.layers.int.get(MARK) is None
    assert copy.mode == "OBJECT"


def test_good_marks_stay_and_changes_of_the_mesh_are_marked_anew(raypick, rock):
    raypick.api.mark_faces(rock)
    first = marks(rock.data)
    shuffled = np.random.default_rng(4).permutation(first).tolist()
    rock.data.attributes[MARK].data.foreach_set("value", shuffled)
    raypick.api.mark_faces(rock)
    assert marks(rock.data) == shuffled
    for wrong in (0, -3, shuffled[1]):
        rock.data.attributes[MARK].data[0].value = wrong
        raypick.api.mark_faces(rock)
        assert sorted({*marks(rock.data)}) == [*range(1, 1 + len(first))]


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "WEIGHT_PAINT"])
def test_faces_are_marked_in_any_mode(raypick, rock, mode):
    for modifier in rock.modifiers:
        modifier.show_in_editmode = True
    rock.modifiers.remove(rock.modifiers["Decimate"])  # edit mode leaves it out
    own = vectors(rock.data)
    bpy.ops.object.mode_set(mode=mode)
    assert told(raypick, rock, own) == 0.0
    raypick.api.mark_faces(rock)
    assert told(raypick, rock, own) == 1.0
    raypick.api.mark_faces(rock)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(raypick, rock) == 1.0
    assert sorted(marks(rock.data)) == [*range(1, 1 + len(rock.data.polygons))]
    bpy.ops.object.mode_set(mode=mode)
    assert raypick.api.unmark_faces(rock)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert marks(rock.data) is None


def test_edits_keep_marks_and_marking_again_tells_divided_faces_apart(raypick, rock):
    raypick.api.mark_faces(rock)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(rock.data)
    bmesh.ops.poke(edited, faces=edited.faces[:40])
    layer = edited.faces.layers.int[MARK]
    now = [face[layer] for face in edited.faces]
    assert len({*now}) < len(now)
    raypick.api.mark_faces(rock)
    layer = edited.faces.layers.int[MARK]
    again = [face[layer] for face in edited.faces]
    assert sorted(again) == [*range(1, 1 + len(edited.faces))]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_faces_of_several_meshes_have_marks_of_their_own(raypick, rng, rock):
    other = mesh_object("Other", [(0, 0, 0.5), (2, 0, 0.5), (0, 2, 0.5), (0.2, 0.2, 2.0)],
                        [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])  # fmt: skip
    judge(rng, other.data)
    twin = rock.copy()
    twin.data = rock.data.copy()
    for obj in (rock, other, twin, rock, twin):
        raypick.api.mark_faces(obj)
    every = [marks(each.data) for each in (rock, other, twin)]
    assert len({*every[0], *every[1], *every[2]}) == sum(map(len, every))
    rock.modifiers.clear()
    union = rock.modifiers.new("Union", "BOOLEAN")
    union.object, union.operation, union.solver = other, "UNION", "EXACT"
    other.hide_set(True)
    assert 0.5 < told(raypick, rock) < 1.0


def test_all_objects_of_a_shared_mesh_are_marked(raypick, rock):
    twin = rock.copy()
    bpy.context.scene.collection.objects.link(twin)
    twin.location.x = 5.0
    raypick.api.mark_faces(twin)
    assert told(raypick, rock) == 1.0


def test_an_operator_with_undo_undoes_marks(raypick, rock):
    class MarkFaces(bpy.types.Operator):
        bl_idname, bl_label, bl_options = "raypick.test_mark", "Mark", {"REGISTER", "UNDO"}

        def execute(self, context):
            raypick.api.mark_faces(context.object)
            return {"FINISHED"}

    bpy.utils.register_class(MarkFaces)
    try:
        bpy.ops.ed.undo_push(message="Before")
        bpy.ops.raypick.test_mark("EXEC_DEFAULT", True)
        assert marks(bpy.data.objects["Rock"].data)
        bpy.ops.ed.undo()
        assert marks(bpy.data.objects["Rock"].data) is None
        bpy.ops.ed.redo()
        assert told(raypick, bpy.data.objects["Rock"]) == 1.0
    finally:
        bpy.utils.unregister_class(MarkFaces)


def test_a_hit_knows_new_marks_at_once(raypick, rock):
    hit = down(raypick, 0.1, 0.2)[0]
    assert hit.original_face is None
    raypick.api.mark_faces(rock)
    again = down(raypick, 0.1, 0.2)[0]
    assert again.face == hit.face
    assert again.original_face is not None


def test_linked_meshes_are_refused_and_their_copies_marked(raypick, tmp_path):
    suzanne().name = "Linked"
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {bpy.data.objects["Linked"]})
    bpy.data.objects.remove(bpy.data.objects["Linked"])
    with bpy.data.libraries.load(path, link=True) as (_, to):
        to.objects = ["Linked"]
    (linked,) = to.objects
    for function in (raypick.api.mark_faces, raypick.api.unmark_faces):
        with pytest.raises(raypick.api.RaypickError, match="Linked is linked from a library"):
            function(linked)
    copy = raypick.api.mark_faces(linked, copy=True)
    assert (copy.library, copy.data.library) == (None, None)
    assert len(marks(copy.data)) == len(linked.data.polygons)


def test_what_cannot_be_marked_is_refused_and_nothing_is_left_behind(raypick):
    api, tile = raypick.api, square()
    bpy.ops.object.text_add()
    text = bpy.context.object
    tile.data.attributes.new(MARK, "FLOAT", "POINT")
    count = len(bpy.data.objects), len(bpy.data.meshes)
    for copy in (False, True):
        with pytest.raises(api.RaypickError, match="has no mesh of its own"):
            api.mark_faces(text, copy=copy)
        with pytest.raises(api.RaypickError, match="has another attribute raypick_face: FLOAT"):
            api.mark_faces(tile, copy=copy)
    with pytest.raises(api.RaypickError, match="has another attribute"):
        api.unmark_faces(tile)
    assert (len(bpy.data.objects), len(bpy.data.meshes)) == count
    with pytest.raises(api.RaypickError, match="there is no object"):
        api.mark_faces("Nobody")
    empty = mesh_object("Empty", [], [])
    assert api.mark_faces(empty) == empty


def test_dynamic_topology_is_refused(raypick, rock):
    bpy.ops.object.mode_set(mode="SCULPT")
    bpy.ops.sculpt.dynamic_topology_toggle()
    with pytest.raises(raypick.api.RaypickError, match="dynamic topology"):
        raypick.api.mark_faces(rock)
