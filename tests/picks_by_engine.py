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
        found.append([repr(hit.as_dict()) for hit in hits])
    return found

def kernels_of_these_sources(kept):
    cache_folder = importlib.import_module(compiled.__package__ + ".engines.cache_folder")
    name = "python{}.{}".format(*sys.version_info)
    own = cache_folder.folder(cache_folder.digest())
    return own, Path(kept, name, own.name)

def load_kernels(kept):
    own, known = kernels_of_these_sources(kept)
    if known.is_dir():
        shutil.copytree(known, own, dirs_exist_ok=True)
    return any(own.iterdir())

def keep_kernels(kept):
    own, known = kernels_of_these_sources(kept)
    if not known.is_dir():
        shutil.rmtree(known.parent, ignore_errors=True)
        unfinished = Path(kept, f"unfinished-{os.getpid()}")
        shutil.copytree(own, unfinished)
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
"""``add_meshes()`` makes a scene; ``picks(engine, seed, count)`` are the hits of random rays in it,
as texts with all digits; ``compiled`` says where the compiled engine stands. ``load_kernels(kept)``
loads what was compiled of the same sources, and returns whether there is any;
``keep_kernels(kept)`` keeps it in that folder.
"""
