# SPDX-License-Identifier: GPL-3.0-or-later
"""How Blender lays out panels, headers and menus, computed inside a windowed Blender.

Blender does not tell where it cuts texts. So this lays out again what the interface draws, by the
rules of Blender's own layouts. A test compares it with pixels.
"""

from types import SimpleNamespace

import blf
import bpy
from bl_ext.user_default.raypick import ui
from bpy.app.translations import pgettext_iface

MARGINS = 56
"""What a sidebar's tabs and the edges of its panels take of its width."""

POPOVER_MARGINS = 22
"""What the edges of a popover take."""

TITLE = 90
"""What the header of a panel needs beside its title and what is at its right."""

UNIT, SPACE, BOX = 20, 8, 10
"""The height of a button, what is between items, and what the edges of a box take."""

ICON, ARROW, POPOVER_ARROW, CHECKBOX = 20, 15, 8, 23
AROUND = {"label": 2, "operator": 5, "menu": 5, "value": 10}
LABEL_ICON = 6
"""What a text needs besides its own width; before a label's text there is more after an icon."""

NATURAL = {"label": (5, 30), "operator": (30, 5), "menu": (30, 5), "value": (30, 5)}
"""How much wider than its text Blender makes what need not fill its line; and for an icon."""

TEXT_UNITS, LEAST_UNITS = 10, 2
"""The width of a text that shares a line, before it is fitted; and what it keeps, fitted."""

PROPERTY_SHARE = 0.4
"""Of a line's width, for the label of a property."""


class Button:
    """Something in a layout with a text, an icon or both."""

    alignment, name = "EXPAND", None

    def __init__(self, layout, kind, text, icon="NONE", extra=0.0):
        around = AROUND[kind] + extra if text else 0.0
        beside = ICON if icon != "NONE" else 0.0
        if text and beside and kind == "label":
            beside += LABEL_ICON
        self.text, self.need = text, text_width(text) + around + beside
        self.is_fixed = not text and bool(beside)
        self.width = TEXT_UNITS * UNIT
        if self.is_fixed:
            self.width = beside
        elif layout.is_free():
            plain, with_icon = NATURAL[kind]
            self.width = text_width(text) + plain + (with_icon if beside else 0)
        self.height = UNIT

    def natural(self):
        return self.width

    def lacks(self, width):
        return [round(self.need - width)] if self.text else []

    def texts(self):
        return [self.text] if self.text else []

    def names(self):
        return {self.name} - {None}


class Gap:
    """A separator."""

    alignment, is_fixed, height, text = "EXPAND", True, 6, ""

    def natural(self):
        return 6

    def lacks(self, _width):
        return []

    def texts(self):
        return []

    def names(self):
        return set()


class Layout:
    """Stands in for ``UILayout``, with widths for an interface scale of 1."""

    def __init__(self, way="column", above=None, align=False, factor=0.0):
        self.way, self.above, self.align, self.factor = way, above, align, factor
        self.alignment, self.ui_units_x, self.items, self.heading = "EXPAND", 0.0, [], ""
        self.use_property_split = above.use_property_split if above else False

    def is_free(self):
        """Whether its texts are as wide as they need to be, as those of headers are."""
        is_header = self.above is None and self.way == "header"
        above = self.above is not None and self.above.way == "header" and self.above.is_free()
        return is_header or above or self.alignment != "EXPAND"

    def add(self, item):
        self.items.append(item)
        return item

    def column(self, align=False, heading="", **_options):
        column = self.add(Layout("column", self, align))
        column.heading = heading
        return column

    def row(self, align=False, **_options):
        way = "header" if self.way == "header" else "row"
        return self.add(Layout(way, self, align))

    def split(self, factor=0.0, align=False):
        return self.add(Layout("split", self, align, factor))

    def box(self):
        return self.add(Layout("box", self))

    # What Blender's layouts are filled with

    def label(self, text="", icon="NONE", translate=True, **_options):
        self.add(Button(self, "label", pgettext_iface(text) if translate else text, icon))

    def operator(self, name, text=None, icon="NONE", translate=True, **_options):
        if text is None:
            kind = getattr(bpy.types, f"RAYPICK_OT_{name.partition('.')[2]}")
            text, translate = kind.bl_label, True
        text = pgettext_iface(text, "Operator") if translate else text
        self.add(Button(self, "operator", text, icon)).name = name
        return SimpleNamespace()

    def menu(self, name, text=None, icon="NONE", translate=True, **_options):
        text = getattr(bpy.types, name).bl_label if text is None else text
        text = pgettext_iface(text) if translate else text
        self.add(Button(self, "menu", text, icon, extra=ARROW)).name = name

    def popover(self, panel, text=None, icon="NONE", **_options):
        self.menu(panel, text, icon)
        if text == "":
            self.items[-1].width += POPOVER_ARROW

    def progress(self, text="", **_options):
        self.add(Button(self, "operator", text))

    def prop(self, data, name, text=None, emboss=True, **_options):
        rna = data.bl_rna.properties[name]
        text = pgettext_iface(rna.name if text is None else text)
        if rna.type == "BOOLEAN":
            place = (
                self.split_off(pgettext_iface(self.heading)) if self.use_property_split else self
            )
            place.add(Button(place, "label", text, extra=CHECKBOX))
            self.heading = ""
        elif not emboss or rna.subtype == "COLOR":  # what the user wrote, or a swatch
            self.add(Button(self, "label", ""))
        elif text and self.use_property_split:
            split = self.split_off(text)
            split.add(Button(split, "value", longest(data, rna), extra=ARROW))
        else:
            if text:
                self.label(text=text, translate=False)
            self.add(Button(self, "value", longest(data, rna), extra=ARROW))

    def split_off(self, text):
        """The line of a property, with its label or heading."""
        split = self.split(factor=PROPERTY_SHARE)
        left = split.row()
        left.alignment = "RIGHT"
        left.label(text=text, translate=False)
        return split

    def template_list(self, kind, _id, _data, _rows, *_arguments, **_options):
        """Draw the rows, whose names the user has written, into a box."""
        kind, box = getattr(bpy.types, kind), self.box()
        for row in getattr(bpy.context.window_manager, kind.collection):
            if (item := kind.item(row)) is not None:
                kind.draw_row(bpy.context, box.row(align=True), row, item)

    def separator(self, **_options):
        self.add(Gap())

    # How Blender lays it out

    @property
    def is_across(self):
        return self.way in ("row", "header")

    @property
    def is_fixed(self):
        if self.way in ("split", "box"):
            return False
        return self.alignment != "EXPAND" or all(each.is_fixed for each in self.items)

    @property
    def height(self):
        heights = [each.height for each in self.items]
        return max(heights, default=0) if self.way not in ("column", "box") else sum(heights)

    def spaces(self):
        return 0 if self.align else SPACE * max(0, len(self.items) - 1)

    def natural(self):
        """How wide Blender makes it before it is fitted."""
        if self.ui_units_x:
            return self.ui_units_x * UNIT
        widths = [each.natural() for each in self.items]
        if self.is_across or self.way == "split":
            return sum(widths) + self.spaces()
        return max(widths, default=0.0) + (BOX if self.way == "box" else 0)

    def lacks(self, width):
        """How many pixels each text lacks; less than none where there is more room."""
        if self.alignment != "EXPAND":
            width = min(width, self.natural())
        if self.is_across:
            widths = self.across(width - self.spaces())
        elif self.way == "split":
            free = width - self.spaces()
            rest = free * (1.0 - self.factor) / max(1, len(self.items) - 1)
            widths = [free * self.factor, *[rest] * (len(self.items) - 1)]
        else:
            widths = [width - (BOX if self.way == "box" else 0)] * len(self.items)
        return [
            lack for item, own in zip(self.items, widths, strict=True) for lack in item.lacks(own)
        ]

    def across(self, free):
        """The widths of items beside each other: small ones are fixed, the others share the rest.

        What is fixed shrinks too where it does not fit.
        """
        widths = [each.natural() for each in self.items]
        if self.alignment != "EXPAND" or self.is_free():
            share = min(1.0, free / (sum(widths) or 1.0))
            return [each * share for each in widths]
        are_free = ("RIGHT", "CENTER") if self.is_fixed else ()
        fixed = {
            at: widths[at]
            for at, each in enumerate(self.items)
            if each.is_fixed and each.alignment not in are_free
        }
        while True:
            rest = {at: each for at, each in enumerate(widths) if at not in fixed}
            left = max(0.0, free - sum(fixed.values()))
            share = left / (sum(rest.values()) or 1.0)
            least = {at: min(each, LEAST_UNITS * UNIT) for at, each in rest.items()}
            small = {at: least[at] for at, each in rest.items() if each * share < least[at]}
            if not small:
                break
            fixed |= small
        shrunk = min(1.0, free / (sum(fixed.values()) or 1.0))
        return [
            fixed[at] * shrunk if at in fixed else each * share for at, each in enumerate(widths)
        ]

    def cut(self, width):
        """The texts that do not fit, and how many pixels they lack."""
        lacks = zip(self.texts(), self.lacks(width), strict=True)
        return [[text, lack] for text, lack in lacks if lack > 0]

    def texts(self):
        return [text for item in self.items for text in item.texts()]

    def names(self):
        """What its buttons call: operators, menus and panels."""
        return set().union(*(item.names() for item in self.items))


def longest(data, rna):
    """The widest text that a field may show."""
    if rna.type == "ENUM":
        return max((pgettext_iface(each.name) for each in rna.enum_items), key=text_width)
    return "0.000 px" if rna.type in ("FLOAT", "INT") else ""


def scale():
    return bpy.context.preferences.system.ui_scale


def text_width(text):
    """The width of a text in pixels at an interface scale of 1."""
    blf.size(0, 11 * scale())
    return blf.dimensions(0, text)[0] / scale()


def drawn(kind, part="draw", way="column"):
    """What a panel or menu draws."""
    layout = Layout(way)
    getattr(kind, part)(SimpleNamespace(layout=layout, bl_label=kind.bl_label), bpy.context)
    return layout


def cut_off(width):
    """For each panel of a sidebar of a width: the texts that do not fit, and what they lack."""
    free, found = width / scale() - MARGINS, {}
    for panel in ui.PANELS:
        if panel.bl_region_type != "UI":
            free = panel.bl_ui_units_x * UNIT - POPOVER_MARGINS
        elif hasattr(panel, "draw_header_preset"):
            title = text_width(pgettext_iface(panel.bl_label)) + TITLE
            lack = title + drawn(panel, "draw_header_preset", "header").natural() - width / scale()
            if lack > 0:
                found[f"header of {panel.__name__}"] = round(lack)
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            cut = drawn(panel).cut(free)
            if cut:
                found[panel.__name__] = cut
    return found


def called():
    """What the buttons in the panel of the pick call."""
    header = drawn(ui.PANELS[0], "draw_header_preset", "header")
    return sorted(drawn(ui.PANELS[0]).names() | header.names())


def too_high(most):
    """The menus that are higher than so many pixels, and their heights.

    Those in Blender's context menus are left out: they ask what is under an open menu.
    """
    names = [each for each in dir(bpy.types) if each.startswith("RAYPICK_MT_")]
    heights = {
        name: drawn(getattr(bpy.types, name)).height for name in names if "pointed" not in name
    }
    return {name: height for name, height in heights.items() if height > most}
