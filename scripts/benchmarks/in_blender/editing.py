# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks at a mesh in edit mode, after each edit and between edits."""

import statistics
import time

import bmesh
import bpy

from ..timing import latencies, quiet, turns
from . import extension, scenes
from .bench import PICKS, Bench
from .contestants import ALL, OURS

_TRIANGLES = 1_000_000
_STEP = 0.01
_PAUSE = 1 / 60
_FEW = 2  # picks of Blender's own, which begin anew with each


def edit(bench: Bench) -> None:
    """Measure a mesh of quads, and one of triangles."""
    for triangles in (False, True):
        scenes.empty()
        faces = _TRIANGLES // bench.small // (1 if triangles else 2)
        mesh = scenes.torus("Torus", faces, triangles)
        scene = f"{len(mesh.polygons):,} {'triangles' if triangles else 'quads'}, edit mode"
        target = scenes.show("Torus", mesh)
        bpy.context.view_layer.objects.active = target
        bpy.ops.object.mode_set(mode="EDIT")
        extension.forget()
        _one_mesh(bench, scene, target)
        bpy.ops.object.mode_set(mode="OBJECT")
        extension.forget()


def _one_mesh(bench: Bench, scene: str, target: bpy.types.Object) -> None:
    mesh = target.data
    cage = bmesh.from_edit_mesh(mesh)
    cage.verts.ensure_lookup_table()
    moved = cage.verts[0]
    rays = bench.centered(PICKS // 2)
    by_name = {contestant.name: contestant for contestant in ALL}
    first, whole, later = ({name: [] for name in by_name} for _ in range(3))
    blind: set[str] = set()
    for _, name in turns(list(by_name), bench.rounds):
        contestant = by_name[name]
        moved.co.x += _STEP
        bmesh.update_edit_mesh(mesh, loop_triangles=True, destructive=False)
        ray = (moved.co.x + 1.0, *moved.co.yz), (-1.0, 0.0, 0.0)
        with quiet():
            start = time.perf_counter()
            scenes.evaluate()
            evaluated = time.perf_counter()
            point = contestant.pick(target, *ray)
            end = time.perf_counter()
        first[name].append(end - evaluated)
        whole[name].append(end - start)
        if point is None or abs(point[0] - moved.co.x) >= _STEP / 10:
            blind.add(name)
        # At the pace of a hand: the index is built in the meantime.
        shots = rays if name == OURS else rays[:_FEW]
        later[name] += latencies(contestant.picker(target), shots, _PAUSE)
        if name == OURS:
            extension.wait_for_index()
    for measure, samples in (("edit", first), ("edit_whole", whole), ("edit_later", later)):
        for name, seconds in samples.items():
            bench.add(measure, scene, name, statistics.median(seconds))
    bench.add("edit_most", scene, OURS, max(later[OURS]))
    if blind:
        bench.results.notes.append(f"{scene}: the edit is not seen by {', '.join(sorted(blind))}")
