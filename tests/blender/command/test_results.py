# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of files: every name has one, and no two have the same."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

USUAL = ["Camera", "Camera.001", "shot_10+b", "Kamera_Ä", "相机"]
NASTY = [
    "a/b",
    "a_b",
    "a\\b",
    "..",
    ".",
    ".hidden",
    "...a.",
    "",
    "con",
    "LPT1.x",
    "-r",
    "a b",
    "a\nb",
    "x" * 300,
    "相" * 99,
]


@pytest.mark.parametrize("name", USUAL)
def test_usual_names_stay(module, name):
    assert module("results").safe_name(name, [*USUAL, *NASTY]) == name


def test_nasty_names_are_safe_and_differ(module):
    names = [*USUAL, *NASTY, "Con", "CAMERA", "camera"]
    found = [module("results").safe_name(name, names) for name in names]
    assert all(re.fullmatch(r"[\w+][\w.+-]*", name) for name in found)
    assert max(len(name.encode()) for name in found) < 200
    assert all(not re.fullmatch(r"(?i)(con|lpt\d)(\..*)?", name) for name in found)
    assert len({name.casefold() for name in found}) == len(names)


def test_names_do_not_depend_on_their_order(module):
    names = ["Cam", "cam", "other"]
    safe = module("results").safe_name
    for some in itertools.permutations(names):
        assert [safe(name, some) for name in names] == [safe(name, names) for name in names]


def test_any_two_names_have_two_files(module):
    safe = module("results").safe_name

    @given(st.lists(st.text(max_size=12), min_size=2, max_size=2, unique=True))
    def check(names):
        found = {safe(name, names).casefold() for name in names}
        assert len(found) == 2

    check()
