# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators without a window, and what the panel shows."""

import json
import math
import re
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import bpy
import pytest

from tests.recorder import Recorder, drawn

from ..scenes import collection_instance, down, square


@pytest.fixture
def panel(raypick):
    """What the panel draws now."""
    panels = import_module(f"{raypick.__name__}.ui").PANELS
    import_module(f"{raypick.__name__}.session.current").keep(None)
    return lambda: drawn(panels, bpy.context)


def test_the_panel_says_how_to_pick_until_the_first_hit(raypick, panel):
    preferences = import_module(f"{raypick.__name__}.settings").preferences()
    hint = "and click a surface"
    preferences.is_new = True
    assert hint in panel().labels
    square()
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert preferences.is_new
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert not preferences.is_new
    bpy.ops.raypick.clear()
    assert hint not in panel().labels
    assert "Face –" in panel().labels


def test_cast_answers_in_the_panel(raypick, panel):
    obj = square("Floor")
    obj.data.materials.append(bpy.data.materials.new("Wood"))
    assert bpy.ops.raypick.cast(origin=(0.75, 0.25, 3), direction=(0, 0, -2)) == {"FINISHED"}
    (hit,) = down(raypick, 0.75, 0.25)
    labels = panel().labels
    shown = dict(pairwise(labels[: labels.index("#")]))
    assert {"Floor", "Front Side", "Face 0", f"Triangle {hit.triangle}"} <= {*labels}
    assert (shown["Material"], shown["Original Face"]) == ("Wood", "0")
    assert shown["Vertices"] == "{}, {}, {}".format(*hit.vertices)
    assert "Hit 1 of 1" in labels
    assert shown["Distance"] == "3.0000 m"
    for heading, vector, unit in (
        ("Barycentric", hit.barycentric, ""),
        ("Point", (0.75, 0.25, 0.0), " m"),
        ("Normal in World Space", (0.0, 0.0, 1.0), ""),
    ):
        at = labels.index(heading) + 1
        x, y, z = (f"{part:.4f}" for part in vector)
        assert labels[at : at + 3] == [x, y, f"{z}{unit}"]


def test_what_is_not_there_has_no_row(panel):
    square("Floor")
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert {"Instance", "Material", "Active UV Map", "Point in Local Space"}.isdisjoint(
        panel().labels
    )


def test_the_local_point_has_a_row_where_it_is_another(panel):
    square("Floor").location = (0, 0, 1)
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    at = panel().labels.index("Point in Local Space")
    assert panel().labels[at + 1 : at + 4] == ["0.7500", "0.2500", "0.0000"]


def test_what_is_shown_can_be_copied(panel):
    square("Floor")
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    for text in ("0", "0.75, 0.25, 0.0", "0.25, 0.5, 0.25", "3.0"):
        assert text in panel().copied


def test_what_is_copied_has_all_digits(panel):
    obj = square(size=100.0)
    obj.location = (1e5, 0, 0)
    bpy.ops.raypick.cast(origin=(100012.3984375, 67.8, 3))
    assert any(re.fullmatch(r"100012\.\d+", label) for label in panel().labels)
    assert "100012.3984375, 67.80000305175781, 0.0" in panel().copied


def test_the_panel_names_an_instance(panel):
    collection_instance(square("Tile"), (5, 0, 0))
    bpy.ops.raypick.cast(origin=(5.25, 0.5, 3))
    assert dict(pairwise(panel().labels))["Instance"] == "Instancer 0"


def test_a_miss_is_told(panel):
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert "Nothing hit" in panel().labels
    assert "No visible face there" in panel().labels
    assert not panel().copied


def test_tooltips_of_copy_buttons_say_what_the_value_is(raypick):
    copy = import_module(f"{raypick.__name__}.operators.use_hit").RAYPICK_OT_copy
    about = copy.description(bpy.context, SimpleNamespace(value="barycentric", text="0.25, 0.5"))
    assert "add up to 1" in about
    assert "0.25, 0.5" in about
    assert "clipboard" in about


def test_no_full_stop_is_put_on_a_number(raypick):
    """Blender puts one after the last line, where no number may stand."""
    copy = import_module(f"{raypick.__name__}.operators.use_hit").RAYPICK_OT_copy
    about = copy.description(bpy.context, SimpleNamespace(value="distance", text="1.5"))
    assert "1.5" in about.splitlines()[:-1]


def test_all_hits_are_a_table(panel):
    square("High", z=1.0)
    square("Low")
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    labels = panel().labels
    at = labels.index("#")
    assert labels[at : at + 4] == ["#", "Object", "Face", "Distance"]
    cells = [button.label for button in panel().buttons if button.name == "raypick.look_at"]
    assert cells == ["1", "High", "0", "2.0000 m", "2", "Low", "0", "3.0000 m"]


def test_a_place_that_was_named_has_no_distance(panel):
    square("Floor")
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert panel().labels.count("Distance") == 2
    bpy.ops.raypick.place("EXEC_DEFAULT", object="Floor", triangle=1)
    assert "Distance" not in panel().labels
    cells = [button.label for button in panel().buttons if button.name == "raypick.look_at"]
    assert cells == ["1", "Floor", "0"]


def test_the_weights_of_a_place_are_labelled_by_their_vertices(raypick):
    place = import_module(f"{raypick.__name__}.operators.pick").RAYPICK_OT_place
    layout = Recorder()
    asked = SimpleNamespace(layout=layout, instancer="", count="TRIANGLE")
    place.draw(asked, bpy.context)
    assert layout.properties.count("barycentric") == 3
    assert layout.labels[-4:] == ["Barycentric Weights", "A", "B", "C"]


def test_options_of_cast(raypick):
    picked = import_module(f"{raypick.__name__}.session.current")
    square("High", z=1.0)
    square("Low")
    ray = {"origin": (0.75, 0.25, 3)}
    for options, expected in (
        ({}, ["High", "Low"]),
        ({"all_hits": False}, ["High"]),
        ({"max_distance": 2.5}, ["High"]),
        ({"cull": "FRONT"}, []),
        ({"cull": "BACK"}, ["High", "Low"]),
    ):
        bpy.ops.raypick.cast(**ray, **options)
        assert [hit.object for hit in picked.kept().hits] == expected
        assert picked.kept().seconds > 0


def test_bad_input_is_told_as_an_error_not_a_traceback(raypick):
    with pytest.raises(RuntimeError, match="direction must be finite and longer than 0") as told:
        bpy.ops.raypick.cast(direction=(0, 0, 0))
    assert "Traceback" not in str(told.value)


def test_pick_needs_a_viewport(raypick):
    assert not bpy.ops.raypick.pick.poll()
    with pytest.raises(RuntimeError, match="over a 3D viewport"):
        bpy.ops.raypick.pick()


def test_copy_report_needs_a_hit(raypick):
    import_module(f"{raypick.__name__}.session.current").keep(None)
    assert not bpy.ops.raypick.copy_report.poll()
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert not bpy.ops.raypick.copy_report.poll()
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert bpy.ops.raypick.copy_report.poll()


def test_a_report_is_json_also_where_a_uv_is_not_finite(raypick):
    obj = square()
    obj.data.uv_layers.new(name="Map").uv.foreach_set("vector", [math.nan] * 8)
    report = json.dumps([hit.as_dict() for hit in down(raypick, 0.75, 0.25)], allow_nan=False)
    assert json.loads(report)[0]["uv"] == [None, None]


def test_the_last_pick_is_forgotten_with_its_file(raypick, panel):
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert "Square" in panel().labels
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert "No pick is kept" in panel().labels


def test_the_status_bar_says_what_the_keys_of_the_inspector_do(raypick):
    inspect = import_module(f"{raypick.__name__}.operators.inspect")
    layout = Recorder()
    inspect._draw_hints(SimpleNamespace(layout=layout), bpy.context)
    assert list(filter(None, layout.labels)) == [
        "Keep",
        "Next Hit",
        "Add Landmark",
        "End Inspection",
    ]
    known = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    to_copy = "EVENT_SHIFT", "EVENT_ALT", "EVENT_C"
    for is_painting, key in ((False, "MOUSE_LMB"), (True, "EVENT_RETURN")):
        hints = inspect._hints(is_painting, to_copy)
        assert hints[to_copy] == "Copy"
        icons = [icon for icons in hints for icon in icons]
        assert icons[0] == key
        assert all(icon in known for icon in icons)
    assert "Copy" not in inspect._hints(False, ("EVENT_SHIFT", "EVENT_NO_KEY")).values()


def test_the_view_menu_holds_the_operators_for_the_search_to_find(raypick):
    menus, picks = import_module(f"{raypick.__name__}.ui.menus"), ["pick", "cast", "place"]
    for draw, expected in (
        (menus._draw_view, ["inspect", *picks]),
        (menus.RAYPICK_MT_pick.draw, [*picks, "add_empty", "copy_report", "clear"]),  # the panel's
    ):
        layout = Recorder()
        draw(SimpleNamespace(layout=layout), bpy.context)
        assert [button.name.removeprefix("raypick.") for button in layout.buttons] == expected
        assert layout.menus == ["RAYPICK_MT_survey"]


def test_a_pick_that_fails_in_an_operator_is_an_error_message(raypick, monkeypatch):
    square()
    source = import_module(f"{raypick.__name__}.bridge.mesh.scene_mesh").Source

    def gone(self):
        raise ReferenceError("StructRNA of type Object has been removed")

    monkeypatch.setattr(source, "opened", gone)
    with pytest.raises(RuntimeError, match="pick again"):
        bpy.ops.raypick.cast(origin=(0.25, 0.5, 9))
