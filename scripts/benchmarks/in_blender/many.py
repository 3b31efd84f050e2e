# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks among many instances of one mesh, and among many objects of which one changes."""

from collections.abc import Callable
from functools import partial

import bpy
import numpy as np

from ..timing import Task, latencies, quiet, round_robin
from . import extension, scenes
from .bench import PICKS, Bench, Case
from .contestants import OF_SCENES, OURS

_INSTANCES, _OBJECTS, _FACES = 10_000, 1000, 1000
_SPACING = 4.0


def instances(bench: Bench) -> None:
    """Measure instances made by Geometry Nodes, by collections, and linked duplicates."""
    count = _INSTANCES // bench.small
    places = scenes.lattice(count, _SPACING)
    for way, make in _WAYS.items():
        scenes.empty()
        mesh = scenes.torus("Torus", _FACES)
        make(mesh, places)
        scenes.evaluate()
        random = bench.random()
        rays = scenes.rays(random.choice(places, PICKS), random)
        case = Case(bench, f"{count:,} {way}", bpy.context.scene.objects[0], OF_SCENES)
        case.first_picks("instances", partial(scenes.make_cold, mesh), rays[0])
        case.later_picks("instances_later", rays)
        extension.forget()


def objects(bench: Bench) -> None:
    """Measure a pick after one object has changed, and count the meshes read again."""
    scenes.empty()
    count = _OBJECTS // bench.small
    places = scenes.lattice(count, _SPACING)
    scenes.show_tori(places, _FACES)
    extension.forget()
    scene = f"{count:,} objects"
    rays = scenes.rays(places, bench.random())
    changed, ray = bpy.context.scene.objects[count // 2], rays[count // 2]
    pickers = {contestant.name: contestant.picker(changed) for contestant in OF_SCENES}
    for pick in pickers.values():
        latencies(pick, rays)
    scenes.make_cold(changed.data)
    with extension.counted_reads() as (positions, faces), quiet():
        latencies(pickers[OURS], rays)
    bench.add("read_again", scene, OURS, faces.call_count, "x")
    if positions.call_count != faces.call_count:
        note = f"{scene}: positions of {positions.call_count} meshes were read again"
        bench.results.notes.append(note)
    tasks = {
        name: Task(partial(pick, *ray), partial(scenes.make_cold, changed.data))
        for name, pick in pickers.items()
    }
    for name, samples in round_robin(tasks, bench.rounds).items():
        bench.add("changed", scene, name, samples.median)
    Case(bench, scene, changed, OF_SCENES).later_picks("unchanged", rays[:PICKS])
    extension.forget()


def by_geometry_nodes(mesh: bpy.types.Mesh, places: np.ndarray) -> None:
    """Instances of a mesh at places (N, 3)."""
    tree = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    for in_out in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    given = tree.nodes.new("NodeGroupInput")
    made = tree.nodes.new("NodeGroupOutput")
    placed = tree.nodes.new("GeometryNodeInstanceOnPoints")
    source = tree.nodes.new("GeometryNodeObjectInfo")
    source.inputs["As Instance"].default_value = True
    source.inputs["Object"].default_value = scenes.show("Torus", mesh, (0, 0, -1000))
    tree.links.new(given.outputs[0], placed.inputs["Points"])
    tree.links.new(source.outputs["Geometry"], placed.inputs["Instance"])
    tree.links.new(placed.outputs[0], made.inputs[0])
    points = bpy.data.meshes.new("Points")
    points.from_pydata(places.tolist(), [], [])
    carrier = scenes.show("Carrier", points)
    carrier.modifiers.new("Instances", "NODES").node_group = tree


def _by_collections(mesh: bpy.types.Mesh, places: np.ndarray) -> None:
    instanced = bpy.data.collections.new("Instanced")
    instanced.objects.link(bpy.data.objects.new("Torus", mesh))
    for place in places.tolist():
        carrier = scenes.show("Carrier", None, place)
        carrier.instance_type = "COLLECTION"
        carrier.instance_collection = instanced


def _by_linked_duplicates(mesh: bpy.types.Mesh, places: np.ndarray) -> None:
    for place in places.tolist():
        scenes.show("Torus", mesh, place)


_WAYS: dict[str, Callable[[bpy.types.Mesh, np.ndarray], None]] = {
    "instances by Geometry Nodes": by_geometry_nodes,
    "collection instances": _by_collections,
    "linked duplicates": _by_linked_duplicates,
}
