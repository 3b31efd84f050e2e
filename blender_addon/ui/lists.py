# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of the sidebar: the picks of the history, and an object's landmarks and measures.

Blender lists only its own kind of collections. Ours belong to the window manager, which is not
saved, and their rows hold only numbers. The items that rows show are kept elsewhere: undo, scripts
and the choice of another object replace them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

import bpy
from bpy.app.translations import pgettext_iface
from bpy.props import CollectionProperty, FloatVectorProperty, IntProperty, StringProperty

from .. import formatting, idnames, registration
from ..bridge.landmarks import storage
from ..model.landmarks.document import Document
from ..model.landmarks.landmark import Color, Landmark, Names
from ..model.landmarks.landmark_set import LandmarkSet
from ..model.landmarks.measure import Measure
from ..model.record import PickRecord
from ..options import declare
from ..session import active_landmarks, current, history, redraw, undo
from ..settings import present
from ..standalone_core import RaypickError
from ..translations import reasons
from .rows import SidebarPanel, is_narrow

_GRAY: Color = (0.5, 0.5, 0.5)
_DIGITS = 1e-6  # how much single precision may change a color that was not set
_SWATCH_UNITS = 0.5  # the width of a color's button
_NAME_SHARE = 0.55  # the share of a measure's row that its name takes


class RowList(bpy.types.UIList):
    """Base of the lists.

    All windows share the rows. If they list different numbers of items, there are rows for the
    longest list, and the shorter ones hide those that they do not need.
    """

    row: ClassVar[type[bpy.types.PropertyGroup]]
    collection: ClassVar[str]  # the property of the window manager that holds the rows
    active: ClassVar[str]  # and the one that holds the active row's number
    tooltip: ClassVar[str] = ""  # the property of a row that holds its tooltip

    @classmethod
    def listed(cls) -> Sequence[Any]:
        """The items listed in the window of the context, in the order of the rows."""
        raise NotImplementedError

    @classmethod
    def item(cls, row: Any) -> Any:
        """The item that a row shows; None if it is gone."""
        every = cls.listed()
        return every[row.number] if row.number < len(every) else None

    @classmethod
    def chosen(cls) -> int:
        """The number of the active row; -1 for none."""
        raise NotImplementedError

    @classmethod
    def choose(cls, number: int) -> None:
        """Make another row the active one."""
        raise NotImplementedError

    @staticmethod
    def draw_row(context: bpy.types.Context, line: bpy.types.UILayout, row: Any, item: Any) -> None:
        """Draw an item into its row."""
        raise NotImplementedError

    @staticmethod
    def searched(item: Any) -> str:
        """The text of an item that the user's search must match."""
        return str(item.name)

    @classmethod
    def add_to(cls, layout: bpy.types.UILayout, context: bpy.types.Context, rows: int) -> None:
        """Draw the list, with so many rows unless the user enlarges it."""
        manager = context.window_manager
        layout.template_list(
            *(cls.bl_idname, "", manager, cls.collection, manager, cls.active),
            item_dyntip_propname=cls.tooltip,
            rows=rows,
        )

    def draw_item(
        self,
        context: bpy.types.Context | None,
        layout: bpy.types.UILayout,
        _data: object,
        row: Any,
        _icon: int | None,
        _active_data: object,
        _active_property: str | None,
        *_: object,
    ) -> None:
        item = self.item(row)
        if item is not None and context is not None:
            self.draw_row(context, layout.row(align=True), row, item)

    def filter_items(self, _context: object, data: object, name: str) -> Any:
        """Show the rows that match the user's search, and none that only other windows need."""
        rows = getattr(data, name)
        found = flags(self, map(self.searched, self.listed()), len(rows))
        is_sorted = self.use_filter_sort_alpha
        return found, bpy.types.UI_UL_list.sort_items_by_name(rows, "name") if is_sorted else []


def flags(shown: Any, names: Iterable[str], count: int) -> list[int]:
    """Filter flags of so many rows; a list shows those whose names match the user's search."""
    sought: str = shown.filter_name.casefold()
    found = [shown.bitflag_filter_item * (sought in name.casefold()) for name in names]
    return [*found, *[0] * count][:count]


# The history


def _when_and_where(row: Any) -> str:
    record: PickRecord | None = RAYPICK_UL_history.item(row)
    if record is None:
        return ""
    places = [f"{record.when:%Y-%m-%d %H:%M:%S}", record.scene, bpy.path.basename(record.file)]
    text = "\n".join(filter(None, places))
    return text.encode("utf-8", "backslashreplace").decode()  # a path may not be valid UTF-8


class RaypickHistoryRow(bpy.types.PropertyGroup):
    """A pick of the history, by its number counted from the newest."""

    number: IntProperty()
    tooltip: StringProperty(get=_when_and_where)


class RAYPICK_UL_history(RowList):
    """The picks that are remembered, the newest first."""

    bl_idname = idnames.HISTORY_LIST
    row = RaypickHistoryRow
    collection, active = "raypick_history", "raypick_history_active"
    tooltip = "tooltip"

    @classmethod
    def listed(cls) -> Sequence[PickRecord]:
        return history.records()

    @classmethod
    def chosen(cls) -> int:
        kept = current.kept()
        return next((number for number, each in enumerate(cls.listed()) if each is kept), -1)

    @classmethod
    def choose(cls, number: int) -> None:
        """Show the pick of a row again."""
        current.show(cls.listed()[number])
        redraw.redraw(bpy.context)

    @staticmethod
    def draw_row(
        context: bpy.types.Context, line: bpy.types.UILayout, row: Any, item: PickRecord
    ) -> None:
        """Draw the local time of the pick, and the hit that the user looked at last."""
        if is_narrow(context):
            hit = present(item.hit)
            line.label(text=f"{hit.face}  {hit.object}", translate=False)
            return
        when, hit = item.when.astimezone(), present(item.hit)
        is_today = when.date() == datetime.now().astimezone().date()
        parts = [f"{when:%H:%M:%S}" if is_today else f"{when:%Y-%m-%d %H:%M}"]
        parts += hit.object, str(hit.face)
        if item.rank:
            parts.append(pgettext_iface("{} of {}").format(item.rank + 1, len(item.hits)))
        line.label(text="  ".join(parts), translate=False)
        add = line.operator(idnames.ADD_LANDMARK_OPERATOR, text="", icon="ADD", emboss=False)
        add.record = row.number
        button = line.operator(idnames.REMOVE_RECORD_OPERATOR, text="", icon="X", emboss=False)
        button.number = row.number

    @staticmethod
    def searched(item: PickRecord) -> str:
        return f"{item.when:%Y-%m-%d %H:%M:%S} {present(item.hit).object}"


class RAYPICK_PT_history(SidebarPanel):
    """The last picks, to be shown again, saved and exported."""

    bl_label = "History"
    bl_order = 3
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        records = history.records()
        for text, count in history.troubles():
            layout.label(text=pgettext_iface(text).format(count), icon="ERROR", translate=False)
        if not records:
            layout.label(text="No picks yet", icon="INFO")
            return
        RAYPICK_UL_history.add_to(layout, context, rows=6)
        row = layout.row(align=True)
        names = ("", "") if is_narrow(context) else ("Export", "Save with File")
        row.operator(idnames.EXPORT_HISTORY_OPERATOR, text=names[0], icon="EXPORT")
        row.operator(idnames.SAVE_HISTORY_OPERATOR, text=names[1], icon="FILE_TICK")
        row.operator(idnames.CLEAR_HISTORY_OPERATOR, text="", icon="TRASH")


# The active object's landmarks and measures


class DocumentList(RowList):
    """Base of the lists of items in the active object's document."""

    renaming: ClassVar[str]  # name of the undo step

    @classmethod
    def held_by(cls, document: Document) -> tuple[Any, ...]:
        """The items of a document that are listed."""
        raise NotImplementedError

    @classmethod
    def put(cls, document: Document, changed: Any) -> Document:
        """The document with `changed` in place of the item of the same id."""
        raise NotImplementedError

    @classmethod
    def listed(cls) -> tuple[Any, ...]:
        document = active_landmarks.document(bpy.context)
        return cls.held_by(document) if document else ()

    @classmethod
    def change(cls, row: Any, **values: Any) -> bool:
        """Change the item of a row; return whether that was possible and made a difference."""
        shown = cls.item(row)
        try:
            obj, document = active_landmarks.editable(bpy.context)
        except RaypickError:
            return False
        item = next((each for each in cls.held_by(document) if shown and each.id == shown.id), None)
        if item is None or (changed := replace(item, **values)) == item:
            return False
        storage.write(obj, cls.put(document, changed))
        return True


def _list_of(row: Any) -> type[DocumentList]:
    return next(each for each in _DOCUMENT_LISTS if isinstance(row, each.row))


def _get_name(row: Any) -> str:
    item = _list_of(row).item(row)
    return item.name if item else ""


def _rename(row: Any, text: str) -> None:
    kind = _list_of(row)
    item = kind.item(row)
    if item is None:
        return
    taken = [each.name for each in kind.listed() if each.id != item.id]
    if kind.change(row, name=Names(taken).free(text.strip() or item.name)):
        undo.push(kind.renaming)


def _get_color(row: Any) -> Color:
    item, document = _list_of(row).item(row), active_landmarks.document(bpy.context)
    of = document and document.set
    return (item and item.color) or (of.color if item and of else _GRAY)


def _recolor(row: Any, color: Sequence[float]) -> None:
    pairs = zip(color, _get_color(row), strict=True)
    is_other = any(abs(new - old) > _DIGITS for new, old in pairs)
    if is_other and _list_of(row).change(row, color=tuple(color)):
        undo.push_at_rest("Set Color")


def _landmark_tooltip(row: Any) -> str:
    """The tooltip of a landmark's row: why its place is unknown, or else its description."""
    one: Landmark | None = RAYPICK_UL_landmarks.item(row)
    why = active_landmarks.reason(bpy.context, one.id) if one else None
    if why:
        return reasons.translated(why)
    return one.description if one else ""


_name = declare(StringProperty, get=_get_name, set=_rename)
_color = declare(
    FloatVectorProperty, size=3, min=0.0, max=1.0, subtype="COLOR", get=_get_color, set=_recolor
)


class RaypickLandmarkRow(bpy.types.PropertyGroup):
    """A landmark of the active set, by its number."""

    number: IntProperty()
    name: _name("Name", "Name of the landmark")
    color: _color("Color", "Color of the landmark; by default it is that of its set")
    tooltip: StringProperty(get=_landmark_tooltip)


class RaypickMeasureRow(bpy.types.PropertyGroup):
    """A measure of the active object, by its number."""

    number: IntProperty()
    name: _name("Name", "Name of the measure")


class RAYPICK_UL_landmarks(DocumentList):
    """The landmarks of the active set."""

    bl_idname = idnames.LANDMARK_LIST
    row = RaypickLandmarkRow
    collection, active = "raypick_landmarks", "raypick_landmark_active"
    tooltip = "tooltip"
    renaming = "Rename Landmark"

    @classmethod
    def held_by(cls, document: Document) -> tuple[Landmark, ...]:
        return document.set.landmarks if document.set else ()

    @classmethod
    def put(cls, document: Document, changed: Landmark) -> Document:
        return document.changed(lambda each: changed if each.id == changed.id else each)

    @classmethod
    def chosen(cls) -> int:
        document = active_landmarks.document(bpy.context)
        return document.set.active if document and document.set and document.landmark else -1

    @classmethod
    def choose(cls, number: int) -> None:
        """Select the landmark of a row as a click does, with the modifier keys that are held."""
        operators: Any = bpy.ops
        click = operators.raypick.click_landmark
        how = "EXEC_DEFAULT" if bpy.context.window is None else "INVOKE_DEFAULT"  # reads the keys
        if click.poll():
            click(how, True, landmark=cls.listed()[number].id)

    @staticmethod
    def draw_row(
        context: bpy.types.Context, line: bpy.types.UILayout, row: Any, item: Landmark
    ) -> None:
        """Draw a mark, which is hollow where the landmark is missing, and what can be changed."""
        _draw_mark(context, line, item)
        if not is_narrow(context):
            swatch = line.row()
            swatch.ui_units_x = _SWATCH_UNITS
            swatch.prop(row, "color", text="")
        name = line.row()
        name.active = item.anchor is not None or _is_next(context, item)
        name.prop(row, "name", text="", emboss=False)
        if not is_narrow(context):
            draw_toggles(line, item)


class RAYPICK_UL_measures(DocumentList):
    """The measures of the active object."""

    bl_idname = idnames.MEASURE_LIST
    row = RaypickMeasureRow
    collection, active = "raypick_measures", "raypick_measure_active"
    renaming = "Rename Measure"

    @classmethod
    def held_by(cls, document: Document) -> tuple[Measure, ...]:
        return document.measures

    @classmethod
    def put(cls, document: Document, changed: Measure) -> Document:
        every = (changed if each.id == changed.id else each for each in document.measures)
        return replace(document, measures=tuple(every))

    @classmethod
    def chosen(cls) -> int:
        document = active_landmarks.document(bpy.context)
        return document.active_measure if document and document.measures else -1

    @classmethod
    def choose(cls, number: int) -> None:
        try:
            obj, document = active_landmarks.editable(bpy.context)
        except RaypickError:
            return
        if number != document.active_measure:
            storage.write(obj, replace(document, active_measure=number))
            undo.push("Choose Measure")

    @staticmethod
    def draw_row(
        context: bpy.types.Context, line: bpy.types.UILayout, row: Any, item: Measure
    ) -> None:
        narrow = is_narrow(context)  # it has room for names alone
        split = line if narrow else line.split(factor=_NAME_SHARE)
        split.prop(row, "name", text="", emboss=False)
        found = active_landmarks.shown_measure(context, item.id)
        value = split.row()
        value.active = found is not None and found.is_current
        if found is not None and found.measured.reason is not None:
            value.label(text="", icon="ERROR")
        elif found is not None and not narrow:
            value.label(text=formatting.measured(found.measured, context.scene), translate=False)
        icon: Any = "HIDE_ON" if item.hidden else "HIDE_OFF"
        button = line.operator(idnames.HIDE_MEASURE_OPERATOR, text="", icon=icon, emboss=False)
        button.measure = item.id


def _is_next(context: bpy.types.Context, item: Landmark) -> bool:
    """Whether a landmark is the one that the template asks for next."""
    document = active_landmarks.document(context)
    of = document.set if document else None
    number = of.next_number if of else None
    return of is not None and number is not None and of.landmarks[number].id == item.id


def _draw_mark(context: bpy.types.Context, line: bpy.types.UILayout, item: Landmark) -> None:
    """Draw whether a landmark is placed, lost, missing or next; highlighted if it is selected."""
    icon: Any = "ERROR" if active_landmarks.reason(context, item.id) else "LAYER_ACTIVE"
    operator = idnames.CLICK_LANDMARK_OPERATOR
    if item.anchor is None:
        icon = "FORWARD" if _is_next(context, item) else "RADIOBUT_OFF"
        operator = idnames.ASK_LANDMARK_OPERATOR
    button = line.operator(
        operator, text="", icon=icon, emboss=item.selected, depress=item.selected
    )
    button.landmark = item.id
    if item.anchor is not None:
        button.extend = "TOGGLE"


def draw_toggles(line: bpy.types.UILayout, of: Landmark | LandmarkSet) -> None:
    """Draw the buttons that hide and lock a landmark or set."""
    icons: dict[str, Any] = {
        "hidden": "HIDE_ON" if of.hidden else "HIDE_OFF",
        "locked": "LOCKED" if of.locked else "UNLOCKED",
    }
    for what, icon in icons.items():
        button = line.operator(idnames.TURN_LANDMARK_OPERATOR, text="", icon=icon, emboss=False)
        button.landmark, button.what = of.id, what


# The rows


_DOCUMENT_LISTS: tuple[type[DocumentList], ...] = (RAYPICK_UL_landmarks, RAYPICK_UL_measures)
_LISTS: tuple[type[RowList], ...] = (RAYPICK_UL_history, *_DOCUMENT_LISTS)
_ROWS = registration.Classes(*(each.row for each in _LISTS))


def follow_soon(context: bpy.types.Context) -> None:
    """Update the rows for the active object after drawing, during which none can be changed."""
    manager = context.window_manager
    missing = [
        len(each.listed()) - len(getattr(manager, each.collection)) for each in _DOCUMENT_LISTS
    ]
    if any(missing) if len(manager.windows) < 2 else max(missing) > 0:
        redraw.start_timer(follow, 0.0)


def follow() -> None:
    """Make as many rows as the active objects of all windows need, and redraw the windows."""
    manager = bpy.context.window_manager
    wanted = [0] * len(_DOCUMENT_LISTS)
    for window in manager.windows or [None]:
        with bpy.context.temp_override(window=window):
            counts = (len(each.listed()) for each in _DOCUMENT_LISTS)
            wanted = list(map(max, wanted, counts))
    for kind, count in zip(_DOCUMENT_LISTS, wanted, strict=True):
        _fit(kind, count)
    for window in manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()


def _follow_history() -> None:
    _fit(RAYPICK_UL_history, history.count())


def _fit(kind: type[RowList], count: int) -> None:
    """Give a list so many rows, numbered from 0."""
    rows = getattr(bpy.context.window_manager, kind.collection)
    while len(rows) > count:
        rows.remove(len(rows) - 1)
    for number in range(len(rows), count):
        rows.add().number = number


def _active_property(kind: type[RowList]) -> Any:
    def choose(_manager: bpy.types.WindowManager, number: int) -> None:
        if 0 <= number < len(kind.listed()):
            kind.choose(number)

    return IntProperty(get=lambda _manager: kind.chosen(), set=choose)


def register() -> None:
    """Register the rows, and keep those of the history up to date."""
    _ROWS.register()
    for kind in _LISTS:
        setattr(bpy.types.WindowManager, kind.collection, CollectionProperty(type=kind.row))
        setattr(bpy.types.WindowManager, kind.active, _active_property(kind))
    history.on_change = _follow_history
    _follow_history()


def unregister() -> None:
    """Unregister the rows."""
    history.on_change = None
    for kind in _LISTS:
        if hasattr(bpy.types.WindowManager, kind.collection):
            getattr(bpy.context.window_manager, kind.collection).clear()
        for name in (kind.active, kind.collection):
            if hasattr(bpy.types.WindowManager, name):
                delattr(bpy.types.WindowManager, name)
    _ROWS.unregister()
