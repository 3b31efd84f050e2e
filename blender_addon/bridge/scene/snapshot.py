# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of the core that shows what Blender shows; nothing is done before the first pick."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np

from ...settings import cache_bytes
from ...standalone_core import Scene
from ...standalone_core.extension import instance_of
from ..mesh.cache import MeshCache, trim_caches
from ..mesh.flat_mesh import FlatMesh, are_flat
from ..mesh.scene_mesh import SceneMesh
from ..mesh.shown_mesh import edited_meshes, flush_sculpting, is_sculpted_dynamically
from . import changes, instances, visibility
from .depsgraph import evaluated_depsgraph, is_drawing
from .instances import Listing
from .unpickable import Unpickable
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
    unpickable : list of Unpickable
        What is shown besides, and has no faces.
    """

    scene: Scene
    listing: Listing
    rows: dict[int, int]
    behind: list[int] | None
    unpickable: list[Unpickable]


class Memory(NamedTuple):
    """How many meshes are held (of some only the box), and their size in bytes."""

    meshes: int
    bytes: int


@dataclass(slots=True)
class _State:
    """What is known of evaluated or of original meshes; whatever would be stale is not there."""

    cache: MeshCache = field(default_factory=MeshCache)
    listing: Listing | None = None
    hidden: dict[object, frozenset[int]] = field(default_factory=dict)
    snapshots: dict[object, Snapshot] = field(default_factory=dict)

    def forget_list(self) -> None:
        self.listing = None
        self.hidden.clear()
        self.snapshots.clear()


_states: dict[tuple[int, bool], _State] = {}
"""By the address of the depsgraph, and by whether meshes are evaluated."""

_MOST_SNAPSHOTS = 16
"""So many views and rules are held; a script may leave out something else each time."""


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
        A viewport whose local view and object type visibility hide some objects; without one only
        what is hidden in all viewports is.
    rule : Rule
        What is left out besides.
    """
    instance_of(context, bpy.types.Context, "context")
    if space is not None:
        instance_of(space, bpy.types.SpaceView3D, "space")
    changes.register()  # a script may have cleared the lists of handlers since
    state = _state(context, rule.evaluated)
    listing = state.listing
    left_out = _hidden(context, space, state)
    if rule.selectable_only:
        left_out |= visibility.unselectable_owners(context)
    key = left_out, rule.solid_only, rule.exclude
    snapshot = state.snapshots.get(key)
    if snapshot is None:
        if len(state.snapshots) >= _MOST_SNAPSHOTS:
            state.snapshots.clear()
        snapshot = state.snapshots[key] = _snapshot(listing, left_out, rule)
    return snapshot


def trim(since: int) -> None:
    """Hold memory to what the preferences allow; what was used after `since` is kept."""
    trim_caches([state.cache for state in _states.values()], cache_bytes(), since)


def memory() -> Memory:
    """What the meshes hold."""
    return Memory(len(_meshes()), sum(state.cache.nbytes for state in _states.values()))


def indexing() -> float | None:
    """The share that is done of the trees that are being built; None if none is.

    After a change nothing is told until the next pick: what is indexed may be stale.
    """
    if changes.pending.any:
        return None
    shares = [share for mesh in _listed_meshes() if (share := mesh.indexing) is not None]
    return sum(shares) / len(shares) if shares else None


def go_on() -> None:
    """Do what threads have left to Blender's main thread, unless it is stale by now.

    A mesh may take more memory since it is indexed; the one used last is kept all the same.
    """
    if changes.pending.any:
        return
    try:
        for mesh in _listed_meshes():
            mesh.go_on()
        trim(max((mesh.used for mesh in _meshes()), default=0) - 1)
    except (LookupError, ReferenceError):
        changes.pending.forget_everything()


def register() -> None:
    """Start to follow changes."""
    changes.register()
    changes.pending.on_geometry = _cancel
    changes.pending.on_everything = _forget_all


def unregister() -> None:
    """Stop, end what threads do, and give the memory back."""
    changes.unregister()
    _forget_all()


def _forget_all() -> None:
    """Give the memory back, and end what threads do; nothing of Blender is touched."""
    _forget_all_but(set())


def _forget_all_but(depsgraphs: set[int]) -> None:
    """Forget what is of other depsgraphs than those of these addresses."""
    for key in [key for key in _states if key[0] not in depsgraphs]:
        _states.pop(key).cache.clear()


def _cancel(users: set[int]) -> None:
    """End what threads do for what comes from any of these."""
    for state in _states.values():
        state.cache.cancel(users)


def _listed_meshes() -> list[SceneMesh]:
    """Those whose sources are sound: what was not listed since a change may be elsewhere now."""
    listed = [state for state in _states.values() if state.listing is not None]
    return [mesh for state in listed for mesh in state.cache.meshes]


def _meshes() -> list[SceneMesh]:
    return [mesh for state in _states.values() for mesh in state.cache.meshes]


def _state(context: bpy.types.Context, evaluated: bool) -> _State:
    """What is known of the context's depsgraph, which is up to date, and its list."""
    if changes.pending.any and not is_drawing():
        flush_sculpting(context)
    depsgraph = evaluated_depsgraph(context)
    address = depsgraph.as_pointer()
    if not changes.pending.turn_to(depsgraph):
        _forget_all_but({key[0] for key in _states} - {address})
    if changes.pending.removed:
        depsgraph = _instancers_anew(context)
    state = _states.get((address, evaluated))
    if not evaluated and (changes.pending.any or state is None or state.listing is None):
        depsgraph = _flushed_edits(context)
    if changes.pending.everything:
        _forget_all()
    if changes.pending.any:
        _forget_all_but({address, *changes.shown_depsgraphs()})
        for state in _states.values():
            state.forget_list()
            state.cache.forget(changes.pending.geometry)
        changes.pending.taken()
    state = _states.setdefault((address, evaluated), _State())
    if state.listing is None:
        state.listing = instances.listing(depsgraph, state.cache, evaluated)
    return state


def _flushed_edits(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have Blender write what is being edited into objects' own meshes.

    It then evaluates them again, to what they were.
    """
    with changes.pending.quietly():
        for obj in edited_meshes(context):
            obj.update_from_editmode()
        return evaluated_depsgraph(context)


def needs_evaluation(context: bpy.types.Context, evaluated: bool) -> bool:
    """Whether Blender has to evaluate something before a pick, which drawing does not allow.

    Parameters
    ----------
    context : bpy.types.Context
    evaluated : bool
        Whether meshes are meant as they are evaluated, and not objects' own.
    """
    pending, depsgraph = changes.pending, context.view_layer.depsgraph
    if pending.any and is_sculpted_dynamically(context):
        return True
    if depsgraph is None:
        return True
    if not evaluated and edited_meshes(context):
        state = _states.get((depsgraph.as_pointer(), False))
        if pending.any or state is None or state.listing is None:
            return True
    return pending.removed and next(_stale_instancers(depsgraph), None) is not None


def _instancers_anew(context: bpy.types.Context) -> bpy.types.Depsgraph:
    """Have Geometry Nodes evaluated again if they were not since something was removed.

    Blender leaves instances of what was removed in what they made before, and crashes when it
    lists them (seen in 4.2 and 5.0).
    """
    for obj in _stale_instancers(evaluated_depsgraph(context)):
        obj.update_tag(refresh={"DATA"})
    return evaluated_depsgraph(context)


def _stale_instancers(depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Object]:
    """Objects with Geometry Nodes, be they in instanced collections alone."""
    evaluated = changes.pending.evaluated.get(depsgraph.as_pointer(), ())
    for obj in bpy.data.objects:
        if obj.as_pointer() not in evaluated and any(
            modifier.type == "NODES" for modifier in obj.modifiers
        ):
            yield obj


def _hidden(
    context: bpy.types.Context, space: bpy.types.SpaceView3D | None, state: _State
) -> frozenset[int]:
    key = visibility.view_key(space)
    hidden = state.hidden.get(key)
    if hidden is None:
        hidden = visibility.hidden_owners(context.view_layer, space)
        if key is not None:
            state.hidden[key] = hidden
    return hidden


def _snapshot(listing: Listing, left_out: frozenset[int], rule: Rule) -> Snapshot:
    scene = Scene()
    shown = [
        number
        for number, row in enumerate(listing.rows)
        if row.owner not in left_out
        and (row.solid or not rule.solid_only)
        and not (rule.exclude and {row.owner, row.original.as_pointer()} & rule.exclude)
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
    excluded = left_out | rule.exclude
    return Snapshot(
        scene,
        listing,
        rows,
        behind if len(behind) < len(rows) else None,
        [each for each in listing.unpickable if excluded.isdisjoint(each.addresses)],
    )
