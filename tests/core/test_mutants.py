# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of mutants fits the sources and the tests; the script tells who is caught."""

import pytest

from checkout import ROOT
from mutations import MUTANTS


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_its_text_is_there_once_and_what_takes_its_place_is_another_program(mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    changed = mutant.changed(text)
    assert changed != text
    compile(changed, mutant.file, "exec")


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_its_tests_are_there(mutant):
    for path in mutant.paths:
        file, _, name = path.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in text


def test_there_are_many_and_each_is_there_once():
    changes = {(mutant.file, mutant.old, mutant.new) for mutant in MUTANTS}
    assert len(changes) == len(MUTANTS) >= 60
