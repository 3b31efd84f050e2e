# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads are split as Blender splits them, or left open where its two rules may differ."""

import numpy as np
import pytest

from standalone_core.polygons.split import split_quads

from .. import meshes
from ..polygon_meshes import flipped

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
DART = np.array([[0, 0, 0], [1, -1, 0], [0.25, 0, 0], [1, 1, 0]], float)  # corner 2 is reflex
ARROW = np.roll(DART, 1, axis=0)  # corner 3 is


def by_the_normal(quad):
    """The rule with the face's normal, in float64, and how far the quad is from its border."""
    a, b, c, d = quad.astype(float)
    normal = np.cross(a - c, b - d)
    tangent = np.cross(c - a, normal)
    return (d - a) @ tangent >= 0 or (b - a) @ tangent <= 0


def random_quads(rng, count):
    """Float32 quads: flat and warped, convex, concave and crossed, of many sizes and places."""
    quads = rng.normal(size=(count, 4, 3))
    quads[::2, :, 2] *= 10.0 ** rng.uniform(-9, 0, (len(quads[::2]), 1))
    quads = np.einsum("nij,nkj->nik", quads, [meshes.rotation(rng) for _ in range(count)])
    quads *= 10.0 ** rng.uniform(-3, 3, (count, 1, 1))
    quads += rng.normal(size=(count, 1, 3)) * 10.0 ** rng.uniform(-3, 3, (count, 1, 1))
    return quads.astype(np.float32)


def test_a_square_is_split_from_its_first_corner_and_is_sure():
    assert split_quads(SQUARE[None]).flipped.tolist() == [False]
    assert split_quads(SQUARE[None]).open.tolist() == [False]


@pytest.mark.parametrize("first", range(4))
def test_a_concave_quad_is_split_inside_of_it(first):
    quad = np.roll(DART, -first, axis=0)
    split = split_quads(quad[None])
    assert split.flipped.tolist() == [first % 2 == 1]
    assert split.open.tolist() == [False]


def test_the_first_rule_is_exact_but_for_open_quads(rng):
    quads = random_quads(rng, 400)
    split = split_quads(quads)
    for quad, flip, is_open in zip(quads, *split, strict=True):
        assert is_open or flip == flipped(quad)
    assert 20 < (split.flipped & ~split.open).sum() < 300


def test_both_rules_agree_on_what_is_not_open(rng):
    quads = random_quads(rng, 2000)
    split = split_quads(quads)
    differing = [by_the_normal(q) != f for q, f in zip(quads, split.flipped, strict=True)]
    assert sum(differing) > 50
    assert not (np.array(differing) & ~split.open).any()


def test_float32_arithmetic_agrees_on_what_is_not_open(rng):
    quads = random_quads(rng, 4000)
    quads[::3, 3] = quads[::3, 0] + (quads[::3, 2] - quads[::3, 0]) * np.float32(0.3)
    split = split_quads(quads)
    a, b, c, d = quads.transpose(1, 0, 2)
    one, other = np.cross(b - a, c - a), np.cross(d - a, c - a)
    assert one.dtype == np.float32
    in_float32 = np.einsum("ni,ni->n", one, other) > 0
    assert (in_float32 != split.flipped).any()
    assert not ((in_float32 != split.flipped) & ~split.open).any()


def test_the_normal_in_float32_agrees_on_what_is_not_open(rng):
    quads = SQUARE + rng.uniform(-0.3, 0.3, (20_000, 4, 3)) * (1, 1, 0.1)
    quads *= 10.0 ** rng.uniform(-7.5, -3, (len(quads), 1, 1))
    quads = (quads + rng.uniform(-1, 1, (len(quads), 1, 3))).astype(np.float32)
    split = split_quads(quads)
    a, b, c, d = quads.transpose(1, 0, 2)
    normal = np.cross(a - c, b - d)
    with np.errstate(invalid="ignore"):
        normal /= np.linalg.norm(normal, axis=1)[:, None]
    tangent = np.cross(c - a, normal)
    one, start, other = (np.einsum("ni,ni->n", p, tangent) for p in (b, a, d))
    assert one.dtype == np.float32
    wrong = ((other >= start) | (one <= start)) != split.flipped
    assert wrong.any()
    assert not (wrong & ~split.open).any()
    assert not split.open.all()


def test_ordinary_quads_are_not_open(rng):
    count = 2000
    quads = SQUARE + rng.uniform(-0.25, 0.25, (count, 4, 3)) * (1, 1, 0.6)
    turned = np.einsum("nij,nkj->nik", quads, [meshes.rotation(rng) for _ in range(count)])
    for size in (1e-4, 1.0, 1e4):
        placed = size * (turned + 100 * rng.uniform(-1, 1, (count, 1, 3)))
        assert not split_quads(placed.astype(np.float32)).open.any()


def test_three_corners_on_a_line_are_open():
    for first in range(4):
        quad = np.roll([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0]], first, axis=0)
        assert split_quads(quad[None]).open.tolist() == [first % 2 == 0]


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_broken_quads_are_open_if_a_triangle_is_left(broken):
    for corner in range(4):
        quad = SQUARE.copy()
        quad[corner, corner % 3] = broken
        assert split_quads(quad[None]).open.tolist() == [True]
        quad[corner - 1, 0] = broken
        assert split_quads(quad[None]).open.tolist() == [False]


def test_collapsed_quads_are_open_if_a_triangle_is_left():
    a, b, c, _ = SQUARE
    assert split_quads(np.array([[a, b, c, c], [a, a, b, c]])).open.all()
    assert not split_quads(np.array([[a, a, a, a], [a, b, a, b], [a, a, b, b]])).open.any()


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12, 1e30])
def test_sizes_that_are_too_much_for_float32_products_are_open(size):
    assert split_quads((size * SQUARE)[None].astype(np.float32)).open.all()


def test_a_quad_alone_is_split_as_among_others(rng):
    broken = np.full((3, 4, 3), [[[np.nan]], [[np.inf]], [[3e38]]], dtype=np.float32)
    broken[:, :2] = SQUARE[:2]
    quads = np.concatenate([random_quads(rng, 300), broken, SQUARE[None, ::-1], DART[None]])
    for quad, *among_others in zip(quads, *split_quads(quads), strict=True):
        assert [each.tolist() for each in split_quads(quad[None])] == [[x] for x in among_others]


def test_no_quads_are_split_into_nothing():
    split = split_quads(np.empty((0, 4, 3), dtype=np.float32))
    assert len(split.flipped) == len(split.open) == 0
