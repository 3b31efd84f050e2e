# SPDX-License-Identifier: GPL-3.0-or-later
"""The render engine: what is at each pixel of the pictures that Blender renders.

Blender calls the engine for each view layer of each frame. After an exception that leaves the
engine, Blender writes an empty file, or crashes as there is no result to write. So whatever fails
is reported as an error: then Blender writes no file, and ends with exit code 1.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.app.translations import pgettext_rpt

from .. import idnames
from ..bridge.batch.columns import IMAGES
from ..bridge.batch.rays import BatchQuery, HowToCast
from ..bridge.landmarks.projecting import keypoints_in
from ..bridge.landmarks.storage import LandmarkFileError
from ..bridge.mesh.scene_mesh import KeptPolygons
from ..bridge.render import into_memory, passes, views
from ..bridge.render.passes import Pass
from ..bridge.render.shown import Rendered, RenderRun
from ..bridge.render.views import View
from ..model.scene_hits import SceneHits
from ..model.survey_numbers import Numbered, numbered
from ..settings import present
from ..standalone_core import __version__
from ..standalone_core.extension import console
from . import files, interrupts, settings


class RaypickEngine(bpy.types.RenderEngine):
    """Renders the object, the face, the place and more of what is seen at each pixel."""

    bl_idname = idnames.ENGINE
    bl_label = "Raypick"
    bl_use_eevee_viewport = True
    bl_use_postprocess = True
    bl_use_custom_freestyle = True  # so that Blender adds no lines, for which it needs a GPU

    _kept: KeptPolygons | None = None  # Blender keeps the engine under Persistent Data
    _begun = _done = 0  # how many view layers of this frame
    _failed = ""  # what failed in this frame
    _is_told = False  # whether Blender knows

    def update_render_passes(
        self, scene: bpy.types.Scene | None = None, renderlayer: bpy.types.ViewLayer | None = None
    ) -> None:
        """Tell Blender's compositor which passes there are."""
        assert scene is not None
        assert renderlayer is not None
        try:
            self.register_pass(scene, renderlayer, "Combined", 4, "RGBA", "COLOR")
            for each in settings.passes_of(renderlayer):
                self.register_pass(
                    scene, renderlayer, each.name, len(each.letters), each.letters, each.type
                )
        except BaseException as error:  # Blender would crash if it were reported here
            self._failed = console.line_of(error)

    def update(self, _data: object = None, _depsgraph: object = None) -> None:  # type: ignore[override]
        """Blender is about to have a view layer rendered."""
        self._begun += 1

    def render(self, depsgraph: bpy.types.Depsgraph) -> None:  # type: ignore[override]
        """Render all views of a view layer, or answer the question of a script in their place."""
        try:
            if into_memory.waiting is not None:
                into_memory.waiting.put(depsgraph, self._kept_of(depsgraph))
            elif not self._failed and depsgraph.scene.original in bpy.data.scenes.values():
                self._render(depsgraph)  # lines of Freestyle are in a scene of their own
        except BaseException as error:
            self._failed = console.line_of(error)
        self._done += 1
        self._tell()

    def render_frame_finish(self) -> None:
        """Fail where Blender would write what was not rendered."""
        if not self.test_break():
            if self._begun != self._done:  # an exception came where none is caught
                self._failed = self._failed or pgettext_rpt("A view layer was left out")
            elif not self._done:
                self._failed = self._failed or pgettext_rpt("No view layer is used for rendering")
            self._tell()
        self._begun, self._done, self._failed, self._is_told = 0, 0, "", False

    def _tell(self) -> None:
        """Have Blender write no file of a frame in which something failed, and render no other."""
        if self._failed and not self._is_told:
            self.report({"ERROR"}, f"Raypick: {self._failed}")
            self._is_told = True

    def _render(self, depsgraph: bpy.types.Depsgraph) -> None:
        interrupts.check()
        files.check(depsgraph.scene.render, self.is_animation)
        if depsgraph.view_layer.material_override:
            self.report({"WARNING"}, pgettext_rpt("Raypick ignores the material override"))
        shown = Rendered(depsgraph, kept=self._kept_of(depsgraph))
        for name in views.names(depsgraph.scene.render):
            rendered = self._rendered(shown, name)
            if rendered is None:
                break
            self._keep(rendered)

    def _kept_of(self, depsgraph: bpy.types.Depsgraph) -> KeptPolygons:
        """What this engine has kept of earlier frames and of other view layers."""
        if self._kept is None:
            self._kept = KeptPolygons()
        scene = depsgraph.scene
        self._kept.begin(scene.frame_current + scene.frame_subframe, depsgraph.view_layer.name)
        return self._kept

    def _rendered(self, shown: Rendered, name: str) -> RenderedView | None:
        """What a view shows; None if the user stops the render."""
        depsgraph = shown.depsgraph
        layer, render = depsgraph.view_layer, depsgraph.scene.render
        chosen, combined = settings.passes_of(layer), settings.of_layer(layer).shown
        passes.check_names(chosen, layer.name, name)
        columns = [each.column for each in chosen]
        view = views.view(self, depsgraph, name)
        threads = render.threads if render.threads_mode == "FIXED" else None
        query = BatchQuery(view.rays, HowToCast(threads=threads), shown)
        asked = tuple(dict.fromkeys(["instance", "object", *columns, IMAGES[combined][0]]))
        run = RenderRun(query, asked, lacking=True)
        run.go(self._go_on)
        if run.done < run.total:
            return None
        hits = run.hits()
        for said in passes.doubts(chosen, hits):
            self.report({"WARNING"}, f"Raypick: {said}")
        landmarks = self._landmarks(shown, view) if settings.of_layer(layer).use_landmarks else {}
        return RenderedView(depsgraph, view, chosen, combined, hits, numbered(hits), landmarks)

    def _landmarks(self, shown: Rendered, view: View) -> dict[str, list[Any]]:
        """Where a view shows landmarks; none if there are none."""
        seen = view.camera, view.planes, view.picture.rendered
        try:
            found = keypoints_in(shown.depsgraph, shown.shown, *seen)
        except LandmarkFileError as error:
            self.report({"WARNING"}, f"Raypick: {console.line_of(error)}")
            return {}
        return found if found["name"] else {}

    def _go_on(self, done: int, rays: int) -> bool:
        interrupts.check()
        self.update_progress(done / rays)
        return not self.test_break()

    def _keep(self, rendered: RenderedView) -> None:
        """Give what a view shows to Blender."""
        stored = rendered.stored()
        layer, view = rendered.depsgraph.view_layer.name, rendered.view.name
        left, bottom, right, top = rendered.view.picture.border
        for each in rendered.passes:
            self.add_pass(each.name, len(each.letters), each.letters, layer=layer)
        result: Any = self.begin_result(0, 0, right - left, top - bottom, layer=layer, view=view)
        is_whole = False
        try:
            for made in result.layers[0].passes:
                if made.name in stored:
                    made.rect.foreach_set(stored[made.name].ravel())
            is_whole = True
        finally:
            self.end_result(result, cancel=not is_whole)
        key = f"raypick/{layer}/{view}" if view else f"raypick/{layer}"
        present(self.get_result()).stamp_data_add_field(key, json.dumps(rendered.told()))


class RenderedView(NamedTuple):
    """What a view of a view layer shows."""

    depsgraph: bpy.types.Depsgraph
    view: View
    passes: list[Pass]
    combined: str
    hits: SceneHits
    numbers: Numbered
    landmarks: dict[str, list[Any]]

    def stored(self) -> dict[str, Any]:
        """The pixels (H W, C) of each pass within the border, the bottom row first."""
        left, bottom, right, top = self.view.picture.rendered
        columns = self.numbers.columns
        pixels = {each.name: passes.stored(each, columns[each.column]) for each in self.passes}
        pixels["Combined"] = passes.colors(self.hits, self.combined)
        return {
            name: np.ascontiguousarray(each[bottom:top, left:right]).reshape(-1, each.shape[-1])
            for name, each in pixels.items()
        }

    def told(self) -> dict[str, Any]:
        """What the picture's numbers mean, as JSON."""
        scene, (width, height, _, border, is_cropped) = self.depsgraph.scene, self.view.picture
        return {
            "version": 1,
            **passes.told(self.passes, self.hits, self.numbers),
            "camera": self.view.object.name,
            "file_suffix": self.view.file_suffix,
            "frame": scene.frame_current,
            "resolution": [width, height],
            "border": [*border],
            "cropped": is_cropped,
            "view_matrix": self.view.camera.view.tolist(),
            "projection_matrix": self.view.camera.projection.tolist(),
            **({"landmarks": self.landmarks} if self.landmarks else {}),
            "raypick": __version__,
            "blender": bpy.app.version_string,
        }
