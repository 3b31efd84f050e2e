# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators that write and read files of landmarks."""

import importlib
import json
import re
from types import SimpleNamespace

import addon_utils
import bpy
import numpy as np
import pytest
from mathutils import Matrix

from ...recorder import Recorder
from ..conftest import PACKAGE
from ..heads import copy_of, head, mark
from ..scenes import square, suzanne

EXPORT, LOAD = bpy.ops.raypick.export_landmarks, bpy.ops.raypick.import_landmarks


@pytest.fixture
def face(raypick):
    """Return an active head with two sets of landmarks."""
    obj = head()
    mark(raypick, obj, 5, set="Other")
    mark(raypick, obj, 7)
    return obj


def activate(obj):
    bpy.context.view_layer.objects.active = obj


def offered(operator, name):
    """The choices of a property of an operator."""
    items = operator.get_rna_type().properties[name].enum_items
    return {(each.identifier, each.name, each.description) for each in items}


def operators(module):
    return importlib.import_module(f"{PACKAGE}.operators.{module}")


@pytest.fixture
def reported(monkeypatch):
    """Return the texts that the operators of files report."""
    texts = []
    module = operators("landmark_files")
    for name in ("_told_written", "_told_read"):
        told = getattr(module, name)

        def note(*given, told=told):
            parts = told(*given)
            texts.append(". ".join(parts))
            return parts

        monkeypatch.setattr(module, name, note)
    return texts


def test_the_choices_are_all_formats_columns_units_and_axes(raypick):
    files = importlib.import_module(f"{PACKAGE}.model.landmark_files.registry")
    declared = importlib.import_module(f"{PACKAGE}.model.landmark_files.format")
    every = {(each.name, each.label, each.purpose) for each in files.formats()}
    assert offered(EXPORT, "format") == every
    assert offered(LOAD, "format") - every == {
        ("AUTO", "Automatic", "By the ending and the beginning of a file")
    }
    assert {name for name, *_ in offered(EXPORT, "columns")} == {*files.format_named("csv").columns}
    for operator in (EXPORT, LOAD):
        axes = {name for name, *_ in offered(operator, "axes")}
        assert axes - {"FILE"} == {*declared.AXES}
        units = {name for name, *_ in offered(operator, "unit")}
        assert units - {"AUTO", "FILE", "SCENE"} == {*map(str.upper, declared.TYPED_UNITS)}
    assert [*operators("landmark_files").UNITS.values()] == [*declared.METERS]


def test_a_layout_is_chosen_where_a_format_tells_people_what_it_decides(raypick):
    files = importlib.import_module(f"{PACKAGE}.model.landmark_files.registry")
    told = [each for each in files.formats() if each.layouts_tell]
    assert {each.name for each in told} == {"embedding", "wrap"}
    for each in told:
        assert offered(EXPORT, f"{each.name}_layout") == {
            (name, layout.label, layout.purpose) for name, layout in each.layouts.items()
        }


def test_the_file_browser_shows_the_files_of_every_format(raypick):
    files = importlib.import_module(f"{PACKAGE}.model.landmark_files.registry")
    longest = bpy.types.FileSelectParams.bl_rna.properties["filter_glob"].length_max
    for operator, wanted in (
        (EXPORT, {each.endings[0] for each in files.formats()}),
        (LOAD, {ending for each in files.formats() for ending in each.endings}),
    ):
        shown = operator.get_rna_type().properties["filter_glob"].default
        assert {*shown.split(";")} == {f"*{ending}" for ending in wanted}
        assert len(shown) < longest  # Blender cuts off what is longer


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("face.mrk.json", {}),
        ("face.npz", {}),
        ("face.pp", {}),
        ("face.pts", {}),
        ("face.tps", {}),
        ("face.csv", {}),
        ("face.tsv", {"columns": {"set", "name", "triangle", "barycentric"}}),
    ],
)
def test_the_active_set_goes_through_a_file_of_each_format(
    raypick, face, tmp_path, reported, name, columns
):
    there = raypick.api.landmarks.points(bpy.context, face, "Face")
    assert EXPORT(filepath=str(tmp_path / name), **columns) == {"FINISHED"}
    other = copy_of(face)
    activate(other)
    assert LOAD(filepath=str(tmp_path / name)) == {"FINISHED"}
    assert raypick.api.landmarks.points(bpy.context, other) == pytest.approx(there, abs=1e-6)
    assert "Exported 7 landmarks" in reported[0]
    assert "Added 7 landmarks" in reported[1]


def test_the_report_says_units_axes_and_how_triangles_count(face, tmp_path, reported):
    EXPORT(filepath=str(tmp_path / "a.mrk.json"))
    EXPORT(filepath=str(tmp_path / "a.csv"), axes="Y_UP")
    EXPORT(filepath=str(tmp_path / "a.npz"))
    assert reported == [
        "Exported 7 landmarks (mm, LPS)",
        "Exported 7 landmarks (Scene Units, Y Up)",
        "Exported 7 landmarks. Triangles are the faces of the original mesh",
    ]


def test_all_sets_are_written_on_request(raypick, face, tmp_path):
    EXPORT(filepath=str(tmp_path / "a.mrk.json"), sets="ALL")
    markups = json.loads((tmp_path / "a.mrk.json").read_text())["markups"]
    assert [each["name"] for each in markups] == ["Other", "Face"]


def test_several_files_are_read_at_once(raypick, tmp_path):
    activate(square())
    bpy.context.view_layer.update()
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("name,x,y,z\nn,0.1,0.1,0\n")
    (tmp_path / "bad.csv").write_text("nothing")
    files = [{"name": f"{name}.csv"} for name in ("a", "bad", "b")]
    assert LOAD(directory=str(tmp_path), files=files) == {"FINISHED"}
    assert [each.set for each in raypick.api.landmarks.of(bpy.context.object)] == ["a", "b"]


def test_the_one_set_of_a_file_that_is_wanted_is_chosen_by_its_name(raypick, face, tmp_path):
    raypick.api.landmarks.export(bpy.context, face, tmp_path / "face.mrk.json")
    activate(other := copy_of(face))
    assert LOAD(filepath=str(tmp_path / "face.mrk.json"), only="Other") == {"FINISHED"}
    assert {each.set for each in raypick.api.landmarks.of(other)} == {"Other"}
    chosen = SimpleNamespace(
        files=[], directory="", filepath=str(tmp_path / "face.mrk.json"), format="AUTO"
    )
    sets = operators("landmark_files")._sets_in_file
    assert [*sets(chosen, bpy.context, "")] == ["Other", "Face"]
    assert [*sets(chosen, bpy.context, "fa")] == ["Face"]
    chosen.filepath = str(tmp_path / "none.csv")
    assert [*sets(chosen, bpy.context, "")] == []


def test_units_and_axes_may_be_said_where_the_file_says_them_wrong(raypick, tmp_path):
    obj = square(size=9.0)
    activate(obj)
    bpy.context.view_layer.update()
    (tmp_path / "a.csv").write_text("name,x,y,z,unit,axes\nn,2,0,-3,mm,Z_UP\n")
    LOAD(filepath=str(tmp_path / "a.csv"), unit="SCENE", axes="Y_UP")
    assert raypick.api.landmarks.points(bpy.context, obj)[0] == pytest.approx((2, 3, 0), abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_no_file_brings_a_traceback(face, tmp_path, seed):
    rng = np.random.default_rng(seed)
    before = face["raypick_landmarks"]
    for ending in (".mrk.json", ".json", ".npz", ".pp", ".pts", ".tps", ".csv", ".tsv", ".txt"):
        path = tmp_path / f"file{ending}"
        path.write_bytes(rng.integers(0, 256, 200, np.uint8).tobytes())
        with pytest.raises(RuntimeError, match=r"^Error: ") as caught:
            LOAD(filepath=str(path))
        assert "Traceback" not in str(caught.value)
    assert face["raypick_landmarks"] == before


def test_what_is_not_there_is_said_in_words(face, tmp_path):
    with pytest.raises(RuntimeError, match="is no file"):
        LOAD(filepath=str(tmp_path / "none.csv"))
    with pytest.raises(RuntimeError, match=r"udc80.csv is no file"):
        LOAD(filepath=str(tmp_path / "\udc80.csv"))
    with pytest.raises(RuntimeError, match="No file is chosen"):
        LOAD()
    with pytest.raises(RuntimeError, match="No such file"):
        EXPORT(filepath=str(tmp_path / "none" / "a.csv"))


def test_polls_say_what_is_needed(raypick):
    bpy.context.view_layer.objects.active = None
    for operator in (EXPORT, LOAD, bpy.ops.raypick.copy_landmark_table):
        assert not operator.poll()
    activate(square())
    assert LOAD.poll()
    assert not EXPORT.poll()
    bpy.context.object["raypick_landmarks"] = "damaged"
    assert not LOAD.poll()
    assert not EXPORT.poll()


@pytest.fixture
def millimeters(tmp_path):
    """Return a file of Slicer's on an active head in millimeters, and one with a global shift."""
    obj = suzanne()
    obj.data.transform(Matrix.Scale(100.0, 4))
    bpy.context.view_layer.update()
    points = np.array([vertex.co[:] for vertex in obj.data.vertices])[::20]
    marks = [{"label": f"{i}", "position": point} for i, point in enumerate(points.tolist())]
    markup = {"type": "Fiducial", "coordinateSystem": "LPS", "coordinateUnits": "mm"}
    path = tmp_path / "head.mrk.json"
    path.write_text(json.dumps({"markups": [{**markup, "controlPoints": marks}]}))
    shifted = "".join(f"{x},{y},{z}\n" for x, y, z in (points + (1000, 5410000, 0)).tolist())
    (tmp_path / "head.asc").write_text(shifted)
    return path


def test_a_unit_that_was_taken_is_reported_with_the_one_that_does_not_fit(millimeters, reported):
    LOAD(filepath=str(millimeters))
    assert reported[0].startswith("Added 26 landmarks (Scene Units, LPS), moved by at most 0")
    assert reported[0].endswith(". In mm they do not fit")


def test_what_does_not_fit_is_refused_with_the_fields_that_would(raypick, millimeters):
    with pytest.raises(RuntimeError) as caught:
        LOAD(filepath=str(millimeters), unit="FILE")
    assert re.match(
        r"Error: Positions \(mm, LPS\) do not fit Suzanne, whose size is \d+\.\d+ m: one would "
        r"move by \d+\.\d+ m\. They fit with Unit: Scene Units",
        str(caught.value),
    )
    assert raypick.api.landmarks.of(bpy.context.object) == []
    assert LOAD(filepath=str(millimeters), unit="FILE", far=True) == {"FINISHED"}


def test_a_button_imports_with_what_fits(raypick, millimeters):
    module = operators("landmark_files")
    shifted = millimeters.with_name("head.asc")
    with pytest.raises(module.UnfitError) as caught:
        raypick.api.landmarks.load(bpy.context, bpy.context.object, shifted)

    class Chosen:
        def as_keywords(self, ignore):
            return {"space": "WORLD", "unit": "AUTO", "axes": "FILE", "offset": "", "far": False}

    draw = module.RAYPICK_OT_import_landmarks._offers(Chosen(), {str(shifted): caught.value})
    menu = SimpleNamespace(layout=Recorder())
    draw(menu, bpy.context)
    assert menu.layout.labels[0].startswith("Positions (Scene Units, Z Up) do not fit Suzanne")
    fitting, anywhere = menu.layout.buttons
    assert fitting.label == "Import head.asc with Offset: 1000, 5410000, 0"
    assert anywhere.label == "Import head.asc with Far Positions"
    assert (anywhere.far, anywhere.offset) == (True, "")
    names = ("filepath", "space", "unit", "axes", "offset", "far")
    assert LOAD(**{name: getattr(fitting, name) for name in names}) == {"FINISHED"}
    assert all(each.moved < 1e-3 for each in raypick.api.landmarks.of(bpy.context.object))


def test_an_offset_keeps_its_digits_on_the_way_out_and_back(raypick, face, tmp_path):
    there = raypick.api.landmarks.points(bpy.context, face, "Face")
    EXPORT(filepath=str(tmp_path / "a.npy"), offset="451000.0625, 5410000.0625, -1e-3")
    shifted = there + (451000.0625, 5410000.0625, -0.001)
    assert np.load(tmp_path / "a.npy") == pytest.approx(shifted, abs=1e-9)
    activate(other := copy_of(face))
    LOAD(filepath=str(tmp_path / "a.npy"), offset="451000.0625 5410000.0625 -0.001")
    assert raypick.api.landmarks.points(bpy.context, other) == pytest.approx(there, abs=1e-6)
    for wrong in ("1, 2", "a, b, c", "1, 2, nan"):
        with pytest.raises(RuntimeError, match="offset"):
            LOAD(filepath=str(tmp_path / "a.npy"), offset=wrong)


def test_the_ending_follows_the_format_in_the_file_browser(raypick):
    cls = operators("landmark_files").RAYPICK_OT_export_landmarks

    class Chosen:
        filepath, format = "/there/face.v2.mrk.json", "embedding"

    chosen = Chosen()
    assert cls.check(chosen, None)
    assert chosen.filepath == "/there/face.v2.npz"
    chosen.format = "slicer"
    assert cls.check(chosen, None)
    assert chosen.filepath == "/there/face.v2.mrk.json"
    assert not cls.check(chosen, None)


def test_a_table_is_copied_with_the_chosen_columns(raypick, face, monkeypatch):
    module, copied = operators("landmark_files"), []
    table = module.api.text
    monkeypatch.setattr(module.api, "text", lambda *g, **o: copied.append(table(*g, **o)) or "a\nb")
    bpy.ops.raypick.copy_landmark_table(columns={"face", "name"})
    rows = copied[0].splitlines()
    assert rows[0] == "name\tface"
    records = raypick.api.landmarks.of(face, "Face")
    assert rows[1:] == [f"{each.name}\t{each.face}" for each in records]


def test_an_import_is_a_step_to_undo_and_an_export_is_none(raypick):
    assert operators("landmark_files").RAYPICK_OT_import_landmarks.pushes_step
    exporter = operators("landmark_files").RAYPICK_OT_export_landmarks
    assert "UNDO" not in getattr(exporter, "bl_options", ())
    assert not exporter.pushes_step


def test_the_file_menus_have_the_operators_only_while_enabled(raypick):
    def entries():
        menus = (bpy.types.TOPBAR_MT_file_import, bpy.types.TOPBAR_MT_file_export)
        return [sum(PACKAGE in draw.__module__ for draw in m._dyn_ui_initialize()) for m in menus]

    assert entries() == [1, 1]
    addon_utils.disable(PACKAGE)
    assert entries() == [0, 0]
    addon_utils.enable(PACKAGE)
    assert entries() == [1, 1]


@pytest.mark.parametrize(("system", "meters"), [("METRIC", 0.5), ("IMPERIAL", 0.5), ("NONE", 1.0)])
def test_a_scale_of_units_counts_in_a_scene_that_has_units_alone(raypick, system, meters):
    settings = bpy.context.scene.unit_settings
    settings.system, settings.scale_length = system, 0.5
    module = importlib.import_module(f"{PACKAGE}.bridge.landmarks.file_frame")
    frame = module.FileFrame(bpy.context.scene, "WORLD", "mm", "Z_UP")
    assert frame.factor == 1000 * meters
    assert frame.to_file(np.array([[1.0, 2, 3]])).tolist() == [
        [1e3 * meters * x for x in (1, 2, 3)]
    ]
