# SPDX-License-Identifier: GPL-3.0-or-later
"""The label at the mouse shows what the preferences say, line below line.

Labels stand beside their places, none over another, and those that matter first.
"""

from importlib import import_module
from itertools import combinations

import bpy
import numpy as np
import pytest

from ..scenes import square

LINES = {
    "OBJECT": "Square",
    "FACE": "Face 0",
    "TRIANGLE": "Triangle 0",
    "BARYCENTRIC": "A 0.5000  B 0.2500  C 0.2500",
    "POINT": "0.500000, 0.250000, 0.000000",
}


@pytest.fixture
def label(raypick):
    """The lines for the parts that are wanted, of a pick of a square without UVs."""
    square()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))
    preferences = import_module(f"{raypick.__name__}.settings").preferences()
    labels = import_module(f"{raypick.__name__}.overlay.labels")

    def lines(*wanted):
        preferences.label = set(wanted)
        return list(labels.lines_of(raypick.session.current.kept(), bpy.context))

    yield lines
    preferences.property_unset("label")
    raypick.session.current.show(None)


def test_each_part_is_shown_where_it_is_wanted(label):
    assert {part: label(part) for part in LINES} == {part: [line] for part, line in LINES.items()}
    assert label() == []


def test_face_and_triangle_share_a_line(label):
    object_, face, triangle, *rest = LINES.values()
    assert label(*LINES) == [object_, f"{face}  {triangle}", *rest]


def test_uvs_are_shown_where_the_mesh_has_some(label):
    assert label("UV") == []
    bpy.context.view_layer.objects["Square"].data.uv_layers.new()
    bpy.ops.raypick.cast(origin=(0.5, 0.25, 3.0))
    assert label("UV", "FACE") == ["Face 0", "UV 0.500000, 0.250000"]


AREA = (900.0, 500.0)


@pytest.fixture
def layout(raypick):
    return import_module(f"{raypick.__name__}.overlay.labels")


def boxes_of(laid, sizes):
    return [
        (each.left, each.low, *np.add((each.left, each.low), sizes[each.label])) for each in laid
    ]


def share_area(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def labels(rng, count):
    places = rng.uniform((0, 0), AREA, (count, 2))
    return places, rng.uniform((20, 12), (160, 30), (count, 2))


@pytest.mark.parametrize("count", [1, 12, 60, 400])
@pytest.mark.parametrize("are_led", [False, True])
def test_no_label_covers_another_or_leaves_the_area(layout, rng, count, are_led):
    for _ in range(20):
        places, sizes = labels(rng, count)
        laid = layout.laid_out(places, sizes, AREA, gap=8.0, led=np.full(count, are_led))
        boxes = boxes_of(laid, sizes)
        assert len({each.label for each in laid}) == len(laid)
        assert not any(share_area(a, b) for a, b in combinations(boxes, 2))
        assert all(min(box[:2]) >= 0 and box[2] <= AREA[0] and box[3] <= AREA[1] for box in boxes)
        assert laid or count == 1


def test_a_label_stands_right_of_its_place_and_at_the_edge_left_of_it(layout):
    places, sizes = np.array([(300.0, 200.0), (890.0, 300.0)]), np.full((2, 2), (80.0, 16.0))
    laid = layout.laid_out(places, sizes, AREA, gap=8.0)
    assert [tuple(each) for each in laid] == [(0, 308.0, 192.0, False), (1, 802.0, 292.0, False)]


def test_the_first_one_has_the_room_that_two_want(layout):
    places, sizes = np.array([(300.0, 200.0)] * 3), np.full((3, 2), (80.0, 16.0))
    laid = layout.laid_out(places, sizes, AREA, gap=8.0)
    assert [each.label for each in laid] == [0, 1], "right of the place, left of it, and nowhere"


def test_without_room_beside_them_the_chosen_ones_alone_are_led_away(layout):
    places, sizes = np.array([(300.0, 200.0)] * 5), np.full((5, 2), (80.0, 16.0))
    led = np.array([False, False, False, True, False])
    laid = layout.laid_out(places, sizes, AREA, gap=8.0, led=led)
    assert [(each.label, each.is_led) for each in laid] == [(0, False), (1, False), (3, True)]


def test_what_others_have_taken_is_left_alone(layout):
    places, sizes = np.array([(300.0, 200.0)] * 2), np.full((2, 2), (80.0, 16.0))
    right_of_it = np.array([(330.0, 190.0, 380.0, 205.0)])
    laid = layout.laid_out(places, sizes, AREA, gap=8.0, taken=right_of_it)
    assert [tuple(each) for each in laid] == [(0, 212.0, 192.0, False)]


def test_of_places_that_crowd_the_first_in_each_square_is_left(layout, rng):
    places = rng.uniform(-50, 200, (300, 2))
    seen = {}
    for row, cell in enumerate((places // 17.0).astype(int).tolist()):
        seen.setdefault(tuple(cell), row)
    assert layout.first_in_squares(places, 17.0).tolist() == sorted(seen.values())


def test_nothing_is_laid_out_of_nothing(layout):
    nothing = np.empty((0, 2))
    assert layout.laid_out(nothing, nothing, AREA, gap=8.0) == []
    assert layout.laid_out(np.array([(5.0, 5.0)]), np.array([(9.0, 9.0)]), (0, 0), gap=8.0) == []
