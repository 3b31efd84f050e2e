# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels stand beside their places, none over another, those that matter first; the rest counts."""

import time
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest

AREA = (900.0, 500.0)
GAP = 8.0


@pytest.fixture
def layout(raypick):
    return import_module(f"{raypick.__name__}.overlay.layout")


@pytest.fixture
def labels(layout):
    """Labels of places and sizes, or of as many places of one size."""

    def made(places, sizes=(80.0, 16.0), led=False):
        places = np.array(places, dtype=float).reshape(-1, 2)
        count = len(places)
        sizes = np.broadcast_to(sizes, (count, 2))
        return layout.Labels(places, sizes, np.full(count, GAP), np.broadcast_to(led, count))

    return made


def share_area(a, b):
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


def random_labels(labels, rng, count, led=False):
    places = rng.uniform((0, 0), AREA, (count, 2))
    return labels(places, rng.uniform((20, 12), (160, 30), (count, 2)), led)


@pytest.mark.parametrize("count", [1, 12, 60, 400])
@pytest.mark.parametrize("are_led", [False, True])
def test_no_label_covers_another_a_mark_or_leaves_the_area(layout, labels, rng, count, are_led):
    for _ in range(20):
        named = random_labels(labels, rng, count, are_led)
        marks = layout.around(named.places, np.full(count, 4.0))
        laid = layout.laid_out(named, AREA, marks)
        boxes = [each.box for each in laid]
        assert len({each.label for each in laid}) == len(laid)
        assert not any(share_area(a, b) for a, b in combinations(boxes, 2))
        assert not any(share_area(box, mark) for box in boxes for mark in marks.tolist())
        assert all(min(box[:2]) >= 0 and box[2] <= AREA[0] and box[3] <= AREA[1] for box in boxes)
        assert laid or count == 1


def test_a_label_stands_right_of_its_place_and_at_the_edge_left_of_it(layout, labels):
    laid = layout.laid_out(labels([(300.0, 200.0), (890.0, 300.0)]), AREA)
    assert [(each.label, each.box[:2]) for each in laid] == [
        *((0, (308.0, 192.0)), (1, (802.0, 292.0)))
    ]


def test_the_first_one_has_the_room_that_two_want(layout, labels):
    laid = layout.laid_out(labels([(300.0, 200.0)] * 3), AREA)
    assert [each.label for each in laid] == [0, 1], "right of the place, left of it, and nowhere"


def test_without_room_beside_them_the_chosen_ones_alone_are_led_away(layout, labels):
    led = [False, False, False, True, False]
    laid = layout.laid_out(labels([(300.0, 200.0)] * 5, led=led), AREA)
    assert [(each.label, each.is_led) for each in laid] == [(0, False), (1, False), (3, True)]


def test_what_others_have_taken_is_left_alone(layout, labels):
    right_of_it = np.array([(330.0, 190.0, 380.0, 205.0)])
    laid = layout.laid_out(labels([(300.0, 200.0)] * 2), AREA, right_of_it)
    assert [(each.label, each.box[:2]) for each in laid] == [(0, (212.0, 192.0))]


def test_only_labels_in_the_way_of_the_mouse_move(layout, labels):
    named = labels([(300.0, 200.0), (300.0, 230.0), (300.0, 260.0)])
    before = layout.laid_out(named, AREA)
    at_mouse = np.array([(330.0, 225.0, 400.0, 235.0)])
    after = layout.laid_out(named, AREA, at_mouse, before)
    assert [each.is_right for each in before] == [True, True, True]
    assert [each.is_right for each in after] == [True, False, True]
    assert (after[0], after[2]) == (before[0], before[2])


@pytest.mark.parametrize("count", [1, 3, 40, 300])
@pytest.mark.parametrize("others", [0, 200])
def test_those_drawn_and_those_counted_are_all(layout, labels, rng, count, others):
    for _ in range(10):
        named = random_labels(labels, rng, count)
        more = rng.uniform((0, 0), AREA, (others, 2))
        laid, rest = layout.counted(named, more, AREA, 20.0)
        assert len(laid) + sum(each.extra for each in laid) + rest == count + others
        assert rest == 0 or not laid


def test_those_left_out_count_at_the_nearest_which_has_room_for_the_number(layout, labels):
    places = [*[(300.0, 200.0)] * 3, *[(600.0, 200.0)] * 4]
    laid, rest = layout.counted(labels(places), np.array([(310.0, 480.0)]), AREA, 20.0)
    assert [(each.label, each.extra) for each in laid] == [(0, 2), (1, 0), (3, 2), (4, 0)]
    assert [each.box[2] - each.box[0] for each in laid] == [100.0] * 4
    assert rest == 0
    assert layout.trimmed(laid[0], 80.0) == (308.0, 192.0, 388.0, 208.0)
    assert layout.trimmed(laid[1], 80.0) == (212.0, 192.0, 292.0, 208.0)


@pytest.mark.parametrize("others", [0, 200])
def test_those_that_the_mouse_covers_are_not_counted_and_no_others_take_their_room(
    layout, labels, rng, others
):
    covered = 0
    for _ in range(20):
        named = random_labels(labels, rng, 60)
        more = rng.uniform((0, 0), AREA, (others, 2))
        before, rest = layout.counted(named, more, AREA, 20.0)
        at_mouse = np.array([(300.0, 100.0, 560.0, 160.0)])
        after, _ = layout.counted(named, more, AREA, 20.0, at_mouse, before)
        assert rest == 0
        assert {each.label for each in after} <= {each.label for each in before}
        assert sum(each.extra for each in after) == sum(each.extra for each in before)
        covered += len(before) - len(after)
    assert covered > 20


def test_the_number_stays_if_the_mouse_covers_all_that_had_room(layout, labels):
    named, everything = labels([(300.0, 200.0)] * 3), np.array([(0.0, 0.0, *AREA)])
    before, _ = layout.counted(named, NO_PLACES, AREA, 20.0)
    assert layout.counted(named, NO_PLACES, AREA, 20.0, everything, before) == ([], 1)
    alone = labels([(300.0, 200.0)])
    before, _ = layout.counted(alone, NO_PLACES, AREA, 20.0)
    assert layout.counted(alone, NO_PLACES, AREA, 20.0, everything, before) == ([], 0)


def test_without_any_room_all_are_counted_together(layout, labels):
    everything = np.array([(0.0, 0.0, *AREA)])
    assert layout.counted(labels([(300.0, 200.0)] * 3), NO_PLACES, AREA, 20.0, everything) == (
        *([], 3),
    )


NO_PLACES = np.empty((0, 2))


def test_thousands_of_places_take_no_time(layout, labels, rng):
    named = random_labels(labels, rng, 120)
    others = rng.uniform((0, 0), AREA, (5000, 2))
    marks = layout.around(others, np.full(5000, 5.0))
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        layout.counted(named, others, AREA, 20.0, marks)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.1


def test_room_beside_each_place_is_found_as_it_is_for_a_single_label(layout, labels, rng):
    named = random_labels(labels, rng, 400)
    marks = layout.around(rng.uniform((0, 0), AREA, (60, 2)), np.full(60, 4.0))
    alone = [
        layout.laid_out(labels(place, size), AREA, marks)
        for place, size in zip(named.places, named.sizes, strict=True)
    ]
    found = layout.have_room(named, AREA, marks)
    assert found.tolist() == [bool(each) for each in alone]
    assert 50 < found.sum() < 350


def test_of_places_that_crowd_the_first_in_each_square_is_left(layout, rng):
    places = rng.uniform(-50, 200, (300, 2))
    seen = {}
    for row, cell in enumerate((places // 17.0).astype(int).tolist()):
        seen.setdefault(tuple(cell), row)
    assert layout.first_in_squares(places, 17.0).tolist() == sorted(seen.values())


def test_nothing_is_laid_out_of_nothing(layout, labels):
    assert layout.laid_out(labels([]), AREA) == []
    assert layout.counted(labels([]), NO_PLACES, AREA, 20.0) == ([], 0)
    assert layout.laid_out(labels([(5.0, 5.0)], (9.0, 9.0)), (0, 0)) == []
