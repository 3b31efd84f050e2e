# SPDX-License-Identifier: GPL-3.0-or-later
"""What Cycles renders through the middles of pixels, beside what the engine says is there."""

import json
import os
from typing import NamedTuple

import bpy
import numpy as np

from tests.blender.scenes import link

from . import exr_parts

MOST = 3
"""The pixels at which pictures may differ: on outlines, as Cycles jitters a ray by 0.005 pixels."""

ROUNDING = 1e-5
"""Of Cycles, relative to the size of the scene."""

NUMBER = "number"
"""An attribute that materials of :func:`material` show to Cycles."""

_AOVS = {
    "TrueNormal": ("COLOR", "ShaderNodeNewGeometry", "True Normal"),
    "Backfacing": ("VALUE", "ShaderNodeNewGeometry", "Backfacing"),
    "Location": ("COLOR", "ShaderNodeObjectInfo", "Location"),
    "Number": ("VALUE", "ShaderNodeAttribute", "Fac"),
}

_ALL_PASSES = (
    *("object", "instance", "face", "original_face", "material", "uv", "point"),
    *("normal", "smooth_normal", "depth", "front"),
)


def material(name="Material"):
    """A material that has Cycles write what is at its places, besides what it has passes for."""
    made = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        made.use_nodes = True
    nodes = made.node_tree.nodes
    for aov_name, (aov_type, kind, socket) in _AOVS.items():
        aov, source = nodes.new("ShaderNodeOutputAOV"), nodes.new(kind)
        aov.aov_name = aov_name
        if kind == "ShaderNodeAttribute":
            source.attribute_name = NUMBER
        entry = aov.inputs["Color" if aov_type == "COLOR" else "Value"]
        made.node_tree.links.new(source.outputs[socket], entry)
    return made


def camera(location=(0, 0, 12), angles=(0, 0, 0), size=(96, 72), name="Camera", **settings):
    """A camera, the scene's if it is the first, and the size of pictures."""
    data = bpy.data.cameras.new(name)
    for key, value in settings.items():
        setattr(data, key, value)
    obj = link(bpy.data.objects.new(name, data))
    obj.location, obj.rotation_euler = location, angles
    scene = bpy.context.scene
    scene.camera = scene.camera or obj
    scene.render.resolution_x, scene.render.resolution_y = size
    return obj


class Render(NamedTuple):
    """The pictures of a file in which the engine wrote."""

    pictures: exr_parts.Pictures
    told: dict[tuple[str, str], dict]  # by view layer and view

    @property
    def views(self):
        """The pictures by view layer and view."""
        return {key: View(self.pictures.channels, *key, told) for key, told in self.told.items()}


class View(NamedTuple):
    """The picture of a view of a view layer."""

    channels: dict[str, np.ndarray]
    layer: str
    view: str
    told: dict

    def of(self, name, letters="X"):
        """The channels (H, W) or (H, W, C) of a pass; None if it is not there."""
        names = [".".join(filter(None, [self.layer, name, self.view, each])) for each in letters]
        if names[0] not in self.channels:
            return None
        found = [self.channels[each].astype(np.float64) for each in names]
        return found[0] if len(letters) == 1 else np.stack(found, axis=-1)

    def index(self, name):
        """The indices that a pass of ids has, -1 where there is none."""
        kind = self.told["passes"][name][1]
        if kind == "long":
            low, high = np.moveaxis(self.of(name, "XY"), -1, 0)
            return (low + high * 2.0**24 - 1).astype(np.int64)
        assert kind == "id"
        return self.of(name).astype(np.int64) - 1


def file_settings(codec="ZIP", depth="32"):
    """Have renders written to multilayer files."""
    settings = bpy.context.scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format = "OPEN_EXR_MULTILAYER"
    settings.color_depth, settings.exr_codec = depth, codec
    settings.views_format = "MULTIVIEW"  # one file


def all_passes(layer):
    """Have the engine render every column that Cycles can tell."""
    for name in _ALL_PASSES:
        setattr(layer.raypick, f"use_pass_{name}", True)
    if NUMBER not in layer.raypick.attributes:
        layer.raypick.attributes.add().name = NUMBER


def write(path, engine="RAYPICK", codec="ZIP", depth="32", **options):
    """Render to a file."""
    scene = bpy.context.scene
    scene.render.engine, scene.render.filepath = engine, os.fspath(path)
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    file_settings(codec, depth)
    bpy.ops.render.render(**options or {"write_still": True})


def render(path, engine="RAYPICK", **options):
    """Render to a file, and read it."""
    write(path, engine, **options)
    return read(path.with_suffix(".exr"))


def read(path):
    """A file, with what the engine told in it."""
    pictures = exr_parts.read(path)
    told = {}
    for key, text in pictures.texts.items():
        if key.startswith("raypick/"):
            layer, _, view = key.removeprefix("raypick/").partition("/")
            told[layer, view] = json.loads(text)
    return Render(pictures, told)


def render_by_cycles(path):
    """The same by Cycles: the nearest thing on a ray through each pixel, without light."""
    scene = bpy.context.scene
    cycles = scene.cycles
    cycles.device, cycles.samples = "CPU", 1
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 0.01
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.max_bounces = 0
    for layer in scene.view_layers:
        for name in ("object_index", "material_index", "z", "normal", "uv", "position"):
            setattr(layer, f"use_pass_{name}", True)
        for name, (kind, _, _) in _AOVS.items():
            if name not in layer.aovs:
                aov = layer.aovs.add()
                aov.name, aov.type = name, kind
    return render(path, "CYCLES").pictures


def numbered(blocks):
    """Give objects or materials numbers that Cycles writes; return them by name and library."""
    numbers = {}
    for number, block in enumerate(blocks, 1):
        block.pass_index = number
        numbers[block.name, block.library.filepath if block.library else None] = number
    return numbers


class Difference(NamedTuple):
    """At how many pixels the engine says anything else than Cycles, of how many with an object."""

    seen: int
    of: dict[str, int]  # by column


def differences(folder):
    """Render the scene with both; the differences by view layer and view."""
    objects, materials = numbered(bpy.data.objects), numbered(bpy.data.materials)
    for layer in bpy.context.scene.view_layers:
        all_passes(layer)
    theirs = render_by_cycles(folder / "cycles")
    ours = render(folder / "raypick")
    assert ours.pictures.size == theirs.size
    assert ours.pictures.corner == theirs.corner
    found = {
        key: _difference(view, view._replace(channels=theirs.channels), objects, materials)
        for key, view in ours.views.items()
    }
    print({" ".join(key): (each.seen, each.of) for key, each in found.items()})
    return found


def _difference(ours, theirs, objects, materials):
    told = ours.told
    inside = _inside_border(told, ours.of("Object").shape)
    object_, seen = ours.index("Object"), _either(theirs, "IndexOB", "Object Index") > 0
    numbers = _numbers(told, "object", objects)[object_]
    wrong = {"object": (numbers != _either(theirs, "IndexOB", "Object Index")) & inside}
    same = ~wrong["object"] & seen
    wanted = _either(theirs, "IndexMA", "Material Index")
    is_told = theirs.of("TrueNormal", "RGB").any(axis=-1)  # its material has the nodes
    wrong["material"] = _numbers(told, "material", materials)[ours.index("Material")] != wanted
    view, projection = (np.array(told[f"{key}_matrix"]) for key in ("view", "projection"))
    normal = ours.of("RayNormal", "XYZ")
    front = ours.of("Front") == 1
    side = np.where(front, 1, -1)[..., None]
    point, place = ours.of("Point", "XYZ"), theirs.of("Position", "XYZ")
    size = np.abs(place[same]).max(initial=1.0) * ROUNDING
    with np.errstate(invalid="ignore"):
        moved = place - point
        wrong["point"] = ~(np.abs((moved * normal).sum(axis=-1)) <= size)
        wrong["pixel"] = ~(_off_center(view, projection, place, told) <= 0.02 + size)
        deeper = _depth(theirs) - ours.of("RayDepth", "Z")
        wrong["depth"] = ~(np.abs(deeper + moved @ view[2, :3]) <= size)
        true = theirs.of("TrueNormal", "RGB")
        wrong["normal"] = is_told & ~(np.abs(normal * side - true).max(axis=-1) <= 1e-3)
        smooth, shaded = ours.of("SmoothNormal", "XYZ") * side, theirs.of("Normal", "XYZ")
        # Of a flat face that is not plane, Cycles shades the triangles, other engines the face.
        is_flat = np.abs(shaded - normal * side).max(axis=-1) <= 1e-5
        bends = is_flat | _is_bent(smooth, normal * side, view, place)
        wrong["smooth"] = ~bends & ~(np.abs(smooth - shaded).max(axis=-1) <= 1e-2)
        wrong["front"] = is_told & (front != (theirs.of("Backfacing") == 0))
        uv = np.nan_to_num(ours.of("RayUV", "XYZ")[..., :2]) - theirs.of("UV", "UV")
        wrong["uv"] = ~(np.abs(uv).max(axis=-1) <= 1e-2)
        number = np.nan_to_num(ours.of(f"Attribute {NUMBER}")) - theirs.of("Number")
        wrong["number"] = is_told & ~(np.abs(number) <= 1e-2)
        at = np.array(told["instance_matrix_world"]).reshape(-1, 4, 4)[:, :3, 3]
        row = np.searchsorted(told["instance_numbers"], ours.index("Instance"))
        at = np.append(at, [[np.nan] * 3], axis=0)[row.clip(0, len(at))]
        at = np.abs(at - theirs.of("Location", "RGB")).max(axis=-1)
        wrong["location"] = is_told & ~(at <= size)
    return Difference(
        int(seen.sum()),
        {name: int((each & (same | (name == "object"))).sum()) for name, each in wrong.items()},
    )


def _is_bent(smooth, normal, view, places):
    """Where Cycles bends a normal, as it would reflect the view into the surface."""
    eye = np.linalg.inv(view)[:3, 3]
    back = eye - places
    back /= np.linalg.norm(back, axis=-1, keepdims=True)
    mirrored = 2.0 * (smooth * back).sum(axis=-1, keepdims=True) * smooth - back
    return (mirrored * normal).sum(axis=-1) <= 0.02


def _depth(view):
    return view.of("Depth", "Z") if view.of("Depth", "Z") is not None else view.of("Depth", "V")


def _either(view, *names):
    """The pass with one of these names, by the version of Blender."""
    (found,) = [each for name in names if (each := view.of(name)) is not None]
    return found


def _inside_border(told, shape):
    left, bottom, right, top = told["border"]
    if told["cropped"]:
        return np.ones(shape, np.bool_)
    rows, columns = np.indices(shape)
    return (left <= columns) & (columns < right) & (bottom <= rows) & (rows < top)


def _numbers(told, kind, numbers):
    """Cycles' number for each index of objects or materials; of -1 it is 0."""
    names = told[f"{kind}_names"]
    libraries = told.get(f"{kind}_libraries", [None] * len(names))
    return np.array([*(numbers[each] for each in zip(names, libraries, strict=True)), 0])


def _off_center(view, projection, places, told):
    """How many pixels a place (H, W, 3) is from the middle of its pixel."""
    rows, columns = np.indices(places.shape[:2])
    whole = np.append(places, np.ones((*rows.shape, 1)), axis=-1)
    x, y, _, w = np.moveaxis(whole @ (projection @ view).T, -1, 0)
    height, width = rows.shape
    away = (x / w + 1) / 2 * width - columns - 0.5, (y / w + 1) / 2 * height - rows - 0.5
    return np.abs(away).max(axis=0)
