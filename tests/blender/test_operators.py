# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators without a window, and the texts that the panel shows."""

import json
from importlib import import_module

import bpy
import pytest

from .scenes import collection_instance, down, square


def texts():
    return bpy.context.window_manager.raypick


def test_cast_answers_in_the_texts_of_the_panel(raypick):
    obj = square("Floor")
    obj.data.materials.append(bpy.data.materials.new("Wood"))
    assert bpy.ops.raypick.cast(origin=(0.75, 0.25, 3), direction=(0, 0, -2)) == {"FINISHED"}
    (hit,) = down(raypick, 0.75, 0.25)
    assert (texts().object, texts().instance, texts().material) == ("Floor", "None", "Wood")
    assert (texts().face, texts().original_face, texts().triangle) == ("0", "0", str(hit.triangle))
    assert (texts().vertex_a, texts().vertex_b, texts().vertex_c) == tuple(map(str, hit.vertices))
    weights = (texts().weight_a, texts().weight_b, texts().weight_c)
    assert weights == tuple(map(repr, hit.barycentric))
    assert (texts().world_x, texts().local_y, texts().normal_z) == ("0.75", "0.25", "1.0")
    assert (texts().distance, texts().side, texts().uv_u) == ("3.0", "Front", "None")


def test_texts_have_all_digits(raypick):
    obj = square(size=100.0)
    obj.location = (1e5, 0, 0)
    bpy.ops.raypick.cast(origin=(100012.3984375, 67.8, 3))
    picked = import_module(f"{raypick.__name__}.picked")
    assert float(texts().world_x) == picked.last().hits[0].point[0] == 100012.3984375


def test_texts_name_an_instance(raypick):
    collection_instance(square("Tile"), (5, 0, 0))
    bpy.ops.raypick.cast(origin=(5.25, 0.5, 3))
    assert (texts().object, texts().instance) == ("Tile", "Instancer [0]")


def test_texts_are_read_only(raypick):
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    with pytest.raises(AttributeError):
        texts().face = "7"


def test_a_miss_empties_the_texts(raypick):
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert texts().object == texts().face == ""


def test_options_of_cast(raypick):
    picked = import_module(f"{raypick.__name__}.picked")
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
        assert [hit.object for hit in picked.last().hits] == expected
        assert picked.last().seconds > 0


def test_bad_input_is_told_as_an_error_not_a_traceback(raypick):
    with pytest.raises(RuntimeError, match="direction must be finite and longer than 0") as told:
        bpy.ops.raypick.cast(direction=(0, 0, 0))
    assert "Traceback" not in str(told.value)


def test_pick_needs_a_viewport(raypick):
    assert not bpy.ops.raypick.pick.poll()
    with pytest.raises(RuntimeError, match="over a 3D viewport"):
        bpy.ops.raypick.pick()


def test_copy_report_needs_a_hit(raypick):
    import_module(f"{raypick.__name__}.picked").keep(None)
    assert not bpy.ops.raypick.copy_report.poll()
    bpy.ops.raypick.cast(origin=(75, 25, 3))
    assert not bpy.ops.raypick.copy_report.poll()
    square()
    bpy.ops.raypick.cast(origin=(0.75, 0.25, 3))
    assert bpy.ops.raypick.copy_report.poll()


def test_a_report_is_json(raypick):
    square()
    report = json.dumps([hit.as_dict() for hit in down(raypick, 0.75, 0.25)])
    assert json.loads(report)[0]["face"] == 0
