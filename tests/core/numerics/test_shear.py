# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import numpy as np
import pytest

from standalone_core.numerics.ray_triangle import (
    axes_across,
    axes_across_many,
    frame_of,
    frame_of_many,
)

LATTICE = [d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(d)]
each_lattice_direction = pytest.mark.parametrize("direction", LATTICE)


def some_directions(rng):
    """Directions of any slope and length, of which many have equal components or zeros."""
    d = np.concatenate([LATTICE, rng.normal(size=(200, 3)) * 10.0 ** rng.uniform(-9, 9, (200, 1))])
    d = np.concatenate([d, np.where(rng.random(d.shape) < 0.3, -0.0, d)])
    return d[d.any(axis=1)]


def test_the_ray_becomes_the_z_axis_and_its_largest_component_the_parameter(rng):
    for d in some_directions(rng):
        x, y, z = d @ axes_across(tuple(d.tolist()))
        size = np.abs(d).max()
        assert abs(x) <= 1e-15 * size
        assert abs(y) <= 1e-15 * size
        assert z == size


def test_the_largest_component_becomes_z_and_the_shear_is_at_most_1(rng):
    for d in some_directions(rng):
        frame = frame_of(tuple(d.tolist()))
        assert sorted(frame) == [0, 1, 2]
        assert abs(d[frame[2]]) == np.abs(d).max()
        assert np.abs(axes_across(tuple(d.tolist()))).max() == 1


@each_lattice_direction
def test_the_change_of_space_keeps_the_winding(direction):
    assert np.linalg.det(axes_across(direction)) > 0


@each_lattice_direction
def test_the_first_of_equal_components_becomes_z(direction):
    assert frame_of(direction)[2] == np.abs(direction).argmax()


def test_the_frame_does_not_depend_on_the_length_of_the_direction(rng):
    for d in some_directions(rng):
        frames = {frame_of(tuple((d * length).tolist())) for length in (2.0**-60, 1.0, 2.0**60)}
        assert len(frames) == 1


def test_many_directions_have_the_frames_and_axes_of_each_to_the_last_bit(rng):
    directions = some_directions(rng)
    frames, axes = np.stack(frame_of_many(directions), axis=1), axes_across_many(directions)
    assert axes.shape == (len(directions), 2, 3)
    for d, frame, across in zip(directions, frames, axes, strict=True):
        assert tuple(frame) == frame_of(tuple(d.tolist()))
        np.testing.assert_array_equal(across, axes_across(tuple(d.tolist()))[:, :2].T)


def test_no_directions_have_no_axes():
    assert axes_across_many(np.empty((0, 3))).shape == (0, 2, 3)
