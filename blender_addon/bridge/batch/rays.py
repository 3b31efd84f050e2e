# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of many rays: arrays given by a caller, or rays through the pixels of a camera."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import prod
from typing import Any, NamedTuple

import bpy
import numpy as np

from ...standalone_core import Camera, Mesh, Scene
from ...standalone_core.extension import (
    ArgumentError,
    Border,
    Cull,
    FloatArray,
    Reals,
    cull_sign,
    described,
    distance,
    floats,
    instance_of,
    moved,
    of_this_copy,
    points_together,
)
from ..mesh.cache import are_flat
from ..mesh.scene_mesh import SceneMesh
from ..query import Live, Target, asked_again_if_outdated, least_distance
from ..scene.changes import evaluated_depsgraph
from ..scene.snapshot import Rule
from ..scene.tables import tables_of
from ..validation import Viewport, checked_border, flag, index, original_object
from ..view import cameras

CHUNK = 1 << 17
"""Rays that are cast together: it limits the memory that a cast needs besides its result."""

_MOST_SAMPLES = 64


class Part(NamedTuple):
    """Consecutive rays, and the distances between which their hits count."""

    origins: FloatArray  # (R, 3), in world space like the directions
    directions: FloatArray  # (R, 3)
    most: FloatArray | float  # (R,)
    least: FloatArray | float = 0.0  # (R,)


class RaySource(ABC):
    """Rays in an array of some shape (...), made or read as they are needed."""

    shape: tuple[int, ...]

    def __len__(self) -> int:
        return prod(self.shape)

    @abstractmethod
    def part(self, start: int, stop: int) -> Part:
        """Some of the rays, in the order of :meth:`numpy.ndarray.ravel`."""

    def end_of_chunk(self, start: int, most: int | None = None) -> int:
        """The end of the chunk that begins at `start`, of at most `most` rays."""
        return min(start + (most or CHUNK), len(self))

    def depths(self, points: FloatArray) -> FloatArray:
        """How far away points (N, 3) in world space are, along the viewing direction, (N,)."""
        raise NotImplementedError(f"{type(self).__name__} has no viewing direction")


class GivenRays(RaySource):
    """The rays of a caller: origins and directions (..., 3), broadcast against each other."""

    def __init__(
        self,
        origins: Reals,
        directions: Reals,
        max_distance: Reals,
        min_distance: Reals | None = None,
    ) -> None:
        given = points_together(origins=origins, directions=directions)
        self._origins, self._directions = given
        self.shape = given[0].shape[:-1]
        self._most = _distances(max_distance, "max_distance", self.shape)
        least = 0.0 if min_distance is None else min_distance
        self._least = _distances(least, "min_distance", self.shape)

    def part(self, start: int, stop: int) -> Part:
        origins, directions = (
            _rows(each, self.shape, start, stop) for each in (self._origins, self._directions)
        )
        ends = (
            each
            if isinstance(each, float)
            else _rows(each[..., None], self.shape, start, stop)[:, 0]
            for each in (self._most, self._least)
        )
        return Part(origins, directions, *ends)


class PixelRays(RaySource):
    """Rays through the pixels of a camera, (H, W), or (H, W, S) through S places in each.

    Row 0 is at the bottom. With n samples, the places are the centers of n x n squares, row by row
    from the bottom left. Only hits between the planes (P, 4) count. Pixels outside `rendered`
    (left, bottom, right, top) hit nothing.
    """

    def __init__(
        self,
        camera: Camera,
        samples: int,
        planes: FloatArray | None = None,
        max_distance: float = np.inf,
        min_distance: float | None = None,
        rendered: tuple[int, int, int, int] | None = None,
    ) -> None:
        count = index(samples, "samples") or 0
        if not 1 <= count <= _MOST_SAMPLES:
            text = f"samples must be from 1 to {_MOST_SAMPLES}, not {described(samples)}"
            raise ArgumentError(text)
        self._camera, self._planes = camera, planes
        self._most, self._least = distance(max_distance), least_distance(min_distance)
        height, width = int(np.ceil(camera.height)), int(np.ceil(camera.width))
        centers = (np.arange(count) + 0.5) / count
        self._offsets = np.stack(np.meshgrid(centers, centers), axis=-1).reshape(-1, 2)
        self._width = width
        self._rendered = rendered or (0, 0, width, height)
        self.shape = (height, width) if count == 1 else (height, width, count**2)

    def end_of_chunk(self, start: int, most: int | None = None) -> int:
        """Chunks are whole rows of pixels, or part of one, so :meth:`part` makes them as a grid."""
        samples = len(self._offsets)
        row = self._width * samples
        most = most or CHUNK
        if row > most or start % row:
            return min(start + max(most // samples, 1) * samples, (start // row + 1) * row)
        return min(start + most // row * row, len(self))

    def part(self, start: int, stop: int) -> Part:
        (first, last), samples = np.array([start, stop - 1]) // len(self._offsets), self._offsets
        (row, top), (left, right) = np.divmod([first, last], self._width)
        x = np.arange(left, right + 1)[:, None] + samples[:, 0]
        y = np.arange(row, top + 1)[:, None, None] + samples[:, 1]
        origins, directions = (each.reshape(-1, 3) for each in self._camera.rays(x, y))
        first_x, first_y, last_x, last_y = self._rendered
        inside = (first_x < x) & (x < last_x) & (first_y < y) & (y < last_y)
        directions[~inside.ravel()] = np.nan  # a ray without a direction hits nothing
        if self._planes is None:
            return Part(origins, directions, self._most, self._least)
        least, most = cameras.intervals(self._planes, origins, directions)
        ends = np.minimum(most, self._most), np.maximum(least, self._least)
        return Part(origins, directions, *ends)

    def depths(self, points: FloatArray) -> FloatArray:
        return -moved(points, self._camera.view[2:3])[:, 0]


@dataclass(frozen=True, slots=True)
class HowToCast:
    """Which hits of a ray count within its limits of distance, and how many threads cast."""

    cull: Cull = None
    threads: int | None = None
    border: Border = "open"
    # For nearest hits only:
    in_front_first: bool = False  # objects drawn in front of all others come first
    behind_too: bool = False  # hits behind the origin count too, at distances below 0


@dataclass(frozen=True, slots=True)
class BatchQuery:
    """Rays, which of their hits count, and what they are cast at."""

    rays: RaySource
    how: HowToCast
    target: Target


def given_rays(
    target: Target,
    origins: Reals,
    directions: Reals,
    max_distance: Reals,
    min_distance: Reals | None = None,
    cull: Cull = None,
    threads: int | None = None,
    border: Border = "open",
) -> BatchQuery:
    """The rays of a caller; ArgumentError for what cannot be cast."""
    rays = GivenRays(origins, directions, max_distance, min_distance)
    return BatchQuery(rays, how_to_cast(cull, threads, border), target)


def how_to_cast(cull: Cull, threads: int | None, border: Border) -> HowToCast:
    """A caller's options; ArgumentError for one that cannot be used."""
    cull_sign(cull)
    return HowToCast(cull, index(threads, "threads"), checked_border(border))


def region_survey(
    context: bpy.types.Context,
    region: bpy.types.Region,
    region_data: bpy.types.RegionView3D,
    rule: Rule,
    how: HowToCast,
    samples: int,
    clipped: bool,
    max_distance: float,
    min_distance: float | None,
) -> BatchQuery:
    """Rays through all pixels of a region, which hit what :func:`.api.pick` hits there."""
    camera = cameras.camera(region, region_data)
    space = cameras.space_of(context, region_data)
    planes = cameras.view_planes(region_data, space) if flag(clipped, "clip") else None
    if clipped:
        in_front_first, cull = cameras.order_and_cull(space, how.cull)
        how = replace(how, in_front_first=in_front_first, cull=cull)
    elif not camera.is_perspective and min_distance is None:
        how = replace(how, behind_too=True)
    rays = PixelRays(camera, samples, planes, max_distance, min_distance)
    return BatchQuery(rays, how, Live(context, rule, space))


def camera_survey(
    context: bpy.types.Context,
    camera: bpy.types.Object | str | Camera | None,
    rule: Rule,
    how: HowToCast,
    *limits: Any,
) -> BatchQuery:
    """Rays through all pixels of a camera, which hit what viewports show."""
    instance_of(context, bpy.types.Context, "context")
    made = camera_rays(evaluated_depsgraph(context), camera, *limits)
    return BatchQuery(made, how, Live(context, rule))


def camera_rays(
    depsgraph: bpy.types.Depsgraph,
    camera: bpy.types.Object | str | Camera | None,
    samples: int,
    clipped: bool,
    max_distance: float,
    min_distance: float | None,
) -> PixelRays:
    """Rays through all pixels of a render, within its border, or of a camera of the core."""
    planes, rendered, clipped = None, None, flag(clipped, "clip")
    camera = of_this_copy(camera, Camera)
    if not isinstance(camera, Camera):
        found = None if camera is None else original_object(camera, argument="camera")
        evaluated = cameras.checked_camera(found, depsgraph)
        camera = cameras.camera_of(evaluated, depsgraph)
        rendered = cameras.picture(depsgraph.scene).rendered
        if clipped:
            planes = cameras.planes_of(evaluated, camera)
    return PixelRays(camera, samples, planes, max_distance, min_distance, rendered)


@asked_again_if_outdated
def plain_scene(context: bpy.types.Context, space: Viewport, rule: Rule) -> Scene:
    """A scene of the core with copies of all meshes shown, in the order of the instance table."""
    with Live(context, rule, space).lent() as shown:
        tables = tables_of(shown)
        matrices = tables.instances.matrix_world.copy()
        flat = are_flat(matrices)
        plain: dict[SceneMesh, Mesh] = {}
        meshes = []
        for row, is_flat in zip(shown.listed.values(), flat.tolist(), strict=True):
            if is_flat:
                meshes.append(row.mesh.plain(row.matrix))
                continue
            if row.mesh not in plain:
                plain[row.mesh] = row.mesh.plain()
            meshes.append(plain[row.mesh])
        matrices[flat] = np.eye(4)
        names = []
        for instance, number in enumerate(tables.instances.object.tolist()):
            name, maker = tables.objects[number][0], tables.instances.text(instance)
            names.append(f"{name} ({maker})" if maker else name)
        scene = Scene()
        scene.add_many(meshes, matrices, names)
        return scene


def _rows(values: FloatArray, shape: tuple[int, ...], start: int, stop: int) -> FloatArray:
    """Rows `start` to `stop` (R, C) of values (..., C); broadcast values are not copied whole."""
    if values.flags.c_contiguous:
        return values.reshape(-1, values.shape[-1])[start:stop]
    rows = np.unravel_index(np.arange(start, stop), shape) if shape else ()
    return values[rows].reshape(-1, values.shape[-1])


def _distances(value: Reals, name: str, shape: tuple[int, ...]) -> FloatArray | float:
    """One distance for all rays, or an array of one for each."""
    array = floats(value, name)
    if array.ndim == 0:
        return distance(value, name)
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ArgumentError(
            f"{name} must be a number or fit the shape {shape}, not {described(value)}"
        ) from None
