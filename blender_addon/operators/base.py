# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes of operators, which say why they cannot run, or run and report what they did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ..model.hit import PickHit
from ..model.record import PickRecord
from ..options import declare
from ..session import current, events, pointing, redraw, undo
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    Result: TypeAlias = set[OperatorReturnItems]
else:
    Result = set

ReportLevel: TypeAlias = Literal["ERROR", "WARNING", "INFO"]

HOTKEYS_KEYMAP = "3D View"

UNSAVED = {"SKIP_SAVE"}
"""Options of properties that start at their default in each call."""

a_flag, a_number, a_text = declare(BoolProperty), declare(IntProperty), declare(StringProperty)


def a_choice(name: str, description: str, *items: tuple[Any, ...], **options: Any) -> Any:
    """Declare a property that is one of some items."""
    return EnumProperty(name=name, description=description, items=items, **options)


class PollOperator(bpy.types.Operator):
    """Base of operators whose button's tooltip says why they cannot be used."""

    edits_mesh = False
    """Whether it changes the mesh in edit mode, whose undo steps then hold the change."""

    pushes_step = False
    """Whether it pushes its undo step itself. In Blender 4, an operator that asks for a file would
    otherwise leave a step even if it fails."""

    @classmethod
    def is_possible(cls, obstacle: str | None) -> bool:
        """Whether there is no obstacle; if there is one, the button's tooltip names it."""
        if obstacle:
            cls.poll_message_set(obstacle)
        return not obstacle

    @classmethod
    def is_over_viewport(cls, context: bpy.types.Context) -> bool:
        """Whether the mouse is over a 3D viewport; if not, the button's tooltip says so."""
        is_over = context.area and context.area.type == "VIEW_3D" and context.region_data
        return cls.is_possible(None if is_over else "The mouse must be over a 3D viewport")

    def finished(
        self, context: bpy.types.Context, message: str | None = None, level: ReportLevel = "INFO"
    ) -> Result:
        """Tell and report what was done, and push an undo step or report that there is none.

        In the latter case return CANCELLED, so that Blender pushes no step and shows no Adjust Last
        Operation panel, which would undo an earlier step.
        """
        events.tell()
        changes = self.pushes_step or "UNDO" in getattr(type(self), "bl_options", ())
        is_undone = undo.covers(context) or (self.edits_mesh and context.mode == "EDIT_MESH")
        is_final = changes and not is_undone and self.options.is_invoke
        if is_final:
            message = undo.with_undo_note(context, message)
        if message:
            self.report({level}, reportable(message))
        if self.pushes_step:
            undo.push(self.bl_label)
        return {"CANCELLED"} if is_final else {"FINISHED"}

    def refused(self, error: RaypickError, level: ReportLevel = "ERROR") -> Result:
        """Report an error in the language of the interface."""
        self.report({level}, reportable(reasons.translated(str(error))))
        return {"CANCELLED"}

    @classmethod
    def has_hits(cls, record: PickRecord | None, least: int = 1) -> bool:
        """Whether a pick has at least `least` hits; if not, the button's tooltip says why."""
        message = "Nothing has been hit yet" if least == 1 else "There is no other hit"
        has_enough = record is not None and len(record.hits) >= least
        return cls.is_possible(None if has_enough else message)


class PointedOption:
    """Mixin of operators that also act on what is under the mouse where a menu was opened."""

    pointed: a_flag(
        "Where the Menu Was Opened",
        "Act on what is under the mouse where the menu was opened, not on the hit that is shown",
        options={"SKIP_SAVE", "HIDDEN"},
    )

    _pointed: PickHit | None = None

    @classmethod
    def is_pointed(cls, context: bpy.types.Context) -> bool:
        """Whether a poll is that of the menu's entry, or of the same entry being adjusted."""
        last: Any = context.active_operator
        is_again = last is not None and last.bl_idname == cls.__name__ and last.properties.pointed
        return is_again or pointing.is_asked(context)

    def pointed_hit(self) -> PickHit:
        """The hit where the menu was opened, the same when adjusted; RaypickError without one."""
        self._pointed = self._pointed or pointing.hit()
        if self._pointed is None:
            raise RaypickError("Nothing hit")
        return self._pointed


class RaypickOperator(PollOperator):
    """Base of operators that do something and report it."""

    level: ReportLevel = "ERROR"
    """How an error is reported; as "INFO", it opens no popup."""

    def run(self, context: bpy.types.Context) -> str | None:
        """Do it, and return the message to report; a RaypickError is reported as an error."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Result:
        try:
            return self.finished(context, self.run(context))
        except RaypickError as error:
            return self.refused(error, self.level)


class QueryOperator(RaypickOperator):
    """Base of operators that query the scene, keep the record and report its hit."""

    def query(self, context: bpy.types.Context) -> PickRecord:
        """Run the query; RaypickError for bad input."""
        raise NotImplementedError

    def keep(self, _context: bpy.types.Context, record: PickRecord) -> PickRecord:
        """Keep the record, or renew the kept one by it; return the one that is kept."""
        current.keep(record)
        return record

    def run(self, context: bpy.types.Context) -> str:
        record = self.keep(context, self.query(context))
        redraw.redraw(context)
        redraw.follow()
        hit = record.hit
        if hit is None:
            return pgettext_rpt("Nothing hit")
        weights = ", ".join(f"{weight:.4f}" for weight in hit.barycentric)
        message = pgettext_rpt("{}: face {}, triangle {}, barycentric ({})")
        return message.format(hit.object, hit.face, hit.triangle, weights)


def reportable(text: str) -> str:
    """The text with bytes of paths that are not UTF-8 escaped, so that Blender can report it."""
    return text.encode("utf-8", "backslashreplace").decode()


def with_ending(operator: Any, endings: Iterable[str], ending: str) -> bool:
    """Give the file name the ending of the chosen format; return whether it changes."""
    before: str = operator.filepath
    old = next((each for each in endings if before.lower().endswith(each)), "")
    operator.filepath = before[: len(before) - len(old)] + ending
    return bool(operator.filepath != before)


def draw_properties(operator: bpy.types.Operator, *names: str) -> None:
    """Draw properties of an operator under each other, their labels in a column."""
    operator.layout.use_property_split = True
    for name in names:
        operator.layout.prop(operator, name)


def hotkeys_keymap(context: bpy.types.Context) -> bpy.types.KeyMap | None:
    """The user's keymap of 3D viewports, which has the hotkeys; None if there is none."""
    configuration = context.window_manager.keyconfigs.user
    return configuration.keymaps.get(HOTKEYS_KEYMAP) if configuration else None


def hotkey_item(context: bpy.types.Context, operator: str) -> bpy.types.KeyMapItem | None:
    """The hotkey of an operator over 3D viewports as the user has set it; None if there is none."""
    keymap = hotkeys_keymap(context)
    items = keymap.keymap_items if keymap is not None else ()
    return next((each for each in items if each.idname == operator and each.active), None)


def hotkey_icons(item: bpy.types.KeyMapItem) -> tuple[str, ...]:
    """The names of the status bar's icons for a hotkey; Blender may lack that of its last key."""
    held = [name for name in ("shift", "ctrl", "alt", "oskey") if getattr(item, name)]
    return (*(f"EVENT_{name.upper().removesuffix('KEY')}" for name in held), f"EVENT_{item.type}")


def draw_hints(header: bpy.types.Header, hints: Mapping[tuple[Any, ...], str]) -> None:
    """Draw into the status bar what keys do, with the icons of the keys."""
    layout = present(header.layout)
    for icons, text in hints.items():
        for icon in icons[:-1]:
            layout.label(text="", icon=icon)
        layout.label(text=pgettext_iface(text), icon=icons[-1], translate=False)
