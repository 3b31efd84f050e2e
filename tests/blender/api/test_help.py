# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``help()`` tells of hits and of the columns of many."""

import pydoc
import re
from dataclasses import fields

import bpy
import pytest


@pytest.fixture
def api(raypick):
    return raypick.api


def help_of(thing):
    return pydoc.plain(pydoc.render_doc(thing))


def attributes_of(text):
    """The names in a section "Attributes", each with its type and the text below it."""
    section = text.split("Attributes\n", 1)[1].split("\n |  \n", 1)[0]
    rows = re.findall(r"^ \|  (\w+) : (.*)\n((?: \|      .*\n?)+)", section, re.M)
    return {name: (kind, " ".join(about.replace(" | ", "").split())) for name, kind, about in rows}


def test_every_field_of_a_hit_is_described_with_its_type(api):
    described = attributes_of(help_of(api.PickHit))
    assert [*described] == [each.name for each in fields(api.PickHit)]
    for name, (kind, about) in described.items():
        assert kind == api.PickHit.__annotations__[name]
        assert re.fullmatch(r"[A-Z].{8,}\.", about), name
    about = {name: text for name, (_, text) in described.items()}
    assert about["point"] == "The place hit, in world space."
    assert "in linear color" in about["colors"]
    assert about["snapped"].startswith('What the hit snapped to: "vertex", "edge" or "face"')
    assert about["instance"].endswith("the innermost level first.")


@pytest.mark.parametrize("name", ["point", "corners", "face_corners", "normal", "smooth_normal"])
def test_places_and_directions_tell_their_space(api, name):
    assert "in world space" in attributes_of(help_of(api.PickHit))[name][1]


def test_every_column_of_many_hits_is_described(raypick, api):
    text = help_of(api.cast_rays)
    assert "{columns}" not in text
    columns = raypick.bridge.batch.columns.COLUMNS
    for name in columns.keys() - {"depth"}:
        assert re.search(rf"- `{name}`, \(.*\) \w+: [A-Z]", text), name
    flat = " ".join(text.split())
    assert (
        "- `face`, (...) int32: Index of the face in the mesh that was hit; by default that is the "
        "evaluated one, with its modifiers. Misses have -1."
    ) in flat
    assert "- `point`, (..., 3) float64: The place hit, in world space. Misses have NaN." in flat
    assert "- `distance`, (...) float64: " in flat
    assert "one. Misses have inf." in flat
    assert "- `front`, (...) bool: " in flat
    assert "from behind. Misses have False." in flat


def test_the_shapes_and_types_are_those_of_the_answer(raypick, api):
    columns = {*raypick.bridge.batch.columns.COLUMNS} - {"depth"}
    hits = api.cast_rays(bpy.context, [(9, 9, 9)] * 4, (0, 0, -1), columns=columns)
    flat = " ".join(help_of(api.cast_rays).split())
    for name, column in hits.items():
        shape, kind, miss = re.search(
            rf"- `{name}`, \((.*?)\) (\w+): .*?Misses have (\S+)\.(?: |$)", flat
        ).groups()
        assert ("..., 3" if column.shape == (4, 3) else shape) == shape
        assert column.ndim == 1 + ("," in shape)
        assert column.dtype.name == kind
        assert str(column.flat[0]).lower() == miss.lower(), name
