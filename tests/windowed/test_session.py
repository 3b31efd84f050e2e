# SPDX-License-Identifier: GPL-3.0-or-later
"""A crash of Blender fails the test that it happened in, and no other."""

import pytest

from tests.windowed.session import SessionError


def test_the_end_of_blender_is_told_and_another_can_be_started(fresh_blender):
    assert fresh_blender.is_running
    fresh_blender.overlap_regions(False)
    with pytest.raises(SessionError, match="Blender has ended"):
        fresh_blender.py("import os\nos._exit(3)")
    assert not fresh_blender.is_running
    fresh_blender.restart()
    assert fresh_blender.py("1 + 1") == 2
    assert not fresh_blender.py("bpy.context.preferences.system.use_region_overlap")
