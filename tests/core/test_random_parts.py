# SPDX-License-Identifier: GPL-3.0-or-later
"""Each random test is in one part of all; what is not random is in every part."""

import argparse
import re
import shutil
import subprocess
import sys

import pytest

from checkout import ROOT
from tests.conftest import part

TESTS = """
import pytest


@pytest.mark.parametrize("number", range(20))
def test_random(rng, number):
    pass


@pytest.mark.parametrize("number", range(5))
def test_what_is_the_same_every_time(number):
    pass
"""


@pytest.fixture
def tests_run(tmp_path):
    """Return what runs the tests with an option, and names those that were run."""
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(TESTS)

    def run(*options):
        command = "-m", "pytest", "-v", str(tmp_path), "-c", str(ROOT / "pyproject.toml"), *options
        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return re.findall(r"::(\S+) PASSED", done.stdout)

    return run


def test_each_random_test_is_in_one_of_the_parts(tests_run):
    first = tests_run("--random-part=1/2")
    second = tests_run("--random-part=2/2")
    fixed = {f"test_what_is_the_same_every_time[{number}]" for number in range(5)}
    assert fixed == set(first) & set(second)
    random = set(first) ^ set(second)
    assert random == {f"test_random[{number}]" for number in range(20)}
    assert 0 < len(set(first) - fixed) < 20


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/0", "1/2/3"])
def test_what_is_no_part_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is no part such as 2/3"):
        part(text)
