# SPDX-License-Identifier: GPL-3.0-or-later
"""How wide panels' labels are, measured inside a windowed Blender: which do not fit."""

from types import SimpleNamespace

import blf
import bpy
from bl_ext.user_default.raypick.ui import PANELS
from bpy.app.translations import pgettext_iface

MARGINS = 55
"""What a sidebar's tabs, its panels and the panels within them take of its width."""

UNIT = 20
"""The height of a button, and the width of its icon; what stands around a text is 0.4 of it."""

PROPERTY_SHARE = 0.4
"""Of a line's width, for the label of a property; a checkbox has the rest for its own."""


class Measured:
    """Stands in for ``UILayout``, and knows how wide a layout must be for all texts in it.

    Beside each other, items need the sum of their widths, and in a split what their shares demand.
    """

    def __init__(self, across=False, need=0.0, text=""):
        self.across, self.need, self.text = across, need, text
        self.items, self.shares, self.ui_units_x = [], [], 0.0
        self.use_property_split = True

    def add(self, **options):
        self.items.append(Measured(**options))
        return self.items[-1]

    def column(self, **_options):
        return self.add()

    box = column

    def row(self, **_options):
        return self.add(across=True)

    def split(self, factor, **_options):
        split = self.add(across=True)
        split.shares = [factor, 1.0 - factor]
        return split

    def label(self, text="", icon="NONE", translate=True, **_options):
        text = pgettext_iface(text) if translate else text
        self.add(need=width_of(text, icon), text=text)

    def operator(self, name, text=None, icon="NONE", translate=True, **_options):
        if text is None:
            kind = getattr(bpy.types, f"RAYPICK_OT_{name.partition('.')[2]}")
            text, translate = pgettext_iface(kind.bl_label, "Operator"), False
        self.label(text, icon, translate)
        return SimpleNamespace()

    def prop(self, data, name, text=None, **_options):
        rna = data.bl_rna.properties[name]
        text = pgettext_iface(rna.name if text is None else text)
        is_checkbox = rna.type == "BOOLEAN"
        share = 1.0 - PROPERTY_SHARE if is_checkbox else PROPERTY_SHARE
        share = share if self.use_property_split else 1.0
        self.add(need=width_of(text, "CHECKBOX_HLT" if is_checkbox else "NONE") / share, text=text)

    def menu(self, _name, text=None, icon="NONE", **_options):
        self.label(text or "", icon)

    def template_list(self, *_arguments, **_options):
        pass

    progress = separator = template_list

    def natural(self):
        """How wide it must be, in pixels."""
        if self.ui_units_x:
            return self.ui_units_x * UNIT * scale()
        needs = [item.natural() for item in self.items]
        if self.shares:
            return max(need / share for need, share in zip(needs, self.shares, strict=True))
        return self.need + (sum(needs) if self.across else max(needs, default=0.0))

    def lines(self):
        """What stands below each other in it."""
        if self.across or not self.items:
            return [self]
        return [line for item in self.items for line in item.lines()]

    def texts(self):
        own = [self.text] if self.text else []
        return own + [text for item in self.items for text in item.texts()]


def scale():
    return bpy.context.preferences.system.ui_scale


def width_of(text, icon):
    blf.size(0, 11 * scale())
    of_text = blf.dimensions(0, text)[0] + 0.4 * UNIT * scale() if text else 0.0
    return of_text + (icon != "NONE") * UNIT * scale()


def drawn_lines():
    """The lines of all panels that are there."""
    layout = Measured()
    for panel in PANELS:
        if not hasattr(panel, "poll") or panel.poll(bpy.context):
            panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.lines()


def cut_off(width):
    """The lines that do not fit into a sidebar of a width: their texts, and how much they lack."""
    free = width - MARGINS * scale()
    return [
        [*line.texts(), round(line.natural() - free)]
        for line in drawn_lines()
        if line.natural() > free
    ]
