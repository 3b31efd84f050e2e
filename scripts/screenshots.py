# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the pictures of the manual again: real screenshots of a Blender with a window.

    python scripts/screenshots.py

Writes them to ``docs``. Needs a windowed Blender, as the windowed tests do.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from checkout import ROOT, SetupError, say
from environment import command_environment, environment

DOCS = ROOT / "docs"
_INSIDE = "--in-environment"  # started again in the environment that has NumPy

_EMPTY = "bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)\nresult = None"

_SCENE = """
import types
demo = types.ModuleType("demo")
exec({source!r}, demo.__dict__)
demo.build_scene()
result = None
"""

_VIEW = """
from mathutils import Quaternion
_, area, region, view = viewport()
space = area.spaces.active
space.show_region_ui = True
space.shading.light, space.shading.color_type = "STUDIO", "MATERIAL"
space.overlay.show_cursor = space.overlay.show_relationship_lines = False
view.view_perspective = "PERSP"
view.view_location, view.view_distance = (0.9, -0.4, 0.7), 8.5
view.view_rotation = Quaternion((0.8, 0.56, 0.11, 0.16)).normalized()
with bpy.context.temp_override(window=viewport()[0], area=area, region=region):
    bpy.ops.wm.tool_set_by_id(name="raypick.pick_tool")
result = None
"""

_SIDEBAR = """
sidebar = next(r for r in area.regions if r.type == "UI")
sidebar.active_panel_category = "Raypick"
result = None
"""


def main() -> int:
    """Set up and take the pictures; return the exit status."""
    try:
        if _INSIDE not in sys.argv:
            command = [environment("core"), __file__, _INSIDE]
            return subprocess.run(command, env=command_environment()).returncode
        take_pictures()
    except SetupError as error:
        say(str(error))
        return 1
    return 0


def take_pictures() -> None:
    """Open the demonstration's scene in the newest Blender, click on Suzanne, look."""
    sys.path.insert(0, str(ROOT))
    import windowed
    from build_extension import build
    from tests.windowed.session import Session

    labels = windowed.labels()
    if not labels:
        raise SetupError(f"there is no windowed Blender: {windowed.why_none()}")
    builds = [windowed.prepare(label) for label in labels]
    newest = max(builds, key=lambda candidate: candidate.version_tuple)
    source = Path(__file__).with_name("demo_scene.py").read_text(encoding="utf-8")
    with Session(newest, build(), size=(1280, 860)) as session:
        session.py(_EMPTY)
        session.redraw()
        session.py(_SCENE.format(source=source))
        session.redraw()
        for step in (_VIEW, _SIDEBAR):
            session.py(step)
            session.redraw(2)
        session.click(*session.position_of((0.35, -0.75, 1.45)))
        session.redraw(2)
        say(f"wrote {session.shot(DOCS / 'panel.png')}")


if __name__ == "__main__":
    sys.exit(main())
