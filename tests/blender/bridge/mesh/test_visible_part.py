# SPDX-License-Identifier: GPL-3.0-or-later
"""Of a mesh with hidden faces, each number in the part is that in the whole, and the other way."""

from importlib import import_module

import numpy as np
import pytest

from ...conftest import PACKAGE


@pytest.mark.parametrize("sizes", ["triangles", "all sizes"])
def test_every_number_of_a_part_is_that_of_the_whole(raypick, rng, sizes):
    part_of = import_module(f"{PACKAGE}.bridge.mesh.visible_part").VisiblePart
    polygons_of = import_module(f"{PACKAGE}.standalone_core.polygons.polygons").Polygons
    for _ in range(20):
        counts = rng.integers(3, 4 if sizes == "triangles" else 7, 9)
        corners = rng.integers(0, 30, counts.sum())
        hidden = rng.random(9) < 0.5
        hidden[rng.integers(9)] = False
        part = part_of(polygons_of(np.zeros((30, 3)), corners, counts), hidden)
        own_face = own_triangle = 0
        triangle = 0
        for face, count in enumerate(counts.tolist()):
            shown = not hidden[face]
            assert part.own_face(face) == (own_face if shown else None)
            for _ in range(count - 2):
                assert part.face_of(triangle) == (face if shown else None)
                if shown:
                    assert part.own_triangle(face, triangle) == own_triangle
                    whole = part.whole_triangles(np.array([own_triangle]), np.array([own_face]))
                    assert whole.tolist() == [triangle]
                    own_triangle += 1
                triangle += 1
            own_face += shown
        assert part.face_of(triangle) is None
