# SPDX-License-Identifier: GPL-3.0-or-later
"""Every attribute at a place of a mesh, against bulk reading with NumPy and Blender's own nodes."""

import importlib

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ..scenes import down, link, mesh_object, square

_COMPONENTS = {
    "FLOAT": (1, "value"),
    "INT": (1, "value"),
    "INT8": (1, "value"),
    "BOOLEAN": (1, "value"),
    "FLOAT2": (2, "vector"),
    "FLOAT_VECTOR": (3, "vector"),
    "FLOAT_COLOR": (4, "color"),
    "BYTE_COLOR": (4, "color"),
    "INT32_2D": (2, "value"),
    "INT16_2D": (2, "value"),
    "QUATERNION": (4, "value"),
    "FLOAT4X4": (16, "value"),
}
_KNOWN = {item.identifier for item in bpy.types.Attribute.bl_rna.properties["data_type"].enum_items}
_KINDS = [kind for kind in _COMPONENTS if kind in _KNOWN]
_MIXED = {"FLOAT", "FLOAT2", "FLOAT_VECTOR", "FLOAT_COLOR", "BYTE_COLOR"}


@pytest.fixture
def values_at(raypick):
    return importlib.import_module(f"{raypick.__name__}.bridge.attributes").values_at


@pytest.fixture
def tent():
    """Two quads that meet at a ridge along y, and a triangle at the side; smooth."""
    obj = mesh_object(
        "Tent",
        [(-1, 0, 0), (0, 0, 1), (1, 0, 0), (-1, 2, 0), (0, 2, 1), (1, 2, 0), (3, 1, 0)],
        [(0, 1, 4, 3), (1, 2, 5, 4), (2, 6, 5)],
    )
    obj.data.polygons.foreach_set("use_smooth", [True] * 3)
    return obj


def evaluated(obj):
    """The mesh as evaluated, with its triangles."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    return mesh


def places(mesh, rng):
    """For each triangle what `values_at` asks for: face, corners, vertices, weights."""
    for triangle in mesh.loop_triangles:
        weights = rng.dirichlet((1.0, 1.0, 1.0))
        yield triangle.polygon_index, tuple(triangle.loops), tuple(triangle.vertices), weights


def bulk(attribute, kind):
    """All values of an attribute as an array with a row an element."""
    components, member = _COMPONENTS[kind]
    values = np.empty(len(attribute.data) * components, _dtype(kind))
    attribute.data.foreach_get(member, values)
    return values.reshape(-1, components)


def _dtype(kind):
    if kind == "BOOLEAN":
        return bool
    return np.int32 if kind.startswith("INT") else np.float32


def fill(attribute, kind, rng):
    """Give an attribute random values."""
    components, member = _COMPONENTS[kind]
    shape = len(attribute.data) * components
    if kind == "BOOLEAN":
        values = rng.random(shape) < 0.5
    elif kind.startswith("INT"):
        values = rng.integers(-100, 100, shape).astype(np.int32)
    else:
        values = rng.random(shape).astype(np.float32)
    attribute.data.foreach_set(member, values)


def flat(value):
    """A plain value as a list of numbers; it must be of Python's own types."""
    if isinstance(value, tuple):
        return [number for part in value for number in flat(part)]
    assert type(value) in (bool, int, float)
    return [value]


@pytest.mark.parametrize("domain", ["POINT", "CORNER", "FACE"])
@pytest.mark.parametrize("kind", _KINDS)
def test_an_attribute_of_any_kind_is_read_through_modifiers(values_at, tent, rng, kind, domain):
    fill(tent.data.attributes.new("Mine", kind, domain), kind, rng)
    tent.modifiers.new("Array", "ARRAY").count = 3
    mesh = evaluated(tent)
    values = bulk(mesh.attributes["Mine"], kind)
    for face, corners, vertices, weights in places(mesh, rng):
        answer = values_at(mesh, face, corners, vertices, weights.tolist())
        if kind == "FLOAT2" and domain == "CORNER":
            found = answer.uv_maps
        elif kind.endswith("COLOR") and domain != "FACE":
            found = answer.colors
        else:
            found = answer.attributes
        rows = values[list({"POINT": vertices, "CORNER": corners, "FACE": (face,)}[domain])]
        if domain == "FACE":
            right = rows[0]
        elif kind in _MIXED:
            right = weights @ rows.astype(float)
        else:
            right = rows[np.argmax(weights)]
        given = found["Mine"]
        if kind == "FLOAT4X4":
            given = tuple(zip(*given, strict=True))  # the bulk order is by columns
        np.testing.assert_allclose(flat(given), right, rtol=0, atol=1e-12)


def test_a_text_is_that_of_the_nearest_corner(values_at, tent):
    texts = tent.data.attributes.new("Label", "STRING", "POINT")
    for index, name in enumerate("abcdefg"):
        texts.data[index].value = f"{name}é".encode()
    mesh = evaluated(tent)
    for weights in ((0.2, 0.5, 0.3), (0.25, 0.375, 0.375)):  # of equal weights the first
        told = values_at(mesh, 2, (8, 9, 10), (2, 6, 5), weights)
        assert told.attributes["Label"] == "gé"


def test_a_matrix_is_told_by_rows(values_at, tent):
    matrices = tent.data.attributes.new("Frame", "FLOAT4X4", "FACE")
    matrices.data[2].value = Matrix.Translation((1.0, 2.0, 3.0))
    told = values_at(evaluated(tent), 2, (8, 9, 10), (2, 6, 5), (1.0, 0.0, 0.0))
    assert [row[3] for row in told.attributes["Frame"]] == [1.0, 2.0, 3.0, 1.0]


def test_every_uv_map_is_told_and_which_is_active(values_at, tent, rng):
    told = values_at(evaluated(tent), 0, (0, 1, 2), (0, 1, 4), (0.5, 0.25, 0.25))
    assert (told.uv_maps, told.active_uv) == ({}, None)
    layers = {"First", "Second"}
    for name in sorted(layers):
        tent.data.uv_layers.new(name=name)
        fill(tent.data.attributes[name], "FLOAT2", rng)
    tent.data.uv_layers.active = tent.data.uv_layers["Second"]
    mesh = evaluated(tent)
    for face, corners, vertices, weights in places(mesh, rng):
        told = values_at(mesh, face, corners, vertices, weights.tolist())
        assert told.active_uv == "Second"
        assert not told.attributes.keys() & layers
        assert list(told.uv_maps) == ["First", "Second"]
        for name, uv in told.uv_maps.items():
            right = weights @ bulk(mesh.attributes[name], "FLOAT2")[list(corners)].astype(float)
            np.testing.assert_allclose(uv, right, rtol=0, atol=1e-12)


def test_colours_are_linear_though_bytes_are_stored_as_srgb(values_at, tent):
    colors = tent.data.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    for element in colors.data:
        element.color_srgb = (0.5, 0.5, 0.5, 1.0)
    told = values_at(evaluated(tent), 0, (0, 1, 2), (0, 1, 4), (0.5, 0.25, 0.25)).colors["Paint"]
    np.testing.assert_allclose(told, (0.2140, 0.2140, 0.2140, 1.0), atol=2e-3)


def test_vertex_groups_are_named_and_count_nothing_as_zero(values_at, tent):
    for name in ("Unused", "Ridge", "Zero"):
        tent.vertex_groups.new(name=name)
    tent.vertex_groups["Ridge"].add((1, 4), 0.5, "REPLACE")
    tent.vertex_groups["Zero"].add((0,), 0.0, "REPLACE")
    tent.modifiers.new("Mirror", "MIRROR")
    names = [group.name for group in tent.vertex_groups]
    mesh = evaluated(tent)
    place = 0, (0, 1, 2), (0, 1, 4), (0.5, 0.25, 0.25)
    assert values_at(mesh, *place, names).weights == {"Ridge": 0.25, "Zero": 0.0}
    assert values_at(mesh, *place, names[:1]).weights == {}
    assert values_at(mesh, 2, (8, 9, 10), (2, 6, 5), (0.2, 0.3, 0.5), names).weights == {}


def test_what_is_internal_or_on_edges_is_left_out(values_at, tent):
    mesh = tent.data
    mesh.attributes.new("On Edges", "FLOAT", "EDGE")
    mesh.attributes.new(".hidden_by_dot", "FLOAT", "POINT")
    mesh.uv_layers.new(name="UVMap")
    mesh.normals_split_custom_set_from_vertices([(0.0, 0.0, 1.0)] * len(mesh.vertices))
    bpy.context.view_layer.objects.active = tent
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    told = values_at(evaluated(tent), 0, (0, 1, 2), (0, 1, 4), (0.5, 0.25, 0.25))
    assert list(told.uv_maps) == ["UVMap"]
    assert told.attributes.keys() <= {"sharp_face"}


def test_the_smooth_normal_bends_and_the_flat_one_does_not(values_at, tent):
    mesh = evaluated(tent)
    on_ridge = values_at(mesh, 0, (0, 1, 2), (0, 1, 4), (0.0, 0.5, 0.5))
    inside = values_at(mesh, 0, (0, 1, 2), (0, 1, 4), (0.5, 0.25, 0.25))
    slope = np.array((-1.0, 0.0, 1.0)) / np.sqrt(2.0)
    np.testing.assert_allclose(on_ridge.smooth_normal, (0.0, 0.0, 1.0), atol=1e-6)
    between = slope + (0.0, 0.0, 1.0)
    np.testing.assert_allclose(inside.smooth_normal, between / np.linalg.norm(between), atol=1e-6)
    for told in (on_ridge, inside):
        np.testing.assert_allclose(told.flat_normal, slope, atol=1e-6)
        for normal in (told.smooth_normal, told.flat_normal):
            assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("sharpen", ["all faces", "face", "edge"])
def test_flat_faces_and_sharp_edges_keep_their_normal_apart(values_at, tent, sharpen):
    if sharpen == "all faces":
        tent.data.polygons.foreach_set("use_smooth", [False] * 3)
    elif sharpen == "face":
        tent.data.polygons[0].use_smooth = False
    else:
        for edge in tent.data.edges:
            edge.use_edge_sharp = set(edge.vertices) == {1, 4}
    told = values_at(evaluated(tent), 0, (0, 1, 2), (0, 1, 4), (0.0, 0.5, 0.5))
    np.testing.assert_allclose(told.smooth_normal, told.flat_normal, atol=1e-6)


@pytest.mark.parametrize("shading", ["flat", "smooth", "mixed", "custom"])
def test_the_smooth_normal_is_between_blenders_corner_normals(values_at, tent, rng, shading):
    smooth = {"flat": [False] * 3, "mixed": [True, False, True]}.get(shading, [True] * 3)
    tent.data.polygons.foreach_set("use_smooth", smooth)
    if shading == "custom":
        tent.data.normals_split_custom_set(rng.normal(size=(len(tent.data.loops), 3)))
    mesh = evaluated(tent)
    normals = np.empty((len(mesh.loops), 3), np.float32)
    mesh.corner_normals.foreach_get("vector", normals.ravel())
    for face, corners, vertices, weights in places(mesh, rng):
        told = values_at(mesh, face, corners, vertices, weights.tolist()).smooth_normal
        mixed = weights @ normals[list(corners)].astype(float)
        np.testing.assert_allclose(told, mixed / np.linalg.norm(mixed), rtol=0, atol=1e-6)


def test_custom_normals_are_the_smooth_normal(values_at, tent):
    tent.data.normals_split_custom_set_from_vertices([(0.0, 0.6, 0.8)] * 7)
    told = values_at(evaluated(tent), 0, (0, 1, 2), (0, 1, 4), (0.2, 0.3, 0.5))
    np.testing.assert_allclose(told.smooth_normal, (0.0, 0.6, 0.8), atol=1e-3)
    np.testing.assert_allclose(told.flat_normal, (-(0.5**0.5), 0.0, 0.5**0.5), atol=1e-6)


def test_normals_that_cancel_out_leave_the_flat_one(values_at):
    quad = square()
    opposite = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]
    quad.data.normals_split_custom_set(opposite)
    told = values_at(evaluated(quad), 0, (0, 1, 2), (0, 1, 2), (0.5, 0.5, 0.0))
    assert np.linalg.norm(told.smooth_normal) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("kind", ["FLOAT", "FLOAT_VECTOR", "FLOAT_COLOR"])
@pytest.mark.parametrize("domain", ["POINT", "CORNER", "FACE"])
def test_geometry_nodes_sample_the_same_value(values_at, tent, rng, kind, domain):
    fill(tent.data.attributes.new("Mine", kind, domain), kind, rng)
    mesh = evaluated(tent)
    asked = []
    for face, corners, vertices, weights in places(mesh, rng):
        told = values_at(mesh, face, corners, vertices, weights.tolist())
        value = {**told.colors, **told.attributes}["Mine"]
        point = weights @ [mesh.vertices[vertex].co for vertex in vertices]
        asked.append((point, flat(value)))
    for point, value in asked:
        sampled = bulk(evaluated(_sampler(tent, kind, point)).attributes["Sampled"], kind)
        np.testing.assert_allclose(value, sampled[0], atol=1e-5)


def _sampler(target, kind, point):
    """A vertex that Geometry Nodes gives the value at the nearest place of `target`."""
    group = bpy.data.node_groups.new("Sampler", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    new, connect = group.nodes.new, group.links.new
    entry, leave = new("NodeGroupInput"), new("NodeGroupOutput")
    info, named = new("GeometryNodeObjectInfo"), new("GeometryNodeInputNamedAttribute")
    sample, store = new("GeometryNodeSampleNearestSurface"), new("GeometryNodeStoreNamedAttribute")
    info.inputs["Object"].default_value = target
    named.data_type = sample.data_type = store.data_type = kind
    named.inputs["Name"].default_value = "Mine"
    store.inputs["Name"].default_value = "Sampled"
    connect(info.outputs["Geometry"], sample.inputs["Mesh"])
    connect(_shown(named.outputs), _shown(sample.inputs, "Value"))
    connect(entry.outputs[0], store.inputs["Geometry"])
    connect(_shown(sample.outputs), _shown(store.inputs, "Value"))
    connect(store.outputs[0], leave.inputs[0])
    obj = link(bpy.data.objects.new("Sampler", bpy.data.meshes.new("Sampler")))
    obj.data.from_pydata([point], [], [])
    obj.modifiers.new("Sampler", "NODES").node_group = group
    return obj


def _shown(sockets, name=None):
    """The first socket that the chosen data type shows, of a name."""
    return next(s for s in sockets if s.enabled and name in (None, s.name))


@pytest.mark.parametrize("in_tree", [False, True], ids=["scan", "tree"])
def test_the_smooth_normal_of_a_large_mesh_is_blenders_too(raypick, monkeypatch, rng, in_tree):
    """It is computed at the place alone, as Blender computes that of every vertex first."""
    scene_mesh = importlib.import_module(f"{raypick.__name__}.bridge.mesh.scene_mesh")
    monkeypatch.setattr(scene_mesh, "_MANY_VERTICES", 0)
    snapshot = importlib.import_module(f"{raypick.__name__}.bridge.scene.snapshot")
    bpy.ops.mesh.primitive_monkey_add()
    obj = bpy.context.object
    obj.modifiers.new("Subdivision", "SUBSURF").levels = 1
    obj.scale = (3, 1, -1)
    obj.data.polygons.foreach_set("use_smooth", [True] * len(obj.data.polygons))
    if in_tree:
        down(raypick, 0.1, 0.2)
        snapshot._meshes()[0].polygons.build()
    mesh, compared = evaluated(obj), 0
    assert mesh.normals_domain == "POINT"
    turn = np.linalg.inv(np.array(obj.matrix_world)[:3, :3]).T
    for x, y in rng.uniform(-1, 1, (100, 2)):
        for hit in down(raypick, x, y, all_hits=True):
            corners = mesh.loop_triangles[hit.triangle].loops
            normals = np.array([mesh.corner_normals[corner].vector for corner in corners])
            expected = turn @ (np.array(hit.barycentric) @ normals)
            expected /= np.linalg.norm(expected)
            # Blender weights by an arccosine that is off by up to 7e-5.
            np.testing.assert_allclose(hit.smooth_normal, expected, atol=1e-4)
            compared += 1
    assert compared > 100


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="Blender has no free normals of points yet")
def test_free_normals_of_points_are_the_smooth_normal_of_a_large_mesh_too(raypick):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=150, y_subdivisions=150)
    mesh = bpy.context.object.data
    normals = mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "POINT")
    normals.data.foreach_set("vector", [0.6, 0.0, 0.8] * len(mesh.vertices))
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.update()
    (hit,) = down(raypick, 0.123, 0.234)
    assert hit.smooth_normal == pytest.approx((0.6, 0.0, 0.8), abs=1e-6)
    assert hit.flat_normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)
