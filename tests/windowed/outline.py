# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the tab's panels, counted inside a windowed Blender."""

from types import SimpleNamespace

import bpy
from bl_ext.user_default.raypick.ui import PANELS


class Outline:
    """Stands in for ``UILayout``, and keeps what stands in what, whatever it says.

    A value has as much room as the dash or the gap in its place.
    """

    def __init__(self):
        self.inside = []

    def part(self, *_arguments, **_options):
        self.inside.append(Outline())
        return self.inside[-1]

    row = column = split = box = part

    def item(self, *_arguments, **_options):
        self.inside.append(None)
        return SimpleNamespace()

    label = operator = prop = menu = popover = progress = separator = template_list = item

    def nested(self):
        return [each and each.nested() for each in self.inside]


def outline():
    """What each panel draws, by name; those that are not there are left out."""
    found = {}
    for panel in PANELS:
        if panel.bl_region_type == "UI" and (not hasattr(panel, "poll") or panel.poll(bpy.context)):
            for part in ("draw_header_preset", "draw"):
                if hasattr(panel, part):
                    layout = Outline()
                    getattr(panel, part)(SimpleNamespace(layout=layout), bpy.context)
                    found[f"{panel.__name__}.{part}"] = layout.nested()
    return found
