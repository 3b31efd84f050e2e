# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of the manual's chapters on landmarks and measures; see :mod:`.manual`."""

import re
from pathlib import Path

from checkout import ROOT
from tests.windowed.hand import choose_tool, in_viewport
from tests.windowed.landmarks import HEADER
from tests.windowed.session import Session

SIZE = (1000, 760)
"""Of a window in which the viewport alone is shown."""

PLACES = {
    "glabella": (0.0, 0.5),
    "nasion": (0.0, 0.25),
    "pronasale": (0.0, -0.07),
    "gnathion": (0.0, -0.86),
    "exocanthion.L": (0.56, 0.3),
    "exocanthion.R": (-0.56, 0.3),
    "zygion.L": (0.6, -0.05),
    "zygion.R": (-0.6, -0.05),
}
"""Where a front view shows what the manual's template asks for: X and Z."""

LATER = 2
"""How many of these the picture of a template that is begun leaves out."""

MEASURES = (
    ("surface_distance", ("nasion", "gnathion")),
    ("distance", ("zygion.L", "zygion.R")),
    ("angle", ("nasion", "pronasale", "gnathion")),
    ("thickness", ("exocanthion.L",)),
)
"""Kinds, and what is selected for each."""

_SCENE = """
import math
from mathutils import Quaternion
from bl_ext.user_default.raypick import api, settings
from bl_ext.user_default.raypick.session import current, history
history.clear()
current.show(None)
window, area, _, _ = viewport()
with bpy.context.temp_override(window=window, area=area):
    bpy.ops.screen.screen_full_area()
result = None
"""

_HEAD = """
bpy.ops.mesh.primitive_monkey_add()
head = bpy.context.object
head.name = "Head"
head.modifiers.new("Subdivision", "SUBSURF").levels = 1
bpy.ops.object.shade_smooth()
head.color = (0.5, 0.36, 0.28, 1.0)
head.select_set(False)
_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui, space.show_region_toolbar = True, False
space.shading.light, space.shading.color_type = "STUDIO", "OBJECT"
overlay = space.overlay
overlay.show_cursor = overlay.show_object_origins = overlay.show_floor = False
overlay.show_axis_x = overlay.show_axis_y = overlay.show_text = False
space.show_gizmo_navigate = False
view.view_perspective = "PERSP"
view.view_location, view.view_distance = (0.38, 0.0, 0.0), 4.0
view.view_rotation = Quaternion((math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))
sidebar = next(each for each in area.regions if each.type == "UI")
result = None
"""

TAB = "sidebar.active_panel_category = 'Raypick'\nresult = None"

TEMPLATE = """
path = bpy.app.tempdir + "/face.json"
with open(path, "w", encoding="utf-8") as file:
    file.write({text!r})
result = path
"""

_TURN = """
view.view_rotation = Quaternion((0.77, 0.62, 0.11, 0.14)).normalized()
settings.preferences().landmark_labels = "SELECTED"
result = None
"""

_DECIMATE = """
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.mesh.decimate(ratio=0.5)
bpy.ops.object.mode_set(mode="OBJECT")
"""

_CARRY_OVER = 325
"""How far below the sidebar's top the button is, below the list and the reason."""


def template() -> str:
    """The manual's example of a template."""
    text = (ROOT / "docs" / "manual.md").read_text(encoding="utf-8")
    return next(
        each for each in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "nasion" in each
    )


class LandmarkManual:
    """A user with these chapters in hand.

    Parameters
    ----------
    session : Session
        With the extension installed.
    folder : Path
        Where the pictures go.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self._folder = folder
        session.py("bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)")
        session.redraw()
        for step in (_SCENE, _HEAD):
            session.py(step)
            session.redraw(2)
        session.py(TAB)
        session.redraw(2)
        x, y = session.py(f"[sidebar.x + 60, sidebar.y + sidebar.height - {HEADER}]")
        session.move(x, y)
        session.key("A", x, y)  # folds the panel of picks
        session.come_to_rest()

    def place(self) -> Path:
        """Load the template, take the tool, and click where it asks for a landmark."""
        path = self.session.py(TEMPLATE.format(text=template()))
        in_viewport(self.session, f"bpy.ops.raypick.load_template(filepath={path!r})")
        choose_tool(self.session, "raypick.landmark_tool")
        for name in [*PLACES][:-LATER]:
            self.click(name)
        self._leave()
        return self._picture("landmarks")

    def measure(self) -> Path:
        """Place the rest, select landmarks with Shift, and add measures."""
        for name in [*PLACES][-LATER:]:
            self.click(name)
        self._leave()
        for kind, (first, *others) in MEASURES:
            self.click(first)
            for name in others:
                self.click(name, shift=True)
            in_viewport(self.session, f"bpy.ops.raypick.add_measure(kind={kind!r})")
        self._leave()
        self.session.py(_TURN)
        return self._picture("measures")

    def edit_the_mesh(self) -> Path:
        """Leave out half of the faces: the landmarks tell that the topology has changed."""
        in_viewport(self.session, _DECIMATE.strip().replace("\n", "\n    "))
        return self._picture("topology")

    def carry_over(self) -> Path:
        """Carry the landmarks over, and read how far they moved."""
        x, y = self.session.py(f"[sidebar.x + 100, sidebar.y + sidebar.height - {_CARRY_OVER}]")
        self.session.click(x, y)
        return self._picture("carried")

    def click(self, name: str, **modifiers: bool) -> None:
        """Click where a landmark is or is to be."""
        x, z = PLACES[name]
        point = self.session.py(f"api.ray_cast(bpy.context, ({x}, -5, {z}), (0, 1, 0))[0].point")
        self.session.click(*self.session.position_of(point), **modifiers)

    def _leave(self) -> None:
        """Take the mouse out of the view."""
        self.session.move(*self.session.py("[sidebar.x + 60, sidebar.y + 40]"))
        self.session.wait("current.hovered() is None")
        self.session.redraw(2)

    def _picture(self, name: str) -> Path:
        self.session.redraw(2)
        return self.session.shot(self._folder / f"{name}.png")
