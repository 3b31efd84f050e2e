# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of the moving picture that opens the README, each with its frames.

``scripts/screenshots.py`` takes them to make the film, and a test to check that they lead where its
captions say.
"""

import json
from pathlib import Path

import numpy as np

from moving_picture import Frame
from tests.windowed.hand import choose_tool, in_viewport
from tests.windowed.landmark_manual import TAB, TEMPLATE
from tests.windowed.session import Session

SIZE = (800, 500)

NAMES = ("brow", "nose", "chin")
"""The landmarks that the template asks for."""

_AT = {
    "start": (-0.75, 0.45),
    "eye": (0.33, 0.3),
    "brow": (0.0, 0.5),
    "nose": (0.0, -0.07),
    "chin": (0.0, -0.65),
}
"""Places on the head: X and Z of rays from the front."""

_MOVE, _READ = 80, 800  # milliseconds for which a frame of a motion and one to read are shown
_TURN = 24  # frames of the animation, which ends as it begins

_SCENE = """
import math
from mathutils import Quaternion
from bl_ext.user_default.raypick import api
from bl_ext.user_default.raypick.session import current, hover
bpy.data.batch_remove([*bpy.data.objects])
window, area, region, view = viewport()
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.screen.screen_full_area(use_hide_panels=True)
result = None
"""

_OBJECTS = """
def add(kind, name, color, **options):
    getattr(bpy.ops.mesh, f"primitive_{{kind}}_add")(**options)
    made = bpy.context.object
    made.name, made.color = name, (*color, 1.0)
    return made

place = -0.25, 2.6, 0.4  # behind an eye, as the view shows them
add("ico_sphere", "Globe", (0.12, 0.3, 0.42), radius=1.35, subdivisions=3, location=place)
head = add("monkey", "Head", (0.55, 0.36, 0.25))
twist = head.modifiers.new("Twist", "SIMPLE_DEFORM")
twist.deform_method, twist.deform_axis = "TWIST", "Z"
for frame in range({turn} + 1):
    swing = math.sin(frame / {turn} * math.tau)
    twist.angle, head.rotation_euler.x = math.radians(55) * swing, math.radians(12) * swing
    twist.keyframe_insert("angle", frame=frame)
    head.keyframe_insert("rotation_euler", index=0, frame=frame)
head.select_set(False)
bpy.context.scene.frame_set(0)
result = None
"""

_VIEW = """
window, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = True
space.show_region_toolbar = space.show_region_header = space.show_region_tool_header = False
space.show_gizmo = False
space.shading.light, space.shading.color_type = "STUDIO", "OBJECT"
space.shading.show_cavity = True
view.view_perspective = "PERSP"
view.view_location, view.view_distance = (0.12, 0.0, -0.05), 2.3
view.view_rotation = Quaternion((0.73, 0.65, 0.12, 0.16)).normalized()
sidebar = next(each for each in area.regions if each.type == "UI")
result = None
"""


class Film:
    """A user who shows in a few seconds what Raypick does.

    Parameters
    ----------
    session : Session
        With the extension installed.
    folder : Path
        Where the pictures of the window go.

    Attributes
    ----------
    frames : list of Frame
        All that was filmed so far.
    """

    def __init__(self, session: Session, folder: Path) -> None:
        self.session = session
        self.frames: list[Frame] = []
        self._folder = folder
        self._caption = ""
        session.overlap_regions(False)
        for step in (_SCENE, _OBJECTS.format(turn=_TURN), _VIEW, TAB):
            session.py(step)
            session.redraw(2)
        self._mouse = self._position("start")

    def hover(self) -> None:
        """Take the tool, and move the mouse over the head."""
        self._caption = "Point at a mesh: face, triangle, exact place"
        choose_tool(self.session)
        self.session.move(*self._mouse)
        self._go(self._position("eye"), 12)
        self.session.wait("hover.is_resting()")
        self._film(_READ)

    def keep(self) -> None:
        """Click."""
        self._caption = "Click: the pick is kept"
        self._click()
        self._film(_READ)

    def walk(self) -> None:
        """Click again, as far as the globe behind the head."""
        self._caption = "Click again: what is behind it"
        for _ in range(2):
            self._click()
            self._film(_READ)

    def place(self) -> None:
        """Take the landmark tool, and place what a template asks for."""
        self._caption = "Landmarks: click where a template asks for them"
        in_viewport(self.session, "bpy.ops.raypick.clear()")
        text = json.dumps({"name": "Face", "landmarks": NAMES})
        path = self.session.py(TEMPLATE.format(text=text))
        in_viewport(self.session, f"bpy.ops.raypick.load_template(filepath={path!r})")
        choose_tool(self.session, "raypick.landmark_tool")
        for name in NAMES:
            self._go(self._position(name), 5)
            self._click()

    def follow(self) -> None:
        """Move the mouse out of the way, and play the animation."""
        self._caption = "They follow the surface as it moves"
        self._go(tuple(self.session.py("[region.x + 60, region.y + 60]")), 4)
        for frame in range(1, _TURN + 1):
            self.session.draw_after(f"bpy.context.scene.frame_set({frame})")
            self._film(_MOVE)
        self._film(_READ)

    def _position(self, place: str) -> tuple[int, int]:
        """Where the window shows a place on the head."""
        x, z = _AT[place]
        point = self.session.py(f"api.ray_cast(bpy.context, ({x}, -5, {z}), (0, 1, 0))[0].point")
        return self.session.position_of(point)

    def _go(self, place: tuple[int, int], steps: int) -> None:
        """Move the mouse to a place in the window, slowly at both ends."""
        start, end = np.array(self._mouse), np.array(place)
        for part in (1 - np.cos(np.linspace(0, np.pi, steps + 1)[1:])) / 2:
            x, y = np.rint(start + part * (end - start)).astype(int)
            self._mouse = int(x), int(y)
            self.session.move(*self._mouse)
            self._film(_MOVE)

    def _click(self) -> None:
        self._film(_MOVE, pressed=True)
        self.session.click(*self._mouse)
        self._film(2 * _MOVE, pressed=True)

    def _film(self, milliseconds: int, pressed: bool = False) -> None:
        """Add a frame with what the window shows now."""
        self.session.redraw(2)
        picture = self.session.shot(self._folder / f"{len(self.frames):03}.png")
        x, y = self._mouse
        pointer = x, self.session.size[1] - 1 - y
        self.frames.append(Frame(picture, pointer, pressed, self._caption, milliseconds))
