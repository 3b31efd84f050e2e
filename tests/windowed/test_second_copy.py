# SPDX-License-Identifier: GPL-3.0-or-later
"""Who enables a second copy of the extension reads a sentence, and the first goes on."""

import pytest

from tests.windowed.hand import look, middle_of, set_up_inspection, start

OPEN_A_FILE = """
bpy.ops.wm.save_as_mainfile(filepath=bpy.app.tempdir + "/other.blend")
bpy.ops.wm.open_mainfile(filepath=bpy.app.tempdir + "/other.blend")
result = None
"""

SECOND = "bl_ext.second.raypick"

INSTALL = """
from pathlib import Path
from bpy.app.translations import pgettext_iface as pgettext
folder = Path(bpy.app.tempdir, "second")
folder.mkdir()
bpy.context.preferences.extensions.repos.new(
    name="Second", module="second", custom_directory=str(folder))
zips = [*Path(bpy.utils.resource_path("USER")).parent.glob("*.zip")]
bpy.ops.extensions.package_install_files(
    repo="second", filepath=str(zips[0]), enable_on_install=True)
from bl_ext.second.raypick import registration
drawn = []
class Text(str):
    def format(self, *values):
        drawn.append(super().format(*values))
        return drawn[-1]
registration.pgettext_iface = lambda text: Text(pgettext(text))
result = None
"""


SENTENCE = "Raypick is already enabled as bl_ext.user_default.raypick, so this copy stays disabled"


@pytest.mark.parametrize("then", ["", OPEN_A_FILE], ids=["", "a file is opened at once"])
def test_it_says_so_and_is_disabled_again_and_the_first_copy_answers(fresh_blender, then):
    blender = fresh_blender
    set_up_inspection(blender)
    blender.py(INSTALL + then)
    blender.wait(f"{SECOND!r} not in bpy.context.preferences.addons")
    blender.redraw(2)
    blender.wait("drawn")
    assert blender.py("drawn")[0] == SENTENCE
    blender.key("ESC", 5, 5)
    set_up_inspection(blender)
    start(blender, *blender.position_of(middle_of(0)))
    assert look(blender, "hovered") == ["Target", 0, 0]
    assert blender.py("sum('RAYPICK_PT_main' == name for name in dir(bpy.types))") == 1
