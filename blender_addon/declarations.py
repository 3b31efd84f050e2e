# SPDX-License-Identifier: GPL-3.0-or-later
"""Every name that Blender knows the add-on's classes by."""

PICK_OPERATOR = "raypick.pick"
CAST_OPERATOR = "raypick.cast"
COPY_OPERATOR = "raypick.copy"
COPY_REPORT_OPERATOR = "raypick.copy_report"

PICK_TOOL = "raypick.pick_tool"
HIT_PANEL = "RAYPICK_PT_hit"
SIDEBAR_TAB = "Raypick"
