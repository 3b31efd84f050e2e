# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known to have changed, and of which depsgraph nothing is known."""

from importlib import import_module
from types import SimpleNamespace

import pytest

from ...conftest import PACKAGE


def depsgraph(address):
    return SimpleNamespace(as_pointer=lambda: address)


@pytest.fixture
def changes(raypick):
    changes = import_module(f"{PACKAGE}.bridge.scene.changes").Changes()
    changes.clear()
    return changes


def test_of_the_first_depsgraph_of_a_file_nothing_was_removed(changes):
    assert changes.track(depsgraph(1))
    assert not changes.removed


def test_of_a_depsgraph_that_blender_told_nothing_of_things_may_be_removed(changes):
    changes.track(depsgraph(1))
    changes.evaluated[1] = {7}
    assert not changes.track(depsgraph(2))
    assert changes.removed
    assert not changes.evaluated


def test_a_depsgraph_that_was_picked_from_is_known(changes):
    changes.track(depsgraph(1))
    changes.track(depsgraph(2))
    changes.clear()
    assert changes.track(depsgraph(1))
    assert changes.track(depsgraph(2))
    assert not changes.removed


def test_a_depsgraph_that_no_window_shows_is_not_known_after_a_change(changes):
    changes.track(depsgraph(1))
    changes.drop_undisplayed()
    assert not changes.track(depsgraph(1))
    assert changes.removed
