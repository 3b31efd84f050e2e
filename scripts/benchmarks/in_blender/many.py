# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of many objects or instances: picks, memory, opening the file, and surveys."""

import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from demo_scene import add_camera, build_scene

from ..timing import Task, latencies, quiet, round_robin
from . import extension, scenes
from .bench import FROZEN, LOOP, OF_SCENES, OURS, PICKERS, PICKS, Bench, Case, raypick

_INSTANCES, _OBJECTS, _FACES = 10_000, 1000, 1000
_MOVING, _SELECTED = 4000, 20_000
_SPACING = 4.0

_HELD_OBJECTS, _HELD_FACES = 24, 250_000
_HELD_PICKS = 3  # at each object; the second pick starts to build its tree
_UNBOUNDED, _LIMIT = 1024, 64  # MiB

_OPENED_OBJECTS, _OPENED_FACES = 100, 10_000
_WITHOUT = "without raypick"

WIDTH, HEIGHT = 1920, 1080
_ROWS = {"demo scene": 20, "10,000 instances": 1}
"""Rows of pixels that the loop goes through: with many instances a ray takes milliseconds."""


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
    pickers = {name: PICKERS[name](changed) for name in OF_SCENES}
    for pick in pickers.values():
        latencies(pick, rays)
    scenes.make_cold(changed.data)
    with extension.counted_reads() as (positions, faces), quiet():
        latencies(pickers[OURS], rays)
    bench.add("read_again", scene, OURS, faces.call_count, "")
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


def scenes_that_move(bench: Bench) -> None:
    """Measure a pick after one of many objects moved, and after one was selected."""
    for count in (_MOVING, _SELECTED):
        _after("moved", bench, count, _move)
    _after("selected", bench, _SELECTED, _select)


def _after(
    measure: str, bench: Bench, count: int, change: Callable[[bpy.types.Object], None]
) -> None:
    scenes.empty()
    count //= bench.small
    places = scenes.lattice(count, _SPACING)
    _by_linked_duplicates(scenes.torus("Torus", _FACES), places)
    scenes.evaluate()
    extension.forget()
    changed = bpy.context.scene.objects[count // 2]
    ray = scenes.rays(places, bench.random())[count // 2]

    def before() -> None:
        change(changed)
        bpy.context.view_layer.update()

    pickers = {name: PICKERS[name](changed) for name in OF_SCENES}
    for pick in pickers.values():
        latencies(pick, [ray] * 20)
    tasks = {name: Task(partial(pick, *ray), before) for name, pick in pickers.items()}
    scene = f"{count:,} objects, {measure}"
    for name, samples in round_robin(tasks, 3 * bench.rounds).items():
        bench.add(measure, scene, name, samples.median)
    Case(bench, scene, changed, OF_SCENES).later_picks(f"{measure}_later", [ray] * PICKS)
    if measure == "moved":
        freeze = Task(partial(extension.part("api").frozen, bpy.context), before)
        for name, samples in round_robin({OURS: freeze}, bench.rounds).items():
            bench.add("freeze", scene, name, samples.median)
        frozen = Case(bench, scene, changed, (FROZEN, "scene.ray_cast"))
        frozen.later_picks("frozen", [ray] * PICKS)
    extension.forget()


def _move(obj: bpy.types.Object) -> None:
    obj.location.z += 1e-3


def _select(obj: bpy.types.Object) -> None:
    obj.select_set(not obj.select_get())


def by_geometry_nodes(mesh: bpy.types.Mesh, places: np.ndarray) -> None:
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


def memory(bench: Bench) -> None:
    """Pick at many meshes, with a memory limit that holds all of them, and with a small one."""
    scenes.empty()
    places = scenes.lattice(_HELD_OBJECTS, 4.0)
    scenes.show_tori(places, _HELD_FACES // bench.small)
    limit = max(_LIMIT // bench.small, 1)
    try:
        for scene, mebibytes in (("default", _UNBOUNDED), ("small", limit)):
            extension.forget()
            extension.limit_memory(mebibytes)
            most, after = _held(bench, places)
            scene = f"{_HELD_OBJECTS} meshes, {scene} limit of {mebibytes} MiB"
            bench.add("held", scene, OURS, most, "B")
            bench.add("held_after", scene, OURS, after, "B")
            bench.add("held_share", scene, OURS, max(most, after) / (mebibytes << 20), "")
    finally:
        extension.limit_memory(_UNBOUNDED)
        extension.forget()


def _held(bench: Bench, places: np.ndarray) -> tuple[int, int]:
    """The most bytes held after any pick, and those held once all threads have ended."""
    pick = raypick()
    most, random = 0, bench.random()
    for place in places:
        for ray in scenes.rays(np.repeat(place[None], _HELD_PICKS, axis=0), random):
            pick(*ray)
            most = max(most, extension.held_bytes())
    extension.wait_for_index()
    return most, extension.held_bytes()


def opening(bench: Bench) -> None:
    """Time enabling the extension and opening a file; count the meshes that this reads."""
    scenes.empty()
    scenes.show_tori(scenes.lattice(_OPENED_OBJECTS, 4.0), _OPENED_FACES // bench.small)
    scene = f"{_OPENED_OBJECTS} meshes"
    enabling, opened, plain, held, read = [], [], [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scene.blend")
        bpy.ops.wm.save_as_mainfile(filepath=file, compress=False)
        for _ in range(bench.rounds):
            extension.disable()
            plain.append(_timed(lambda: bpy.ops.wm.open_mainfile(filepath=file)))
            scenes.evaluate()
            enabling.append(_timed(extension.enable))
            held += extension.held_bytes()
            with extension.counted_reads() as readers:
                opened.append(_timed(lambda: bpy.ops.wm.open_mainfile(filepath=file)))
                scenes.evaluate()
            read += sum(reader.call_count for reader in readers)
    bench.add("enable", scene, OURS, statistics.median(enabling))
    bench.add("open", scene, OURS, statistics.median(opened))
    bench.add("open", scene, _WITHOUT, statistics.median(plain))
    bench.add("read_early", scene, OURS, read + held, "")


def _timed(work: Callable[[], object]) -> float:
    with quiet():
        return latencies(work, [()])[0]


def survey(bench: Bench) -> None:
    """Measure seconds per pixel, in the demo scene and among many instances."""
    is_compiled = extension.part("settings").engine_name() == "Numba"
    measure = "survey_compiled" if is_compiled else "survey"
    for name, make in _SURVEYED.items():
        scenes.empty()
        make(_INSTANCES // bench.small)
        render = bpy.context.scene.render
        render.resolution_x, render.resolution_y = WIDTH // bench.small, HEIGHT // bench.small
        render.resolution_percentage = 100
        scenes.evaluate()
        api = extension.part("api")
        rows = np.linspace(0, render.resolution_y - 1, _ROWS[name] + 2).astype(int)[1:-1].tolist()
        tasks = {OURS: Task(partial(api.survey, bpy.context)), LOOP: Task(partial(_loop, rows))}
        tasks[OURS].run()
        measured = round_robin(tasks, bench.rounds)
        pixels = render.resolution_x * render.resolution_y
        bench.add(measure, name, OURS, measured[OURS].median / pixels)
        looped = len(rows) * render.resolution_x
        bench.add(measure, name, LOOP, measured[LOOP].median / looped)
        extension.forget()


def _survey_instances(count: int) -> None:
    """A lattice of tori, and a camera that looks through it."""
    places = scenes.lattice(count, _SPACING)
    by_geometry_nodes(scenes.torus("Torus", _FACES), places)
    reach = float(np.abs(places).max())
    camera = add_camera((reach * 1.5, -reach * 1.5, reach), (0, 0, 0), 35)
    camera.data.clip_end = 10 * reach
    bpy.context.scene.camera = camera


_SURVEYED: dict[str, Callable[[int], None]] = {
    "demo scene": lambda _count: build_scene(),
    "10,000 instances": _survey_instances,
}


def _loop(rows: list[int]) -> dict[str, np.ndarray]:
    """Do as a script without Raypick would: cast a ray through each pixel, and fill arrays."""
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    camera, width = scene.camera, scene.render.resolution_x
    origin = camera.matrix_world.translation
    corner, across, up = _frame(camera.matrix_world)
    shape = len(rows), width
    points, normals = np.full((*shape, 3), np.nan), np.full((*shape, 3), np.nan)
    faces, objects = np.full(shape, -1), np.full(shape, -1)
    names: dict[str, int] = {}
    for row, y in enumerate(rows):
        left = corner + up * (y + 0.5) - origin
        for column in range(width):
            direction = left + across * (column + 0.5)
            hit, point, normal, face, found, _ = scene.ray_cast(depsgraph, origin, direction)
            if hit:
                points[row, column], normals[row, column] = point, normal
                faces[row, column] = face
                objects[row, column] = names.setdefault(found.name, len(names))
    return {"point": points, "normal": normals, "face": faces, "object": objects}


def _frame(matrix: Matrix) -> tuple:
    """The bottom left corner of the picture in world space, and the steps to the next pixels."""
    scene = bpy.context.scene
    view = scene.camera.data.view_frame(scene=scene)
    _, bottom_right, bottom_left, top_left = (matrix @ corner for corner in view)
    width, height = scene.render.resolution_x, scene.render.resolution_y
    across, up = (bottom_right - bottom_left) / width, (top_left - bottom_left) / height
    return bottom_left, across, up
