# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of ``three_ways.py`` that runs in Blender: the scene, the rays, and the first way."""

import importlib
import sys
import time
from pathlib import Path

import bpy
import numpy as np

from demo_scene import build_scene


def main(extension: str, folder: Path, count: int, sample: int, seed: int) -> None:
    """Write the scene, the rays, and what they hit."""
    bpy.ops.extensions.package_install_files(
        repo="user_default", filepath=extension, enable_on_install=True
    )
    api = importlib.import_module("bl_ext.user_default.raypick.api")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "scene.blend"))
    rng = np.random.default_rng(seed)
    origins = rng.normal(size=(count, 3)) * 4 + (0, 0, 3)
    directions = rng.normal(size=(count, 3)) * 2 - origins
    np.savez(folder / "rays.npz", origins=origins, directions=directions)
    api.save_scene(api.core_scene(bpy.context), folder / "scene.npz")
    start = time.perf_counter()
    hits = api.cast_rays(bpy.context, origins, directions)
    print(f"api.cast_rays: {count / (time.perf_counter() - start):,.0f} rays a second", flush=True)
    np.savez(folder / "api.npz", **hits)
    rows = rng.choice(np.flatnonzero(hits.hit), sample)
    alone = [api.ray_cast(bpy.context, origins[i], directions[i])[0] for i in rows]
    names = "face", "triangle", "barycentric", "point", "normal", "distance", "front"
    columns = {name: np.array([getattr(hit, name) for hit in alone]) for name in names}
    keys = [(hit.object, hit.instancer, hit.instance) for hit in alone]
    table = hits.instances
    numbers = {
        (hits.objects[table.object[i]], table.instancer[i], table.persistent_id[i]): i
        for i in range(len(table))
    }
    np.savez(folder / "alone.npz", row=rows, instance=[numbers[key] for key in keys], **columns)


if __name__ == "__main__":
    zip_path, to, *numbers_given = sys.argv[1:]
    main(zip_path, Path(to), *map(int, numbers_given))
