# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a saved history cannot be read or written, in English; the interface translates it."""

from __future__ import annotations

UNREADABLE = "The history saved in this file cannot be read"
UNREADABLE_PICKS = "Picks saved in this file that cannot be read: {}"
NEWER = "A newer Raypick saved the history in this file"
TOO_LARGE = "The history saved in this file is too large"
TOO_MANY = "The file holds too many picks: delete raypick_history in its scenes' custom properties"
