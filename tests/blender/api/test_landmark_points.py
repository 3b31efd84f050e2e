# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks are on the surface that Blender displays, at every frame.

The oracle reads the vertices of the evaluated mesh one by one, adds them up with the weights that
the hit had, and moves the sum by the matrix that the depsgraph lists.
"""

import bmesh
import bpy
import numpy as np
import pytest

from ..scenes import collection_instance, instance_on_points, link, mesh_object, suzanne

FRAMES = [1, 2.5, 4, 7, 10]


def animate(owner, path, *values):
    """Keys at the first and the last frame."""
    for frame, value in zip((1, 10), values, strict=True):
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def add(obj, kind, **settings):
    modifier = obj.modifiers.new(kind.title(), kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    return modifier


def moved():
    obj = suzanne()
    obj.rotation_euler = (0.3, 0.2, 0.1)
    animate(obj, "location", (0, 0, 0), (3, -2, 5))
    return obj


def shape_keys():
    obj = suzanne()
    obj.shape_key_add(name="Basis")
    for number in range(2):
        key = obj.shape_key_add(name=f"Key {number}")
        for point in key.data:
            point.co.x += np.sin(7 * point.co.y + number)
        animate(key, "value", 0.0, 1.0 - 0.3 * number)
    return obj


def armature(*kinds):
    obj = suzanne()
    rig = link(bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig")))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, x in (("Left", -0.5), ("Right", 0.5)):
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail = (x, 0, -1), (x, 0, 1)
    bpy.ops.object.mode_set(mode="POSE")
    for bone, turn in zip(rig.pose.bones, (0.9, -0.6), strict=True):
        bone.rotation_mode = "XYZ"
        animate(bone, "rotation_euler", (0, 0, 0), (turn, 0.4, turn))
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, sign in (("Left", -1), ("Right", 1)):
        group = obj.vertex_groups.new(name=name)
        for vertex in obj.data.vertices:
            weight = min(max(0.5 + 0.5 * sign * vertex.co.x, 0.0), 1.0)
            group.add([vertex.index], weight, "REPLACE")
    add(obj, "ARMATURE", object=rig)
    for kind in kinds:
        modifier = add(obj, kind)
        if kind == "MIRROR":
            modifier.use_mirror_merge = False  # what is merged depends on the pose
    return obj


def lattice():
    obj = suzanne()
    cage = link(bpy.data.objects.new("Cage", bpy.data.lattices.new("Cage")))
    cage.scale = (3, 3, 3)
    cage.data.points[0].co_deform.z += 0.7
    animate(cage, "rotation_euler", (0, 0, 0), (0.5, 1.0, 0))
    add(obj, "LATTICE", object=cage)
    animate(cage, "location", (0, 0, 0), (0.4, 0.1, 0.2))
    return obj


def wave():
    obj = suzanne()
    add(obj, "SUBSURF", levels=1)
    add(obj, "WAVE", height=0.4)
    return obj


def linked_mesh():
    """Two objects of one mesh, of which one is subdivided."""
    obj = suzanne()
    other = link(bpy.data.objects.new("Other", obj.data))
    add(other, "SUBSURF", levels=2)
    animate(other, "location", (5, 0, 0), (5, 5, 0))
    return other


def scaled(*scale):
    obj = armature("SUBSURF")
    obj.scale = scale
    return obj


def flattened():
    obj = armature("SUBSURF")
    animate(obj, "scale", (1, 1, 2), (1, 0, 2))
    return obj


def parented():
    obj = suzanne()
    parent = link(bpy.data.objects.new("Parent", None))
    obj.parent = parent
    obj.scale = (1, 2, 1)
    animate(parent, "rotation_euler", (0, 0, 0), (1, 2, 3))
    return obj


def collection():
    obj = armature("SUBSURF")
    empty = collection_instance(obj, (0, 0, 0))
    empty.scale = (1, -1, 2)
    animate(empty, "location", (0, 0, 4), (6, 0, 4))
    return obj


def nodes_of_object():
    """Geometry Nodes instance an object, which is on the scene too."""
    source = armature("SUBSURF")
    source.location.z = -5
    carrier = mesh_object("Carrier", [(0, 0, 0), (6, 0, 0), (0, 6, 0)], [(0, 1, 2)])
    instance_on_points(carrier, source)
    animate(carrier, "location", (0, 0, 0), (1, 1, 1))
    return source


def nodes_of_nodes():
    """Geometry Nodes make the mesh and its instances."""
    carrier = mesh_object("Carrier", [(0, 0, 0), (6, 0, 0), (0, 6, 0)], [(0, 1, 2)])
    instance_on_points(carrier)
    animate(carrier, "rotation_euler", (0, 0, 0), (1, 1, 1))
    return carrier


SCENES = {
    "moved": moved,
    "shape keys": shape_keys,
    "armature": armature,
    "armature, subsurf": lambda: armature("SUBSURF"),
    "armature, mirror, subsurf": lambda: armature("MIRROR", "SUBSURF"),
    "armature, solidify": lambda: armature("SOLIDIFY"),
    "armature, wireframe": lambda: armature("WIREFRAME"),
    "lattice": lattice,
    "wave": wave,
    "linked mesh": linked_mesh,
    "parent": parented,
    "mirrored": lambda: scaled(-1, 2, 3),
    "flat": flattened,
    "collection": collection,
    "nodes of an object": nodes_of_object,
    "nodes of a mesh": nodes_of_nodes,
}


def rows():
    """Every mesh that the depsgraph lists: its object, instance and matrix, and a copy of it."""
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type != "MESH":
            continue
        instancer = instance.parent.name if instance.is_instance else None
        ids = [i for i in instance.persistent_id if i != 2**31 - 1] or [0]
        mesh = instance.object.to_mesh()
        mesh.calc_loop_triangles()
        yield (
            (instance.object.original.name, instancer, tuple(ids) if instancer else None),
            [[*row] for row in instance.matrix_world],
            mesh,
        )
        instance.object.to_mesh_clear()


def place(raypick, obj, count, seed):
    """Add landmarks at random places of all meshes that the object has; their hits."""
    rng = np.random.default_rng(seed)
    every = [(key, len(mesh.loop_triangles)) for key, _, mesh in rows() if key[0] == obj.name]
    every = [(key, triangles) for key, triangles in every if triangles]
    hits = []
    for number in range(count):
        (_, instancer, ids), triangles = every[number % len(every)]
        options = {} if instancer is None else {"instancer": instancer, "instance": ids}
        hit = raypick.api.place(
            bpy.context,
            obj,
            triangle=int(rng.integers(triangles)),
            barycentric=rng.dirichlet((1, 1, 1)),
            **options,
        )
        raypick.api.landmarks.add(bpy.context, hit)
        hits.append(hit)
    return hits


def by_hand(hits):
    """Where the places of hits are in world space, as far as faces are split as they were."""
    found = {}
    for key, matrix, mesh in rows():
        for number, hit in enumerate(hits):
            if (hit.object, hit.instancer, hit.instance) == key:
                corners = weights_now(mesh, hit)
                local = [sum(w * mesh.vertices[v].co[k] for v, w in corners) for k in range(3)]
                found[number] = [
                    row[3] + sum(m * x for m, x in zip(row, local, strict=False)) for row in matrix
                ][:3]
    return np.array([found[number] for number in range(len(hits))])


def weights_now(mesh, hit):
    """The vertices around a place, with weights.

    In a quad of a face that was divided, it is at the same place of the unit square, whichever way
    the quad is split by now.
    """
    modifiers = bpy.data.objects[hit.object].modifiers
    if all(modifier.type != "SUBSURF" for modifier in modifiers):
        return [*zip(hit.vertices, hit.barycentric, strict=True)]
    triangles = [each.vertices[:] for each in mesh.loop_triangles if each.polygon_index == hit.face]
    own = dict(zip(hit.vertices, hit.barycentric, strict=True))
    if any({*each} == {*own} for each in triangles):
        return own.items()
    p, q, r, s = mesh.polygons[hit.face].vertices
    at = dict(zip((p, q, r, s), ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True))
    x, y = (sum(w * at[v][k] for v, w in own.items()) for k in range(2))
    if (p, q, r) in map(tuple, triangles) or (p, r, s) in map(tuple, triangles):
        return ((p, 1 - x), (q, x - y), (r, y)) if x > y else ((p, 1 - y), (r, x), (s, y - x))
    beside = x + y < 1
    return ((p, 1 - x - y), (q, x), (s, y)) if beside else ((q, 1 - y), (r, x + y - 1), (s, 1 - x))


@pytest.mark.parametrize("scene", SCENES)
def test_points_are_where_the_same_weights_of_the_displayed_vertices_are(raypick, scene):
    obj = SCENES[scene]()
    bpy.context.scene.frame_set(1)
    hits = place(raypick, obj, 24, seed=3)
    found = raypick.api.landmarks.points(bpy.context, obj, frames=FRAMES)
    assert found.shape == (len(FRAMES), 24, 3)
    for frame, points in zip(FRAMES, found, strict=True):
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        assert np.abs(points - by_hand(hits)).max() < 1e-6, f"frame {frame}"
    assert np.abs(found[0] - found[-1]).max() > 0.01, "nothing moved"
    on_frame = raypick.api.landmarks.points(bpy.context, obj)
    assert np.array_equal(on_frame, found[-1])


def test_the_scene_stays_at_its_frame(raypick):
    obj = moved()
    place(raypick, obj, 3, seed=0)
    bpy.context.scene.frame_set(3, subframe=0.25)
    raypick.api.landmarks.points(bpy.context, obj, frames=[7, 1])
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (3, 0.25)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (3, "frames must be a list"),
        (["x"], "must be a number"),
        ([1, float("nan")], "there is no frame"),
        ([1e300], "there is no frame"),
    ],
)
def test_what_are_no_frames_is_refused_in_words(raypick, frames, message):
    obj = suzanne()
    bpy.context.scene.frame_set(3)
    with pytest.raises(raypick.api.RaypickError, match=message):
        raypick.api.landmarks.points(bpy.context, obj, frames=frames)
    assert bpy.context.scene.frame_current == 3


def test_a_curve_that_says_to_have_a_place_on_an_original_mesh_has_it_where_it_is_shown(raypick):
    bpy.ops.curve.primitive_bezier_circle_add()
    obj = bpy.context.object
    obj.data.bevel_depth = 0.2
    bpy.context.view_layer.update()
    (hit, *_) = raypick.api.ray_cast(bpy.context, (1, 0.01, 9), (0, 0, -1))
    raypick.api.landmarks.add(bpy.context, hit)
    text = obj["raypick_landmarks"]
    obj["raypick_landmarks"] = text.replace('"evaluated": true', '"evaluated": false')
    assert obj["raypick_landmarks"] != text
    (place,) = raypick.api.landmarks.where(bpy.context, obj)
    assert place.point == pytest.approx(hit.point, abs=1e-6)


@pytest.mark.parametrize("kinds", [(), ("SUBSURF",), ("MIRROR", "SUBSURF")], ids=str)
def test_in_edit_mode_they_follow_vertices_that_are_moved(raypick, kinds):
    obj = suzanne()
    for kind in kinds:
        add(obj, kind).show_in_editmode = True
    hits = place(raypick, obj, 24, seed=4)
    bpy.ops.object.mode_set(mode="EDIT")
    for step in range(3):
        edited = bmesh.from_edit_mesh(obj.data)
        for vertex in edited.verts:
            vertex.co.z += 0.3 * np.sin(3 * vertex.co.x + step)
        bmesh.update_edit_mesh(obj.data)
        points = raypick.api.landmarks.points(bpy.context, obj)
        assert np.abs(points - by_hand(hits)).max() < 1e-6
    bpy.ops.object.mode_set(mode="OBJECT")
    after = raypick.api.landmarks.points(bpy.context, obj)
    assert np.abs(after - points).max() < 1e-6


@pytest.mark.parametrize("kinds", [(), ("SUBSURF",)], ids=str)
def test_in_sculpt_mode_they_follow_vertices_that_are_moved(raypick, kinds):
    obj = suzanne()
    for kind in kinds:
        add(obj, kind)
    hits = place(raypick, obj, 24, seed=5)
    bpy.ops.object.mode_set(mode="SCULPT")
    for vertex in obj.data.vertices:
        vertex.co.z += 0.3 * np.sin(3 * vertex.co.x)
    obj.data.update()
    obj.update_tag(refresh={"DATA"})
    bpy.context.view_layer.update()
    points = raypick.api.landmarks.points(bpy.context, obj)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert np.abs(points - by_hand(hits)).max() < 1e-6


def test_of_hidden_objects_it_is_not_known_where_they_are(raypick):
    obj = suzanne()
    place(raypick, obj, 3, seed=6)
    obj.hide_viewport = True
    bpy.context.view_layer.update()
    assert np.isnan(raypick.api.landmarks.points(bpy.context, obj)).all()
    (told,) = {each.reason for each in raypick.api.landmarks.where(bpy.context, obj)}
    assert told == "The object is not visible"


def test_a_preference_for_subdivision_on_the_gpu_changes_no_place(raypick):
    system = bpy.context.preferences.system
    before = system.use_gpu_subdivision
    try:
        points = []
        for wanted in (True, False):
            bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
            bpy.context.preferences.system.use_gpu_subdivision = wanted
            obj = armature("SUBSURF")
            bpy.context.scene.frame_set(1)
            hits = place(raypick, obj, 24, seed=7)
            bpy.context.scene.frame_set(9)
            points.append(raypick.api.landmarks.points(bpy.context, obj))
            assert np.abs(points[-1] - by_hand(hits)).max() < 1e-6
        assert np.array_equal(*points)
    finally:
        bpy.context.preferences.system.use_gpu_subdivision = before
