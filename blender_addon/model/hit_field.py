# SPDX-License-Identifier: GPL-3.0-or-later
"""How files, tables and panels treat a field of a hit."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any, Literal

from .serialization import Kind


@dataclass(frozen=True, slots=True)
class HitField:
    """All that is to be known of a field besides its type."""

    key: str  # its name in Python
    kind: Kind  # which values of a file are accepted
    panel: Literal["", "hit", "triangle", "attributes"] = ""  # the panel that shows it, if one does
    order: int = 0  # its place in that panel; equal ones are in the order of their declaration
    label: str = ""  # in English, like the tooltip
    tooltip: str = ""
    parts: str = ""  # a letter for each component of a vector that has a line each
    unit: Literal["", "length", "angle", "pixels", "text"] = (
        ""  # of its numbers; a "text" is translated
    )
    shown_if: Literal["", "ray", "nonzero"] = ""  # always, for a pick by a ray, where it is not 0
    read: str = ""  # name of the property that panels show in its place
    columns: tuple[str, ...] = ()  # of a table, for a vector's components
    is_saved: bool = True  # whether files keep it


def hit_field(
    kind: Kind,
    panel: str = "",
    label: str = "",
    tooltip: str = "",
    *,
    default: Any = MISSING,
    compare: bool = True,
    **options: Any,
) -> Any:
    """A field of a dataclass; the options are those of :class:`HitField`."""
    about = {"kind": kind, "panel": panel, "label": label, "tooltip": tooltip, **options}
    return field(default=default, compare=compare, metadata=about)
