# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of objects, instances and materials over frames, cameras, formats, runs and workers.

Nothing of the scene moves, so that a place tells which instance is meant in whatever frame.
"""

import importlib
import json
import os

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import arrays, camera, saved
from tests.blender.scenes import collection_instance, instance_on_points, link, mesh_object

MODEL = "command.survey", "model.survey_numbers"
FRAMES = (1, 2, 3, 4)
CORNERS = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.2, 0.2)]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def cube(name, place, *materials):
    obj = mesh_object(name, CORNERS, FACES)
    obj.location = place
    for material in materials:
        obj.data.materials.append(material)
    return obj


def shown_at(thing, *frames):
    """Show an object at these frames alone."""
    for frame in FRAMES:
        thing.hide_viewport = frame not in frames
        thing.keyframe_insert("hide_viewport", frame=frame)


def dwindling_points(name, source, ids):
    """Instances of an object on six points, the first of which vanish one frame after the other."""
    carrier = mesh_object(name, [(x, 0.0, 0.0) for x in np.linspace(-2, 2, 6)], [])
    if ids is not None:
        carrier.data.attributes.new("id", "INT", "POINT").data.foreach_set("value", ids)
    instance_on_points(carrier, source)
    group = carrier.modifiers[0].node_group
    nodes, connect = group.nodes, group.links.new
    (entry,) = [node for node in nodes if node.bl_idname == "NodeGroupInput"]
    (instance,) = [node for node in nodes if node.bl_idname == "GeometryNodeInstanceOnPoints"]
    remove, compare = nodes.new("GeometryNodeDeleteGeometry"), nodes.new("ShaderNodeMath")
    compare.operation = "LESS_THAN"
    connect(nodes.new("GeometryNodeInputIndex").outputs[0], compare.inputs[0])
    connect(nodes.new("GeometryNodeInputSceneTime").outputs["Frame"], compare.inputs[1])
    connect(compare.outputs[0], remove.inputs["Selection"])
    connect(entry.outputs[0], remove.inputs["Geometry"])
    connect(remove.outputs[0], instance.inputs["Points"])
    return carrier


def particles(name, source):
    """Instances of an object as particles, which are born and die."""
    emitter = mesh_object(name, [(x, 0.0, 0.0) for x in np.linspace(-2, 2, 5)], [])
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.count, settings.emit_from, settings.use_emit_random = 5, "VERT", False
    settings.frame_start, settings.frame_end, settings.lifetime = 1, 4, 2
    settings.physics_type, settings.render_type = "NO", "OBJECT"
    settings.instance_object, settings.particle_size = source, 1.0
    return emitter


def library(path):
    """A file with a cube and a material whose names the scene has too."""
    cube("Twin", (0, 0, 0), bpy.data.materials.new("Paint"))
    maker = collection_instance(bpy.data.objects["Twin"], (2, 0, 2))
    maker.name = maker.instance_collection.name = "Maker"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


@pytest.fixture
def crowd(raypick, tmp_path):
    """Open a file of which each frame shows other objects, instances and materials."""
    library(tmp_path / "library.blend")
    paint, wood = (bpy.data.materials.new(name) for name in ("Paint", "Wood"))
    first = cube("A first", (-2, 0, 2), wood)
    shown_at(first, 1, 4)
    cube("Twin", (-1, 0, 2), paint)
    own, shared = cube("Own", (0, 0, 2), paint), link(bpy.data.objects.new("Shared", None))
    bpy.data.objects.remove(shared)
    shared = link(bpy.data.objects.new("Shared", own.data))  # the mesh, but not its material
    shared.location = 1, 0, 2
    shared.material_slots[0].link = "OBJECT"
    shared.material_slots[0].material = wood
    pair = cube("Pair", (0, 0, 0), wood)
    collection_instance(pair, (-2, 0, 1))
    before = cube("Before", (0.5, 0, 0), paint)
    bpy.context.scene.collection.objects.unlink(before)
    bpy.data.collections["Instanced"].objects.link(before)
    shown_at(before, 2)
    for place, makes in ((-1, dwindling_points), (0, particles)):
        source = cube(f"Source {place}", (0, 0, 9), wood)
        made = makes(f"Crowd {place}", source, *([[70, 6, -5, 4, 3, 2]] if place else []))
        made.location.z = place
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects, wanted.collections = ["Twin", "Maker"], ["Maker"]
    for obj in wanted.objects:
        link(obj)
    maker = link(bpy.data.objects.new("Maker", None))
    maker.instance_type, maker.instance_collection = "COLLECTION", wanted.collections[0]
    maker.location = 2, 0, 1
    camera("Left", (-3, -9, 1), (64, 64))
    camera("Right", (4, -9, 1))
    return saved(tmp_path / "crowd.blend")


COMMAND = "survey", "--camera", "Left,Right", "--passes", "id,material", "--out"


def things(path):
    """What the numbers at the pixels of a file stand for, by column."""
    table = arrays(path)
    libraries = json.loads(str(table["meta"]))["libraries"]
    seen = {
        name: np.unique(table[name])[1:].tolist() for name in ("object", "material", "instance")
    }
    objects = {one: (table["object_names"][one], libraries[one]) for one in seen["object"]}
    rows = np.searchsorted(table["instance_numbers"], seen["instance"])
    places = table["instance_matrix_world"][:, :3, 3].round(3)
    return {
        "object": objects,
        "material": {
            one: (
                table["material_names"][one],
                {libraries[obj] for obj in table["object"][table["material"] == one]} != {None},
            )
            for one in seen["material"]
        },
        "instance": {
            one: (*places[row], objects[table["instance_object"][row]])
            for one, row in zip(seen["instance"], rows, strict=True)
        },
    }


def test_a_number_stands_for_one_thing_in_all_frames_and_cameras(crowd, type_in, tmp_path):
    assert type_in(*COMMAND, "s", "--frames", "1-4").code == 0
    every = {"object": {}, "material": {}, "instance": {}}
    shown = {column: set() for column in every}
    for path in (tmp_path / "s").iterdir():
        for column, found in things(path).items():
            for number, thing in found.items():
                assert every[column].setdefault(number, thing) == thing
            shown[column].add(frozenset(found))
    for column, found in every.items():
        assert len(set(found.values())) == len(found), column  # no thing has two numbers
    assert len(shown["object"]) == 3  # kinds of frames
    assert len(shown["instance"]) >= 4
    assert sorted(every["object"].values(), key=str) == [
        *((name, None) for name in ("A first", "Before", "Own", "Pair", "Shared")),
        *((name, None) for name in ("Source -1", "Source 0")),
        *(("Twin", "//library.blend"), ("Twin", None)),
    ]
    assert sorted(every["material"].values()) == [
        ("Paint", False),
        ("Paint", True),
        ("Wood", False),
    ]
    assert len(every["instance"]) == 19


def test_numbers_of_objects_and_materials_are_places_among_all_of_the_file(
    crowd, type_in, tmp_path
):
    assert type_in(*COMMAND, "s", "--frames", "3").code == 0
    table = arrays(tmp_path / "s/Left_0003.npz")
    for name, blocks in (("object", bpy.data.objects), ("material", bpy.data.materials)):
        assert table[f"{name}_names"].tolist() == sorted(each.name for each in blocks)


def test_workers_and_runs_that_go_on_give_the_numbers_of_one_run(crowd, type_in, tmp_path):
    command = *COMMAND, "whole"
    assert type_in(*command, "--frames", "1-4").code == 0
    names = sorted(os.listdir(tmp_path / "whole"))
    whole = {name: (tmp_path / "whole" / name).read_bytes() for name in names}
    for frame in (3, 4, 1, 2):
        bpy.ops.wm.open_mainfile(filepath=str(crowd))
        for camera_name in ("Right", "Left"):
            words = "--camera", camera_name, "--frames", str(frame)
            assert type_in("survey", *words, "--passes", "id,material", "--out", "dealt").code == 0
    assert {name: (tmp_path / "dealt" / name).read_bytes() for name in names} == whole
    for name in names[::3]:
        (tmp_path / "whole" / name).unlink()
    bpy.ops.wm.open_mainfile(filepath=str(crowd))
    ran = type_in(*command, "--frames", "1-4", "--resume", "--json")
    assert (len(ran.json["made"]), len(ran.json["kept"])) == (3, 5)
    assert {name: (tmp_path / "whole" / name).read_bytes() for name in names} == whole


def test_what_a_script_makes_meanwhile_comes_after_all_others(crowd, type_in, tmp_path):
    def make(scene, _depsgraph=None):
        if scene.frame_current == 2 and "AAA" not in bpy.data.objects:
            cube("AAA", (-1, 0, 1), bpy.data.materials.new("AAA"))

    bpy.app.handlers.frame_change_pre.append(make)
    try:
        assert type_in(*COMMAND, "s", "--frames", "1,2").code == 0
    finally:
        bpy.app.handlers.frame_change_pre.remove(make)
    before, after = (arrays(tmp_path / f"s/Left_000{frame}.npz") for frame in (1, 2))
    for name in ("object", "material"):
        assert after[f"{name}_names"].tolist() == [*before[f"{name}_names"].tolist(), "AAA"]
        assert after[name].max() == len(before[f"{name}_names"])


def test_two_instances_with_one_number_are_told(crowd, type_in, module, monkeypatch):
    numbers = importlib.import_module(module("survey").__name__.replace(*MODEL))
    monkeypatch.setattr(numbers, "_digest", lambda key: 1 << 30)
    ran = type_in(*COMMAND, "s", "--frames", "1", "--json")
    assert ran.code == 1
    assert "two instances share a number" in ran.json["failed"][0]["error"]
