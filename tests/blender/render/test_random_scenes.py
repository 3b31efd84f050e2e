# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of things, collections and cameras with random settings: what Cycles renders of them."""

import bpy
import numpy as np
import pytest

from tests.blender.scenes import instance_on_points, link, mesh_object

from . import cycles
from .shapes import ball, cube, dressed, particles, put_in

SCENES = 6


def often(rng, chance=0.25):
    return bool(rng.random() < chance)


def turned(obj, rng):
    """The object somewhere, turned and scaled, perhaps mirrored."""
    obj.location = rng.uniform(-3, 3, 3)
    obj.rotation_euler = rng.uniform(-3, 3, 3)
    obj.scale = rng.uniform(0.4, 1.3, 3) * rng.choice([-1, 1, 1], 3)
    return obj


def switched(obj, rng):
    """The object, perhaps hidden in one of the ways that there are."""
    obj.hide_render, obj.hide_viewport = often(rng, 0.1), often(rng)
    obj.visible_camera, obj.is_holdout = not often(rng, 0.15), often(rng, 0.15)
    obj.show_instancer_for_render = not often(rng)
    obj.show_instancer_for_viewport = often(rng)
    if often(rng, 0.15):
        obj.hide_set(True)
    return obj


def modified(obj, rng):
    """The object, perhaps with a modifier that renders show otherwise than viewports."""
    kind = rng.choice(["", "", "SUBSURF", "BEVEL", "ARRAY", "SOLIDIFY", "DECIMATE"])
    if kind:
        modifier = obj.modifiers.new("M", str(kind))
        modifier.show_render, modifier.show_viewport = not often(rng), not often(rng)
        if kind == "SUBSURF":
            modifier.levels, modifier.render_levels = map(int, rng.integers(0, 3, 2))
        if kind == "ARRAY":
            modifier.relative_offset_displace[0] = 1.1  # no two faces in one place
        if kind == "DECIMATE":
            modifier.ratio = 0.6
        if kind == "SOLIDIFY":
            modifier.thickness = 0.2
    return obj


def populated(rng):
    """Fill the scene; whether a collection is excluded, indirect or a holdout is left to chance."""
    solids = []
    for number in range(9):
        make = cube if often(rng, 0.6) else ball
        solid = make(f"Solid {number}", size=float(rng.uniform(0.5, 1.0)))
        solids.append(switched(modified(turned(solid, rng), rng), rng))
    collections = [put_in(f"Set {number}") for number in range(4)]
    for number, collection in enumerate(collections[1:], 1):
        if often(rng, 0.4):  # within another
            bpy.context.scene.collection.children.unlink(collection)
            collections[int(rng.integers(number))].children.link(collection)
    for solid in solids:
        if often(rng, 0.7):
            bpy.context.scene.collection.objects.unlink(solid)
            collections[int(rng.integers(4))].objects.link(solid)
    for number in range(5):
        solid, inner = solids[int(rng.integers(9))], int(rng.integers(1, 4))
        make = MAKERS[int(rng.integers(len(MAKERS)))]
        maker = make(f"Maker {number}", solid, collections[inner], rng)
        switched(turned(maker, rng), rng)
        maker.scale *= 0.6
        if often(rng, 0.5):  # in a collection that it does not make instances of
            bpy.context.scene.collection.objects.unlink(maker)
            collections[int(rng.integers(inner))].objects.link(maker)
    for collection in collections:
        collection.hide_render = often(rng, 0.1)
    for layer in (bpy.context.view_layer, bpy.context.scene.view_layers.new("Second")):
        switch_collections(layer.layer_collection, rng)


def switch_collections(within, rng):
    for child in within.children:
        child.exclude = often(rng, 0.15)
        child.indirect_only, child.holdout = often(rng, 0.15), often(rng, 0.15)
        child.hide_viewport = often(rng)
        switch_collections(child, rng)


def of_collection(name, _solid, collection, _rng):
    maker = link(bpy.data.objects.new(name, None))
    maker.instance_type, maker.instance_collection = "COLLECTION", collection
    return maker


def on_points(name, solid, _collection, rng):
    maker = mesh_object(name, rng.uniform(-2, 2, (4, 3)), [])
    instance_on_points(maker, solid)
    return maker


def on_vertices(name, solid, _collection, rng):
    maker = dressed(mesh_object(name, rng.uniform(-2, 2, (3, 3)), [(0, 1, 2)]))
    maker.instance_type = str(rng.choice(["VERTS", "FACES"]))
    child = turned(link(solid.copy()), rng)
    child.parent, child.name = maker, f"{name} child"
    return maker


def of_particles(name, solid, collection, rng):
    maker = ball(name)
    sources = {"instance_object": solid, "instance_collection": collection}
    kind = str(rng.choice(["OBJECT", "COLLECTION"]))
    particles(maker, count=5, render_type=kind, size_random=0.5, **sources)
    return maker


MAKERS = of_collection, on_points, on_vertices, of_particles


def aimed(rng):
    """A camera with random settings that looks to the middle."""
    way = rng.normal(size=3)
    eye = cycles.camera(way / np.linalg.norm(way) * 12)
    target = link(bpy.data.objects.new("Target", None))
    eye.constraints.new("TRACK_TO").target = target
    lens, render = eye.data, bpy.context.scene.render
    lens.sensor_fit = str(rng.choice(["AUTO", "HORIZONTAL", "VERTICAL"]))
    lens.shift_x, lens.shift_y = rng.uniform(-0.1, 0.1, 2)
    if often(rng):
        lens.type, lens.ortho_scale = "ORTHO", 8.0
    lens.clip_start, lens.clip_end = rng.uniform(0.1, 10.0), rng.uniform(12.0, 30.0)
    render.resolution_x, render.resolution_y = map(int, rng.integers(60, 110, 2))
    if often(rng, 0.5):
        render.use_border, render.use_crop_to_border = True, often(rng, 0.5)
        render.border_min_x, render.border_min_y = rng.uniform(0.0, 0.3, 2)
        render.border_max_x, render.border_max_y = rng.uniform(0.7, 1.0, 2)
    if often(rng):
        render.use_multiview, lens.stereo.interocular_distance = True, 0.7
    if often(rng):
        render.use_simplify, render.simplify_subdivision_render = True, 1


@pytest.mark.parametrize("number", range(SCENES))
def test_a_random_scene(check, seed, number):
    rng = np.random.default_rng((seed, number))
    print(f"seed {seed}, scene {number}")
    aimed(rng)
    populated(rng)
    check(seen=0, most=2 * cycles.MOST)  # there are many edges
