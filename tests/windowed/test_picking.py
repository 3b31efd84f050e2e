# SPDX-License-Identifier: GPL-3.0-or-later
"""A click on a known face: panel, API and expectation agree to 1e-6."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests import recorder
from tests.windowed.hand import press_hotkey
from tests.windowed.views import FACES, VERTICES, expected_hit, last_hit, ray_of_pixel, set_up

pytestmark = pytest.mark.wide

VIEWS = ["perspective", "orthographic", "camera perspective", "camera orthographic"]

RECORDER = Path(recorder.__file__).read_text(encoding="utf-8")

STATE = "[[o.name for o in bpy.context.selected_objects], bpy.context.mode, bpy.data.is_dirty]"


def panel_of(blender):
    """The texts that the panel draws in the window, and those that its buttons copy."""
    return blender.py(
        RECORDER + "from bl_ext.user_default.raypick.ui import PANELS\n"
        "layout = drawn(PANELS, bpy.context)\n"
        "[layout.labels, layout.copied]"
    )


def middle_of(face):
    return tuple(np.mean([VERTICES[i] for i in FACES[face]], axis=0).tolist())


def choose_tool(blender):
    blender.py(
        "with bpy.context.temp_override(window=viewport()[0], area=area, region=region):\n"
        "    bpy.ops.wm.tool_set_by_id(name='raypick.pick_tool')"
    )
    blender.redraw()


def use_tool(blender, x, y):
    choose_tool(blender)
    blender.click(x, y)


def assert_known(blender, hit, x, y, face):
    """Compare a hit with an oracle that knows the mesh and Blender's view matrix alone."""
    assert (hit["object"], hit["face"], hit["original_face"]) == ("Target", face, face)
    assert hit["material"] == "Chalk"
    assert set(hit["vertices"]) <= set(FACES[face])
    coordinates = np.array(
        blender.py(f"[list(mesh.vertices[i].co) for i in {list(hit['vertices'])}]")
    )
    point, barycentric = expected_hit(blender, x, y, coordinates)
    assert (barycentric > 0).all()
    assert hit["barycentric"] == pytest.approx(barycentric, abs=1e-6)
    assert hit["point"] == pytest.approx(point, abs=1e-6)
    assert hit["uv"] == pytest.approx(point[:2], abs=1e-6)


@pytest.mark.parametrize("face", range(len(FACES)))
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("how", [press_hotkey, use_tool])
def test_a_pick_at_a_known_face_agrees_in_panel_and_api(blender, how, view, face):
    set_up(blender, view)
    x, y = blender.position_of(middle_of(face))
    how(blender, x, y)
    hit = last_hit(blender)
    assert_known(blender, hit, x, y, face)
    from_api = blender.py(
        f"[hit.as_dict() for hit in api.pick(bpy.context, region, view,"
        f" ({x} + 0.5 - region.x, {y} + 0.5 - region.y))]"
    )
    assert from_api == [hit]
    labels, copied = panel_of(blender)
    shown = dict(pairwise(labels[: labels.index("#")]))
    assert {"Target", f"Face {face}", f"Triangle {hit['triangle']}"} <= {*labels}
    assert shown["Vertices"] == ", ".join(map(str, hit["vertices"]))
    for heading, key, unit in (("Barycentric", "barycentric", ""), ("Point", "point", " m")):
        at = labels.index(heading) + 1
        x, y, z = (f"{part:.4f}" for part in hit[key])
        assert labels[at : at + 3] == [x, y, f"{z}{unit}"]
        assert ", ".join(map(repr, hit[key])) in copied


@pytest.mark.parametrize("view", VIEWS)
def test_a_projected_point_that_is_picked_comes_back(blender, view):
    set_up(blender, view)
    for face in range(len(FACES)):
        point, hits = blender.py(
            f"corners = [mesh.vertices[i].co for i in {FACES[face][:3]}]\n"
            "point = [sum(axis) / 3 for axis in zip(*corners)]\n"
            "x, y, _ = api.camera(region, view).project(point)\n"
            "hits = api.pick(bpy.context, region, view, (x, y))\n"
            "[point, [(hit.point, hit.face) for hit in hits]]"
        )
        ((there, back),) = hits
        assert back == face
        assert there == pytest.approx(point, abs=1e-9)


def test_a_click_beside_everything_is_a_miss(blender):
    set_up(blender, "perspective")
    press_hotkey(blender, *blender.position_of((-2.6, 0.0, 0.0)))
    assert last_hit(blender) is None
    assert "Nothing hit" in panel_of(blender)[0]


def test_the_panel_shows_the_hit(blender):
    """The sidebar's picture changes with the answer, and stays for the eye to see."""
    set_up(blender, "perspective")
    blender.py(
        "sidebar = next(r for r in area.regions if r.type == 'UI')\n"
        "sidebar.active_panel_category = 'Raypick'"
    )
    blender.redraw(2)
    x0, y0, width, height = blender.py("[sidebar.x, sidebar.y, sidebar.width, sidebar.height]")
    pictures = []
    for name, at in (("hint", None), ("hit", middle_of(1)), ("miss", (-2.6, 0.0, 0.0))):
        if at:
            press_hotkey(blender, *blender.position_of(at))
            blender.redraw(2)
        blender.shot(f"panel-{name}-{blender.build.label}.png")
        pictures.append(blender.pixels()[y0 : y0 + height, x0 : x0 + width].astype(int))
    for i, j in ((0, 1), (1, 2), (0, 2)):
        assert (np.abs(pictures[i] - pictures[j]).max(axis=2) > 40).sum() > 500


def test_copy_buttons_put_all_digits_on_the_clipboard(blender):
    set_up(blender, "perspective")
    press_hotkey(blender, *blender.position_of(middle_of(0)))
    hit = last_hit(blender)
    for text in panel_of(blender)[1]:
        blender.py(f"bpy.ops.raypick.copy(text={text!r})")
        assert blender.py("bpy.context.window_manager.clipboard") == text
    blender.py("bpy.ops.raypick.copy_report()")
    assert blender.py("import json\njson.loads(bpy.context.window_manager.clipboard)[0]") == hit


def test_local_view_hides_what_is_in_front(blender):
    set_up(blender, "perspective")
    blender.py(
        "cover = bpy.data.objects.new('Cover', mesh)\n"
        "cover.location = view.view_rotation @ Vector((0, 0, 1))\n"
        "bpy.context.scene.collection.objects.link(cover)\n"
        "target.select_set(True)"
    )
    blender.redraw()
    x, y = blender.position_of(middle_of(0))
    press_hotkey(blender, x, y)
    assert last_hit(blender)["object"] == "Cover"
    blender.py(
        "with bpy.context.temp_override(window=viewport()[0], area=area, region=region):\n"
        "    bpy.ops.view3d.localview(frame_selected=False)"
    )
    blender.redraw()
    press_hotkey(blender, x, y)
    assert last_hit(blender)["object"] == "Target"


def test_undo_and_redo_by_keys_are_seen(blender):
    set_up(blender, "perspective")
    x, y = blender.position_of(middle_of(0))
    blender.py("bpy.ops.ed.undo_push(message='set up')")
    blender.py("target.location.z = -0.125\nbpy.ops.ed.undo_push(message='lower')")
    heights = []
    for keys in ({}, {"ctrl": True}, {"ctrl": True, "shift": True}):
        if keys:
            blender.key("Z", x, y, **keys)
            blender.py("target = bpy.data.objects['Target']")
        press_hotkey(blender, x, y)
        heights.append(last_hit(blender)["matrix_world"][2][3])
    assert heights == [-0.125, 0.0, -0.125]


def test_faces_count_in_the_subdivided_mesh(blender):
    """A GPU may do the subdivision; Python then sees the mesh without it in Object.data."""
    set_up(blender, "perspective")
    blender.py("target.modifiers.new('Subdivision', 'SUBSURF').levels = 3")
    blender.redraw(2)
    press_hotkey(blender, *blender.position_of(middle_of(2)))
    hit = last_hit(blender)
    face_count = blender.py(
        "evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())\n"
        "len(evaluated.to_mesh().polygons)"
    )
    assert face_count == (4 + 4 + 3) * 16
    assert len(FACES) <= hit["face"] < face_count
    assert hit["original_face"] == 2


def test_picking_is_no_undo_step_and_changes_no_selection(blender):
    set_up(blender, "perspective")
    blender.py("bpy.ops.ed.undo_push(message='set up')")
    before = blender.py(STATE)
    x, y = blender.position_of(middle_of(0))
    press_hotkey(blender, x, y)
    use_tool(blender, x, y)
    assert last_hit(blender)["face"] == 0
    assert blender.py(STATE) == before


@pytest.mark.parametrize("how", ["hotkey", "tool"])
def test_real_input_picks_too(blender_real_input, how):
    session = blender_real_input
    set_up(session, "perspective")
    x, y = session.position_of(middle_of(0))
    if how == "tool":
        choose_tool(session)
    session.xdo("mousemove", *session.screen_position(x, y))
    session.xdo(*(("click", 1) if how == "tool" else ("key", "shift+alt+p")))
    assert_known(session, last_hit(session), x, y, 0)


def test_the_search_finds_cast_ray_and_its_dialog_casts(blender):
    set_up(blender, "perspective")
    blender.py("target.location.z = -5.0")
    x, y = blender.position_of(middle_of(1))
    blender.move(x, y)
    blender.key("F3", x, y)
    blender.redraw()
    for letter in "cast ray":
        key = "SPACE" if letter == " " else letter.upper()
        blender.key(key, x, y, unicode=letter)
    blender.shot(f"search-{blender.build.label}.png")
    blender.key("RET", x, y)
    blender.redraw()
    blender.shot(f"dialog-{blender.build.label}.png")
    blender.key("RET", x, y)
    assert last_hit(blender)["point"][:2] == [0.0, 0.0]


def test_each_of_four_views_picks_by_its_own_matrices(blender):
    set_up(blender, "perspective")
    blender.py(
        "space.show_region_ui = False\n"
        "with bpy.context.temp_override(window=viewport()[0], area=area, region=region):\n"
        "    bpy.ops.screen.region_quadview()"
    )
    blender.redraw(2)
    picked_views = set()
    for index in range(4):
        at = blender.py(
            "from bpy_extras.view3d_utils import location_3d_to_region_2d as seen\n"
            "windows = [r for r in area.regions if r.type == 'WINDOW']\n"
            f"region, view = windows[{index}], windows[{index}].data\n"
            "corners = [mesh.vertices[i].co for i in (0, 1, 3)]\n"
            "place = seen(region, view, sum(corners, Vector()) / 3)\n"
            "[int(region.x + place.x), int(region.y + place.y)] if place else None"
        )
        blender.py("current.keep(None)")
        press_hotkey(blender, *at)
        hit = last_hit(blender)
        direct = blender.py(
            "hit = api.pick(bpy.context, region, view,"
            f" ({at[0]} + 0.5 - region.x, {at[1]} + 0.5 - region.y))[:1]\n"
            "[h.as_dict() for h in hit]"
        )
        assert direct == ([hit] if hit else [])
        if hit:
            start, direction = ray_of_pixel(blender, *at)
            along = direction / np.linalg.norm(direction)
            beside = np.cross(np.array(hit["point"]) - start, along)
            assert beside == pytest.approx(np.zeros(3), abs=1e-5)
            picked_views.add(tuple(np.round(along, 3)))
    assert len(picked_views) >= 3


def test_disabling_leaves_no_tool_and_no_keymap(blender):
    set_up(blender, "perspective")
    choose_tool(blender)
    blender.py("import addon_utils\naddon_utils.disable('bl_ext.user_default.raypick')")
    blender.redraw()
    keymaps = blender.py(
        "[k.name for c in bpy.context.window_manager.keyconfigs for k in c.keymaps"
        " if k.name.endswith(', Raypick')]"
    )
    tool = blender.py("viewport()[0].workspace.tools.from_space_view3d_mode('OBJECT').idname")
    blender.py("addon_utils.enable('bl_ext.user_default.raypick')")
    assert keymaps == []
    assert tool == "builtin.select_box"
    press_hotkey(blender, *blender.position_of(middle_of(0)))
    assert (
        blender.py(
            "from bl_ext.user_default.raypick.session import current\nlen(current.kept().hits)"
        )
        == 1
    )
