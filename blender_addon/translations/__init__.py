# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface in other languages: a JSON file of texts for each, from English."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

LOCALES = ("fr_FR", "zh_HANS")

# Labels of operators are looked up in a context of their own.
_CONTEXTS = ("*", "Operator")


def texts(locale: str) -> dict[str, str]:
    """The texts of a language by the English ones."""
    file = Path(__file__).with_name(f"{locale}.json")
    translated: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return translated


def register() -> None:
    """Give all translations to Blender."""
    bpy.app.translations.register(
        __package__,
        {
            locale: {(c, text): other for text, other in texts(locale).items() for c in _CONTEXTS}
            for locale in LOCALES
        },
    )


def unregister() -> None:
    """Take the translations back."""
    bpy.app.translations.unregister(__package__)
