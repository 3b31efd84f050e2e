# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as callers give them and people type them, and runs of them."""

import pytest

import standalone_core as sc
from standalone_core.frame_ranges import frames_of, runs


@pytest.mark.parametrize(
    ("given", "frames"),
    [
        ("7", [7]),
        ("1-4", [1, 2, 3, 4]),
        ("5, 1-3,2", [1, 2, 3, 5]),
        ("1-10x4", [1, 5, 9]),
        ("-3--1", [-3, -2, -1]),
        ("-1-1", [-1, 0, 1]),
        (" 1 , 3-4 ", [1, 3, 4]),
        (12, [12]),
        (range(3), [0, 1, 2]),
        ([9, 4, 9], [4, 9]),
    ],
)
def test_frames_are_read_each_once_and_in_order(given, frames):
    assert frames_of(given) == frames


def test_a_step_counts_for_each_range_without_one():
    assert frames_of("1-10,20-30x2", 5) == [1, 6, 20, 22, 24, 26, 28, 30]


@pytest.mark.parametrize(
    "given", ["", "a", "1-", "1--", "3-1", "1-2-3", "1-9x0", "1.5", "1..9", "1,,2", "1;2", "１"]
)
def test_texts_that_name_no_frames_are_refused(given):
    with pytest.raises(sc.errors.ArgumentError, match="frames must") as raised:
        frames_of(given)
    assert given in str(raised.value) or "''" in str(raised.value)


@pytest.mark.parametrize("given", ["1-2000000", "-999999999-1", 1_048_575, [3, -1_048_575]])
def test_frames_that_blender_does_not_have_are_refused(given):
    with pytest.raises(sc.errors.ArgumentError, match="within 1048574"):
        frames_of(given)


@pytest.mark.parametrize("given", [1.5, [1, "2"], True, [None]])
def test_values_that_are_no_frames_are_refused(given):
    with pytest.raises(sc.errors.DtypeError, match="frames must be"):
        frames_of(given)


def test_runs_are_as_short_as_they_can_be_typed_and_lose_no_frame(rng):
    assert runs(frames_of("1-25"), 10) == ["1-10", "11-20", "21-25"]
    assert runs([1, 2, 3, 7, 9, 10], 4) == ["1-3,7", "9-10"]
    frames = sorted({*rng.integers(-50, 50, 60).tolist()})
    for length in (1, 7, 100):
        parts = runs(frames, length)
        assert len(parts) == -(-len(frames) // length)
        assert [frame for part in parts for frame in frames_of(part)] == frames
