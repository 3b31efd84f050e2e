# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of what is in use come first, however many others want the same room."""

from importlib import import_module
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from ..scenes import square

AREA = (900, 500)


@pytest.fixture
def overlay(raypick):
    return lambda name: import_module(f"{raypick.__name__}.overlay.{name}")


def images():
    """Texts of a width for each letter."""
    return SimpleNamespace(
        height=16.0, sizes=lambda texts: np.array([(8.0 * len(each), 16.0) for each in texts])
    )


def test_those_in_use_are_named_in_a_crowd_even_at_the_same_place(overlay):
    labels, layout = overlay("labels"), overlay("layout")
    count = 400
    texts = [f"other {number}" for number in range(count - 2)] + ["landmark", "measure"]
    ranks = np.array([1.0] * (count - 2) + [3.0, labels.IN_USE])
    pixels = np.tile([(400.0, 200.0)], (count, 1))
    names = labels.Names(texts, pixels, np.ones(count), ranks, np.full(count, 8.0))
    plan = labels._planned(images(), names, AREA, layout.NO_BOXES, (), None)
    assert plan.texts[0] == "landmark"
    assert "measure" in plan.texts


def test_the_measure_added_last_is_in_use(raypick, overlay, monkeypatch):
    api, obj, measures, labels = raypick.api, square(), overlay("measures"), overlay("labels")
    hits = [api.ray_cast(bpy.context, (x, 0.2, 9), (0, 0, -1))[0] for x in (0.3, 0.5, 0.8)]
    api.landmarks.add_many(bpy.context, hits, ["A", "B", "C"])
    for pair in ("AB", "BC"):
        api.measures.add("distance", [(obj, name) for name in pair], pair)
    seen = SimpleNamespace(pixels=np.zeros((2, 2)), hidden=np.zeros(2, dtype=bool))
    monkeypatch.setattr(measures.seen_places, "seen_with_hidden", lambda *_: seen)
    monkeypatch.setattr(
        measures,
        "_visible",
        lambda context: [each.measured for each in measures.measures.shown(context)],
    )
    names = measures.names(bpy.context)
    assert [text.split()[0] for text in names.texts] == ["AB", "BC"]
    assert names.ranks[0] < 1.0 < names.ranks[1] == labels.IN_USE
