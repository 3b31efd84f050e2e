# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rows a list shows: those that are searched for, and none of another window's list."""

import importlib
from types import SimpleNamespace

import pytest

from ..conftest import PACKAGE


@pytest.fixture
def flags(raypick):
    lists = importlib.import_module(f"{PACKAGE}.ui.lists")
    return lambda sought, names, count: lists.flags(
        SimpleNamespace(filter_name=sought, bitflag_filter_item=1 << 30), names, count
    )


def test_without_a_search_all_rows_with_a_name_are_shown(flags):
    assert flags("", ["nasion", "Gnathion"], 2) == [1 << 30, 1 << 30]


def test_a_search_finds_parts_of_names_whatever_their_case(flags):
    assert flags("GNATH", ["nasion", "Gnathion", "prognathion"], 3) == [0, 1 << 30, 1 << 30]


def test_rows_without_a_name_are_hidden_and_names_without_a_row_left_out(flags):
    assert flags("", ["nasion"], 3) == [1 << 30, 0, 0]
    assert flags("", ["nasion", "gnathion"], 1) == [1 << 30]
