# SPDX-License-Identifier: GPL-3.0-or-later
"""All pixels of a render camera, beside a loop of ``scene.ray_cast`` over some of them."""

from functools import partial

import bpy
import numpy as np
from mathutils import Matrix

from demo_scene import add_camera, build_scene

from ..timing import Task, round_robin
from . import extension, many, scenes
from .bench import Bench
from .contestants import LOOP, OURS

WIDTH, HEIGHT = 1920, 1080
_COUNT, _FACES, _SPACING = 10_000, 1000, 4.0
_ROWS = {"demo scene": 20, "10,000 instances": 1}
"""Rows of pixels that the loop goes through: with many instances a ray takes milliseconds."""


def survey(bench: Bench) -> None:
    """Measure seconds a pixel, in the scene of the demonstration and among many instances."""
    is_compiled = extension.part("settings").engine_name() == "Numba"
    measure = "survey_compiled" if is_compiled else "survey"
    for name, make in (("demo scene", _demo), ("10,000 instances", _instances)):
        scenes.empty()
        make(_COUNT // bench.small)
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


def _demo(_count: int) -> None:
    build_scene()


def _instances(count: int) -> None:
    """A lattice of tori, and a camera that looks through it."""
    places = scenes.lattice(count, _SPACING)
    many.by_geometry_nodes(scenes.torus("Torus", _FACES), places)
    reach = float(np.abs(places).max())
    camera = add_camera((reach * 1.5, -reach * 1.5, reach), (0, 0, 0), 35)
    camera.data.clip_end = 10 * reach
    bpy.context.scene.camera = camera


def _loop(rows: list[int]) -> dict[str, np.ndarray]:
    """What a script does today: a ray for each pixel, and the answers in arrays."""
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
