# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects a viewport displays, and the rules by which callers exclude more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import bpy

from ..validation import addresses, flag

_TYPE_SWITCHES = tuple(
    switch.identifier
    for switch in bpy.types.SpaceView3D.bl_rna.properties
    if switch.identifier.startswith("show_object_viewport_")
)


class Rule(NamedTuple):
    """What is excluded besides what is hidden, and which meshes are meant."""

    selectable_only: bool = False  # an instance is as selectable as the object that makes it
    solid_only: bool = False  # exclude meshes displayed as wire or bounds, and so without faces
    evaluated: bool = True  # meshes as displayed, or else objects' own, where they have one
    exclude: frozenset[int] = frozenset()
    """Addresses of original objects; instances that they make, or made of them, go with them."""


def checked_rule(
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Iterable[str | bpy.types.Object] = (),
) -> Rule:
    """Check a caller's rule."""
    return Rule(
        flag(selectable_only, "selectable_only"),
        flag(solid_only, "solid_only"),
        flag(evaluated, "evaluated"),
        addresses(exclude),
    )


def view_key(space: bpy.types.SpaceView3D | None) -> tuple[object, ...] | None:
    """What of a viewport decides on visibility; None where changes of that go unreported."""
    if space is None:
        return ()
    if space.local_view is not None or space.use_local_collections:
        return None
    return tuple(getattr(space, name) for name in _TYPE_SWITCHES)


def hidden_owners(
    view_layer: bpy.types.ViewLayer, space: bpy.types.SpaceView3D | None
) -> frozenset[int]:
    """Addresses of objects that a viewport or their collections hide, which depsgraphs list."""
    return frozenset(
        owner.as_pointer()
        for owner in view_layer.objects
        if not owner.visible_get(view_layer=view_layer, viewport=space)
    )


def unselectable_owners(context: bpy.types.Context) -> frozenset[int]:
    """Addresses of the view layer's objects that a click cannot select."""
    selectable = {owner.as_pointer() for owner in context.selectable_objects}
    objects = context.view_layer.objects
    return frozenset(owner.as_pointer() for owner in objects) - selectable
