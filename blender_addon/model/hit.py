# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pick answers: plain values, no geometry and nothing of Blender."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from .serialization import from_json, to_json

Vector = tuple[float, float, float]
Matrix = tuple[tuple[float, ...], ...]
Color = tuple[float, float, float, float]
Value = bool | int | float | str | tuple

_OF_SESSION = ("session_uid", "instancer_uid")


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
        Index of the face (polygon) in the mesh that was hit: see `evaluated`.
    triangle : int
        Index of the triangle in that mesh, that of Blender's ``loop_triangles``.
    triangle_of_face : int
        The same triangle, counted within its face: 0 for a face's first.
    vertices : (int, int, int)
        The triangle's vertices in that mesh.
    corners : 3 x (float, float, float)
        Where these vertices are, in world space.
    barycentric : (float, float, float)
        Weights of these vertices, in their order; the sum is 1.
    face_vertices : tuple of int
        The face's vertices in that mesh, in the order of its corners.
    face_corners : tuple of (float, float, float)
        Where the face's vertices are, in world space.
    point, point_local : (float, float, float)
        The place hit, in world space and in the object's local space.
    normal : (float, float, float)
        The triangle's unit normal in world space.
    smooth_normal : (float, float, float) or None
        The unit normal used for shading at the hit point, in world space.
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
        Every color attribute on points or corners there, in the scene's linear color space.
    weights : dict of str to float
        Every vertex group that has one of the triangle's vertices.
    attributes : dict
        Every other attribute on points, corners or faces there, by name; see
        :func:`.attributes.values_at` for what is interpolated.
    material : str or None
        Name of the face's material.
    evaluated : bool
        Whether `face`, `triangle` and the vertices count in the evaluated mesh; False where the
        original mesh was asked for, without modifiers and shape keys.
    original_face : int or None
        The face of ``object.data`` (in edit mode: of the mesh being edited) that it comes from,
        where the modifiers surely tell; else None.
    original_reason : str or None
        Why there is no `original_face`, in English.
    pixels_away : float
        How many pixels beside the position the point is seen, where the ray itself met nothing
        so near and `tolerance` found this; 0 for what the ray itself hits.
    is_base_mesh : bool
        Whether the viewport draws another mesh, the levels of multiresolution sculpting, which
        Python cannot read: what was hit is the mesh below them.
    mesh_size : (int, int, int, int) or None
        The mesh's numbers of vertices, edges, corners and faces: where they are others by now, so
        may be the indices.
    session_uid, instancer_uid : int or None
        Blender's ids of `object` and `instancer`, which a new name does not change. They mean
        nothing in another session, so no file keeps them.
    """

    object: str
    library: str | None
    instancer: str | None
    instance: tuple[int, ...] | None
    matrix_world: Matrix
    face: int
    triangle: int
    triangle_of_face: int
    vertices: tuple[int, int, int]
    corners: tuple[Vector, Vector, Vector]
    barycentric: Vector
    face_vertices: tuple[int, ...]
    face_corners: tuple[Vector, ...]
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
    pixels_away: float = 0.0
    is_base_mesh: bool = False
    mesh_size: tuple[int, int, int, int] | None = None
    session_uid: int | None = field(default=None, compare=False)
    instancer_uid: int | None = field(default=None, compare=False)

    def __hash__(self) -> int:
        """By what tells hits apart, as dictionaries have no hash."""
        return hash((self.object, self.library, self.instance, self.triangle, self.point))

    @property
    def side_normal(self) -> Vector:
        """The triangle's unit normal on the side that was hit, in world space."""
        if self.front:
            return self.normal
        x, y, z = self.normal
        return -x, -y, -z

    def as_dict(self) -> dict[str, Any]:
        """All values by name, of types that JSON knows: what is not finite becomes None."""
        values = asdict(self)
        for name in _OF_SESSION:
            del values[name]
        return {name: to_json(value) for name, value in values.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> PickHit:
        """The hit that :meth:`as_dict` wrote, also after JSON has made lists of its tuples.

        Raises
        ------
        ValueError
            If a value is missing, or one is there that no hit has.
        """
        try:
            return cls(
                **{
                    name: from_json(name, value)
                    for name, value in values.items()
                    if name not in _OF_SESSION
                }
            )
        except (TypeError, AttributeError) as error:
            raise ValueError(f"these are not the values of a hit: {error}") from None
