# SPDX-License-Identifier: GPL-3.0-or-later
"""What the columns of a table of landmarks are called, here and in tables of other tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .mark import MarkFileError

COLUMNS: dict[str, tuple[str, ...]] = {
    "set": ("set",),
    "name": ("name",),
    "position": ("x", "y", "z"),
    "normal": ("normal_x", "normal_y", "normal_z"),
    "object": ("object",),
    "face": ("face",),
    "triangle": ("triangle",),
    "barycentric": ("weight_a", "weight_b", "weight_c"),
    "index": ("index",),
    "description": ("description",),
    "locked": ("locked",),
    "hidden": ("hidden",),
    "unit": ("unit",),
    "axes": ("axes",),
}
"""The headings of each value of a landmark, in the usual order."""

USUAL = ("set", "name", "position")

# Headings in other tables, as `_plain` has them. Those of three belong together.
_ALIASES: dict[str, tuple[tuple[str, ...], ...]] = {
    "set": (("group",), ("list",), ("specimen",)),
    "name": (("label",), ("landmark",), ("landmark_name",), ("point",), ("point_name",)),
    "position": (
        ("position_x", "position_y", "position_z"),
        ("pos_x", "pos_y", "pos_z"),
        ("x_coordinate", "y_coordinate", "z_coordinate"),
        ("xcoord", "ycoord", "zcoord"),
        ("coord_x", "coord_y", "coord_z"),
        ("l", "p", "s"),
        ("r", "a", "s"),
    ),
    "normal": (("nx", "ny", "nz"), ("n_x", "n_y", "n_z")),
    "object": (("mesh",), ("model",)),
    "face": (("face_index",), ("polygon",), ("polygon_index",)),
    "triangle": (("triangle_index",), ("tri",), ("face_idx",)),
    "barycentric": (
        ("barycentric_a", "barycentric_b", "barycentric_c"),
        ("bary_a", "bary_b", "bary_c"),
        ("bary_0", "bary_1", "bary_2"),
        ("a", "b", "c"),
    ),
    "index": (("id",), ("number",), ("no",)),
    "description": (("notes",), ("note",), ("comment",), ("desc",)),
    "locked": (("lock",),),
    "hidden": (("hide",),),
    "unit": (("units",),),
    "axes": (("coordinate_system",),),
    "visible": (("visible",), ("visibility",)),  # of Slicer's tables, as is the next one
    "defined": (("defined",),),
}
_AXES_OF = {("l", "p", "s"): "LPS", ("r", "a", "s"): "RAS"}


def headings(columns: Sequence[str]) -> list[str]:
    """The headings of columns, in order."""
    for column in columns:
        if column not in COLUMNS:
            raise MarkFileError(f"columns are some of {', '.join(COLUMNS)}, not {column!r}")
    return [heading for column in columns for heading in COLUMNS[column]]


def found_in(row: Sequence[str]) -> tuple[Mapping[str, tuple[int, ...]], str | None]:
    """Where each value is in the rows below a row of headings, and the axes that those tell.

    Nothing is found where this is no row of headings.
    """
    plain = [_plain(cell) for cell in row]
    where: dict[str, tuple[int, ...]] = {}
    axes = None
    for column, aliases in _ALIASES.items():
        own = (COLUMNS[column],) if column in COLUMNS else ()
        for names in (*own, *aliases):
            if all(name in plain for name in names):
                where[column] = tuple(map(plain.index, names))
                axes = _AXES_OF.get(names, axes)
                break
    return where, axes


def _plain(heading: str) -> str:
    """A heading in small letters, without a unit in brackets: ``Position X (mm)`` is position_x."""
    text = re.sub(r"[(\[].*", "", heading.casefold())
    return re.sub("[^a-z0-9]+", "_", text).strip("_")
