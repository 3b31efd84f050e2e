# SPDX-License-Identifier: GPL-3.0-or-later
"""LiDAR: a spinning sensor at an object, along the scene's animation, as a point cloud (PLY).

    blender -b street.blend --python-exit-code 1 --python lidar.py -- Sensor scan.ply

Each frame is a turn of the sensor about its Z axis, in steps between which all things move on.
"""

import importlib
import sys

import addon_utils
import bpy
import numpy as np

NEAREST, FARTHEST = 0.5, 120.0  # in meters
TURN = np.linspace(0, 2 * np.pi, 1800, endpoint=False).reshape(12, 1, 150)  # twelve steps
BEAMS = np.radians(np.linspace(-25, 15, 64))[:, None]  # above the horizon
POINT = [(name, "<f4") for name in ("x", "y", "z", "intensity")] + [("object", "<i4")]


def sweep(api, sensor, turn):
    """Return the points that are seen while the sensor turns a step, and the names of objects."""
    place, rotation, _ = sensor.matrix_world.decompose()
    around = np.cos(BEAMS) * np.cos(turn), np.cos(BEAMS) * np.sin(turn), np.sin(BEAMS) + 0 * turn
    rays = np.stack(around, axis=-1) @ np.array(rotation.to_matrix()).T
    limits = {"max_distance": FARTHEST, "min_distance": NEAREST, "exclude": sensor}
    hits = api.cast_rays(bpy.context, place, rays, columns=["object", "point", "normal"], **limits)
    points = np.empty(np.count_nonzero(hits.hit), POINT)
    points["x"], points["y"], points["z"] = hits["point"][hits.hit].T
    points["intensity"] = np.abs((hits["normal"] * rays).sum(axis=-1))[hits.hit]
    points["object"] = hits["object"][hits.hit]
    return points, hits.objects


def main(sensor, path):
    """Scan the frames of the scene and write what was seen."""
    names = [m.__name__ for m in addon_utils.modules() if m.__name__.endswith(".raypick")]
    api = importlib.import_module(max(names, key=bpy.context.preferences.addons.find) + ".api")
    scene, sweeps = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        for step, turn in enumerate(TURN):
            scene.frame_set(frame, subframe=step / len(TURN))
            points, names = sweep(api, bpy.data.objects[sensor], turn)
            sweeps.append(points)
    cloud = np.concatenate(sweeps)
    header = ["ply", "format binary_little_endian 1.0", f"element vertex {len(cloud)}"]
    header += [f"property {'int' if kind == '<i4' else 'float'} {key}" for key, kind in POINT]
    header += [f"comment object {number} is {name!r}" for number, name in enumerate(names)]
    with open(path, "wb") as file:
        file.write("\n".join([*header, "end_header\n"]).encode() + cloud.tobytes())


if __name__ == "__main__":
    main(*sys.argv[sys.argv.index("--") + 1 :])
