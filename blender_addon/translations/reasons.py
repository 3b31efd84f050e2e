# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons in the language of the interface, such as why a hit has no original face.

They are given in English whatever the language, so that scripts can rely on them.
"""

from __future__ import annotations

import re

from bpy.app.translations import pgettext_iface

_WITH_NAMES = (
    "The attribute {} names no face here",
    "The attribute {} names several faces here",
    "The modifier {} changes the faces",
    "The modifier {} makes faces of its own",
    "The modifier {} may give faces wrong numbers",
    "The modifier {} copies an unknown number of faces",
    "The object {} may give faces wrong numbers",
    "Faces may be missing before the modifier {}",
    "Made by the modifier {}",
)


def translated(reason: str) -> str:
    """A reason given in English, such as a hit's `original_reason`, as the interface shows it."""
    for form in _WITH_NAMES:
        found = re.fullmatch(re.escape(form).replace(r"\{\}", "(.+)"), reason)
        if found:
            return pgettext_iface(form).format(found[1])
    return pgettext_iface(reason)
