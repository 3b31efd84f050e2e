# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiled code is given is checked before it runs: it checks nothing itself."""

import numpy as np
import pytest

import standalone_core as sc

from ...meshes import HALVES, SQUARE
from ...new_engine import module_of_kernels


@pytest.mark.parametrize(
    ("built", "ask"),
    [
        (False, lambda mesh: mesh.ray_cast((0.5, 0.25, 1), (0, 0, -1))),
        (False, sc.Mesh.build),
        (True, lambda mesh: mesh.refit(SQUARE)),
        (True, lambda mesh: mesh.closest_point((0.5, 0.25, 1))),
    ],
    ids=["scan", "build", "refit", "closest"],
)
def test_triangles_changed_behind_the_mesh_crashed_compiled_code(built, ask):
    triangles = HALVES.copy()
    try:
        mesh = sc.Mesh(SQUARE, triangles, engine="numba", copy=False)
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    sc.engines.engine_named("numba")
    if built:
        mesh.build()
    triangles[1, 2] = 2**30
    with pytest.raises(sc.errors.IndexRangeError, match="changed"):
        ask(mesh)


def test_triangles_changed_behind_a_tree_are_not_read_again():
    triangles = HALVES.copy()
    try:
        mesh = sc.Mesh(SQUARE, triangles, engine="numba", copy=False)
    except sc.errors.EngineError as error:
        pytest.skip(str(error))
    mesh.build()
    ray = (0.5, 0.25, 1), (0, 0, -1)
    before = mesh.ray_cast(*ray)
    triangles[:, 2] = 2**30
    after = mesh.ray_cast(*ray)
    assert (after.triangle, after.distance) == (before.triangle, before.distance)
    assert mesh.cast_rays([ray[0]], [ray[1]]).triangle.tolist() == [before.triangle]


def test_triangles_that_were_copied_count_as_memory_of_the_mesh():
    sizes = []
    for copy in (True, False):
        try:
            mesh = sc.Mesh(SQUARE, HALVES.astype(np.int32), engine="numba", copy=copy)
        except sc.errors.EngineError as error:
            pytest.skip(str(error))
        mesh.build()
        sizes.append(mesh.nbytes)
    assert sizes[1] == sizes[0] + mesh.triangles.nbytes


@pytest.mark.parametrize("most", [1000, 10**9])
@pytest.mark.parametrize("shares", [2, 4, 64])
@pytest.mark.parametrize("count", [0, 1, 511, 513, 4096, 1_000_001])
def test_chunks_are_all_rays_once_and_get_shorter(count, most, shares):
    engine = module_of_kernels("numba_engine")
    chunks = list(engine._chunks(count, most, shares))
    ends = [0, *(end for _, end in chunks)]
    assert [begin for begin, _ in chunks] == ends[:-1]
    assert ends[-1] == count
    lengths = [end - begin for begin, end in chunks]
    assert all(0 < length <= most for length in lengths)
    assert lengths == sorted(lengths, reverse=True)
    assert not lengths or lengths[-1] <= 512
