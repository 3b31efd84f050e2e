# SPDX-License-Identifier: GPL-3.0-or-later
"""The cameras of a render: one for each view layer and view of a frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import bpy
import numpy as np

from ...standalone_core import Camera
from ...standalone_core.extension import FloatArray
from ..batch.rays import PixelRays
from ..view import cameras
from ..view.cameras import Picture


class View(NamedTuple):
    """What one camera of a render sees."""

    name: str  # as in the file; empty where there is one view
    file_suffix: str  # of its file, if each view has one
    object: bpy.types.Object  # the camera, evaluated
    camera: Camera  # of the picture as written
    planes: FloatArray  # (2, 4), its near and its far clip plane in world space
    picture: Picture

    @property
    def rays(self) -> PixelRays:
        return PixelRays(self.camera, 1, self.planes, rendered=self.picture.rendered)


def names(render: bpy.types.RenderSettings) -> list[str]:
    """The names of the views that are rendered; one that is empty where there are none."""
    if not render.use_multiview:
        return [""]
    stereo = render.views_format == "STEREO_3D"
    listed: Any = render.stereo_views if stereo else render.views
    return [view.name for view in listed if view.use] or [""]


def view(engine: bpy.types.RenderEngine, depsgraph: bpy.types.Depsgraph, name: str) -> View:
    """A view of a render engine that renders now; ArgumentError where there is no camera for it."""
    engine.active_view_set(name)
    camera: Any = cameras.checked_camera(engine.camera_override, depsgraph)
    to_world = np.array(engine.camera_model_matrix(camera), np.float64) if name else None
    shift = engine.camera_shift_x(camera) - camera.data.shift_x
    seen = cameras.camera_of(camera, depsgraph, to_world, shift)
    planes = cameras.planes_of(camera, seen)
    views: Any = depsgraph.scene.render.views
    suffix = views[name].file_suffix if name else ""
    return View(name, suffix, camera, seen, planes, cameras.picture(depsgraph.scene))
