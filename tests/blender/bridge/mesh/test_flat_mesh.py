# SPDX-License-Identifier: GPL-3.0-or-later
"""The box of what a scale of zero flattens holds every vertex, whatever rounding does."""

from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace

import numpy as np

from ...conftest import PACKAGE


def test_the_box_of_a_flat_mesh_holds_its_vertices_exactly(raypick, rng):
    flat_mesh = import_module(f"{PACKAGE}.bridge.mesh.cache").FlatMesh
    for _ in range(100):
        points = rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-3, 4)
        matrix = np.eye(4)
        matrix[:3] = rng.normal(size=(3, 4))
        matrix[:3, rng.integers(3)] = 0.0
        mesh = SimpleNamespace(bounds=(points.min(axis=0), points.max(axis=0)))
        lower, upper = flat_mesh(mesh, matrix).bounds
        for point in [*points, *mesh.bounds]:
            for axis in range(3):
                row = [Fraction(x) for x in matrix[axis].tolist()]
                place = sum(a * Fraction(x) for a, x in zip(row, point.tolist(), strict=False))
                assert lower[axis] <= place + row[3] <= upper[axis]
        rounded = points @ matrix[:3, :3].T + matrix[:3, 3]
        assert (lower <= rounded).all()
        assert (rounded <= upper).all()
