# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of frames, as they are typed."""

import pytest


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("7", [7]),
        ("1-5", [1, 2, 3, 4, 5]),
        ("1,5,10-12", [1, 5, 10, 11, 12]),
        ("1-10x3", [1, 4, 7, 10]),
        ("10-12,11,1", [1, 10, 11, 12]),
        ("-3--1", [-3, -2, -1]),
        ("-1-1", [-1, 0, 1]),
        (" 1 , 3-4 ", [1, 3, 4]),
    ],
)
def test_ranges_are_read(module, text, frames):
    assert module("frames").read_frames(text) == tuple(frames)


def test_a_step_counts_for_each_range_without_one(module):
    assert module("frames").read_frames("1-10,20-30x2", 5) == (1, 6, 20, 22, 24, 26, 28, 30)


@pytest.mark.parametrize(
    "text", ["", "a", "1-", "1--", "1-2-3", "5-1", "1-10x0", "1.5", "1-2000000", "1;2", "１"]
)
def test_what_is_no_range_is_named(module, text):
    part = text.strip()
    with pytest.raises(ValueError, match=r"frame") as raised:
        module("frames").read_frames(text)
    assert part in str(raised.value)
