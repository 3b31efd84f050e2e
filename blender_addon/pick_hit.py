# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pick answers: plain values, no geometry and nothing of Blender."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

Vector = tuple[float, float, float]
Matrix = tuple[tuple[float, ...], ...]
Color = tuple[float, float, float, float]
Value = bool | int | float | str | tuple


@dataclass(frozen=True, slots=True)
class PickHit:
    """What a ray hit, in plain Python values of full precision.

    Attributes
    ----------
    object : str
        Name of the object whose mesh was hit.
    library : str or None
        Path of the library file that this object is linked from; None for one of this file.
    instancer : str or None
        Name of the object that made the instance; None where `object` itself stands there.
    instance : tuple of int or None
        The depsgraph's persistent id of the instance, the innermost level first.
    matrix_world : 4 x 4 floats
        Local to world space of the object or instance.
    face : int
        Index of the face (polygon) in the evaluated mesh.
    triangle : int
        Index of the triangle in the evaluated mesh, that of Blender's ``loop_triangles``.
    vertices : (int, int, int)
        The triangle's vertices in the evaluated mesh.
    barycentric : (float, float, float)
        Weights of these vertices, in their order; the sum is 1.
    point, point_local : (float, float, float)
        The place hit, in world space and in the object's local space.
    normal : (float, float, float)
        The triangle's unit normal in world space.
    smooth_normal : (float, float, float) or None
        The unit normal that the place is shaded with, in world space.
    flat_normal : (float, float, float) or None
        The face's (polygon's) unit normal in world space; None for a face without one.
    distance : float
        From the ray's origin to `point`, in world space.
    front : bool
        Whether the front of the face was hit.
    uv : (float, float) or None
        The active UV map there; None without a UV map.
    uv_maps : dict of str to (float, float)
        Every UV map there (any attribute of two floats on corners is one).
    active_uv : str or None
        Name of the active UV map.
    colors : dict of str to (float, float, float, float)
        Every colour attribute on points or corners there, in the scene's linear colour space.
    weights : dict of str to float
        Every vertex group that has one of the triangle's vertices.
    attributes : dict
        Every other attribute on points, corners or faces there, by name; see
        :func:`.bridge.attributes.values_at` for what is interpolated.
    material : str or None
        Name of the face's material.
    evaluated : bool
        True: `face`, `triangle` and `vertices` count in the evaluated mesh.
    original_face : int or None
        The face of ``object.data`` (in edit mode: of the mesh being edited) that it comes from,
        where the modifiers surely tell; else None.
    original_reason : str or None
        Why there is no `original_face`, in English.
    """

    object: str
    library: str | None
    instancer: str | None
    instance: tuple[int, ...] | None
    matrix_world: Matrix
    face: int
    triangle: int
    vertices: tuple[int, int, int]
    barycentric: Vector
    point: Vector
    point_local: Vector
    normal: Vector
    smooth_normal: Vector | None
    flat_normal: Vector | None
    distance: float
    front: bool
    uv: tuple[float, float] | None
    uv_maps: dict[str, tuple[float, float]]
    active_uv: str | None
    colors: dict[str, Color]
    weights: dict[str, float]
    attributes: dict[str, Value]
    material: str | None
    evaluated: bool
    original_face: int | None
    original_reason: str | None

    def __hash__(self) -> int:
        """By what tells hits apart, as dictionaries have no hash."""
        return hash((self.object, self.library, self.instance, self.triangle, self.point))

    def as_dict(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows: what is not finite becomes None."""
        return {name: _for_json(value) for name, value in asdict(self).items()}


def _for_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _for_json(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_for_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
