# SPDX-License-Identifier: GPL-3.0-or-later
"""What rays truly cross, by brute force: every triangle that is shown, read anew, in float64.

It shares no code with what it judges, and runs in a test or in a windowed Blender.
"""

from typing import NamedTuple

import bpy
import numpy as np

from .surface import Surface

HIDING_MODES = {"EDIT", "SCULPT", "VERTEX_PAINT", "WEIGHT_PAINT", "TEXTURE_PAINT"}
UNUSED = 2**31 - 1

ROUNDING = 1e-9
"""What two float64 computations may differ by, relative to the size of their terms."""

COARSE_ROUNDING = 2.0**-22
"""The same in single precision: four times its rounding. In 5,000 crossings of sheared cylinders
the most was twice."""

FAR = 1e6
"""Of triangles that reach farther, nothing is certain here: their near corners are rounded off.

Where shape keys were left behind by edits, Blender can show vertices that it never set, at up to
1e38.
"""


FLATTEST = 1e6
"""The ratio of scales up to which an object has a side that is outside."""


class Part(NamedTuple):
    """The triangles that one object or instance shows, in world space."""

    name: tuple  # object, instancer or None, persistent id or None
    corners: np.ndarray  # (T, 3, 3)
    faces: np.ndarray  # (T,)
    numbers: np.ndarray  # (T,) in Blender's loop_triangles
    known: bool  # whether ``Scene.ray_cast`` hits its type
    surface: Surface
    stretch: float  # how many times its largest scale is its smallest one
    reach: float  # its largest coordinate
    size: float  # that, or its translation, if it is larger; infinite if a coordinate is not finite
    matrix: np.ndarray  # (4, 4) local to world space

    @property
    def far(self):
        """Whether it has a vertex where nobody would put one: no ray has room beside it."""
        return self.reach > FAR


class Crossing(NamedTuple):
    """Where a ray crosses a triangle, or may: within rounding of its border or of the origin."""

    distance: float
    slack: float  # by which another computation of the distance may differ
    coarse: float  # by which one in single precision and in local space may, such as Blender's
    margin: float  # the smallest barycentric weight
    room: float  # what the smallest weight is in units, at least: to the triangle's border
    cosine: float  # of the angle between the ray and the normal, without sign
    certain: bool
    known: bool  # to ``Scene.ray_cast``
    weights: np.ndarray  # (3,) barycentric
    blur: float  # by which another computation of a weight may differ
    longest: float  # edge
    normal: np.ndarray  # (3,) unit, in world space; outward for a mirrored object too
    normal_blur: float  # by which another computation of its parts may differ
    surface: Surface


def parts(context, space=None):
    """Read all that the view layer shows, in a viewport with its local view if one is given."""
    depsgraph = context.evaluated_depsgraph_get()
    hidden = hidden_objects(context.view_layer, depsgraph, space)
    found = []
    # Of a list that begins with an instance, Blender has freed some of it: not so in columns.
    identifiers = column(depsgraph, "persistent_id", np.int32, 8)
    placed = matrices(depsgraph)
    for place, instance in enumerate(depsgraph.object_instances):
        obj = instance.object
        if obj.type != "MESH" or not instance.show_self:
            continue
        maker = instance.parent if instance.is_instance else None
        if (maker or obj).original in hidden:
            continue
        matrix = placed[place]
        corners, faces, numbers, surface = triangles(obj)
        world = corners @ matrix[:3, :3].T + matrix[:3, 3]
        finite = np.isfinite(world).all(axis=(1, 2))
        rows = world[finite], faces[finite], numbers[finite]
        name = name_of(instance, identifiers[place].tolist())
        reach = np.abs(rows[0]).max(initial=0)
        size = max(reach, np.abs(matrix[:3, 3]).max()) if finite.all() else np.inf
        known = is_known(obj.original)
        found.append(Part(name, *rows, known, surface, stretch(matrix), reach, size, matrix))
    assert len({part.name for part in found}) == len(found), "the oracle takes two for one"
    return found


def matrices(depsgraph):
    """Local to world space of all instances: (N, 4, 4)."""
    columns = column(depsgraph, "matrix_world", np.float32, 16).reshape(-1, 4, 4)
    return columns.transpose(0, 2, 1).astype(np.float64)


def column(depsgraph, name, dtype, width):
    """One property of all instances: (N, width)."""
    values = np.empty((len(depsgraph.object_instances), width), dtype)
    if len(values):
        depsgraph.object_instances.foreach_get(name, values.ravel())
    return values


def name_of(instance, path):
    """Object, instancer and persistent id; curves and the like make an instance of themselves."""
    source = instance.object.original
    if not instance.is_instance:
        return source.name, None, None
    while len(path) > 1 and path[-1] == UNUSED:
        path.pop()
    maker = instance.parent.original
    if source == maker and maker.type != "MESH" and len(path) == 1:
        return source.name, None, None
    return source.name, maker.name, tuple(path)


def is_known(source):
    """Whether ``Scene.ray_cast`` hits its type: in 4.2 it leaves out curves and text."""
    return source.type == "MESH" or bpy.app.version >= (4, 5)


def stretch(matrix):
    """How many times its largest scale is its smallest one: the matrix's condition number."""
    scales = np.linalg.svd(matrix[:3, :3], compute_uv=False)
    return scales[0] / scales[2] if scales[2] else np.inf


def triangles(evaluated):
    """Local corners (T, 3, 3), faces (T,) and numbers (T,) of what is drawn; the whole surface."""
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    vertices = np.empty((len(mesh.loop_triangles), 3), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", vertices.ravel())
    faces = np.empty(len(vertices), dtype=np.int32)
    mesh.loop_triangles.foreach_get("polygon_index", faces)
    shown = np.arange(len(faces))
    if evaluated.mode in HIDING_MODES:
        shown = np.flatnonzero(~hidden_faces(mesh)[faces])
    surface = Surface(mesh, evaluated.original)
    evaluated.to_mesh_clear()
    return points[vertices[shown]].astype(np.float64), faces[shown], shown, surface


def hidden_faces(mesh):
    """Which faces are hidden; where nodes left the flag on points, those whose points all are."""
    attribute = mesh.attributes.get(".hide_poly")
    if attribute is None:
        return np.zeros(len(mesh.polygons), dtype=bool)
    flags = [item.value for item in attribute.data]
    if attribute.domain == "FACE":
        return np.array(flags, dtype=bool)
    assert attribute.domain == "POINT"
    return np.array([all(flags[v] for v in face.vertices) for face in mesh.polygons], dtype=bool)


def hidden_objects(view_layer, depsgraph, space=None):
    """The view layer's objects that its collections, their own switches or a local view hide."""
    in_collections = set()

    def visit(layer, shown):
        shown = shown and not (layer.hide_viewport or layer.collection.hide_viewport)
        if shown and not layer.exclude:
            in_collections.update(layer.collection.objects)
        for child in layer.children:
            visit(child, shown)

    visit(view_layer.layer_collection, True)
    local = space is not None and space.local_view is not None
    return {
        obj
        for obj in view_layer.objects
        if obj not in in_collections
        or obj.hide_viewport
        or obj.hide_get(view_layer=view_layer)
        # Until 4.3 Blender answers this of evaluated objects alone.
        or (local and not obj.evaluated_get(depsgraph).local_view_get(space))
    }


class Soup:
    """All triangles of some parts, to be crossed by rays."""

    def __init__(self, shown):
        self.parts = shown
        self.corners = np.concatenate([part.corners for part in shown] or [np.empty((0, 3, 3))])
        self.faces = np.concatenate([part.faces for part in shown] or [np.empty(0, int)])
        self.numbers = np.concatenate([part.numbers for part in shown] or [np.empty(0, int)])
        self.known = np.array([part.known for part in shown], dtype=bool)
        self.stretches = np.array([part.stretch for part in shown])
        self.sizes = np.array([part.size for part in shown])
        self.signs = np.array([np.sign(np.linalg.det(part.matrix[:3, :3])) for part in shown])
        counts = [len(part.faces) for part in shown]
        self.owners = np.repeat(np.arange(len(shown)), counts)
        self.centers = self.corners.mean(axis=1)
        self.radii = np.sqrt(((self.corners - self.centers[:, None]) ** 2).sum(2).max(1, initial=0))

    def __len__(self):
        return len(self.corners)

    def key(self, number):
        """Part, face and triangle."""
        part = self.parts[self.owners[number]]
        return *part.name, int(self.faces[number]), int(self.numbers[number])

    def crossings(self, origin, direction):
        """All crossings of a ray with a unit direction, by key."""
        near = self._near(origin, direction)
        owners = self.owners[near]
        a, b, c = self.corners[near].transpose(1, 0, 2)
        # Moeller and Trumbore 1997.
        ab, ac, at = b - a, c - a, origin - a
        normal = np.cross(ab, ac)
        det = -normal @ direction
        moment = np.cross(at, direction)
        with np.errstate(all="ignore"):
            u, v = dot(ac, moment) / det, -dot(ab, moment) / det
            distance = dot(normal, at) / det
            cosine = np.abs(det) / length(normal)
            size = 1 + length(at)
            longest = np.maximum(np.maximum(length(ab), length(ac)), length(c - b))
            rounding = ROUNDING * (1 + size * longest / np.abs(det))
            slack = np.where(size > FAR, np.inf, ROUNDING * size / cosine)
            terms = np.abs(origin).max() + self.sizes[owners]
            coarse = COARSE_ROUNDING * self.stretches[owners] * terms / cosine
            margin = np.minimum(np.minimum(u, v), 1 - u - v)
            room = margin * length(normal) / longest
            outside = (margin < -rounding) | (distance < -slack)
            certain = (margin > rounding) & (distance > slack)
            normals = normal * (self.signs[owners] / length(normal))[:, None]
            weights = np.stack([1 - u - v, u, v], axis=1)
            spread = ROUNDING * (1 + self.sizes[owners]) * longest / length(normal)
            spread[self.stretches[owners] > FLATTEST] = np.inf  # as good as flat: it has no outside
        known = self.known[owners]
        surfaces = [self.parts[owner].surface for owner in owners]
        rows = zip(
            *(distance, slack, coarse, margin, room, cosine, certain, known),
            *(weights, 4 * rounding, longest, normals, spread, surfaces),
            strict=True,
        )
        found = zip(near, outside, rows, strict=True)
        return {self.key(number): Crossing(*row) for number, out, row in found if not out}

    def _near(self, origin, direction):
        """Triangles whose sphere the ray's line meets; there is room for rounding."""
        to_center = self.centers - origin
        along = to_center @ direction
        off = length(to_center - along[:, None] * direction)
        return np.flatnonzero(off <= self.radii + 1e-6 * (1 + np.abs(along)))


def dot(a, b):
    return np.einsum("ij,ij->i", a, b)


def length(a):
    return np.sqrt(dot(a, a))
