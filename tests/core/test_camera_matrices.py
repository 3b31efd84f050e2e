# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrices of a camera are its own, and errors speak of them as the caller gave them."""

import copy
import pickle

import numpy as np
import pytest

import standalone_core as sc
from standalone_core import errors

from . import meshes
from .cameras import direct3d_perspective, perspective

FLAT = np.diag([1.0, 1, -0.1, 1])
PROJECTIVE = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.5, 0, 0, 2]]  # by columns


@pytest.mark.parametrize("convention", ["opengl", "direct3d"])
def test_a_camera_changed_with_the_matrices_that_it_was_made_of(convention):
    view = np.eye(4)
    projection = perspective() if convention == "opengl" else direct3d_perspective()
    camera = sc.Camera(view, projection, 64, 48, convention)
    before = camera.view.tolist(), camera.projection.tolist(), camera.project((1, 2, -7))
    view[:], projection[:] = 3.0, 5.0
    assert (camera.view.tolist(), camera.projection.tolist()) == before[:2]
    assert camera.project((1, 2, -7)) == before[2]


@pytest.mark.parametrize(
    "again",
    [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
    ids=["itself", "copy", "deepcopy", "pickle"],
)
def test_the_matrices_that_a_camera_hands_out_cannot_be_written_to(again):
    camera = again(sc.Camera(np.eye(4), perspective(), 64, 48))
    for matrix in (camera.view, camera.projection):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 0
    assert camera.ray(32, 24).direction.tolist() == [0, 0, -1]


@pytest.mark.parametrize(("convention", "line"), [("opengl", "row"), ("direct3d", "column")])
def test_an_error_named_the_last_row_of_a_matrix_for_row_vectors(convention, line):
    wrong = np.array(PROJECTIVE) if convention == "opengl" else np.transpose(PROJECTIVE)
    scene, mesh = sc.Scene(), sc.Mesh(*meshes.cube())
    one = scene.add(mesh)
    for ask in (
        lambda: scene.add(mesh, wrong, convention=convention),
        lambda: scene.add_many(mesh, [wrong], convention=convention),
        lambda: scene.set_matrix(one, wrong, convention=convention),
        lambda: sc.Camera(wrong, FLAT, 9, 9, convention),
        lambda: sc.Camera(np.eye(4), FLAT, 9, 9, convention).project((0, 0, 0), wrong),
    ):
        with pytest.raises(errors.ArgumentError, match=f"for its last {line}, not"):
            ask()


@pytest.mark.parametrize(("convention", "line"), [("opengl", "column"), ("direct3d", "row")])
def test_what_makes_a_matrix_singular_is_named_as_the_caller_sees_it(convention, line):
    dependent = np.array([[1.0, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    zeros = np.diag([1.0, 0, 1, 1])
    scene, mesh = sc.Scene(), sc.Mesh(*meshes.cube())
    for matrix, words in ((dependent, f"{line}s are dependent"), (zeros, f"{line} of zeros")):
        for ask in (
            lambda m=matrix: scene.add(mesh, m, convention=convention),
            lambda m=matrix: scene.add_many(mesh, [m], convention=convention),
            lambda m=matrix: sc.Camera(m, FLAT, 9, 9, convention),
            lambda m=matrix: sc.Camera(np.eye(4), m, 9, 9, convention),
        ):
            with pytest.raises(errors.SingularMatrixError, match=words):
                ask()


def test_a_number_that_is_not_finite_is_where_the_caller_sees_it():
    matrix = np.eye(4)
    matrix[3, 1] = np.nan
    with pytest.raises(errors.NonFiniteError, match=r"\(0, 3, 1\)"):
        sc.Scene().add_many(sc.Mesh(*meshes.cube()), [matrix], convention="direct3d")
    with pytest.raises(errors.NonFiniteError, match=r"\(3, 1\)"):
        sc.Scene().add(sc.Mesh(*meshes.cube()), matrix, convention="direct3d")
