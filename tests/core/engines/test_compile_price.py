# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiled code costs is remembered; what stands in the file is not believed."""

import math
import os

import pytest

from standalone_core.engines import compile_price
from standalone_core.engines.compile_price import Prices, is_due, next_look

GUESS = Prices()


@pytest.fixture
def folder(tmp_path):
    """A folder of compiled code."""
    made = tmp_path / "place" / ("0" * 32)
    made.mkdir(parents=True)
    return made


def test_prices_that_are_written_are_read(folder):
    prices = Prices(0.5, 12.25, 3.0)
    compile_price.write(folder, prices)
    assert compile_price.read(folder) == prices
    compile_price.write(folder, prices._replace(rent=4.0))
    assert compile_price.read(folder).rent == 4.0
    assert [path.name for path in folder.parent.iterdir() if path.is_file()] == ["seconds.json"]


def test_they_hold_for_the_next_version_of_the_sources_too(folder):
    compile_price.write(folder, Prices(0.5, 12.25, 3.0))
    assert compile_price.read(folder.with_name("1" * 32)) == Prices(0.5, 12.25, 3.0)


def test_without_a_folder_they_are_guessed(folder):
    compile_price.write(None, Prices(0.5))
    assert compile_price.read(None) == compile_price.read(folder) == GUESS


@pytest.mark.parametrize(
    "content", ["", "[1, 2]", "3", "null", '{"load": "x"}', '{"load": null}', "[" * 9000, "\xff"]
)
def test_what_is_no_record_of_prices_is_as_good_as_none(folder, content):
    (folder.parent / "seconds.json").write_text(content, encoding="latin-1")
    assert compile_price.read(folder) == GUESS


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity", "1e300"])
def test_a_price_that_cannot_be_is_guessed(folder, value):
    (folder.parent / "seconds.json").write_text(f'{{"compile": {value}, "load": 2.0, "more": []}}')
    assert compile_price.read(folder) == GUESS._replace(load=2.0)


def test_where_nothing_can_be_written_nothing_is_kept(folder):
    compile_price.write(folder / "away" / "there", Prices(0.5))
    compile_price.write(folder, Prices(math.nan))
    assert os.listdir(folder.parent) == [folder.name]


def test_loading_is_paid_by_each_process_and_compiling_by_all():
    prices = Prices(load=2.0, compile=20.0, rent=15.0)
    assert not is_due(prices, 1.9, kept=True)
    assert is_due(prices, 2.0, kept=True)
    assert not is_due(prices, 19.0, kept=False)
    assert is_due(prices._replace(rent=20.0), 0.5, kept=False)


def test_it_is_asked_again_when_the_price_is_paid_or_the_seconds_have_doubled():
    prices = Prices(load=2.0, compile=20.0, rent=15.0)
    assert next_look(prices, 1.5, kept=True) == 2.0
    assert next_look(prices, 0.5, kept=True) == 1.0
    assert next_look(prices, 3.0, kept=False) == 6.0
    assert next_look(prices, 8.0, kept=False) == 13.0
