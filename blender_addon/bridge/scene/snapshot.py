# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of the core with all that Blender displays; nothing is read before the first pick.

A viewport hides some objects, and the rules of callers exclude more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import bpy
import numpy as np

from ...settings import cache_bytes
from ...standalone_core import Scene
from ...standalone_core.extension import FloatArray, IntArray, alike, instance_of
from ..mesh.cache import FlatMesh, MeshCache, are_flat
from ..mesh.scene_mesh import OutOfDateError, SceneMesh
from ..mesh.shown_mesh import ShownMesh
from ..validation import Choices, Viewport, addresses, flag
from . import changes, instances
from .instances import ListedMesh, Listing, Unpickable

_TYPE_SWITCHES = tuple(
    switch.identifier
    for switch in bpy.types.SpaceView3D.bl_rna.properties
    if switch.identifier.startswith("show_object_viewport_")
)

# Where a viewport's switches do not call a type as objects do.
_TYPE_NAMES = {"SURFACE": "surf", "GREASEPENCIL": "grease_pencil", "GPENCIL": "grease_pencil"}

_states: dict[tuple[int, bool], _State] = {}
"""By the address of the depsgraph, and whether its meshes are the evaluated ones."""

_LEFT_OUT, _FLAT = -1, -2

_MOST_SNAPSHOTS = 16  # kept at once; a script may exclude other objects each time


class Rule(NamedTuple):
    """Which objects to exclude besides hidden ones, and which meshes to use.

    Objects are given by the addresses of their originals. What holds for an object holds for its
    instances too, and for those that it makes.
    """

    selectable_only: bool = False  # an instance is as selectable as the object that makes it
    solid_only: bool = False  # exclude meshes displayed as wire or bounds, without faces
    evaluated: bool = True  # use meshes as displayed; else objects' own, if they have one
    exclude: frozenset[int] = frozenset()
    only: frozenset[int] | None = None  # what is not excluded, unless it is None

    def counts(self, addresses: Collection[int]) -> bool:
        """Whether the mesh of the objects of these addresses counts."""
        if not self.exclude.isdisjoint(addresses):
            return False
        return self.only is None or not self.only.isdisjoint(addresses)


EVERYTHING = Rule()


def checked_rule(
    selectable_only: bool = False,
    solid_only: bool = False,
    evaluated: bool = True,
    exclude: Choices = (),
    only: Choices = None,
) -> Rule:
    """Check a caller's rule."""
    return Rule(
        flag(selectable_only, "selectable_only"),
        flag(solid_only, "solid_only"),
        flag(evaluated, "evaluated"),
        addresses(exclude, "exclude"),
        None if only is None else addresses(only, "only"),
    )


class ShownRow(Protocol):
    """An object or instance that can be hit."""

    @property
    def mesh(self) -> ShownMesh:
        """Its mesh, in local space."""

    @property
    def matrix(self) -> FloatArray:
        """Local to world space, (4, 4)."""

    @property
    def persistent_id(self) -> tuple[int, ...] | None:
        """An index for each level of nesting, innermost first; None if this is no instance."""

    @property
    def uid(self) -> int:
        """The session UID of the mesh's object."""

    @property
    def instancer(self) -> str | None:
        """The name of the object that makes the instance, if it is one."""

    @property
    def instancer_uid(self) -> int | None:
        """Its session UID."""


class Listed(Protocol):
    """What the instances of hits are."""

    @property
    def listed(self) -> Mapping[int, ShownRow]:
        """By the ids of the instances."""


class Shown(Listed, Protocol):
    """All that can be hit, as it is now or was."""

    @property
    def scene(self) -> Scene:
        """The scene of the core, in world space."""

    @property
    def behind(self) -> list[int] | None:
        """Ids of instances without In Front; None if no instance has it."""


def by_instance(shown: Listed, instances: IntArray) -> Iterator[tuple[ShownRow, IntArray]]:
    """The instances that occur among some ids (N,), with the rows (K,) of each; -1 is none."""
    for own in alike(instances, np.flatnonzero(instances >= 0)):
        yield shown.listed[int(instances[own[0]])], own


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A scene of the core in world space, and what each of its instances is in Blender."""

    scene: Scene
    listed: dict[int, ListedMesh]  # by the ids of the scene's instances
    behind: list[int] | None
    unpickable: list[Unpickable]
    ids: IntArray  # of the instances, by the rows of the list; _LEFT_OUT or _FLAT for the others
    of_object: Mapping[int, list[ListedMesh]]  # as in the list

    def meshes_of(self, uid: int) -> list[ListedMesh]:
        """What is shown of the object with a session UID, itself and its instances."""
        return [row for row in self.of_object.get(uid, ()) if self.ids[row.number] != _LEFT_OUT]

    def move(self, rows: IntArray, matrices: FloatArray) -> bool:
        """Give rows (M,) of the list their new matrices (M, 4, 4); False if flat ones forbid it."""
        ids = self.ids[rows]
        shown = ids != _LEFT_OUT
        if (ids == _FLAT).any() or are_flat(matrices[shown]).any():
            return False
        self.scene.set_matrices(ids[shown], matrices[shown])
        return True


class Memory(NamedTuple):
    """The number of meshes held (of some only the box), and their size in bytes."""

    meshes: int
    bytes: int


@dataclass(slots=True)
class _State:
    """What is known of the evaluated or of the original meshes of a depsgraph."""

    cache: MeshCache = field(default_factory=MeshCache)
    listing: Listing | None = None
    hidden: dict[object, frozenset[int]] = field(default_factory=dict)
    snapshots: dict[object, Snapshot] = field(default_factory=dict)
    # The visible objects when the list was read, and those that moved since, by their addresses.
    visible: list[bpy.types.Object] | None = None
    moved: dict[int, bpy.types.Object] = field(default_factory=dict)
    is_behind: bool = False  # whether anything moved, or was selected or hidden, since

    def note(self, moved: dict[int, bpy.types.Object] | None) -> None:
        """Note that only these objects moved, or, with None, that the list is not valid."""
        if moved is None:
            self.listing = None
            self.hidden.clear()
            self.snapshots.clear()
            self.moved.clear()
            self.is_behind = False
        else:
            self.moved.update(moved)
            self.is_behind = True

    def catch_up(self, context: bpy.types.Context, depsgraph: bpy.types.Depsgraph) -> None:
        """Move what has moved; the list is not valid if other objects are visible by now."""
        if self.listing is None or not self.is_behind:
            return
        rows = None
        if self.visible is not None and _visible(context) == self.visible:
            rows = self.listing.move(self.moved, depsgraph)
        if rows is None:
            self.note(None)
        elif len(rows):
            matrices = self.listing.matrices[rows]
            # Copies, by which whoever holds one can tell that its scene has changed.
            kept = [
                (key, each) for key, each in self.snapshots.items() if each.move(rows, matrices)
            ]
            self.snapshots = {key: replace(each) for key, each in kept}
        self.moved.clear()
        self.is_behind = False

    def read(self, context: bpy.types.Context, depsgraph: bpy.types.Depsgraph, own: bool) -> None:
        """Read the whole list, with objects' own meshes or with the evaluated ones."""
        self.listing = instances.listing(depsgraph, self.cache, not own)
        self.visible = _visible(context)
        self.moved.clear()
        self.is_behind = False


def _visible(context: bpy.types.Context) -> list[bpy.types.Object] | None:
    """The view layer's visible objects; None if Blender cannot tell.

    It tells it of the view layer that the window shows, as the depsgraph is now, except while it
    draws. A viewport with its own collections may show more.
    """
    window = context.window
    if changes.is_drawing() or window is None or window.view_layer != context.view_layer:
        return None
    if any(_has_own_collections(each) for each in context.window_manager.windows):
        return None
    with context.temp_override(area=None):
        found: list[bpy.types.Object] | None = getattr(context, "visible_objects", None)
        return found


def _has_own_collections(window: bpy.types.Window) -> bool:
    spaces = (area.spaces.active for area in window.screen.areas)
    return any(getattr(space, "use_local_collections", False) for space in spaces)


def of_context(
    context: bpy.types.Context, space: Viewport = None, rule: Rule = EVERYTHING
) -> Snapshot:
    """The scene as it is now: all visible meshes of the context's view layer.

    The local view and the object type visibility of a viewport hide some objects; without a
    viewport, only objects hidden in all viewports are missing. A rule excludes more.
    NotWhileDrawingError if Blender has to evaluate something first, but is drawing.
    """
    instance_of(context, bpy.types.Context, "context")
    changes.register()  # a script may have cleared the lists of handlers since
    state, listing = _listed(context, rule.evaluated)
    hidden = _hidden(context, space, state)
    if rule.selectable_only:
        selectable = {owner.as_pointer() for owner in _selectable(context, space)}
        hidden |= {owner.as_pointer() for owner in context.view_layer.objects} - selectable
    key = hidden, rule
    snapshot = state.snapshots.get(key)
    if snapshot is None:
        if len(state.snapshots) >= _MOST_SNAPSHOTS:
            state.snapshots.clear()
        snapshot = state.snapshots[key] = _snapshot(listing, hidden, rule)
    return snapshot


def of_depsgraph(
    depsgraph: bpy.types.Depsgraph, cache: MeshCache, hidden: frozenset[int], rule: Rule
) -> Snapshot:
    """All that a depsgraph has, without objects of `hidden` addresses and what these make."""
    return _snapshot(instances.listing(depsgraph, cache, rule.evaluated), hidden, rule)


def is_listed(depsgraph: bpy.types.Depsgraph, evaluated: bool) -> bool:
    """Whether the list of a depsgraph's meshes is known, and has not changed but for moves."""
    pending, address = changes.pending, depsgraph.as_pointer()
    state = _states.get((address, evaluated))
    is_known = state is not None and state.listing is not None
    return is_known and (not pending.any or pending.moved_in(address) is not None)


def trim(since: int) -> None:
    """Release meshes, least recently used first, until the rest fit the limit in the preferences.

    Meshes used after the number `since` are kept, however large they are.
    """
    held, limit = _held(), cache_bytes()
    if held <= limit:
        return
    for mesh in sorted(_meshes(), key=lambda mesh: mesh.used):
        if held <= limit or mesh.used > since:
            break
        held -= mesh.nbytes
        mesh.release()


def memory() -> Memory:
    """The number and size of all meshes."""
    return Memory(len(_meshes()), _held())


def indexing() -> float | None:
    """The share of the trees being built that is done; None if no tree is being built.

    After a change it is None until the next pick: the trees may be stale.
    """
    if changes.pending.any:
        return None
    shares = [share for mesh in _meshes(listed_only=True) if (share := mesh.indexing) is not None]
    return sum(shares) / len(shares) if shares else None


def go_on() -> None:
    """Finish in Blender's main thread what other threads have built, unless it is stale by now.

    New trees take memory, so meshes are released as needed, but for the one used last.
    """
    if changes.pending.any:
        return
    try:
        for mesh in _meshes(listed_only=True):
            mesh.go_on()
        trim(max((mesh.used for mesh in _meshes()), default=0) - 1)
    except (OutOfDateError, ReferenceError):
        changes.pending.forget_everything()


def register() -> None:
    """Start to follow changes."""
    changes.register()
    changes.pending.on_geometry = _cancel
    changes.pending.on_everything = _forget_all_but


def unregister() -> None:
    """Stop following changes, stop the threads, and free the memory."""
    changes.unregister()
    _forget_all_but()


def _forget_all_but(*depsgraphs: int) -> None:
    """Free the memory and stop the threads of all depsgraphs but those of these addresses.

    This accesses no data of Blender.
    """
    for key in [key for key in _states if key[0] not in depsgraphs]:
        _states.pop(key).cache.keep_only(())


def _cancel(users: set[int]) -> None:
    for state in _states.values():
        state.cache.cancel(users)


def _held() -> int:
    """The size of all meshes in bytes."""
    return sum(state.cache.count_bytes() for state in _states.values())


def _meshes(listed_only: bool = False) -> list[SceneMesh]:
    """All meshes, or only listed ones: after a change the sources of the others are invalid."""
    states = [state for state in _states.values() if state.listing or not listed_only]
    return [mesh for state in states for mesh in state.cache.meshes]


def _listed(context: bpy.types.Context, evaluated: bool) -> tuple[_State, Listing]:
    pending = changes.pending
    if pending.any:
        changes.flush_sculpting(context)
    current = changes.evaluated_depsgraph(context)
    address = current.as_pointer()
    if not pending.track(current):
        _forget_all_but(*({key[0] for key in _states} - {address}))
    if pending.removed:
        current = changes.evaluate_instancers(context)
    state = _states.get((address, evaluated))
    if not evaluated and (pending.any or state is None or state.listing is None):
        current = changes.flush_edits(context)
    if pending.everything:
        _forget_all_but()
    if pending.any:
        _forget_all_but(address, *changes.displayed_depsgraphs())
        for key, state in _states.items():
            state.note(pending.moved_in(key[0]))
            state.cache.forget(pending.geometry)
        pending.clear()
    state = _states.setdefault((address, evaluated), _State())
    state.catch_up(context, current)
    if state.listing is None:
        state.read(context, current, not evaluated)
    assert state.listing is not None
    return state, state.listing


def visibility(space: Viewport) -> tuple[object, ...]:
    """What of a viewport hides objects: equal for viewports that show the same ones."""
    if space is None:
        return None, *(True for _ in _TYPE_SWITCHES)
    is_local = space.local_view is not None or space.use_local_collections
    switches = (getattr(space, name) for name in _TYPE_SWITCHES)
    return space.as_pointer() if is_local else None, *switches


def _hidden(context: bpy.types.Context, space: Viewport, state: _State) -> frozenset[int]:
    """Addresses of objects that the viewport, or their collections, hide."""
    key = visibility(space)
    hidden = state.hidden.get(key)
    # Blender does not report changes of a local view, nor of local collections.
    is_local = key[0] is not None
    if hidden is None or is_local:
        view_layer = context.view_layer
        hidden = frozenset(
            owner.as_pointer()
            for owner in view_layer.objects
            if not owner.visible_get(view_layer=view_layer, viewport=space)
        )
        if not is_local:
            state.hidden[key] = hidden
    return hidden


def _selectable(context: bpy.types.Context, space: Viewport) -> Iterable[bpy.types.Object]:
    """The view layer's selectable objects, of those that are visible.

    Blender tells them only of the view layer that the window shows. For another one they are what
    a collection holds, such that neither it nor one around it is excluded, disabled or locked.
    """
    window = context.window
    if window is not None and window.view_layer == context.view_layer:
        return context.selectable_objects
    found: dict[bpy.types.Object, None] = {}
    waiting = [context.view_layer.layer_collection]
    while waiting:
        layer = waiting.pop()
        collection = layer.collection
        if collection.hide_viewport or collection.hide_select:
            continue
        waiting += layer.children
        if not layer.exclude:
            found.update(dict.fromkeys(collection.objects))
    return [each for each in found if not each.hide_select and _is_type_selectable(each, space)]


def _is_type_selectable(obj: bpy.types.Object, space: Viewport) -> bool:
    name = _TYPE_NAMES.get(obj.type, obj.type.lower())
    return bool(getattr(space, f"show_object_select_{name}", True))


def _snapshot(listing: Listing, hidden: frozenset[int], rule: Rule) -> Snapshot:
    """The listed meshes, without those of hidden addresses and those that the rule excludes."""
    chooses = bool(rule.exclude) or rule.only is not None
    numbers = [
        number
        for number, row in enumerate(listing.meshes)
        if row.owner not in hidden
        and (row.solid or not rule.solid_only)
        and (not chooses or rule.counts((row.owner, row.original.as_pointer())))
    ]
    chosen = np.array(numbers, dtype=np.int64)
    matrices = listing.matrices[chosen]
    flat = are_flat(matrices)
    rows = [listing.meshes[number] for number in numbers]
    regular = [row for row, is_flat in zip(rows, flat.tolist(), strict=True) if not is_flat]
    scene = Scene()
    ids = scene.add_many([row.mesh for row in regular], matrices[~flat])
    listed = dict(zip(ids, regular, strict=True))
    for number in np.flatnonzero(flat).tolist():
        row = rows[number]
        if np.isfinite(row.matrix).all():
            listed[scene.add(FlatMesh(row.mesh, row.matrix))] = row
    of_rows = np.full(len(listing.meshes), _LEFT_OUT, dtype=np.int64)
    of_rows[chosen[flat]] = _FLAT
    of_rows[chosen[~flat]] = ids
    behind = [identifier for identifier, row in listed.items() if not row.in_front]
    return Snapshot(
        scene,
        listed,
        behind if len(behind) < len(listed) else None,
        [
            each
            for each in listing.unpickable
            if hidden.isdisjoint(each.addresses) and rule.counts(each.addresses)
        ],
        of_rows,
        listing.of_object,
    )
