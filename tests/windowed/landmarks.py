# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests with landmarks in a window share: a strip with landmarks, and what is read back."""

from tests.windowed.hand import middle_of, set_up_inspection

HEADER = 16  # so far down from the top of the sidebar is the header of the first panel
SET = 80  # and, with this panel folded, the dropdown of sets
ROWS = (111, 132, 153)  # and the first landmarks
TYPE = 100  # the button that asks for a template, where there is no set
MEASURE = 344  # and the button that measures
MARK, NAME, EYE, LOCK = 36, 100, 182, 204  # from its left

MARKED = """
from bl_ext.user_default.raypick.bridge.landmarks import storage
from bl_ext.user_default.raypick.session import undo
from bl_ext.user_default.raypick.ui import lists
manager = bpy.context.window_manager
for name, point in {places!r}:
    start = Vector(point) + Vector((0.0, 0.0, 3.0))
    hit = api.ray_cast(bpy.context, start, (0, 0, -1))[0]
    api.landmarks.add(bpy.context, hit, name)
bpy.context.view_layer.objects.active = target
bpy.ops.ed.undo_push(message="set up")
result = None
"""


def set_up_landmarks(blender, names="ABC"):
    """Show the strip with a landmark in the middle of each face, and an undo step to go back to."""
    places = [(name, middle_of(face)) for face, name in enumerate(names)]
    set_up_inspection(blender, more=MARKED.format(places=places))


def names(blender, obj="Target"):
    """The names of the landmarks of an object."""
    return blender.py(f"[each.name for each in api.landmarks.of({obj!r})]")


def selected(blender, obj="Target"):
    """The names of those that are selected."""
    return blender.py(f"[each.name for each in api.landmarks.of({obj!r}) if each.selected]")


def where(blender, name, obj="Target"):
    """Where a landmark is in the world."""
    return blender.py(
        f"next(p.point for p in api.landmarks.where(bpy.context, {obj!r}) if p.name == {name!r})"
    )


def undo(blender, redo=False):
    """Take the last step back, with the key, or do it again."""
    x, y = blender.position_of((2.5, 0.0, 0.0))
    blender.move(x, y)
    blender.key("Z", x, y, ctrl=True, shift=redo)


def unfold(blender):
    """Show the landmarks in the sidebar, right below the folded panel of picks."""
    blender.py("sidebar.active_panel_category = 'Raypick'\nresult = None")
    blender.redraw(2)
    x, y = blender.py("[sidebar.x + 60, sidebar.y + sidebar.height]")
    blender.move(x, y - HEADER)
    blender.key("A", x, y - HEADER)
    blender.come_to_rest()


def in_row(blender, row, across):
    """Where in the window a part of a row of the list is."""
    x, y = blender.py("[sidebar.x, sidebar.y + sidebar.height]")
    return x + across, y - ROWS[row]
