# SPDX-License-Identifier: GPL-3.0-or-later
"""What several operators need before they can be used."""

from __future__ import annotations

import bpy

from ..model.record import PickRecord


def has_hits(operator: type[bpy.types.Operator], record: PickRecord | None, least: int = 1) -> bool:
    """Whether a pick has at least so many hits; if not, the button's tooltip says why."""
    if record is None or len(record.hits) < least:
        message = "Nothing has been hit yet" if least == 1 else "There is no other hit"
        operator.poll_message_set(message)
        return False
    return True
