# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from standalone_core.bvh import LEAF
from standalone_core.bvh.build import boxes_of, leaf_boxes_of

from .. import meshes

ORIGIN = np.zeros(3)


def boxes(vertices, triangles, center=ORIGIN, scale=1.0):
    return boxes_of(np.asarray(vertices, float), np.asarray(triangles), center, scale)


def test_a_box_goes_from_the_least_to_the_greatest_of_a_triangle_s_corners():
    lower, upper = boxes([(0, 5, 2), (1, 3, 2), (-1, 4, 8)], [(0, 1, 2)])
    assert lower.T.tolist() == [[-1, 3, 2]]
    assert upper.T.tolist() == [[1, 5, 8]]


def test_boxes_are_in_units_of_the_scale_around_the_center():
    lower, upper = boxes([(10, 20, 30), (14, 20, 30), (10, 28, 34)], [(0, 1, 2)], (10, 20, 30), 4.0)
    assert lower.T.tolist() == [[0, 0, 0]]
    assert upper.T.tolist() == [[1, 2, 1]]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_corners_are_rounded_to_the_nearest_float32(rng, kind):
    vertices, triangles = meshes.soup(rng, 200)
    center, scale = np.array([0.1, -7, 1e3]), 0.25
    lower, upper = boxes(vertices, triangles.astype(kind), center, scale)
    corners = ((vertices - center) / scale)[triangles]
    assert lower.dtype == upper.dtype == np.float32
    np.testing.assert_array_equal(lower.T, corners.min(axis=1).astype(np.float32))
    np.testing.assert_array_equal(upper.T, corners.max(axis=1).astype(np.float32))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("corner", range(3))
def test_a_corner_that_float32_cannot_hold_leaves_a_box_that_is_not_finite(bad, corner):
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    vertices[corner, 1] = bad
    triangles = [(0, 1, 2), (3, 3, 3)]
    finite = np.isfinite(boxes(vertices, triangles)).all(axis=(0, 1))
    assert finite.tolist() == [False, True]


def test_no_triangles_have_no_boxes():
    lower, upper = boxes(np.zeros((4, 3)), np.empty((0, 3), np.int32))
    assert lower.shape == upper.shape == (3, 0)


@pytest.mark.parametrize("count", [1, LEAF - 1, LEAF, LEAF + 1, 50])
@pytest.mark.parametrize("bad", [None, np.nan, np.inf, -np.inf])
def test_a_leaf_reaches_as_far_as_its_triangles(rng, count, bad):
    vertices, triangles = meshes.soup(rng, 60)
    if bad is not None:
        vertices[triangles[7, 1], 2] = bad
    order = rng.permutation(60)[:count].astype(np.int32)
    units = np.array([0.1, -7, 1e3]), 0.25
    lower, upper = leaf_boxes_of(vertices, triangles, order, *units)
    low, high = boxes_of(vertices, triangles, *units)
    starts = np.arange(0, count, LEAF)
    np.testing.assert_array_equal(lower, np.minimum.reduceat(low[:, order], starts, axis=1))
    np.testing.assert_array_equal(upper, np.maximum.reduceat(high[:, order], starts, axis=1))


def test_no_leaves_have_no_boxes():
    no_order = np.empty(0, np.int32)
    lower, upper = leaf_boxes_of(np.zeros((3, 3)), np.array([(0, 1, 2)]), no_order, ORIGIN, 1.0)
    assert lower.shape == upper.shape == (3, 0)
