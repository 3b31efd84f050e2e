# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations of the interface: a JSON file for each language, by English text."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

LOCALES = ("fr_FR", "zh_HANS")

# Blender looks up labels of operators in a translation context of their own.
_CONTEXTS = ("*", "Operator")


def texts(locale: str) -> dict[str, str]:
    """Read the translations of a language, by English text."""
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
    """Remove the translations."""
    bpy.app.translations.unregister(__package__)
