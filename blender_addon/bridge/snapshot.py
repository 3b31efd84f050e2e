# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of the core that shows what Blender shows, and when it is stale.

Blender tells what changed: after a change of any geometry the meshes are read again, after any
other change the instances are listed again. Nothing is read before the first pick, and nothing
holds on to Blender's data.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..standalone_core import Mesh, Scene
from ..standalone_core.arguments import instance_of
from ..standalone_core.errors import ArgumentError
from . import instances
from .geometry import EvaluatedMesh
from .instances import Placed


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A scene of the core in world space, and what each of its instances, by id, is in Blender."""

    scene: Scene
    placed: dict[int, Placed]


@dataclass(slots=True)
class _Cache:
    """What has been read of a depsgraph; whatever would be stale is not there.

    Attributes
    ----------
    depsgraph : int
        Its address.
    meshes : dict
        By the address of the evaluated data.
    placed : list or None
        All that the depsgraph shows.
    snapshots : dict
        By the owners that are hidden in a viewport.
    """

    depsgraph: int = 0
    meshes: dict[int, EvaluatedMesh] = field(default_factory=dict)
    placed: list[Placed] | None = None
    snapshots: dict[frozenset[int], Snapshot] = field(default_factory=dict)

    def forget_places(self) -> None:
        self.placed = None
        self.snapshots.clear()

    def forget_all(self) -> None:
        self.forget_places()
        self.meshes.clear()


_cache = _Cache()


def of_context(context: bpy.types.Context, space: bpy.types.SpaceView3D | None = None) -> Snapshot:
    """The scene as it is now: all visible meshes of the context's view layer, as evaluated.

    Parameters
    ----------
    context : bpy.types.Context
    space : bpy.types.SpaceView3D, optional
        A viewport whose local view and object type visibility hide some objects; by default the
        viewport of the context, if there is one.
    """
    instance_of(context, bpy.types.Context, "context")
    if space is not None:
        instance_of(space, bpy.types.SpaceView3D, "space")
    register()  # a script may have cleared the lists of handlers since
    depsgraph = context.evaluated_depsgraph_get()
    if depsgraph.as_pointer() != _cache.depsgraph:
        _cache.forget_all()
        _cache.depsgraph = depsgraph.as_pointer()
    placed = _cache.placed
    if placed is None:
        placed = _cache.placed = list(instances.placed_meshes(depsgraph, _cache.meshes))
    hidden = _hidden_owners(context.view_layer, space)
    snapshot = _cache.snapshots.get(hidden)
    if snapshot is None:
        snapshot = _cache.snapshots[hidden] = _snapshot(placed, hidden)
    return snapshot


def register() -> None:
    """Follow what changes in the scene, ahead of all other handlers, which may pick themselves.

    Where that is not done already, all that was read may be stale.
    """
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler not in handlers:
            handlers.insert(0, handler)
            _cache.forget_all()


def unregister() -> None:
    """Stop following, and give the memory back."""
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    _cache.forget_all()


def _hidden_owners(
    view_layer: bpy.types.ViewLayer, space: bpy.types.SpaceView3D | None
) -> frozenset[int]:
    """Objects that a viewport or their collections hide: the depsgraph lists these all the same."""
    options = {"view_layer": view_layer} | ({"viewport": space} if space else {})
    return frozenset(
        owner.as_pointer() for owner in view_layer.objects if not owner.visible_get(**options)
    )


def _snapshot(placed: list[Placed], hidden: frozenset[int]) -> Snapshot:
    scene = Scene()
    by_id: dict[int, Placed] = {}
    for place in placed:
        if place.owner not in hidden:
            by_id[_add(scene, place)] = place
    return Snapshot(scene, by_id)


def _add(scene: Scene, place: Placed) -> int:
    """Add a placed mesh; one that a scale of zero flattens has its vertices moved instead."""
    mesh = place.mesh.mesh
    try:
        return scene.add(mesh, place.matrix_world, place.object)
    except ArgumentError:
        matrix = np.array(place.matrix_world)
        flat = mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        return scene.add(Mesh(flat, mesh.triangles, mesh.faces), None, place.object)


@persistent
def _follow_update(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Forget what an update of the depsgraph made stale."""
    if any(update.is_updated_geometry for update in depsgraph.updates):
        _cache.forget_all()
    else:
        _cache.forget_places()


@persistent
def _forget(*_: object) -> None:
    """Forget all: the file, or its history, moved under our feet."""
    _cache.forget_all()
    _cache.depsgraph = 0


_HANDLERS = {
    "depsgraph_update_post": _follow_update,
    "frame_change_post": _follow_update,
    "undo_post": _forget,
    "redo_post": _forget,
    "load_pre": _forget,
    "load_post": _forget,
}
