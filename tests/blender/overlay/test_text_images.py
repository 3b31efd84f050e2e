# SPDX-License-Identifier: GPL-3.0-or-later
"""The letters of the vertices stand beside the triangle, however small it is."""

from importlib import import_module
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

SIZES = [(38.0, 16.0), (30.0, 16.0), (46.0, 16.0)]


@pytest.fixture
def letters(raypick):
    return import_module(f"{raypick.__name__}.overlay.text_images")


def inside(triangle, count=24):
    """Points all over a triangle, its corners and edges included."""
    i, j = np.mgrid[: count + 1, : count + 1]
    i, j = i[i + j <= count], j[i + j <= count]
    return np.stack([i, j, count - i - j], axis=1) / count @ np.array(triangle)


def is_clear(box, points):
    left, low, right, top = box
    x, y = points.T
    return not ((left < x) & (x < right) & (low < y) & (y < top)).any()


@pytest.mark.parametrize("size", [2, 5, 12, 30, 100, 600])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_no_letter_covers_the_triangle_or_another_letter(letters, rng, size, scale):
    found = 0
    for _ in range(200):
        triangle = (500 + size * rng.uniform(-1, 1, (3, 2))).tolist()
        boxes = letters.placed(triangle, [(scale * w, scale * h) for w, h in SIZES], scale)
        found += bool(boxes)
        assert all(is_clear(box, inside(triangle)) for box in boxes)
        assert not any(letters.overlap(a, b) for a, b in combinations(boxes, 2))
        for box, (width, height) in zip(boxes, SIZES, strict=bool(boxes)):
            assert (box[2] - box[0], box[3] - box[1]) == pytest.approx(
                (scale * width, scale * height)
            )
    assert found > 100


def test_beside_a_large_triangle_letters_stay_where_its_corners_are(letters):
    triangle = [(100.0, 100.0), (700.0, 100.0), (400.0, 600.0)]
    for box, corner in zip(letters.placed(triangle, SIZES, 1.0), triangle, strict=True):
        middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        assert np.hypot(*np.subtract(middle, corner)) < 30


def test_a_triangle_of_no_size_has_no_letters(letters):
    assert letters.placed([(5.0, 5.0)] * 3, SIZES, 1.0) == []


@pytest.mark.parametrize(
    ("width", "drawn"), [(300, ["A 7", "B 8", "C 123456"]), (40, ["A", "B", "C"]), (8, [])]
)
def test_texts_are_beside_triangles_that_are_wider_than_they_are(
    letters, monkeypatch, width, drawn
):
    texts = []
    corners = [(100.0, 100.0), (100.0 + width, 100.0), (100.0, 400.0)]
    monkeypatch.setattr(letters.view, "pixels", lambda *_: corners)
    monkeypatch.setattr(letters.blf, "dimensions", lambda _, text: (10.0 * len(text), 12.0))
    monkeypatch.setattr(letters, "_draw_shadowed", lambda shown, *_: texts.extend(shown))
    hit = SimpleNamespace(corners=None, vertices=(7, 8, 123456))
    assert len(letters.draw_vertex_labels(None, hit, 1.0)) == len(drawn)
    assert texts == drawn
