# SPDX-License-Identifier: GPL-3.0-or-later
"""The original face of an evaluated face is right, or it is not told and the reason is.

The oracle is an attribute of the original faces that holds their own index: Blender copies it to
the faces that it makes of them. It has another name than the one that the add-on reads.
"""

import importlib

import bmesh
import bpy
import numpy as np
import pytest

from ...scenes import mesh_object, square

ORACLE = "own_index"


@pytest.fixture
def original(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.original.trace")


@pytest.fixture
def patch():
    """A bent patch of triangles, quads and a pentagon, with a loose edge: its faces differ."""
    obj = mesh_object(
        "Patch",
        [(x, y, 0.3 * np.sin(2.0 * x + y)) for y in range(4) for x in range(4)]
        + [(1.5, 3.5, 0.2), (5, 5, 0), (6, 5, 0)],
        [
            (0, 1, 5, 4),
            (1, 2, 5),
            (2, 6, 5),
            (2, 3, 7, 6),
            (4, 5, 9, 8),
            (5, 6, 10, 9),
            (6, 7, 10),
            (8, 9, 13, 12),
            (9, 10, 14, 16, 13),
            (7, 11, 15, 14, 10),
        ],
    )
    mesh = obj.data
    mesh.edges.add(1)
    mesh.edges[-1].vertices = (17, 18)
    indices = mesh.attributes.new(ORACLE, "INT", "FACE")
    indices.data.foreach_set("value", np.arange(len(mesh.polygons), dtype=np.int32))
    obj.vertex_groups.new(name="Half").add(range(8), 1.0, "REPLACE")
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj


@pytest.fixture
def helper():
    """A small closed mesh for the modifiers that want a second object."""
    vertices = [(1, 1, -1), (2, 1, -1), (1, 2, -1), (1.3, 1.3, 1)]
    return mesh_object("Helper", vertices, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])


def marked(name, vertices, faces):
    """An object whose faces hold their own index."""
    obj = mesh_object(name, vertices, faces)
    indices = obj.data.attributes.new(ORACLE, "INT", "FACE")
    indices.data.foreach_set("value", np.arange(len(obj.data.polygons), dtype=np.int32))
    return obj


def trace(original, obj):
    """For every evaluated face the answer, the reason, and what the oracle says."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    count = len(mesh.polygons)
    told = [original.original_face(evaluated, mesh, face, depsgraph, {}) for face in range(count)]
    own = mesh.attributes.get(ORACLE)
    expected = [own.data[face].value if own else None for face in range(count)]
    evaluated.to_mesh_clear()
    return [(face, reason, right) for (face, reason), right in zip(told, expected, strict=True)]


def add(obj, kind, **settings):
    modifier = obj.modifiers.new(kind.title(), kind)
    for name, value in settings.items():
        setattr(modifier, name, value)
    return modifier


def assert_all_told(original, obj, count):
    traced = trace(original, obj)
    assert len(traced) == count
    assert all(reason is None and face == right for face, reason, right in traced)


def assert_never_wrong(traced):
    for face, reason, right in traced:
        assert (face is None) == isinstance(reason, str)
        assert face is None or face == right


def reasons(original, obj):
    return {reason for _, reason, _ in trace(original, obj)}


def test_without_modifiers_each_face_is_its_own(original, patch):
    assert_all_told(original, patch, 10)


@pytest.mark.parametrize("kind", ["SIMPLE", "CATMULL_CLARK"])
@pytest.mark.parametrize(("levels", "count"), [(0, 10), (1, 39), (2, 156), (3, 624)])
def test_subdivision_leads_back_to_the_face_divided(original, patch, kind, levels, count):
    add(patch, "SUBSURF", levels=levels, subdivision_type=kind)
    assert_all_told(original, patch, count)


@pytest.mark.parametrize(("limit", "count"), [(0, 10), (1, 39), (6, 156)])
def test_the_scenes_simplification_limits_subdivision(original, patch, limit, count):
    add(patch, "SUBSURF", levels=2)
    bpy.context.scene.render.use_simplify = True
    bpy.context.scene.render.simplify_subdivision = limit
    assert_all_told(original, patch, count)


def test_multires_follows_its_level_in_the_viewport(original, patch):
    multires = add(patch, "MULTIRES")
    for _ in range(2):
        bpy.ops.object.multires_subdivide(modifier=multires.name)
    for levels, count in ((0, 10), (1, 39), (2, 156)):
        multires.levels = levels
        assert_all_told(original, patch, count)
    bpy.ops.object.mode_set(mode="SCULPT")
    assert_never_wrong(trace(original, patch))
    bpy.ops.object.mode_set(mode="EDIT")
    multires.show_in_editmode = True
    assert_all_told(original, patch, 10)


@pytest.mark.parametrize(
    ("kind", "settings", "count"),
    [
        ("MIRROR", {"use_axis": (True, False, False)}, 20),
        ("MIRROR", {"use_axis": (True, True, True)}, 80),
        ("MIRROR", {"use_axis": (False, False, False)}, 10),
        ("MIRROR", {"use_mirror_merge": False, "use_bisect_axis": (False, True, False)}, 20),
        ("ARRAY", {"count": 1}, 10),
        ("ARRAY", {"count": 4, "relative_offset_displace": (2.0, 0.0, 0.0)}, 40),
        ("ARRAY", {"count": 3, "use_merge_vertices": True}, 30),
        ("ARRAY", {"fit_type": "FIT_LENGTH", "fit_length": 25.0}, 50),
        ("SOLIDIFY", {"use_rim": False}, 20),
        ("EDGE_SPLIT", {"split_angle": 0.0}, 10),
        ("OCEAN", {"geometry_mode": "DISPLACE", "resolution": 2}, 10),
        ("NODES", {}, 10),
    ],
)
def test_copies_lead_back_to_what_was_copied(original, patch, kind, settings, count):
    add(patch, kind, **settings)
    assert_all_told(original, patch, count)
    add(patch, "SUBSURF", levels=1)
    assert_never_wrong(trace(original, patch))


@pytest.mark.parametrize(("only", "told"), [(False, 20), (True, 10)])
def test_the_rim_of_solidify_has_no_original(original, patch, only, told):
    add(patch, "SOLIDIFY", use_rim_only=only)
    traced = trace(original, patch)
    assert len(traced) > told
    assert [face for face, _, _ in traced[:told]] == [right for *_, right in traced[:told]]
    assert {face for face, *_ in traced[told:]} == {None}
    assert {reason for _, reason, _ in traced[told:]} == {"Made by the modifier Solidify"}
    add(patch, "SUBSURF", levels=2)
    traced = trace(original, patch)
    assert_never_wrong(traced)
    assert sum(face is not None for face, *_ in traced) == told // 10 * 156


def test_the_caps_of_an_array_have_no_original(original, patch, helper):
    add(patch, "ARRAY", count=2, start_cap=helper, end_cap=helper)
    traced = trace(original, patch)
    assert_never_wrong(traced)
    assert [face is not None for face, *_ in traced] == [True] * 20 + [False] * 8
    assert {reason for _, reason, _ in traced[20:]} == {"Made by the modifier Array"}


def test_faces_lost_by_merging_are_noticed(original, patch):
    add(patch, "MIRROR", merge_threshold=3.0)
    traced = trace(original, patch)
    assert 10 < len(traced) < 20
    assert {face for face, *_ in traced} == {None}
    assert reasons(original, patch) == {"The faces do not match the modifier settings"}


def test_a_face_lost_and_another_split_do_not_mislead(original):
    """In the second copy a sliver vanishes and a pinched hexagon falls in two: as many faces."""
    sliver = [(0.0, 0.0, 0.0), (0.02, 0.0, 0.0), (0.0, 1.0, 0.0)]
    left, right = [(-1.0, -1.0, 0.0), (-1.0, -0.5, 0.0)], [(1.0, -0.5, 0.0), (1.0, -1.0, 0.0)]
    hexagon = [(0.0, -0.01, 0.0), *right, (0.02, -0.03, 0.0), *left]
    target = [(5.0, 0.0, 0.0), (6.0, 0.0, 0.0), (6.0, 1.0, 0.0)]
    obj = mesh_object("Pinched", sliver + hexagon + target, [(0, 1, 2), range(3, 9), (9, 10, 11)])
    indices = obj.data.attributes.new(ORACLE, "INT", "FACE")
    indices.data.foreach_set("value", np.arange(3, dtype=np.int32))
    offset = {"use_relative_offset": False, "use_constant_offset": True}
    offset["constant_offset_displace"] = (5.0, 0.0, 0.0)
    add(obj, "ARRAY", count=2, use_merge_vertices=True, merge_threshold=0.1, **offset)
    traced = trace(original, obj)
    assert [right for *_, right in traced] != [0, 1, 2] * 2
    assert_never_wrong(traced)


def test_faces_that_merging_cut_in_two_do_not_mislead_a_subdivision(original):
    """The quads of the second copy's hexagon are those of two triangles, one of them the last."""
    left, right = [(-1.0, -1.0, 0.0), (-1.0, -0.5, 0.0)], [(1.0, -0.5, 0.0), (1.0, -1.0, 0.0)]
    hexagon = [(0.0, -0.01, 0.0), *right, (0.02, -0.03, 0.0), *left]
    target = [(5.0, 0.0, 0.0), (6.0, 0.0, 0.0), (6.0, 1.0, 0.0)]
    obj = marked("Pinched", hexagon + target, [range(6), (6, 7, 8)])
    offset = {"use_relative_offset": False, "use_constant_offset": True}
    offset["constant_offset_displace"] = (5.0, 0.0, 0.0)
    add(obj, "ARRAY", count=2, use_merge_vertices=True, merge_threshold=0.1, **offset)
    add(obj, "SUBSURF", levels=1)
    traced = trace(original, obj)
    assert [right for *_, right in traced] == [0] * 6 + [1] * 3 + [0] * 3 + [1] * 3 + [0] * 3
    assert_never_wrong(traced)
    assert reasons(original, obj) == {"Faces may be missing before the modifier Subsurf"}


TRIANGULATIONS = [
    {"quad_method": quad.identifier, "ngon_method": ngon, "min_vertices": least}
    for quad in bpy.types.TriangulateModifier.bl_rna.properties["quad_method"].enum_items
    for ngon in ("BEAUTY", "CLIP")
    for least in (4, 5, 6)
]


@pytest.mark.parametrize(
    "settings", TRIANGULATIONS, ids=lambda each: "-".join(map(str, each.values()))
)
def test_triangles_lead_back_to_the_face_they_are_cut_from(original, patch, settings):
    """Of three triangles, five quads and two pentagons the larger ones are cut."""
    count = {4: 10 + 5 + 2 * 2, 5: 10 + 2 * 2, 6: 10}[settings["min_vertices"]]
    triangles = add(patch, "TRIANGULATE", **settings)
    assert_all_told(original, patch, count)
    if hasattr(triangles, "keep_custom_normals"):
        triangles.keep_custom_normals = True
        assert_all_told(original, patch, count)


@pytest.mark.parametrize(
    ("stack", "count"),
    [
        ("SUBSURF TRIANGULATE", 2 * 39),
        ("TRIANGULATE SUBSURF", 3 * 19),
        ("TRIANGULATE TRIANGULATE", 19),
        ("MIRROR TRIANGULATE", 2 * 19),
        ("TRIANGULATE MIRROR", 2 * 19),
        ("ARRAY TRIANGULATE MIRROR SUBSURF", 4 * 3 * 19),
        ("SMOOTH TRIANGULATE CAST EDGE_SPLIT", 19),
    ],
)
@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_triangles_are_seen_through_in_any_stack(original, patch, stack, count, mode):
    for kind in stack.split():
        add(patch, kind)
    bpy.ops.object.mode_set(mode=mode)
    assert_all_told(original, patch, count)


def test_a_rim_hides_whether_triangles_are_missing(original, patch):
    """Triangulate leaves out a triangle that is there already; a rim adds any number of faces."""
    add(patch, "TRIANGULATE")
    add(patch, "SOLIDIFY", use_rim=True)
    assert reasons(original, patch) == {"Faces may be missing before the modifier Solidify"}


def test_smaller_faces_than_those_cut_keep_their_corners(original, patch):
    add(patch, "TRIANGULATE", min_vertices=5)
    assert_all_told(original, patch, 10 + 2 * 2)
    add(patch, "SUBSURF", levels=2)
    assert_all_told(original, patch, 4 * (5 * 4 + (3 + 2 * 3) * 3))


# In each, Blender leaves out a triangle that is there already.
DOUBLES = {
    "a triangle on a quad": [(0, 1, 2, 3), (0, 1, 2), (1, 5, 6, 2)],
    "two quads of three edges' vertices": [(1, 5, 6, 2), (0, 1, 2, 4), (0, 1, 2, 3), (1, 5, 6)],
}


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
@pytest.mark.parametrize("faces", DOUBLES.values(), ids=DOUBLES)
def test_a_triangle_that_is_left_out_hides_no_face_but_those_that_share_it(original, faces, mode):
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1), (2, 0, 0), (2, 1, 0)]
    obj = marked("Doubled", corners, faces)
    add(obj, "TRIANGULATE", quad_method="FIXED")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode=mode)
    traced = trace(original, obj)
    assert len(traced) < sum(len(face) - 2 for face in faces)
    assert_never_wrong(traced)
    unknown = {reason for face, reason, _ in traced if face is None}
    assert unknown == {"The faces do not match the modifier settings"}
    assert any(face is not None for face, *_ in traced)
    add(obj, "SUBSURF", levels=1)
    assert reasons(original, obj) == {"The faces do not match the modifier settings"}


def test_a_rim_is_not_told_from_triangles(original, patch):
    add(patch, "SOLIDIFY")
    add(patch, "TRIANGULATE")
    assert reasons(original, patch) == {"The modifier Triangulate changes the faces"}
    patch.modifiers.move(1, 0)
    assert reasons(original, patch) == {"Faces may be missing before the modifier Solidify"}


def test_a_merged_mirror_leads_back_through_a_rim(original, patch):
    add(patch, "MIRROR")
    add(patch, "SOLIDIFY")
    add(patch, "SUBSURF", levels=2)
    traced = trace(original, patch)
    assert_never_wrong(traced)
    assert sum(face is not None for face, *_ in traced) == 2 * 2 * 156


@pytest.mark.parametrize("how", ["in the plane", "displaced", "keyed", "twice"])
def test_a_rim_cannot_hide_what_merging_lost(original, how):
    """What is lost is a quad: no count of faces and corners can tell it from two of the rim."""
    at = 0.0 if how == "in the plane" else 0.5
    fin = [(at, 0, 1), (at, 1, 1), (at, 1, 2), (at, 0, 2)]
    ground = [(x, y, 0) for y in range(3) for x in range(3)]
    quads = [(i, i + 1, i + 4, i + 3) for i in (4, 5, 7, 8)]
    twice = [quads[0]] * (how == "twice")
    obj = mesh_object("Damaged", fin + ground, [(0, 1, 2, 3), *twice, *quads])
    indices = obj.data.attributes.new(ORACLE, "INT", "FACE")
    count = len(obj.data.polygons)
    indices.data.foreach_set("value", np.arange(count, dtype=np.int32))
    if how == "displaced":
        obj.vertex_groups.new(name="Fin").add(range(4), 1.0, "REPLACE")
        push = {"direction": "X", "strength": -0.5, "mid_level": 0.0, "vertex_group": "Fin"}
        add(obj, "DISPLACE", **push)
    if how == "keyed":
        obj.shape_key_add()
        key = obj.shape_key_add()
        for point in key.data[:4]:
            point.co.x = 0.0
        key.value = 1.0
    add(obj, "MIRROR")
    traced = trace(original, obj)
    assert len(traced) < 2 * count
    assert_never_wrong(traced)
    add(obj, "SOLIDIFY")
    assert reasons(original, obj) == {"Faces may be missing before the modifier Solidify"}


@pytest.mark.parametrize("kind", ["BEVEL", "DECIMATE", "MASK", "REMESH", "WELD"])
def test_a_modifier_that_changes_the_faces_is_named(original, patch, kind):
    modifier = add(patch, kind)
    modifier.name = "Mine"
    if kind == "MASK":
        modifier.vertex_group = "Half"
    assert reasons(original, patch) == {"The modifier Mine changes the faces"}
    modifier.show_viewport = False
    assert_all_told(original, patch, 10)


@pytest.mark.parametrize(
    "node",
    [
        "GeometryNodeCaptureAttribute",
        "GeometryNodeFlipFaces",
        "GeometryNodeRemoveAttribute",
        "GeometryNodeReplaceMaterial",
        "GeometryNodeSetID",
        "GeometryNodeSetMaterial",
        "GeometryNodeSetMaterialIndex",
        "GeometryNodeSetMeshNormal",
        "GeometryNodeSetPosition",
        "GeometryNodeSetShadeSmooth",
        "GeometryNodeSplitEdges",
        "GeometryNodeStoreNamedAttribute",
        "GeometryNodeTransform",
        "NodeReroute",
    ],
)
def test_nodes_that_keep_the_faces_are_seen_through(original, patch, node):
    if node != "NodeReroute" and not hasattr(bpy.types, node):
        pytest.skip("not in this Blender")
    inner = chain(node)
    outer = chain("GeometryNodeGroup")
    outer.nodes["GeometryNodeGroup"].node_tree = inner
    for group in (inner, outer):
        patch.modifiers.clear()
        add(patch, "NODES", node_group=group)
        assert_all_told(original, patch, 10)


@pytest.mark.parametrize(
    "node", ["GeometryNodeExtrudeMesh", "GeometryNodeTriangulate", "GeometryNodeGroup", None]
)
def test_nodes_that_may_change_the_faces_are_seen_unless_muted(original, patch, node):
    group = chain(node)
    add(patch, "NODES", node_group=group)
    assert_never_wrong(trace(original, patch))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = patch.evaluated_get(depsgraph)
    told = original.original_face(evaluated, evaluated.data, 0, depsgraph, {})
    assert told == (None, "The modifier Nodes changes the faces")
    if node in ("GeometryNodeExtrudeMesh", "GeometryNodeTriangulate"):
        group.nodes[node].mute = True
        assert_all_told(original, patch, 10)


def test_smooth_by_angle_is_seen_through(original, patch):
    if bpy.ops.object.shade_auto_smooth() == {"CANCELLED"}:
        pytest.skip("the assets are not loaded")
    assert [modifier.type for modifier in patch.modifiers] == ["NODES"]
    assert_all_told(original, patch, 10)


def chain(node):
    """A group of Geometry Nodes with one node, named as its type, between input and output."""
    group = bpy.data.node_groups.new("Chain", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    socket = group.nodes.new("NodeGroupInput").outputs[0]
    leave = group.nodes.new("NodeGroupOutput")
    if node is None:
        return group
    between = group.nodes.new(node)
    between.name = node
    if node == "GeometryNodeGroup":
        between.node_tree = chain(None)
    if node == "GeometryNodeStoreNamedAttribute":
        between.inputs["Name"].default_value = "Stored"
    group.links.new(socket, between.inputs[0])
    group.links.new(between.outputs[0], leave.inputs[0])
    return group


def test_a_mirror_that_bisects_is_named(original, patch):
    add(patch, "MIRROR", use_bisect_axis=(True, False, False))
    assert reasons(original, patch) == {"The modifier Mirror changes the faces"}


def test_an_object_that_is_no_mesh_has_no_original_face(original):
    bpy.ops.object.text_add()
    assert reasons(original, bpy.context.object) == {"The object has no mesh of its own"}


def test_in_edit_mode_it_is_the_face_of_the_mesh_being_edited(original, patch):
    mirror = add(patch, "MIRROR")
    subdivision = add(patch, "SUBSURF", levels=1)
    twin = bpy.context.scene.collection.objects
    twin.link(patch.copy())
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(patch.data)
    edited.faces.ensure_lookup_table()
    bmesh.ops.delete(edited, geom=[edited.faces[1]], context="FACES_ONLY")
    edited.faces.ensure_lookup_table()
    bmesh.ops.poke(edited, faces=[edited.faces[4]])
    own_index = edited.faces.layers.int[ORACLE]
    for index, face in enumerate(edited.faces):
        face[own_index] = index
    corners = sum(len(face.verts) for face in edited.faces)
    assert len(edited.faces) != len(patch.data.polygons)
    bmesh.update_edit_mesh(patch.data)
    assert_all_told(original, patch, 2 * corners)
    assert_all_told(original, twin[-1], 2 * corners)
    mirror.show_in_editmode = False
    assert_all_told(original, patch, corners)
    subdivision.show_in_editmode = False
    assert_all_told(original, patch, len(edited.faces))


@pytest.mark.parametrize("kind", ["BUILD", "DECIMATE", "EXPLODE", "MULTIRES"])
def test_edit_mode_leaves_out_what_it_does_not_support(original, patch, kind):
    add(patch, kind, show_in_editmode=True)
    bpy.ops.object.mode_set(mode="EDIT")
    assert_all_told(original, patch, 10)


def test_sculpting_does_not_mislead(original, patch):
    add(patch, "MIRROR")
    bpy.ops.object.mode_set(mode="SCULPT")
    assert_all_told(original, patch, 20)
    solidify = add(patch, "SOLIDIFY")
    assert reasons(original, patch) == {"Faces may be missing before the modifier Solidify"}
    solidify.show_viewport = False
    bpy.context.scene.tool_settings.sculpt.use_deform_only = True
    patch.update_tag()
    traced = trace(original, patch)
    assert len(traced) == 10
    assert_never_wrong(traced)
    bpy.ops.sculpt.dynamic_topology_toggle()
    assert reasons(original, patch) == {"Dynamic topology changes the faces"}


# Not those of other kinds of objects, and one that Blender adds by itself, with force fields.
_LEFT_OUT = ("GREASE_PENCIL", "LINEART", "MESH_TO_VOLUME", "VOLUME_DISPLACE", "SURFACE")
_KINDS = [
    item.identifier
    for item in bpy.types.Modifier.bl_rna.properties["type"].enum_items
    if not item.identifier.startswith(_LEFT_OUT) or item.identifier == "SURFACE_DEFORM"
]
_TRACED = ["ARRAY", "EDGE_SPLIT", "MIRROR", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "UV_WARP"]
_TRACED += ["WEIGHTED_NORMAL"]


def add_random(rng, obj, kind, helper):
    """Add a modifier with settings at random; one that needs another object is given one."""
    modifier = obj.modifiers.new(kind.title(), kind)
    for name in ("object", "target", "mirror_object", "start_cap"):
        if hasattr(modifier, name) and (name in ("object", "target") or rng.random() < 0.3):
            try:
                setattr(modifier, name, helper)
            except TypeError:  # it wants a lattice, an armature ...
                continue
    settings = {
        "use_axis": (rng.random(3) < 0.3).tolist(),
        "use_bisect_axis": (rng.random(3) < 0.2).tolist(),
        "merge_threshold": float(rng.choice([0.01, 0.5, 1.2])),
        "octree_depth": 3,
        "resolution": 2,
        "steps": 4,
        "ratio": 0.5,
        "fit_length": 9.0,
        "count": int(rng.integers(1, 4)),
        "min_vertices": int(rng.integers(4, 7)),
    }
    if kind == "SUBSURF":
        settings["levels"] = int(rng.integers(3))
    for name in ("use_merge_vertices", "use_mirror_merge", "use_rim", "use_rim_only"):
        settings[name] = bool(rng.random() < 0.5)
    for name in ("fit_type", "solidify_mode", "subdivision_type", "geometry_mode", "quad_method"):
        if hasattr(modifier, name):
            items = modifier.bl_rna.properties[name].enum_items
            settings[name] = items[rng.integers(len(items))].identifier
    for name, value in settings.items():
        if hasattr(modifier, name):
            setattr(modifier, name, value)
    modifier.show_viewport = bool(rng.random() < 0.9)


@pytest.mark.parametrize("kind", _KINDS)
def test_no_modifier_leads_to_a_wrong_face(original, patch, helper, rng, kind):
    for _ in range(4):
        patch.modifiers.clear()
        add_random(rng, patch, kind, helper)
        assert_never_wrong(trace(original, patch))


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT", "SCULPT"])
def test_no_stack_of_modifiers_leads_to_a_wrong_face(original, patch, helper, rng, mode):
    bpy.ops.object.mode_set(mode=mode)
    render, sculpt = bpy.context.scene.render, bpy.context.scene.tool_settings.sculpt
    told = 0
    for _ in range(60):
        patch.modifiers.clear()
        for _ in range(rng.integers(1, 4)):
            kinds = _TRACED if rng.random() < 0.7 else _KINDS
            add_random(rng, patch, str(rng.choice(kinds)), helper)
        render.use_simplify = bool(rng.random() < 0.3)
        render.simplify_subdivision = int(rng.integers(3))
        sculpt.use_deform_only = bool(rng.random() < 0.3)
        traced = trace(original, patch)
        assert_never_wrong(traced)
        told += bool(traced) and traced[0][0] is not None
    assert told >= 20


def test_tracing_leaves_the_scene_as_it_was(original):
    obj = square()
    add(obj, "SUBSURF")
    before = len(bpy.data.meshes)
    trace(original, obj)
    assert len(bpy.data.meshes) == before
    assert len(obj.data.attributes) == len(square("Other").data.attributes)
