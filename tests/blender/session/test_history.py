# SPDX-License-Identifier: GPL-3.0-or-later
"""The history: kept in Python, saved with the file on request, exported with all digits."""

import csv
import json
import math
from dataclasses import replace
from datetime import timedelta
from importlib import import_module

import bpy
import pytest

from tests.recorder import Recorder

from ..scenes import collection_instance, square

KEY = "raypick_history"


@pytest.fixture
def history(raypick):
    """The module, with nothing remembered."""
    module = import_module(f"{raypick.__name__}.session.history")
    module.clear()
    raypick.session.current.show(None)
    yield module
    module.clear()


def read_again(history):
    """Read what the scenes hold, as when a file was opened, in which all was picked."""
    history._pending = True
    history.records()


def saved():
    """The picks that the scene holds."""
    values = json.loads(bpy.context.scene[KEY])
    assert values["version"] == 1
    return values["picks"]


def hold(picks):
    """Have the scene hold picks as they were written before the format had a version."""
    bpy.context.scene[KEY] = json.dumps(picks)


def cast(x=0.25, y=0.5, **options):
    assert bpy.ops.raypick.cast(origin=(x, y, 3), **options) == {"FINISHED"}


def test_picks_are_remembered_the_newest_first(history):
    square("High", z=1.0)
    square("Low")
    cast()
    cast(0.75, all_hits=False)
    records = history.records()
    hits = [[hit.object for hit in record.hits] for record in records]
    assert hits == [["High"], ["High", "Low"]]
    assert records[1].origin == (0.25, 0.5, 3.0)
    assert records[1].direction == (0.0, 0.0, -1.0)
    assert records[1].scene == "Scene"
    assert records[1].when <= records[0].when


def test_what_hit_nothing_is_not_remembered(raypick, history):
    square()
    cast(75, 25)
    assert raypick.session.current.kept().hits == ()
    assert history.records() == []


def test_the_oldest_are_let_go(history):
    square()
    for _ in range(history.MOST + 3):
        cast()
    assert len(history.records()) == history.MOST


def test_a_pick_is_shown_again_and_not_remembered_twice(raypick, history):
    square("Low")
    cast()
    square("High", z=1.0)
    cast()
    assert bpy.ops.raypick.show_record(number=1) == {"FINISHED"}
    assert raypick.session.current.kept().hit.object == "Low"
    assert len(history.records()) == 2
    with pytest.raises(RuntimeError, match="not remembered"):
        bpy.ops.raypick.show_record(number=7)


def test_the_hit_that_was_looked_at_is_remembered(raypick, history, tmp_path):
    square("High", z=1.0)
    square("Low")
    cast()
    bpy.ops.raypick.walk(step=1)
    assert raypick.session.current.kept().hit.object == "Low"
    cast(0.75)
    bpy.ops.raypick.show_record(number=1)
    assert raypick.session.current.kept().hit.object == "Low"
    history.save_to(bpy.context.scene)
    history.clear()
    read_again(history)
    assert [record.rank for record in history.records()] == [0, 1]
    for name in ("picks.csv", "picks.json"):
        assert bpy.ops.raypick.export_history(filepath=str(tmp_path / name)) == {"FINISHED"}
    with open(tmp_path / "picks.csv", encoding="utf-8", newline="") as file:
        looked_at = [row["looked_at"] for row in csv.DictReader(file)]
    assert looked_at == ["False", "True", "True", "False"]
    written = json.loads((tmp_path / "picks.json").read_text(encoding="utf-8"))
    assert [record["rank"] for record in written] == [1, 0]


def test_a_file_holds_the_picks_that_were_made_in_it_alone(history, tmp_path):
    square("Old")
    cast()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    square("New")
    cast()
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    cast()
    bpy.ops.raypick.save_history()
    bpy.ops.wm.save_mainfile()
    assert len(history.records()) == 3
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "new.blend"))
    assert len(history.records()) == 3
    history.clear()
    read_again(history)
    assert [record.hit.object for record in history.records()] == ["New", "New"]
    history.save_to(bpy.context.scene)
    assert len(saved()) == 2


def rows():
    """What the list shows, and the row that is highlighted."""
    manager = bpy.context.window_manager
    return [row.number for row in manager.raypick_history], manager.raypick_history_active


@pytest.fixture
def shown_rows(raypick, history):
    """The texts of the list's rows, and the numbers that their buttons remove."""
    kind = import_module(f"{raypick.__name__}.ui.lists").RAYPICK_UL_history

    def draw():
        layout = Recorder()
        manager = bpy.context.window_manager
        for row in manager.raypick_history:
            kind.draw_item(kind, bpy.context, layout, manager, row, 0, manager, "")
        removing = [each for each in layout.buttons if each.name == "raypick.remove_record"]
        return layout.labels, [button.number for button in removing]

    return draw


def test_the_list_has_a_row_for_each_pick(raypick, history):
    square()
    for _ in range(history.MOST + 3):
        cast()
    assert rows() == (list(range(history.MOST)), 0)
    bpy.context.window_manager.raypick_history_active = 150
    assert raypick.session.current.kept() is history.records()[150]
    assert rows()[1] == 150
    raypick.session.current.show(None)
    assert rows()[1] == -1
    history.clear()
    assert rows() == ([], -1)


def test_rows_of_today_show_the_time_and_older_ones_the_date(history, shown_rows):
    square("Floor")
    cast()
    (today,) = history.records()
    history.clear()
    older = today.when - timedelta(days=2)
    history.add(replace(today, when=older))
    history.add(today)
    assert shown_rows() == (
        [f"{today.when:%H:%M:%S}  Floor  0", f"{older:%Y-%m-%d %H:%M}  Floor  0"],
        [0, 1],
    )
    tooltip = bpy.context.window_manager.raypick_history[1].tooltip
    assert tooltip.splitlines() == [f"{older:%Y-%m-%d %H:%M:%S}", "Scene"]


def test_a_pick_is_removed_and_stays_in_the_file_that_holds_it(raypick, history, shown_rows):
    for x, name in enumerate(("First", "Second", "Third")):
        square(name).location.x = 2.0 * x
        cast(2.0 * x + 0.25)
    history.save_to(bpy.context.scene)
    assert bpy.ops.raypick.remove_record(number=1) == {"FINISHED"}
    assert [record.hit.object for record in history.records()] == ["Third", "First"]
    assert [text.split()[1] for text in shown_rows()[0]] == ["Third", "First"]
    assert raypick.session.current.kept().hit.object == "Third"
    history.save_to(bpy.context.scene)
    assert len(saved()) == 3
    with pytest.raises(RuntimeError, match="not remembered"):
        bpy.ops.raypick.remove_record(number=2)


def test_the_list_leaves_nothing_in_the_file(history, tmp_path):
    square()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"), compress=False)
    cast()
    assert rows()[0] == [0]
    bpy.ops.wm.save_mainfile()
    assert b"raypick" not in (tmp_path / "scene.blend").read_bytes().replace(
        str(tmp_path).encode(), b""
    )
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    assert rows()[0] == [0]


def test_it_survives_the_loading_of_another_file(history):
    square()
    cast()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert len(history.records()) == 1


def test_it_is_saved_with_the_file_on_request_alone(history, tmp_path):
    collection_instance(square(), (5, 0, 0))
    cast(5.25)
    before = history.records()
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert KEY not in bpy.context.scene
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    history.clear()
    bpy.ops.wm.open_mainfile(filepath=path)
    (loaded,) = history.records()
    assert loaded.hits == before[0].hits
    assert (loaded.origin, loaded.scene) == (before[0].origin, before[0].scene)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert len(history.records()) == 1


@pytest.mark.parametrize("saved", ["", "3", "[3]", "[{}]", '[{"hits": [{"a": 1}]}]', 7])
def test_a_history_that_cannot_be_read_is_left_alone(history, saved):
    bpy.context.scene[KEY] = saved
    read_again(history)
    assert history.records() == []


def test_json_has_all_values(history, tmp_path):
    square()
    cast(1 / 3)
    path = tmp_path / "picks.json"
    assert bpy.ops.raypick.export_history(filepath=str(path), format="JSON") == {"FINISHED"}
    (written,) = json.loads(path.read_text(encoding="utf-8"))
    (record,) = history.records()
    assert written == json.loads(json.dumps(record.as_dict()))
    assert type(record).from_dict(written).hits == record.hits


def test_csv_has_a_line_for_each_hit_with_all_digits(history, tmp_path):
    square('High, "quoted"', z=1.0)
    square("Low")
    cast(1 / 3)
    cast(all_hits=False)
    path = tmp_path / "picks.csv"
    assert bpy.ops.raypick.export_history(filepath=str(path), format="CSV") == {"FINISHED"}
    with open(path, encoding="utf-8", newline="") as file:
        high, low, nearest = csv.DictReader(file)
    (hit, _), newest = history.records()[1].hits, history.records()[0]
    assert (high["pick"], high["rank"], high["object"]) == ("1", "0", 'High, "quoted"')
    assert (low["rank"], low["object"], low["u"]) == ("1", "Low", "")
    assert (nearest["pick"], nearest["rank"]) == ("2", "0")
    assert nearest["when"] == newest.when.isoformat(timespec="milliseconds")
    assert (int(high["face"]), int(high["triangle"])) == (hit.face, hit.triangle)
    assert tuple(float(high[f"weight_{letter}"]) for letter in "abc") == hit.barycentric
    assert tuple(float(high[axis]) for axis in "xyz") == hit.point


def test_a_file_that_cannot_be_written_is_told(history, tmp_path):
    square()
    cast()
    with pytest.raises(RuntimeError, match=r"picks\.csv"):
        bpy.ops.raypick.export_history(filepath=str(tmp_path / "no" / "picks.csv"))


def test_without_picks_the_buttons_are_grey(history):
    for operator in ("save_history", "export_history", "clear_history"):
        assert not getattr(bpy.ops.raypick, operator).poll()
    square()
    cast()
    assert bpy.ops.raypick.clear_history("EXEC_DEFAULT") == {"FINISHED"}
    assert history.records() == []


@pytest.mark.parametrize(
    "change",
    [
        {"when": "2026-01-01T00:00:00"},
        {"when": 10**400},
        {"seconds": "soon"},
        {"origin": [1, 2]},
        {"hits": [None]},
        {"hits": []},
        {"rank": "first"},
    ],
)
def test_one_record_that_cannot_be_read_leaves_the_others(history, change):
    square()
    cast()
    cast()
    history.save_to(bpy.context.scene)
    picks = saved()
    picks[0].update(change)
    hold(picks)
    history.clear()
    read_again(history)
    assert len(history.records()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"face": "three"},
        {"object": 3},
        {"point": [1, 2]},
        {"corners": [[0, 0], [1, 0], [0, 1]]},
        {"uv_maps": [1]},
        {"vertices": ["a", "b", "c"]},
        {"barycentric": None},
        {"instance": 3},
        {"library": [1]},
        {"smooth_normal": 5},
        {"uv": [1, 2, 3]},
        {"face": True},
        {"distance": 10**400},
        {"matrix_world": [[1]]},
    ],
)
def test_hits_of_another_kind_are_not_loaded(history, change):
    square()
    cast()
    history.save_to(bpy.context.scene)
    picks = saved()
    picks[0]["hits"][0].update(change)
    hold(picks)
    history.clear()
    read_again(history)
    assert history.records() == []


def test_what_is_remembered_is_not_loaded_twice(history):
    square()
    cast()
    history.save_to(bpy.context.scene)
    read_again(history)
    assert len(history.records()) == 1


def test_values_that_are_no_numbers_are_saved_and_loaded(history):
    obj = square()
    layer = obj.data.uv_layers.new(name="UVMap")
    for corner in layer.data:
        corner.uv = (0.5, math.nan)
    cast()
    history.save_to(bpy.context.scene)
    history.clear()
    read_again(history)
    u, v = history.records()[0].hit.uv
    assert u == 0.5
    assert math.isnan(v)


def test_what_a_file_holds_stays_in_it(history):
    """Whatever was forgotten since, fell out of what is remembered, or cannot be read."""
    square()
    cast()
    history.save_to(bpy.context.scene)
    broken = [*saved(), {"when": "soon"}, 3]
    hold(broken)
    history.clear()
    for _ in range(history.MOST):
        cast()
    read_again(history)
    assert bpy.ops.raypick.save_history() == {"FINISHED"}
    assert saved()[:3] == broken
    assert len(saved()) == history.MOST + 3
    history.save_to(bpy.context.scene)
    assert len(saved()) == history.MOST + 3


def test_after_a_revert_picks_of_the_file_are_its_own(history, tmp_path):
    square()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    cast()
    bpy.ops.wm.revert_mainfile()
    history.save_to(bpy.context.scene)
    assert len(saved()) == 1


def test_of_many_hits_the_nearest_and_what_was_looked_at_are_saved(history):
    for number in range(30):
        square(f"Square {number}", z=0.01 * number)
    cast()
    history.save_to(bpy.context.scene)
    assert len(saved()[0]["hits"]) == 16
    bpy.ops.raypick.walk(step=20)
    history.save_to(bpy.context.scene)
    assert (len(saved()), len(saved()[0]["hits"])) == (1, 21)
    history.clear()
    read_again(history)
    assert history.records()[0].hit.object == "Square 9"
