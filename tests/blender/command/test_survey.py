# SPDX-License-Identifier: GPL-3.0-or-later
"""``survey``: files of what cameras see, the same to the last bit as the API tells."""

import itertools
import json
import os

import bpy
import numpy as np
import pytest

from tests.blender.command.conftest import camera, saved
from tests.blender.command.exr_reader import read

PASSES = "id,face,weights,original,point,normal,smooth,uv,depth,distance,front,material,vertices"
COLUMNS = (
    *("object", "instance", "face", "triangle", "barycentric", "original_face", "point", "normal"),
    *("smooth_normal", "uv", "depth", "distance", "front", "material", "vertices"),
)


def survey(raypick, frame, **options):
    """What the API tells of a frame."""
    bpy.context.scene.frame_set(frame)
    return raypick.api.survey(bpy.context, "Camera", **options)


def arrays(path):
    with np.load(path, allow_pickle=False) as found:
        return dict(found)


def test_each_frame_has_the_columns_of_the_api_to_the_bit(raypick, animated, type_in, tmp_path):
    ran = type_in("survey", "--frames", "1-10x4", "--passes", PASSES, "--out", "shots")
    assert (ran.code, ran.out) == (0, "")
    names = [f"Camera_{frame:04d}.npz" for frame in (1, 5, 9)]
    assert sorted(os.listdir(tmp_path / "shots")) == names
    seen = []
    for frame, name in zip((1, 5, 9), names, strict=True):
        found, expected = arrays(tmp_path / "shots" / name), survey(raypick, frame, columns=COLUMNS)
        for column in COLUMNS:
            assert found[column].dtype == expected[column].dtype
            assert found[column].tobytes() == expected[column].tobytes()
        assert found["object_names"].tolist() == list(expected.objects)
        assert found["material_names"].tolist() == list(expected.materials)
        assert np.array_equal(found["instance_matrix_world"], expected.instances.matrix_world)
        assert {"Suzanne", "Points"} & set(found["object_names"][found["object"]].ravel())
        seen.append(found["face"])
    assert not np.array_equal(seen[0], seen[1])


def test_a_pixel_is_what_a_ray_through_its_center_hits(raypick, animated, type_in, tmp_path, rng):
    assert type_in("survey", "--frames", "5", "--passes", PASSES, "--out", "shots").code == 0
    found = arrays(tmp_path / "shots/Camera_0005.npz")
    bpy.context.scene.frame_set(5)
    seen, hit_at_all = raypick.api.render_camera(bpy.context), 0
    for _ in range(60):
        x, y = rng.integers(48), rng.integers(32)
        ray = seen.ray(x + 0.5, y + 0.5)
        hits = raypick.api.ray_cast(bpy.context, ray.origin, ray.direction)
        assert (found["face"][y, x] == -1) == (not hits)
        for hit in hits:
            hit_at_all += 1
            assert found["object_names"][found["object"][y, x]] == hit.object
            assert (found["face"][y, x], found["triangle"][y, x]) == (hit.face, hit.triangle)
            assert found["barycentric"][y, x].tolist() == list(hit.barycentric)
            assert found["point"][y, x].tolist() == list(hit.point)
    assert hit_at_all > 10


def test_a_picture_has_the_same_values_from_the_top(raypick, animated, type_in, tmp_path):
    options = "--frames", "5", "--passes", f"{PASSES},attribute:UVMap", "--out", "shots"
    assert type_in("survey", *options, "--format", "exr").code == 0
    channels, texts = read(tmp_path / "shots/Camera_0005.exr")
    meta = json.loads(texts["raypick"])
    expected = survey(raypick, 5, columns=COLUMNS, attributes=["UVMap"])
    for column in ("object", "instance", "material", "face", "triangle", "original_face"):
        channel = f"{column.removesuffix('_face')}.X"
        assert channels[channel].dtype == np.uint32
        assert np.array_equal(channels[channel][::-1].astype(int) - 1, expected[column])
    for letter, number in (("R", 0), ("G", 1), ("B", 2)):
        weights = expected["barycentric"][::-1, :, number].astype(np.float32)
        assert np.array_equal(channels[f"weights.{letter}"], weights, equal_nan=True)
    depth = expected["depth"][::-1].astype(np.float32)
    assert np.array_equal(channels["depth.Z"], depth)
    map_v = expected["attribute:UVMap"][::-1, :, 1].astype(np.float32)
    assert np.array_equal(channels["attribute_UVMap.Y"], map_v, equal_nan=True)
    assert np.array_equal(channels["front.X"][::-1], expected["front"])
    assert meta["object_names"] == list(expected.objects)
    assert meta["row_order"] == "top row first"
    assert len(meta["instance_names"]) == len(expected.instances)


def test_blender_reads_a_picture_of_everything(animated, type_in, tmp_path):
    """Three channels of a layer by names it does not know it would write beside its memory."""
    options = "--passes", f"{PASSES},attribute:UVMap,attribute:position", "--out", "shots"
    assert type_in("survey", *options, "--format", "exr").code == 0
    channels, _ = read(tmp_path / "shots/Camera_0001.exr")
    layers = {}
    for name in channels:
        layers.setdefault(name.rpartition(".")[0], set()).add(name.rpartition(".")[2])
    assert len(layers) == 17
    known = [{*"XYZ"}, {*"RGB"}, {*"XY"}, {*"UV"}, {"X"}, {"Z"}]
    assert all(letters in known for letters in layers.values())
    image = bpy.data.images.load(str(tmp_path / "shots/Camera_0001.exr"))
    assert len(tuple(image.size)) == 2  # which has it read
    assert image.type == "MULTILAYER"


def test_samples_attributes_and_limits_are_those_of_the_api(raypick, animated, type_in, tmp_path):
    ran = type_in(
        *("survey", "--out", "s", "--samples", "2", "--attributes", "UVMap", "--cull", "front"),
        *("--exclude", "Points", "--max-distance", "7", "--original", "--passes", "face,depth"),
        *("--resolution-percentage", "50", "--no-clip"),
    )
    assert ran.code == 0
    assert bpy.context.scene.render.resolution_percentage == 100
    bpy.context.scene.render.resolution_percentage = 50
    expected = survey(
        raypick,
        *(1,),
        samples=2,
        clip=False,
        columns=["face", "depth"],
        attributes=["UVMap"],
        cull="front",
        exclude=["Points"],
        max_distance=7.0,
        evaluated=False,
    )
    found = arrays(tmp_path / "s/Camera_0001.npz")
    assert found["face"].shape == (16, 24, 4)
    for column in ("face", "depth", "attribute:UVMap"):
        assert found[column].tobytes() == expected[column].tobytes()


def test_cameras_whose_names_are_alike_have_files_of_their_own(raypick, type_in, tmp_path):
    names = ["Cam/1", "Cam_1", "cam_1", "Cam:1", "相机"]
    for number, name in enumerate(names):
        camera(name, (0, -5 - number, 0), resolution=(4, 3))
    saved(tmp_path / "cameras.blend")
    ran = type_in("survey", "--camera", ",".join(names), "--out", "shots", "--json")
    assert ran.code == 0
    made = ran.json["made"]
    assert len({each.casefold() for each in made}) == len(names)
    metas = [json.loads(str(arrays(tmp_path / each)["meta"])) for each in made]
    assert [meta["camera"] for meta in metas] == names


def test_what_is_complete_is_not_made_again_and_ends_as_it_would_have(
    animated, type_in, tmp_path, monkeypatch, module
):
    command = "survey", "--frames", "1-6", "--passes", "id,face,weights,uv,depth"
    assert type_in(*command, "--out", "whole").code == 0
    assert type_in(*command, "--out", "parts", "--frames", "1-3").code == 0
    (tmp_path / "parts/Camera_0002.npz").write_bytes(b"half")
    before = (tmp_path / "parts/Camera_0001.npz").stat().st_mtime_ns
    ran = type_in(*command, "--out", "parts", "--resume", "--json")
    assert [len(ran.json[key]) for key in ("made", "kept", "failed")] == [4, 2, 0]
    assert (tmp_path / "parts/Camera_0001.npz").stat().st_mtime_ns == before
    for frame in range(1, 7):
        name = f"Camera_{frame:04d}.npz"
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()


@pytest.mark.parametrize("form", ["npz", "exr"])
def test_another_question_is_answered_anew(animated, type_in, form):
    command = "survey", "--out", "s", "--format", form, "--resume", "--json"
    assert len(type_in(*command).json["made"]) == 1
    assert len(type_in(*command).json["kept"]) == 1
    for change in (["--cull", "back"], ["--passes", "id"], ["--exclude", "Points"], ["--no-clip"]):
        assert len(type_in(*command, *change).json["made"]) == 1
        assert len(type_in(*command, *change).json["kept"]) == 1
    assert len(type_in(*command, "--threads", "1", *change).json["kept"]) == 1


def test_a_file_that_changed_is_another_question(animated, type_in):
    command = "survey", "--out", "s", "--resume", "--json"
    assert type_in(*command).code == 0
    bpy.data.objects["Suzanne"].location.x = 1.0
    saved(animated)
    assert len(type_in(*command).json["made"]) == 1


def test_a_library_that_changed_is_another_question(raypick, type_in, tmp_path):
    mesh_file = tmp_path / "library.blend"
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(mesh_file))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(mesh_file), link=True) as (_, wanted):
        wanted.objects = ["Cube"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    camera()
    main_file = saved(tmp_path / "main.blend")
    command = "survey", "--out", "s", "--resume", "--json"
    assert len(type_in(*command).json["made"]) == 1
    assert len(type_in(*command).json["kept"]) == 1
    bpy.ops.wm.open_mainfile(filepath=str(mesh_file))
    bpy.data.objects["Cube"].data.vertices[0].co.x = -3
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(main_file))
    assert len(type_in(*command).json["made"]) == 1


def test_a_shot_that_fails_is_named_and_the_rest_is_made(animated, type_in, tmp_path):
    camera("Panorama", (0, -5, 0)).data.type = "PANO"
    saved(animated)
    ran = type_in(
        "survey", "--camera", "Panorama,Camera", "--frames", "1,2", "--out", "s", "--json"
    )
    assert ran.code == 1
    assert [(each["camera"], each["frame"]) for each in ran.json["failed"]] == [
        ("Panorama", 1),
        ("Panorama", 2),
    ]
    assert "camera Panorama, frame 1: " in ran.err
    assert sorted(os.listdir(tmp_path / "s")) == ["Camera_0001.npz", "Camera_0002.npz"]


def test_an_interrupted_run_keeps_whole_frames_and_goes_on(animated, type_in, module, monkeypatch):
    interruption = module("interruption").Interruption
    command = "survey", "--frames", "1-6", "--out", "s", "--json", "--resume"
    checks = itertools.count()

    def check(asked):
        if next(checks) == 7:
            asked.note(2, None)
        if asked.is_asked_for:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(interruption, "check", check)
        ran = type_in(*command)
    assert ran.code == 130
    assert "interrupted" in ran.err
    there = len(os.listdir("s"))
    assert 0 < there < 6
    ran = type_in(*command)
    assert (ran.code, len(ran.json["kept"]), len(ran.json["made"])) == (0, there, 6 - there)


def test_old_temporary_files_go_and_new_ones_of_other_runs_stay(animated, type_in, tmp_path):
    folder = tmp_path / "s"
    folder.mkdir()
    for name, age in (("old", 7200), ("new", 0)):
        path = folder / f".raypick-{name}.tmp"
        path.write_bytes(b"half")
        time = path.stat().st_mtime - age
        os.utime(path, (time, time))
    assert type_in("survey", "--out", "s").code == 0
    assert sorted(os.listdir(folder)) == [".raypick-new.tmp", "Camera_0001.npz"]


def test_another_scene_and_view_layer_are_seen(raypick, animated, type_in, tmp_path):
    other = bpy.data.scenes.new("Other")
    other.render.resolution_x, other.render.resolution_y = 8, 6
    other.collection.objects.link(bpy.data.objects["Camera"])
    other.camera = bpy.data.objects["Camera"]
    other.collection.objects.link(bpy.data.objects["Suzanne"])
    layer = other.view_layers.new("Empty")
    layer.layer_collection.exclude = False
    hidden = bpy.data.collections.new("Hidden")
    other.collection.children.link(hidden)
    other.collection.objects.unlink(bpy.data.objects["Suzanne"])
    hidden.objects.link(bpy.data.objects["Suzanne"])
    layer.layer_collection.children["Hidden"].exclude = True
    saved(animated)
    assert type_in("survey", "--scene", "Other", "--out", "a").code == 0
    assert type_in("survey", "--scene", "Other", "--view-layer", "Empty", "--out", "b").code == 0
    one, two = (arrays(tmp_path / each / "Camera_0001.npz")["object"] for each in "ab")
    assert one.shape == (6, 8)
    assert (one >= 0).any()
    assert (two == -1).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--frames", "5-1"], "must not end before"),
        (["--passes", "depht"], "'depht'"),
        (["--samples", "0"], "--samples"),
        (["--samples", "2", "--format", "exr"], "--samples"),
        (["--format", "png"], "png"),
        (["--step", "x"], "--step"),
        (["--max-distance", "nan"], "--max-distance"),
        (["scene.blend"], "before --command"),
    ],
)
def test_wrong_usage_says_what_is_wrong(animated, type_in, options, said):
    ran = type_in("survey", "--out", "s", *options)
    assert ran.code == 2
    assert said in ran.err
    assert not os.path.exists("s")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--camera", "Nope"], "no camera 'Nope'"),
        (["--camera", "Suzanne"], "'Suzanne' is no camera"),
        (["--scene", "Nope"], "no scene 'Nope'"),
        (["--view-layer", "Nope"], "no view layer 'Nope'"),
        (["--exclude", "Nope"], "Nope"),
    ],
)
def test_what_the_file_has_not_fails_by_name(animated, type_in, options, said):
    ran = type_in("survey", "--out", "s", *options)
    assert ran.code == 1
    assert said in ran.err


def test_a_folder_that_is_a_file_fails_by_name(animated, type_in, tmp_path):
    (tmp_path / "s").write_text("")
    ran = type_in("survey", "--out", "s")
    assert ran.code == 1
    assert "s" in ran.err
