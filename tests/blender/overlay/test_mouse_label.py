# SPDX-License-Identifier: GPL-3.0-or-later
"""The label at the mouse: one line, and further ones when the mouse rests, as the user wants."""

from importlib import import_module
from types import SimpleNamespace

import bpy
import pytest

from ..scenes import square

FIRST = {"OBJECT": "Square", "FACE": "Face 0", "TRIANGLE": "Triangle 0"}


@pytest.fixture
def module(raypick):
    return import_module(f"{raypick.__name__}.overlay.mouse_label")


@pytest.fixture
def preferences(raypick):
    found = import_module(f"{raypick.__name__}.settings").preferences()
    yield found
    found.property_unset("label")


@pytest.fixture
def label(raypick, module, preferences):
    """The lines for the parts that are wanted, of a pick of a square without UVs."""
    square()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))

    def lines(*wanted, rests=True):
        preferences.label = set(wanted)
        return list(module.lines_of(raypick.session.current.kept(), bpy.context, rests))

    yield lines
    raypick.session.current.show(None)


@pytest.mark.parametrize("rests", [False, True])
def test_object_face_and_triangle_are_in_the_first_line_where_they_are_wanted(label, rests):
    assert {part: label(part, rests=rests) for part in FIRST} == {
        part: [text] for part, text in FIRST.items()
    }
    assert label(*FIRST, rests=rests) == ["Square · Face 0 · Triangle 0"]
    assert label(rests=rests) == []


def test_the_other_parts_follow_when_the_mouse_rests(label):
    lines = {"BARYCENTRIC": "A 0.5000  B 0.2500  C 0.2500", "POINT": "0.5000, 0.2500, 0.0000 m"}
    assert label("FACE", *lines) == ["Face 0", *lines.values()]
    assert label("FACE", *lines, rests=False) == ["Face 0"]
    assert {part: label(part) for part in lines} == {part: [each] for part, each in lines.items()}


def test_uvs_are_shown_where_the_mesh_has_some(label):
    assert label("UV") == []
    bpy.context.view_layer.objects["Square"].data.uv_layers.new()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))
    assert label("UV", "FACE") == ["Face 0", "UV 0.5000, 0.2500"]


def test_what_is_unusual_is_in_the_first_line(raypick, label):
    below = bpy.data.objects.new("Below", bpy.data.objects["Square"].data)
    below.location.z, below.scale.z = -1.0, -1.0
    bpy.context.scene.collection.objects.link(below)
    raypick.session.current.show(None)
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0), all_hits=True)
    assert label("OBJECT") == ["Square · 1 of 2"]
    raypick.session.current.kept().look_at(1)
    assert label("OBJECT")[0].startswith("Below · 2 of 2")


def test_without_a_choice_it_shows_object_face_and_weights(module, preferences):
    assert preferences.label == {"OBJECT", "FACE", "BARYCENTRIC"}
    assert [part for part, *_ in module.LABEL_PARTS[:5]] == [
        *("OBJECT", "FACE", "TRIANGLE", "BARYCENTRIC", "POINT")  # saved preferences have numbers
    ]


WIDTH, HEIGHT, CLEAR = 800, 500, 14.0


@pytest.fixture
def beside(module, monkeypatch):
    """The box of a label of a size at a place of a region, and what covers the region."""
    monkeypatch.setattr(module.viewports, "free", lambda *_: (WIDTH, HEIGHT))
    monkeypatch.setattr(module.settings, "ui_scale", lambda: 1.0)
    context = SimpleNamespace(area=object(), region=object())

    def box(place, size, covered=()):
        monkeypatch.setattr(module.viewports, "covered", lambda *_: covered)
        return module.beside(context, place, size, [])

    return box


def test_it_hangs_below_the_place_and_stands_above_it_at_the_lower_border(beside):
    assert beside((300, 200), (120, 40)) == (286, 146, 406, 186)
    assert beside((300, 30), (120, 40)) == (286, 44, 406, 84)


def test_it_never_covers_the_place_nor_leaves_the_region(beside, rng):
    for place, size in zip(
        rng.uniform((0, 0), (WIDTH, HEIGHT), (2000, 2)),
        rng.uniform((20, 12), (300, 150), (2000, 2)),
        strict=True,
    ):
        left, low, right, top = beside(place, size)
        (x, y), near = place, CLEAR - 1e-9
        assert left >= x + near or right <= x - near or low >= y + near or top <= y - near
        assert left >= 0 and low >= 0 and right <= WIDTH and top <= HEIGHT  # noqa: PT018


def test_without_room_there_is_none(beside):
    assert beside((400, 250), (790, 490)) is None


def test_it_keeps_clear_of_what_covers_the_region(beside):
    toolbar = (0, 0, 60, HEIGHT)
    left, *_ = beside((65, 200), (120, 40), [toolbar])
    assert left >= 60
