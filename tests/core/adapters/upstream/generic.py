# SPDX-License-Identifier: GPL-3.0-or-later
"""What trimesh's own tests import as ``generic``: helpers, and meshes under the names of models.

The source distribution has neither its helpers nor its model files. Each model that a test asks
for is made here instead, with the property that the test is about.
"""

import time
import unittest
from collections import deque
from contextlib import contextmanager

import numpy as np
import pytest
import trimesh
from shapely.geometry import Point, Polygon
from trimesh import Trimesh
from trimesh.constants import log, tol

from sample_in_core import teapot

__all__ = ["Point", "Polygon", "Trimesh", "deque", "log", "np", "time", "tol", "trimesh"]
__all__ += [
    "RandomSeed",
    "data",
    "get_mesh",
    "get_meshes",
    "random",
    "random_transforms",
    "transforms",
]
__all__ += ["pytest", "unittest"]

_rng = np.random.default_rng(20240229)

made: list[str] = []
"""The names of the models that were asked for, in order."""


def random(shape):
    """Numbers from 0 to 1."""
    return _rng.random(shape)


@contextmanager
def RandomSeed():  # noqa: N802 (the name that the tests use)
    """A generator that begins alike for each."""
    yield np.random.default_rng(0)


def random_transforms(count, translate=1000.0):
    """Rigid transforms (4, 4)."""
    for _ in range(count):
        matrix = trimesh.transformations.random_rotation_matrix(_rng.random(3))
        matrix[:3, 3] = (_rng.random(3) - 0.5) * translate
        yield matrix


transforms = [np.eye(4), *random_transforms(10)]


def get_mesh(name, **options):
    """The mesh that stands for a model file."""
    made.append(name)
    mesh = _MODELS[name]()
    mesh = Trimesh(mesh.vertices, mesh.faces, **options)
    mesh.source.file_path = name
    return mesh


def get_meshes(count):
    """The first few."""
    return [get_mesh(name) for name in list(_MODELS)[:count]]


def _block(x, y, z, is_left_out):
    """A block of cells between planes, without those of which `is_left_out` says so; closed.

    `is_left_out` is given the middles of the cells along each axis.
    """
    middles = [(np.array(planes[1:]) + planes[:-1]) / 2 for planes in (x, y, z)]
    cells = ~is_left_out(*np.meshgrid(*middles, indexing="ij"))
    cells = np.pad(cells, 1)
    corners = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1)
    faces = []
    for axis in range(3):
        for side in (0, 1):
            bare = cells & ~np.roll(cells, 1 - 2 * side, axis)
            u, v = np.roll(np.eye(3, dtype=int), -axis, axis=0)[1:]
            start = np.argwhere(bare) - 1 + side * np.eye(3, dtype=int)[axis]
            quads = np.stack([start, start + u, start + u + v, start + v], axis=1)
            faces.append(quads if side else quads[:, ::-1])
    faces = np.ravel_multi_index(np.moveaxis(np.concatenate(faces), -1, 0), corners.shape[:3])
    triangles = trimesh.geometry.triangulate_quads(faces)
    return Trimesh(corners.reshape(-1, 3), triangles)


def _seven_eighths():
    planes = (-10.0, 0.0, 10.0)
    return _block(planes, planes, planes, lambda x, y, z: (x > 0) & (y > 0) & (z > 0))


def _step_at_the_origin():
    """The origin is inside, and in the plane of the step, which is the nearest face."""
    planes = (-5.0, 5.0)
    return _block((-5.0, 1.0, 5.0), planes, (-5.0, 0.0, 5.0), lambda x, y, z: (x > 1) & (z > 0))


def _engraved_cube():
    """A bar is engraved in three of its sides."""
    planes = (-10.0, -9.0, -2.0, 2.0, 9.0, 10.0)

    def engraved(x, y, z):
        return ((x > 9) & (abs(y) < 2)) | ((y > 9) & (abs(z) < 2)) | ((z > 9) & (abs(x) < 2))

    return _block(planes, planes, planes, engraved)


def _plate():
    """Wide beside its thickness, with a window."""
    x, y = (0.0, 4.0, 6.0, 12.0), (0.0, 3.0, 5.0, 9.0)
    return _block(x, y, (0.0, 0.25), lambda x, y, z: (abs(x - 5) < 1) & (abs(y - 4) < 1))


def _part():
    """It has a slot, a pocket and a step, and is not its own mirror image."""
    x, y, z = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0), (-2.0, -0.5, 1.0, 2.0), (-1.0, 0.0, 0.5, 1.5)

    def left_out(x, y, z):
        slot, pocket = (x < -2) & (y > -0.5) & (y < 1), (abs(x) < 1) & (y < 1) & (z > 0.5)
        return slot | pocket | ((x > 2) & (y > 1) & (z > 0))

    return _block(x, y, z, left_out)


_MODELS = {
    "unit_cube.STL": trimesh.creation.box,
    "unit_sphere.STL": trimesh.creation.icosphere,
    "7_8ths_cube.stl": _seven_eighths,
    "origin_inside.STL": _step_at_the_origin,
    "20mm-xyz-cube.stl": _engraved_cube,
    "1002_tray_bottom.STL": _plate,
    "featuretype.STL": _part,
    "cube.OBJ": trimesh.creation.box,
    "torus.STL": lambda: trimesh.creation.torus(1.0, 0.3),
    "bunny.ply": lambda: trimesh.creation.icosphere(subdivisions=2),
    "teapot.stl": lambda: Trimesh(*teapot()).apply_scale(5.0),
}


def _rays(count=400):
    """Rays at a mesh around the origin, with origins around it."""
    towards = random((count, 3)) - 0.5
    origins = trimesh.unitize(random((count, 3)) - 0.5) * 40
    return {"ray_origins": origins, "ray_directions": towards * 10 - origins}


_CAST_AT = ("unit_cube.STL", "7_8ths_cube.stl", "featuretype.STL")

data = {
    "ray_data": {
        "load_kwargs": [
            {"name": name, "use_embree": embree} for name in _CAST_AT for embree in (True, False)
        ],
        "rays": {name: _rays() for name in _CAST_AT},
    }
}
