# SPDX-License-Identifier: GPL-3.0-or-later
"""How files, tables and panels treat a field of a hit."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field
from typing import Any, Literal

from .serialization import Kind


@dataclass(frozen=True, slots=True)
class HitField:
    """All that is to be known of a field besides its type."""

    key: str
    """Its name in Python."""
    kind: Kind
    """Which values of a file are accepted."""
    panel: Literal["", "hit", "triangle", "attributes"] = ""
    """The panel that shows it, if one does."""
    order: int = 0
    """Its place in that panel; of equal numbers, fields are in the order of their declaration."""
    label: str = ""
    """In English."""
    tooltip: str = ""
    """In English."""
    parts: str = ""
    """A letter for each component of a vector, which then has a line each; empty for one line."""
    unit: Literal["", "length", "pixels", "text"] = ""
    """Of its numbers: a length of world space, or pixels; a ``"text"`` is translated."""
    shown_if: Literal["", "ray", "nonzero"] = ""
    """Whether it is shown always, only for a pick by a ray, or only where it is not 0."""
    read: str = ""
    """Name of the property that panels show in its place."""
    columns: tuple[str, ...] = ()
    """Names of the columns of a table that a vector's components are in."""
    is_saved: bool = True
    """Whether files keep it."""


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
