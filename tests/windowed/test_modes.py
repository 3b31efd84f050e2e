# SPDX-License-Identifier: GPL-3.0-or-later
"""In each mode of a real window: what the pixels show is what a pick meets."""

import numpy as np
import pytest

from tests.windowed.hand import press_hotkey
from tests.windowed.views import EMPTY, last_hit

pytestmark = pytest.mark.beside

HIDDEN = (0, 1, 5)
PAINT_MODES = ["VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"]
MODES = ["OBJECT", "EDIT", "SCULPT", *PAINT_MODES]
COLOUR_NOISE = 12

SET_UP = """
import bmesh
from mathutils import Quaternion
from bl_ext.user_default.raypick import api
from bl_ext.user_default.raypick.session import current

current.keep(None)
window, area, region, view = viewport()
space = area.spaces.active
space.overlay.show_overlays = space.show_gizmo = False
space.show_region_ui = space.show_region_toolbar = False
view.view_rotation = Quaternion((1.0, 0.0, 0.0, 0.0))
view.view_perspective, view.view_location, view.view_distance = "ORTHO", (0.0, 0.0, 0.0), 8.0

mesh = bpy.data.meshes.new("Grid")
build = bmesh.new()
bmesh.ops.create_grid(build, x_segments={cells}, y_segments={cells}, size=1.0)
build.to_mesh(mesh)
build.free()
grid = bpy.data.objects.new("Grid", mesh)
bpy.context.scene.collection.objects.link(grid)
bpy.context.view_layer.objects.active = grid
grid.select_set(True)

def here():
    return bpy.context.temp_override(window=window, area=area, region=region)

def enter(mode):
    with here():
        bpy.ops.object.mode_set(mode=mode)

def hits(points):
    found = (api.ray_cast(bpy.context, (x, y, 10.0), (0.0, 0.0, -1.0)) for x, y, _ in points)
    return [hit[0].point[2] if hit else None for hit in found]

def brush():
    own = bpy.data.brushes.new("Own", mode="SCULPT")
    own.asset_mark()
    with here():
        bpy.ops.brush.asset_activate(
            asset_library_type="LOCAL", relative_asset_identifier="Brush/Own")

result = None
"""


def set_up(blender, cells=4, then=""):
    """Show a square from -1 to 1, of cells x cells faces, straight from above."""
    blender.py(EMPTY)
    blender.py(SET_UP.format(cells=cells))
    blender.py(f"{then}\nresult = None")
    blender.redraw(2)


def enter(blender, mode):
    blender.py(f"enter({mode!r})")
    blender.redraw(2)


def centres(cells=4):
    """Centres of the faces, in the order of the faces."""
    steps = (np.arange(cells) + 0.5) * 2 / cells - 1
    return [(x, y, 0.0) for y in steps.tolist() for x in steps.tolist()]


def drawn(blender, points):
    """Whether the pixels show something else there than the background."""
    picture = blender.pixels().astype(int)
    x, y = blender.position_of((0.0, 1.6, 0.0))
    background = picture[y, x]
    pixels = (blender.position_of(point) for point in points)
    return [bool(np.abs(picture[y, x] - background).sum() > COLOUR_NOISE) for x, y in pixels]


def picked_up(blender, points):
    """Whether a pick meets something there."""
    return [z is not None for z in blender.py(f"hits({points!r})")]


def hide(more=""):
    return f"for i in {HIDDEN}:\n    mesh.polygons[i].hide = True\nmesh.update()\n{more}"


@pytest.mark.parametrize("mode", MODES)
def test_faces_are_picked_where_they_are_drawn(blender, mode):
    set_up(blender, then=hide())
    enter(blender, mode)
    expected = [mode == "OBJECT" or face not in HIDDEN for face in range(16)]
    assert drawn(blender, centres()) == expected
    assert picked_up(blender, centres()) == expected


@pytest.mark.parametrize("mask", ["use_paint_mask", "use_paint_mask_vertex"])
@pytest.mark.parametrize("mode", PAINT_MODES)
def test_a_paint_mask_changes_nothing_of_what_is_drawn(blender, mode, mask):
    set_up(blender, then=hide())
    enter(blender, mode)
    blender.py(f"mesh.{mask} = True")
    blender.redraw(2)
    expected = [face not in HIDDEN for face in range(16)]
    assert drawn(blender, centres()) == expected
    assert picked_up(blender, centres()) == expected


@pytest.mark.parametrize("in_edit_mode", [True, False])
def test_modifiers_hide_what_they_make_of_hidden_faces(blender, in_edit_mode):
    modifier = "grid.modifiers.new('S', 'SUBSURF')"
    set_up(blender, then=hide(f"{modifier}.show_in_editmode = {in_edit_mode}"))
    enter(blender, "EDIT")
    inner = [(0.9 * x, 0.9 * y, z) for x, y, z in centres()]
    expected = [face not in HIDDEN for face in range(16)]
    assert drawn(blender, inner) == expected
    assert picked_up(blender, inner) == expected


def test_the_hotkey_in_edit_mode_passes_through_faces_hidden_by_the_mouse_and_h(blender):
    set_up(blender, then="bpy.context.scene.tool_settings.mesh_select_mode = (False, False, True)")
    enter(blender, "EDIT")
    x, y = blender.position_of(centres()[5])
    blender.click(x, y)
    blender.wait("any(face.select for face in bmesh.from_edit_mesh(mesh).faces)")
    blender.key("H", x, y)
    blender.wait("any(face.hide for face in bmesh.from_edit_mesh(mesh).faces)")
    blender.redraw()
    assert drawn(blender, [centres()[5]]) == [False]
    press_hotkey(blender, x, y)
    assert last_hit(blender) is None
    assert blender.py("[bpy.context.mode, mesh.is_editmode]") == ["EDIT_MESH", True]


def test_gpu_subdivision(blender):
    set_up(
        blender,
        then="bpy.context.preferences.system.use_gpu_subdivision = True\n"
        "grid.modifiers.new('S', 'SUBSURF').levels = 3",
    )
    for mode in ("OBJECT", "EDIT"):
        enter(blender, mode)
        assert blender.py(f"api.ray_cast(bpy.context, {(0.9, 0.9, 5)}, (0, 0, -1))[0].face") >= 16


# Sculpting


def stroke(blender, moves=8):
    """Draw with the brush across the middle, by the mouse; the button stays down."""
    x, y = blender.position_of((0.0, 0.0, 0.0))
    blender.move(x - 5 * moves, y)
    blender.event("LEFTMOUSE", "PRESS", x - 5 * moves, y)
    for step in range(2 * moves):
        blender.move(x + 5 * (step - moves), y)
        blender.redraw()


def release(blender):
    x, y = blender.position_of((0.0, 0.0, 0.0))
    blender.event("LEFTMOUSE", "RELEASE", x, y)
    blender.redraw()


def sculpted(blender):
    """How high a pick in the middle finds the surface."""
    return blender.py("hits([(0.01, 0.01, 0.0)])")[0]


def shown_height(blender):
    """The highest vertex of the mesh that is shown."""
    return blender.py(
        "from bl_ext.user_default.raypick.bridge.mesh.scene_mesh import displayed_mesh\n"
        "from bl_ext.user_default.raypick.bridge.scene.changes import flush_sculpting\n"
        "flush_sculpting(bpy.context)\n"
        "depsgraph = bpy.context.evaluated_depsgraph_get()\n"
        "with displayed_mesh(grid.evaluated_get(depsgraph), depsgraph) as shown:\n"
        "    result = max(vertex.co.z for vertex in shown.vertices)"
    )


SCULPTED = {
    "plain": "",
    "modifier": "grid.modifiers.new('S', 'SUBSURF').levels = 1",
    "shape key": "grid.shape_key_add(name='Basis')\n"
    "grid.shape_key_add(name='Key').value = 1.0\ngrid.active_shape_key_index = 1",
}


@pytest.mark.parametrize("kind", SCULPTED)
def test_a_stroke_of_the_brush_is_seen_while_it_goes_on_and_after(blender, kind):
    set_up(blender, cells=40, then=SCULPTED[kind])
    enter(blender, "SCULPT")
    blender.py("brush()")
    assert sculpted(blender) == 0.0
    stroke(blender)
    during = shown_height(blender)
    assert during > 0.01
    assert sculpted(blender) > 0.01
    release(blender)
    drawn_by_brush = sculpted(blender)
    assert drawn_by_brush >= 0.9 * during
    enter(blender, "OBJECT")
    assert sculpted(blender) == pytest.approx(drawn_by_brush, abs=1e-6)


def test_a_stroke_with_dynamic_topology_is_seen(blender):
    set_up(blender, cells=20)
    enter(blender, "SCULPT")
    blender.py("brush()\nwith here():\n    bpy.ops.sculpt.dynamic_topology_toggle()\nresult = None")
    stroke(blender)
    release(blender)
    assert shown_height(blender) > 0.01
    assert sculpted(blender) > 0.01


INSPECT = """
from bl_ext.user_default.raypick.operators import inspect
with here():
    bpy.ops.raypick.inspect("INVOKE_DEFAULT")
result = None
"""


@pytest.mark.parametrize("topology", ["plain", "dynamic"])
def test_while_inspecting_the_brush_draws_and_return_keeps(blender, topology):
    set_up(blender, cells=40)
    enter(blender, "SCULPT")
    blender.py("brush()")
    if topology == "dynamic":
        blender.py("with here():\n    bpy.ops.sculpt.dynamic_topology_toggle()\nresult = None")
    x, y = blender.position_of((0.01, 0.01, 0.0))
    blender.move(x, y)
    blender.py(INSPECT)
    stroke(blender)
    release(blender)
    assert blender.py("inspect.is_running() and current.kept() is None")
    assert shown_height(blender) > 0.01
    blender.move(x, y)
    blender.key("RET", x, y)
    assert blender.py("current.kept().hit.point[2]") > 0.01
    blender.wait("current.kept().hit_now is not None and current.hovered().hits[0].point[2] > 0.01")
    blender.key("ESC", x, y)
    assert not blender.py("inspect.is_running()")
    assert looks(blender, redraws=3) <= 1, "a scene at rest is not looked at again and again"


COUNT = """
from bl_ext.user_default.raypick.session import queries
asked, whole = [], queries.follow
queries.follow = lambda *given: asked.append(given) or whole(*given)
result = None
"""


def looks(blender, redraws):
    """How often the kept pick is looked up while the viewport is drawn so many times."""
    blender.py(COUNT)
    try:
        blender.redraw(redraws)
        return blender.py("len(asked)")
    finally:
        blender.py("queries.follow = whole\nresult = None")


def test_of_multires_the_base_mesh_is_picked_and_said_to_be(blender):
    set_up(blender, cells=4)
    blender.py(
        "grid.modifiers.new('M', 'MULTIRES')\n"
        "with here():\n    bpy.ops.object.multires_subdivide(modifier='M')\nresult = None"
    )
    point = (0.1, 0.1, 0.0)
    for mode, is_base in (("OBJECT", False), ("SCULPT", True)):
        enter(blender, mode)
        x, y = blender.position_of(point)
        blender.py("current.show(None)\nresult = None")
        press_hotkey(blender, x, y)
        assert last_hit(blender)["is_base_mesh"] == is_base
        assert bool(blender.py(LABEL)) == is_base
    enter(blender, "OBJECT")


LABEL = """
from bl_ext.user_default.raypick.overlay import mouse_label
with here():
    lines = [*mouse_label.lines_of(current.kept(), bpy.context)]
result = [line for line in lines if "Base mesh" in line]
"""
