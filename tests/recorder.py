# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that writes down what panels draw. It also runs inside a windowed Blender."""

from types import SimpleNamespace


class Recorder:
    """Stands in for ``UILayout``: `labels` are the texts drawn, `copied` what buttons copy."""

    def __init__(self):
        self.labels = []
        self.buttons = []
        self.properties = []
        self.menus = []
        self.enabled = True

    def label(self, text="", **_options):
        self.labels.append(text)

    def operator(self, name, text=None, **_options):
        button = SimpleNamespace(name=name, label=text, text="", value="", enabled=self.enabled)
        self.buttons.append(button)
        return button

    def prop(self, _data, name, text=None, **_options):
        self.properties.append(name)
        if text is not None:
            self.labels.append(text)

    def prop_search(self, _data, name, *_rest, **_options):
        self.properties.append(name)

    def menu(self, name, **_options):
        self.menus.append(name)

    def popover(self, panel, **_options):
        self.menus.append(panel)

    def separator(self, **_options):
        pass

    def progress(self, text="", **_options):
        self.labels.append(text)

    def template_list(self, _kind, _identifier, _data, name, *_rest, **_options):
        self.properties.append(name)

    def column(self, **_options):
        return self

    row = split = column

    @property
    def copied(self):
        return [button.text for button in self.buttons if button.name == "raypick.copy"]


def drawn(panels, context):
    """What panel classes draw in a context, those that are there in it."""
    layout = Recorder()
    for panel in panels:
        if not hasattr(panel, "poll") or panel.poll(context):
            drawing = SimpleNamespace(layout=layout)
            for name in ("draw_header_preset", "draw"):
                if hasattr(panel, name):
                    getattr(panel, name)(drawing, context)
    return layout
