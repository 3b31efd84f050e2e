# SPDX-License-Identifier: MIT
"""Where triangles are seen nearest to a position, against many places of each."""

import numpy as np
import pytest

import standalone_core as sc
from standalone_core.near_pixel import AroundPixel, connected_to, nearest_shares, nearest_visible
from standalone_core.region import Triangles

from .test_region import camera

__all__ = ["camera"]

STEPS = 60
WEIGHTS = (
    np.array([(i, j, STEPS - i - j) for i in range(STEPS + 1) for j in range(STEPS + 1 - i)])
    / STEPS
)


def seen_places(camera, position, corners, planes):
    """How far away the many places of a triangle are seen; inf for those that are not shown."""
    points = WEIGHTS @ corners
    x, y, _ = camera.project(points)
    away = np.hypot(x - position[0], y - position[1])
    shown = camera.is_in_front(points)
    shown &= (points @ planes[:, :3].T + planes[:, 3] >= 0).all(axis=1)
    return np.where(shown, away, np.inf)


@pytest.mark.parametrize("planes_count", [0, 1, 3])
def test_no_place_is_seen_nearer(rng, camera, planes_count):
    position = 310.0, 190.0
    around = AroundPixel(camera, *position)
    corners = rng.normal(0, 1, (150, 1, 3)) + rng.normal(0, 3, (150, 3, 3))
    planes = rng.normal(size=(planes_count, 4))
    # So that something is seen at the position itself, whatever is drawn.
    place = camera.ray(*position).at(5.0)
    corners[:30] = place + rng.normal(0, 1, (30, 3, 3))
    planes[:, 3] = 2 - planes[:, :3] @ place
    nearest = nearest_visible(corners, around, planes)
    shown = covering = 0
    for number, triangle in enumerate(corners):
        away = seen_places(camera, position, triangle, planes)
        if not np.isfinite(nearest.away[number]):
            assert not np.isfinite(away).any()
            assert not nearest.covers[number]
            continue
        weights = nearest.weights[number]
        point = weights @ triangle
        assert weights.sum() == pytest.approx(1.0, abs=1e-14)
        assert weights.min() >= 0.0
        assert (planes @ np.append(point, 1) >= -1e-9).all()
        assert camera.is_in_front(point)
        x, y, _ = camera.project(point)
        assert np.hypot(x - position[0], y - position[1]) == pytest.approx(
            nearest.away[number], rel=1e-6, abs=1e-6
        )
        if nearest.covers[number]:
            covering += 1
            ray = camera.ray(*position)
            mesh = sc.Mesh(triangle, [[0, 1, 2]])
            back = None if camera.is_perspective else mesh.ray_cast(ray.origin, -ray.direction)
            assert back or mesh.ray_cast(ray.origin, ray.direction)
        else:
            assert away.min() >= nearest.away[number] - 1e-6
        shown += 1
    assert shown > 20
    assert covering > (1 if planes_count < 3 else -1)


def test_of_a_line_too_long_for_float64_the_end_before_the_eye_counts():
    before, behind = np.array([-1e200, 1e200, 1e150]), np.array([1e200, 1e200, -1e150])
    assert nearest_shares(before, behind) == 0.0
    assert nearest_shares(behind, before) == 1.0


def test_of_places_that_are_seen_as_near_it_is_the_nearest_to_the_eye():
    """A triangle that is seen as a line."""
    camera = sc.Camera(np.eye(4), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -1], [0, 0, -1, 0]], 9, 9)
    around = AroundPixel(camera, 4.5, 4.5)
    corners = np.array([[1, 0, -2], [2, 0, -4], [2, 2, -4]], float)
    for turn in range(3):
        rolled = np.roll(corners, turn, axis=0)[None]
        nearest = nearest_visible(rolled, around, np.empty((0, 4)))
        assert nearest.weights[0] @ rolled[0] == pytest.approx([1, 0, -2])
        assert not nearest.covers[0]


def strip(count):
    """Triangles in a row, each of which shares an edge with the next."""
    points = np.array([(i / 2, i % 2, -5) for i in range(count + 2)], float)
    return points[np.arange(count)[:, None] + np.arange(3)]


def joined(corners, row, radius, faces=None):
    camera = sc.Camera(np.eye(4), np.diag([0.02, 0.02, -0.01, 1]), 100, 100)
    around = AroundPixel(camera, 50, 50)
    rows = np.arange(len(corners))
    found = Triangles(rows, rows if faces is None else np.array(faces), 0 * rows, corners)
    return np.flatnonzero(connected_to(row, found, around.offsets(corners), radius)).tolist()


def test_neighbors_lead_on_as_far_as_the_radius():
    corners = strip(400)
    reached = joined(corners, 3, 20.25)
    assert reached == list(range(41))
    assert joined(corners, 300, 20.25) == [300]


def test_without_a_common_edge_or_vertex_in_sight_nothing_is_joined_but_a_face():
    corners = strip(30)
    apart = np.delete(np.arange(30), [10, 11, 12])
    assert joined(corners[apart], 0, 99.0) == list(range(10))
    faces = [5 if number in (9, 13) else 100 + number for number in apart.tolist()]
    assert joined(corners[apart], 0, 99.0, faces) == list(range(27))


def test_a_common_vertex_joins_where_it_is_seen():
    corners = np.array(
        [[[0, 0, 0], [9, 9, 0], [9, 8, 0]], [[0, 0, 0], [-9, 9, 0], [-9, 8, 0]]], float
    )
    assert joined(corners, 0, 1.0) == [0, 1]
    assert joined(corners + (3, 0, 0), 0, 1.0) == [0]
