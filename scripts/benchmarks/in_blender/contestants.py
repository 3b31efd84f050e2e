# SPDX-License-Identifier: GPL-3.0-or-later
"""Who picks in Blender: Raypick and what Blender itself offers to Python."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import bpy
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from . import extension

Place = tuple[float, float, float]

Ray = tuple[Place, Place]
"""Origin and direction in world space."""

Point = Sequence[float] | None


class Contestant(ABC):
    """Picks at the scene as it is, the depsgraph's evaluation being the caller's affair."""

    name: str
    sees_scene = True  # finds what is hit among many objects; the others are told the object

    @abstractmethod
    def pick(self, target: bpy.types.Object, *ray: Place) -> Point:
        """Pick once with whatever is known already, and do what else that takes."""

    def picker(self, target: bpy.types.Object) -> Callable[..., Point]:
        """Return what picks while nothing changes, from origin and direction."""
        return partial(self.pick, target)


class Raypick(Contestant):
    """The whole call, with its full report."""

    name = "raypick"

    def pick(self, target: bpy.types.Object, *ray: Place) -> Point:
        return self.picker(target)(*ray)

    def picker(self, _target: bpy.types.Object) -> Callable[..., Point]:
        api = extension.part("api")

        def pick(*ray: Place) -> Point:
            hits = api.ray_cast(bpy.context, *ray)
            return hits[0].point if hits else None

        return pick


class SceneRayCast(Contestant):
    """`Scene.ray_cast`."""

    name = "scene.ray_cast"

    def pick(self, _target: bpy.types.Object, *ray: Place) -> Point:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        hit, point, *_ = bpy.context.scene.ray_cast(depsgraph, *ray)
        return point if hit else None


class ObjectRayCast(Contestant):
    """`Object.ray_cast` of an object that stands at the origin."""

    name = "Object.ray_cast"
    sees_scene = False

    def pick(self, target: bpy.types.Object, *ray: Place) -> Point:
        evaluated = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
        hit, point, *_ = evaluated.ray_cast(*ray)
        return point if hit else None


class Tree(Contestant):
    """`BVHTree.FromObject` of an object that stands at the origin, and `BVHTree.ray_cast`."""

    name = "BVHTree"
    sees_scene = False

    def pick(self, target: bpy.types.Object, *ray: Place) -> Point:
        return self.picker(target)(*ray)

    def picker(self, target: bpy.types.Object) -> Callable[..., Point]:
        tree = BVHTree.FromObject(target, bpy.context.evaluated_depsgraph_get())
        return lambda *ray: tree.ray_cast(*ray)[0]


OURS = Raypick.name
ALL: tuple[Contestant, ...] = (Raypick(), SceneRayCast(), ObjectRayCast(), Tree())
OF_SCENES = tuple(contestant for contestant in ALL if contestant.sees_scene)


def same(first: Point, second: Point, tolerance: float = 1e-3) -> bool:
    """Whether two picks hit the same place, or both nothing."""
    if first is None or second is None:
        return first is second
    return (Vector(first) - Vector(second)).length <= tolerance
