# SPDX-License-Identifier: GPL-3.0-or-later
"""Type checkers find the mistakes in a user's file, and nothing wrong in what is right."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import CACHE, ROOT, command_environment
from environment import environment

FILES = Path(__file__).with_name("user_files")


def by_mypy(path):
    """The lines that mypy finds fault with."""
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    output = "--output=json", "--no-error-summary"
    cache = f"--cache-dir={CACHE / 'mypy-of-users'}"
    run = subprocess.run(
        [*command, *output, cache, "--config-file=", path], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode in (0, 1), run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    return [(each["line"], each["message"]) for each in found if each["severity"] == "error"]


def by_pyright(path):
    """The lines that pyright finds fault with."""
    command = [environment("pyright"), "-m", "pyright", "--outputjson", "--pythonpath"]
    variables = command_environment(PYRIGHT_PYTHON_IGNORE_WARNINGS="1")
    run = subprocess.run(
        [*command, sys.executable, path], cwd=ROOT, env=variables, capture_output=True, text=True
    )
    assert run.returncode in (0, 1), run.stderr
    found = json.loads(run.stdout)["generalDiagnostics"]
    return [
        (each["range"]["start"]["line"] + 1, each["message"])
        for each in found
        if each["severity"] == "error"
    ]


@pytest.fixture(autouse=True)
def _where_the_types_of_numpy_2_are():
    """Once, not with each version of NumPy and without numba again."""
    for package in ("mypy", "numba"):
        pytest.importorskip(package)


each_checker = pytest.mark.parametrize("check", [by_mypy, by_pyright])


@each_checker
def test_every_mistake_is_found_and_nothing_else(check):
    lines = (FILES / "mistakes.py").read_text().splitlines()
    mistakes = {number for number, line in enumerate(lines, 1) if "# mistake" in line}
    assert len(mistakes) > 20
    assert {line for line, _ in check(FILES / "mistakes.py")} == mistakes


@each_checker
def test_what_is_right_has_the_types_that_it_should_have(check):
    assert check(FILES / "usage.py") == []
