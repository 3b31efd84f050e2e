# SPDX-License-Identifier: GPL-3.0-or-later
"""Who picks in Blender: Raypick and what Blender itself offers to Python."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from . import extension

Place = tuple[float, float, float]

Ray = tuple[Place, Place]
"""Origin and direction in world space."""

Point = Sequence[float] | None


@dataclass(frozen=True)
class Contestant:
    """Picks at the scene as it is, the depsgraph's evaluation being the caller's affair."""

    name: str
    picker: Callable[[bpy.types.Object | None], Callable[..., Point]]
    """Takes the object, prepares, and returns what picks while nothing changes."""
    sees_scene: bool  # finds what is hit among many objects; the others get the object

    def pick(self, target: bpy.types.Object, *ray: Place) -> Point:
        """Pick once with whatever is known already, and do what else that takes."""
        return self.picker(target)(*ray)


def raypick(_target: bpy.types.Object | None) -> Callable[..., Point]:
    """The whole call, with its full report."""
    api = extension.part("api")

    def pick(*ray: Place) -> Point:
        hits = api.ray_cast(bpy.context, *ray)
        return hits[0].point if hits else None

    return pick


def _scene_ray_cast(_target: bpy.types.Object) -> Callable[..., Point]:
    def pick(*ray: Place) -> Point:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        hit, point, *_ = bpy.context.scene.ray_cast(depsgraph, *ray)
        return point if hit else None

    return pick


def _object_ray_cast(target: bpy.types.Object) -> Callable[..., Point]:
    """`Object.ray_cast` of an object that stands at the origin."""

    def pick(*ray: Place) -> Point:
        evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
        hit, point, *_ = evaluated.ray_cast(*ray)
        return point if hit else None

    return pick


def _tree(target: bpy.types.Object) -> Callable[..., Point]:
    """`BVHTree.FromObject` of an object that stands at the origin, and `BVHTree.ray_cast`."""
    tree = BVHTree.FromObject(target, bpy.context.evaluated_depsgraph_get())
    return lambda *ray: tree.ray_cast(*ray)[0]


OURS = "raypick"
LOOP = "a loop of scene.ray_cast"
ALL = (
    Contestant(OURS, raypick, sees_scene=True),
    Contestant("scene.ray_cast", _scene_ray_cast, sees_scene=True),
    Contestant("Object.ray_cast", _object_ray_cast, sees_scene=False),
    Contestant("BVHTree", _tree, sees_scene=False),
)
OF_SCENES = tuple(contestant for contestant in ALL if contestant.sees_scene)


def same(first: Point, second: Point, tolerance: float = 1e-3) -> bool:
    """Whether two picks hit the same place, or both nothing."""
    if first is None or second is None:
        return first is second
    return (Vector(first) - Vector(second)).length <= tolerance
