# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks at a mesh that deforms, one on every frame."""

import itertools
import statistics
import time

import bpy

from ..timing import quiet, turns
from . import extension, scenes
from .bench import Bench
from .contestants import ALL, OURS, Point

_VERTICES = 200_000
_FRAMES = 2  # of each contestant in a round


def deform(bench: Bench) -> None:
    """Measure a mesh under a modifier, and one with an animated shape key."""
    for way, animate in (("Wave", _by_modifier), ("shape key", _by_shape_key)):
        scenes.empty()
        mesh = scenes.torus("Torus", _VERTICES // bench.small)
        target = scenes.show("Torus", mesh)
        animate(target)
        extension.forget()
        _one_mesh(bench, f"{len(mesh.vertices):,} vertices, {way}", target)
        extension.forget()


def _one_mesh(bench: Bench, scene: str, target: bpy.types.Object) -> None:
    """Go on a frame before each pick, so that all find a mesh that is new to them."""
    frames = itertools.count(2)
    shots = scenes.cycle(bench.centered(64))
    by_name = {contestant.name: contestant for contestant in ALL}
    seconds: dict[str, list[float]] = {name: [] for name in by_name}
    for _, name in turns(list(by_name), bench.rounds * _FRAMES):
        contestant, ray = by_name[name], next(shots)
        bpy.context.scene.frame_set(next(frames))
        points: dict[str, Point] = {}
        with quiet():
            start = time.perf_counter()
            points[name] = contestant.pick(target, *ray)
            seconds[name].append(time.perf_counter() - start)
        points[OURS] = by_name[OURS].pick(target, *ray)
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
