# SPDX-License-Identifier: GPL-3.0-or-later
"""The passes of a render: the numbers of hits as Blender keeps and writes them.

A pass has 1, 3 or 4 channels of single precision, as Blender's compositor knows no others. They are
X, Y, Z and W, and Z alone for a depth: Blender would halve what is named as colors. Indices count
from 1, as Blender fills what is outside of the border with 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...model.columns import Array
from ...model.safe_names import safe_name
from ...model.scene_hits import SceneHits
from ...model.survey_colors import picture
from ...model.survey_numbers import HALF, Numbered
from ...standalone_core import RaypickError
from ..batch.columns import ATTRIBUTE, COLUMNS, IMAGES
from ..batch.values import WIDTHS as COUNTS

Kind = Literal["id", "long", "flag", "number"]
"""How a pass stores its column, see :func:`stored`."""

USUAL = ("object", "instance", "face", "depth")
"""The columns that are rendered unless others are chosen."""

WIDTHS = {"VALUE": 1, "VECTOR_2D": 2, "VECTOR": 3, "COLOR": 4}
"""How many numbers of an attribute a pass keeps, by the kind that the user chooses."""

COLUMNS_IN_ORDER = tuple(sorted(COLUMNS, key=lambda name: COLUMNS[name].layer.order))

_MOST = 32  # bytes of an attribute's name: Blender has room for 63 in that of a pass

_MOST_IN_FILES = 64  # bytes of a channel's full name before Blender 5.0, which cuts off the rest


class Pass(NamedTuple):
    """A pass, and the column that it stores."""

    name: str
    column: str
    kind: Kind
    width: int  # how many of its channels hold the column: 1 for scalars
    letters: str  # the names of its channels

    @property
    def type(self) -> Literal["VALUE", "VECTOR", "COLOR"]:
        """Its type in the compositor, in which vectors have three numbers."""
        if len(self.letters) == 4:
            return "COLOR"
        return "VALUE" if len(self.letters) == 1 else "VECTOR"


def label(column: str) -> str:
    """The label of a column, in English."""
    image = COLUMNS[column].image
    return image.label if image else column.title()


def of_column(name: str) -> Pass:
    """The pass of a column."""
    column = COLUMNS[name]
    kind: Kind = "id" if np.issubdtype(column.dtype, np.integer) else "number"
    if column.dtype is np.bool_:
        kind = "flag"
    if name == "instance":
        return Pass(column.layer.render, name, "long", 2, "XYZ")
    letters = "XYZ" if column.width else column.layer.parts or "X"
    return Pass(column.layer.render, name, kind, max(column.width, 1), letters)


def type_of(attribute: bpy.types.Attribute) -> str | None:
    """The type of :data:`WIDTHS` that keeps all numbers of an attribute; None if none does."""
    count = COUNTS.get(attribute.data_type)
    if count is None or attribute.domain == "EDGE":
        return None
    return next((kind for kind, width in WIDTHS.items() if count <= width), None)


def of_attributes(chosen: Mapping[str, str]) -> list[Pass]:
    """The passes of attributes, by name, with their kinds of :data:`WIDTHS`."""
    return [
        Pass(
            "Attribute " + safe_name(name, chosen, also=".+", most=_MOST),
            ATTRIBUTE + name,
            "number",
            WIDTHS[kind],
            {1: "X", 4: "XYZW"}.get(WIDTHS[kind], "XYZ"),
        )
        for name, kind in chosen.items()
    ]


def doubts(chosen: Iterable[Pass], hits: SceneHits) -> Iterator[str]:
    """What is likely wrong with the attributes of passes, where anything is hit."""
    for each in chosen:
        values = hits[each.column]
        if not each.column.startswith(ATTRIBUTE) or not hits.hit.any():
            continue
        name, count = each.column.removeprefix(ATTRIBUTE), int(np.prod(values.shape[2:]))
        if np.isnan(values).all():
            yield f"nothing that is seen has an attribute {name!r}"
        elif count > each.width:
            yield f"the attribute {name!r} has {count} numbers, and its type keeps {each.width}"


def check_names(chosen: Iterable[Pass], layer: str, view: str) -> None:
    """RaypickError if Blender would cut the name of a channel in the file."""
    if bpy.app.version >= (5, 0):
        return
    for name in ("Combined", *(each.name for each in chosen)):
        full = ".".join(part for part in (layer, name, view, "X") if part)
        if len(full.encode()) > _MOST_IN_FILES:
            raise RaypickError(
                f"{full} is too long a name for this Blender, which would cut it: "
                "give the view layer, the view or the attribute a shorter one"
            )


def stored(each: Pass, values: Array) -> npt.NDArray[np.float32]:
    """The channels (H, W, C) of a pass, from the column (H, W, ...) that it stores.

    An id is one more than its index, and 0 is nothing. A long number n is ``n + 1`` in two
    channels, X + 2**24 Y. RaypickError for an integer that single precision has no room for.
    """
    if each.kind == "long":
        values = np.stack(np.divmod(values + 1, HALF)[::-1], axis=-1)
    elif each.kind == "id":
        values = values.astype(np.int64) + 1
        _check_room(each, values[values > HALF] - 1)
    elif each.column.startswith(ATTRIBUTE):  # which may be an integer of 32 bits
        large = values[(np.abs(values) > HALF) & (np.abs(values) <= 2.0**31)]
        _check_room(each, large[(large % 1.0 == 0.0) & (large.astype(np.float32) != large)])
    rows = values.shape[:2]
    values = values.reshape(*rows, -1)[..., : each.width]
    channels = np.zeros((*rows, len(each.letters)), np.float32)
    if each.kind == "number":
        channels[..., : each.width] = np.nan  # where an attribute has fewer numbers
    channels[..., : values.shape[-1]] = values
    return channels


def _check_room(each: Pass, too_long: Array) -> None:
    if len(too_long):
        raise RaypickError(
            f"{each.column} {too_long[0]:.0f} has no room in a picture, which is exact up to "
            f"{HALF - 1}: use raypick survey, whose .npz files have all digits"
        )


def colors(hits: SceneHits, shown: str) -> npt.NDArray[np.float32]:
    """One of :data:`.IMAGES` in false colors (H, W, 4)."""
    column, image = IMAGES[shown]
    return picture(hits.hit, hits[column], image.colors)


def told(chosen: Iterable[Pass], hits: SceneHits, numbers: Numbered) -> dict[str, Any]:
    """What the numbers of passes mean, as JSON; of the instances, those that are seen."""
    columns, names, instances = numbers
    of_row = np.full(len(hits.instances) + 1, -1)  # the last is of misses
    of_row[hits["instance"]] = columns["instance"]
    rows = instances["instance_numbers"].searchsorted(np.sort(of_row[of_row >= 0]))
    libraries = {"object": hits.libraries, "material": hits.material_libraries}
    return {
        "passes": {each.name: [each.column, each.kind, each.width] for each in chosen},
        **{f"{column}_names": texts for column, texts in names.items()},
        **{f"{column}_libraries": [*each] for column, each in libraries.items() if any(each)},
        **{name: array[rows].tolist() for name, array in instances.items()},
    }
