# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of the manual's chapter on renders; see :mod:`.manual`."""

import time
from pathlib import Path

from checkout import ROOT
from tests.windowed.session import Session

SIZE = (1200, 830)
"""Of a window with the viewport alone at first."""

_SPLIT = """
window, area, region, _ = viewport()
before = set(window.screen.areas)
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.screen.area_split(direction="VERTICAL", factor=0.285)
areas = sorted({area, *set(window.screen.areas) - before}, key=lambda each: each.x)
areas[0].type, areas[1].type = "VIEW_3D", "PROPERTIES"
result = None
"""

_SCENE = """
import types
demo = types.ModuleType("demo")
exec({source!r}, demo.__dict__)
demo.build_scene()
scene = bpy.context.scene
scene.render.engine = "RAYPICK"
scene.render.resolution_x, scene.render.resolution_y = 840, 760
bpy.data.objects["Suzanne"].modifiers["Subdivision"].render_levels = 0
scene.camera.data.lens = 48
scene.camera.data.shift_y = 0.02
bpy.context.view_layer.raypick.shown = "FACE"
bpy.ops.raypick.show_false_colors()
bpy.ops.raypick.add_attribute_pass(name="UVMap", type="VECTOR")
areas[1].spaces.active.context = "VIEW_LAYER"
result = None
"""

_SHOWN = """
areas[0].type = "IMAGE_EDITOR"
areas[0].spaces.active.image = bpy.data.images["Render Result"]
areas[0].spaces.active.show_region_ui = False
canvas = next(each for each in areas[0].regions if each.type == "WINDOW")
result = None
"""

_FIT = """
with bpy.context.temp_override(window=window, area=areas[0], region=canvas):
    bpy.ops.image.view_all(fit_view=True)
result = None
"""


class RenderManual:
    """A user with this chapter in hand.

    Parameters
    ----------
    session : Session
        With the extension installed, and a viewport alone.
    folder : Path
        Where the picture goes.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self._folder = folder
        source = (ROOT / "scripts" / "demo_scene.py").read_text(encoding="utf-8")
        for step in ("bpy.ops.wm.read_homefile(use_empty=True)", _SPLIT):
            session.py(step)
            session.redraw(2)
        session.py(_SCENE.format(source=source))
        session.redraw(2)

    def render(self) -> Path:
        """Render, with faces in false colors, beside the passes of the view layer."""
        self.session.py("bpy.ops.render.render()\nresult = None", timeout=240)
        for step in (_SHOWN, _FIT):
            self.session.py(step)
            time.sleep(2.0)  # no viewport is left whose drawings could be counted
        return self.session.shot(self._folder / "render.png")
