# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks whose topology has changed go to the nearest places; others go to other objects.

Bound landmarks keep their face through edits that leave that face alone.
"""

import importlib
import math

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from mathutils.bvhtree import BVHTree

from ...scenes import collection_instance, link, mesh_object, suzanne
from .oracle import hits_at, mark, reasons

CHANGED = "The topology has changed"


@pytest.fixture
def over(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks.topology")


def triangulate(edited):
    bmesh.ops.triangulate(edited, faces=edited.faces[:])


def decimate(edited):
    """Merge what is near, which moves the surface."""
    bmesh.ops.remove_doubles(edited, verts=edited.verts[:], dist=0.12)


def own_shape(obj, matrix=None):
    """Blender's own search in the object's own mesh, or in that moved by a matrix."""
    obj.data.calc_loop_triangles()
    vertices = [(matrix or Matrix()) @ vertex.co for vertex in obj.data.vertices]
    triangles = [triangle.vertices[:] for triangle in obj.data.loop_triangles]
    return BVHTree.FromPolygons(vertices, triangles, all_triangles=True)


@pytest.fixture
def head(raypick):
    """Suzanne with landmarks, turned, scaled and away from the origin."""
    obj = suzanne()
    obj.matrix_world = Matrix.LocRotScale((3, 1, -2), Matrix.Rotation(0.7, 3, "Y"), (2, 2, 2))
    bpy.context.view_layer.update()
    for hit, _ in hits_at(raypick, obj, 40, seed=1):
        raypick.api.landmarks.add(bpy.context, hit)
    now(raypick, obj)
    return obj


def test_they_go_to_the_nearest_places_and_say_how_far_that_is(raypick, over, head):
    before = now(raypick, head)
    edit(head, decimate)
    assert {*reasons(raypick, head)} == {CHANGED}
    tree = own_shape(head)
    inverse = head.matrix_world.inverted()
    nearest = [tree.find_nearest(inverse @ point) for point in map(vector, before)]
    moved = over.carry_over(bpy.context, head)
    assert reasons(raypick, head) == [None] * 40
    for (landmark, distance), (_, _, _, local), old, new in zip(
        moved, nearest, before, now(raypick, head), strict=True
    ):
        assert distance == pytest.approx(2.0 * local, abs=1e-5)
        assert distance == pytest.approx(np.linalg.norm(new - old), abs=1e-5)
        assert landmark.moved == distance
    assert max(distance for _, distance in moved) > 0.01


def vector(row):
    return Matrix.Translation(row.tolist()).translation


def test_only_those_that_are_asked_for_and_lost_are_carried_over(raypick, over, head):
    kept = raypick.api.landmarks.of(head)
    assert over.carry_over(bpy.context, head) == []
    edit(head, triangulate)
    wanted = {kept[3].id, kept[7].id}
    assert {each.id for each, _ in over.carry_over(bpy.context, head, wanted)} == wanted
    told = reasons(raypick, head)
    assert [i for i, reason in enumerate(told) if reason is None] == [3, 7]
    assert len(over.carry_over(bpy.context, head)) == 38
    assert reasons(raypick, head) == [None] * 40


def test_a_pose_does_not_matter(raypick, over, head):
    armature = link(bpy.data.objects.new("Armature", bpy.data.armatures.new("Armature")))
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("Bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    head.vertex_groups.new(name="Bone").add(range(len(head.data.vertices)), 1.0, "REPLACE")
    head.modifiers.new("Armature", "ARMATURE").object = armature
    before = now(raypick, head)
    armature.pose.bones["Bone"].matrix = Matrix.LocRotScale(
        (5, 5, 5), Matrix.Rotation(2, 3, "X"), (1, 3, 1)
    )
    bpy.context.view_layer.update()
    posed = now(raypick, head)
    assert np.abs(posed - before).max() > 1.0
    edit(head, triangulate)  # the shape is the same: but for faces that are not flat
    moved = over.carry_over(bpy.context, head)
    assert max(distance for _, distance in moved) < 0.05
    assert np.abs(now(raypick, head) - posed).max() < 0.3
    armature.pose.bones["Bone"].matrix_basis = Matrix()
    bpy.context.view_layer.update()
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_the_last_known_shape_counts_and_not_that_in_which_they_were_placed(raypick, over, head):
    for vertex in head.data.vertices:
        vertex.co.x += 10.0
    head.data.update()
    before = now(raypick, head)
    edit(head, triangulate)
    over.carry_over(bpy.context, head)
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_it_counts_after_loading_too(raypick, over, head, tmp_path):
    for vertex in head.data.vertices:
        vertex.co.x += 10.0
    head.data.update()
    before = now(raypick, head)
    path = str(tmp_path / "head.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    head = bpy.data.objects["Suzanne"]
    edit(head, triangulate)
    assert {*reasons(raypick, head)} == {CHANGED}
    over.carry_over(bpy.context, head)
    assert np.abs(now(raypick, head) - before).max() < 0.1


def test_on_faces_that_modifiers_make_they_go_to_the_nearest_of_these(raypick, over, head):
    remesh = head.modifiers.new("Wireframe", "WIREFRAME")
    raypick.api.landmarks.remove(head)
    for hit, _ in hits_at(raypick, head, 20, seed=2):
        raypick.api.landmarks.add(bpy.context, hit)
    before = now(raypick, head)
    edit(head, triangulate)
    assert {*reasons(raypick, head)} == {CHANGED}
    moved = over.carry_over(bpy.context, head)
    after = now(raypick, head)
    distances = [distance for _, distance in moved]
    assert np.linalg.norm(after - before, axis=1) == pytest.approx(distances, abs=1e-5)
    evaluated = head.evaluated_get(bpy.context.evaluated_depsgraph_get())
    inverse = head.matrix_world.inverted()
    for old, distance in zip(before, distances, strict=True):
        local = inverse @ vector(old)
        point = evaluated.closest_point_on_mesh(local)[1]
        assert distance == pytest.approx(2.0 * (point - local).length, abs=1e-5)
    remesh.thickness *= 2.0
    assert np.isfinite(now(raypick, head)).all()


def test_copies_and_instances_are_kept(raypick, over):
    obj = mesh_object("Patch", [(1, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0)], [(0, 1, 2, 3)])
    obj.modifiers.new("Mirror", "MIRROR")
    empty = collection_instance(obj, (0, 0, 5))
    bpy.context.view_layer.update()
    (hit,) = raypick.api.ray_cast(bpy.context, (-1.3, 0.2, 9), (0, 0, -1))
    kept = raypick.api.landmarks.add(bpy.context, hit)
    assert (kept.instancer, kept.evaluated) == (empty.name, False)
    now(raypick, obj)
    edit(obj, lambda b: bmesh.ops.poke(b, faces=b.faces[:]))
    assert reasons(raypick, obj) == [CHANGED]
    ((landmark, distance),) = over.carry_over(bpy.context, obj)
    assert distance == pytest.approx(0.0, abs=1e-6)
    assert landmark.anchor.instancer == empty.name
    assert now(raypick, obj)[0] == pytest.approx((-1.3, 0.2, 5.0), abs=1e-6)


def test_of_a_bound_face_that_was_divided_its_parts_count(raypick, over, binding):
    """Another face comes nearer by then, to which a landmark that is not bound goes."""
    vertices = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    vertices += [(x, y, 0.5) for x, y, _ in vertices]
    obj = mesh_object("Two", vertices, [(0, 1, 2, 3), (4, 5, 6, 7)])
    mark(raypick, obj, [(0.2, 0.3, 0), (0.2, 0.3, 0)])
    bound, _ = raypick.api.landmarks.of(obj)
    now(raypick, obj)
    binding.bind(bpy.context, obj, {bound.id})

    def change(b):
        bmesh.ops.poke(b, faces=[b.faces[0]])
        for vertex in b.verts:
            vertex.co.z += 1.0 if vertex.co.z < 0.25 else -0.4

    edit(obj, change)
    assert reasons(raypick, obj) == ["The bound face was divided", CHANGED]
    (first, away), (second, near) = over.carry_over(bpy.context, obj)
    assert (away, near) == pytest.approx((1.0, 0.1), abs=1e-6)
    assert now(raypick, obj)[:, 2].tolist() == pytest.approx([1.0, 0.1], abs=1e-6)
    assert (first.bound is not None, second.bound) == (True, None)
    edit(obj, lambda b: b.faces.sort(key=lambda face: -face.index))
    assert reasons(raypick, obj) == [None, CHANGED]


def test_bound_faces_that_are_found_again_are_kept_as_they_are(raypick, over, binding, head):
    binding.bind(bpy.context, head)
    before = now(raypick, head)
    edit(head, lambda b: b.faces.sort(key=lambda face: -face.index))
    moved = over.carry_over(bpy.context, head)
    assert [distance for _, distance in moved] == [0.0] * 40
    assert np.abs(now(raypick, head) - before).max() < 1e-6
    binding.unbind(head)
    assert np.abs(now(raypick, head) - before).max() < 1e-6


def test_where_no_face_is_left_that_is_said(raypick, over, head):
    edit(head, lambda b: bmesh.ops.delete(b, geom=b.faces[:], context="FACES_ONLY"))
    text = head["raypick_landmarks"]
    with pytest.raises(raypick.api.RaypickError, match="no faces"):
        over.carry_over(bpy.context, head)
    assert head["raypick_landmarks"] == text


def test_a_transfer_to_the_same_topology_is_exact(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    for vertex in target.data.vertices:
        vertex.co = (vertex.co.y * 3, math.sin(vertex.co.x), vertex.co.z + 1)
    target.matrix_world = Matrix.LocRotScale((0, 9, 0), None, (-1, 2, 3))
    bpy.context.view_layer.update()
    names = [each.name for each in raypick.api.landmarks.of(head)]
    assert over.transfer(bpy.context, head, target) == [(name, None) for name in names]
    pairs = zip(raypick.api.landmarks.of(head), raypick.api.landmarks.of(target), strict=True)
    for old, new in pairs:
        assert (new.name, new.set) == (old.name, old.set)
        assert new.id != old.id
        assert (new.face, new.barycentric, new.moved) == (old.face, old.barycentric, None)
    mesh, matrix = target.data, np.array(target.matrix_world)
    for record, point in zip(raypick.api.landmarks.of(target), now(raypick, target), strict=True):
        corners = [mesh.vertices[v].co[:] for v in record.vertices]
        local = sum(w * np.array(p) for w, p in zip(record.barycentric, corners, strict=True))
        assert point == pytest.approx(matrix[:3, :3] @ local + matrix[:3, 3], abs=1e-6)


def test_to_another_topology_they_go_to_the_nearest_places_of_the_world(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    edit(target, decimate)
    target.matrix_world = (
        Matrix.Translation((0.5, 0, 0)) @ head.matrix_world @ Matrix.Scale(0.5, 4, (0, 0, 1))
    )
    bpy.context.view_layer.update()
    with pytest.raises(raypick.api.RaypickError, match="another topology"):
        over.transfer(bpy.context, head, target, by="topology")
    found = over.transfer(bpy.context, head, target)
    tree = own_shape(target, target.matrix_world)
    places = zip(now(raypick, head), now(raypick, target), found, strict=True)
    for old, new, (_, distance) in places:
        nearest = tree.find_nearest(old.tolist())
        assert distance == pytest.approx(nearest[3], abs=1e-5)
        assert distance == pytest.approx(np.linalg.norm(new - old), abs=1e-6)


def test_by_closest_point_the_same_topology_does_not_matter(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    target.matrix_world = Matrix()
    bpy.context.view_layer.update()
    wanted = {raypick.api.landmarks.of(head)[5].id}
    ((name, distance),) = over.transfer(bpy.context, head, target, wanted, by="closest")
    assert distance > 0.5
    sets = {each.set for each in raypick.api.landmarks.of(target)}
    assert sets == {"Landmarks", "Landmarks.001"}
    (record,) = raypick.api.landmarks.of(target, "Landmarks.001")
    assert (record.name, record.moved) == (name, distance)


def test_what_is_nowhere_is_not_transferred(raypick, over, head):
    target = link(head.copy())
    target.data = head.data.copy()
    del target["raypick_landmarks"]
    target.location.x += 1.0
    bpy.context.view_layer.update()
    edit(head, decimate)
    found = over.transfer(bpy.context, head, target)
    assert {distance for _, distance in found} == {None}, "the target has their topology"
    edit(target, triangulate)
    del target["raypick_landmarks"]
    with pytest.raises(raypick.api.RaypickError, match="not known where"):
        over.transfer(bpy.context, head, target)
    assert "raypick_landmarks" not in target


FACES, CORNERS = "raypick_landmark", "raypick_landmark_corner"


@pytest.fixture
def binding(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.landmarks.topology")


@pytest.fixture
def grid():
    """A bent grid of 5 x 5 quads, wider in x, with vertices of its own for each place."""
    vertices = [(2 * x, y, 0.1 * np.sin(x + 2 * y)) for y in range(6) for x in range(6)]
    faces = [(i, i + 1, i + 7, i + 6) for i in (6 * y + x for y in range(5) for x in range(5))]
    obj = mesh_object("Grid", vertices, faces)
    bpy.context.view_layer.objects.active = obj
    return obj


def edit(obj, change):
    """Edit the mesh by a function of its bmesh."""
    edited = bmesh.new()
    edited.from_mesh(obj.data)
    for elements in (edited.verts, edited.edges, edited.faces):
        elements.ensure_lookup_table()
    change(edited)
    edited.to_mesh(obj.data)
    edited.free()
    obj.data.update()


def now(raypick, obj):
    return raypick.api.landmarks.points(bpy.context, obj)


def numbers(obj):
    return [each.value for each in obj.data.attributes[FACES].data]


def names(obj):
    return {FACES, CORNERS} & {*obj.data.attributes.keys()}


# Each leaves face 12, in the middle of the grid, as it is.
ELSEWHERE = {
    "delete": lambda b: bmesh.ops.delete(b, geom=[b.faces[0], b.faces[3]], context="FACES"),
    "poke": lambda b: bmesh.ops.poke(b, faces=[b.faces[2], b.faces[11]]),
    "triangulate": lambda b: bmesh.ops.triangulate(b, faces=[f for f in b.faces if f.index != 12]),
    "extrude": lambda b: bmesh.ops.extrude_discrete_faces(b, faces=[b.faces[13]]),
    "sort": lambda b: b.faces.sort(key=lambda face: -face.index),
    "sort vertices": lambda b: b.verts.sort(key=lambda vertex: -vertex.index),
    "merge": lambda b: bmesh.ops.pointmerge(b, verts=b.verts[:2], merge_co=b.verts[0].co),
    "flip": lambda b: bmesh.ops.reverse_faces(b, faces=b.faces[:]),
    "split": lambda b: bmesh.ops.split(b, geom=[b.faces[12]]),
    "subdivide": lambda b: bmesh.ops.subdivide_edges(
        b, edges=b.faces[0].edges[:], cuts=2, use_grid_fill=True
    ),
}


@pytest.mark.parametrize("change", ELSEWHERE)
def test_edits_elsewhere_leave_bound_landmarks_where_they_were(raypick, binding, grid, change):
    mark(raypick, grid, [(4.3, 2.2, 0), (5.5, 2.9, 0)])
    before = now(raypick, grid)
    assert {each.face for each in raypick.api.landmarks.of(grid)} == {12}
    assert binding.bind(bpy.context, grid) == 2
    edit(grid, ELSEWHERE[change])
    assert np.abs(now(raypick, grid) - before).max() < 1e-6
    assert reasons(raypick, grid) == [None, None]
    # What moves by now, moves them along.
    for vertex in grid.data.vertices:
        vertex.co.z += 3.0
    grid.data.update()
    assert np.abs(now(raypick, grid) - before - (0, 0, 3)).max() < 1e-6


@pytest.mark.parametrize("change", ELSEWHERE)
def test_without_binding_the_same_edits_are_told(raypick, grid, change):
    mark(raypick, grid, [(4.3, 2.2, 0)])
    edit(grid, ELSEWHERE[change])
    assert reasons(raypick, grid) == ["The topology has changed"]


def turn(b):
    """Make face 12 again with another corner as its first, with all that its corners hold."""
    old = b.faces[12]
    corners = [*old.loops][2:] + [*old.loops][:2]
    layer, number = b.loops.layers.int[CORNERS], b.faces.layers.int[FACES]
    held, value = [corner[layer] for corner in corners], old[number]
    vertices = [corner.vert for corner in corners]
    b.faces.remove(old)
    new = b.faces.new(vertices)
    new[number] = value
    for corner, each in zip(new.loops, held, strict=True):
        corner[layer] = each


def test_another_first_corner_changes_no_place(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0), (5.5, 2.9, 0)])
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, turn)
    assert np.abs(now(raypick, grid) - before).max() < 1e-6


HERE = {
    "poke": (lambda b: bmesh.ops.poke(b, faces=[b.faces[12]]), "divided"),
    "triangulate": (lambda b: bmesh.ops.triangulate(b, faces=[b.faces[12]]), "divided"),
    "inset": (
        lambda b: bmesh.ops.inset_individual(b, faces=[b.faces[12]], thickness=0.2),
        "divided",
    ),
    "duplicate": (lambda b: bmesh.ops.duplicate(b, geom=[b.faces[12]]), "divided"),
    "delete": (lambda b: bmesh.ops.delete(b, geom=[b.faces[12]], context="FACES"), "removed"),
    "cut an edge": (
        lambda b: bmesh.ops.bisect_edges(b, edges=[b.faces[12].edges[0]], cuts=1),
        "other corners",
    ),
    "join": (lambda b: bmesh.ops.dissolve_edges(b, edges=[b.faces[12].edges[0]]), "other corners"),
    "merge": (
        lambda b: bmesh.ops.pointmerge(
            b, verts=b.faces[12].verts[:2], merge_co=b.faces[12].verts[0].co
        ),
        "other corners",
    ),
}


@pytest.mark.parametrize("change", HERE)
def test_edits_of_the_bound_face_itself_are_told(raypick, binding, grid, change):
    mark(raypick, grid, [(4.3, 2.2, 0), (0.5, 0.5, 0)])
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, HERE[change][0])
    told = reasons(raypick, grid)
    if change == "delete":
        assert told[0] == "The bound face was removed"
    else:
        assert HERE[change][1] in told[0]
    assert told[1] is None
    assert np.abs(now(raypick, grid)[1] - before[1]).max() < 1e-6


def test_landmarks_on_one_face_share_its_number_and_others_have_none(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0), (5.5, 2.9, 0)], "First")
    mark(raypick, grid, [(4.5, 2.5, 0), (0.5, 0.5, 0)], "Second")
    assert binding.bind(bpy.context, grid) == 4
    found = numbers(grid)
    assert np.flatnonzero(found).tolist() == [0, 12]
    assert len({found[0], found[12], 0}) == 3
    assert [each.bound for each in raypick.api.landmarks.of(grid)] == [True] * 4


def test_numbers_up_to_the_last_that_an_attribute_has_leave_free_ones(raypick, binding, grid):
    """The file of a stranger may have any."""
    mark(raypick, grid, [(4.3, 2.2, 0), (0.5, 0.5, 0)])
    binding.bind(bpy.context, grid)
    grid.data.attributes[FACES].data[20].value = 2**31 - 1
    mark(raypick, grid, [(8.5, 0.5, 0)])
    assert binding.bind(bpy.context, grid) == 3
    found = [each for each in numbers(grid) if each]
    assert len({*found}) == len(found) == 4
    assert min(found) > 0
    grid.data.attributes[FACES].data[20].value = 0
    assert [each.bound for each in raypick.api.landmarks.of(grid)] == [True] * 3
    assert reasons(raypick, grid) == [None] * 3


def test_many_landmarks_are_named_without_a_look_at_the_text_for_each(raypick, grid, monkeypatch):
    mark(raypick, grid, [(x, y, 0) for x in (1, 3, 5) for y in (1, 2, 4)])
    storage = importlib.import_module(f"{raypick.__name__}.bridge.landmarks.storage")
    ids = [each.id for each in raypick.api.landmarks.of(grid)]
    text, looks = storage.text, []
    monkeypatch.setattr(storage, "text", lambda *given: looks.append(given) or text(*given))
    counts = []
    for names in (ids[:1], ids):
        raypick.api.landmarks.bind(bpy.context, grid, names)
        raypick.api.measures.add("polyline", [(grid, each) for each in ids[:2]])
        counts.append(len(looks))
        looks.clear()
    assert counts[0] == counts[1]


def test_the_attributes_go_with_the_last_bound_landmark(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0), (0.5, 0.5, 0), (8.5, 0.5, 0)])
    first, second, third = raypick.api.landmarks.of(grid)
    binding.bind(bpy.context, grid)
    assert np.count_nonzero(numbers(grid)) == 3
    assert binding.unbind(grid, {first.id}) == 1
    assert np.flatnonzero(numbers(grid)).tolist() == [0, 4]
    corners = [each.value for each in grid.data.attributes[CORNERS].data]
    assert np.flatnonzero(corners).tolist() == [0, 1, 2, 3, 16, 17, 18, 19]
    raypick.api.landmarks.remove(grid, second.id)
    assert np.flatnonzero(numbers(grid)).tolist() == [4]
    hit, _ = next(hits_at(raypick, grid, 1, seed=1))
    raypick.api.landmarks.move(bpy.context, grid, third.id, hit)
    assert names(grid) == set()


def test_in_edit_mode_they_are_bound_and_unbound_too(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0), (5.5, 2.9, 0), (0.5, 0.5, 0)])
    before = now(raypick, grid)
    bpy.ops.object.mode_set(mode="EDIT")
    assert binding.bind(bpy.context, grid) == 3
    edited = bmesh.from_edit_mesh(grid.data)
    edited.faces.ensure_lookup_table()
    bmesh.ops.delete(edited, geom=[edited.faces[3]], context="FACES")
    bmesh.update_edit_mesh(grid.data)
    assert np.abs(now(raypick, grid) - before).max() < 1e-6
    bpy.ops.object.mode_set(mode="OBJECT")
    assert np.abs(now(raypick, grid) - before).max() < 1e-6
    assert names(grid) == {FACES, CORNERS}
    bpy.ops.object.mode_set(mode="EDIT")
    assert binding.unbind(grid) == 3
    bpy.ops.object.mode_set(mode="OBJECT")
    assert names(grid) == set()


def test_what_is_bound_later_takes_no_number_that_means_something_else(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0)])
    before = now(raypick, grid)[0]
    binding.bind(bpy.context, grid)
    edit(grid, turn)
    mark(raypick, grid, [(5.5, 2.9, 0), (0.5, 0.5, 0)])
    later = now(raypick, grid)[1:]
    binding.bind(bpy.context, grid)
    edit(grid, ELSEWHERE["flip"])
    edit(grid, ELSEWHERE["delete"])
    there = now(raypick, grid)
    assert np.abs(there[0] - before).max() < 1e-6
    assert np.abs(there[1] - later[0]).max() < 1e-6


def test_objects_that_share_a_mesh_keep_each_others_numbers(raypick, binding, grid):
    other = link(bpy.data.objects.new("Other", grid.data))
    other.location.z = 5.0
    bpy.context.view_layer.update()
    mark(raypick, grid, [(4.3, 2.2, 0), (0.5, 0.5, 0)])
    mark(raypick, other, [(4.5, 2.5, 5), (8.5, 0.5, 5)])
    before = [now(raypick, each) for each in (grid, other)]
    assert binding.bind(bpy.context, grid) == binding.bind(bpy.context, other) == 2
    binding.unbind(grid)
    assert np.flatnonzero(numbers(grid)).tolist() == [4, 12]
    binding.bind(bpy.context, grid)
    edit(grid, ELSEWHERE["flip"])
    for each, places in zip((grid, other), before, strict=True):
        assert np.abs(now(raypick, each) - places).max() < 1e-6
    binding.unbind(other)
    binding.unbind(grid)
    assert names(grid) == set()


def test_what_another_object_binds_later_moves_no_landmark(raypick, binding, grid):
    other = link(bpy.data.objects.new("Other", grid.data))
    other.location.z = 5.0
    bpy.context.view_layer.update()
    mark(raypick, grid, [(4.3, 2.2, 0)])
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, turn)
    assert np.abs(now(raypick, grid) - before).max() < 1e-6
    mark(raypick, other, [(4.5, 2.5, 5)])
    binding.bind(bpy.context, other)
    (told,) = reasons(raypick, grid)
    assert told is not None or np.abs(now(raypick, grid) - before).max() < 1e-6


def test_numbers_that_are_left_over_are_not_given_again(raypick, binding, grid):
    mark(raypick, grid, [(0.5, 0.5, 0)])
    binding.bind(bpy.context, grid)
    del grid["raypick_landmarks"]
    mark(raypick, grid, [(4.3, 2.2, 0)])
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, ELSEWHERE["sort"])
    assert np.abs(now(raypick, grid) - before).max() < 1e-6


def test_on_faces_of_modifiers_they_are_bound_to_what_these_are_made_of(raypick, binding, grid):
    subdivision = grid.modifiers.new("Subdivision", "SUBSURF")
    subdivision.levels = 2
    subdivision.subdivision_type = "SIMPLE"
    mark(raypick, grid, [(4.3, 2.2, 0), (5.5, 2.9, 0)])
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, ELSEWHERE["sort"])
    # Blender's arithmetic depends on the order of the faces.
    assert np.abs(now(raypick, grid) - before).max() < 1e-5


def test_landmarks_on_no_face_of_the_mesh_are_refused_in_words(raypick, binding, grid):
    grid.modifiers.new("Wireframe", "WIREFRAME")
    for hit, _ in hits_at(raypick, grid, 2, seed=2):
        raypick.api.landmarks.add(bpy.context, hit)
    with pytest.raises(raypick.api.RaypickError, match="Modifiers make the face"):
        binding.bind(bpy.context, grid)
    assert names(grid) == set()


def test_after_a_change_of_the_topology_it_is_too_late_to_bind(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0)])
    edit(grid, ELSEWHERE["delete"])
    with pytest.raises(raypick.api.RaypickError, match="topology has changed"):
        binding.bind(bpy.context, grid)
    assert names(grid) == set()


def test_attributes_of_the_same_name_and_another_kind_are_no_numbers(raypick, binding, grid):
    mark(raypick, grid, [(4.3, 2.2, 0)])
    grid.data.attributes.new(FACES, "FLOAT", "POINT")
    before = now(raypick, grid)
    binding.bind(bpy.context, grid)
    edit(grid, ELSEWHERE["delete"])
    assert np.abs(now(raypick, grid) - before).max() < 1e-6
    grid.data.attributes.remove(grid.data.attributes[CORNERS])
    assert reasons(raypick, grid) == ["The topology has changed"]
