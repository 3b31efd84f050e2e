# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors of the image of a survey: of ids, of values, and of what there is none of."""

from itertools import combinations

import numpy as np
import pytest

from tests.core.landmark_files.model import model_module

colors = model_module("survey_colors")

GRAY = [*colors.NO_VALUE, 1.0]
CLEAR = [0.0, 0.0, 0.0, 0.0]

TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


PINNED = {
    0: (54, 105, 153),
    1: (190, 213, 94),
    2: (162, 90, 170),
    31: (114, 34, 219),
    32: (45, 135, 141),
    1000: (166, 134, 34),
    2**31 - 1: (103, 158, 211),
}
"""Colors of ids, each component from 0 to 255."""


def picture_of(coloring, column, hit=None):
    """The picture (H, W, 4) of a column; all of it is hit unless something else is said."""
    column = np.asarray(column)
    hit = np.ones(column.shape[:2], bool) if hit is None else np.asarray(hit)
    return colors.picture(hit, column, coloring)


def as_shown(rgb):
    """What a screen shows of linear values, by the standard's formula."""
    rgb = np.asarray(rgb, dtype=np.float64)
    return np.where(rgb <= 0.0031308, 12.92 * rgb, 1.055 * rgb ** (1 / 2.4) - 0.055)


def as_seen(shown):
    """Colors in Oklab, where distances are about as different as people find them."""
    shown = np.asarray(shown)
    light = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return np.cbrt(light @ np.transpose(TO_LMS)) @ np.transpose(TO_LAB)


def test_an_id_has_the_same_color_in_every_run_and_version():
    shown = np.round(255 * colors.false_colors([*PINNED]))
    assert shown.tolist() == [[*color] for color in PINNED.values()]


def test_the_color_of_an_id_depends_on_nothing_else():
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 2**31, (40, 50))
    whole = colors.false_colors(ids)
    assert whole.shape == (40, 50, 3)
    for row, column in rng.integers(0, 40, (20, 2)):
        assert (colors.false_colors(ids[row, column]) == whole[row, column]).all()


def test_colors_of_ids_are_neither_dark_nor_gray():
    shown = colors.false_colors(np.arange(1 << 18))
    assert shown.min() >= 0.0
    assert shown.max() <= 1.0
    assert shown.max(axis=-1).min() >= 0.5
    assert (shown.max(axis=-1) - shown.min(axis=-1)).min() >= 0.2


def test_neighbours_differ():
    """Of the next id always; of those a row further almost always, whatever a row's length."""
    seen = as_seen(colors.false_colors(np.arange(1 << 16)))
    for apart in (1, 2, 3, 8, 10, 16, 31, 32, 33, 64, 100, 128, 500, 512, 1000):
        distance = np.linalg.norm(seen[apart:] - seen[:-apart], axis=1)
        assert (distance < 0.05).mean() < 0.04, apart
        assert distance.mean() > 0.14, apart
        assert apart > 1 or distance.min() > 0.05


def test_the_first_ids_are_well_separated():
    seen = as_seen(colors.false_colors(np.arange(16)))
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen[:8], 2)) > 0.1
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.05


def test_few_ids_share_a_color():
    shown = np.round(255 * colors.false_colors(np.arange(20_000)))
    assert len(np.unique(shown, axis=0)) > 19_000


def test_ids_are_seen_on_screen_in_their_false_colors():
    ids = [[0, 5], [77, 123456]]
    pixels = picture_of(colors.ids, ids)
    assert pixels.dtype == np.float32
    assert as_shown(pixels[..., :3]) == pytest.approx(colors.false_colors(ids), abs=1e-6)
    assert (pixels[..., 3] == 1.0).all()


def test_what_is_not_hit_is_transparent_and_what_has_no_value_is_gray():
    for coloring, column in (
        (colors.ids, [[-1, -1]]),
        (colors.components, [[(np.nan, np.nan), (np.nan, np.nan)]]),
        (colors.directions, [[(np.nan,) * 3, (np.nan,) * 3]]),
    ):
        pixels = picture_of(coloring, column, hit=[[False, True]])
        assert pixels.tolist() == [[CLEAR, GRAY]], coloring


def test_depth_goes_from_black_at_the_nearest_to_white_at_the_farthest():
    pixels = picture_of(colors.gray, [[2.0, 4.0], [np.inf, 3.0]], [[True, True], [False, True]])
    assert pixels[..., 0].tolist() == [[0.0, 1.0], [0.0, 0.5]]
    assert pixels[..., 3].tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert (pixels[..., :3] == pixels[..., :1]).all()


def test_depth_that_is_the_same_everywhere_is_black():
    assert picture_of(colors.gray, [[7.0, 7.0]]).tolist() == [[[0.0, 0.0, 0.0, 1.0]] * 2]


def test_limits_are_those_of_finite_values():
    assert colors.limits([[3.0, np.inf], [-1.5, np.nan]]) == (-1.5, 3.0)
    assert colors.limits([np.inf]) == (0.0, 0.0)


def test_values_are_stored_as_they_are():
    assert picture_of(colors.components, [[(0.25, -1.5)]]).tolist() == [[[0.25, -1.5, 0.0, 1.0]]]
    weights = [[(0.5, 0.125, 0.375)]]
    assert picture_of(colors.components, weights).tolist() == [[[0.5, 0.125, 0.375, 1.0]]]
    directions = [[(1.0, 0.0, -1.0)]]
    assert picture_of(colors.directions, directions).tolist() == [[[1.0, 0.5, 0.0, 1.0]]]


def test_the_front_is_blue_and_the_back_is_red():
    pixels = picture_of(colors.sides, [[True, False, False]], [[True, True, False]])
    (front, back, miss) = pixels[0]
    assert front[2] > 2 * front[0]
    assert back[0] > 2 * back[2]
    assert miss.tolist() == CLEAR


@pytest.mark.parametrize(
    ("coloring", "miss", "width"),
    [
        (colors.ids, -1, 0),
        (colors.sides, False, 0),
        (colors.gray, np.inf, 0),
        (colors.components, np.inf, 2),
        (colors.components, np.inf, 3),
        (colors.directions, np.inf, 3),
    ],
)
def test_a_picture_without_pixels_or_hits_is_made_too(coloring, miss, width):
    for shape in ((0, 0), (0, 5), (2, 3)):
        column = np.full((*shape, width) if width else shape, miss)
        pixels = picture_of(coloring, column, np.zeros(shape, bool))
        assert pixels.shape == (*shape, 4)
        assert not pixels.any()
