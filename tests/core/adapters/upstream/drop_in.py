# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: trimesh's own tests, answered by the drop-ins.

These take the place of trimesh's classes before a test asks for one. The report says of each test
how often it asked them, and for which model files it got a mesh that we made.
"""

from collections import Counter

import generic
import pytest
import trimesh.proximity
import trimesh.ray

from standalone_core.adapters import trimesh as adapter

_asked = Counter()


class _Counting:
    @property
    def exact(self):
        _asked["times"] += 1
        return super().exact


class RayMeshIntersector(_Counting, adapter.RayMeshIntersector):
    pass


class ProximityQuery(_Counting, adapter.ProximityQuery):
    pass


trimesh.ray.ray_triangle.RayMeshIntersector = RayMeshIntersector
trimesh.ray.ray_pyembree.RayMeshIntersector = RayMeshIntersector
trimesh.proximity.ProximityQuery = ProximityQuery


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    _asked.clear()
    generic.made.clear()
    try:
        return (yield)
    finally:
        item.user_properties.append(("asked", _asked["times"]))
        item.user_properties.append(("stand-ins", " ".join(sorted(set(generic.made)))))
