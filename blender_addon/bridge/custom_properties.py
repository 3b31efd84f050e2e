# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties of data-blocks, which anybody may have written."""

from __future__ import annotations

import bpy


def held(block: bpy.types.ID, key: str) -> object:
    """The value of a custom property; None if there is none, or its text is not UTF-8."""
    try:
        return block.get(key)
    except ValueError:
        return None


def text(block: bpy.types.ID, key: str) -> str | None:
    """The text of a custom property; None if it is not a text."""
    found = held(block, key)
    return found if isinstance(found, str) else None
