# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiled code is given is checked before it runs: it checks nothing itself."""

import pytest

import standalone_core as sc

from ..meshes import HALVES, SQUARE


@pytest.mark.parametrize(
    ("built", "ask"),
    [
        (True, lambda mesh: mesh.ray_cast((0.5, 0.25, 1), (0, 0, -1))),
        (False, lambda mesh: mesh.ray_cast((0.5, 0.25, 1), (0, 0, -1))),
        (False, sc.Mesh.build),
        (True, lambda mesh: mesh.refit(SQUARE)),
        (True, lambda mesh: mesh.closest_point((0.5, 0.25, 1))),
    ],
    ids=["cast", "scan", "build", "refit", "closest"],
)
def test_triangles_changed_behind_the_mesh_crashed_compiled_code(built, ask):
    triangles = HALVES.copy()
    try:
        mesh = sc.Mesh(SQUARE, triangles, engine="numba")
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    sc.engines.engine_named("numba")
    if built:
        mesh.build()
    triangles[1, 2] = 2**30
    with pytest.raises(sc.errors.IndexRangeError, match="changed"):
        ask(mesh)
