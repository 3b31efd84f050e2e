# SPDX-License-Identifier: GPL-3.0-or-later
"""A frozen scene, for tools that ask thousands of times, and for threads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, NoReturn, overload

import bpy
import numpy as np
import numpy.typing as npt

from ..bridge import frozen as bridge
from ..bridge import query
from ..bridge.batch import points as asked
from ..bridge.batch.columns import CORE_COLUMNS, DEFAULT_COLUMNS, checked
from ..bridge.batch.run import Progress, counts_of_rays, hits_of_rays
from ..bridge.placing import Snap
from ..bridge.query import live, ray_query, viewport_query
from ..bridge.query_options import QueryOptions
from ..bridge.validation import Choices
from ..model.hit import PickHit
from ..model.scene_hits import SceneHits
from ..standalone_core import RaypickError, Scene
from ..standalone_core.extension import (
    ArgumentError,
    BoolArray,
    Border,
    Cull,
    FloatArray,
    ManyPoints,
    OnePoint,
    Reals,
    Rule,
    distance,
)
from .main_thread import check_thread


def frozen(
    context: bpy.types.Context,
    *,
    space: bpy.types.SpaceView3D | None = None,
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> FrozenScene:
    """Freeze all visible objects and instances as they are, to ask about them thousands of times.

        with api.frozen(context, exclude=brush) as scene:
            hits = scene.ray_cast((0, 0, 5), (0, 0, -1))

    A modal tool keeps it from ``invoke`` on, and closes it wherever it ends.

    Parameters
    ----------
    context, space, selectable_only, solid_only, evaluated, exclude, only
        As for :func:`ray_cast`. To pick where the mouse is, pass the `space` of what
        :func:`under_mouse` finds: what a local view hides is not frozen.

    Returns
    -------
    FrozenScene
        To be used in a ``with`` statement, or closed by ``close()``. All meshes are read now, which
        takes the longer the more there are; those that were picked before are shared.

    Raises
    ------
    RaypickError
        If an argument cannot be used; the message says which and why.
    """
    rule = selectable_only, solid_only, evaluated, exclude, only
    return FrozenScene(bridge.frozen(live(context, space, *rule)))


class FrozenScene:
    """Objects and instances as they were when :func:`frozen` was called.

    It never sees what happens later: objects that move, change, come, go or get other names, edits
    of meshes, other frames, undo. Freeze the scene again to see them. A modal tool that moves
    objects excludes them: they are not in their own way then.

    Nothing is listed or checked before an answer, so a ray takes as long in a scene of 20,000
    objects as in one of a few. The methods work in any thread, also while Blender edits or renders;
    only :meth:`pick` reads the viewport, in the main thread.

    Hits are those of the functions of the same names, but for what a mesh keeps only in Blender:
    `smooth_normal`, `flat_normal`, `uv`, `material`, `original_face` are None, and `uv_maps`,
    `colors`, `weights`, `attributes` are empty. :func:`place` fills them in:
    ``api.place(context, hit)``.
    """

    def __init__(self, scene: bridge.Frozen) -> None:
        self._frozen = scene

    def __enter__(self) -> FrozenScene:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """How many objects and instances can be hit."""
        kept = self._frozen.kept
        return 0 if kept is None else len(kept.listed)

    def __reduce__(self) -> NoReturn:
        raise RaypickError("a frozen scene cannot be pickled: pickle the scene of api.core_scene")

    def __repr__(self) -> str:
        is_closed = self._frozen.kept is None
        state = "closed" if is_closed else f"{len(self)} objects and instances"
        return f"<FrozenScene {state}>"

    def close(self) -> None:
        """Free the memory; whatever is asked later is a RaypickError."""
        self._frozen.kept = None

    def ray_cast(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        max_distance: float = inf,
        cull: Cull = None,
        all_hits: bool = False,
        *,
        min_distance: float | None = None,
        border: Border = "open",
    ) -> list[PickHit]:
        """Cast a ray, as :func:`ray_cast` does."""
        options = QueryOptions(
            max_distance, cull, all_hits, min_distance=min_distance, border=border
        )
        return query.hits_of(self._frozen, ray_query(origin, direction, options))

    def pick(
        self,
        region: bpy.types.Region,
        region_data: bpy.types.RegionView3D,
        position: Sequence[float],
        max_distance: float = inf,
        cull: Cull = None,
        all_hits: bool = False,
        *,
        clip: bool = True,
        min_distance: float | None = None,
        border: Border = "open",
        snap: Snap = None,
        snap_radius: float = 15.0,
        tolerance: float = 0.0,
    ) -> list[PickHit]:
        """Pick at a position of a 3D viewport as it is now, as :func:`pick` does.

            there = api.under_mouse(context, event)
            hits = scene.pick(*there) if there else []

        The viewport's view may have changed, but not what it hides: RaypickError if its local view
        or object type visibility is another than that of the viewport that was frozen.
        """
        check_thread("pick")
        options = QueryOptions(
            max_distance=max_distance,
            cull=cull,
            all_hits=all_hits,
            clip=clip,
            min_distance=min_distance,
            border=border,
            snap=snap,
            snap_radius=snap_radius,
            tolerance=tolerance,
        )
        wanted = viewport_query(bpy.context, region, region_data, position, options)
        self._frozen.check_viewport(wanted.space)
        return query.hits_of(self._frozen, wanted)

    def closest_point(self, point: Sequence[float], max_distance: float = inf) -> PickHit | None:
        """Find the place nearest to a point, as :func:`closest_point` does."""
        return asked.closest_hit(self._frozen, point, distance(max_distance))

    def nearest_vertex(self, point: Sequence[float], max_distance: float = inf) -> PickHit | None:
        """Find the vertex nearest to a point, as :func:`nearest_vertex` does."""
        return asked.nearest_vertex(self._frozen, point, distance(max_distance))

    def cast_rays(
        self,
        origins: Reals,
        directions: Reals,
        max_distance: Reals = inf,
        cull: Cull = None,
        *,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        min_distance: Reals | None = None,
        border: Border = "open",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> SceneHits:
        """Cast many rays, as :func:`cast_rays` does.

        The columns are those of ``DEFAULT_COLUMNS``, and `vertices` (..., 3).
        """
        return self._hits(columns, **_given(locals()), every=False)

    def cast_rays_all(
        self,
        origins: Reals,
        directions: Reals,
        max_distance: Reals = inf,
        cull: Cull = None,
        *,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        min_distance: Reals | None = None,
        border: Border = "open",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> SceneHits:
        """Find all hits of many rays, as :func:`cast_rays_all` does."""
        return self._hits(columns, **_given(locals()), every=True)

    def any_hit(
        self,
        origins: Reals,
        directions: Reals,
        max_distance: Reals = inf,
        cull: Cull = None,
        *,
        min_distance: Reals | None = None,
        border: Border = "open",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.bool_]:
        """Whether each of many rays hits anything, (...)."""
        return counts_of_rays(self._frozen, **_given(locals()), any_hit=True)

    def count_hits(
        self,
        origins: Reals,
        directions: Reals,
        max_distance: Reals = inf,
        cull: Cull = None,
        *,
        min_distance: Reals | None = None,
        border: Border = "open",
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.int64]:
        """How many hits each of many rays has, (...)."""
        return counts_of_rays(self._frozen, **_given(locals()), any_hit=False)

    def closest_points(
        self,
        points: Reals,
        max_distance: Reals = inf,
        *,
        columns: Iterable[str] = DEFAULT_COLUMNS,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> SceneHits:
        """Find the places nearest to many points, as :func:`closest_points` does."""
        return asked.closest_hits(
            self._frozen, _columns(columns), progress, points, max_distance, threads
        )

    @overload
    def contains(
        self, points: OnePoint, *, rule: Rule = ..., threads: int | None = ...
    ) -> bool: ...

    @overload
    def contains(
        self, points: ManyPoints, *, rule: Rule = ..., threads: int | None = ...
    ) -> BoolArray: ...

    def contains(
        self, points: Reals, *, rule: Rule = "crossings", threads: int | None = None
    ) -> bool | BoolArray:
        """Tell whether points are inside of any object or instance, as :func:`contains` does."""
        inside: bool | BoolArray = asked.ask_inside(
            self._frozen, Scene.contains, points, rule, threads
        )
        return inside

    @overload
    def winding_number(
        self, points: OnePoint, max_error: float = ..., *, threads: int | None = ...
    ) -> float: ...

    @overload
    def winding_number(
        self, points: ManyPoints, max_error: float = ..., *, threads: int | None = ...
    ) -> FloatArray: ...

    def winding_number(
        self, points: Reals, max_error: float = 0.01, *, threads: int | None = None
    ) -> float | FloatArray:
        """Measure how often surfaces go around points, as :func:`winding_number` does."""
        return asked.winding_numbers(self._frozen, points, max_error, threads)

    @overload
    def signed_distance(
        self, points: OnePoint, *, rule: Rule = ..., threads: int | None = ...
    ) -> float: ...

    @overload
    def signed_distance(
        self, points: ManyPoints, *, rule: Rule = ..., threads: int | None = ...
    ) -> FloatArray: ...

    def signed_distance(
        self, points: Reals, *, rule: Rule = "crossings", threads: int | None = None
    ) -> float | FloatArray:
        """Measure how far points are from the surface, as :func:`signed_distance` does."""
        away: float | FloatArray = asked.ask_inside(
            self._frozen, Scene.signed_distance, points, rule, threads
        )
        return away

    def _hits(self, columns: Iterable[str], **given: Any) -> SceneHits:
        return hits_of_rays(self._frozen, _columns(columns), **given)


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in ("self", "columns")}


def _columns(columns: Iterable[str]) -> tuple[str, ...]:
    names = checked(columns, (), depth=False)
    for name in names:
        if name not in (*CORE_COLUMNS, "instance"):
            raise ArgumentError(
                f"a frozen scene has no column {name!r}: it has {', '.join(CORE_COLUMNS)}; "
                "api.cast_rays has it"
            )
    return names
