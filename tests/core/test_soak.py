# SPDX-License-Identifier: GPL-3.0-or-later
"""The random tests alone are run with fresh seeds, and a failure tells how to repeat it."""

import itertools
import shutil
import sys
from pathlib import Path

import pytest

import soak
from checkout import ROOT

TESTS = """
import hypothesis
from hypothesis import strategies


def test_seed(seed):
    print("what it did")
    assert seed != 7


def test_rng(rng):
    assert rng.random() < 1


@hypothesis.given(strategies.booleans())
def test_hypothesis(chosen):
    assert chosen in (True, False)


def test_what_is_the_same_every_time():
    assert False
"""


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Return a stage of four tests, of which three are random, and one fails with a seed of 7."""
    monkeypatch.setattr(soak, "environment", lambda name: Path(sys.executable))
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS)
    arguments = str(tmp_path), "-c", str(ROOT / "pyproject.toml")
    return soak.Stage("It", "core", "core", arguments)


def test_what_fails_with_a_seed_is_told_with_all_that_repeats_it(stage):
    failure = soak.run(stage, 7)
    (test,) = failure.tests
    assert test.endswith("test_it.py::test_seed")
    assert "what it did" in failure.shown
    assert "1 failed, 2 passed, 1 deselected" in failure.shown
    assert failure.command.startswith("RAYPICK_SEED=7 ")
    assert test in failure.command
    assert "-c " in failure.command


def test_with_another_seed_nothing_fails(stage, capsys):
    assert soak.run(stage, 8) is None
    assert "3 passed, 1 deselected" in capsys.readouterr().out


def test_each_round_has_a_seed_of_its_own_until_the_time_is_over(monkeypatch):
    times = itertools.chain([0.0], [0.0] * 5, itertools.repeat(60.0))
    monkeypatch.setattr(soak.time, "monotonic", lambda: next(times))
    asked = list(soak.rounds(["one", "two"], 60.0))
    assert [stage for stage, _ in asked] == ["one", "two", "one", "two", "one"]
    seeds = [seed for _, seed in asked]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3] != seeds[4]


def test_the_names_of_failed_tests_are_read_from_the_summary():
    shown = (
        "FAILED tests/a.py::test_b[c d] - AssertionError: - e\n"
        "ERROR tests/a.py::test_f - OSError\nFAILED tests/a.py::test_g\nPASSED\n"
    )
    assert soak.failed_tests(shown) == (
        "tests/a.py::test_b[c d]",
        "tests/a.py::test_f",
        "tests/a.py::test_g",
    )
