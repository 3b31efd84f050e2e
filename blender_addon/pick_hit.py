# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pick answers: plain values, no geometry and nothing of Blender."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

Vector = tuple[float, float, float]
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class PickHit:
    """What a ray hit, in plain Python values of full precision.

    Attributes
    ----------
    object : str
        Name of the object whose mesh was hit.
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
    distance : float
        From the ray's origin to `point`, in world space.
    front : bool
        Whether the front of the face was hit.
    uv : (float, float) or None
        The active UV map there; None without a UV map.
    material : str or None
        Name of the face's material.
    evaluated : bool
        True: `face`, `triangle` and `vertices` count in the evaluated mesh.
    original_face : int or None
        The same face in ``object.data`` (in edit mode: in the mesh being edited), where the
        modifiers surely keep the faces; else None.
    """

    object: str
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
    distance: float
    front: bool
    uv: tuple[float, float] | None
    material: str | None
    evaluated: bool
    original_face: int | None

    def as_dict(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows: what is not finite becomes None."""
        return {name: _for_json(value) for name, value in asdict(self).items()}


def _for_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_for_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
