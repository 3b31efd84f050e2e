# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of the core that shows what Blender shows; nothing is done before the first pick."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
import numpy as np

from ..preferences import cache_bytes
from ..standalone_core import Scene
from ..standalone_core.arguments import instance_of
from . import changes, instances, visibility
from .depsgraph import evaluated_depsgraph
from .flat_mesh import FlatMesh, are_flat
from .instances import Listing
from .mesh_cache import MeshCache
from .shown_mesh import flush_sculpting
from .visibility import Rule


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A scene of the core in world space, and what each of its instances is in Blender.

    Attributes
    ----------
    scene : Scene
    listing : Listing
    rows : dict
        From an instance's id to its row in the listing.
    behind : list of int
        Ids of what is not drawn in front of the rest; None where nothing is.
    """

    scene: Scene
    listing: Listing
    rows: dict[int, int]
    behind: list[int] | None


@dataclass(slots=True)
class _State:
    """What is known of one depsgraph; whatever would be stale is not there."""

    depsgraph: int = 0
    cache: MeshCache = field(default_factory=MeshCache)
    listing: Listing | None = None
    hidden: dict[object, frozenset[int]] = field(default_factory=dict)
    snapshots: dict[object, Snapshot] = field(default_factory=dict)

    def forget_list(self) -> None:
        self.listing = None
        self.hidden.clear()
        self.snapshots.clear()


_state = _State()


def of_context(
    context: bpy.types.Context,
    space: bpy.types.SpaceView3D | None = None,
    rule: Rule = Rule(),  # noqa: B008 - a NamedTuple cannot be changed
) -> Snapshot:
    """The scene as it is now: all visible meshes of the context's view layer, as evaluated.

    Parameters
    ----------
    context : bpy.types.Context
    space : bpy.types.SpaceView3D, optional
        A viewport whose local view and object type visibility hide some objects; by default the
        viewport of the context, if there is one.
    rule : Rule
        What is left out besides.
    """
    instance_of(context, bpy.types.Context, "context")
    if space is not None:
        instance_of(space, bpy.types.SpaceView3D, "space")
    changes.register()  # a script may have cleared the lists of handlers since
    listing = _listing(context)
    space = space or _own_space(context)
    left_out = _hidden(context, space)
    if rule.selectable_only:
        left_out |= visibility.unselectable_owners(context)
    key = left_out, rule.solid_only
    snapshot = _state.snapshots.get(key)
    if snapshot is None:
        snapshot = _state.snapshots[key] = _snapshot(listing, left_out, rule.solid_only)
    return snapshot


def trim(since: int) -> None:
    """Hold memory to what the preferences allow; what was used after `since` is kept."""
    _state.cache.trim(cache_bytes(), since)


def held_bytes() -> int:
    """Memory that the meshes hold, in bytes."""
    return _state.cache.nbytes


def indexing() -> float | None:
    """The share that is done of the trees that are being built; None if none is.

    After a change nothing is told until the next pick: what is indexed may be stale.
    """
    if changes.pending.any:
        return None
    shares = [share for mesh in _state.cache.meshes if (share := mesh.indexing) is not None]
    return sum(shares) / len(shares) if shares else None


def go_on() -> None:
    """Do what threads have left to Blender's main thread, unless it is stale by now.

    A mesh may take more memory since it is indexed; the one used last is kept all the same.
    """
    if changes.pending.any:
        return
    try:
        for mesh in _state.cache.meshes:
            mesh.go_on()
        trim(max((mesh.used for mesh in _state.cache.meshes), default=0) - 1)
    except (LookupError, ReferenceError):
        changes.pending.forget_everything()


def register() -> None:
    """Start to follow changes."""
    changes.register()
    changes.pending.on_geometry = _state.cache.cancel
    changes.pending.on_everything = _forget_all


def unregister() -> None:
    """Stop, end what threads do, and give the memory back."""
    changes.unregister()
    _forget_all()


def _forget_all() -> None:
    """Give the memory back, and end what threads do; nothing of Blender is touched."""
    _state.forget_list()
    _state.cache.clear()


def _listing(context: bpy.types.Context) -> Listing:
    if changes.pending.any:
        flush_sculpting(context)
    depsgraph = evaluated_depsgraph(context)
    changes.pending.turn_to(depsgraph)
    if changes.pending.removed:
        depsgraph = _instancers_anew(context)
    if depsgraph.as_pointer() != _state.depsgraph:
        changes.pending.forget_everything()
        _state.depsgraph = depsgraph.as_pointer()
    if changes.pending.everything:
        _state.cache.clear()
    if changes.pending.any:
        _state.forget_list()
        _state.cache.forget(changes.pending.geometry)
        changes.pending.taken()
    if _state.listing is None:
        _state.listing = instances.listing(depsgraph, _state.cache)
    return _state.listing


def _instancers_anew(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have Geometry Nodes evaluated again if they were not since something was removed.

    Blender leaves instances of what was removed in what they made before, and crashes when it
    lists them (seen in 4.2 and 5.0). Their objects may be in instanced collections alone.
    """
    for obj in bpy.data.objects:
        if obj.as_pointer() not in changes.pending.evaluated and any(
            modifier.type == "NODES" for modifier in obj.modifiers
        ):
            obj.update_tag(refresh={"DATA"})
    return evaluated_depsgraph(context)


def _own_space(context: bpy.types.Context) -> bpy.types.SpaceView3D | None:
    space = context.space_data
    return space if isinstance(space, bpy.types.SpaceView3D) else None


def _hidden(context: bpy.types.Context, space: bpy.types.SpaceView3D | None) -> frozenset[int]:
    key = visibility.view_key(space)
    hidden = _state.hidden.get(key)
    if hidden is None:
        hidden = visibility.hidden_owners(context.view_layer, space)
        if key is not None:
            _state.hidden[key] = hidden
    return hidden


def _snapshot(listing: Listing, left_out: frozenset[int], solid_only: bool) -> Snapshot:
    scene = Scene()
    shown = [
        number
        for number, row in enumerate(listing.rows)
        if row.owner not in left_out and (row.solid or not solid_only)
    ]
    numbers = np.array(shown, dtype=np.int64)
    flat = are_flat(listing.matrices[numbers])
    placed = numbers[~flat].tolist()
    meshes = [listing.rows[number].mesh for number in placed]
    rows = dict(zip(scene.add_many(meshes, listing.matrices[placed]), placed, strict=True))
    for number in numbers[flat].tolist():
        matrix = listing.matrices[number]
        if np.isfinite(matrix).all():
            rows[scene.add(FlatMesh(listing.rows[number].mesh, matrix))] = number
    behind = [identifier for identifier, row in rows.items() if not listing.rows[row].in_front]
    return Snapshot(scene, listing, rows, behind if len(behind) < len(rows) else None)
