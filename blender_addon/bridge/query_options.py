# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a query: each is declared here for the API, the interface and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any, Literal, TypeAlias

from ..standalone_core.extension import Border, Cull
from .placing import Snap
from .scene.snapshot import Rule, checked_rule
from .validation import Choices

Kind: TypeAlias = Literal["flag", "choice", "length", "pixels", "names"]
Scope: TypeAlias = Literal["", "mesh", "rays", "hits", "view", "pixel"]


@dataclass(frozen=True, slots=True)
class Option:
    """How the interface and the command line offer an option."""

    name: str  # in Python
    default: Any
    kind: Kind
    scope: Scope = ""  # which mixin of `options.py` has a property for it; "" for none
    label: str = ""  # in English, like the tooltip
    tooltip: str = ""
    key: str = ""  # the name of its property
    # The value, label and tooltip of each identifier.
    choices: Mapping[str, tuple[Any, str, str]] = field(default_factory=dict)
    rna: Mapping[str, Any] = field(default_factory=dict)  # more arguments of its property
    help: str = ""  # on the command line; "" if it is not an option there
    switch: str = ""  # the flag that turns it off there, if that is its only form

    @property
    def is_switch(self) -> bool:
        """Whether it has no value on the command line."""
        return self.kind == "flag" or bool(self.switch)

    @property
    def typed(self) -> str:
        """Its name on the command line."""
        return self.switch or self.name


def _option(
    kind: Kind, scope: Scope = "", label: str = "", tooltip: str = "", *, default: Any, **about: Any
) -> Any:
    """A field of a dataclass; all but `default` are fields of its :class:`Option`."""
    about |= {"kind": kind, "scope": scope, "label": label, "tooltip": tooltip}
    return field(default=default, metadata=about)


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """The options of :func:`.api.pick`, which documents them; other queries take some of these."""

    max_distance: float = _option(
        *("length", "rays", "Max Distance"),
        "Ignore hits farther away than this; 0 for no limit",
        default=inf,
        help="ignore farther hits",
    )
    cull: Cull = _option(
        *("choice", "rays", "Cull Faces", "Sides of faces to ignore"),
        default=None,
        choices={
            "NONE": (None, "None", "Hit both sides of faces"),
            "BACK": ("back", "Back Faces", "Ignore back faces"),
            "FRONT": ("front", "Front Faces", "Ignore front faces"),
        },
        help="the side of faces to ignore",
    )
    all_hits: bool = _option(
        *("flag", "hits", "All Hits", "Find everything behind the nearest hit too"),
        default=False,
        rna={"default": True},
    )
    clip: bool = _option(
        *("flag", "view", "Visible Only"),
        "Ignore what the viewport does not draw: nearer than Clip Start, beyond Clip "
        "End, outside the clipping region, or back faces where these are culled",
        default=True,
        rna={"default": True},
    )
    selectable_only: bool = _option(
        *("flag", "rays", "Selectable Only", "Ignore objects that cannot be selected"),
        default=False,
        help="ignore objects that cannot be selected",
    )
    solid_only: bool = _option(
        *("flag", "rays", "Solid Only"),
        "Ignore objects displayed as wire or bounds, and their instances",
        default=False,
        help="ignore objects displayed as wire or bounds",
    )
    evaluated: bool = _option(
        *("choice", "mesh", "Mesh", "Mesh to hit, and whose indices to show"),
        default=True,
        key="mesh",
        choices={
            "EVALUATED": (
                *(True, "Evaluated Mesh"),
                "The mesh as displayed, with modifiers and shape keys",
            ),
            "ORIGINAL": (
                *(False, "Original Mesh"),
                "The object's own mesh, without modifiers and shape keys",
            ),
        },
        switch="original",
        help="hit meshes without modifiers and shape keys",
    )
    exclude: Choices = _option("names", default=(), help="objects and collections to ignore")
    only: Choices = _option("names", default=None, help="the only objects and collections to hit")
    min_distance: float | None = _option("length", default=None, help="ignore nearer hits")
    border: Border = _option(
        "choice",
        default="open",
        choices={"OPEN": ("open", "", ""), "CLOSED": ("closed", "", "")},
        help="whether a ray exactly through the border of an open surface, such as the outer nodes "
        "of a terrain, always hits (closed), or as a pixel would (open, the default)",
    )
    snap: Snap = _option(
        *("choice", "pixel", "Snap", "Element of the face under the mouse to snap the hit to"),
        default=None,
        choices={
            "NONE": (None, "None", "Do not snap"),
            "VERTEX": ("vertex", "Vertex", "The nearest vertex of the face"),
            "EDGE": ("edge", "Edge", "The nearest point on the edges of the face"),
            "FACE": ("face", "Face Center", "The average of the face's vertices"),
        },
    )
    snap_radius: float = _option(
        *("pixels", "pixel", "Snap Radius", "Maximum distance from the mouse to snap over"),
        default=15.0,
        rna={"default": 15, "min": 1, "soft_max": 100},
    )
    tolerance: float = _option(
        *("pixels", "pixel", "Tolerance"),
        "Where nothing is under the mouse, or only something farther away, pick the "
        "nearest thing within this many pixels; 0 to pick exactly what is under the mouse",
        default=0.0,
        rna={"default": 0, "min": 0, "soft_max": 40},
    )

    def rule(self) -> Rule:
        """Which objects and meshes count; ArgumentError where an option cannot be used."""
        return checked_rule(
            self.selectable_only, self.solid_only, self.evaluated, self.exclude, self.only
        )


OPTIONS = tuple(
    Option(each.name, each.default, **{"key": each.name, **each.metadata})
    for each in fields(QueryOptions)
)
"""All options, in the order in which the API takes them."""
