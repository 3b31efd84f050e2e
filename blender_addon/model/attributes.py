# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mesh stores at the place that was hit: plain values, nothing of Blender."""

from __future__ import annotations

from dataclasses import dataclass

from .hit import Color, Value, Vector


@dataclass(frozen=True, slots=True)
class AttributeValues:
    """The attributes of an evaluated mesh at a place in one of its triangles, as in a `PickHit`.

    Unlike there, the normals are in local space. A vertex outside of a vertex group has the weight
    0 in it. A matrix is a tuple of its rows. What is stored on edges has no value inside a face
    and is left out.
    """

    uv_maps: dict[str, tuple[float, float]]
    active_uv: str | None
    colors: dict[str, Color]
    weights: dict[str, float]
    attributes: dict[str, Value]
    smooth_normal: Vector | None
    flat_normal: Vector | None
