# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the pictures of the extension's page on extensions.blender.org, 1920 x 1080 pixels each.

    python scripts/listing_pictures.py

Writes them to ``docs/images/listing``. They show the viewport alone, with an interface so large
that its text can be read where the page shows them small. ``featured.png`` heads the page. Needs a
windowed Blender, as the windowed tests do. The icon is drawn by ``listing_icon.py``.
"""

import time
from pathlib import Path

from build_extension import build
from checkout import ARTEFACTS, run_script, say
from environment import run_inside
from screenshots import IMAGES, newest_build

LISTING = IMAGES / "listing"
SIZE = (1920, 1080)

_ALONE = """
from mathutils import Quaternion
from bl_ext.user_default.raypick import settings
window, area, region, _ = viewport()
with bpy.context.temp_override(window=window, area=area, region=region):
    if bpy.context.screen.show_fullscreen:
        bpy.ops.screen.back_to_previous()
window, area, region, _ = viewport()
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.screen.screen_full_area(use_hide_panels=True)
bpy.context.preferences.view.ui_scale = 2.5
result = None
"""

_BARE = """
_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = space.show_region_toolbar = space.show_region_header = False
space.show_region_tool_header = space.show_gizmo_navigate = False
overlay = space.overlay
overlay.show_text = overlay.show_axis_x = overlay.show_axis_y = overlay.show_extras = False
overlay.show_floor = overlay.show_object_origins = False
result = None
"""

_PICK = """
settings.preferences().label = {"OBJECT", "FACE"}
view.view_location, view.view_distance = (0.25, -0.6, 1.05), 4.2
view.view_rotation = Quaternion((0.87, 0.43, 0.16, 0.3)).normalized()
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.raypick.cast(origin=(2.6, -2.8, 1.6), direction=(-2.5, 1.4, -1.15))
result = None
"""

_LANDMARKS = """
view.view_location, view.view_distance = (0.05, 0.0, -0.05), 3.4
settings.preferences().landmark_labels = "ALL"
result = None
"""

# Replace the viewport by slanted strips of four surveys.
_SURVEY = """
import numpy as np
strips = []
for kind in ("INSTANCE", "FACE", "NORMAL", "DEPTH"):
    with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
        bpy.ops.raypick.survey_view(kind=kind, source="VIEW")
    made = next(i for i in bpy.data.images if i.get("raypick_survey") and i.name not in strips)
    strips.append(made.name)
shown = [bpy.data.images[name] for name in strips]
width, height = shown[0].size
pixels = np.empty((len(shown), height, width, 4), np.float32)
for image, into in zip(shown, pixels):
    image.pixels.foreach_get(into.ravel())
x, y = np.meshgrid(np.arange(width), np.arange(height))
which = (x + 0.3 * (height / 2 - y)) * len(shown) / width
picture = np.choose(np.clip(which.astype(int), 0, len(shown) - 1)[..., None], pixels)
image = bpy.data.images.new("Strips", width, height, float_buffer=True, is_data=True)
image.pixels.foreach_set(np.ascontiguousarray(picture).ravel())
area.type = "IMAGE_EDITOR"
space = area.spaces.active
space.image = image
space.show_region_header = space.show_region_ui = space.show_region_toolbar = False
space.show_region_tool_header = space.show_gizmo = space.overlay.show_overlays = False
region = next(each for each in area.regions if each.type == "WINDOW")
window = bpy.context.window_manager.windows[0]
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.image.view_zoom_ratio(ratio=1.0)
result = [width, height]
"""

_VALUES = """
space.show_region_ui = True
view.view_location = (0.75, -0.6, 1.05)
result = None
"""


def take_pictures() -> None:
    from tests.windowed.hand import choose_tool
    from tests.windowed.landmark_manual import LandmarkManual
    from tests.windowed.manual import FOREHEAD, Manual
    from tests.windowed.session import Session

    newest, package = newest_build(), build()
    with Session(newest, package, size=SIZE, whole=True) as session:
        Manual(session, ARTEFACTS)
        _show(session, _PICK)
        choose_tool(session)
        _point_at(session, FOREHEAD)
        say(f"wrote {_picture(session, 'featured')}")
        session.py(_VALUES)
        choose_tool(session, "builtin.select_box")
        session.move(20, 20)
        say(f"wrote {_picture(session, 'values')}")
    with Session(newest, package, size=SIZE, whole=True) as session:
        Manual(session, ARTEFACTS)
        _show(session, _PICK)
        session.py(_SURVEY, timeout=600)
        time.sleep(2.0)  # there is no viewport now whose redraws could be counted
        say(f"wrote {session.shot(LISTING / 'survey.png')}")
    with Session(newest, package, size=SIZE, whole=True) as session:
        chapters = LandmarkManual(session, ARTEFACTS)
        chapters.place()
        chapters.measure()
        _show(session, _LANDMARKS)
        say(f"wrote {_picture(session, 'landmarks')}")


def _show(session, scene: str) -> None:
    for step in (_ALONE, _BARE, scene):
        session.py(step)
        session.redraw(2)


def _point_at(session, place: tuple[float, float, float]) -> None:
    """Redraw the viewport, and move the mouse to where it shows a place."""
    session.redraw(2)
    x, y = session.position_of(place)
    for each in (x - 1, x):
        session.move(each, y)
        session.redraw()


def _picture(session, name: str) -> Path:
    session.redraw(2)
    return session.shot(LISTING / f"{name}.png")


if __name__ == "__main__":
    run_script(lambda: run_inside("core", __file__, take_pictures))
