# SPDX-License-Identifier: GPL-3.0-or-later
"""Ribbons that are thinner than a pixel, under a robot's hand, without and with a tolerance."""

from itertools import pairwise

import pytest

from tests.windowed.hand import choose_tool, press_hotkey, set_up_inspection
from tests.windowed.test_picking import panel_of

pytestmark = pytest.mark.wide

RIBBON = """
for each in list(bpy.context.scene.objects):
    each.hide_set(True)
camera, middle = api.camera(region, view), view.view_location.copy()
pixel = float(camera.pixel_size(middle))
right, up, back = (view.view_rotation @ Vector(row) for row in Matrix.Identity(3))

def strip(name, depth, left, width, height):
    corners = [
        middle - back * depth + right * x * pixel + up * y * height * pixel
        for x, y in ((left, -1), (left + width, -1), (left + width, 1), (left, 1))
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))

strip("Ribbon", 0.0, -0.3, 0.3, 150.0)
if {wall}:
    strip("Wall", 0.5, -200.0, 400.0, 200.0)
x, y, _ = camera.project(middle)
result = [region.x + x, region.y + y]
"""

LABEL = """
from bl_ext.user_default.raypick.overlay import mouse_label
list(mouse_label.lines_of(current.hovered(), bpy.context))
"""

HITS = "[[hit.object, hit.pixels_away] for hit in current.{}().hits]"


@pytest.fixture(params=[False, True], ids=["before nothing", "before a wall"])
def ribbon(request, blender):
    """Show a ribbon; return where its right border is, and the names of what is behind it."""
    set_up_inspection(blender)
    x, y = blender.py(RIBBON.format(wall=request.param))
    blender.redraw(2)
    yield x, y, ["Wall"] if request.param else []
    choose_tool(blender, "builtin.select_box")
    blender.py("settings.preferences().options.tolerance = 0\nresult = None")
    blender.move(5, 5)


@pytest.mark.parametrize("beside", [1, 2, 3])
@pytest.mark.parametrize("tolerance", [0, 4])
def test_a_click_beside_a_ribbon_takes_it_within_the_tolerance(blender, ribbon, beside, tolerance):
    x, y, behind = ribbon
    column, row = int(x) + beside, int(y)
    away = column + 0.5 - x
    blender.py(f"settings.preferences().options.tolerance = {tolerance}\nresult = None")
    press_hotkey(blender, column, row)
    found = blender.py(HITS.format("kept"))
    expected = [*(["Ribbon"] if tolerance else []), *behind]
    assert [name for name, _ in found] == expected
    labels, copied = panel_of(blender)
    if not tolerance:
        assert "Distance from Mouse" not in labels
        assert all(pixels == 0.0 for _, pixels in found)
        return
    assert found[0][1] == pytest.approx(away, abs=1e-3)
    assert dict(pairwise(labels))["Distance from Mouse"] == f"{found[0][1]:.4f} px"
    assert repr(found[0][1]) in copied
    choose_tool(blender)
    blender.move(column, row)
    assert [name for name, _ in blender.py(HITS.format("hovered"))] == expected
    assert f"{found[0][1]:.1f} px away" in blender.py(LABEL)[0]
