# SPDX-License-Identifier: GPL-3.0-or-later
"""Every name that Blender knows the add-on's classes by."""

PICK_OPERATOR = "raypick.pick"
CAST_OPERATOR = "raypick.cast"
INSPECT_OPERATOR = "raypick.inspect"
HOVER_OPERATOR = "raypick.hover"
LEAVE_OPERATOR = "raypick.leave"
WALK_OPERATOR = "raypick.walk"
LOOK_AT_OPERATOR = "raypick.look_at"
PLACE_OPERATOR = "raypick.place"
CLEAR_OPERATOR = "raypick.clear"

COPY_OPERATOR = "raypick.copy"
COPY_REPORT_OPERATOR = "raypick.copy_report"

SELECT_OBJECT_OPERATOR = "raypick.select_object"
SELECT_ELEMENT_OPERATOR = "raypick.select_element"
CURSOR_OPERATOR = "raypick.cursor_to_hit"
ADD_EMPTY_OPERATOR = "raypick.add_empty"
FRAME_OPERATOR = "raypick.frame_hit"

SHOW_RECORD_OPERATOR = "raypick.show_record"
REMOVE_RECORD_OPERATOR = "raypick.remove_record"
SAVE_HISTORY_OPERATOR = "raypick.save_history"
CLEAR_HISTORY_OPERATOR = "raypick.clear_history"
EXPORT_HISTORY_OPERATOR = "raypick.export_history"

LEAVE_OUT_OPERATOR = "raypick.leave_out"
TAKE_IN_OPERATOR = "raypick.take_in"

ADD_MEASURE_OPERATOR = "raypick.add_measure"
REMOVE_MEASURE_OPERATOR = "raypick.remove_measure"
HIDE_MEASURE_OPERATOR = "raypick.hide_measure"
SELECT_MEASURED_OPERATOR = "raypick.select_measured"

EXPORT_LANDMARKS_OPERATOR = "raypick.export_landmarks"
IMPORT_LANDMARKS_OPERATOR = "raypick.import_landmarks"
COPY_LANDMARK_TABLE_OPERATOR = "raypick.copy_landmark_table"
ADD_LANDMARK_EMPTIES_OPERATOR = "raypick.add_landmark_empties"

PICK_TOOL = "raypick.pick_tool"
MAIN_PANEL = "RAYPICK_PT_main"
HISTORY_LIST = "RAYPICK_UL_history"
SIDEBAR_TAB = "Raypick"
