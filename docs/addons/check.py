# SPDX-License-Identifier: GPL-3.0-or-later
"""A check for CI: what is sunk in the floor, seen from behind, or out of sight of the start.

    blender -b level.blend --python-exit-code 2 --python check.py -- Floor Start

The exit status is 0 if all is well, 1 if not, and 2 if the check could not be made.
"""

import importlib
import sys

import addon_utils
import bpy
import numpy as np
from mathutils import Vector

TOLERANCE = 0.001  # how deep things may be sunk, in meters


def middle(obj):
    """Return the middle of an object's bounding box, which is the place of an empty."""
    return obj.matrix_world @ Vector(np.mean(obj.bound_box, axis=0))


def problems(floor, start):
    """Find what is wrong in the open file, a line each."""
    names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
    api = importlib.import_module(max(names, key=bpy.context.preferences.addons.find) + ".api")
    context, everything = bpy.context, api.core_scene(bpy.context, exclude=floor)
    for number in everything:
        matrix, mesh = everything[number].matrix, everything[number].mesh
        vertices = mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        heights = np.max(vertices[:, 2], initial=-np.inf) - vertices[:, 2]  # what is below the top
        limits = {"max_distance": heights, "min_distance": TOLERANCE}
        if api.any_hit(context, vertices, (0, 0, 1), only=floor, **limits).any():
            yield f"{everything[number].name} is sunk in {floor}"
    objects, graph = context.view_layer.objects, context.evaluated_depsgraph_get()
    cameras = [obj for obj in objects if obj.type == "CAMERA" and obj.data.type != "PANO"]
    for camera in [obj for obj in cameras if obj.evaluated_get(graph).is_evaluated]:
        shot = api.survey(context, camera, columns=["object", "front"])
        for name in sorted({*shot.names()[shot.hit & ~shot["front"]].tolist()}):
            yield f"{camera.name} sees {name} from behind"
    eye = middle(bpy.data.objects[start])
    for door in [obj for obj in objects if obj.name.startswith("Door")]:
        way = middle(door) - eye
        if api.any_hit(context, eye, way, way.length - TOLERANCE, exclude=[door, start]):
            yield f"{door.name} is out of sight of {start}"


def main():
    """Print the problems and end with the status."""
    if not bpy.data.filepath:
        raise SystemExit(2)  # Blender could not open the file, and shows its own scene
    found = sorted({*problems(*sys.argv[sys.argv.index("--") + 1 :])})
    print(*found, sep="\n")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
