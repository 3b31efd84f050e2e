# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand that counts what it presses, and sees where the entries of the menus are that it opens."""

import time

import numpy as np

MENU_COLOR = """
[round(255 * part) for part in
 bpy.context.preferences.themes[0].user_interface.wcol_menu_back.inner[:3]]
"""
_LETTERS = {" ": "SPACE", ",": "COMMA"}
_LEAST, _MOST = 4, 24
"""Between these heights is an entry of a menu; lines that part entries are lower."""


class Hand:
    """One mouse and one keyboard over Blender's first window.

    A click, a key with what is held meanwhile, and Enter count one each. Moves of the mouse, and
    letters typed into a field, count nothing.
    """

    def __init__(self, blender):
        self._blender = blender
        self._at = 0, 0
        self.count = 0

    def move(self, x, y):
        """Move the mouse, by two steps as a button takes notice of a mouse that comes to it."""
        for self._at in ((int(x) - 1, int(y)), (int(x), int(y))):
            self._event("MOUSEMOVE", "NOTHING")

    def click(self, x, y, button="LEFTMOUSE", **held):
        """Click a mouse button somewhere."""
        self.move(x, y)
        self.key(button, **held)

    def key(self, key, **held):
        """Press a key or a button where the mouse is."""
        self.count += 1
        self._press(key, **held)

    def type(self, text):
        """Type a text into the field that has the keyboard."""
        for each in text:
            self._press(_LETTERS.get(each, each.upper()), unicode=each)

    def menu(self, act, *arguments):
        """Do what opens a menu; return where its entries are, the first one first."""
        before = self._menus()
        act(*arguments)
        entries, end = None, time.monotonic() + 20
        while True:
            seen, entries = entries, self._entries(before)
            if entries and entries == seen:  # it is drawn to its end
                return entries
            assert time.monotonic() < end, "no menu has opened"
            time.sleep(0.05)

    def _press(self, key, **options):
        self._event(key, "PRESS", **options)
        options.pop("unicode", None)
        self._event(key, "RELEASE", **options)

    def _event(self, kind, value, **options):
        x, y = self._at
        given = {"type": kind, "value": value, "x": x, "y": y, **options}
        window = "bpy.context.window_manager.windows[0]"
        self._blender.py(f"{window}.event_simulate(**{given!r})\nresult = None")

    def _menus(self):
        """Which pixels (H, W) have the color of menus."""
        return (self._blender.pixels() == self._blender.py(MENU_COLOR)).all(axis=2)

    def _entries(self, before):
        """The middles of the entries of the menu that has come nearest to the mouse; or none."""
        now = self._menus()
        new = np.argwhere(now & ~before)
        if not len(new):
            return []
        seed = new[np.abs(new - self._at[::-1]).sum(axis=1).argmin()]
        left, right, bottom, top = _box(now, seed)
        is_text = ~now[bottom : top + 1, left + 6 : right - 5].all(axis=1)
        edges = np.flatnonzero(np.diff(np.pad(is_text.astype(int), 1))).reshape(-1, 2)
        middles = [bottom + (a + b) // 2 for a, b in edges if _LEAST <= b - a <= _MOST]
        return [((left + right) // 2, int(y)) for y in reversed(middles)]


def _box(mask, seed):
    """Left, right, bottom and top of the part of a mask (H, W) that is connected with a pixel."""
    found, border = set(), [tuple(map(int, seed))]
    while border:
        y, x = border.pop()
        inside = 0 <= y < mask.shape[0] and 0 <= x < mask.shape[1]
        if inside and mask[y, x] and (y, x) not in found:
            found.add((y, x))
            border += (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)
    ys, xs = zip(*found, strict=True)
    return min(xs), max(xs), min(ys), max(ys)
