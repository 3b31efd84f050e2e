# SPDX-License-Identifier: GPL-3.0-or-later
"""A survey of a view: rays through all pixels, cast in steps, and the image of their hits."""

from __future__ import annotations

import time
from functools import partial

import bpy

from ..bridge import survey_image
from ..bridge.batch import rays
from ..bridge.batch.columns import IMAGES, checked
from ..bridge.batch.rays import CHUNK, BatchQuery, HowToCast
from ..bridge.batch.run import CastRun
from ..bridge.query import SceneChangedError
from ..bridge.query_options import QueryOptions
from ..model import survey_colors
from ..standalone_core import RaypickError
from . import current

_STEP_SECONDS = 0.1
_FIRST_STEP = 1 << 12
_MOST_GROWTH = 4
"""Steps grow until they take `_STEP_SECONDS`, each at most to this many times the one before."""


class Survey:
    """Rays through all pixels of a region of the context, or of a render through its camera.

    RaypickError without a region or camera. However a survey ends, the rays already cast are kept.
    `kind` says what the image shows, such as ``"FACE"``.
    """

    def __init__(
        self, context: bpy.types.Context, kind: str, through_camera: bool, options: QueryOptions
    ) -> None:
        self._column, image = IMAGES[kind]
        self.label, self._colors = image.label, image.colors
        self._about: dict[str, object] = {
            "kind": kind,
            "source": "CAMERA" if through_camera else "VIEW",
            "scene": context.scene.name,
            "frame": context.scene.frame_current_final,
        }
        query = _query(context, through_camera, options)
        columns = checked([self._column], (), depth=True)
        self._new_run = partial(CastRun, query, columns)
        self._run = self._new_run()
        self._rays = _FIRST_STEP

    @property
    def share(self) -> float:
        """The share of rays already cast, from 0 to 1."""
        return self._run.done / self._run.total

    def step(self) -> bool:
        """Cast some of the rays; return whether more are left.

        SceneChangedError if the scene has changed since the first step.
        """
        start = time.perf_counter()
        before = self._run.done
        try:
            more = self._run.step(most=self._rays)
        except SceneChangedError:
            if before:
                raise
            self._run = self._new_run()  # the scene has changed since it was read
            more = self._run.step(most=self._rays)
        growth = _STEP_SECONDS / max(time.perf_counter() - start, 1e-6)
        if before:  # the first step reads the meshes too
            wanted = int(self._rays * min(growth, _MOST_GROWTH))
            self._rays = min(max(wanted, _FIRST_STEP), CHUNK)
        return more

    def image(self) -> bpy.types.Image:
        """Make the image of the rays cast so far."""
        hits = self._run.hits()
        about = self._about | {"done": hits.done, "pixels": hits.rays}
        column = hits[self._column]
        if self._colors is survey_colors.gray:
            about["black"], about["white"] = survey_colors.limits(column)
        picture = survey_colors.picture(hits.hit, column, self._colors)
        return survey_image.keep(self.label, picture, about)


running: Survey | None = None
"""The survey that is under way, if any."""


def _query(context: bpy.types.Context, through_camera: bool, options: QueryOptions) -> BatchQuery:
    """The query of a ray through each pixel, and which hits count."""
    rule = current.excluding(options).rule()
    limits = HowToCast(options.cull), 1, options.clip, options.max_distance, options.min_distance
    if through_camera:
        if context.scene.camera is None:
            raise RaypickError("The scene has no camera")
        return rays.camera_survey(context, None, rule, *limits)
    region, view = context.region, context.region_data
    if region is None or view is None:
        raise RaypickError("There is no 3D viewport to look through")
    return rays.region_survey(context, region, view, rule, *limits)
