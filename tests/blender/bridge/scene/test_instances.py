# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of every kind are hit where they are seen, and named."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ...oracle import matrices
from ...scenes import collection_instance, down, instance_on_points, link, mesh_object, square

TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


def carrier(points=((0, 0, 0), (4, 0, 0)), faces=()):
    return mesh_object("Carrier", list(points), list(faces))


def places():
    """The matrices of all instances, as Blender lists them."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    are_instances = [i.is_instance for i in depsgraph.object_instances]
    return [Matrix(matrix) for matrix in matrices(depsgraph)[are_instances]]


def at(raypick, place, local):
    """All hits at a local place of an instance of something flat."""
    target = np.array(place @ Vector(local))
    normal = np.array(place.to_3x3() @ Vector((0, 0, 1)))
    hits = raypick.api.ray_cast(bpy.context, target + normal, -normal, all_hits=True)
    return [hit for hit in hits if np.allclose(hit.point, target, atol=1e-5)]


def test_vertices_can_carry_their_children(raypick):
    parent = carrier()
    child = square("Child")
    child.parent = parent
    parent.instance_type = "VERTS"
    first, second = down(raypick, 0.25, 0.5), down(raypick, 4.25, 0.5)
    assert [(hit.object, hit.instancer) for hit in first + second] == [("Child", "Carrier")] * 2
    assert first[0].instance != second[0].instance
    assert second[0].original_face == 0


def test_faces_can_carry_their_children(raypick):
    corners = [(10 * x, 10 * y, 5) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    parent = carrier(corners, [(0, 1, 2, 3)])
    child = mesh_object("Child", TRIANGLE, [(0, 1, 2)])
    child.parent = parent
    parent.instance_type = "FACES"
    parent.show_instancer_for_viewport = False
    (place,) = places()
    (hit,) = at(raypick, place, (0.2, 0.3, 0.0))
    assert (hit.object, hit.instancer) == ("Child", "Carrier")
    assert hit.point_local == pytest.approx((0.2, 0.3, 0.0), abs=1e-6)


def test_an_instance_is_right_where_the_list_begins_with_it(raypick):
    # Blender 4.5 and 5.0 have then freed what they tell of it in Python.
    empty = collection_instance(square("Square", z=1.0), (5, 0, 0))
    empty.show_instancer_for_viewport = False
    text = link(bpy.data.objects.new("Text", bpy.data.curves.new("Text", "FONT")))
    text.data.body = "Ab"
    (hit,) = down(raypick, 5.25, 0.5)
    assert (hit.object, hit.instancer, hit.instance) == ("Square", "Instancer", (0,))
    assert hit.point == pytest.approx((5.25, 0.5, 1.0), abs=1e-6)


def test_particles_are_instances_of_their_object(raypick):
    tile = square("Tile")
    tile.location = (50, 0, 0)
    emitter = square("Emitter", z=-5.0)
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.type = "HAIR"
    settings.render_type = "OBJECT"
    settings.instance_object = tile
    settings.count = 5
    settings.particle_size = 0.5
    hits = [hit for place in places() for hit in at(raypick, place, (0.3, 0.4, 0.0))]
    assert {(hit.object, hit.instancer) for hit in hits} == {("Tile", "Emitter")}
    assert len({hit.instance for hit in hits}) == 5


def nodes_with(obj, *names):
    """A Geometry Nodes modifier of a chain of nodes."""
    group = bpy.data.node_groups.new("Chain", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    last = group.nodes.new("NodeGroupInput").outputs[0]
    for name in names:
        node = group.nodes.new(name)
        group.links.new(last, node.inputs[0])
        last = node.outputs[0]
    group.links.new(last, group.nodes.new("NodeGroupOutput").inputs[0])
    obj.modifiers.new("Chain", "NODES").node_group = group


def test_realised_instances_are_faces_of_their_carrier(raypick):
    obj = carrier()
    instance_on_points(obj)
    (instance,) = down(raypick, 4.1, 0.2)
    nodes_with(obj, "GeometryNodeRealizeInstances")
    (realised,) = down(raypick, 4.1, 0.2)
    assert (instance.instancer, realised.instancer) == ("Carrier", None)
    assert (instance.object, realised.object) == ("Carrier", "Carrier")
    assert realised.face == instance.face + 6
    assert realised.point == instance.point
    assert (realised.original_face, bool(realised.original_reason)) == (None, True)


def test_nested_node_instances_are_hit_where_they_are_seen(raypick):
    """Points that carry a collection, whose objects carry cubes."""
    inner = carrier([(0, 0, 0), (0, 3, 0)])
    inner.name = "Inner"
    instance_on_points(inner)
    empty = collection_instance(inner, (0, 0, 0))
    collection = empty.instance_collection
    bpy.data.objects.remove(empty)
    outer = carrier([(20, 0, 0), (30, 0, 0)])
    outer.name = "Outer"
    group = bpy.data.node_groups.new("Nested", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    entry, leave = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    info = group.nodes.new("GeometryNodeCollectionInfo")
    info.inputs["Collection"].default_value = collection
    instance = group.nodes.new("GeometryNodeInstanceOnPoints")
    group.links.new(entry.outputs[0], instance.inputs["Points"])
    group.links.new(info.outputs[0], instance.inputs["Instance"])
    group.links.new(instance.outputs[0], leave.inputs[0])
    outer.modifiers.new("Nested", "NODES").node_group = group
    ids = set()
    for x in (20, 30):
        for y in (0, 3):
            (hit,) = down(raypick, x + 0.1, y + 0.2)
            assert hit.instancer == "Outer"
            assert Matrix(hit.matrix_world).translation[:] == pytest.approx((x, y, 0))
            ids.add(hit.instance)
    assert len(ids) == 4
    assert min(map(len, ids)) > 1


def test_an_object_removed_from_under_its_node_instances_is_gone(raypick):
    """Blender crashes when it lists these instances before it has evaluated their carrier anew."""
    source = square("Source")
    source.location.z = -50.0
    instance_on_points(carrier(), source)
    assert down(raypick, 4.25, 0.5)
    bpy.data.objects.remove(source)
    assert not down(raypick, 4.25, 0.5)


def test_it_is_gone_if_nothing_was_picked_before(raypick):
    source = square("Source")
    source.location.z = -50.0
    instance_on_points(carrier(), source)
    bpy.context.view_layer.update()
    bpy.data.objects.remove(source)
    assert not down(raypick, 4.25, 0.5)


def test_a_lattice_parent_and_a_shear_are_followed(raypick):
    obj = square()
    obj.matrix_world = Matrix(((1, 0.5, 0, 2), (0, 1, 0, 0), (0, 0.25, 1, 0), (0, 0, 0, 1)))
    outer = link(bpy.data.objects.new("Outer", None))
    outer.scale = (1, 3, 1)
    outer.rotation_euler = (0, 0, 0.5)
    obj.parent = outer
    bpy.context.view_layer.update()
    target = obj.matrix_world @ Vector((0.3, 0.6, 0.0))
    (hit,) = down(raypick, target.x, target.y)
    assert hit.point_local == pytest.approx((0.3, 0.6, 0.0), abs=1e-6)
    assert hit.point == pytest.approx(tuple(target), abs=1e-5)


def test_an_instance_is_drawn_in_front_if_its_instancer_is(raypick):
    source = square("Tile")
    instancer = collection_instance(source, (5, 0, -1))
    square("Wall").location = (5, 0, 0)
    module = raypick.bridge.query
    query = module.PickQuery((5.25, 0.5, 9), (0, 0, -1), in_front_first=True)
    for obj, names in ((None, ["Wall"]), (instancer, ["Tile"]), (source, ["Tile"])):
        instancer.show_in_front = obj is instancer
        source.show_in_front = obj is source
        bpy.context.view_layer.update()
        assert [hit.object for hit in module.hits(bpy.context, query)] == names
