# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks in pictures: where a camera sees them, and what hides them.

A landmark lies on a surface, which must not hide it. So a triangle hides it only if the line of
sight crosses the triangle before the landmark, and if the landmark is behind the triangle's plane
by more than a margin: 1e-9 of its largest coordinate and its distance. That is millions of times
the rounding of float64, and a sixtieth of that of single precision. It follows that

- its own triangle, those around its edge or vertex, and others at the same place do not hide it,
  as it lies in their planes;
- nor does a surface seen exactly edge-on, which covers nothing;
- all else does, however near: the front of a thin wall, or another part of the same object. Both
  sides of a triangle hide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import bpy
import numpy as np
import numpy.typing as npt

from ...model.keypoints import Box, without_nan
from ...model.landmarks.landmark_set import LandmarkSet
from ...standalone_core import Camera, Ray, RayHits
from ...standalone_core.extension import BoolArray, FloatArray, IntArray, dot, length, moved
from ..scene.snapshot import Shown, ShownRow, Snapshot
from ..tolerance import ROUNDING
from ..view import cameras
from . import storage
from .locating import located_on, mesh_in, row_of, rows_of
from .topology import located_landmarks

Marked: TypeAlias = tuple[bpy.types.Object, LandmarkSet]
"""An original object, and one of its sets of landmarks."""


class View(NamedTuple):
    """A camera, what limits its view, and which pixels of its picture are rendered."""

    camera: Camera
    planes: FloatArray  # (P, 4) in world space, as of `cameras.planes_of`
    rendered: tuple[float, float, float, float]  # left, bottom, right, top


class Seen(NamedTuple):
    """Where N points are seen; NaN where that is not known."""

    x: FloatArray  # (N,) in pixels from the left; NaN behind the camera
    y: FloatArray  # (N,) in pixels from the bottom
    depth: FloatArray  # (N,) along the view, from the camera's own place
    inside: BoolArray  # (N,)
    visible: BoolArray  # (N,)
    hidden_by: npt.NDArray[np.str_]  # (N,) the object that is seen there instead; "" if none is
    hidden_by_instancer: npt.NDArray[np.str_]  # (N,) what makes it, if it is an instance


def view_of(depsgraph: bpy.types.Depsgraph, camera: bpy.types.Object | Camera | None) -> View:
    """The view of a camera object in a render, by default the scene's; or of a core camera."""
    if isinstance(camera, Camera):
        (x, y), middle = _corner(camera), _middle(camera)
        near = np.append(middle.direction, -dot(middle.direction, middle.origin))
        planes = np.empty((0, 4)) if camera.is_perspective else near[None]
        return View(camera, planes, (x, y, x + camera.width, y + camera.height))
    evaluated = cameras.checked_camera(camera, depsgraph)
    made = cameras.camera_of(evaluated, depsgraph)
    planes = cameras.planes_of(evaluated, made)
    return View(made, planes, cameras.picture(depsgraph.scene).rendered)


def seen_in(shown: Shown, view: View, points: FloatArray) -> Seen:
    """Where a view sees points (N, 3) in world space that lie on surfaces; NaN if unknown.

    A point is inside if it is in front of the camera, between the planes, and within the rendered
    pixels, to which their left and lower borders belong. It is visible if, besides, nothing of what
    is shown hides it: see the rule above. Nothing in front of the first plane hides.
    """
    camera, (left, bottom, right, top) = view.camera, view.rendered
    in_view = moved(points, camera.view[:3])
    depth = np.sign(dot(camera.view[2, :3], _middle(camera).direction)) * in_view[:, 2]
    x, y, _ = camera.project(points)
    with np.errstate(invalid="ignore"):
        if camera.is_perspective:
            ahead = moved(in_view, camera.projection[3:])[:, 0] > 0.0
            x, y = (np.where(ahead, each, np.nan) for each in (x, y))
        inside: BoolArray = (left <= x) & (x < right) & (bottom <= y) & (y < top)
        for plane in view.planes:
            inside &= moved(points, plane[None])[:, 0] >= 0.0
    rows, hider = np.flatnonzero(inside), np.full(len(points), -1)
    hider[rows] = _hiders(shown, view, points[rows])
    return Seen(x, y, depth, inside, inside & (hider < 0), *_names(shown, hider))


def _middle(camera: Camera) -> Ray:
    """The ray through the middle of the picture."""
    x, y = _corner(camera)
    return camera.ray(x + camera.width / 2.0, y + camera.height / 2.0)


def _corner(camera: Camera) -> tuple[float, float]:
    """The pixel where the picture begins; only cameras of Direct3D have others than (0, 0)."""
    x, y = camera.__raypick__()[1]["offset"]
    return float(x), float(y)


def _hiders(shown: Shown, view: View, points: FloatArray) -> IntArray:
    """The instances (N,) that are seen first where they hide points; -1 where none does."""
    eye, middle = view.camera.eye, _middle(view.camera)
    if eye is None:  # lines of sight are parallel, and begin in one plane
        away = dot(points - middle.origin, middle.direction)
        eye = points - away[:, None] * middle.direction
    origins, lengths = np.broadcast_to(eye, points.shape), length(points - eye)
    directions = (points - origins) / lengths[:, None]
    margins = ROUNDING * (np.abs(points).max(axis=1, initial=0.0) + lengths)
    least, _ = cameras.intervals(view.planes, origins, directions)
    most = np.maximum(lengths - margins, 0.0)
    first = shown.scene.cast_rays(origins, directions, most, min_distance=least)
    hides = _hides(first, points, margins)
    found = np.where(hides, first.instance, -1)
    rest = np.flatnonzero(first.hit & ~hides)  # another triangle may hide these
    if len(rest):
        every, splits = shown.scene.cast_rays_all(
            origins[rest], directions[rest], most[rest], min_distance=least[rest]
        )
        rows = np.repeat(rest, np.diff(splits))
        hiding = np.flatnonzero(_hides(every, points[rows], margins[rows]))
        firsts, places = np.unique(rows[hiding], return_index=True)
        found[firsts] = every.instance[hiding[places]]
    return found


def _hides(hits: RayHits, points: FloatArray, margins: FloatArray) -> BoolArray:
    """Whether points (N, 3) are behind the planes of triangles hit before them."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(dot(points - hits.point, hits.normal)) > margins)


def _names(shown: Shown, instances: IntArray) -> tuple[npt.NDArray[np.str_], ...]:
    """The objects (N,) of instances, and their instancers; "" for the instance -1."""
    ids = np.unique(instances[instances >= 0])
    rows = [shown.listed[each] for each in ids.tolist()]
    wanted = {row.uid for row in rows}
    every = bpy.data.objects if wanted else ()
    names = {obj.session_uid: obj.name for obj in every if obj.session_uid in wanted}
    texts = [[names[row.uid] for row in rows], [row.instancer or "" for row in rows]]
    places = np.where(instances < 0, len(ids), np.searchsorted(ids, instances))
    return tuple(np.array([*each, ""])[places] for each in texts)


def holders(depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Object]:
    """The objects with landmarks, by name: of the view layer, and what the depsgraph instances."""
    layer = {each.original for each in depsgraph.view_layer.objects}
    return [
        obj
        for obj in bpy.data.objects
        if storage.has_landmarks(obj)
        and (obj in layer or obj.evaluated_get(depsgraph).is_evaluated)
    ]


def marked(objects: Iterable[bpy.types.Object], set: str | None = None) -> list[Marked]:
    """The sets of objects, or those of one name or id; LandmarkFileError if they are unreadable."""
    return [
        (obj, group)
        for obj in objects
        for group in storage.read(obj).sets
        if set is None or set in (group.id, group.name)
    ]


def points_now(context: bpy.types.Context, wanted: Sequence[Marked]) -> FloatArray:
    """Where the landmarks of sets are now (N, 3), set after set; NaN if unknown."""
    found = located_landmarks(context, [(obj, group.landmarks) for obj, group in wanted])
    return np.concatenate([np.empty((0, 3)), *(each.points for each in found)])


def points_in(
    depsgraph: bpy.types.Depsgraph, shown: Snapshot, wanted: Sequence[Marked]
) -> FloatArray:
    """Where the landmarks of sets are in a depsgraph (N, 3), set after set; NaN if unknown."""
    rows = rows_of(shown, [obj for obj, _ in wanted])
    found = []
    for obj, group in wanted:
        anchors = [each.anchor for each in group.landmarks]
        found.append(located_on(rows[obj], anchors, partial(mesh_in, depsgraph, obj, False)).points)
    return np.concatenate([np.empty((0, 3)), *found])


def names_in(wanted: Sequence[Marked]) -> dict[str, list[str]]:
    """The names of the landmarks of sets, with those of objects and sets, as columns."""
    rows = [(obj.name, group.name, name) for obj, group in wanted for name in group.names]
    return {name: [row[i] for row in rows] for i, name in enumerate(("object", "set", "name"))}


def keypoints_in(
    depsgraph: bpy.types.Depsgraph,
    shown: Snapshot,
    camera: Camera,
    planes: FloatArray,
    rendered: tuple[float, float, float, float],
) -> dict[str, list[Any]]:
    """All landmarks of a depsgraph in a picture, as columns of JSON types.

    Parameters
    ----------
    depsgraph : bpy.types.Depsgraph
        May be that of a render.
    shown : Snapshot
        What can be hit in it. The landmarks of an object that it does not show have no place.
    camera, planes, rendered
        As in a :class:`View`.

    Returns
    -------
    dict of str to list
        `object`, `set`, `name`, `x`, `y`, `depth`, `inside`, `visible`, `hidden_by` and
        `hidden_by_instancer`, as of :class:`Seen`; None where a number is not known.

    Raises
    ------
    LandmarkFileError
        If the landmarks of an object cannot be read.
    """
    wanted = marked(holders(depsgraph))
    points = points_in(depsgraph, shown, wanted)
    seen = seen_in(shown, View(camera, planes, rendered), points)
    columns = {name: column.tolist() for name, column in seen._asdict().items()}
    return {**names_in(wanted), **without_nan(columns)}


def boxes_in(
    shown: Snapshot, views: Sequence[View], wanted: Sequence[Marked]
) -> list[list[Box | None]]:
    """For each view, the boxes around objects; see :func:`_box`.

    An object is there as often as its landmarks of the set are on instances of it.
    """
    rows = rows_of(shown, [obj for obj, _ in wanted])
    edges = []
    for obj, group in wanted:
        anchors = [each.anchor for each in group.landmarks if each.anchor]
        found = [row_of(rows[obj], each.instancer, each.instance) for each in anchors]
        parts = {row.number: row for row in found if row}
        edges.append([_edges(row) for row in parts.values()])
    return [[_box(view, each) for each in edges] for view in views]


_Edges: TypeAlias = tuple[FloatArray, FloatArray]  # where they begin (E, 3), and where they end


def _edges(row: ShownRow) -> _Edges:
    """The edges of all faces, in world space."""
    polygons = row.mesh.polygons
    begins, sizes = polygons.face_corners(np.arange(polygons.face_count))
    count = int(sizes.sum())
    points = moved(polygons.positions(polygons.corner_vertices(np.arange(count))), row.matrix[:3])
    following = np.arange(1, count + 1)
    following[begins + sizes - 1] = begins
    return points, points[following]


def _box(view: View, edges: Sequence[_Edges]) -> Box | None:
    """The pixels around all that a view's planes leave of surfaces, given by their edges.

    Left, bottom, right and top, within the rendered pixels; None if there are none. What hides the
    surfaces does not count.
    """
    ends = [np.empty((0, 3))]
    for begin, end in edges:
        least, most = cameras.intervals(view.planes, begin, end - begin)
        most = np.minimum(most, 1.0)
        there = least <= most
        ways = (end - begin)[there]
        ends += [begin[there] + share[there, None] * ways for share in (least, most)]
    x, y, _ = view.camera.project(np.concatenate(ends))
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        return None
    seen = np.stack([x[known], y[known]], axis=-1)
    low, high = np.array(view.rendered, np.float64).reshape(2, 2)
    low, high = np.maximum(low, seen.min(axis=0)), np.minimum(high, seen.max(axis=0))
    return (*low.tolist(), *high.tolist()) if (low < high).all() else None
