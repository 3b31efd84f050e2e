# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks at one large mesh: untouched, in edit mode, and deforming on every frame."""

import itertools
import statistics
import time
from functools import partial

import bmesh
import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from ..timing import Task, latencies, latencies_in_turns, quiet, round_robin, turns
from . import extension, scenes
from .bench import NEAREST, OURS, PICKERS, PICKS, Bench, Case, Point, raypick

_FACES = 2_000_000
_PAUSE = 1 / 60  # seconds between two picks while the mouse moves
_PATIENCE = 60.0

_TRIANGLES = 1_000_000
_STEP = 0.01
_FEW = 2  # picks with Blender's own functions, each of which builds a tree again

_NEAR_FACES, _POINTS = 100_000, 10_000

_VERTICES = 200_000
_FRAMES = 2  # of each contestant in a round


def first(bench: Bench) -> None:
    for has_attributes in (False, True):
        case, (ray,) = _case(bench, has_attributes), bench.centered(1)
        case.first_picks("first", partial(scenes.make_cold, case.target.data), ray)


def later(bench: Bench) -> None:
    """Time picks while the index is built, how long that takes, and picks afterwards."""
    for has_attributes in (False, True):
        case = _case(bench, has_attributes)
        extension.forget()
        scenes.make_cold(case.target.data)
        _while_indexed(case)
        case.later_picks("later", bench.centered(PICKS))
        extension.forget()


def _case(bench: Bench, has_attributes: bool) -> Case:
    scenes.empty()
    mesh = scenes.torus("Torus", _FACES // bench.small)
    if has_attributes:
        scenes.add_attributes(mesh)
    name = f"{len(mesh.polygons):,} quads" + (", UV and colour" if has_attributes else "")
    return Case(bench, name, scenes.show("Torus", mesh))


def _while_indexed(case: Case) -> None:
    """Pick at the pace of a moving mouse until no tree is being built at two picks in a row."""
    bench, scene, pick = case.bench, case.scene, raypick(case.target)
    indexing = extension.part("bridge.scene.snapshot").indexing
    shots = itertools.cycle(bench.centered(PICKS))
    pick(*next(shots))
    taken, idle, begin = [], 0, time.perf_counter()
    while idle < 2 and time.perf_counter() - begin < _PATIENCE:
        taken += latencies(pick, [next(shots)], _PAUSE)
        idle = idle + 1 if indexing() is None else 0
    bench.add("building", scene, OURS, float(np.median(taken)))
    bench.add("building_most", scene, OURS, max(taken))
    bench.add("index", scene, OURS, time.perf_counter() - begin)


def edit(bench: Bench) -> None:
    for triangles in (False, True):
        scenes.empty()
        faces = _TRIANGLES // bench.small // (1 if triangles else 2)
        mesh = scenes.torus("Torus", faces, triangles)
        scene = f"{len(mesh.polygons):,} {'triangles' if triangles else 'quads'}, edit mode"
        target = scenes.show("Torus", mesh)
        bpy.context.view_layer.objects.active = target
        bpy.ops.object.mode_set(mode="EDIT")
        extension.forget()
        _edited_mesh(bench, scene, target)
        bpy.ops.object.mode_set(mode="OBJECT")
        extension.forget()


def _edited_mesh(bench: Bench, scene: str, target: bpy.types.Object) -> None:
    mesh = target.data
    cage = bmesh.from_edit_mesh(mesh)
    cage.verts.ensure_lookup_table()
    moved = cage.verts[0]
    rays = bench.centered(PICKS // 2)
    first, whole, later = ({name: [] for name in PICKERS} for _ in range(3))
    blind: set[str] = set()
    for _, name in turns(list(PICKERS), bench.rounds):
        moved.co.x += _STEP
        bmesh.update_edit_mesh(mesh, loop_triangles=True, destructive=False)
        ray = (moved.co.x + 1.0, *moved.co.yz), (-1.0, 0.0, 0.0)
        with quiet():
            start = time.perf_counter()
            scenes.evaluate()
            evaluated = time.perf_counter()
            point = PICKERS[name](target)(*ray)
            end = time.perf_counter()
        first[name].append(end - evaluated)
        whole[name].append(end - start)
        if point is None or abs(point[0] - moved.co.x) >= _STEP / 10:
            blind.add(name)
        # At the pace of a moving mouse: the index is built meanwhile.
        shots = rays if name == OURS else rays[:_FEW]
        later[name] += latencies(PICKERS[name](target), shots, _PAUSE)
        if name == OURS:
            extension.wait_for_index()
    for measure, samples in (("edit", first), ("edit_whole", whole), ("edit_later", later)):
        for name, seconds in samples.items():
            bench.add(measure, scene, name, statistics.median(seconds))
    bench.add("edit_most", scene, OURS, max(later[OURS]))
    if blind:
        bench.results.notes.append(f"{scene}: the edit is not seen by {', '.join(sorted(blind))}")


def points(bench: Bench) -> None:
    """Measure the places nearest to points around a mesh, in one call and in a call each."""
    scenes.empty()
    extension.forget()
    target = scenes.show("Torus", scenes.torus("Torus", _NEAR_FACES // bench.small, triangles=True))
    tree = BVHTree.FromObject(target, scenes.evaluate())
    api = extension.part("api")
    where = bench.random().uniform(-scenes.REACH, scenes.REACH, (_POINTS // bench.small, 3))
    every = where.tolist()

    def loop() -> np.ndarray:
        """Do as a script without Raypick would: ask for each point, and fill arrays."""
        places, faces, distances = np.empty((len(every), 3)), np.empty(len(every)), []
        for row, point in enumerate(every):
            places[row], _, faces[row], away = tree.find_nearest(point)
            distances.append(away)
        return np.array(distances)

    is_compiled = extension.part("settings").engine_name() == "Numba"
    measure = "points_compiled" if is_compiled else "points"
    found = api.closest_points(bpy.context, where)
    extension.wait_for_index()
    scene = f"{len(target.data.polygons):,} triangles"
    if np.abs(found["distance"] - loop()).max() > 1e-4:
        bench.results.notes.append(f"{scene}: {NEAREST} finds other places")
    tasks = {OURS: Task(partial(api.closest_points, bpy.context, where)), NEAREST: Task(loop)}
    for name, samples in round_robin(tasks, bench.rounds).items():
        bench.add(measure, scene, name, samples.median / len(every))
    rows = [(point,) for point in every[:PICKS]]
    calls = {
        OURS: (partial(api.closest_point, bpy.context), rows),
        NEAREST: (tree.find_nearest, rows),
    }
    for name, taken in latencies_in_turns(calls, bench.rounds).items():
        bench.add("point", scene, name, statistics.median(taken))
    extension.forget()


def deform(bench: Bench) -> None:
    """Measure a mesh under a modifier, and one with an animated shape key."""
    for way, animate in (("Wave", _by_modifier), ("shape key", _by_shape_key)):
        scenes.empty()
        mesh = scenes.torus("Torus", _VERTICES // bench.small)
        target = scenes.show("Torus", mesh)
        animate(target)
        extension.forget()
        _deformed_mesh(bench, f"{len(mesh.vertices):,} vertices, {way}", target)
        extension.forget()


def _deformed_mesh(bench: Bench, scene: str, target: bpy.types.Object) -> None:
    """Go to the next frame before each pick, so that the mesh is new to each contestant."""
    frames = itertools.count(2)
    shots = itertools.cycle(bench.centered(64))
    seconds: dict[str, list[float]] = {name: [] for name in PICKERS}
    for _, name in turns(list(PICKERS), bench.rounds * _FRAMES):
        ray = next(shots)
        bpy.context.scene.frame_set(next(frames))
        points: dict[str, Point] = {}
        with quiet():
            start = time.perf_counter()
            points[name] = PICKERS[name](target)(*ray)
            seconds[name].append(time.perf_counter() - start)
        points[OURS] = raypick()(*ray)
        bench.note_disagreement(scene, points)
        extension.wait_for_index()
    for name, taken in seconds.items():
        bench.add("deform", scene, name, statistics.median(taken))


def _by_modifier(target: bpy.types.Object) -> None:
    target.modifiers.new("Wave", "WAVE").height = 0.1


def _by_shape_key(target: bpy.types.Object) -> None:
    target.shape_key_add(name="Basis")
    key = target.shape_key_add(name="Key")
    for point in itertools.islice(key.data, 0, None, 3):
        point.co.z += 0.02
    for frame, value in ((1, 0.0), (1000, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
