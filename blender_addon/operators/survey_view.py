# SPDX-License-Identifier: GPL-3.0-or-later
"""Survey View: a ray through every pixel of a view, and an image of what they hit."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt, pgettext_tip

from .. import idnames
from ..bridge import survey_image
from ..bridge.batch.columns import IMAGES
from ..bridge.query import SceneChangedError
from ..options import SurveyOptions, take_preferences
from ..session import redraw, survey
from ..session.survey import Survey
from ..settings import present
from ..standalone_core import RaypickError
from . import inspect
from .base import PollOperator, Result, a_choice

_PAUSE_SECONDS = 0.01
"""Between steps, for Blender to handle events and draw."""

_PROGRESS_UNITS = 10
"""The width of the progress in the status bar."""

KIND_ITEMS = tuple((kind, image.label, image.tooltip) for kind, (_, image) in IMAGES.items())

SOURCE_ITEMS = (
    ("VIEW", "Viewport", "All pixels of the 3D viewport, and what it shows there"),
    ("CAMERA", "Render Camera", "All pixels of a render through the scene's camera"),
)

_operator: RAYPICK_OT_survey_view | None = None


class RAYPICK_OT_survey_view(SurveyOptions, PollOperator):
    """Cast rays step by step, while Blender stays usable, and make an image of their hits.

    Options that the caller does not set come from the user's preferences.
    """

    bl_idname = idnames.SURVEY_OPERATOR
    bl_label = "Survey View"
    bl_description = (
        "Cast a ray through every pixel of a view, and make an image of what they hit. "
        "Esc stops, and keeps what is done"
    )
    bl_options = {"UNDO"}

    kind: a_choice("Kind", "What the image shows", *KIND_ITEMS)
    source: a_choice("Source", "What is looked through", *SOURCE_ITEMS)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """Say what the image of a menu's entry shows."""
        _, image = IMAGES[properties.kind]
        return f"{pgettext_tip(image.tooltip)}.\n{pgettext_tip(cls.bl_description)}"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        is_playing = context.screen is not None and context.screen.is_animation_playing
        obstacle = "Stop the animation first" if is_playing else None
        return cls.is_possible("A survey is running" if _operator is not None else obstacle)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Begin; each tick of a timer casts more rays."""
        global _operator
        begun = self._begin(context)
        if begun is None:
            return {"CANCELLED"}
        inspect.stop()  # both have hints in the status bar
        self._survey, self.wants_end = begun, False
        manager, self.workspace = context.window_manager, context.workspace
        self.timer = manager.event_timer_add(_PAUSE_SECONDS, window=context.window)
        manager.modal_handler_add(self)
        survey.running = begun
        _operator = self
        self._show_progress(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Cast more rays at each tick, and stop at Esc; pass on all other events."""
        if _operator is not self:  # it was stopped, and its timer removed
            return {"CANCELLED", "PASS_THROUGH"}
        is_escape = event.type == "ESC" and event.value == "PRESS"
        if event.type != "TIMER" and not is_escape:
            return {"PASS_THROUGH"}
        problem = None
        try:
            more = not (is_escape or self.wants_end) and self._survey.step()
        except RaypickError as error:
            more, problem = False, error
        except Exception:
            stop()  # after an error, nothing else would end it
            raise
        if more:
            self._show_progress(context)
            return {"RUNNING_MODAL"}
        stop()
        return self._keep(context, self._survey, problem)

    def cancel(self, _context: bpy.types.Context) -> None:
        """Stop, as Blender closes the window or loads another file."""
        if _operator is self:
            stop()

    def execute(self, context: bpy.types.Context) -> Result:
        """Cast all rays at once."""
        begun, problem = self._begin(context), None
        if begun is None:
            return {"CANCELLED"}
        try:
            while begun.step():
                pass
        except RaypickError as error:
            problem = error
        return self._keep(context, begun, problem)

    def _begin(self, context: bpy.types.Context) -> Survey | None:
        """The survey; None after an error, which is reported."""
        take_preferences(self, SurveyOptions)
        try:
            return Survey(context, self.kind, self.source == "CAMERA", self.query_options())
        except RaypickError as error:
            self.refused(error)
            return None

    def _keep(
        self, context: bpy.types.Context, done: Survey, problem: RaypickError | None
    ) -> Result:
        if problem is not None and not isinstance(problem, SceneChangedError):
            self.refused(problem)
        if not done.share:
            return {"CANCELLED"}
        image = done.image()
        window = context.window
        is_shown = window is not None and (
            survey_image.show(image, window)
            or (self.options.is_invoke and survey_image.open_editor(image, window))
        )
        if done.share == 1.0:
            text = (
                "{} is in the Image Editor" if is_shown else "{} can be opened in an Image Editor"
            )
            return self.finished(context, pgettext_rpt(text).format(image.name))
        form = "The scene changed: {} is as it was, up to {} %"
        text = form if problem else "Stopped: {} has what was done, {} %"
        message = pgettext_rpt(text).format(image.name, int(100.0 * done.share))
        return self.finished(context, message, "WARNING")

    def _show_progress(self, context: bpy.types.Context) -> None:
        present(self.workspace).status_text_set(_draw_status)
        redraw.redraw_sidebars(context)


class RAYPICK_OT_stop_survey(PollOperator):
    bl_idname = idnames.STOP_SURVEY_OPERATOR
    bl_label = "Stop Survey"
    bl_description = "Stop, and make the image of what is done"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return cls.is_possible(None if _operator is not None else "No survey is running")

    def execute(self, _context: bpy.types.Context) -> Result:
        """Ask the survey to end at its next tick, with its own undo step and report."""
        present(_operator).wants_end = True
        return {"FINISHED"}


def stop() -> None:
    """End the survey that runs, if one does, and take back all that it shows."""
    global _operator
    ended, _operator = _operator, None
    survey.running = None
    if ended is None:
        return
    bpy.context.window_manager.event_timer_remove(ended.timer)
    for workspace in bpy.data.workspaces:
        if workspace == ended.workspace:
            workspace.status_text_set(None)
    redraw.redraw_sidebars(bpy.context)


def _draw_status(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    layout = present(header.layout)
    layout.label(text="", icon="EVENT_ESC")
    layout.separator(factor=0.5)
    layout.label(text="Stop, and Keep What Is Done")
    if survey.running is not None:
        row = layout.row()
        row.ui_units_x = _PROGRESS_UNITS
        draw_progress(row, survey.running)


def draw_progress(layout: bpy.types.UILayout, running: Survey) -> None:
    """Draw the title of the image, and how much of it is done."""
    title = pgettext_iface(running.label)
    layout.progress(factor=running.share, text=f"{title} {running.share:.0%}")
