# SPDX-License-Identifier: GPL-3.0-or-later
"""What is between a place and a point on a surface, by fractions: nothing is rounded.

All triangles of the depsgraph are read anew. Float64 only chooses those that fractions look at. It
shares no code with what it judges.
"""

from fractions import Fraction

import bpy
import numpy as np

LEAST = 1e-6
"""Triangles farther than this share beside a line of sight are not looked at by fractions."""


class Between:
    """The triangles of all that the depsgraph lists, in world space."""

    def __init__(self, depsgraph):
        self.names, self.exact, self.vertices = [], [], {}
        for instance in depsgraph.object_instances:
            if instance.object.type != "MESH" or not instance.show_self:
                continue
            maker = instance.parent.name if instance.is_instance else ""
            name = instance.object.original.name, maker
            ids = [i for i in instance.persistent_id if i != 2**31 - 1] or [0]
            matrix = [[Fraction(x) for x in row] for row in instance.matrix_world]
            mesh = instance.object.to_mesh()
            mesh.calc_loop_triangles()
            world = [moved(matrix, vertex.co) for vertex in mesh.vertices]
            self.vertices[*name, tuple(ids) if maker else None] = world
            found = [[world[i] for i in each.vertices] for each in mesh.loop_triangles]
            instance.object.to_mesh_clear()
            self.exact += found
            self.names += [name] * len(found)
        self.corners = np.array(self.exact, dtype=np.float64).reshape(-1, 3, 3)

    def place(self, hit):
        """The point of a hit, in fractions: exactly in the plane of its triangle."""
        world = self.vertices[hit.object, hit.instancer or "", hit.instance]
        a, b, c = (world[i] for i in hit.vertices)
        _, v, w = map(Fraction, hit.barycentric)
        return [x + v * (y - x) + w * (z - x) for x, y, z in zip(a, b, c, strict=True)]

    def first(self, eye, point, nearest=0):
        """The object and instancer that the line from an eye to a point crosses first, or None.

        Both are of fractions. Triangles with the point in their plane do not count, nor what is
        crossed before the share `nearest` of the line.
        """
        way = [b - a for a, b in zip(eye, point, strict=True)]
        found = []
        for row in self._near(np.array(eye, float), np.array(way, float)):
            share = crossed(eye, way, self.exact[row])
            if share is not None and nearest <= share < 1:
                found.append((share, self.names[row]))
        return min(found)[1] if found else None

    def _near(self, eye, way):
        a, b, c = ((corner - eye) for corner in self.corners.transpose(1, 0, 2))
        sides = [np.cross(p, q) @ way for p, q in ((a, b), (b, c), (c, a))]
        sizes = [np.linalg.norm(np.cross(p, q), axis=1) for p, q in ((a, b), (b, c), (c, a))]
        least = LEAST * np.linalg.norm(way) * np.max(sizes, axis=0)
        inside = np.min(sides, axis=0) >= -least, np.max(sides, axis=0) <= least
        return np.flatnonzero(inside[0] | inside[1])


def moved(matrix, vector):
    """A vector moved by a matrix of fractions."""
    x, y, z = map(Fraction, vector)
    return [a * x + b * y + c * z + d for a, b, c, d in matrix[:3]]


def crossed(eye, way, triangle):
    """The share of a line at which it crosses a triangle, border included; None if it does not.

    None also where the end of the line is in the plane of the triangle.
    """
    a, b, c = ([x - y for x, y in zip(corner, eye, strict=True)] for corner in triangle)
    normal = cross(difference(b, a), difference(c, a))
    to_plane, along = inner(normal, a), inner(normal, way)
    if along == 0 or to_plane == along:
        return None
    sides = [inner(cross(p, q), way) for p, q in ((a, b), (b, c), (c, a))]
    if min(sides) < 0 < max(sides):
        return None
    return to_plane / along


def cross(a, b):
    return [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]


def difference(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def eye_of(camera):
    """The place of a camera object, in fractions."""
    evaluated = camera.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [Fraction(x) for x in evaluated.matrix_world.translation]
