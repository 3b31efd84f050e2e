# SPDX-License-Identifier: GPL-3.0-or-later
"""What the shading of a viewport puts in front or leaves out is picked as it is drawn."""

import pytest

from tests.windowed.views import set_up

pytestmark = pytest.mark.wide

# A red square inside of a blue box, both around the middle of the view.
SCENE = """
import math
from types import SimpleNamespace

def box(name, size, color):
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-size, size) for y in (-size, size) for z in (-size, size)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, mesh)
    obj.location = view.view_location
    obj.color = color
    bpy.context.scene.collection.objects.link(obj)
    return obj

bpy.data.objects.remove(target)
inner, outer = box("Inner", 0.5, (1, 0, 0, 1)), box("Outer", 1.0, (0, 0, 1, 1))
space.shading.light, space.shading.color_type = "FLAT", "OBJECT"
space.overlay.show_overlays = False
result = None
"""

PICK = """
from bl_ext.user_default.raypick import api
[hit.object for hit in api.pick(bpy.context, region, view,
    (region.width / 2, region.height / 2), {options})]
"""


@pytest.fixture
def boxes(blender):
    set_up(blender, "perspective")
    blender.py(SCENE)
    blender.redraw(2)
    return blender


def drawn(blender):
    """The box that is drawn in the middle of the viewport, by its colour."""
    blender.redraw(3)
    x, y = blender.py("[region.x + region.width // 2, region.y + region.height // 2]")
    red, _, blue = (int(part) for part in blender.pixels()[y, x])
    assert abs(red - blue) > 100
    return "Inner" if red > blue else "Outer"


def picked(blender, options=""):
    return blender.py(PICK.format(options=options))


def test_the_outer_box_hides_the_inner(boxes):
    assert picked(boxes) == [drawn(boxes)] == ["Outer"]


def test_what_is_drawn_in_front_is_picked_first(boxes):
    boxes.py("inner.show_in_front = True\nresult = None")
    assert picked(boxes) == [drawn(boxes)] == ["Inner"]
    assert picked(boxes, "all_hits=True") == ["Inner", "Inner", "Outer", "Outer"]
    assert picked(boxes, "clip=False") == ["Outer"]
    assert picked(boxes, "clip=False, all_hits=True") == ["Outer", "Inner", "Inner", "Outer"]


def test_back_faces_are_passed_through_where_they_are_culled(boxes):
    boxes.py("outer.data.flip_normals()\nspace.shading.show_backface_culling = True\nresult = None")
    assert picked(boxes) == [drawn(boxes)] == ["Inner"]
    assert picked(boxes, "clip=False") == ["Outer"]
    assert picked(boxes, "cull='front'") == ["Outer"]
    boxes.py("space.shading.show_backface_culling = False\nresult = None")
    assert picked(boxes) == [drawn(boxes)] == ["Outer"]


@pytest.mark.parametrize("who", ["source", "instancer"])
def test_instances_are_wire_if_the_object_or_its_instancer_is(boxes, who):
    boxes.py(
        "source = outer\n"
        "collection = bpy.data.collections.new('Boxes')\n"
        "bpy.context.scene.collection.objects.unlink(source)\n"
        "collection.objects.link(source)\n"
        "instancer = bpy.data.objects.new('Instancer', None)\n"
        "bpy.context.scene.collection.objects.link(instancer)\n"
        "instancer.color = source.color\n"
        "instancer.instance_type, instancer.instance_collection = 'COLLECTION', collection\n"
        "result = None"
    )
    assert picked(boxes) == [drawn(boxes)] == ["Outer"]
    boxes.py(f"{who}.display_type = 'WIRE'\nresult = None")
    assert picked(boxes, "solid_only=True") == [drawn(boxes)] == ["Inner"]
    assert picked(boxes) == ["Outer"]
