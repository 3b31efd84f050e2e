# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mesh stores at the place that was hit: plain values, nothing of Blender."""

from __future__ import annotations

from dataclasses import dataclass

from .hit import Vector

Color = tuple[float, float, float, float]
Value = bool | int | float | str | tuple


@dataclass(frozen=True, slots=True)
class AttributeValues:
    """The attributes of an evaluated mesh at a place in one of its triangles, by their names.

    Attributes
    ----------
    uv_maps : dict of str to (float, float)
        Every UV map.
    active_uv : str or None
        Name of the active UV map; None without a UV map.
    colors : dict of str to (float, float, float, float)
        Every color attribute on points or corners: red, green, blue, alpha in the scene's linear
        color space, also where it is stored as bytes in sRGB.
    weights : dict of str to float
        Every vertex group that holds at least one of the triangle's vertices; a vertex outside
        the group counts as 0.
    attributes : dict of str to bool, int, float, str or tuple
        Every other attribute on points, corners or faces; a matrix as a tuple of its rows. What
        is stored on edges has no value inside a face and is left out.
    smooth_normal : (float, float, float) or None
        The unit normal that the face is shaded with, in local space.
    flat_normal : (float, float, float) or None
        The unit normal of the face (polygon), in local space.
    """

    uv_maps: dict[str, tuple[float, float]]
    active_uv: str | None
    colors: dict[str, Color]
    weights: dict[str, float]
    attributes: dict[str, Value]
    smooth_normal: Vector | None
    flat_normal: Vector | None
