# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of all tests ends with the seconds of each folder, beside what it may take."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

import seconds
import test as runner
from checkout import ROOT
from tests.interruptible import interruptible

FOUND = {
    "Core": {"tests/core": 3.0, "tests/core/cast": 10.0},
    "Core, other NumPy": {"tests/core": 2.0, "tests/core/cast": 1.0},
    "Types": {"Types": 4.0},
}
BUDGETS = {
    "Core": {"tests/core": 3, "tests/core/cast": 9},
    "Core, other NumPy": {"tests/core": 2, "tests/core/cast": 1},
    "Windowed": {"tests/windowed": 99},
}
TABLE = """\
folder           seconds  budget
Types                4.0       -
tests/core           5.0       5
tests/core/cast     11.0      10
all processes       20.0      15
Over their budget: tests/core/cast (11 s, not 10 s)"""

TESTS = "import time\n\ndef test_it():\n    time.sleep(0.3)\n"


def test_a_folder_is_a_line_with_all_stages_that_were_run_and_what_is_over_is_named():
    assert seconds.table(FOUND, BUDGETS) == TABLE
    assert seconds.table({}, BUDGETS).endswith("Over their budget: none")


def test_what_is_recorded_is_a_third_more_and_leaves_other_stages_alone(tmp_path):
    file = tmp_path / "seconds.json"
    file.write_text(json.dumps(BUDGETS))
    seconds.record({"Core": {"tests/core": 3.0, "tests/core/cast": 10.0}}, file)
    recorded = {**BUDGETS, "Core": {"tests/core": 4, "tests/core/cast": 14}}
    assert seconds.read_budgets(file) == recorded


def test_the_longest_stage_is_begun_first_and_one_without_a_budget_before_it(monkeypatch):
    headings = "Types", "Core, other NumPy", "Core"
    stages = [runner.Stage(each, "core", "core", ()) for each in headings]
    monkeypatch.setattr(seconds, "read_budgets", lambda: BUDGETS)
    found = [stage.heading for stage in runner.longest_first(stages)]
    assert found == ["Types", "Core", "Core, other NumPy"]


def test_every_stage_has_a_budget():
    budgets = seconds.read_budgets()
    for stage in runner.STAGES:
        assert budgets.get(stage.heading) or stage.group == "windowed", stage.heading


def test_seconds_are_those_that_pytest_measures(tmp_path):
    for folder in ("a", "a/b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"test_{folder[-1]}.py").write_text(TESTS)
    report = tmp_path / "tests.xml"
    command = "-m", "pytest", f"--junitxml={report}", "-o", "junit_family=xunit1", "."
    subprocess.run([sys.executable, *command], cwd=tmp_path, check=True, capture_output=True)
    found = seconds.read_report(report, 1000.0)
    assert set(found) == {"a", "a/b", seconds.OUTSIDE}
    assert min(found["a"], found["a/b"]) >= 0.3
    assert sum(found.values()) == pytest.approx(1000.0)
    assert seconds.read_report(tmp_path / "none.xml", 5.0) == {seconds.OUTSIDE: 5.0}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
def test_tests_that_are_told_to_end_clean_up(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(
        "import pathlib, time\n\n"
        "def test_it():\n"
        "    made = pathlib.Path(__file__).with_name('made')\n"
        "    try:\n        made.touch()\n        time.sleep(600)\n"
        "    finally:\n        made.unlink()\n"
    )
    command = "-m", "pytest", str(tmp_path), "-c", str(ROOT / "pyproject.toml")
    with interruptible():
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=subprocess.DEVNULL)
    made = tmp_path / "made"
    while not made.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 2  # interrupted, as pytest has it
    assert not made.exists()
