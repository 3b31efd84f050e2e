# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of every kind are hit where they are seen, and named.

What is seen and has no faces is named where a ray meets its box before the first hit.
"""

from importlib import import_module

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from ....recorder import drawn
from ...oracle import matrices
from ...scenes import collection_instance, down, instance_on_points, link, mesh_object, square
from ..view.test_cameras import HEIGHT, WIDTH, perspective, region, seen_by

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


def grease_pencil():
    if bpy.app.version >= (4, 3):
        bpy.ops.object.grease_pencil_add(type="MONKEY", location=(0, 0, 1))
    else:
        bpy.ops.object.gpencil_add(type="MONKEY", location=(0, 0, 1))
    bpy.context.object.rotation_euler.x = 1.5  # its strokes lie in a plane
    return bpy.context.object


def hair_curves():
    bpy.ops.object.curves_random_add(location=(0, 0, 1))
    return bpy.context.object


def made_by_nodes(node, socket):
    """An object whose Geometry Nodes make of it what a node makes."""
    obj = mesh_object("Grid", [(x, y, 1.0) for x in (-1, 1) for y in (-1, 1)], [(0, 1, 3, 2)])
    group = bpy.data.node_groups.new("Nodes", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    entry, leave, made = map(group.nodes.new, ("NodeGroupInput", "NodeGroupOutput", node))
    if made.inputs.get("Mesh"):
        group.links.new(entry.outputs[0], made.inputs["Mesh"])
    group.links.new(made.outputs[socket], leave.inputs[0])
    obj.modifiers.new("Nodes", "NODES").node_group = group
    return obj


KINDS = {
    "hair curves": hair_curves,
    "Grease Pencil": grease_pencil,
    "a point cloud": lambda: made_by_nodes("GeometryNodeMeshToPoints", "Points"),
    "a volume": lambda: made_by_nodes("GeometryNodeVolumeCube", "Volume"),
}


@pytest.fixture
def look(raypick):
    """Return a function that picks in the middle of a view along the world's z axis."""
    questions = import_module(f"{raypick.__name__}.session.queries")
    square(size=20.0).location = (-10, -10, 0)
    camera = perspective()
    camera.location, camera.rotation_euler = (0.1, 0.05, 9.0), (0, 0, 0)

    def pick(**options):
        view = seen_by(camera)
        options = raypick.bridge.query.QueryOptions(**options)
        spot = questions.Spot(None, region(), view, (WIDTH // 2, HEIGHT // 2))
        return questions.pick(bpy.context, spot, options)

    return pick


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_named_where_it_is_before_the_hit(look, kind):
    assert look().unpickable == ()
    obj = KINDS[kind]()
    record = look()
    assert record.hit.object == "Square"
    assert record.unpickable == (obj.name,)


def test_not_behind_the_hit_nor_beside_the_ray(look):
    obj = hair_curves()
    for place in ((0, 0, -8), (8, 0, 1), (0, 0, 20)):
        obj.location = place
        assert look().unpickable == (), place


def test_where_nothing_is_hit_it_is_named_too(look):
    bpy.data.objects["Square"].hide_set(True)
    obj = hair_curves()
    record = look()
    assert (record.hit, record.unpickable) == (None, (obj.name,))


@pytest.mark.parametrize("how", ["hide_set", "hide_viewport", "exclude", "beyond the clip plane"])
def test_what_is_not_shown_is_not_named(look, how):
    obj = hair_curves()
    options = {}
    if how == "hide_set":
        obj.hide_set(True)
    elif how == "hide_viewport":
        obj.hide_viewport = True
    elif how == "exclude":
        options["exclude"] = [obj]
    else:
        bpy.data.objects["Camera"].data.clip_end = 3.0
    assert look(**options).unpickable == ()


def test_an_instance_is_named(look):
    obj = hair_curves()
    empty = collection_instance(obj, (0, 0, 1))
    obj.location.z = 0
    assert look().unpickable == (obj.name,)
    empty.location.x = 30
    assert look().unpickable == ()


def test_a_box_is_met_where_its_sides_are(raypick, rng):
    """Against steps along the ray, with any matrix."""
    module = import_module(f"{raypick.__name__}.bridge.scene.instances")
    met = 0
    for _ in range(200):
        matrix = np.eye(4)
        matrix[:3] = rng.normal(size=(3, 4))
        box = np.sort(rng.normal(size=(2, 3)), axis=0)
        origin, aside = rng.normal(size=(2, 3)) * 3
        direction = matrix[:3, :3] @ rng.uniform(*box) + matrix[:3, 3] + aside / 6 - origin
        direction /= np.linalg.norm(direction)
        most = rng.uniform(0.5, 8.0)
        steps = np.linspace(0.0, most, 4001)
        local = (origin + steps[:, None] * direction - matrix[:3, 3]) @ np.linalg.inv(
            matrix[:3, :3]
        ).T
        depth = np.minimum(local - box[0], box[1] - local).min(axis=1).max()
        if abs(depth) < 0.02:
            continue
        through = module.Unpickable("", frozenset(), box, matrix)
        assert through.is_met(origin, direction, 0.0, most) == (depth > 0)
        met += depth > 0
    assert met > 10


def test_the_label_and_the_panel_say_so(raypick, look):
    obj = hair_curves()
    raypick.session.current.show(look())
    mouse_label = import_module(f"{raypick.__name__}.overlay.mouse_label")
    panels = [import_module(f"{raypick.__name__}.ui.pick_panel").RAYPICK_PT_main]
    line = f"Not picked: {obj.name}"
    (label,) = mouse_label.lines_of(raypick.session.current.kept(), bpy.context)
    assert label.endswith(f" · {line}")
    assert line in drawn(panels, bpy.context).labels
    raypick.session.current.show(None)
