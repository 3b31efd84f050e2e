# SPDX-License-Identifier: GPL-3.0-or-later
"""Views and projections as the graphics libraries define them, and cameras made of them."""

import numpy as np

import standalone_core as sc

from . import meshes, oracle

WIDTH, HEIGHT = 1920.0, 1080.0


def perspective(near=0.1, far=100.0, lens=1.5, shift=(0.0, 0.0), aspect=WIDTH / HEIGHT):
    """OpenGL's frustum: depth -1 to 1, looking down -z, column vectors."""
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = lens, lens * aspect
    matrix[0, 2], matrix[1, 2] = shift
    matrix[2, 2:] = -(far + near) / (far - near), -2 * far * near / (far - near)
    matrix[3, 2] = -1
    return matrix


def orthographic(near=-50.0, far=100.0, lens=0.2, shift=(0.0, 0.0), aspect=WIDTH / HEIGHT):
    """OpenGL's parallel projection: depth -1 to 1, looking down -z, column vectors."""
    matrix = np.eye(4)
    matrix[0, 0], matrix[1, 1] = lens, lens * aspect
    matrix[0, 3], matrix[1, 3] = shift
    matrix[2, 2:] = -2 / (far - near), -(far + near) / (far - near)
    return matrix


def direct3d_perspective(near=0.1, far=100.0, lens=1.5, shift=(0.0, 0.0), aspect=WIDTH / HEIGHT):
    """Direct3D's left-handed frustum: depth 0 to 1, looking down +z, row vectors."""
    matrix = np.zeros((4, 4))
    matrix[0, 0], matrix[1, 1] = lens, lens * aspect
    matrix[2, 0], matrix[2, 1] = shift
    matrix[2, 2], matrix[2, 3] = far / (far - near), 1
    matrix[3, 2] = -near * far / (far - near)
    return matrix


def direct3d_orthographic(near=0.0, far=100.0, lens=0.2, shift=(0.0, 0.0), aspect=WIDTH / HEIGHT):
    """Direct3D's left-handed parallel projection: depth 0 to 1, row vectors."""
    matrix = np.eye(4)
    matrix[0, 0], matrix[1, 1] = lens, lens * aspect
    matrix[3, 0], matrix[3, 1] = shift
    matrix[2, 2], matrix[3, 2] = 1 / (far - near), -near / (far - near)
    return matrix


PROJECTIONS = {
    ("opengl", "perspective"): perspective,
    ("opengl", "orthographic"): orthographic,
    ("direct3d", "perspective"): direct3d_perspective,
    ("direct3d", "orthographic"): direct3d_orthographic,
}


def random_view(rng, distance=10.0):
    """World to view, column vectors: turned at random, the eye about so far from the origin."""
    turn = meshes.rotation(rng)
    eye = meshes.directions(rng, 1)[0] * distance
    return meshes.placement(turn, -turn @ eye)


def camera(kind, view, **options):
    """A camera of a (convention, projection) of PROJECTIONS; the view is for column vectors."""
    convention, _ = kind
    projection = PROJECTIONS[kind](**options)
    return sc.Camera(
        view if convention == "opengl" else view.T, projection, WIDTH, HEIGHT, convention
    )


class ExactCamera:
    """The same camera in rational arithmetic, by the inverse of the whole 4 x 4 matrix."""

    def __init__(self, kind, view, **options):
        projection = PROJECTIONS[kind](**options)
        self.y_down = kind[0] == "direct3d"
        self.view = oracle.exact(view)
        self.near = -1 if kind[0] == "opengl" else 0
        columns = projection.T if self.y_down else projection
        self.matrix = oracle.matmul(oracle.exact(columns), self.view)

    def project(self, point):
        width, height = oracle.exact((WIDTH, HEIGHT))
        return oracle.project(self.matrix, width, height, oracle.exact(point), self.y_down)

    def unproject(self, x, y, depth):
        width, height = oracle.exact((WIDTH, HEIGHT))
        pixel = oracle.exact((x, y, depth))
        return oracle.unproject(self.matrix, width, height, *pixel, self.y_down)

    def eye(self):
        linear = oracle.inverse(tuple(row[:3] for row in self.view[:3]))
        return oracle.apply(linear, tuple(-row[3] for row in self.view[:3]))
