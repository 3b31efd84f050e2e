# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of the manual, as a new user takes them; each ends with its picture.

``scripts/screenshots.py`` takes them to make the pictures of the manual, and a test to check that
they lead where the manual says.
"""

import time
from pathlib import Path

from checkout import ROOT
from tests.windowed.hand import start
from tests.windowed.session import Session

_SCENE = """
import types
demo = types.ModuleType("demo")
exec({source!r}, demo.__dict__)
demo.build_scene()
result = None
"""

_VIEW = """
from mathutils import Quaternion
from bl_ext.user_default.raypick.session import history, current
from bl_ext.user_default.raypick import settings
from bl_ext.user_default.raypick.operators import inspect
history.clear()
_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = True
space.shading.light, space.shading.color_type = "STUDIO", "MATERIAL"
space.overlay.show_cursor = space.overlay.show_relationship_lines = False
space.overlay.show_object_origins = False
view.view_perspective = "PERSP"
bpy.data.objects["Suzanne"].modifiers["Subdivision"].levels = 0
view.view_location, view.view_distance = (0.55, -0.4, 1.0), 4.6
view.view_rotation = Quaternion((0.8, 0.56, 0.11, 0.16)).normalized()
bpy.ops.object.select_all(action="DESELECT")
result = None
"""

_TAB = """
sidebar = next(r for r in area.regions if r.type == "UI")
sidebar.active_panel_category = "Raypick"
result = None
"""

_TOOL = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.wm.tool_set_by_id(name={name!r})
result = None
"""

_TURN = """
view.view_rotation = Quaternion((0.87, 0.43, 0.16, 0.3)).normalized()
result = None
"""

_EXPORT = """
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.raypick.export_history(filepath={path!r}, format={format!r})
result = None
"""

_SPLIT = """
area.type = "VIEW_3D"
_, area, region, view = viewport()
current.show(None)
view.view_location, view.view_distance = (0.5, 0.1, 0.8), 5.4
view.view_rotation = Quaternion((0.8, 0.56, 0.11, 0.16)).normalized()
before = set(viewport()[0].screen.areas)
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.screen.area_split(direction="HORIZONTAL", factor=0.5)
(editor,) = set(viewport()[0].screen.areas) - before
area, editor = sorted((area, editor), key=lambda each: -each.y)
editor.type, editor.ui_type = "IMAGE_EDITOR", "IMAGE_EDITOR"
region = next(each for each in area.regions if each.type == "WINDOW")
result = None
"""

_SURVEY = """
from bl_ext.user_default.raypick.session import survey
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.raypick.survey_view("INVOKE_DEFAULT", kind="FACE")
result = None
"""

_FIT = """
canvas = next(each for each in editor.regions if each.type == "WINDOW")
with bpy.context.temp_override(window=viewport()[0], area=editor, region=canvas):
    bpy.ops.image.view_all(fit_view=True)
result = None
"""

_PREFERENCES = """
area.type = "PREFERENCES"
bpy.context.preferences.active_section = "ADDONS"
bpy.context.window_manager.addon_search = "Raypick"
result = None
"""

_EXPAND = """
with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area):
    bpy.ops.preferences.addon_expand(module="bl_ext.user_default.raypick")
for each in bpy.context.window_manager.windows[0].screen.areas:
    each.tag_redraw()
result = None
"""

_FROM_TOP = "[sidebar.x + 60, sidebar.y + sidebar.height - {down}]"

DETAILS, ALL_HITS = 241, 267
"""How far below the sidebar's top the headers of these panels are, while they are folded."""

LANDMARKS, MEASURES, HISTORY = 378, 406, 434
"""The same for these, once they are folded, with three hits in the list above."""

CHEEK = (0.35, -0.75, 1.45)
"""A place on Suzanne that the view shows."""

FOREHEAD = (0.336, -0.017, 1.874)
"""Another one."""


class Manual:
    """A new user with the manual in hand.

    Parameters
    ----------
    session : Session
        With the extension installed, as *Install from Disk* does.
    folder : Path
        Where the pictures go.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self._folder = folder
        source = (ROOT / "scripts" / "demo_scene.py").read_text(encoding="utf-8")
        session.py("bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)")
        session.redraw()
        session.py(_SCENE.format(source=source))
        session.redraw()
        session.py(_VIEW)
        session.redraw(2)
        session.py(_TAB)
        session.redraw(2)

    def take_the_tool(self) -> Path:
        """Choose the tool, and point at Suzanne's cheek."""
        self.session.py(_TOOL.format(name="raypick.pick_tool"))
        self.session.redraw(2)
        self.session.move(*self.session.position_of(CHEEK))
        return self._picture("tool")

    def read_a_face(self) -> Path:
        """Click, and read the panel."""
        self.session.click(*self.session.position_of(CHEEK))
        self.session.py(_TOOL.format(name="builtin.select_box"))
        self._fold(DETAILS)
        self.session.move(20, 20)
        self.session.wait("current.hovered() is None")
        return self._picture("panel")

    def look_from_aside(self) -> Path:
        """Turn the view: the ray that was cast is seen."""
        self.session.py(_TURN)
        return self._picture("ray")

    def inspect(self) -> Path:
        """Start the inspector, and point at Suzanne's forehead."""
        self._fold(DETAILS)
        x, y = self.session.position_of(FOREHEAD)
        start(self.session, x, y)
        self.session.move(x + 1, y)
        return self._picture("inspector")

    def walk_the_stack(self) -> Path:
        """Turn the wheel, keep what is found, end the inspector, and unfold the list of hits."""
        x, y = self.session.position_of(FOREHEAD)
        self.session.move(x + 1, y)
        self.session.event("WHEELDOWNMOUSE", "PRESS", x + 1, y)
        self.session.redraw(2)
        self.session.click(x + 1, y)
        self.session.key("ESC", x + 1, y)
        self._fold(ALL_HITS)
        return self._picture("stack")

    def open_the_history(self) -> Path:
        """Fold the panels before the history, whose list is shown then."""
        for down in (LANDMARKS, MEASURES):
            self._fold(down)
        self._fold(HISTORY)
        self.session.move(20, 20)
        return self._picture("history")

    def _fold(self, down: int) -> None:
        """Fold or unfold the panel whose header is so far below the sidebar's top."""
        x, y = self.session.py(_FROM_TOP.format(down=down))
        self.session.move(x, y)
        self.session.key("A", x, y)
        self.session.come_to_rest()

    def export(self, path: Path, form: str) -> None:
        """Write the history to a file."""
        self.session.py(_EXPORT.format(path=str(path), format=form))

    def open_the_preferences(self) -> Path:
        """Show the extension's preferences."""
        for step in (_PREFERENCES, _EXPAND):
            self.session.py(step)
            time.sleep(1.0)  # no viewport is left whose drawings could be counted
        return self._picture("preferences", redraw=False)

    def survey_the_view(self) -> Path:
        """Make an image of the faces at all pixels, beside an Image Editor that shows it."""
        self.session.py(_SPLIT)
        self.session.redraw(2)
        self.session.py(_SURVEY)
        self.session.wait("survey.running is None", timeout=240)
        self.session.redraw(2)
        self.session.py(_FIT)
        return self._picture("survey")

    def _picture(self, name: str, redraw: bool = True) -> Path:
        if redraw:
            self.session.redraw(2)
        return self.session.shot(self._folder / f"{name}.png")
