# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries about points: the places of the scene nearest to them, and whether they are inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...model.hit import PickHit
from ...model.scene_hits import SceneHits
from ...standalone_core import ClosestPoints, RayHits
from ...standalone_core.extension import (
    FloatArray,
    OpenMeshError,
    Reals,
    Rule,
    cross,
    dot,
    finite,
    floats,
    is_one_of,
    moved,
    normalized,
    points_together,
)
from ..query import Target, asked_again_if_outdated
from ..report import world_normals
from ..scene.snapshot import Shown, by_instance
from ..validation import index
from .rays import Part, given_rays
from .run import CastRun, Progress, finished


def closest_hits(
    target: Target,
    columns: tuple[str, ...],
    progress: Progress | None,
    points: Reals,
    max_distance: Reals,
    threads: int | None,
    lacking: bool = False,
) -> SceneHits:
    """The places nearest to points (..., 3), not beyond a distance, as hits."""
    (where,) = points_together(points=points)
    query = given_rays(target, where, (0.0, 0.0, 0.0), max_distance, threads=threads)
    return finished(lambda: ClosestRun(query, columns, lacking=lacking), progress).hits()


class ClosestRun(CastRun):
    """The places nearest to points, which are the origins of rays whose directions do not count."""

    def _found(self, shown: Shown, part: Part) -> RayHits:
        return _closest(shown, part.origins, part.most, self._query.how.threads)


@asked_again_if_outdated
def closest_hit(target: Target, point: Any, most: float) -> PickHit | None:
    """The place nearest to a point, not beyond a distance, as a hit; None if there is none."""
    where = finite(floats(point, "point", (3,)), "point")
    with target.lent() as shown:
        hits = [hit for hit in _closest(shown, where[None], most) if hit is not None]
        return next(iter(target.report(hits, shown)), None)


@asked_again_if_outdated
def nearest_vertex(target: Target, point: Any, most: float) -> PickHit | None:
    """The vertex nearest to a point, not beyond a distance, as a hit that snapped to it, or None.

    It is on the first of the triangles around the vertex that has an area.
    """
    where = finite(floats(point, "point", (3,)), "point")
    with target.lent() as shown:
        instance, vertex, away = shown.scene.nearest_vertex([*where.tolist()], most)
        if vertex < 0:
            return None
        row = shown.listed[instance]
        polygons, triangles = row.mesh.polygons, row.mesh.triangles_at(vertex)
        count = len(triangles)
        hits = _as_hits(
            shown,
            np.repeat(where[None], count, axis=0),
            ClosestPoints(
                distance=np.full(count, away),
                point=np.repeat(moved(polygons.positions([vertex]), row.matrix[:3]), count, axis=0),
                triangle=triangles,
                face=polygons.faces_of(triangles),
                barycentric=(polygons.triangle_vertices(triangles) == vertex) * 1.0,
                instance=np.full(count, instance),
            ),
        )
        has_area = np.isfinite(hits.normal).all(axis=1)
        hit = hits[int(has_area.argmax())]
        return None if hit is None else target.report([hit], shown, ["vertex"])[0]


@asked_again_if_outdated
def ask_inside(
    target: Target, ask: Callable[..., Any], points: Reals, rule: Rule, threads: int | None
) -> Any:
    """The answer of a scene whose meshes must be closed; OpenMeshError names one that is not.

    By winding they may be open.
    """
    many = index(threads, "threads")
    with target.lent() as shown:
        if is_one_of(rule, "crossings"):
            _check_closed(target, shown)
        return ask(shown.scene, points, many, rule=rule)


@asked_again_if_outdated
def winding_numbers(
    target: Target, points: Reals, max_error: float, threads: int | None
) -> float | FloatArray:
    """The winding numbers of points (..., 3) around all that is shown."""
    many = index(threads, "threads")
    given: Any = points
    with target.lent() as shown:
        numbers: float | FloatArray = shown.scene.winding_number(given, max_error, many)
        return numbers


def _check_closed(target: Target, shown: Shown) -> None:
    meshes = {row.mesh: identifier for identifier, row in shown.listed.items()}
    for mesh, identifier in meshes.items():
        try:
            mesh._check_closed()
        except OpenMeshError as error:
            tables = target.tables(shown)
            name, _ = tables.objects[tables.instances.object[identifier]]
            raise OpenMeshError(f"the object {name!r}: {error}") from None


def _closest(
    shown: Shown, points: FloatArray, most: FloatArray | float, threads: int | None = None
) -> RayHits:
    """The places nearest to points (N, 3), as hits from the side on which the points are.

    A triangle without area has no normal: it is NaN, and the side is the back.
    """
    return _as_hits(shown, points, shown.scene.closest_point(points, most, threads=threads))


def _as_hits(shown: Shown, points: FloatArray, near: ClosestPoints) -> RayHits:
    normal = _normals(shown, near)
    with np.errstate(over="ignore", invalid="ignore"):
        front = dot(points - near.point, normal) >= 0.0
    columns = {name: getattr(near, name) for name in _SHARED}
    return RayHits(normal=normal, front=front, **columns)


_SHARED = ("distance", "point", "triangle", "face", "barycentric", "instance")


def _normals(shown: Shown, near: ClosestPoints) -> FloatArray:
    """Unit normals (N, 3) of triangles in world space; NaN for none, and for one without area."""
    count = len(near.triangle)
    corners, matrices = np.full((count, 3, 3), np.nan), np.full((count, 4, 4), np.nan)
    for row, own in by_instance(shown, near.instance):
        polygons = row.mesh.polygons
        corners[own] = polygons.positions(polygons.triangle_vertices(near.triangle[own]))
        matrices[own] = row.matrix
    a, b, c = corners.swapaxes(0, 1)
    local = normalized(cross(b - a, c - a))
    return world_normals(local, matrices)
