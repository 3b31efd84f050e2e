# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen and has no faces is named where a ray meets its box before the first hit."""

from importlib import import_module

import bpy
import numpy as np
import pytest

from ....recorder import drawn
from ...scenes import collection_instance, mesh_object, square
from ..view.test_cameras import HEIGHT, WIDTH, perspective, region, seen_by


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
        return questions.pick(bpy.context, region(), view, (WIDTH // 2, HEIGHT // 2), options)

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
    labels = import_module(f"{raypick.__name__}.overlay.labels")
    panels = [import_module(f"{raypick.__name__}.ui.main_panel").RAYPICK_PT_main]
    line = f"Not picked: {obj.name}"
    assert line in labels.lines_of(raypick.session.current.kept(), bpy.context)
    assert line in drawn(panels, bpy.context).labels
    raypick.session.current.show(None)
