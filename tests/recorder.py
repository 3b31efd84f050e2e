# SPDX-License-Identifier: GPL-3.0-or-later
"""A layout that writes down what a panel draws. It also runs inside a windowed Blender."""

from types import SimpleNamespace


class Recorder:
    """Stands in for ``UILayout``: `labels` are the texts drawn, `copied` what buttons copy."""

    def __init__(self):
        self.labels = []
        self.buttons = []

    def label(self, text="", **_options):
        self.labels.append(text)

    def operator(self, name, **_options):
        button = SimpleNamespace(name=name, text="")
        self.buttons.append(button)
        return button

    def separator(self):
        pass

    def column(self, **_options):
        return self

    row = split = column

    @property
    def copied(self):
        return [button.text for button in self.buttons if button.name == "raypick.copy"]


def drawn(panel, context):
    """What a panel class draws in a context."""
    layout = Recorder()
    panel.draw(SimpleNamespace(layout=layout), context)
    return layout
