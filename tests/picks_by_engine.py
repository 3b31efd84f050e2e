# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks by each engine inside of a Blender, to be compared there."""

PICKS = """
import importlib, math, os, random, shutil, sys
from pathlib import Path
import bpy
from bl_ext.user_default.raypick import api
from bl_ext.user_default.raypick.standalone_core import compiled

def picks(engine, seed, count):
    bpy.context.preferences.addons["bl_ext.user_default.raypick"].preferences.engine = engine
    random_ = random.Random(seed)
    found = []
    for _ in range(count):
        origin = [random_.gauss(0, 1) for _ in range(3)]
        direction = [-part + random_.gauss(0, 0.2) for part in origin]
        scale = 9 / math.hypot(*origin)
        hits = api.ray_cast(
            bpy.context, [scale * part for part in origin], direction, all_hits=True)
        hits.append(api.closest_point(bpy.context, origin))
        found.append([repr(hit.as_dict()) for hit in hits])
        points = [origin, [2 * part for part in direction]] * 40
        found[-1].append(api.closest_points(bpy.context, points)["point"].tolist())
        found[-1].append(api.signed_distance(bpy.context, points).tolist())
    return found

def own_kernels():
    kernel_cache = importlib.import_module(compiled.__package__ + ".engines.numba.kernel_cache")
    return kernel_cache.folder(kernel_cache.digest())

def known_kernels(kept):
    return Path(kept, "python{}.{}".format(*sys.version_info), own_kernels().name)

def load_kernels(kept):
    if known_kernels(kept).is_dir():
        shutil.copytree(known_kernels(kept), own_kernels(), dirs_exist_ok=True)

def keep_kernels(kept):
    known = known_kernels(kept)
    if not known.is_dir():
        shutil.rmtree(known.parent, ignore_errors=True)
        unfinished = Path(kept, f"unfinished-{os.getpid()}")
        shutil.copytree(own_kernels(), unfinished)
        known.parent.mkdir(exist_ok=True)
        try:
            unfinished.rename(known)
        except OSError:  # another Blender was sooner
            shutil.rmtree(unfinished)

def add_meshes():
    bpy.ops.mesh.primitive_torus_add(major_segments=90, minor_segments=60)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=80, ring_count=50, radius=2)
    bpy.context.object.scale = (1, 1.5, 0.3)
    bpy.context.view_layer.update()
"""
"""``add_meshes()`` makes a scene; ``picks(engine, seed, count)`` are the hits of random rays in it
and the places nearest to random points, with all digits; ``compiled`` says where the compiled
engine stands. ``own_kernels()`` is the folder of the compiled code; ``load_kernels(kept)`` fills it
with what a folder keeps of the same Python and sources, and ``keep_kernels(kept)`` keeps it there.
"""
