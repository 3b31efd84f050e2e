# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages, one a module."""

from __future__ import annotations

import bpy

from . import fr, zh_hans

_LANGUAGES = {"fr_FR": fr.TEXTS, "zh_HANS": zh_hans.TEXTS}

# Labels of operators are looked up in a context of their own.
_CONTEXTS = ("*", "Operator")


def register() -> None:
    """Hand all translations to Blender."""
    bpy.app.translations.register(
        __package__,
        {
            locale: {(context, text): texts[text] for context in _CONTEXTS for text in texts}
            for locale, texts in _LANGUAGES.items()
        },
    )


def unregister() -> None:
    """Take them back."""
    bpy.app.translations.unregister(__package__)
